#pragma once
#include <array>
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/core/token_set.hpp>
#include <riffle/wide/preimage.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Exclude top choices: with the given probability, removes every token of probability >= threshold but the last of
/// them in rank, so that a less obvious one is taken where there is a choice. (p-e-w, text-generation-webui#6335.)
/// Nothing is removed where fewer than two reach the threshold, or fewer than min_keep would be left.
///
/// `probability` <= 0 = off, >= 1 always; `threshold` > 0.5 = off, since two tokens cannot reach it; threshold <= 0
/// keeps the least likely token only; NaN is an error in each. `seed` as in dist.
///
/// `exempt`: tokens that are never removed, though they count among those that reach the threshold: the newline, the
/// end of the text. None by default. (text-generation-webui leaves everything where a newline or an end would be
/// removed. llama.cpp 0.7.0 has no such thing, and numerics::llama only differs from it where some are named.)
///
/// Wide: only when it fires: max, softmax statistics, and the blocks that hold one of the at most 1 / threshold tokens,
/// which are edited. Narrow: O(candidates).
struct xtc {
    float probability = 0.5f;  ///< of removing any in a step; 0 or below is off, 1 or more is always
    float threshold = 0.1f;    ///< probability from which a token is a top choice; above 0.5 is off
    std::size_t min_keep = 0;  ///< nothing is removed where fewer would be left
    std::uint64_t seed = 0;    ///< of the draws; any
    token_set exempt{};        ///< tokens that are never removed, though they count as top choices

    static constexpr const char* name = "xtc";
    static constexpr std::uint8_t kind = stream_kind::xtc;
    static constexpr facts fact{
        .adjusts = true, .keeps_sorted = true, .draws = true, .softmax_parts = softmax_part::support};

    bool off() const noexcept { return !(probability > 0.0f) || !(threshold <= 0.5f); }
    bool adjusts_now(const draws& random) const noexcept {
        if (off()) return false;
        return probability >= 1.0f || random.bits() < share_of(probability, ~std::uint64_t{0});
    }

    /// log threshold
    std::array<float, 1> cut_parameters() const noexcept {
        return {flushed(threshold) > 0.0f ? log(lanes<1>(threshold))[0] : illegal_logit};
    }
    /// What reaches this logit is removed, but for the last in rank.
    template <class V>
    static RIFFLE_INLINE constexpr V cut(const softmax_values<V>& of_all,
                                         const std::array<V, 1>& log_threshold) noexcept {
        return of_all.logit_of(log_threshold[0]);
    }

    void apply(candidates& c, const draws& random) const noexcept {
        if (!adjusts_now(random)) return;
        const softmax_statistics of_all = softmax_of(c);
        if (of_all.mass == 0) return;
        const float cut = (std::max)(cut_of(of_all), -greatest_logit);
        top t;
        for (const auto& token : c)
            if (token.logit >= cut) add(t, token);
        if (!removes(t, of_all.legal)) return;
        c.keep_if([&](const token_data& token) { return !(token.logit >= cut) || stays(t, token.id); });
    }
    void adjust(detail::row& r, const float* block_maxima, const softmax_statistics& of_all) const noexcept {
        const float cut = wide::raw_cut((std::max)(cut_of(of_all), -greatest_logit));
        top t;
        each_from(r, block_maxima, cut, [&](std::size_t id) { add(t, {token_id(id), canonical(r.logit(id)), 0.0f}); });
        if (!removes(t, of_all.legal)) return;
        each_from(r, block_maxima, cut, [&](std::size_t id) {
            if (!stays(t, token_id(id))) r.edit(token_id(id), [](float) { return illegal_logit; });
        });
    }

    status(check)() const noexcept {
        if (probability != probability)
            return status::invalid(name, "probability", double(probability), "is not a number");
        if (threshold != threshold) return status::invalid(name, "threshold", double(threshold), "is not a number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "exempt", exempt);
    }

private:
    /// The tokens that reach the threshold: how many, how many of them are exempt, and the last in rank.
    struct top {
        std::size_t count = 0, exempt = 0;
        token_data last{};
    };
    void add(top& t, const token_data& token) const noexcept {
        if (t.count == 0 || ranks_before(t.last, token)) t.last = token;
        ++t.count;
        t.exempt += exempt.contains(token.id);
    }
    bool stays(const top& t, token_id id) const noexcept { return id == t.last.id || exempt.contains(id); }
    float cut_of(const softmax_statistics& of_all) const noexcept {
        return cut<lanes<1>>(of_all.values<softmax_part::none>(), {cut_parameters()[0]})[0];
    }
    bool removes(const top& t, std::uint64_t legal) const noexcept {
        if (t.count < 2) return false;
        const std::size_t kept = t.exempt + !exempt.contains(t.last.id);
        return legal - (t.count - kept) >= min_keep;
    }
    template <class Visit>
    static void each_from(const detail::row& r, const float* block_maxima, float cut, Visit visit) noexcept {
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            if (!(block_maxima[b] >= cut)) continue;
            for (std::size_t i = b * block_size; i < (b + 1) * block_size && i < r.size(); ++i)
                if (r.logit(i) >= cut) visit(i);
        }
    }
};

}  // namespace riffle
