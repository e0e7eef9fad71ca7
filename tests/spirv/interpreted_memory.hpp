#pragma once
// Memory that several invocations see, and who may have touched a word of it at a time.

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "spirv/interpreted_module.hpp"

namespace riffle_tests::interpreting {

/// What is wrong with a run, each fault once.
class fault_list {
public:
    explicit fault_list(std::span<const word> words) : words_(words) {}
    void add(const char* what, word at) { found_.insert({what, at, at}); }
    void race(const char* what, word before, word at) { races_.insert({what, before, at}); }
    std::vector<std::string> texts() const;

private:
    std::span<const word> words_;
    std::set<std::tuple<std::string_view, word, word>> found_, races_;
};

struct contents {
    word bits = 0;
    bool is_written = false, is_known = true;
};

/// Who has touched a word since the last barrier of the work group, and how. Intervals between barriers have numbers
/// that no other group's have.
struct accesses {
    word interval = ~0u, lane = 0, place = 0;
    bool by_several = false;

    bool has_other(word now, word by) const { return interval == now && (by_several || lane != by); }
    void note(word now, word by, word at) {
        by_several = interval == now && (by_several || lane != by);
        if (interval != now) place = at;
        interval = now;
        lane = by;
    }
};
/// A word that all see.
struct cell : contents {
    accesses reads, writes, atomics;
};

enum class touch { read, write, atomic };

/// Who reads, writes or changes a word, and where in the module.
struct access_by {
    word interval = 0, lane = 0, place = 0;
};
/// Notes it, and says which races there are within the work group.
void note(cell& c, touch how, const access_by& who, fault_list& faults);

/// Which accesses to buffers one work group has made before another's. (A vector clock for every group, and one for
/// every word that an atomic has released: Fidge 1988, Mattern 1989.) A group's epochs are what lies between its
/// barriers that order buffers.
class group_clocks {
public:
    group_clocks(word groups, std::span<const std::span<word>> buffers);

    bool are_several() const { return groups_ > 1; }
    void note(word group, word binding, word index, touch how, word place, fault_list& faults);
    /// An atomic of the group gives what the group did before its last barrier to those that acquire the word later.
    void release(word group, word binding, word index);
    /// Without a release the chain ends: who acquires the word from now on learns nothing.
    void forget(word binding, word index) { released_.erase({binding, index}); }
    /// Behind the group's next barrier it may rely on what was released.
    void acquire(word group, word binding, word index);
    void barrier(word group);

private:
    using clock = std::vector<word>;  ///< a group's epochs up to this one are over, by group
    /// The last touch of a kind, from epoch 1 on.
    struct last_touch {
        word epoch = 0, place = 0;
    };
    using last_touches = std::array<last_touch, 3>;  ///< a read, a write, an atomic
    static void join(clock& to, const clock& other);
    bool is_over(word group, word of, word epoch) const { return epoch <= seen_[group][of]; }

    word groups_;
    std::vector<word> now_;
    std::vector<clock> seen_, acquired_;
    std::map<std::pair<word, word>, clock> released_;
    std::vector<std::vector<last_touches>> touched_;  ///< by binding: of each word, of each group
};

}  // namespace riffle_tests::interpreting
