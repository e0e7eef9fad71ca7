#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>

#include "../llama_generate/model.hpp"
#include "engine.hpp"

// Ways of drafting, for generate().

struct no_drafts {
    riffle::draft nothing;

    void begin(std::span<const riffle::token_id>) {}
    template <class Chain>
    const riffle::draft& propose(std::span<const riffle::token_id>, const Chain&, std::size_t) {
        return nothing;
    }
    template <class Rows>
    void note(const riffle::draft&, Rows, const riffle::verified&) {}
};

/// A drafter without a model: a line (riffle::draft) or a tree (riffle::draft_tree) of so many tokens at most.
template <class Draft, class Drafter>
class by_drafter {
public:
    by_drafter(Drafter drafter, std::size_t most) : drafter_(std::move(drafter)), most_(most) {}

    void begin(std::span<const riffle::token_id> prompt) { drafter_.accept(prompt); }
    template <class Chain>
    const Draft& propose(std::span<const riffle::token_id> text, const Chain&, std::size_t room) {
        last_ = text.back();
        proposed_.clear();
        drafter_.propose(proposed_, std::min(most_, room));
        return proposed_;
    }
    template <class Rows>
    void note(const Draft& proposed, Rows rows, const riffle::verified& round) {
        if constexpr (riffle::learning_drafter<Drafter>)
            riffle::learn_round(drafter_, last_, likely_, proposed, rows, round);
        drafter_.accept(round.tokens);
    }

private:
    Drafter drafter_;
    std::size_t most_;
    Draft proposed_;
    riffle::token_id last_ = riffle::null_token;
    decltype(riffle::top_k{} | riffle::dist{}) likely_ = riffle::top_k{.k = 8} | riffle::dist{};
};
template <class Draft, class Drafter>
by_drafter<Draft, Drafter> drafts_by(Drafter drafter, std::size_t most) {
    return {std::move(drafter), most};
}

/// Lines as long as pays, by what was accepted and by what batches took.
template <class Drafter>
class paced_lines {
public:
    paced_lines(Drafter drafter, std::size_t most) : drafter_(std::move(drafter)) { pace_.most = most; }

    void begin(std::span<const riffle::token_id> prompt) { drafter_.accept(prompt); }
    template <class Chain>
    const riffle::draft& propose(std::span<const riffle::token_id>, const Chain&, std::size_t room) {
        proposed_.clear();
        pace_.propose(drafter_, proposed_);
        if (proposed_.size() > room) proposed_.shorten(room);
        return proposed_;
    }
    void measure_model(const riffle::draft& proposed, double seconds) {
        pace_.measure_model(proposed.size() + 1, seconds);
    }
    template <class Rows>
    void note(const riffle::draft& proposed, Rows, const riffle::verified& round) {
        pace_.note(proposed, round);
        drafter_.accept(round.tokens);
    }

private:
    Drafter drafter_;
    riffle::controller pace_;
    riffle::draft proposed_;
};

/// A second model, with a copy of the target's chain. Without laws its samples are proposed for certain, drawn with the
/// target's own noise: for match. With laws they are drawn with a noise of their own, for rejection and its kin.
struct by_model {
    live_engine small;
    bool with_laws;
    std::size_t most;
    riffle::draft proposed{}, nothing{};
    std::size_t evaluated = 0;  ///< tokens of the text that the small model has seen, or that were drafted and stayed

    void begin(std::span<const riffle::token_id> prompt) {
        evaluated = small.begin(prompt) ? prompt.size() - 1 : 0;
    }
    template <class Chain>
    const riffle::draft& propose(std::span<const riffle::token_id> text, const Chain& target, std::size_t room) {
        proposed.clear();
        if (room == 0) return proposed;
        Chain chain = target;
        for (; evaluated < text.size(); ++evaluated)
            if (!small.evaluate(text[evaluated], evaluated, nothing)) return proposed;
        while (add_token(chain) && proposed.size() < std::min(most, room))
            if (!small.evaluate(proposed[proposed.size() - 1], text.size() + proposed.size() - 1, nothing)) break;
        return proposed;
    }
    /// The row behind the last drafted token was not needed, so it is not there.
    template <class Rows>
    void note(const riffle::draft&, Rows, const riffle::verified& round) {
        riffle::verified in_small = round;
        in_small.drafted = round.drafted > 0 ? round.drafted - 1 : 0;
        in_small.accepted = std::min(round.accepted, in_small.drafted);
        small.trim_drafted(in_small);
        evaluated += in_small.accepted;
    }

private:
    template <class Chain>
    bool add_token(Chain& chain) {
        if (with_laws) return riffle::draft_from(chain, small.row(0), proposed) >= 0;
        const riffle::token_id token = chain.sample(small.row(0));
        return token >= 0 && proposed.push(token);
    }
};
