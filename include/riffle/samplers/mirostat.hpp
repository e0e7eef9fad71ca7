#pragma once
#include <cstdint>

#include <riffle/core/last_choice.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/samplers/parts/surprise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Mirostat 1.0: estimates the exponent s of Zipf's law from the m likeliest tokens, and from it the k for which the
/// expected surprise is mu bits; keeps the k greatest and draws from them as dist does. mu starts at 2 · tau and
/// follows the surprise of what is accepted, as in mirostat_v2. (Basu et al. 2020, arXiv 2007.14966, algorithm 1.) A
/// selector.
///
/// `tau`, `eta`, `seed` as in mirostat_v2; `m` >= 2 tokens to estimate from, usual 100; `n_vocab` >= 1, the size of the
/// vocabulary, which the formula needs: it must be given. Equally likely tokens have s = 0, where the formula has no
/// value: the limit is taken, all tokens for a mu over log2(n_vocab - 1) and one under it. A mu so low that k is below
/// 1 keeps the best, and one so great that k is beyond 1e9 all.
///
/// Wide: max, softmax statistics, and the blocks that can hold one of the m, then of the k, greatest. Sorts m tokens,
/// never more.
struct mirostat {
    float tau = 5.0f;          ///< surprise aimed at, in bits; usual 3 to 8, within ±1e6
    float eta = 0.1f;          ///< how fast mu follows; usual 0.1, within ±1e6
    std::int32_t m = 100;      ///< likeliest tokens that tell the exponent of Zipf's law; 2 or more
    std::int32_t n_vocab = 0;  ///< tokens of the vocabulary; must be given
    std::uint64_t seed = 0;    ///< of the draws; any

    static constexpr const char* name = "mirostat";
    static constexpr std::uint8_t kind = stream_kind::mirostat;
    static constexpr facts fact{.draws = true,
                                .narrows = narrowing::head,
                                .selects = selecting::by_mass,
                                .softmax_parts = softmax_part::support};

    using state = surprise_control;

    bool narrows_now() const noexcept { return true; }
    /// How many it looks at.
    std::size_t rank() const noexcept { return std::size_t(m); }
    /// How many it keeps, given at least the m first in rank: k = (e · 2^mu / (1 - n^-e))^(1/s), e = s - 1.
    std::size_t rank(const softmax_statistics& of_all, candidates& head, const state& kept) const noexcept {
        const float s = (std::max)(exponent(head), 1e-6f);
        const lanes<1> e = lanes<1>(s) - lanes<1>(1.0f);
        const lanes<1> log_n = log(lanes<1>(float(n_vocab)));
        const lanes<1> log_mu = lanes<1>(kept.mu(tau)) * lanes<1>(0.693147181f);
        // log(e / (1 - n^-e)); near e = 0 that is log(1 / log n)
        const lanes<1> decay = exp(-(e * log_n));
        const lanes<1> rest = absolute(lanes<1>(1.0f) - decay);
        const bool at_one = absolute(e * log_n)[0] < 1e-3f;
        const lanes<1> ratio = at_one ? -log(log_n) : log(absolute(e)) - log(rest);
        const float log_k = (log_mu + ratio)[0] / s;
        if (!(log_k < 21.0f)) return std::size_t(of_all.legal);  // more than a token id can count
        const float k = exp(lanes<1>(log_k))[0];
        return k > 1.0f ? std::size_t(k) : 1;
    }

    void prepare(candidates& c, const state& kept) const noexcept {
        const softmax_statistics of_all = softmax_of(c);
        c.keep_legal();
        if (of_all.mass == 0) return;
        c.keep_greatest(rank(of_all, c, kept));
    }
    void choose(candidates& c, const draws& random, const state&) const noexcept { draw_with_probability(c, random); }
    step accept(state& kept, token_id token, const last_choice* last) const noexcept {
        return kept.accept(name, token, last, tau, eta);
    }

    status(check)() const noexcept {
        if (m < 2) return status::invalid(name, "m", double(m), "is below 2");
        if (n_vocab < 1) return status::invalid(name, "n_vocab", double(n_vocab), "is not the size of a vocabulary");
        return surprise_control::check_target(name, tau, eta);
    }

private:
    /// The exponent of Zipf's law, by least squares over the m first in rank, which it puts in order: how much less
    /// likely each is than the one before, against the ratio of their ranks.
    float exponent(candidates& c) const noexcept {
        const std::size_t first = (std::min)(rank(), c.size);
        c.sort_first(first);
        lanes<1> products(0.0f), squares(0.0f);
        lanes<1> log_rank(0.0f);
        for (std::size_t i = 0; i + 1 < first; ++i) {
            const lanes<1> next = log(lanes<1>(float(i + 2)));
            const lanes<1> t = next - log_rank;
            const lanes<1> fall = lesser_of(lanes<1>(c[i].logit) - lanes<1>(c[i + 1].logit), lanes<1>(1e6f));
            products = products + t * fall;
            squares = squares + t * t;
            log_rank = next;
        }
        return first < 2 ? 0.0f : products[0] / squares[0];
    }
};

}  // namespace riffle
