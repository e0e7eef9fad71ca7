#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <riffle/speculative.hpp>

/// What a way of drafting brought.
struct outcome {
    std::vector<riffle::token_id> tokens;
    std::size_t rounds = 0;
    std::size_t drafted = 0;
    /// By the position in the draft, of a tree the depth: how many rounds drafted so far, and how many accepted it.
    std::vector<std::size_t> rounds_drafted, rounds_accepted;
    double seconds_of_model = 0, seconds_of_drafter = 0, seconds_of_verifier = 0;
    std::string problem;  ///< why it ended early; empty where it did not

    double tokens_a_step() const { return rounds > 0 ? double(tokens.size()) / double(rounds) : 0.0; }
    double seconds() const { return seconds_of_model + seconds_of_drafter + seconds_of_verifier; }

    /// A round with a draft that was so deep.
    void note(std::size_t depth, const riffle::verified& round) {
        ++rounds;
        drafted += round.drafted;
        if (rounds_drafted.size() < depth) rounds_drafted.resize(depth), rounds_accepted.resize(depth);
        for (std::size_t i = 0; i < depth; ++i) ++rounds_drafted[i];
        for (std::size_t i = 0; i < round.accepted; ++i) ++rounds_accepted[i];
        tokens.insert(tokens.end(), round.tokens.begin(), round.tokens.end());
    }
};

/// Adds the time that some work takes to `seconds`.
template <class Work>
auto timed(double& seconds, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    struct at_the_end {
        double& to;
        std::chrono::steady_clock::time_point from;
        ~at_the_end() { to += std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count(); }
    } const stop{seconds, begin};
    return work();
}
