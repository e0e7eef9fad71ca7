#pragma once
// Tokens a step without a model: the text is known, so a drafted token is accepted where the text has it, as under
// match where the chain would sample that text.

#include <algorithm>
#include <cstddef>
#include <span>

#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>

namespace replays {

using namespace riffle;

/// What became of a text.
struct replayed {
    std::size_t tokens = 0, steps = 0, drafted = 0, accepted = 0;

    double tokens_a_step() const { return double(tokens) / double(steps); }
    /// Of the drafted tokens those that nobody needed.
    double wasted() const { return drafted ? 1.0 - double(accepted) / double(drafted) : 0.0; }
    /// How many times as fast as without drafts, where a row more costs this share of an evaluation of one.
    double speed(double cost_of_a_row) const {
        return double(tokens) / (double(steps) + cost_of_a_row * double(drafted));
    }
};

/// How many tokens of a draft the text goes on with.
inline std::size_t agreeing(const draft& proposed, std::span<const token_id> text) {
    const std::size_t most = (std::min)(proposed.size(), text.size());
    std::size_t count = 0;
    while (count < most && proposed[count] == text[count]) ++count;
    return count;
}
inline std::size_t agreeing(const draft_tree& proposed, std::span<const token_id> text) {
    std::size_t count = 0;
    for (std::int32_t n = draft_tree::root; count < text.size(); ++count)
        if ((n = proposed.child(n, text[count])) < 0) break;
    return count;
}

/// A text with drafts as `propose` makes them: propose(a Draft without tokens). The drafter knows what came before.
/// note( draft, round) is told what became of each draft.
template <class Draft, class Drafter, class Propose, class Note>
replayed replay(Drafter& drafter, std::span<const token_id> text, Propose propose, Note note) {
    Draft proposed;
    replayed sum;
    for (std::span<const token_id> left = text; !left.empty(); ++sum.steps) {
        proposed.clear();
        propose(proposed);
        verified round;
        round.accepted = agreeing(proposed, left);
        round.drafted = proposed.size();
        round.tokens = left.first((std::min)(round.accepted + 1, left.size()));
        drafter.accept(round.tokens);
        note(proposed, round);
        left = left.subspan(round.tokens.size());
        sum.tokens += round.tokens.size();
        sum.drafted += round.drafted;
        sum.accepted += round.accepted;
    }
    return sum;
}
/// With drafts, or trees, of up to `most` tokens.
template <class Draft, class Drafter>
replayed replay(Drafter& drafter, std::span<const token_id> text, std::size_t most) {
    const auto propose = [&](Draft& d) { drafter.propose(d, most); };
    return replay<Draft>(drafter, text, propose, [](const Draft&, const verified&) {});
}
/// With drafts as long as a controller has them.
template <class Drafter>
replayed replay_paced(Drafter& drafter, std::span<const token_id> text, controller pace) {
    const auto propose = [&](draft& d) { pace.propose(drafter, d); };
    return replay<draft>(drafter, text, propose, [&](const draft& d, const verified& round) { pace.note(d, round); });
}

}  // namespace replays
