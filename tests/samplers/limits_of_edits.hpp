#pragma once
// Stages that change the logits of a few tokens.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "reference/agreement.hpp"
#include "reference/variants.hpp"
#include "samplers/limits.hpp"

namespace riffle_tests {

/// The biases that a table tries.
struct odd_biases {
    float nan = std::numeric_limits<float>::quiet_NaN(), denormal = std::numeric_limits<float>::denorm_min();
    float lowest = std::numeric_limits<float>::lowest(), greatest = std::numeric_limits<float>::max();
};

template <>
inline limit_table limits<riffle::logit_bias>() {
    using riffle::logit_bias;
    const auto [nan, denormal, lowest, greatest] = odd_biases();
    return limits_of(logit_bias{})
        .values("bias", &logit_bias::biases,
                {{{}, off()},
                 {{{0, nan}}, refused("is not a number")},
                 {{{0, 1.0f}, {-1, -nan}}, refused("is not a number")},
                 {{{0, 0.0f}, {3, -0.0f}, {1, denormal}, {2, -denormal}}, off()},
                 {{{-1, 5.0f}, {2147483647, 5.0f}, {-2147483647 - 1, 5.0f}}, off()},
                 {{{0, lowest}, {1, greatest}, {2, infinity}, {3, -infinity}}},
                 {{{0, greatest}, {0, greatest}, {1, lowest}, {1, lowest}, {2, -infinity}, {2, infinity}}}});
}
template <>
inline limit_table limits<riffle::penalties>() {
    using riffle::penalties;
    const penalties base{.last_n = 4, .repeat = 1.3f, .frequency = 0.2f, .presence = 0.1f};
    penalties of_all = base;
    of_all.last_n = -1;
    const auto positive = [](float repeat) {
        return repeat > 0.0f && !is_zero(repeat) && is_finite(repeat) ? usual() : refused("is not a positive number");
    };
    const auto finite = [](float value) { return is_finite(value) ? usual() : refused("is not a finite number"); };
    const auto all = std::int32_t(short_prompt.size());
    return limits_of(base)
        .parameter("last_n", &penalties::last_n, {4, all},
                   [=](std::int32_t last_n) {
                       if (last_n < -1) return refused("is below -1");
                       return last_n == 0 ? off() : last_n == -1 || last_n >= all ? counts_as(of_all) : usual();
                   })
        .parameter("repeat", &penalties::repeat, {1.0f}, positive)
        .parameter("frequency", &penalties::frequency, {}, finite)
        .parameter("presence", &penalties::presence, {}, finite)
        .values("exempt", &penalties::exempt, {{{}}, {{-1, 2147483647}}, {ids_between(0, 300, 1), off()}});
}
template <>
inline limit_table limits<riffle::dry>() {
    using riffle::dry, riffle::token_sequences;
    const dry base{.multiplier = 0.8f, .base = 1.75f, .allowed_length = 1, .last_n = 6};
    dry of_all = base, of_any_length = base;
    of_all.last_n = -1;
    of_any_length.allowed_length = -5;
    const auto all = std::int32_t(short_prompt.size());
    return limits_of(base)
        .parameter("multiplier", &dry::multiplier, {},
                   [](float multiplier) {
                       if (!is_finite(multiplier)) return refused("is not a finite number");
                       return is_zero(multiplier) ? off() : usual();
                   })
        .parameter("base", &dry::base, {1.0f},
                   [](float power) {
                       if (!is_finite(power)) return refused("is not a finite number");
                       return power < 1.0f ? off() : usual();
                   })
        .parameter("allowed_length", &dry::allowed_length, {2, all},
                   [=](std::int32_t length) { return length >= all ? off() : usual(); })
        .parameter("last_n", &dry::last_n, {all},
                   [=](std::int32_t last_n) {
                       if (last_n < -1) return refused("is below -1");
                       return last_n == 0 ? off() : last_n == -1 || last_n >= all ? counts_as(of_all) : usual();
                   })
        .values("breakers", &dry::breakers,
                {{{}}, {{{}}}, {{{-1}, {2147483647}}}, {{{1}}, off()}, {{{1}, {1, 1}, {1, 1, 1}}, off()}});
}
template <>
inline limit_table limits<riffle::no_repeat_ngram>() {
    using riffle::no_repeat_ngram;
    const auto all = std::int32_t(short_prompt.size());
    return limits_of(no_repeat_ngram{.n = 2})
        .parameter("n", &no_repeat_ngram::n, {1, all},
                   [=](std::int32_t n) { return n <= 0 || n > all ? off() : usual(); })
        .parameter("last_n", &no_repeat_ngram::last_n, {2, all}, [=](std::int32_t last_n) {
            if (last_n < -1) return refused("is below -1");
            if (last_n == 0 || last_n == 1) return off();  // fewer than n
            return last_n == -1 || last_n >= all ? counts_as(no_repeat_ngram{.n = 2}) : usual();
        });
}
template <>
inline limit_table limits<riffle::banned_sequences>() {
    using riffle::banned_sequences;
    const auto [nan, denormal, lowest, greatest] = odd_biases();
    return limits_of(banned_sequences{})
        .values("bias", &banned_sequences::sequences,
                {{{}, off()},
                 {{{{}, -infinity}}, off()},
                 {{{{2}, nan}}, refused("is not a number")},
                 {{{{}, -nan}}, refused("is not a number")},
                 {{{{0}, 0.0f}, {{1}, -0.0f}, {{2}, denormal}, {{3}, -denormal}}, off()},
                 {{{{-1}, 5.0f}, {{2147483647}, 5.0f}, {{-1, 0}, 5.0f}}, off()},
                 {{{{0}, lowest}, {{1}, greatest}, {{2}, infinity}, {{1, 3}, -infinity}}},
                 {{{{0}, greatest}, {{1, 0}, greatest}, {{1}, lowest}, {{1, 1}, lowest}}},
                 {{{std::vector<riffle::token_id>(100000, 1)}}, off()}});
}
template <>
inline limit_table limits<riffle::min_tokens>() {
    using riffle::min_tokens;
    return limits_of(min_tokens{.count = 1, .ends = {0, 4}})
        .parameter("count", &min_tokens::count, {2}, [](std::int32_t count) { return count <= 0 ? off() : usual(); })
        .values("ends", &min_tokens::ends, {{{}, off()}, {{-1, 2147483647}, off()}, {ids_between(0, 300, 1)}});
}
template <>
inline limit_table limits<riffle::length_penalty>() {
    using riffle::length_penalty;
    return limits_of(length_penalty{.start = -1, .factor = 1.5f, .ends = {0, 4}})
        .parameter("start", &length_penalty::start, {2},
                   [](std::int32_t start) { return start >= 0 ? off() : usual(); })  // nothing is generated yet
        .parameter("factor", &length_penalty::factor, {1.0f},
                   [](float factor) {
                       if (!(factor > 0.0f) || is_zero(factor) || !is_finite(factor))
                           return refused("is not a positive number");
                       return factor == 1.0f ? off() : usual();
                   })
        .values("ends", &length_penalty::ends, {{{}, off()}, {{-1, 2147483647}, off()}, {ids_between(0, 300, 1)}});
}
template <>
inline limit_table limits<riffle::encoder_repetition>() {
    using riffle::encoder_repetition;
    return limits_of(encoder_repetition{.penalty = 1.5f, .tokens = {0, 2, 4}})
        .parameter("penalty", &encoder_repetition::penalty, {1.0f},
                   [](float penalty) {
                       if (!(penalty > 0.0f) || is_zero(penalty) || !is_finite(penalty))
                           return refused("is not a positive number");
                       return penalty == 1.0f ? off() : usual();
                   })
        .values("tokens", &encoder_repetition::tokens,
                {{{}, off()}, {{-1, 2147483647}, off()}, {ids_between(0, 300, 1)}});
}
template <>
inline limit_table limits<riffle::phrase_ban>() {
    using riffle::phrase_ban;
    static const riffle::vocabulary two = letters(300, "ab", [](std::int32_t) { return riffle::token_role::text; });
    const phrase_ban of_no_text = reference::ban_phrases(two, {"c"});  // a phrase that these tokens cannot write
    return limits_of(of_no_text)
        .values("vocab", &phrase_ban::vocab, {{nullptr, refused("is no vocabulary"), 0.0}, {&two, off()}})
        .values("phrases", &phrase_ban::phrases, {{{}, off()}, {{""}, off()}, {{"c"}, off()}});
}

}  // namespace riffle_tests
