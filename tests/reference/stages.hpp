#pragma once
// Every stage, and a chain of them, as slowly and obviously as can be: what riffle's stages mean, one after the other.
// (Compiled once, in model.cpp: some forty stages in every test would cost more than the tests.)

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"

namespace riffle_tests::reference {

/// Any of riffle's stages, the selectors first.
using any_spec =
    std::variant<riffle::greedy, riffle::dist, riffle::gumbel, riffle::skew, riffle::mirostat, riffle::mirostat_v2,
                 riffle::adaptive_p, riffle::temperature, riffle::soft_cap, riffle::top_k, riffle::top_p, riffle::min_p,
                 riffle::top_n_sigma, riffle::logit_bias, riffle::penalties, riffle::mask, riffle::typical,
                 riffle::epsilon_cutoff, riffle::eta_cutoff, riffle::top_a, riffle::p_less, riffle::min_k,
                 riffle::top_h, riffle::tail_free, riffle::dynamic_temperature, riffle::quadratic, riffle::xtc,
                 riffle::dry, riffle::no_repeat_ngram, riffle::banned_sequences, riffle::allowed_tokens,
                 riffle::min_tokens, riffle::length_penalty, riffle::encoder_repetition, riffle::factual_nucleus,
                 riffle::infill, riffle::phrase_ban>;
inline constexpr std::size_t selectors = 7;

inline bool selects(const any_spec& s) { return s.index() < selectors; }

/// A chain: a list of stages and what it has accepted.
struct model {
    std::vector<any_spec> stages;
    situation now;
    std::vector<std::vector<learnt>> earlier{};  ///< what the stages had learnt at each position

    state_between run(std::vector<candidate> left) const;
    state_between run(std::span<const float> row) const;
    /// Answers how many tokens a stage asks to take back.
    std::size_t accept(std::int32_t token);
    void prompt(std::span<const std::int32_t> tokens);
    /// Takes back the newest generated tokens, and what was learnt from them; bans stay.
    void rewind(std::size_t count);
};

/// What failures print.
std::string describe(const any_spec& stage);
std::string describe(const model& m);

}  // namespace riffle_tests::reference
