// numerics::llama against the real libllama 0.7.0: random chains over random rows, step after step. Both sides must
// leave the same candidates in the same order with the same bits of logit and p, the same size, sorted flag and
// selection. Three times: the forms one after the other; a chain of riffle's given candidates; and another one given
// the row, which goes the quick way as far as that can decide, and of which the token is compared.
//
// Left out is what the peer's source leaves undefined: steps that would sort NaN (riffle answers no_legal_token; the
// chain ends there), and accepting on a clone what the original of an adaptive_p drew last. Steps whose selected
// candidate is illegal (-inf or NaN) are compared like any other, and counted: a riffle chain answers no_legal_token.
//
// Infill, and dry with strings as breakers, need a vocabulary: a small one is written for them, or RIFFLE_LLAMA_MODEL
// names a GGUF file. RIFFLE_LLAMA_SEED starts elsewhere.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <llama.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "llama/random_chains.hpp"
#include "long_run.hpp"

namespace riffle_tests {
namespace {

struct counts {
    std::size_t steps = 0, differing = 0, undefined = 0, illegal = 0, chains = 0, rows = 0, quick = 0;
};

/// One chain over some steps, until they are done, something differs or something is undefined.
class walk {
public:
    walk(std::uint64_t seed, counts& n) : d_(seed), b_(random_chain(d_)), n_(n), seed_(seed) {
        for (const auto& stage : b_.stages) {
            stage.add(forms_);
            runs_ = stage.push(chain_) && runs_;
        }
    }

    void run() {
        ++n_.chains;
        std::size_t length = d_.log_uniform(b_.candidates > 2000 ? 8 : 100);
        if (b_.candidates < 8 && d_.one_in(60)) {  // generators pass their 624 words, and go back
            length = 1500;
            reset_one_in_ = 1000;
        }
        for (std::size_t step = 0; step < length && go_on_; ++step) {
            one_step();
            if (go_on_) between_steps();
        }
        n_.quick += chain_.replays().rows - chain_.replays().replays;
    }

private:
    void one_step() {
        bool sorted = false;
        ours_ = random_candidates(b_, d_, sorted);
        peers_.resize(ours_.size());
        for (std::size_t i = 0; i < ours_.size(); ++i) peers_[i] = {ours_[i].id, ours_[i].logit, ours_[i].p};
        given_ = ours_;
        candidates a{ours_.data(), ours_.size(), -1, sorted};
        llama_token_data_array e{peers_.data(), peers_.size(), -1, sorted};

        const status_code status = forms_.apply(a);
        ++n_.steps;
        if (status == status_code::no_legal_token) {
            ++n_.undefined;
            go_on_ = false;
            return;
        }
        llama_sampler_apply(b_.peers.get(), &e);
        std::string found = status == status_code::ok ? difference(a, e) : "a failure of riffle's";
        if (found.empty() && runs_) found = difference_of_chain(e, sorted);
        if (!found.empty()) {
            ++n_.differing;
            go_on_ = false;
            ADD_FAILURE() << "chain " << seed_ << ": " << b_.description << "\nof " << peers_.size()
                          << (sorted ? " sorted" : "") << " candidates: " << found;
            return;
        }
        chosen_ = a[a.selected >= 0 ? std::size_t(a.selected) : d_.below(a.size)].id;
        pending_ = a.selected >= 0 ? chosen_ : null_token;
        if (a.selected >= 0 && !(a[std::size_t(a.selected)].logit > -infinity)) ++n_.illegal;
    }

    /// The step once more by riffle's chain, on the row where the candidates are one.
    std::string difference_of_chain(const llama_token_data_array& e, bool sorted) {
        const bool selects = e.selected >= 0;
        bool is_row = selects && !sorted;
        for (std::size_t i = 0; is_row && i < given_.size(); ++i) is_row = given_[i].id == token_id(i);
        if (!is_row) {
            candidates c{given_.data(), given_.size(), -1, sorted};
            chain_.apply(c);
            const std::string found = difference(c, e);
            return found.empty() ? found : "the chain on candidates: " + found;
        }
        row_.clear();
        for (const auto& token : given_) row_.push_back(token.logit);
        const llama_token_data& chosen = e.data[std::size_t(e.selected)];
        const token_id expected = chosen.logit > -infinity ? chosen.id : null_token;
        const token_id token = chain_.peek(row_);
        ++n_.rows;
        if (token == expected) return {};
        return "the chain on the row: token " + std::to_string(token) + ", not " + std::to_string(expected) + " (" +
               chain_.last_status().message().c_str() + ")";
    }

