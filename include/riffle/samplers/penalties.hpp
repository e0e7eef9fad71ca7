#pragma once
#include <cstdint>

#include <riffle/core/by_token.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/token_set.hpp>
#include <riffle/math/elementwise.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Penalises tokens that occur among the last `last_n` accepted ones (prompt included). A positive logit is multiplied
/// by 1 / repeat, any other by repeat (Keskar et al. 2019, arXiv 1909.05858, made sign-aware as llama.cpp does); then
/// count * frequency + presence is subtracted.
///
/// `last_n` = 0 = off, -1 = everything accepted since the last reset; repeat > 0, finite and no denormal, 1 = none;
/// frequency and presence finite, 0 = none, negative values encourage; a penalty beyond the floats bans.
///
/// `exempt`: tokens that are never penalised, however often they occur: the newline, the end of the text. None by
/// default. (koboldcpp's and text-generation-webui's users ask for it; llama.cpp 0.7.0 has no such thing, and
/// numerics::llama only differs from it where some are named.)
///
/// Cost: O(last_n) a step, whatever the vocabulary; wide it keeps changed logits beside the row, and copies a block
/// only where more than 16 of its own change, or of the row more than 255 or half its blocks (core/row.hpp).
struct penalties {
    std::int32_t last_n = 64;  ///< tokens looked back at, prompt included; 0 is off, -1 is all
    float repeat = 1.0f;       ///< divides positive logits, multiplies others; positive, 1 is off
    float frequency = 0.0f;    ///< subtracted once for each time the token was there; 0 is off, below 0 encourages
    float presence = 0.0f;     ///< subtracted if the token was there; 0 is off, below 0 encourages
    token_set exempt{};        ///< tokens that are never penalised

    static constexpr const char* name = "penalties";
    static constexpr facts fact{.edits = true};

    bool off() const noexcept { return last_n == 0 || (repeat == 1.0f && frequency == 0.0f && presence == 0.0f); }
    /// See chain/superset_facts.hpp.
    bool keeps_below() const noexcept { return repeat >= 1.0f && frequency >= 0.0f && presence >= 0.0f; }
    /// How many tokens it looks back; -1 = all.
    std::int32_t window() const noexcept { return off() ? 0 : last_n; }

    /// How often the tokens occur that are penalised.
    token_counts counts(const context& x) const noexcept {
        return exempt.empty() ? x.count_recent(last_n) : x.count_recent(last_n, exempt);
    }
    /// What becomes of a token that occurs `count` times.
    logit_edit penalty(std::int32_t count) const noexcept {
        const float inverse = flushed(1.0f / repeat);  // finite, since repeat is no denormal
        const lanes<1> counted = lanes<1>(float(count)) * lanes<1>(flushed(frequency));
        const lanes<1> taken = counted + lanes<1>(flushed(presence));
        return {.if_not_positive = repeat, .if_positive = inverse, .taken = flushed(taken[0])};
    }
    template <class Logits>
    void change(Logits& of, const context& x) const noexcept {
        if (off()) return;
        change_counted(of, counts(x), [this](std::int32_t count) { return penalty(count); });
    }

    status(check)() const noexcept {
        if (last_n < -1) return status::invalid(name, "last_n", double(last_n), "is below -1");
        if (!(flushed(repeat) > 0.0f) || repeat > greatest_logit)
            return status::invalid(name, "repeat", double(repeat), "is not a positive number");
        if (!(absolute(lanes<1>(frequency))[0] <= greatest_logit))
            return status::invalid(name, "frequency", double(frequency), "is not a finite number");
        if (!(absolute(lanes<1>(presence))[0] <= greatest_logit))
            return status::invalid(name, "presence", double(presence), "is not a finite number");
        return {};
    }
    template <class Check>
    status check_at_setup(const Check& known) const noexcept {
        return known(name, "exempt", exempt);
    }
};

}  // namespace riffle
