#pragma once
#include <algorithm>

#include <riffle/core/tuning.hpp>
#include <riffle/exact/float_sums.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/exact/sorted_row.hpp>
#include <riffle/exact/top_k.hpp>
#include <riffle/samplers/top_p.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_top_p: the shortest sorted prefix whose p sum to at least p, in floats; p stays what it was over
/// all. Of more than 1024 candidates only 256 are sorted, and all when those do not reach.
template <>
struct form<top_p> {
    static status_code apply(const top_p& spec, candidates& c, form_context& x) noexcept {
        if (spec.p >= 1.0f) return status_code::ok;
        if (const auto failure = softmax(c); failure != status_code::ok) return failure;
        if (!c.sorted && c.size > 1024) return keep_of_many(spec, c, x.memory);
        if (const auto failure = sort_all(c, x.memory); failure != status_code::ok) return failure;
        prefix found;
        found.walk(spec, c.data, c.size);
        if (found.complete) c.size = found.size;
        return status_code::ok;
    }

    static row_answer apply_to_row(const top_p& spec, full_row& r, candidates& found, const context& x) noexcept {
        if (spec.p >= 1.0f) return row_answer::stays;
        if (r.size() <= 1024 || !sorted_row::serves(r, few)) return row_answer::undecided;
        const float maximum = r.maximum(), sum = sum_of_row(r, maximum);
        prefix reached;
        if (form<top_k>::keep_by_buckets(few, r, found, x)) {
            for (auto& token : found) token.p = libm::exp(token.logit - maximum) / sum;
            reached.walk(spec, found.data, found.size);
        }
        if (!reached.complete && !sort_row(spec, r, sum, found.data, x, reached)) return row_answer::undecided;
        found.size = reached.size;
        found.sorted = true;
        return row_answer::narrowed;
    }

private:
    static constexpr std::size_t few = tuning::first_of_exact_top_p;

    /// llama.cpp's sum of exp over all tokens, in floats.
    static float sum_of_row(full_row& r, float maximum) noexcept {
        float sum = 0.0f;
        for (std::size_t b = 0; b < r.logits().blocks(); ++b) {
            if (!(r.block_maxima()[b] - maximum > -104.0f)) continue;
            const float greatest = 1.001f * libm::exp(r.block_maxima()[b] - maximum);
            if (greatest < sum * 0x1p-26f) continue;  // each is less than half a unit of the sum
            sum = add_exp_block(sum, r.logits().block(b), maximum, greatest);
        }
        return sum;
    }

    /// The prefix as far as it is known.
    struct prefix {
        std::size_t size = 0;
        float mass = 0.0f;
        bool complete = false;

        /// On to the end of the prefix, or of the `count` tokens that are sorted.
        void walk(const top_p& spec, const token_data* sorted, std::size_t count) noexcept {
            while (!complete && size < count) {
                mass += sorted[size++].p;
                complete = mass >= spec.p && size >= spec.min_keep;
            }
        }
    };

    /// On from where the few greatest do not reach; false without memory. Where those were not looked for (their way of
    /// sorting is not the one of all) they must be, from the whole row.
    static bool sort_row(const top_p& spec, full_row& r, float sum, token_data* tokens, const context& x,
                         prefix& reached) noexcept {
        for (const std::size_t count : {few, r.size()}) {
            if (reached.complete || reached.size >= count) continue;
            sorted_row sorted(r, count, tokens, x);
            if (!sorted.exists()) return false;
            while (!reached.complete && !sorted.complete()) {
                sorted.extend(sum);
                reached.walk(spec, tokens, sorted.size());
            }
        }
        return true;
    }

    static status_code keep_of_many(const top_p& spec, candidates& c, workspace& memory) noexcept {
        const auto room = sorting_room::of(memory, c.size);
        if (!room.order) return status_code::out_of_memory;
        prefix found;
        for (const std::size_t count : {few, c.size}) {
            if (found.complete) break;
            const auto goes_on = [&](const token_data* sorted, std::size_t n) noexcept {
                found.walk(spec, sorted, n);
                return !found.complete;
            };
            if (const auto failure = bucket_sort(c, count, room, goes_on); failure != status_code::ok) return failure;
        }
        std::copy(room.sorted, room.sorted + found.size, c.data);
        c.size = found.size;
        c.sorted = true;
        return status_code::ok;
    }
};

}  // namespace riffle::exact
