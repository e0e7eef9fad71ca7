// What a token trie saves beside a grammar of the same words: both choose one of thirty actions after each of forty
// prompts, and what came of it is written as one JSON object.
//
//     trie_report [--mode argmax|drawn] [--payload FILE] [--show] [MODEL.gguf]
//
// Without a model: the quickstart's, learnt from a page of text. Without a payload: one is made of the actions, in the
// tokens that the model's tokeniser gives them between quotes. The report's members are those that elizaOS/eliza's
// native/docs/TOKEN_TRIE_SAMPLER.md plans:
//
//     skip_ratio_mean, skip_ratio_std   of the vocabulary, how much was not legal, over all tokens of values
//     tokens_per_second                 with the trie, forced runs in one evaluation; evaluations included
//     tokens_per_second_vs_grammar      how many times that of the grammar, token by token
//     token_accuracy                    of the grammar's tokens, how many the trie has in the same place
//     forward_passes_saved, _total      evaluations that forced runs saved, of one for each token
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>

#include "npc_grammar/language_model.hpp"
#include "npc_grammar/talk.hpp"

using namespace riffle;

namespace {

const std::vector<std::string> actions{
    "REPLY", "REPLY_THREAD", "STOP", "IGNORE", "FOLLOW_ROOM", "UNFOLLOW_ROOM", "MUTE_ROOM", "UNMUTE_ROOM",
    "OWNER_REMINDERS", "OWNER_ACTIONS", "OWNER_CALENDAR", "SEND_MESSAGE", "SEND_MAIL", "READ_MAIL", "OPEN_FILE",
    "READ_FILE", "WRITE_FILE", "DELETE_FILE", "SEARCH_FILES", "SEARCH_WEB", "TRANSFER", "SWAP", "TAKE_ORDER", "TRADE",
    "ATTACK", "FLEE", "WAIT", "SPEAK", "WHISPER", "SHOUT"};
const std::string people[]{"The miller", "A child", "The captain of the guard", "The old woman", "The smith"};
const std::string deeds[]{"asks about the tower", "gives you three coins", "runs away", "draws a sword",
                                    "wants bread", "says that the king is ill", "sits down by the fire",
                                    "looks at your ring"};

/// Of a value between quotes. (Alone, tokenisers of SentencePiece put a blank ahead of it.)
std::vector<token_id> tokens_of_value(const language_model& model, const std::string& name) {
    const std::vector<token_id> all = model.tokens_of("\"" + name);
    std::string ahead;
    std::size_t first = 0;
    while (first < all.size() && !ahead.ends_with('"')) {
        const text piece = model.words().piece(all[first++]);
        ahead.append(piece.data(), piece.size());
    }
    return {all.begin() + std::ptrdiff_t(first), all.end()};
}
std::string payload_of(const language_model& model) {
    std::string all = R"({"modelId": "at hand", "descriptors": [{"path": "action", "leaves": [)";
    for (std::size_t i = 0; i < actions.size(); ++i) {
        all += (i ? R"(, {"name": ")" : R"({"name": ")") + actions[i] + R"(", "tokens": [)";
        const char* between = "";
        for (const token_id token : tokens_of_value(model, actions[i]))
            (all += between) += std::to_string(token), between = ", ";
        all += "]}";
    }
    return all + "]}]}";
}

struct value {
    std::vector<token_id> tokens;
    std::size_t evaluations = 0;
    double seconds = 0;
};

/// One value after a prompt. Tokens that are certain are read in one evaluation where `reads_ahead`.
template <class Matcher, class Chain>
value choose(language_model& model, const std::vector<token_id>& prompt, Chain chain, bool reads_ahead) {
    const Matcher& at = riffle::get<constrain<Matcher>>(chain).matcher;
    const auto is_there = [&] {
        if constexpr (requires { at.is_finished(); }) return at.is_finished();
        else return at.status() != trie_status::active;
    };
    value v;
    chain.prompt(prompt);
    model.begin(prompt);
    const auto begin = std::chrono::steady_clock::now();
    while (!is_there()) {
        std::vector<token_id> next;
        if (reads_ahead) next = at.forced_run();
        for (const token_id token : next) chain.accept(token);
        if (next.empty()) next.push_back(chain.sample(model.logits()));
        if (next[0] == null_token || model.words().ends_generation(next[0])) break;
        model.read(next);
        ++v.evaluations;
        v.tokens.insert(v.tokens.end(), next.begin(), next.end());
    }
    v.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return v;
}

std::vector<token_id> ends_of(const vocabulary& words) {
    std::vector<token_id> ends;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words.ends_generation(token_id(i))) ends.push_back(token_id(i));
    return ends;
}

struct totals {
    std::size_t tokens = 0, equal = 0, compared = 0, evaluations = 0, grammar_tokens = 0, values = 0, equal_values = 0;
    double seconds = 0, grammar_seconds = 0;
    double skipped = 0, skipped_squared = 0;

