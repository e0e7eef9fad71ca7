// A payload's trie as a llama_sampler: what it leaves in libllama's arrays, and that a model keeps to it.

#include <cstddef>
#include <limits>
#include <llama.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_token_trie.hpp>

#include "llama/contexts.hpp"
#include "llama/owners.hpp"

namespace riffle_tests::llama_token_trie {
namespace {

using namespace riffle;

constexpr const char* think_or_execute = R"({"modelId": "test", "descriptors": [{"path": "action",
    "leaves": [{"name": "THINK", "tokens": [100, 101]}, {"name": "EXECUTE", "tokens": [200]}]}]})";
constexpr float masked = -std::numeric_limits<float>::infinity();

const llama_vocab* vocab() { return llama_model_get_vocab(random_model()); }
sampler_owner trie_sampler(const char* payload, int mode) {
    return sampler_owner(riffle::llama::token_trie_sampler(vocab(), payload, mode));
}
/// Candidates of some tokens, after the sampler.
std::vector<llama_token_data> applied(llama_sampler* sampler, std::vector<llama_token_data> tokens,
                                      std::int64_t* selected = nullptr) {
    llama_token_data_array array{tokens.data(), tokens.size(), -1, false};
    llama_sampler_apply(sampler, &array);
    if (selected) *selected = array.selected;
    return {array.data, array.data + array.size};
}

TEST(LlamaTokenTrie, OfNoLeavesIsNull) {
    EXPECT_EQ(trie_sampler(R"({ "modelId": "test", "descriptors": [] })", 0), nullptr);
    EXPECT_STREQ(riffle::llama::last_problem().c_str(),
                 "in /descriptors: there are no leaves, so nothing is constrained");
}

TEST(LlamaTokenTrie, SaysWhyItIsNull) {
    EXPECT_EQ(trie_sampler("{", 0), nullptr);
    EXPECT_STREQ(riffle::llama::last_problem().c_str(), "1:2: this is not JSON");
    EXPECT_EQ(trie_sampler(think_or_execute, 2), nullptr);
    EXPECT_STREQ(riffle::llama::last_problem().c_str(),
                 "token_trie_sampler: a mode is 0 (the greatest) or 1 (drawn)");
    EXPECT_EQ(trie_sampler(nullptr, 0), nullptr);
    EXPECT_STREQ(riffle::llama::last_problem().c_str(), "token_trie_sampler: there is no vocabulary, or no payload");
    const llama_vocab* const none = nullptr;
    EXPECT_EQ(riffle::llama::token_trie_sampler(none, think_or_execute, 0), nullptr);
    const std::string beyond = std::to_string(llama_vocab_n_tokens(vocab()));
    const std::string end = std::to_string(llama_vocab_eos(vocab()));
    for (const std::string& token : {beyond, end, std::string("-1")}) {
        const std::string payload = R"({"modelId":"m","descriptors":[{"path":"p","leaves":[{"name":"a","tokens":[)" +
                                    token + "]}]}]}";
        EXPECT_EQ(trie_sampler(payload.c_str(), 1), nullptr) << token;
        EXPECT_NE(*riffle::llama::last_problem().c_str(), '\0');
        if (token == end) {
            const sampler_owner allowed(
                riffle::llama::token_trie_sampler(vocab(), payload.c_str(), 1, {.allow_special = true}));
            EXPECT_NE(allowed, nullptr);
        }
    }
    (void)trie_sampler("{", 0);
    std::thread([] { EXPECT_STREQ(riffle::llama::last_problem().c_str(), ""); }).join();  // each thread has its own
    EXPECT_NE(trie_sampler(think_or_execute, 0), nullptr);
    EXPECT_STREQ(riffle::llama::last_problem().c_str(), "");
}

TEST(LlamaTokenTrie, MasksAtOnce) {
    for (const int mode : {0, 1}) {
        const sampler_owner trie = trie_sampler(think_or_execute, mode);
        ASSERT_NE(trie, nullptr);
        EXPECT_STREQ(llama_sampler_name(trie.get()), "token-trie");
        std::int64_t selected = -7;
        const auto left = applied(trie.get(), {{100, 5.0f, 0.0f}, {200, 4.0f, 0.0f}, {999, 6.0f, 0.0f}}, &selected);
        ASSERT_EQ(left.size(), 3u);
        EXPECT_EQ(left[0].logit, 5.0f);
        EXPECT_EQ(left[1].logit, 4.0f);
        EXPECT_EQ(left[2].logit, masked);
        EXPECT_EQ(selected, mode == 0 ? 0 : -1);
    }
}

