// riffle's chains as llama_samplers, against libllama 0.7.0 in the same process: random chains over random arrays, step
// after step. One side is made of llama.cpp's samplers; the other of the same with some, or all, replaced by riffle's
// (runs of stages as one sampler each, between llama.cpp's own). Both must leave the same candidates in the same order
// with the same logits, the same size, sorted flag and selection, and p within 1e-6.
//
// What llama.cpp's source leaves undefined is left out as in differential.cpp. RIFFLE_LLAMA_SEED starts elsewhere.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <llama.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/array_difference.hpp"
#include "llama/random_chains.hpp"
#include "long_run.hpp"

namespace riffle_tests::llama_adapter {
namespace {

struct counts {
    std::size_t steps = 0, differing = 0, undefined = 0, illegal = 0, chains = 0, samplers = 0, rows = 0;
};

/// One chain over some steps, until they are done, something differs or something is undefined.
class walk {
public:
    walk(std::uint64_t seed, counts& n) : d_(seed), b_(random_chain(d_)), n_(n), seed_(seed) {
        for (const auto& stage : b_.stages) stage.add(forms_);
        make_ours();
    }

    void run() {
        ++n_.chains;
        if (!runs_) return;  // a parameter that llama.cpp takes and riffle calls without meaning
        const std::size_t length = d_.log_uniform(b_.candidates > 2000 ? 8 : 100);
        for (std::size_t step = 0; step < length && go_on_; ++step) {
            one_step();
            if (go_on_) between_steps();
        }
    }

private:
    /// Runs of stages as a riffle sampler, and llama.cpp's own between them; in a third of all chains nothing but one
    /// of riffle's.
    void make_ours() {
        ours_ = empty_peer();
        const std::size_t longest = d_.one_in(3) ? b_.stages.size() : 1 + d_.below(3);
        const bool mixed = longest < b_.stages.size();
        for (std::size_t i = 0; i < b_.stages.size();) {
            if (mixed && d_.one_in(2)) {
                add(llama_sampler_clone(b_.stages[i++].sampler), "llama.cpp's");
                continue;
            }
            both::exact_chain run;
            const std::size_t first = i;
            while (i < b_.stages.size() && i - first < longest) runs_ = b_.stages[i++].push(run) && runs_;
            add(llama::make_sampler(std::move(run)), std::to_string(i - first));
            ++n_.samplers;
        }
    }
    void add(llama_sampler* sampler, const std::string& what) {
        ASSERT_NE(sampler, nullptr);
        llama_sampler_chain_add(ours_.get(), sampler);
        made_of_ += made_of_.empty() ? what : " | " + what;
    }

    void one_step() {
        bool sorted = false;
        const std::vector<token_data> given = random_candidates(b_, d_, sorted);
        for (const token_data& token : given)
            if (token.logit != token.logit) return;  // none are
        a_.resize(given.size());
        e_.resize(given.size());
        for (std::size_t i = 0; i < given.size(); ++i) a_[i] = e_[i] = {given[i].id, given[i].logit, given[i].p};
        const std::int64_t selected = d_.one_in(8) ? std::int64_t(d_.below(given.size())) : -1;
        llama_token_data_array a{a_.data(), a_.size(), selected, sorted};
        llama_token_data_array e{e_.data(), e_.size(), selected, sorted};

        if (is_undefined(given, sorted)) {
            ++n_.undefined;
            go_on_ = false;
            return;
        }
        llama_sampler_apply(b_.peers.get(), &e);
        llama_sampler_apply(ours_.get(), &a);
        ++n_.steps;
        n_.rows += given.size() >= 1024;
        if (const std::string found = difference(a, e); !found.empty()) {
            ++n_.differing;
            go_on_ = false;
            ADD_FAILURE() << "chain " << seed_ << ": " << b_.description << "\nas " << made_of_ << " of " << e_.size()
                          << (sorted ? " sorted" : "") << " candidates: " << found;
            return;
        }
        const bool selects = e.selected >= 0 && std::size_t(e.selected) < e.size;
        chosen_ = e.data[selects ? std::size_t(e.selected) : d_.below(e.size)].id;
        pending_ = selects ? chosen_ : null_token;
        if (selects && !(e.data[e.selected].logit > -infinity)) ++n_.illegal;
    }
    /// Whether the peer would sort NaN, or abort: what riffle's forms say of a copy of their own.
    bool is_undefined(std::vector<token_data> given, bool sorted) {
        candidates c{given.data(), given.size(), -1, sorted};
        return forms_.apply(c) != status_code::ok;
    }

