// An NPC that decides what to do: every action is scored as a whole, and beside that one is picked token by token, with
// those tokens that are certain evaluated together.
//
//     npc_actions                 on the quickstart's little model, learnt from a page of text
//     npc_actions MODEL.gguf      on a real one
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "../npc_grammar/language_model.hpp"
#include "../npc_grammar/talk.hpp"

using namespace riffle;

namespace {

const std::vector<std::string> actions{"trade", "travel north", "travel south", "attack", "flee", "flee north"};

double log_probability(std::span<const float> logits, token_id token) {
    const float greatest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double(logit) - double(greatest));
    return double(logits[std::size_t(token)]) - double(greatest) - std::log(sum);
}

/// Whole actions, by the model's rows behind each beginning that some of them share. (An engine evaluates the tree in
/// one batch; this model reads one text at a time.)
choice_scores score(language_model& model, const std::vector<token_id>& prompt, const choice_matcher& action,
                    std::size_t& evaluations) {
    const prefix_batch tree = prefix_tree(action);
    std::vector<std::vector<float>> rows(tree.size() + 1);  // behind each entry, and first behind the prompt
    const auto evaluate = [&](std::vector<float>& row, const std::vector<token_id>& text_so_far) {
        model.begin(text_so_far);
        row.assign(model.logits().begin(), model.logits().end());
        ++evaluations;
    };
    evaluate(rows[0], prompt);
    for (std::size_t i = 0; i < tree.size(); ++i) {
        if (!tree.is_evaluated[i]) continue;
        std::vector<token_id> path;
        for (auto entry = std::int32_t(i); entry >= 0; entry = tree.parents[std::size_t(entry)])
            path.insert(path.begin(), tree.tokens[std::size_t(entry)]);
        path.insert(path.begin(), prompt.begin(), prompt.end());
        evaluate(rows[i + 1], path);
    }
    return score_choices(action, [&](std::size_t i) {
        return log_probability(rows[std::size_t(tree.parents[i] + 1)], tree.tokens[i]);
    });
}

/// Token by token; certain ones are read in one evaluation.
std::int32_t pick(language_model& model, const std::vector<token_id>& prompt, const choice_matcher& action,
                  std::size_t& evaluations) {
    auto chain = constrain{action} | greedy{};
    const choice_matcher& at = get<constrain<choice_matcher>>(chain).matcher;
    model.begin(prompt);
    ++evaluations;
    while (!at.is_finished()) {
        std::vector<token_id> next = at.forced_run();
        for (const token_id token : next) chain.accept(token);
        if (next.empty()) next.push_back(chain.sample(model.logits()));
        if (next[0] == null_token) break;  // chain.last_status() says why
        if (at.is_finished()) break;
        model.read(next);
        ++evaluations;
    }
    return at.chosen();
}

}  // namespace

int main(int count, char** arguments) {
    const auto model = count > 1 ? load_gguf(arguments[1]) : learn_small_model(village_talk);
    if (!model) return 1;
    const vocabulary_trie trie(model->words());
    choice_matcher action(
        trie, actions, [&](text t) { return model->tokens_of({t.data(), t.size()}); }, {.end = "."});
    if (!(action.check)().ok()) {
        std::fprintf(stderr, "%s\n", (action.check)().message().c_str());
        return 1;
    }
    bool all_good = true;
    for (const bool is_cornered : {false, true}) {
        for (std::size_t i = 0; i < actions.size(); ++i)
            if (actions[i].starts_with("flee")) (void)action.enable(i, !is_cornered);  // without being made anew
        (void)action.set_bias(0, is_cornered ? 2.0f : 0.0f);                          // he would rather talk it over
        const std::vector<token_id> prompt =
            model->tokens_of(is_cornered ? "The guard stands in the door. I will " : "The guard has not seen me. I will ");
        std::size_t whole = 0, one_by_one = 0;
        const choice_scores scores = score(*model, prompt, action, whole);
        std::printf("%s\n", is_cornered ? "cornered:" : "unseen:");
        for (const std::size_t i : scores.most_likely_first())
            std::printf("  %5.1f %%  %s\n", 100 * scores.probability[i], actions[i].c_str());
        const std::int32_t picked = pick(*model, prompt, action, one_by_one);
        std::printf("  entropy %.2f; the actions have %.2g of the whole probability; %zu evaluations\n", scores.entropy,
                    scores.mass, whole);
        std::printf("  token by token: %s, %zu evaluations\n", picked < 0 ? "none" : actions[std::size_t(picked)].c_str(),
                    one_by_one);
        all_good &= scores.most_likely() >= 0 && picked >= 0 && action.is_enabled(std::size_t(picked));
    }
    return all_good ? 0 : 1;
}
