#pragma once
#include <riffle/exact/dist_row.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/mersenne_twister.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/dist.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_dist: by inverse CDF in the order of the array, over weights that are not normalised, with a sum
/// in double. A single candidate costs a draw too. p of all is written.
template <>
struct form<dist> {
    struct state {
        explicit state(const dist& spec) noexcept : random(spec.seed) {}
        mersenne_twister random;
    };

    static status_code apply(const dist&, state& s, candidates& c, form_context&) noexcept {
        c.selected = c.empty() ? -1 : 0;
        if (c.empty()) return status_code::no_legal_token;
        if (c.size > 1) {
            draw(s, c);
            return status_code::ok;
        }
        s.random.canonical_double();
        c[0].p = 1.0f;
        return status_code::ok;
    }
    static row_answer apply_to_row(const dist&, state& s, full_row& r, candidates& found, const context&) noexcept {
        if (r.size() < 2 || !r.ordinary()) return row_answer::undecided;
        const std::uint32_t before = s.random.words();
        const row_draw drawn = draw_from_row(r, s.random.canonical_double());
        if (drawn.token < 0) {
            s.random.seek(before);
            return row_answer::undecided;
        }
        found.data[0] = {drawn.token, r.logits().logit(std::size_t(drawn.token)), drawn.share};
        found.size = 1;
        found.selected = 0;
        return row_answer::narrowed;
    }
    static void reset(const dist& spec, state& s) noexcept { s = state(spec); }

    struct mark {
        std::uint32_t words;
    };
    static mark save(const state& s) noexcept { return {s.random.words()}; }
    static void restore(const dist&, state& s, const mark& m) noexcept { s.random.seek(m.words); }

private:
    static void draw(state& s, candidates& c) noexcept {
        const float maximum = maximum_of(c);
        double sum = 0.0;
        exponentiate(
            c, maximum,
            [&](const float* e) noexcept {
                for (std::size_t i = 0; i < block_size; ++i) sum += double(e[i]);
            },
            [&](float p) noexcept { sum += double(p); });
        const double target = times(sum, s.random.canonical_double());
        double running = 0.0;
        bool found = false;
        for (std::size_t i = 0; i < c.size; ++i) {
            const double weight = double(c[i].p);
            if (!found) {
                running += weight;
                found = running >= target;
                if (found) c.selected = std::int64_t(i);
            }
            c[i].p = float(weight / sum);
        }
        if (!found) c.selected = std::int64_t(c.size) - 1;  // among NaN
    }
};

}  // namespace riffle::exact
