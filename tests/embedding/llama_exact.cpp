// Memory under numerics::llama: none is allocated once warm, with generators, sorts and looking back; and all of it may
// be the caller's.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

/// One of every sampler, short enough for a copy of it on the caller's memory.
std::vector<any_pipeline> exact_chains() {
    std::vector<any_pipeline> all;
    const auto add = [&](auto... stages) { all.emplace_back(chain<llama_exact>(stages...)); };
    add(penalties{.repeat = 1.2f}, dry{.multiplier = 0.8f}, top_n_sigma{.n = 2.0f}, top_k{.k = 40}, typical{.p = 0.95f},
        top_p{.p = 0.95f}, min_p{.p = 0.05f}, xtc{.probability = 0.5f}, temperature{.t = 0.8f}, dist{.seed = 1});
    add(dist{.seed = 1});
    add(top_k{.k = 500}, dist{.seed = 1});
    add(top_p{.p = 0.999f}, greedy{});
    add(typical{.p = 0.9f}, dist{.seed = 1});
    add(logit_bias{.biases = {{3, 1.0f}, {1000000, 1.0f}, {7, -1.0f}}}, dist{.seed = 1});
    add(top_k{.k = 600}, logit_bias{.biases = {{3, 1.0f}, {1000000, 1.0f}, {7, -1.0f}}}, dist{.seed = 1});
    add(dynamic_temperature{.range = 0.5f}, mirostat_v2{.seed = 1});
    add(mirostat{.n_vocab = int(row_length), .seed = 1});
    add(min_p{.p = 0.01f}, adaptive_p{.target = 0.3f, .seed = 1});
    add(soft_cap{.cap = 9.0f}, top_a{.a = 0.05f}, gumbel{.seed = 1});
    return all;
}
void use_all(any_pipeline& c) {
    const checkpoint start = c.mark();
    for (int round = 0; round < 4; ++round)
        for (const auto& row : rows()) {
            (void)c.sample(row);
            (void)c.peek(row);
            (void)c.distribution(row);
            (void)c.logprobs(row, 5);
            (void)c.survivors();
            c.accept(3);
        }
    (void)c.rewind(2);
    (void)c.rollback(start);
}

TEST(ExactAllocations, NoneOnceWarm) {
    for (any_pipeline& c : exact_chains()) {
        (void)c.sample(rows()[0]);
        const allocations seen;
        use_all(c);
        EXPECT_EQ(seen.count(), 0u);
    }
}
TEST(ExactAllocations, NoneAfterReserve) {
    for (any_pipeline& c : exact_chains()) {
        ASSERT_TRUE(c.reserve(row_length).ok());
        const allocations seen;
        use_all(c);
        c.reset();
        use_all(c);
        EXPECT_EQ(seen.count(), 0u);
    }
}
TEST(ExactAllocations, NoneForCandidates) {
    for (any_pipeline& c : exact_chains()) {
        ASSERT_TRUE(c.reserve(row_length).ok());
        std::vector<token_data> all(row_length);
        const allocations seen;
        for (const auto& row : rows()) {
            for (std::size_t i = 0; i < row.size(); ++i) all[i] = {token_id(i), row[i], 0.0f};
            candidates of{all.data(), all.size(), -1, false};
            (void)c.apply(of);
            c.accept(5);
        }
        EXPECT_EQ(seen.count(), 0u);
    }
}
TEST(ExactAllocations, LiveInMemoryOfTheCaller) {
    for (any_pipeline& on_heap : exact_chains()) {
        any_pipeline c = on_heap;
        struct alignas(64) piece {
            std::byte bytes[64];
        };
        const std::size_t bytes = c.scratch_bytes(row_length);
        std::vector<piece> memory(bytes / 64 + 1);
        const std::span<std::byte> given{memory[0].bytes, bytes};
        const allocations seen;
        ASSERT_TRUE(c.use_storage(given, row_length).ok());
        use_all(c);
        EXPECT_EQ(seen.count(), 0u);
        c.reset();
        for (const auto& row : rows()) EXPECT_EQ(c.sample(row), on_heap.sample(row));
        const std::vector<float> longer(2 * row_length, 1.0f);
        EXPECT_EQ(c.sample(longer), null_token);
        EXPECT_EQ(c.last_status().code(), status_code::storage_too_small);
        EXPECT_EQ(c.use_storage(given.first(bytes - 1), row_length).code(), status_code::storage_too_small);
    }
}
TEST(ExactAllocations, BigRowsSortedInTheCallersMemory) {
    // Sorts of all tokens and typical's order take most.
    std::vector<float> row(40000);
    integers random(3);
    for (float& logit : row) logit = random.real(-6, 6);
    const auto serves = [&](any_pipeline c) {
        any_pipeline on_heap = c;
        std::vector<std::byte> memory(c.scratch_bytes(row.size()));
        const allocations seen;
        ASSERT_TRUE(c.use_storage(memory, row.size()).ok());
        const token_id token = c.sample(row);
        EXPECT_EQ(seen.count(), 0u);
        EXPECT_NE(token, null_token) << c.last_status().message().c_str();
        EXPECT_EQ(token, on_heap.sample(row));
    };
    serves(chain<llama_exact>(typical{.p = 0.95f}, dist{.seed = 1}));
    serves(chain<llama_exact>(top_p{.p = 0.999f}, dist{.seed = 1}));
    serves(chain<llama_exact>(top_k{.k = 30000}, mirostat{.n_vocab = 40000, .seed = 1}));
    serves(chain<llama_exact>(adaptive_p{.target = 0.2f, .seed = 1}));
}
TEST(ExactAllocations, AnEmptyHeapIsAnswered) {
    for (any_pipeline& c : exact_chains()) {
        {
            const empty_heap none;
            EXPECT_EQ(c.sample(rows()[0]), null_token);
            EXPECT_EQ(c.last_status().code(), status_code::out_of_memory);
        }
        EXPECT_NE(c.sample(rows()[0]), null_token);
    }
}

}  // namespace
