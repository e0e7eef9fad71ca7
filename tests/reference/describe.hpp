#pragma once
// What failures print of a stage.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <riffle/riffle.hpp>

#include "reference/plain_stages.hpp"

namespace riffle_tests::reference {

inline std::string print(const char* format, double a, double b = 0, double c = 0, double d = 0) {
    char text[128];
    std::snprintf(text, sizeof text, format, a, b, c, d);
    return text;
}
inline std::string describe(const riffle::greedy&) { return "greedy"; }
inline std::string describe(const riffle::dist& s) { return print("dist{%g}", double(s.seed)); }
inline std::string describe(const riffle::gumbel& s) { return print("gumbel{%g}", double(s.seed)); }
inline std::string describe(const riffle::temperature& s) { return print("temperature{%.9g}", double(s.t)); }
inline std::string describe(const riffle::soft_cap& s) { return print("soft_cap{%.9g}", double(s.cap)); }
inline std::string describe(const riffle::top_k& s) { return print("top_k{%g}", s.k); }
inline std::string describe(const riffle::top_p& s) {
    return print("top_p{%.9g, %g}", double(s.p), double(s.min_keep));
}
inline std::string describe(const riffle::min_p& s) {
    return print("min_p{%.9g, %g}", double(s.p), double(s.min_keep));
}
inline std::string describe(const riffle::top_n_sigma& s) { return print("top_n_sigma{%.9g}", double(s.n)); }
inline std::string describe(const riffle::penalties& s) {
    return print("penalties{%g, %.9g, %.9g, %.9g}", s.last_n, double(s.repeat), double(s.frequency),
                 double(s.presence));
}
inline std::string describe(const riffle::logit_bias& s) {
    std::string text = "logit_bias{";
    for (const auto& entry : s.biases) text += print("%g: %g, ", entry.token, double(entry.bias));
    return text + "}";
}
inline std::string describe(const riffle::mask& s) {
    std::size_t legal = 0;
    for (std::size_t id = 0; id < s.words.size() * 32; ++id) legal += is_legal(s, std::int32_t(id));
    return print("mask{%g words, %g legal}", double(s.words.size()), double(legal));
}
inline std::string describe(const riffle::typical& s) {
    return print("typical{%.9g, %g}", double(s.p), double(s.min_keep));
}
inline std::string describe(const riffle::epsilon_cutoff& s) {
    return print("epsilon_cutoff{%.9g, %g}", double(s.epsilon), double(s.min_keep));
}
inline std::string describe(const riffle::eta_cutoff& s) {
    return print("eta_cutoff{%.9g, %g}", double(s.epsilon), double(s.min_keep));
}
inline std::string describe(const riffle::top_a& s) { return print("top_a{%.9g}", double(s.a)); }
inline std::string describe(const riffle::p_less& s) { return print("p_less{%g}", double(s.normalised)); }
inline std::string describe(const riffle::min_k& s) { return print("min_k{%.9g}", double(s.tau)); }
inline std::string describe(const riffle::top_h& s) {
    return print("top_h{%.9g, %g, %g}", double(s.alpha), double(s.min_keep), double(s.renormalised));
}
inline std::string describe(const riffle::tail_free& s) {
    return print("tail_free{%.9g, %g, %g}", double(s.z), double(s.min_keep), double(s.centred));
}
inline std::string describe(const riffle::dynamic_temperature& s) {
    return print("dynamic_temperature{%.9g, %.9g, %.9g}", double(s.t), double(s.range), double(s.exponent));
}
inline std::string describe(const riffle::quadratic& s) {
    return print("quadratic{%.9g, %.9g}", double(s.factor), double(s.curve));
}
inline std::string describe(const riffle::xtc& s) {
    return print("xtc{%.9g, %.9g, %g, %g}", double(s.probability), double(s.threshold), double(s.min_keep),
                 double(s.seed));
}
inline std::string describe(const riffle::mirostat& s) {
    return print("mirostat{%.9g, %.9g, %g, %g}", double(s.tau), double(s.eta), s.m, s.n_vocab);
}
inline std::string describe(const riffle::mirostat_v2& s) {
    return print("mirostat_v2{%.9g, %.9g, %g}", double(s.tau), double(s.eta), double(s.seed));
}
inline std::string describe(const riffle::adaptive_p& s) {
    return print("adaptive_p{%.9g, %.9g, %g}", double(s.target), double(s.decay), double(s.seed));
}
inline std::string describe(const riffle::skew& s) { return print("skew{%.9g, %g}", double(s.amount), double(s.seed)); }
inline std::string describe(const riffle::dry& s) {
    return print("dry{%.9g, %.9g, %g, %g", double(s.multiplier), double(s.base), s.allowed_length, s.last_n) +
           print(", %g breakers}", double(s.breakers.size()));
}
inline std::string describe(const riffle::no_repeat_ngram& s) {
    return print("no_repeat_ngram{%g, %g}", s.n, s.last_n);
}
inline std::string describe(const riffle::banned_sequences& s) {
    std::string text = "banned_sequences{";
    for (const auto& sequence : s.sequences) {
        for (const auto token : sequence.tokens) text += print("%g ", token);
        text += print(": %g, ", double(sequence.bias));
    }
    return text + "}";
}
inline std::string describe(const riffle::token_set& s) {
    std::string text = "{";
    std::size_t count = 0;
    s.each([&](std::int32_t id) { text += ++count <= 8 ? print("%g ", id) : std::string(); });
    return text + (count > 8 ? print("and %g more}", double(count - 8)) : "}");
}
inline std::string describe(const riffle::allowed_tokens& s) { return "allowed_tokens" + describe(s.tokens); }
inline std::string describe(const riffle::min_tokens& s) {
    return print("min_tokens{%g, ", s.count) + describe(s.ends) + "}";
}
inline std::string describe(const riffle::length_penalty& s) {
    return print("length_penalty{%g, %.9g, ", s.start, double(s.factor)) + describe(s.ends) + "}";
}
inline std::string describe(const riffle::encoder_repetition& s) {
    return print("encoder_repetition{%.9g, ", double(s.penalty)) + describe(s.tokens) + "}";
}
inline std::string describe(const riffle::factual_nucleus& s) {
    return print("factual_nucleus{%.9g, %.9g, %.9g", double(s.p), double(s.decay), double(s.p_min)) + ", " +
           describe(s.resets) + print(", %g}", double(s.min_keep));
}
inline std::string describe(const riffle::infill& s) {
    return print("infill{of %g}", s.vocab ? double(s.vocab->size()) : 0.0);
}
inline std::string describe(const riffle::phrase_ban& s) {
    return print("phrase_ban{of %g}", s.vocab ? double(s.vocab->size()) : 0.0);
}

}  // namespace riffle_tests::reference