TEST(LlamaTokenTrie, Walks) {
    const sampler_owner trie = trie_sampler(think_or_execute, 1);
    EXPECT_EQ(applied(trie.get(), {{100, 1.0f, 0.0f}})[0].logit, 1.0f);
    llama_sampler_accept(trie.get(), 100);
    EXPECT_EQ(applied(trie.get(), {{101, 1.0f, 0.0f}})[0].logit, 1.0f);
    EXPECT_EQ(applied(trie.get(), {{100, 1.0f, 0.0f}})[0].logit, masked);
    const sampler_owner clone(llama_sampler_clone(trie.get()));
    llama_sampler_accept(trie.get(), 101);
    const auto all = applied(trie.get(), {{101, 1.0f, 0.0f}, {7, 2.0f, 0.0f}});
    EXPECT_EQ(all[0].logit, 1.0f);
    EXPECT_EQ(all[1].logit, 2.0f);
    EXPECT_EQ(riffle::llama::trie_of(trie.get())->leaf_name(), "THINK");
    // The clone stands where it was made, over one trie.
    EXPECT_EQ(riffle::llama::trie_of(clone.get())->status(), trie_status::active);
    EXPECT_TRUE(riffle::llama::trie_of(clone.get())->trie() == riffle::llama::trie_of(trie.get())->trie());
    EXPECT_EQ(applied(clone.get(), {{7, 2.0f, 0.0f}})[0].logit, masked);
    llama_sampler_reset(trie.get());
    EXPECT_EQ(applied(trie.get(), {{101, 1.0f, 0.0f}})[0].logit, masked);
    EXPECT_EQ(applied(trie.get(), {{200, 1.0f, 0.0f}})[0].logit, 1.0f);
}

/// No token that is not legal comes out as if it were: one candidate is left, and the chain says why.
TEST(LlamaTokenTrie, LeavesOneCandidateWhereNoLegalOneIsThere) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<llama_token_data> whole_row;
    for (int id = 0; id < 2000; ++id) whole_row.push_back({id, id == 100 || id == 200 ? masked : float(id % 7), 0.0f});
    const std::vector<std::vector<llama_token_data>> without{
        {{999, 5.0f, 0.0f}}, {{999, 5.0f, 0.0f}, {100, masked, 0.0f}, {200, masked, 0.0f}},
        {{999, 5.0f, 0.0f}, {100, nan, 0.0f}, {200, nan, 0.0f}}, whole_row};
    for (const int mode : {0, 1})
        for (const auto& candidates : without) {
            const sampler_owner trie = trie_sampler(think_or_execute, mode);
            std::int64_t selected = -7;
            const auto left = applied(trie.get(), candidates, &selected);
            ASSERT_EQ(left.size(), 1u);
            EXPECT_EQ(left[0].logit, masked);
            EXPECT_EQ(selected, mode == 0 ? 0 : -1);
            const status why = mode == 0
                                   ? riffle::llama::chain_of<riffle::llama::detail::greatest_trie_chain>(trie.get())->last_status()
                                   : riffle::llama::chain_of<riffle::llama::detail::drawn_trie_chain>(trie.get())->last_status();
            EXPECT_TRUE(why == status_code::no_legal_token) << why.message().c_str();
            llama_sampler_accept(trie.get(), left[0].id);
            EXPECT_EQ(applied(trie.get(), {{100, 1.0f, 0.0f}, {7, 2.0f, 0.0f}})[0].logit, 1.0f);
        }
}

TEST(LlamaTokenTrie, AcceptsWhatIsForced) {
    const char* const payload = R"({"modelId": "m", "descriptors": [{"path": "p", "leaves": [{"name": "A", "tokens": [7, 7, 8]}]}]})";
    for (const int mode : {0, 1}) {
        sampler_owner trie = trie_sampler(payload, mode);
        const std::vector<token_id> all = riffle::llama::trie_of(trie.get())->forced_run();
        EXPECT_EQ(all, std::vector<token_id>({7, 7, 8}));
        EXPECT_TRUE(riffle::llama::accept_forced(trie.get(), all).ok());  // ahead of the first apply
        EXPECT_EQ(riffle::llama::trie_of(trie.get())->leaf_name(), "A");
        trie = trie_sampler(payload, mode);
        (void)applied(trie.get(), {{7, 1.0f, 0.0f}});
        llama_sampler_accept(trie.get(), 7);
        const std::vector<token_id> rest = riffle::llama::trie_of(trie.get())->forced_run();
        EXPECT_EQ(rest, std::vector<token_id>({7, 8}));  // the first of them is the one that was just sampled
        EXPECT_TRUE(riffle::llama::accept_forced(trie.get(), rest).ok());
        EXPECT_EQ(riffle::llama::trie_of(trie.get())->status(), trie_status::done);
    }
    const sampler_owner other(llama_sampler_init_greedy());
    EXPECT_FALSE(riffle::llama::accept_forced(other.get(), std::vector<token_id>{7}).ok());
    EXPECT_EQ(riffle::llama::token_trie_sampler(token_trie(), 0), nullptr);
}

