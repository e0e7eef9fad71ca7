#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/exact/discrete.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/exact/sorted_row.hpp>
#include <riffle/samplers/mirostat.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// What both mirostats keep: a generator, and how surprising a token may be, which starts at 2 tau and moves with every
/// draw (in apply, so a token that is not accepted moves it too).
struct mirostat_state {
    mirostat_state(std::uint64_t seed, float tau) noexcept : random(seed), mu(times(2.0f, tau)) {}
    mersenne_twister random;
    float mu;

    /// Draws by p, or has drawn `taken`, and moves mu towards tau.
    void choose(candidates& c, float tau, float eta, token_id taken = null_token) noexcept {
        c.selected = drawn_by_p(c, random, taken);
        mu -= times(eta, -(libm::log2)(c[std::size_t(c.selected)].p) - tau);
    }

    struct mark {
        std::uint32_t words;
        float mu;
    };
    mark save() const noexcept { return {random.words(), without_sign_of_nan(mu)}; }
    void restore(const mark& m) noexcept {
        random.seek(m.words);
        mu = m.mu;
    }
};

/// llama_sampler_init_mirostat: top-k with the k that the Zipf exponent of the m likeliest tokens asks for, then a
/// draw. What is not a count (NaN, inf, too large) keeps one token.
template <>
struct form<mirostat> {
    struct state : mirostat_state {
        explicit state(const mirostat& spec) noexcept : mirostat_state(spec.seed, spec.tau) {}
    };

    static status_code apply(const mirostat& spec, state& s, candidates& c, form_context& x) noexcept {
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        draw_among(kept(spec, s.mu, c), spec, s, c, x.past);
        return status_code::ok;
    }
    static row_answer apply_to_row(const mirostat& spec, state& s, full_row& r, candidates& found,
                                   const context& x) noexcept {
        if (!sorted_row::serves(r, r.size())) return row_answer::undecided;
        sorted_row sorted(r, r.size(), found.data, x);
        if (!sorted.exists()) return row_answer::undecided;
        const std::size_t likeliest = (std::min)(pairs_of(spec), r.size() - 1) + 1;
        while (sorted.size() < likeliest) sorted.extend();
        const float sum = sorted.sum_of_all();
        found.size = likeliest;
        for (auto& token : found) token.p /= sum;
        const std::size_t count = kept(spec, s.mu, found);
        while (sorted.size() < (std::min)(count, r.size())) sorted.extend();
        found.size = sorted.size();
        found.sorted = true;
        draw_among(count, spec, s, found, x);
        return row_answer::narrowed;
    }
    static void reset(const mirostat& spec, state& s) noexcept { s = state(spec); }
    /// Any m and n_vocab: what then is no count keeps one token.
    static status(check)(const mirostat& spec) noexcept {
        return surprise_control::check_target(mirostat::name, spec.tau, spec.eta);
    }

    using mark = mirostat_state::mark;
    static mark save(const state& s) noexcept { return s.save(); }
    static void restore(const mirostat&, state& s, const mark& m) noexcept { s.restore(m); }

private:
    /// Neighbours to look at, if there are so many; m < 1: all.
    static std::size_t pairs_of(const mirostat& spec) noexcept { return std::size_t(std::int64_t{spec.m} - 1); }
    /// How many of the likeliest to keep, at least one. Where llama.cpp divides by 0 on the way, at which a host may
    /// trap, the answer is one without computing it: llama.cpp comes to no number there, or to 1.
    static std::size_t kept(const mirostat& spec, float mu, const candidates& c) noexcept {
        float products = 0.0f, squares = 0.0f;
        for (std::size_t i = 0; i < pairs_of(spec) && i + 1 < c.size; ++i) {
            if (c[i + 1].p == 0.0f) return 1;
            const float t = libm::log(float(i + 2) / float(i + 1)), b = libm::log(c[i].p / c[i + 1].p);
            products += times(t, b);
            squares += times(t, t);
        }
        if (squares == 0.0f || products == 0.0f) return 1;
        const float exponent = products / squares, excess = exponent - 1.0f;
        const float divisor = 1.0f - libm::pow(float(spec.n_vocab), -excess);
        if (exponent == 0.0f || divisor == 0.0f) return 1;
        const float numerator = times(excess, libm::pow(2.0f, mu));
        const std::int32_t count = to_int(libm::pow(numerator / divisor, 1.0f / exponent));
        return std::size_t(count > 1 ? count : 1);
    }
    static void draw_among(std::size_t kept, const mirostat& spec, state& s, candidates& c,
                           const context& x) noexcept {
        if (kept < c.size) c.size = kept;
        softmax(c);
        s.choose(c, spec.tau, spec.eta, x.taken());
    }
};

}  // namespace riffle::exact