    void between_steps() {
        if (d_.one_in(30)) clone_alike();
        if (d_.one_in(20)) go_back();
        if (!d_.one_in(10)) accept(next());
        for (std::size_t more = d_.one_in(10) ? d_.below(20) : 0; more > 0; --more) accept(next());
        if (d_.one_in(8)) accept_breaker();
        if (d_.one_in(reset_one_in_)) {
            llama_sampler_reset(b_.peers.get());
            forms_.reset();
            chain_.reset();
            accepted_.clear();
            saved_peers_.reset();
        }
        if (b_.clones_alike && d_.one_in(20)) {
            forms_.save();
            saved_chain_ = chain_;
            mark_ = chain_.mark();
            saved_peers_.reset(llama_sampler_clone(b_.peers.get()));
        }
    }
    /// Goes on with copies; the originals are gone.
    void clone_alike() {
        b_.peers.reset(llama_sampler_clone(b_.peers.get()));
        forms_ = chain_of_forms(forms_);
        chain_ = both::exact_chain(chain_);
        forbidden_ = b_.clones_alike ? null_token : pending_;
    }
    /// riffle by its mark, the peer by the clone it made then.
    void go_back() {
        if (!saved_peers_) return;
        b_.peers.reset(llama_sampler_clone(saved_peers_.get()));
        forms_.restore();
        if (!chain_.rollback(mark_).ok()) chain_ = saved_chain_;  // more than 128 tokens back
    }
    /// What was chosen, or something else: what was said before, so that there is something to repeat.
    token_id next() {
        if (d_.one_in(2)) return chosen_;
        if (accepted_.size() > 4 && !d_.one_in(5)) {
            if (repeating_ == 0 || d_.one_in(8)) repeating_ = 1 + d_.below(accepted_.size());
            return accepted_[accepted_.size() - (std::min)(repeating_, accepted_.size())];
        }
        if (d_.one_in(2)) {
            const auto& from = model::get().interesting();
            return from[d_.below(from.size())];
        }
        return token_id(d_.below(std::size_t(b_.ids)));
    }
    /// What only long breakers find: sequences of several tokens, whole or cut.
    void accept_breaker() {
        const auto& made = model::get().breakers();
        const token_sequences& sequences = made[d_.below(made.size())].spec.breakers;
        const auto& sequence = sequences.begin()[d_.below(sequences.size())];
        const std::size_t whole = d_.one_in(4) ? 1 + d_.below(sequence.size()) : sequence.size();
        for (std::size_t i = 0; i < whole; ++i) accept(sequence[i]);
    }
    void accept(token_id token) {
        if (token == forbidden_ && token != null_token) return;
        forbidden_ = null_token;
        llama_sampler_accept(b_.peers.get(), token);
        forms_.accept(token);
        chain_.accept(token);
        accepted_.push_back(token);
    }

    dice d_;
    both b_;
    chain_of_forms forms_;
    both::exact_chain chain_;
    bool runs_ = true;  ///< the chain does: its parameters are among those that have a meaning
    counts& n_;
    std::uint64_t seed_;
    std::vector<token_data> ours_, given_;
    std::vector<float> row_;
    both::exact_chain saved_chain_;
    checkpoint mark_;
    std::vector<llama_token_data> peers_;
    std::vector<token_id> accepted_;
    peer saved_peers_;
    token_id chosen_ = 0, pending_ = null_token;
    token_id forbidden_ = null_token;  ///< the peer would read what is not there
    std::size_t repeating_ = 0, reset_one_in_ = 60;
    bool go_on_ = true;
};

/// In four parts, for several cores.
class Differential : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Quarters, Differential, testing::Values(0, 1, 2, 3));

TEST_P(Differential, RandomChainsAreThoseOfLlama) {
#if defined(__SANITIZE_ADDRESS__)
    const std::size_t steps = 5000;
#else
    const std::size_t steps = how_many(50000, 2500000, "steps against libllama 0.7.0");
#endif
    const char* const from = std::getenv("RIFFLE_LLAMA_SEED");
    std::uint64_t seed = (from ? std::strtoull(from, nullptr, 10) : 1) + (GetParam() << 32);
    counts n;
    for (; n.steps < steps && n.differing < 5; ++seed) walk(seed, n).run();
    std::printf(
        "%zu steps of %zu chains; %zu differ, %zu (%.3f%%) undefined for the peer, %zu (%.3f%%) chose an illegal "
        "token; %zu steps on rows, %zu of them the quick way\n",
        n.steps, n.chains, n.differing, n.undefined, 100.0 * double(n.undefined) / double(n.steps), n.illegal,
        100.0 * double(n.illegal) / double(n.steps), n.rows, n.quick);
    EXPECT_EQ(n.differing, 0u);
}

/// The first word of this seed rounds to 1 as a float. The library was compiled with libstdc++ 16, which draws again;
/// one compiled with libstdc++ 15 or older would go on with 1 - 2^-24, and differ here.
TEST(RandomWords, WhatRoundsToOneIsDrawnAgain) {
    constexpr std::uint32_t seed = 14784396;
    EXPECT_EQ(exact::mersenne_twister(seed)(), 0xFFFFFFEFu);
    const peer sampler(llama_sampler_init_xtc(0.8f, 0.1f, 0, seed));
    std::vector<llama_token_data> list{{0, 0.0f, 0.0f}, {1, 0.0f, 0.0f}};
    llama_token_data_array e{list.data(), list.size(), -1, false};
    llama_sampler_apply(sampler.get(), &e);
    EXPECT_EQ(e.size, 1u) << "not fired, so the number drawn was not " << double(0xB3B39363u) * 0x1p-32;
}

}  // namespace
}  // namespace riffle_tests
