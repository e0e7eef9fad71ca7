#pragma once
#include <riffle/core/facts.hpp>
#include <riffle/core/rank_sort.hpp>
#include <riffle/core/softmax_statistics.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Tail-free sampling: cuts where the sorted probabilities stop bending. Their second differences |p_i - 2 p_(i+1) +
/// p_(i+2)|, in the order of ranks, are a share each of their sum; the tokens ahead of the first whose running share
/// exceeds z are kept, at least min_keep and at least one. (T. Bricken; this is the form of koboldcpp and of llama.cpp
/// until October 2024. text-generation-webui and exllamav2 keep one token more: min_keep aside, `centred`.) In
/// integers.
///
/// `z` >= 1 = off; z <= 0 keeps max(1, min_keep); NaN is an error; usual 0.9 to 0.97. Tokens more than 20.8
/// nats under the maximum weigh nothing and are dropped; fewer than 3 others are left alone, and where no probability
/// bends every place counts alike.
///
/// The second differences need the order of all tokens: wide or narrow it sorts whatever weighs, by digits, in
/// O(candidates). Put it behind a stage that narrows.
struct tail_free {
    float z = 0.95f;           ///< share of the bends ahead of the cut; usual 0.9 to 0.97, 1 or more is off
    std::size_t min_keep = 0;  ///< tokens left at least; 0 counts as 1
    bool centred = false;      ///< keeps one token more, as text-generation-webui and exllamav2 do

    static constexpr const char* name = "tail_free";
    static constexpr facts fact{.needs_all = true, .keeps_sorted = true, .narrows = narrowing::searched};

    bool narrows_now() const noexcept { return !(z >= 1.0f); }

    bool keep(candidates& c, const softmax_statistics& of_all, float) const noexcept {
        c.weigh(of_all.maximum);
        c.keep_if([](const token_data& token) { return candidates::weight(token) > 0; });
        if (c.size < 3) return true;
        sort_without_p(c);
        c.weigh(of_all.maximum);
        const auto bend = [&](std::size_t i) {
            const auto w = [&](std::size_t j) { return std::int64_t(candidates::weight(c[j])); };
            const std::int64_t second = w(i) - 2 * w(i + 1) + w(i + 2);
            return std::uint64_t(second < 0 ? -second : second);
        };
        const std::size_t bends = c.size - 2;
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < bends; ++i) total += bend(i);
        const bool straight = total == 0;  // then every bend has the same share
        const std::uint64_t target = share_of(z, straight ? bends : total);

        std::size_t first = 0;  // whose running share exceeds z
        for (std::uint64_t sum = 0; first < bends; ++first)
            if ((sum += straight ? 1 : bend(first)) > target) break;
        std::size_t kept = first == bends ? c.size : first;
        if (centred) kept = (std::min)(first + 1, c.size - 1);
        if (!(flushed(z) > 0.0f)) kept = 0;
        kept = (std::max)({kept, min_keep, std::size_t{1}});
        if (kept < c.size) c.size = kept;
        return true;
    }

    status(check)() const noexcept {
        return z == z ? status() : status::invalid(name, "z", double(z), "is not a number");
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known.share(name, "z", z);
    }
};

}  // namespace riffle
