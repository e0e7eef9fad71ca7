#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include <riffle/speculative.hpp>

#include "outcome.hpp"
#include "proposals.hpp"

/// What is to be generated.
struct request {
    std::vector<riffle::token_id> prompt, ends;
    std::size_t tokens;
};

/// Goes on with a text by rounds. `drafting` has begin(prompt), propose(text, chain, room), which gives a line or a
/// tree of no more tokens than there is room for, and note(proposed, rows, round); `watch(proposed, round)` sees each
/// round while its rows are there. measure_model(proposed, seconds), where drafting has it, says how long an evaluation
/// took.
template <class Engine, class Drafting, class Chain, class Verifier, class Watch>
outcome generate(const request& wanted, Engine& engine, Drafting& drafting, Chain chain, Verifier how, Watch watch) {
    outcome result;
    riffle::speculator<Verifier> verifier(how);
    std::vector<riffle::token_id> text = wanted.prompt;
    chain.prompt(text);
    timed(result.seconds_of_drafter, [&] { drafting.begin(text); });
    if (!engine.begin(text)) {
        result.problem = "the prompt could not be evaluated";
        return result;
    }
    while (result.tokens.size() < wanted.tokens) {
        const std::size_t room = wanted.tokens - result.tokens.size() - 1;  // the round gives one token more
        const auto& proposed =
            timed(result.seconds_of_drafter, [&]() -> const auto& { return drafting.propose(text, chain, room); });
        double seconds = 0.0;
        if (!timed(seconds, [&] { return engine.evaluate(text.back(), text.size() - 1, proposed); })) {
            result.problem = "a batch could not be evaluated";
            return result;
        }
        result.seconds_of_model += seconds;
        if constexpr (requires { drafting.measure_model(proposed, seconds); })
            drafting.measure_model(proposed, seconds);
        const riffle::verified& round = timed(result.seconds_of_verifier, [&]() -> const auto& {
            return engine.verify(chain, proposed, verifier, wanted.ends);
        });
        if (!round.state.ok()) {
            result.problem = round.state.message().c_str();
            return result;
        }
        watch(proposed, round);
        timed(result.seconds_of_drafter,
              [&] { drafting.note(proposed, [&](std::size_t i) { return engine.row(i); }, round); });
        if (!engine.trim(round)) {
            result.problem = "this model's memory cannot take tokens back";
            return result;
        }
        result.note(depth_of(proposed), round);
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
        if (round.finished) break;
    }
    return result;
}
