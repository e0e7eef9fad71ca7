// Random chains with a grammar in front of them, over random arrays and rows, step after step: what riffle's leaves as
// one llama_sampler beside what llama.cpp's grammar and samplers leave, and the token of the chain on the row. As
// adapter.cpp does it for chains without; what the source of llama.cpp leaves undefined is left out as there.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <llama.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama.hpp>

#include "llama/array_difference.hpp"
#include "llama/chain_of_forms.hpp"
#include "llama/grammar_models.hpp"
#include "llama/random_chains.hpp"
#include "long_run.hpp"

namespace riffle_tests::llama_constrained_arrays {
namespace {

using namespace riffle;

struct counts {
    std::size_t steps = 0, differing = 0, undefined = 0, illegal = 0, chains = 0, rows = 0, tokens = 0, few = 0;
};

const char* random_language(dice& d) {
    return d.one_of({"root ::= [a-eg-z ]+", "root ::= [a-z]*", "root ::= (\"the king\" | [a-d]{2,6} \" \")+ \".\"",
                     "root ::= \" \"? [bcdf] [aeiou] (root | \".\")", "root ::= (\" ba\" | \" b\" [a-i] [a-z]{2,9})+",
                     "root ::= (<[300]> | <[301]> | [k-m] [a-z])+", "root ::= [b-w ]{40,}", "root ::= \"\\n\"+"});
}

/// One chain and one grammar over some steps, until they are done, something differs or something is undefined.
class walk {
public:
    walk(std::uint64_t seed, counts& n) : d_(seed), b_(random_chain(d_)), n_(n), seed_(seed) {
        const known_model& model = written_model();
        fits_ = !b_.has_infill && b_.ids <= model.size();
        if (!fits_) return;
        const char* const source = random_language(d_);
        grammar_ = grammar_matcher(*parse_gbnf(source), model.trie());
        their_grammar_.reset(llama_sampler_init_grammar(model.vocab(), source, "root"));
        EXPECT_TRUE((grammar_.check)().ok()) << source;
        EXPECT_NE(their_grammar_, nullptr) << source;
        b_.description = std::string(source) + " in front of " + b_.description;
        fits_ = chain_.push(constrain{grammar_}).ok();
        for (const auto& stage : b_.stages) {
            stage.add(forms_);
            fits_ = stage.push(chain_) && fits_;  // a parameter that llama.cpp takes and riffle calls without meaning
        }
        ours_.reset(llama::make_sampler(chain_));
    }
    void run() {
        if (!fits_) return;
        ++n_.chains;
        const std::size_t length = d_.log_uniform(30);
        for (std::size_t step = 0; step < length && go_on_; ++step) one_step();
    }

private:
    void one_step() {
        bool sorted = false;
        std::vector<token_data> given = random_candidates(b_, d_, sorted);
        bool is_row = !sorted;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i].logit != given[i].logit) return;  // none are
            is_row = is_row && given[i].id == token_id(i);
        }
        std::vector<llama_token_data> a, e;
        std::vector<float> row;
        for (const token_data& token : given) {
            a.push_back({token.id, token.logit, token.p});
            row.push_back(token.logit);
        }
        e = a;
        const std::int64_t selected = d_.one_in(8) ? std::int64_t(d_.below(given.size())) : -1;
        llama_token_data_array left{a.data(), a.size(), selected, sorted},
            expected{e.data(), e.size(), selected, sorted};
        if (is_undefined(given, sorted)) {
            ++n_.undefined;
            go_on_ = false;
            return;
        }
        llama_sampler_apply(their_grammar_.get(), &expected);
        llama_sampler_apply(b_.peers.get(), &expected);
        llama_sampler_apply(ours_.get(), &left);
        ++n_.steps;
        n_.rows += is_row;
        n_.few += !grammar_.legal_ids().empty();
        if (const std::string found = difference(left, expected); !found.empty())
            return differs(given.size(), sorted ? " sorted" : "", found);
        go_on_with(expected, is_row ? row : std::vector<float>());
    }
    void go_on_with(const llama_token_data_array& left, const std::vector<float>& row) {
        const bool selects = left.selected >= 0 && std::size_t(left.selected) < left.size;
        const llama_token_data& chosen = left.data[selects ? std::size_t(left.selected) : d_.below(left.size)];
        if (!(chosen.logit > -infinity) || !grammar_.allows(chosen.id)) {
            ++n_.illegal;
            go_on_ = false;
            return;
        }
        saw_all_ = saw_all_ && !row.empty() && chain_.view().has_selector();
        if (saw_all_) {
            ++n_.tokens;
            if (const token_id token = chain_.peek(row); token != chosen.id)
                return differs(row.size(), ", a row of", std::to_string(token) + ", not " + std::to_string(chosen.id));
        }
        if (written_model().words().ends_generation(chosen.id)) go_on_ = false;
        llama_sampler_accept(their_grammar_.get(), chosen.id);
        llama_sampler_accept(b_.peers.get(), chosen.id);
        llama_sampler_accept(ours_.get(), chosen.id);
        forms_.accept(chosen.id);
        EXPECT_TRUE(grammar_.accept(chosen.id).state.ok());
        if (saw_all_) {
            EXPECT_TRUE(chain_.accept(chosen.id).state.ok());
        }
        if (d_.one_in(20)) clone_alike();
    }
    /// Goes on with copies of all; the originals are gone. (llama.cpp's adaptive_p draws anew in them: so does ours.)
    void clone_alike() {
        their_grammar_.reset(llama_sampler_clone(their_grammar_.get()));
        b_.peers.reset(llama_sampler_clone(b_.peers.get()));
        ours_.reset(llama_sampler_clone(ours_.get()));
        chain_ = both::exact_chain(chain_);
        forms_ = chain_of_forms(forms_);
    }
    void differs(std::size_t size, const char* what, const std::string& found) {
        ++n_.differing;
        go_on_ = false;
        ADD_FAILURE() << "chain " << seed_ << ": " << b_.description << "\nof " << size << what
                      << " candidates: " << found;
    }
    /// Whether the peer would sort NaN, or abort: what riffle's forms say of a copy of their own.
    bool is_undefined(std::vector<token_data> given, bool sorted) {
        for (auto& token : given)
            if (!grammar_.allows(token.id)) token.logit = -infinity;
        candidates c{given.data(), given.size(), -1, sorted};
        return forms_.apply(c) != status_code::ok;
    }

    dice d_;
    both b_;
    counts& n_;
    std::uint64_t seed_;
    grammar_matcher grammar_;
    sampler_owner their_grammar_, ours_;
    both::exact_chain chain_;
    chain_of_forms forms_;  ///< to know what is undefined
    bool fits_ = true, go_on_ = true;
    bool saw_all_ = true;  ///< the chain was given each row so far
};

TEST(ConstrainedArrays, AreLeftAsLlamasSamplersLeaveThem) {
#if defined(__SANITIZE_ADDRESS__)
    const std::size_t steps = 1000;
#else
    const std::size_t steps = how_many(4000, 100000, "steps of chains with a grammar against libllama 0.7.0");
#endif
    const char* const from = std::getenv("RIFFLE_LLAMA_SEED");
    counts n;
    for (std::uint64_t seed = from ? std::strtoull(from, nullptr, 10) : 1; n.steps < steps && n.differing < 5; ++seed)
        walk(seed, n).run();
    std::printf("%zu steps of %zu chains, %zu of them on rows, %zu with few legal tokens, %zu tokens; %zu differ, %zu "
                "undefined for the peer, %zu chose an illegal token\n",
                n.steps, n.chains, n.rows, n.few, n.tokens, n.differing, n.undefined, n.illegal);
    EXPECT_EQ(n.differing, 0u);
    EXPECT_GT(n.tokens, 0u);
}

}  // namespace
}  // namespace riffle_tests::llama_constrained_arrays
