#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/constraint/numbers_by_hash.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Where a rule goes on when it ends: behind a call, in the frame of whoever called; or at a node of a walk.
struct caller {
    std::uint32_t returns_to, frame;
    walk_progress walked{};  ///< with the arc that was called; of a call nothing

    friend bool operator==(const caller&, const caller&) = default;
    friend bool operator<(const caller& a, const caller& b) noexcept {
        if (a.returns_to != b.returns_to) return a.returns_to < b.returns_to;
        if (a.frame != b.frame) return a.frame < b.frame;
        if (a.walked.least != b.walked.least) return a.walked.least < b.walked.least;
        return a.walked.most < b.walked.most;
    }
};

/// Frames: sets of callers, each of them once. A text that can be read in 2^n ways has one frame for all of them, not a
/// stack for each. (As in GLR parsing: Tomita, "An efficient context-free parsing algorithm", 1987.)
template <class Automaton>
class basic_frame_table {
public:
    enum : std::uint32_t {
        outermost = 0,  ///< whoever called the root: the text is complete
        hidden = 1,     ///< not looked at: see shallow
        no_memory = ~0u,
    };
    /// shallow() knows no more levels.
    enum : std::uint32_t { greatest_depth = 12 };

    explicit basic_frame_table(const Automaton& of) noexcept : of_(of) {}
    /// False without memory.
    bool begin() noexcept {
        const caller first[] = {{byte_automaton::accepting, outermost}, {byte_automaton::unknown, outermost}};
        return intern({first, 1}) == outermost && intern({first + 1, 1}) == hidden;
    }

    std::span<const caller> callers(std::uint32_t frame) const noexcept {
        return callers_.part(frames_[frame].first, frames_[frame].count);
    }
    std::size_t size() const noexcept { return frames_.size(); }
    std::size_t bytes() const noexcept {
        return callers_.bytes() + frames_.bytes() + by_hash_.bytes() + shallow_.bytes();
    }

    /// The frame of some callers, settled; no_memory where there is none.
    std::uint32_t intern(std::span<const caller> settled) noexcept {
        if (!by_hash_.make_room(frames_.size(), [&](std::uint32_t f) { return hash_of(callers(f)); })) return no_memory;
        const std::uint64_t hash = hash_of(settled);
        const std::uint32_t known =
            by_hash_.find(hash, [&](std::uint32_t f) { return are_equal(callers(f), settled); });
        if (known != numbers_by_hash::none) return known;
        const auto made = std::uint32_t(frames_.size());
        const auto first = std::uint32_t(callers_.size());
        if (!callers_.append(settled.data(), settled.size())) return no_memory;
        if (!frames_.push({first, std::uint32_t(settled.size())})) {
            callers_.shorten(first);
            return no_memory;
        }
        by_hash_.add(hash, made);
        return made;
    }
    /// In order, each once; of walks that count and go on in the same place, numbers that touch become one range.
    void settle(growing_array<caller>& of) const noexcept {
        if (of.size() < 2) return;
        std::sort(of.begin(), of.end());
        std::size_t kept = 1;
        for (std::size_t i = 1; i < of.size(); ++i) {
            caller& last = of[kept - 1];
            const caller& next = of[i];
            const bool is_same_place = last.returns_to == next.returns_to && last.frame == next.frame;
            const std::uint32_t most = last.walked.most;
            if (last == next) continue;
            if (is_same_place && counts(next) && (most == walk::unlimited || next.walked.least <= most + 1))
                last.walked.most = (std::max)(most, next.walked.most);
            else of[kept++] = next;
        }
        of.shorten(kept);
    }

    /// A frame of which so many levels are seen; what lies deeper is `hidden`, and of arcs that are counted no more are
    /// told apart than a token can go through. `most_bytes`: of a token. no_memory where there is none.
    std::uint32_t shallow(std::uint32_t frame, std::uint32_t depth, std::size_t most_bytes) noexcept {
        if (frame <= hidden) return frame;
        if (depth == 0) return hidden;
        const std::size_t place = std::size_t{frame} * greatest_depth + depth - 1;
        if (place >= shallow_.size() && !shallow_.resize(frames_.size() * greatest_depth, 0)) return no_memory;
        if (shallow_[place] != 0) return shallow_[place];
        growing_array<caller> seen;
        for (std::size_t i = 0; i < frames_[frame].count; ++i) {
            caller c = callers_[frames_[frame].first + i];
            c.frame = shallow(c.frame, depth - 1, most_bytes);
            if (c.frame == no_memory) return no_memory;
            if (counts(c)) {
                const std::uint32_t enough = arcs_beyond_a_token(c.returns_to, most_bytes);
                c.walked.least = (std::min)(c.walked.least, enough);
                c.walked.most = (std::min)(c.walked.most, enough);
            }
            if (!seen.push(c)) return no_memory;
        }
        settle(seen);
        const std::uint32_t made = intern({seen.data(), seen.size()});
        if (made != no_memory) shallow_[place] = made;
        return made;
    }
    /// So many arcs of a walk, where more would make no difference to a token.
    std::uint32_t arcs_beyond_a_token(std::uint32_t node, std::size_t most_bytes) const noexcept {
        std::uint32_t shortest = ~0u;
        for (const walk_arc& arc : of_.arcs_of(node)) shortest = (std::min)(shortest, of_.rules[arc.rule].shortest);
        return std::uint32_t(most_bytes / (shortest > 0 ? shortest : 1) + 2) + of_.walk_of(node).longest_told_apart;
    }

private:
    struct list {
        std::uint32_t first, count;
    };

    bool counts(const caller& c) const noexcept {
        return of_.nodes[c.returns_to].walks() && of_.walk_of(c.returns_to).memory == walk_memory::count;
    }
    static bool are_equal(std::span<const caller> a, std::span<const caller> b) noexcept {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    static std::uint64_t hash_of(std::span<const caller> callers) noexcept {
        std::uint64_t hash = callers.size();
        for (const caller& c : callers) {
            hash = mixed(hash, std::uint64_t{c.returns_to} << 32 | c.frame);
            if (c.walked.bits() != 0) hash = mixed(hash, c.walked.bits());
        }
        return hash;
    }

    const Automaton& of_;
    growing_array<list> frames_;  ///< of their callers
    growing_array<caller> callers_;
    numbers_by_hash by_hash_;
    growing_array<std::uint32_t> shallow_;  ///< greatest_depth for each frame; 0: not made yet
};
using frame_table = basic_frame_table<byte_automaton>;

}  // namespace riffle::detail
