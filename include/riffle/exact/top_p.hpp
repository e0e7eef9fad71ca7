#pragma once
#include <algorithm>

#include <riffle/core/llama_form.hpp>
#include <riffle/exact/float_sums.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/exact/top_k.hpp>
#include <riffle/samplers/top_p.hpp>
#include <riffle/wide/llama_row.hpp>

namespace riffle::exact {

/// llama_sampler_init_top_p: the shortest sorted prefix whose p sum to at least p, in floats; p stays what it was over
/// all. Of more than 1024 candidates only 256 are sorted, and all when those do not reach.
template <>
struct form<top_p> {
    static status_code apply(const top_p& spec, candidates& c, surroundings& x) noexcept {
        if (spec.p >= 1.0f) return status_code::ok;
        if (const auto failure = softmax(c); failure != status_code::ok) return failure;
        if (!c.sorted && c.size > 1024) return keep_of_many(spec, c, x.memory);
        if (const auto failure = sort_all(c, x.memory); failure != status_code::ok) return failure;
        prefix found;
        found.walk(spec, c.data, c.size);
        if (found.complete) c.size = found.size;
        return status_code::ok;
    }

    static row_answer apply_to_row(const top_p& spec, wide::llama_row& r, candidates& found,
                                   const context& x) noexcept {
        if (spec.p >= 1.0f) return row_answer::stays;
        if (r.size() <= 1024 || !r.ordinary() || !(r.maximum() < 1e8f)) return row_answer::undecided;
        const std::size_t most = 256;  // more are sorted only where these do not reach
        if (!form<top_k>::keep_by_buckets(most, r, found, x)) return row_answer::undecided;
        const float maximum = r.maximum(), sum = sum_of_row(r, maximum);
        for (auto& token : found) token.p = libm::exp(token.logit - maximum) / sum;
        prefix reached;
        reached.walk(spec, found.data, found.size);
        if (!reached.complete) return row_answer::undecided;
        found.size = reached.size;
        found.sorted = true;
        return row_answer::narrowed;
    }

private:
    /// The peer's sum of exp over all tokens, in floats.
    static float sum_of_row(wide::llama_row& r, float maximum) noexcept {
        float sum = 0.0f;
        for (std::size_t b = 0; b < r.logits().blocks(); ++b) {
            if (!(r.peaks()[b] - maximum > -104.0f)) continue;
            const float greatest = 1.001f * libm::exp(r.peaks()[b] - maximum);
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

    static status_code keep_of_many(const top_p& spec, candidates& c, workspace& memory) noexcept {
        auto* const sorted = memory.room<token_data>(c.size);
        if (!sorted) return status_code::out_of_memory;
        prefix found;
        for (const std::size_t count : {std::size_t{256}, c.size}) {
            if (found.complete) break;
            if (const auto failure = bucket_sort(c, count, sorted); failure != status_code::ok) return failure;
            found.walk(spec, sorted, count);
        }
        std::copy(sorted, sorted + found.size, c.data);
        c.size = found.size;
        c.sorted = true;
        return status_code::ok;
    }
};

}  // namespace riffle::exact