    void between_steps() {
        if (d_.one_in(30)) clone_alike();
        if (d_.one_in(20)) copy_back();
        if (!d_.one_in(10)) accept(d_.one_in(2) ? chosen_ : token_id(d_.below(std::size_t(b_.ids))));
        for (std::size_t more = d_.one_in(10) ? d_.below(20) : 0; more > 0; --more) accept(more % 3 ? chosen_ : 0);
        if (d_.one_in(60)) {
            llama_sampler_reset(b_.peers.get());
            llama_sampler_reset(ours_.get());
            forms_.reset();
        }
        if (b_.clones_alike && d_.one_in(20)) {
            saved_peers_.reset(llama_sampler_clone(b_.peers.get()));
            saved_ours_.reset(llama_sampler_clone(ours_.get()));
            saved_forms_ = chain_of_forms(forms_);
        }
    }
    /// Goes on with clones; the originals are gone.
    void clone_alike() {
        b_.peers.reset(llama_sampler_clone(b_.peers.get()));
        ours_.reset(llama_sampler_clone(ours_.get()));
        forms_ = chain_of_forms(forms_);
        forbidden_ = b_.clones_alike ? null_token : pending_;
    }
    /// Both back to the state of clones made earlier, as llama.cpp's server goes back: by llama_sampler_copy.
    void copy_back() {
        if (!saved_peers_) return;
        llama_sampler_copy(saved_peers_.get(), b_.peers.get());
        llama_sampler_copy(saved_ours_.get(), ours_.get());
        forms_ = chain_of_forms(saved_forms_);
    }
    void accept(token_id token) {
        if (token == forbidden_ && token != null_token) return;  // the peer would read what is not there
        forbidden_ = null_token;
        llama_sampler_accept(b_.peers.get(), token);
        llama_sampler_accept(ours_.get(), token);
        forms_.accept(token);
    }

