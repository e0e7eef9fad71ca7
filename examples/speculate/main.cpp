// Text from a GGUF model by speculation: without drafts, with each drafter, with a second model, side by side.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/llama_speculative.hpp>

#include "drafting.hpp"
#include "engine.hpp"
#include "generation.hpp"
#include "options.hpp"
#include "recorded_engine.hpp"

using namespace riffle;

namespace {

/// What a live text has in common with the one without drafts, and how far the rows of the first difference lie apart:
/// llama.cpp rounds the rows of a batch otherwise than those of single tokens.
struct comparison {
    const recorded_engine& alone;
    const live_engine& engine;
    std::size_t alike = 0;
    bool differs = false;
    float distance = 0.0f;

    template <class Draft>
    void operator()(const Draft& proposed, const verified& round) {
        const std::vector<std::size_t> rows = rows_of_tokens(proposed, round);
        for (std::size_t i = 0; i < round.tokens.size() && !differs && alike < alone.text().size(); ++i) {
            differs = round.tokens[i] != alone.text()[alike];
            if (differs) distance = greatest_difference(engine.row(rows[i]), alone.row_ahead_of(alike));
            else ++alike;
        }
    }

private:
    static float greatest_difference(std::span<const float> a, std::span<const float> b) {
        float greatest = 0.0f;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (std::isfinite(a[i]) && std::isfinite(b[i])) greatest = std::max(greatest, std::fabs(a[i] - b[i]));
        return greatest;
    }
};

class side_by_side {
public:
    side_by_side(const options& wanted, const request& asked, const loaded_model& model, dynamic_chain chain)
        : wanted_(wanted), asked_(asked), model_(model), engine_(model), chain_(std::move(chain)) {}

    /// Without drafts; its rows are recorded.
    bool run_alone() {
        no_drafts none;
        alone_ = generate(asked_, engine_, none, chain_, match{}, [&](const draft&, const verified& round) {
            recorded_.record(engine_.row(0), round.tokens[0]);
        });
        if (!alone_.problem.empty()) return fail("without drafts", alone_.problem);
        for (const token_id token : alone_.tokens) std::fputs(model_.piece(token).c_str(), stdout);
        std::printf("\n\n%-28s %11s %9s  %-24s %7s %8s %9s\n", "", "tokens an", "tokens", "accepted, in % of", "model",
                    "drafter", "verifier");
        std::printf("%-28s %11s %9s  %-24s %7s %8s %9s  %s\n", "", "evaluation", "a second", "drafts that go so far",
                    "ms", "us", "us", "the text");
        print("without drafts", alone_, "");
        return true;
    }
    /// With drafts under match: on the recorded rows the text must be the one without; on live ones it is compared.
    template <class MakeDrafting>
    void run(const std::string& name, MakeDrafting make) {
        if (name.find(wanted_.only) == name.npos) return;
        auto drafting = make();
        comparison compared{recorded_, engine_};
        const outcome live =
            generate(asked_, engine_, drafting, chain_, match{}, [&](const auto& d, const auto& r) { compared(d, r); });
        if (!live.problem.empty()) return void(fail(name, live.problem));
        auto again = make();
        const outcome replayed =
            generate(replayed_request(), recorded_, again, chain_, match{}, [](const auto&, const auto&) {});
        if (!replayed.problem.empty()) return void(fail(name + ", on recorded rows", replayed.problem));
        if (replayed.tokens != alone_.tokens)
            return void(fail(name, "on recorded rows the text is not the one without drafts"));
        print(name, live, compared.differs ? sentence(compared) : "as without");
    }
    /// By another verifier: the law is that without drafts, and the text another.
    template <class MakeDrafting, class Verifier>
    void run_by(const std::string& name, MakeDrafting make, Verifier how) {
        if (name.find(wanted_.only) == name.npos) return;
        auto drafting = make();
        const outcome live = generate(asked_, engine_, drafting, chain_, how, [](const auto&, const auto&) {});
        if (!live.problem.empty()) return void(fail(name, live.problem));
        print(name, live, "another of its law");
    }
    bool all_well() const { return failures_ == 0; }

private:
    bool fail(const std::string& name, const std::string& why) {
        std::printf("%-28s %s\n", name.c_str(), why.c_str());
        ++failures_;
        return false;
    }
    /// As long as rows were recorded for: the text may have ended early.
    request replayed_request() const {
        request shorter = asked_;
        shorter.tokens = alone_.tokens.size();
        return shorter;
    }
    std::string sentence(const comparison& found) const {
        char text[100];
        std::snprintf(text, sizeof text, "token %zu is another; its row is up to %.2g off", found.alike + 1,
                      double(found.distance));
        return text;
    }
    static std::string by_position(const outcome& of) {
        std::string all;
        for (std::size_t i = 0; i < of.rounds_drafted.size() && i < 6; ++i)
            all += std::to_string(of.rounds_accepted[i] * 100 / of.rounds_drafted[i]) + " ";
        return all;
    }
    void print(const std::string& name, const outcome& of, const std::string& text) const {
        const double tokens = double(std::max<std::size_t>(of.tokens.size(), 1));
        std::printf("%-28s %11.2f %9.0f  %-24s %7.0f %8.1f %9.1f  %s\n", name.c_str(), of.tokens_a_step(),
                    tokens / of.seconds(), by_position(of).c_str(), 1e3 * of.seconds_of_model,
                    1e6 * of.seconds_of_drafter / tokens, 1e6 * of.seconds_of_verifier / tokens, text.c_str());
        std::fflush(stdout);
    }

