#pragma once
// Stages that change the logits of a few tokens: sets of tokens, and what follows from those accepted before.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"

namespace riffle_tests::reference {

inline void ban(std::vector<candidate>& c, std::int32_t token) {
    for (candidate& one : c)
        if (one.id == token) one.logit = minus_infinity;
}

/// Whether `part` stands in `whole` with its first token at `at`.
inline bool stands_at(const std::vector<std::int32_t>& part, const std::vector<std::int32_t>& whole, std::size_t at) {
    return at + part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin() + std::ptrdiff_t(at));
}

inline void apply(const riffle::dry& s, state_between& b, const situation& x) {
    if (s.last_n == 0 || parameter(s.multiplier) == 0.0f || !(s.base >= 1.0f)) return;
    const std::vector<std::int32_t> text = x.window(s.last_n);
    const auto size = std::int64_t(text.size());
    const std::vector<std::vector<std::int32_t>> breakers(s.breakers.begin(), s.breakers.end());

    // Of the breaker that begins last, and the longest of those that begin there: what stands behind it.
    std::int64_t behind_breaker = size;
    for (std::int64_t at = size - 1; at >= 0 && behind_breaker == size; --at) {
        std::int64_t longest = 0;
        for (const auto& breaker : breakers)
            if (stands_at(breaker, text, std::size_t(at))) longest = std::max(longest, std::int64_t(breaker.size()));
        if (longest > 0) behind_breaker = size - at - longest;
    }

    std::map<std::int32_t, std::int64_t> repeated;  // by token, the longest passage that it would repeat
    for (std::int64_t at = 1; at < size; ++at) {    // text[at] followed a passage that ended at `at`
        std::int64_t length = 0;
        while (length < at && text[std::size_t(at - 1 - length)] == text[std::size_t(size - 1 - length)]) ++length;
        length = std::min(length, behind_breaker);
        if (length < s.allowed_length) continue;
        const std::int32_t token = text[std::size_t(at)];
        bool breaks_alone = false;
        for (const auto& breaker : breakers) breaks_alone |= breaker == std::vector<std::int32_t>{token};
        if (breaks_alone) continue;
        const auto known = repeated.find(token);
        if (known == repeated.end() || known->second < length) repeated[token] = length;
    }
    for (candidate& c : b.left) {
        const auto found = repeated.find(c.id);
        if (found == repeated.end()) continue;
        const double power = limited_power(double(s.base), found->second - s.allowed_length);
        const double penalty = std::min(std::max(double(s.multiplier) * power, -3e38), 3e38);
        c.logit = canonical(rounded(c.logit - float(penalty)));
    }
}

inline void apply(const riffle::no_repeat_ngram& s, state_between& b, const situation& x) {
    if (s.n <= 0) return;
    const std::vector<std::int32_t> text = x.window(s.last_n);
    const auto n = std::size_t(s.n);
    if (text.size() < n) return;
    const std::vector<std::int32_t> begun(text.end() - std::ptrdiff_t(n - 1), text.end());
    for (std::size_t at = 0; at + n <= text.size(); ++at)
        if (stands_at(begun, text, at)) ban(b.left, text[at + n - 1]);
}

inline void apply(const riffle::banned_sequences& s, state_between& b, const situation& x) {
    for (const auto& sequence : s.sequences) {
        std::vector<std::int32_t> before = sequence.tokens;
        if (before.empty()) continue;
        const std::int32_t last = before.back();
        before.pop_back();
        if (before.size() > x.accepted.size()) continue;
        if (!stands_at(before, x.accepted, x.accepted.size() - before.size())) continue;
        for (candidate& c : b.left)
            if (c.id == last) c.logit = canonical(rounded(c.logit + parameter(sequence.bias)));
    }
}

inline void apply(const riffle::allowed_tokens& s, state_between& b, const situation&) {
    for (candidate& c : b.left)
        if (!s.tokens.contains(c.id)) c.logit = minus_infinity;
    drop_illegal(b.left);
}

inline void apply(const riffle::min_tokens& s, state_between& b, const situation& x) {
    const auto generated = std::count(x.generated.begin(), x.generated.end(), char(1));
    if (generated >= s.count) return;
    for (candidate& c : b.left)
        if (s.ends.contains(c.id)) c.logit = minus_infinity;
}

inline void apply(const riffle::length_penalty& s, state_between& b, const situation& x) {
    const auto over = std::int64_t(std::count(x.generated.begin(), x.generated.end(), char(1))) - s.start;
    if (over <= 0 || s.factor == 1.0f) return;
    const auto more = float(limited_power(double(s.factor), over) - 1.0);
    for (candidate& c : b.left)
        if (s.ends.contains(c.id) && c.logit != minus_infinity)
            c.logit = canonical(rounded(c.logit + flushed(rounded(std::fabs(c.logit) * more))));
}

inline void apply(const riffle::encoder_repetition& s, state_between& b, const situation&) {
    if (s.penalty == 1.0f) return;
    const float inverse = parameter(rounded(1.0f / s.penalty));
    for (candidate& c : b.left)
        if (s.tokens.contains(c.id) && c.logit != minus_infinity)
            c.logit = canonical(rounded(c.logit * (c.logit < 0.0f ? inverse : s.penalty)));
}

}  // namespace riffle_tests::reference