    void add(const value& by_trie, const value& by_grammar) {
        ++values;
        equal_values += by_trie.tokens == by_grammar.tokens;
        tokens += by_trie.tokens.size();
        evaluations += by_trie.evaluations;
        seconds += by_trie.seconds;
        grammar_tokens += by_grammar.tokens.size();
        grammar_seconds += by_grammar.seconds;
        compared += by_grammar.tokens.size();
        for (std::size_t i = 0; i < by_trie.tokens.size() && i < by_grammar.tokens.size(); ++i)
            equal += by_trie.tokens[i] == by_grammar.tokens[i];
    }
    void add_skipped(const token_trie& trie, const std::vector<token_id>& tokens_of_value) {
        trie_matcher again(trie);
        for (const token_id token : tokens_of_value) again.accept(token);
        skipped += again.counters().skipped;
        skipped_squared += again.counters().skipped_squared;
    }
};

void show(const vocabulary& words, const value& v) {
    for (const token_id token : v.tokens) {
        const text piece = words.piece(token);
        std::fprintf(stderr, "[%.*s]", int(piece.size()), piece.data());
    }
    std::fputs("  ", stderr);
}

template <class Chain, class Other>
totals compare(language_model& model, const token_trie& trie, const Chain& by_trie, const Other& by_grammar,
               bool shows) {
    totals all;
    for (const std::string& who : people)
        for (const std::string& does : deeds) {
            const std::vector<token_id> prompt = model.tokens_of(who + " " + does + ". {\"action\": \"");
            const value v = choose<trie_matcher>(model, prompt, by_trie, true);
            const value beside = choose<grammar_matcher>(model, prompt, by_grammar, false);
            if (shows) show(model.words(), v), show(model.words(), beside), std::fputs("\n", stderr);
            all.add(v, beside);
            all.add_skipped(trie, v.tokens);
        }
    return all;
}

void write(const char* mode, const totals& t) {
    const double mean = t.skipped / double(t.tokens), variance = t.skipped_squared / double(t.tokens) - mean * mean;
    const double per_second = double(t.tokens) / t.seconds;
    std::printf("{\"mode\": \"%s\", \"skip_ratio_mean\": %.6f, \"skip_ratio_std\": %.6f, \"tokens_per_second\": %.1f, "
                "\"tokens_per_second_vs_grammar\": %.3f, \"token_accuracy\": %.4f, \"forward_passes_saved\": %zu, "
                "\"forward_passes_total\": %zu, \"values\": %zu, \"equal_values\": %zu}\n",
                mode, mean, variance > 0 ? std::sqrt(variance) : 0.0, per_second,
                per_second / (double(t.grammar_tokens) / t.grammar_seconds), double(t.equal) / double(t.compared),
                t.tokens - t.evaluations, t.tokens, t.values, t.equal_values);
}

}  // namespace

int main(int count, char** arguments) {
    std::string mode = "argmax", payload_file, model_file;
    bool shows = false;
    for (int i = 1; i < count; ++i) {
        const std::string_view option = arguments[i];
        if (option == "--mode" && i + 1 < count) mode = arguments[++i];
        else if (option == "--show") shows = true;
        else if (option == "--payload" && i + 1 < count) payload_file = arguments[++i];
        else model_file = option;
    }
    if (mode != "argmax" && mode != "drawn") return std::fputs("--mode is argmax or drawn\n", stderr), 1;
    const auto model = model_file.empty() ? learn_small_model(village_talk) : load_gguf(model_file);
    if (!model) return 1;
    std::string payload = payload_of(*model);
    if (!payload_file.empty()) {
        std::ifstream in(payload_file, std::ios::binary);
        payload.assign(std::istreambuf_iterator<char>(in), {});
    }
    const parsed<token_trie> trie = parse_token_trie(payload, model->words());
    if (!trie) return std::fprintf(stderr, "%s\n", trie.problem().message().c_str()), 1;

    trie_matcher by_trie(*trie);
    if (!by_trie.select(std::size_t{0}).ok()) return 1;
    if (!by_trie.set_exits(ends_of(model->words())).ok()) return 1;
    std::vector<text> names;
    for (std::size_t i = 0; i < trie->leaf_count(0); ++i) names.push_back(trie->leaf_name(0, i));
    const grammar_matcher by_grammar(choice(names), vocabulary_trie(model->words()));
    if (!(by_grammar.check)().ok()) return 1;

    const temperature t{.t = 0.8f};
    const dist d{.seed = 1};
    const totals all = mode == "argmax"
                           ? compare(*model, *trie, constrain{by_trie} | greedy{}, constrain{by_grammar} | greedy{}, shows)
                           : compare(*model, *trie, constrain{by_trie} | t | d, constrain{by_grammar} | t | d, shows);
    write(mode.c_str(), all);
}
