/// What riffle's samplers do, on a language model small enough to learn while you wait.
#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

#include "adjustable_chain.hpp"
#include "blanks.hpp"
#include "byte_pairs.hpp"
#include "chains.hpp"
#include "failure.hpp"
#include "ngram_model.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "recorded_logits.hpp"
#include "row_table.hpp"
#include "side_by_side.hpp"
#include "step_table.hpp"
#include "terminal.hpp"
#include "training_text.hpp"
#include "watch.hpp"

namespace quickstart {
namespace {

constexpr std::size_t tokens_by_default = 4096;

/// Texts shorter than this are learnt before anybody wonders how long it takes.
constexpr std::size_t long_text = std::size_t{1} << 20;

/// Takes one step of a chain again, this time with an account of it. What a chain chooses depends on its parameters and
/// on the tokens it has accepted, on nothing else.
template <class Chain>
void explain_step(const terminal& screen, const byte_pairs& vocabulary, const ngram_model& model,
                  std::span<const riffle::token_id> prompt, std::span<const riffle::token_id> generated, Chain chain) {
    chain.prompt(prompt);
    std::vector<riffle::token_id> history(prompt.begin(), prompt.end());
    for (const riffle::token_id token : generated) {
        chain.accept(token);
        history.push_back(token);
    }
    std::vector<float> logits(model.vocabulary());
    model.logits(history, logits);
    // What a chain returns lives until its next call: keep the probabilities before it is asked again.
    const auto order = chain.logprobs(logits, logits.size(), riffle::before);
    const std::vector<riffle::token_logprob> before(order.begin(), order.end());
    print_step(screen, vocabulary, describe(chain), before, riffle::explain(chain, logits));
}

/// Learns a model of a text, then lets three chains write and one of them explain itself.
void write(const options& chosen) {
    const terminal screen(chosen.width, chosen.color);
    std::optional<adjustable_chain> watched;
    if (chosen.watch) watched.emplace(chosen.chain + ";seed=" + std::to_string(chosen.seed));
    const training_text source = read_training_text(chosen.text);

    progress_line shown(source.text.size() >= long_text);
    const byte_pairs vocabulary(source.text, chosen.vocabulary != 0 ? chosen.vocabulary : tokens_by_default, shown);
    const std::vector<riffle::token_id> text = vocabulary.encode(source.text, shown);
    const ngram_model model(text, vocabulary.size(), shown);
    shown.finish();

    fmt::print("{}\n",
               screen.paragraph(fmt::format(
                   "Learnt from {}: {} bytes, {} tokens of a vocabulary of {}, {} different {}-grams.{}", source.origin,
                   source.text.size(), text.size(), vocabulary.size(), model.size(ngram_model::order),
                   ngram_model::order, source.cut ? " (The text is longer; its end was left out.)" : "")));

    const std::string prompt = chosen.prompt ? fold_blanks(*chosen.prompt) : chosen.text ? "" : "One evening";
    const std::vector<riffle::token_id> prompt_tokens = vocabulary.encode(prompt, shown);

    if (watched) return watch(screen, vocabulary, model, prompt_tokens, std::move(*watched));

    const std::array chains{
        show("greedy", greedy_chain()),
        show("default", default_chain(chosen.seed), chosen.seed),
        show("creative", creative_chain(chosen.seed), chosen.seed),
    };
    std::vector<written> texts;
    for (const shown_chain& each : chains) texts.push_back(generate(model, each.chain, prompt_tokens, chosen.tokens));
    print_side_by_side(screen, vocabulary, prompt, chains, texts);

    fmt::print("\n{}\n", screen.rule(fmt::format("the default chain at step {}", chosen.step)));
    const auto earlier = std::span(texts[1].tokens).first(chosen.step - 1);
    explain_step(screen, vocabulary, model, prompt_tokens, earlier, default_chain(chosen.seed));
}

void read_rows(const options& chosen) {
    const terminal screen(chosen.width, chosen.color);
    recorded_logits file(*chosen.logits, chosen.rows, chosen.vocabulary, chosen.type);
    fmt::print("{}: {} rows of {} {} logits\n\n", *chosen.logits, file.rows(), chosen.vocabulary,
               file.type() == logit_type::float32 ? "float32" : "float16");
    print_rows(screen, file, chosen.seed);
}

void run(int count, const char* const* arguments) {
    const options chosen = parse_options(count, arguments);
    if (chosen.help) fmt::print("{}", help_page());
    else if (chosen.logits) read_rows(chosen);
    else write(chosen);
    if (std::fflush(stdout) != 0) throw failure("cannot write the output");
}

}  // namespace
}  // namespace quickstart

/// 0: all went well; 1: something the program needs is missing or wrong; 2: the command line makes no sense.
int main(int count, char** arguments) {
    try {
        quickstart::run(count, arguments);
        return 0;
    } catch (const quickstart::usage_error& error) {
        std::fprintf(stderr, "quickstart: %s\n(quickstart --help tells more)\n", error.what());
        return 2;
    } catch (const std::bad_alloc&) {
        std::fprintf(stderr, "quickstart: out of memory\n");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "quickstart: %s\n", error.what());
    }
    return 1;
}
