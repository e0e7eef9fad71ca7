// Several tokens for one evaluation of a model: a text with much repetition is drafted from itself, and the text is the
// one that sampling without drafts gives. Then a small model drafts for a large one, and their laws are compared.
#include <cmath>
#include <cstdio>
#include <vector>

// [begin:match]
#include <riffle/riffle.hpp>
#include <riffle/speculative.hpp>
using namespace riffle;

struct generation {
    decltype(penalties{} | top_k{} | temperature{} | dist{}) sampler =
        penalties{.repeat = 1.05f} | top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42};
    speculator<> verifier;  // <match>: the same tokens as without drafts
    suffix_automaton drafter;
    draft proposed;

    /// What the text gets by one evaluation of the model: one token at least. rows(i) is the row behind i tokens of the
    /// draft.
    template <class Rows>
    std::span<const token_id> next_tokens(Rows rows) {
        const verified& round = verifier.verify(sampler, proposed, rows);
        drafter.accept(round.tokens);
        proposed.clear();
        drafter.propose(proposed, 16);  // for the next evaluation
        return round.tokens;
    }
};
// [end:match]

namespace {

/// A language of 50 tokens that likes to say the same again: the row behind the last two tokens.
std::vector<float> row_behind(std::span<const token_id> text, std::span<const token_id> more, float blurred = 0.0f) {
    const auto at = [&](std::size_t back) {
        if (back < more.size()) return more[more.size() - 1 - back];
        back -= more.size();
        return back < text.size() ? text[text.size() - 1 - back] : 0;
    };
    std::vector<float> row(50);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto noise = std::uint32_t(i * 2654435761u + std::uint32_t(at(0)) * 40503u + std::uint32_t(at(1)) * 97u);
        row[i] = float(noise >> 8 & 0xFF) / 64.0f + blurred * std::sin(float(i) + float(at(0)));
    }
    row[std::size_t((at(0) * 7 + at(1) * 3 + 1) % 50)] += 6.0f;
    return row;
}

/// What one evaluation of the model for the text and a draft gives: a row behind each of its tokens.
std::vector<std::vector<float>> evaluate(std::span<const token_id> text, std::span<const token_id> drafted) {
    std::vector<std::vector<float>> rows;
    for (std::size_t i = 0; i <= drafted.size(); ++i) rows.push_back(row_behind(text, drafted.first(i)));
    return rows;
}

int draft_from_the_text() {
    generation drafted;
    auto without_drafts = drafted.sampler;
    std::vector<token_id> text, alone;
    std::size_t evaluations = 0;
    for (; text.size() < 400; ++evaluations) {
        const auto rows = evaluate(text, drafted.proposed.tokens());
        const auto tokens = drafted.next_tokens([&](std::size_t i) { return std::span<const float>(rows[i]); });
        if (tokens.empty()) return std::printf("%s\n", drafted.sampler.last_status().message().c_str()), 1;
        text.insert(text.end(), tokens.begin(), tokens.end());
    }
    while (alone.size() < text.size()) alone.push_back(without_drafts.sample(row_behind(alone, {})));
    std::printf("%zu tokens, %zu evaluations: %.2f tokens each. The text without drafts is %s.\n", text.size(),
                evaluations, double(text.size()) / double(evaluations), text == alone ? "the same" : "ANOTHER");
    return text == alone ? 0 : 1;
}

// [begin:laws]
/// A small model drafts four tokens: each is drawn from the law of its chain, which the draft keeps.
template <class Chain, class Rows>
void draft_by(Chain& of_draft_model, Rows row_behind_draft, draft& out) {
    const checkpoint begin = of_draft_model.mark();
    out.clear();
    for (std::size_t i = 0; i < 4; ++i) draft_from(of_draft_model, row_behind_draft(out.tokens()), out);
    if (!of_draft_model.rollback(begin)) out.clear();  // it accepts what the text gets, when that is known
}
// [end:laws]

template <class Verifier>
double tokens_a_round(Verifier how) {
    auto target = top_k{.k = 20} | temperature{.t = 0.9f} | dist{.seed = 1};
    auto of_draft_model = target;
    speculator verify_by(how);
    draft drafted;
    std::vector<token_id> text;
    std::size_t rounds = 0;
    for (; text.size() < 2000; ++rounds) {
        draft_by(of_draft_model, [&](auto more) { return row_behind(text, more, 0.6f); }, drafted);
        const auto rows = evaluate(text, drafted.tokens());
        const verified& round =
            verify_by.verify(target, drafted, [&](std::size_t i) { return std::span<const float>(rows[i]); });
        if (!round.state) return 0.0;
        for (const token_id token : round.tokens) of_draft_model.accept(token);
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    return double(text.size()) / double(rounds);
}

}  // namespace

int main() {
    if (const int failed = draft_from_the_text()) return failed;
    std::printf("Four tokens drafted by a small model: by match %.2f tokens an evaluation, by rejection %.2f, "
                "by blocks "
                "%.2f.\n",
                tokens_a_round(match{}), tokens_a_round(rejection{.seed = 2}),
                tokens_a_round(block_verification{.seed = 2}));
    return tokens_a_round(rejection{}) > 1.0 ? 0 : 1;
}
