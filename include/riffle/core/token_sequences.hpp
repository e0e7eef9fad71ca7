#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A set of token sequences, found by their first token: {{13}, {198, 25}}. Empty ones and duplicates are left out.
/// (A template, so that including riffle does not compile it.)
template <class Id>
class basic_token_sequences {
public:
    using sequence = std::vector<Id>;

    basic_token_sequences() noexcept = default;
    basic_token_sequences(std::initializer_list<sequence> sequences)
        : basic_token_sequences(std::vector<sequence>(sequences)) {}
    explicit basic_token_sequences(std::vector<sequence> sequences) : sequences_(std::move(sequences)) {
        std::sort(sequences_.begin(), sequences_.end());
        sequences_.erase(std::unique(sequences_.begin(), sequences_.end()), sequences_.end());
        if (!sequences_.empty() && sequences_[0].empty()) sequences_.erase(sequences_.begin());
    }

    bool empty() const noexcept { return sequences_.empty(); }
    std::size_t size() const noexcept { return sequences_.size(); }
    const sequence* begin() const noexcept { return sequences_.data(); }
    const sequence* end() const noexcept { return sequences_.data() + sequences_.size(); }

    /// Those that begin with a token, shorter ones ahead of longer ones that they begin. O(log size).
    std::span<const sequence> beginning_with(Id head) const noexcept {
        const auto first = std::lower_bound(begin(), end(), head, [](const auto& s, Id id) { return s[0] < id; });
        auto last = first;
        while (last != end() && (*last)[0] == head) ++last;
        return {first, last};
    }
    /// Whether the sequence of this one token is among them.
    bool contains_alone(Id token) const noexcept {
        const auto found = beginning_with(token);
        return !found.empty() && found[0].size() == 1;
    }

private:
    std::vector<sequence> sequences_;
};
using token_sequences = basic_token_sequences<token_id>;

}  // namespace riffle