TEST(LlamaTokenTrie, PassesAPromptBy) {
    const sampler_owner trie = trie_sampler(think_or_execute, 1);
    for (const llama_token token : {5, 100, 6}) llama_sampler_accept(trie.get(), token);
    EXPECT_EQ(applied(trie.get(), {{101, 1.0f, 0.0f}})[0].logit, masked);
    llama_sampler_accept(trie.get(), 55);  // not legal: it is not accepted, and nothing ends
    EXPECT_EQ(applied(trie.get(), {{100, 1.0f, 0.0f}})[0].logit, 1.0f);
}

TEST(LlamaTokenTrie, OfSeveralDescriptorsIsSelectedByPath) {
    const sampler_owner trie = trie_sampler(R"({"modelId":"m","descriptors":[
        {"path":"action","leaves":[{"name":"A","tokens":[10]}]}, {"path":"mood","leaves":[{"name":"B","tokens":[20]}]}]})",
                                            1);
    ASSERT_NE(trie, nullptr);
    EXPECT_EQ(applied(trie.get(), {{30, 1.0f, 0.0f}})[0].logit, 1.0f);
    llama_sampler_accept(trie.get(), 30);
    bool selected = false;
    EXPECT_TRUE(riffle::llama::change_trie(trie.get(), [&](trie_matcher& m) { selected = m.select("mood").ok(); }));
    EXPECT_TRUE(selected);
    EXPECT_EQ(applied(trie.get(), {{30, 1.0f, 0.0f}})[0].logit, masked);
    EXPECT_EQ(applied(trie.get(), {{20, 1.0f, 0.0f}})[0].logit, 1.0f);
    EXPECT_TRUE(riffle::llama::change_trie(trie.get(), [](trie_matcher& m) { m.clear(); }));
    EXPECT_EQ(applied(trie.get(), {{30, 1.0f, 0.0f}})[0].logit, 1.0f);
    const sampler_owner other(llama_sampler_init_greedy());
    EXPECT_FALSE(riffle::llama::change_trie(other.get(), [](trie_matcher&) { FAIL(); }));
    EXPECT_EQ(riffle::llama::trie_of(other.get()), nullptr);
    EXPECT_EQ(riffle::llama::trie_of(nullptr), nullptr);
}

TEST(LlamaTokenTrie, KeepsAModelToItsValues) {
    const auto* const words = vocab();
    for (const int mode : {0, 1})
        for (const std::uint32_t seed : {1u, 2u, 3u}) {
            context_owner context = new_context();
            sampler_owner chain(llama_sampler_chain_init(llama_sampler_chain_default_params()));
            llama_sampler* const trie = riffle::llama::token_trie_sampler(words, think_or_execute, mode);
            ASSERT_NE(trie, nullptr);
            llama_sampler_chain_add(chain.get(), trie);
            llama_sampler_chain_add(chain.get(), llama_sampler_init_top_k(40));
            llama_sampler_chain_add(chain.get(), llama_sampler_init_dist(seed));
            std::vector<llama_token> next{3, 14, 15};
            std::vector<llama_token> said;
            for (int i = 0; i < 4; ++i) {
                ASSERT_EQ(llama_decode(context.get(), llama_batch_get_one(next.data(), std::int32_t(next.size()))), 0);
                next = {llama_sampler_sample(chain.get(), context.get(), -1)};
                said.push_back(next[0]);
            }
            EXPECT_TRUE(said[0] == 200 || (said[0] == 100 && said[1] == 101)) << said[0] << ' ' << said[1];
            EXPECT_EQ(riffle::llama::trie_of(trie)->status(), trie_status::done);
        }
}

}  // namespace
}  // namespace riffle_tests::llama_token_trie
