#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/samplers/dry.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_dry ("don't repeat yourself", p-e-w, text-generation-webui #5677): a token that would prolong a
/// repetition of what was just said is penalised by multiplier * base^(length - allowed_length). Repetitions reach back
/// to the last breaker at most. last_n < 0 is off.
///
/// The repetitions are those that riffle's own form finds. (llama.cpp keeps lengths cut at the breaker and compares
/// those where the Z-algorithm wants uncut ones, but what comes out is the lesser of length and reach all the same: a
/// cut length is copied only where the uncut one reaches as far.)
template <>
struct form<dry> {
    static status_code apply(const dry& spec, candidates& c, form_context& x) noexcept {
        token_counts repeats;
        if (!find(spec, x.past, repeats)) return status_code::ok;
        repeats.settle();
        const std::int32_t greatest = greatest_exponent(spec);
        for (auto& token : c)
            if (const std::int32_t found = repeats.count(token.id))
                token.logit = penalised(spec, token.logit, found - 1, greatest);
        c.sorted = false;
        return status_code::ok;
    }
    static row_answer apply_to_row(const dry& spec, full_row& r, candidates&, const context& x) noexcept {
        token_counts repeats;
        if (!find(spec, x, repeats)) return row_answer::stays;
        const std::int32_t greatest = greatest_exponent(spec);
        repeats.each([&](token_id token, std::int32_t found) {
            if (float* const logit = r.at(token)) *logit = penalised(spec, *logit, found - 1, greatest);
        });
        return row_answer::stays;
    }

    /// last_n below 0 is off.
    static status(check)(const dry& spec) noexcept { return spec.check_strength(); }

private:
    /// Of each token, one more than the longest repetition that it would prolong. False where the sampler returns
    /// before it looks at its candidates.
    static bool find(const dry& spec, const context& x, token_counts& repeats) noexcept {
        if (spec.multiplier == 0.0f || spec.base < 1.0f || spec.last_n <= 0) return false;
        const std::size_t size = x.tokens_in_window(spec.last_n);
        if (std::int64_t(size) <= spec.allowed_length) return false;
        const std::size_t reach = spec.since_breaker(x, size);
        if (std::int64_t(reach) < spec.allowed_length) return false;
        repeats = x.empty_counts(size);
        spec.find_repeats(x, size, reach, repeats);
        return true;
    }

    /// From here on base^exponent is no float: log(FLT_MAX), as llama.cpp has it.
    static std::int32_t greatest_exponent(const dry& spec) noexcept {
        return spec.base > 1.000001f ? to_int(88.7228391f / libm::log(spec.base)) : 0;
    }
    static float penalised(const dry& spec, float logit, std::int32_t length, std::int32_t greatest) noexcept {
        auto exponent = std::int32_t(std::uint32_t(length) - std::uint32_t(spec.allowed_length));
        if (greatest > 0 && exponent > greatest) exponent = greatest;
        const double power = libm::pow(double(spec.base), double(exponent));
        return logit - float(times(double(spec.multiplier), power));
    }
};

}  // namespace riffle::exact