    dice d_;
    both b_;
    counts& n_;
    std::uint64_t seed_;
    peer ours_, saved_ours_, saved_peers_;
    chain_of_forms forms_, saved_forms_;  ///< the same once more, to know what is undefined
    std::string made_of_;
    std::vector<llama_token_data> a_, e_;
    token_id chosen_ = 0, pending_ = null_token, forbidden_ = null_token;
    bool runs_ = true, go_on_ = true;
};

/// In four parts, for several cores.
class LlamaAdapter : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Quarters, LlamaAdapter, testing::Values(0, 1, 2, 3));

TEST_P(LlamaAdapter, LeavesWhatLlamasSamplersLeave) {
#if defined(__SANITIZE_ADDRESS__)
    const std::size_t steps = 5000;
#else
    const std::size_t steps = how_many(50000, 500000, "steps of adapted chains against libllama 0.7.0");
#endif
    const char* const from = std::getenv("RIFFLE_LLAMA_SEED");
    std::uint64_t seed = (from ? std::strtoull(from, nullptr, 10) : 1) + (GetParam() << 32);
    counts n;
    for (; n.steps < steps && n.differing < 5; ++seed) walk(seed, n).run();
    std::printf("%zu steps of %zu chains with %zu samplers of riffle's; %zu differ, %zu (%.3f%%) undefined for the "
                "peer, %zu (%.3f%%) chose an illegal token; %zu steps on rows\n",
                n.steps, n.chains, n.samplers, n.differing, n.undefined, 100.0 * double(n.undefined) / double(n.steps),
                n.illegal, 100.0 * double(n.illegal) / double(n.steps), n.rows);
    EXPECT_EQ(n.differing, 0u);
}

/// Chains whose stages are types, beside the same ones of llama.cpp's, on rows of several shapes.
/// Users' stages see canonical logits in riffle: there rows have no others.
template <class... Stages>
void expect_typed(std::initializer_list<llama_sampler*> samplers, const Stages&... stages) {
    const peer peers = empty_peer(), ours = empty_peer();
    for (llama_sampler* const sampler : samplers) llama_sampler_chain_add(peers.get(), sampler);
    llama_sampler_chain_add(ours.get(), llama::make_sampler(chain<llama_exact>(stages...)));
    dice d(99);
    for (int step = 0; step < 300; ++step) {
        std::vector<float> row = random_row(step % 3 == 0 ? 40 : 1000 + d.below(3000), d);
        if constexpr (!(riffle::exact::has_form<Stages> && ...))
            for (float& logit : row) logit = (std::min)(canonical(logit), 1e6f);
        std::vector<llama_token_data> a, e;
        for (std::size_t i = 0; i < row.size(); ++i) a.push_back({token_id(i), row[i], 0.0f});
        e = a;
        llama_token_data_array ours_left{a.data(), a.size(), -1, false}, peers_left{e.data(), e.size(), -1, false};
        llama_sampler_apply(peers.get(), &peers_left);
        llama_sampler_apply(ours.get(), &ours_left);
        ASSERT_EQ(difference(ours_left, peers_left), "") << "step " << step;
        const token_id token = peers_left.data[peers_left.selected].id;
        llama_sampler_accept(peers.get(), token);
        llama_sampler_accept(ours.get(), token);
    }
}
TEST(LlamaAdapterTyped, LeavesWhatLlamasSamplersLeave) {
    expect_typed({llama_sampler_init_top_k(40), llama_sampler_init_top_p(0.95f, 1), llama_sampler_init_temp(0.8f),
                  llama_sampler_init_dist(1)},
                 top_k{40}, top_p{0.95f, 1}, temperature{0.8f}, dist{.seed = 1});
    expect_typed({llama_sampler_init_temp(0.8f), llama_sampler_init_dist(2)}, temperature{0.8f}, dist{.seed = 2});
    expect_typed({llama_sampler_init_penalties(5000, 20, 1.2f, 0.1f, 0.2f), llama_sampler_init_greedy()},
                 penalties{.last_n = 20, .repeat = 1.2f, .frequency = 0.1f, .presence = 0.2f}, greedy{});
    expect_typed({llama_sampler_init_min_p(0.05f, 3), llama_sampler_init_dist(3)}, min_p{0.05f, 3}, dist{.seed = 3});
    expect_typed({llama_sampler_init_top_n_sigma(1.0f), llama_sampler_init_dist(4)}, top_n_sigma{1.0f},
                 dist{.seed = 4});
    expect_typed({llama_sampler_init_mirostat(3000, 5, 5.0f, 0.1f, 100)},
                 mirostat{.tau = 5.0f, .eta = 0.1f, .m = 100, .n_vocab = 3000, .seed = 5});
    expect_typed({llama_sampler_init_mirostat_v2(6, 5.0f, 0.1f)}, mirostat_v2{.tau = 5.0f, .eta = 0.1f, .seed = 6});
}

/// A hundred thousand tokens far below one that is likely: together they are a part of the whole that p must show.
TEST(LlamaAdapterTyped, TakesWhatIsFarBelowIntoP) {
    const peer theirs = empty_peer(), ours = empty_peer();
    llama_sampler_chain_add(theirs.get(), llama_sampler_init_dist(7));
    llama_sampler_chain_add(ours.get(), llama::make_sampler(chain<llama_exact>(dist{.seed = 7})));
    for (const float below : {-17.0f, -20.7f, -20.9f, -23.0f, -29.0f, -31.0f}) {
        std::vector<llama_token_data> a;
        for (token_id id = 0; id < 100000; ++id) a.push_back({id, below - float(id % 7) * 0.01f, 0.0f});
        a[777].logit = 0.0f;
        std::vector<llama_token_data> e = a;
        llama_token_data_array left{a.data(), a.size(), -1, false}, expected{e.data(), e.size(), -1, false};
        llama_sampler_apply(theirs.get(), &expected);
        llama_sampler_apply(ours.get(), &left);
        EXPECT_EQ(difference(left, expected), "") << below;
    }
}

/// Verbs of a user's own, and the same as a sampler of llama.cpp's.
struct even_ones_lower {
    static void apply_to(token_data* data, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i)
            if (data[i].id % 2 == 0) data[i].logit -= 0.25f;
    }
    void apply(candidates& c) const noexcept { apply_to(c.data, c.size); }
};
struct first_two_change_places {
    static void apply_to(token_data* data, std::size_t size) {
        if (size > 1) std::swap(data[0], data[1]);
    }
    void apply(candidates& c) const noexcept { apply_to(c.data, c.size); }
};
template <class Verb>
llama_sampler* as_peer() {
    static llama_sampler_i table = [] {
        llama_sampler_i i{};
        i.apply = [](llama_sampler*, llama_token_data_array* a) {
            Verb::apply_to(reinterpret_cast<token_data*>(a->data), a->size);
            a->sorted = false;
        };
        return i;
    }();
    return llama_sampler_init(&table, nullptr);
}
TEST(LlamaAdapterTyped, UsersStagesLeaveWhatSamplersLeave) {
    const auto lower = [] { return as_peer<even_ones_lower>(); };
    expect_typed({lower(), llama_sampler_init_top_k(40), llama_sampler_init_dist(1)}, even_ones_lower{}, top_k{40},
                 dist{.seed = 1});
    expect_typed({llama_sampler_init_temp(0.7f), lower(), llama_sampler_init_top_p(0.9f, 1), lower(),
                  llama_sampler_init_dist(2)},
                 temperature{0.7f}, even_ones_lower{}, top_p{0.9f}, even_ones_lower{}, dist{.seed = 2});
    expect_typed({lower(), llama_sampler_init_temp(0.7f), lower(), llama_sampler_init_min_p(0.01f, 1),
                  llama_sampler_init_dist(3)},
                 even_ones_lower{}, temperature{0.7f}, even_ones_lower{}, min_p{0.01f}, dist{.seed = 3});
    expect_typed({lower(), llama_sampler_init_mirostat_v2(4, 5.0f, 0.1f)}, even_ones_lower{},
                 mirostat_v2{.tau = 5.0f, .eta = 0.1f, .seed = 4});
    expect_typed({as_peer<first_two_change_places>(), llama_sampler_init_temp(0.7f), llama_sampler_init_top_k(300),
                  llama_sampler_init_dist(5)},
                 first_two_change_places{}, temperature{0.7f}, top_k{300}, dist{.seed = 5});
}

}  // namespace
}  // namespace riffle_tests::llama_adapter
