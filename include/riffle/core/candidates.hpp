#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/math/wide_integer.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The order of ranks, everywhere: logit descending, then id ascending.
inline bool ranks_before(const token_data& a, const token_data& b) noexcept {
    return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

// The members that walk all candidates are not inlined: a call costs nothing beside the walk, and a chain would
// otherwise compile a dozen copies of the standard sorting functions.

/// The tokens that may still be chosen: what a stage's `apply` reads and writes. A view; it owns nothing.
/// The layout is that of llama_token_data_array. A candidate whose logit is -inf is illegal: stages that narrow drop
/// it.
struct RIFFLE_MAY_ALIAS candidates {
    token_data* data = nullptr;  ///< the first of them; the memory is somebody else's
    std::size_t size = 0;        ///< how many are left
    std::int64_t selected = -1;  ///< index of the chosen candidate, -1 = none
    bool sorted = false;         ///< in the order of ranks

    /// The first, for loops.
    token_data* begin() const noexcept { return data; }
    /// Behind the last.
    token_data* end() const noexcept { return data + size; }
    /// The one at a place below size, which is not checked.
    token_data& operator[](std::size_t index) const noexcept { return data[index]; }
    /// Whether none is left.
    bool empty() const noexcept { return size == 0; }
    /// Whether `selected` is the index of one of them.
    bool has_selected() const noexcept { return selected >= 0 && std::size_t(selected) < size; }

    /// Index of the first in rank; size when no candidate is legal. O(size).
    RIFFLE_NOINLINE std::size_t greatest() const noexcept {
        std::size_t best = size;
        float logit = illegal_logit;
        token_id id = (std::numeric_limits<token_id>::min)();
        for (std::size_t i = 0; i < size; ++i) {  // one branch, seldom taken, where equals are many too
            const bool is_first = (data[i].logit == logit) & (data[i].id < id);
            if (!((data[i].logit > logit) | is_first)) continue;
            logit = data[i].logit;
            id = data[i].id;
            best = i;
        }
        return best;
    }

    /// Σ w over the candidates, w = fixed_mass(logit - maximum). O(size).
    std::uint64_t mass(float maximum) const noexcept {
        return for_each_weight(maximum, [](std::size_t, std::uint32_t) {});
    }
    /// mass(maximum), and leaves every w in the bits of p, where keep_weighed_nucleus and select_by_weight look for it.
    RIFFLE_NOINLINE std::uint64_t weigh(float maximum) noexcept {
        return for_each_weight(maximum,
                               [this](std::size_t i, std::uint32_t w) { data[i].p = std::bit_cast<float>(w); });
    }

    /// The greatest map(logit) of all, -inf when there is none. O(size).
    template <class Map>
    float greatest_mapped(const Map& map) const noexcept {
        group greatest(illegal_logit);
        in_groups(illegal_logit,
                  [&](std::size_t, std::size_t, const group& logits) { greatest = greater_of(map(logits), greatest); });
        return reduce_max(greatest);
    }
    /// Leaves the weight of every map(logit) in p, as weigh does, and answers their sum. `maximum` is the greatest of
    /// them. The logits stay. O(size).
    template <class Map>
    std::uint64_t weigh_mapped(const Map& map, float maximum) noexcept {
        std::uint64_t total = 0;
        in_groups(illegal_logit, [&](std::size_t first, std::size_t count, const group& logits) {
            const auto weights = fixed_mass(map(logits) - group(maximum));
            for (std::size_t j = 0; j < count; ++j) {
                const auto w = std::uint32_t(weights[int(j)]);
                data[first + j].p = std::bit_cast<float>(w);
                total += w;
            }
        });
        return total;
    }

    /// p of every candidate over all of them: 0 for illegal ones. O(size).
    RIFFLE_NOINLINE void normalise() noexcept {
        const std::size_t best = greatest();
        const double total = best < size ? double(weigh(data[best].logit)) : 1.0;
        for (std::size_t i = 0; i < size; ++i) data[i].p = best < size ? float(double(weight(i)) / total) : 0.0f;
    }

    /// Replaces every logit by map(logit), several at a time; `map` works on lanes, and meets -inf where there is no
    /// candidate. The order is not kept. O(size).
    template <class Map>
    void map_logits(const Map& map) noexcept {
        in_groups(illegal_logit, [&](std::size_t first, std::size_t count, const group& logits) {
            const auto mapped = map(logits);
            for (std::size_t j = 0; j < count; ++j) data[first + j].logit = mapped[int(j)];
        });
        sorted = false;
    }

    /// Puts the candidates in the order of ranks.
    void sort() noexcept {
        sort(0, size);
        sorted = true;
    }

    /// Puts the `first` first in rank ahead of the others, in order. O(size) and the sort of those.
    RIFFLE_NOINLINE void sort_first(std::size_t first) noexcept {
        if (first >= size) return sort();
        partition(0, first, size);
        sort(0, first);
    }

    /// Keeps those for which `stays` holds, in their present order. O(size).
    template <class Predicate>
    void keep_if(Predicate stays) noexcept {
        std::size_t kept = 0;
        while (kept < size && stays(data[kept])) ++kept;
        for (std::size_t i = kept + 1; i < size; ++i) {  // without a branch: where half of them stay, nobody guesses it
            const token_data c = data[i];
            data[kept] = c;
            kept += stays(c);
        }
        size = kept;
        selected = -1;
    }

    /// Drops the illegal ones.
    RIFFLE_NOINLINE void keep_legal() noexcept {
        keep_if([](const token_data& c) { return c.logit > illegal_logit; });
    }

    /// Keeps the k first in rank among the legal, all when there are fewer; their order is open. O(size).
    RIFFLE_NOINLINE void keep_greatest(std::size_t k) noexcept {
        if (k > 0 && size > saturating::sum(saturating::product(k, 16), 4096)) drop_most(k);
        keep_legal();
        if (k >= size) return;
        partition(0, k, size);
        size = k;
    }

    /// Keeps the legal with logit >= cut, but at least the `least` first in rank. O(size).
    RIFFLE_NOINLINE void keep_above(float cut, std::size_t least) noexcept {
        const auto passes = [cut](const token_data& c) { return c.logit > illegal_logit && c.logit >= cut; };
        if (std::size_t(std::count_if(begin(), end(), passes)) < least) return keep_greatest(least);
        keep_if(passes);
    }

    /// Keeps the shortest prefix, in the order of ranks, whose Σ w exceeds `target`, but at least `least` candidates;
    /// all when no prefix exceeds it. Only legal ones count. Finds the end by halving, so that nothing but its
    /// surroundings is sorted: O(size) expected.
    void keep_nucleus(float maximum, std::uint64_t target, std::size_t least) noexcept {
        keep_legal();
        weigh(maximum);
        keep_weighed_nucleus(target, least);
    }
    /// keep_nucleus after keep_legal and weigh.
    RIFFLE_NOINLINE void keep_weighed_nucleus(std::uint64_t target, std::size_t least) noexcept {
        if (least >= size) return;  // no prefix is looked for where all stay
        if (size > tuning::nucleus_by_halving && least <= 1 && !sorted && keep_nucleus_in_order(target)) return;
        std::size_t low = 0, high = size;  // the end of the prefix lies in (low, high]
        std::uint64_t before = 0;          // Σ w of [0, low)
        while (high - low > 32) {
            const std::size_t middle = low + (high - low) / 2;
            partition(low, middle, high);
            std::uint64_t half = before;
            for (std::size_t i = low; i < middle; ++i) half += weight(i);
            if (half > target) {
                high = middle;
            } else {
                low = middle;
                before = half;
            }
        }
        sort(low, high);
        while (low < high && before <= target) before += weight(low++);
        if (low < least) return keep_greatest(least);
        size = low;
        selected = -1;
    }

    /// Chooses by inverse CDF: the first candidate, in ascending id whatever the order of the array, whose running
    /// Σ w exceeds `target`. Digits of the id are settled from the highest down, so nothing is moved or sorted:
    /// O(size · digits). Candidates of equal id are taken in the order of the array.
    void select_by_mass(float maximum, std::uint64_t target) noexcept {
        weigh(maximum);
        select_by_weight(target);
    }
    /// select_by_mass for candidates that weigh has been called on.
    RIFFLE_NOINLINE void select_by_weight(std::uint64_t target) noexcept {
        if (select_in_order(target)) return;
        constexpr int digit = 6;
        constexpr std::uint32_t radix = 1u << digit;
        std::uint32_t ids = 0;
        for (auto& c : *this) ids |= std::uint32_t(c.id);
        int shift = ((std::max)(31 - std::countl_zero(ids), 0)) / digit * digit;
        std::uint32_t prefix = 0;
        for (bool first = true; shift >= 0; shift -= digit, first = false) {
            std::uint64_t masses[radix] = {};
            for (std::size_t i = 0; i < size; ++i) {
                const auto id = std::uint32_t(data[i].id);
                if (first || id >> (shift + digit) == prefix) masses[id >> shift & (radix - 1)] += weight(i);
            }
            std::uint32_t bucket = 0;
            while (bucket + 1 < radix && target >= masses[bucket]) target -= masses[bucket++];
            prefix = first ? bucket : prefix << digit | bucket;
        }
        selected = -1;
        for (std::size_t i = 0; i < size && selected < 0; ++i) {
            if (std::uint32_t(data[i].id) != prefix) continue;
            if (target < weight(i)) selected = std::int64_t(i);
            target -= (std::min<std::uint64_t>)(target, weight(i));
        }
    }

    /// What weigh left in p.
    static std::uint32_t weight(const token_data& c) noexcept { return std::bit_cast<std::uint32_t>(c.p); }

private:
    /// Of [first, last): those that rank before the one at `middle` ahead of it, the others behind.
    RIFFLE_NOINLINE void partition(std::size_t first, std::size_t middle, std::size_t last) noexcept {
        if (!sorted) std::nth_element(data + first, data + middle, data + last, ranks_before);
    }
    RIFFLE_NOINLINE void sort(std::size_t first, std::size_t last) noexcept {
        if (!sorted) std::sort(data + first, data + last, ranks_before);
    }

    /// keep_weighed_nucleus of many, which stay in their order: sums of like weights show about where the prefix ends,
    /// and those thereabouts are put in rank by themselves. False where they are too many for that; nothing is done.
    bool keep_nucleus_in_order(std::uint64_t target) noexcept {
        constexpr int few_bits = 18;  // of a float's 23 that differ among weights taken for alike
        constexpr std::size_t kinds = (std::size_t{32} << (23 - few_bits)) + 1, most = tuning::end_of_nucleus;
        const auto kind_of = [](std::uint32_t w) {
            constexpr auto none = std::bit_cast<std::uint32_t>(1.0f) - (1u << few_bits);
            return w == 0 ? std::size_t{0} : std::size_t{(std::bit_cast<std::uint32_t>(float(w)) - none) >> few_bits};
        };
        std::uint64_t sums[kinds] = {};
        for (std::size_t i = 0; i < size; ++i) sums[kind_of(weight(i))] += weight(i);
        std::size_t end = kinds - 1;
        std::uint64_t before = 0;
        while (end > 0 && before + sums[end] <= target) before += sums[end--];
        selected = -1;
        if (end == 0) return true;  // no prefix exceeds the target
        token_data of_end[most];
        std::size_t count = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (kind_of(weight(i)) != end) continue;
            if (count == most) return false;
            of_end[count++] = data[i];
        }
        std::sort(of_end, of_end + count, ranks_before);
        std::size_t last = 0;  // the first that exceeds the target, which one of them does
        for (std::size_t i = 0; i < count && before <= target; ++i) before += weight(of_end[last = i]);
        keep_if([last = of_end[last]](const token_data& c) { return !ranks_before(last, c); });
        return true;
    }

    /// Drops most of those that are not among the k first in rank, 0 < k < size / 16, in one pass: what is left of
    /// those seen is cut down to its k best whenever it has grown, and whoever comes later must rank before the last of
    /// them.
    void drop_most(std::size_t k) noexcept {
        const std::size_t room = 2 * k + 1024;
        token_data last{(std::numeric_limits<token_id>::min)(), illegal_logit, 0.0f};
        std::size_t left = 0;
        for (std::size_t i = 0; i < size; ++i) {
            if (!ranks_before(data[i], last)) continue;
            data[left++] = data[i];
            if (left < room) continue;
            partition(0, k - 1, left);
            left = k;
            last = data[k - 1];
        }
        size = left;
    }

    /// select_by_weight for candidates that stand in ascending id, as they come from the row; false for others.
    bool select_in_order(std::uint64_t target) noexcept {
        for (std::size_t i = 1; i < size; ++i)
            if (data[i - 1].id >= data[i].id) return false;
        selected = -1;
        for (std::size_t i = 0; i < size && selected < 0; ++i) {
            if (target < weight(i)) selected = std::int64_t(i);
            target -= (std::min<std::uint64_t>)(target, weight(i));
        }
        return true;
    }

    using group = lanes<4>;

    /// Calls visit(first, count, logits) for the candidates, four at a time; `filler` stands for those missing in the
    /// last group. (The count is a constant in all groups but the last, or nothing here would unroll.)
    template <class Visit>
    RIFFLE_INLINE void in_groups(float filler, Visit visit) const noexcept {
        std::size_t i = 0;
        for (; i + 4 <= size; i += 4) {
            const float logits[4] = {data[i].logit, data[i + 1].logit, data[i + 2].logit, data[i + 3].logit};
            visit(i, std::size_t{4}, group::load(logits));
        }
        if (i == size) return;
        float logits[4] = {filler, filler, filler, filler};
        for (std::size_t j = i; j < size; ++j) logits[j - i] = data[j].logit;
        visit(i, size - i, group::load(logits));
    }
    /// Calls visit(i, weight) for every candidate; answers Σ weight.
    template <class Visit>
    std::uint64_t for_each_weight(float maximum, Visit visit) const noexcept {
        std::uint64_t total = 0;
        in_groups(maximum, [&](std::size_t first, std::size_t count, const group& logits) {
            const auto weights = fixed_mass(logits - group(maximum));
            for (std::size_t j = 0; j < count; ++j) {
                const auto w = std::uint32_t(weights[int(j)]);
                visit(first + j, w);
                total += w;
            }
        });
        return total;
    }
    std::uint32_t weight(std::size_t i) const noexcept { return weight(data[i]); }
};

}  // namespace riffle