    const options& wanted_;
    const request& asked_;
    const loaded_model& model_;
    live_engine engine_;
    dynamic_chain chain_;
    recorded_engine recorded_;
    outcome alone_;
    int failures_ = 0;
};

void run_drafters(side_by_side& all, const options& wanted) {
    const auto tokens = std::size_t(wanted.drafted), nodes = std::size_t(wanted.nodes);
    all.run("suffix_automaton", [&] { return drafts_by<draft>(suffix_automaton{}, tokens); });
    all.run("suffix_automaton, tree", [&] { return drafts_by<draft_tree>(suffix_automaton{}, nodes); });
    all.run("suffix_automaton, paced", [&] { return paced_lines(suffix_automaton{}, tokens); });
    all.run("prompt_lookup", [&] { return drafts_by<draft>(prompt_lookup{}, tokens); });
    all.run("ngram_map", [&] { return drafts_by<draft>(ngram_map{}, tokens); });
    all.run("ngram_cache", [&] { return drafts_by<draft>(ngram_cache{}, tokens); });
    all.run("recycled_tokens", [&] { return drafts_by<draft>(recycled_tokens{}, tokens); });
    all.run("recycled_tokens, tree", [&] { return drafts_by<draft_tree>(recycled_tokens{}, nodes); });
    all.run("both, tree", [&] {
        return drafts_by<draft_tree>(draft_after{suffix_automaton{}, recycled_tokens{}}, nodes);
    });
}
void run_draft_model(side_by_side& all, const options& wanted, const loaded_model& small) {
    const auto by = [&](bool with_laws) {
        return [&small, &wanted, with_laws] {
            return by_model{.small = live_engine(small), .with_laws = with_laws, .most = std::size_t(wanted.drafted)};
        };
    };
    all.run("draft model, match", by(false));
    all.run_by("draft model, rejection", by(true), rejection{.seed = 7});
    all.run_by("draft model, blocks", by(true), block_verification{.seed = 7});
}

int fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
}

std::vector<token_id> ends_of(const loaded_model& model) {
    std::vector<token_id> ends;
    for (llama_token t = 0; t < llama_vocab_n_tokens(model.vocab()); ++t)
        if (llama_vocab_is_eog(model.vocab(), t)) ends.push_back(t);
    return ends;
}

}  // namespace

int main(int count, char** words) {
    options wanted;
    if (count < 2) return std::fputs(options::usage().c_str(), stdout), 0;
    if (!wanted.read(count, words)) return std::fputs("(speculate --help tells more)\n", stderr), 2;
    if (wanted.help) return std::fputs(options::usage().c_str(), stdout), 0;
    const loaded_model model(wanted.model, wanted.threads, wanted.nodes + 1);
    if (!model.problem().empty()) return fail(model.problem());

    const vocabulary all_tokens = llama::vocabulary_of(model.model());
    chain_settings settings = llama::settings_of(model.model(), &all_tokens);
    dynamic_chain chain;
    if (!settings.read(wanted.settings)) return fail(settings.problem());
    if (const status built = settings.build(chain, &all_tokens); !built.ok()) return fail(built.message().c_str());

    request asked{model.tokens_of(wanted.prompt), ends_of(model), std::size_t(wanted.tokens)};
    const auto longest = asked.prompt.size() + asked.tokens + std::size_t(std::max(wanted.nodes, wanted.drafted)) + 1;
    if (asked.prompt.empty() || longest > std::size_t(model.room()))
        return fail("the prompt is empty, or the text too long for this model");

    side_by_side all(wanted, asked, model, std::move(chain));
    if (!all.run_alone()) return 1;
    run_drafters(all, wanted);
    if (!wanted.draft_model.empty()) {
        const loaded_model small(wanted.draft_model, wanted.threads);
        if (!small.problem().empty()) return fail(small.problem());
        run_draft_model(all, wanted, small);
    }
    return all.all_well() ? 0 : 1;
}
