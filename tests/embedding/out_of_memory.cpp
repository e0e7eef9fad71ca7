// A heap that gives nothing: a status and null_token, and the chain stays as it was.

#include <optional>
#include <utility>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(OutOfMemory, OnTheFirstRow) {
    each_chain([](any_pipeline chain) {
        auto other = chain;
        const auto expected = use(other);
        {
            const empty_heap none;
            EXPECT_EQ(chain.sample(rows()[0]), null_token);
            EXPECT_EQ(chain.last_status(), status_code::out_of_memory);
            EXPECT_EQ(chain.try_sample(rows()[0]).state(), status_code::out_of_memory);
            EXPECT_EQ(chain.peek(rows()[0]), null_token);
            EXPECT_TRUE(chain.survivors().empty());
            EXPECT_TRUE(chain.distribution(rows()[0]).empty());
            EXPECT_TRUE(chain.logprobs(rows()[0], 3).empty());
            EXPECT_EQ(chain.reserve(row_length), status_code::out_of_memory);
            constexpr token_id prompt[] = {1, 2};
            EXPECT_EQ(chain.prompt(prompt), status_code::out_of_memory);
            EXPECT_EQ(chain.accept(5).state, status_code::out_of_memory);
            EXPECT_EQ(chain.last_step().state, status_code::out_of_memory);
        }
        EXPECT_EQ(use(chain), expected) << "nothing was taken, nothing drawn";
    });
}

TEST(OutOfMemory, OnALongerRow) {
    const std::vector<float> longer(5 * row_length, 1.0f);
    each_chain([&](any_pipeline chain) {
        chain.reserve(0, most_tokens);
        for (const auto& row : rows()) (void)chain.sample(row);
        auto other = chain;
        const auto expected = use(other);
        {
            const empty_heap none;
            EXPECT_EQ(chain.sample(longer), null_token);
            EXPECT_EQ(chain.last_status(), status_code::out_of_memory);
            EXPECT_EQ(use(chain), expected) << "rows of the length it has memory for go on";
        }
    });
}

TEST(OutOfMemory, OnCandidates) {
    each_chain([](any_pipeline chain) {
        std::vector<token_data> all{{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}};
        candidates c{all.data(), all.size(), -1, false};
        const empty_heap none;
        EXPECT_EQ(chain.apply(c), status_code::out_of_memory);
        EXPECT_EQ(c.size, 2u);
        EXPECT_EQ(c.selected, -1);
    });
}

// The token would be lost to the history: it must not be given out as if it were accepted, and no generator may have
// drawn for it.
template <class Chain>
void expect_each_token_once(Chain c) {
    auto other = c;
    ASSERT_NE(c.sample(rows()[0]), null_token);
    ASSERT_NE(other.sample(rows()[0]), null_token);
    bool full = false;
    for (int i = 0; i < 5000 && !full; ++i) {
        const auto& row = rows()[0];
        token_id token;
        {
            const empty_heap none;
            token = c.sample(row);
        }
        if (token == null_token) {
            full = true;
            EXPECT_EQ(c.last_status(), status_code::out_of_memory);
            token = c.sample(row);
        }
        ASSERT_TRUE(c.last_status().ok()) << "token " << i << ": " << c.last_status().message().c_str();
        ASSERT_EQ(token, other.sample(row)) << "token " << i;
    }
    EXPECT_TRUE(full);
}
TEST(OutOfMemory, WhenAnEndlessHistoryGrows) {
    expect_each_token_once(penalties{.last_n = -1, .presence = 0.5f} | dist{.seed = 1});
    expect_each_token_once(penalties{.last_n = -1, .presence = 0.5f} | mirostat_v2{.seed = 1});
}
TEST(OutOfMemory, WhenALongHistoryGrowsUnderLlama) {
    const penalties long_window{.last_n = 100000, .presence = 0.5f};
    expect_each_token_once(chain<llama_exact>(long_window, top_k{40}, temperature{0.8f}, dist{.seed = 1}));
    expect_each_token_once(chain<llama_exact>(long_window, mirostat_v2{.seed = 1}));
    expect_each_token_once(chain<llama_exact>(long_window, xtc{.threshold = 0.001f}, adaptive_p{.target = 0.3f}));
}

// A copy cannot say that it failed; but it must not pretend to have a history, nor crash.
TEST(OutOfMemory, ForACopy) {
    each_typed_chain([](auto chain) {
        for (const auto& row : rows()) (void)chain.sample(row);
        std::optional<std::remove_cvref_t<decltype(chain)>> copy;
        {
            const empty_heap none;
            copy.emplace(std::as_const(chain));
            (void)copy->mark();
            (void)copy->rewind(1);
            EXPECT_EQ(copy->sample(rows()[0]), null_token);
            EXPECT_EQ(copy->last_status(), status_code::out_of_memory);
        }
        const auto later = copy->try_sample(rows()[0]);
        if (later.ok()) {
            EXPECT_EQ(*later, chain.sample(rows()[0]));
        } else {
            EXPECT_EQ(later.state(), status_code::out_of_memory);
        }
        (void)copy->accept(3);
        (void)copy->mark();
        copy->reset();
        chain.reset();
        if (copy->sample(rows()[0]) != null_token) {
            copy->reset();
            EXPECT_EQ(use(*copy), use(chain));
        }
    });
}

TEST(OutOfMemory, ForAnAnyPipeline) {
    const empty_heap none;
    any_pipeline any = chain(greedy{});
    EXPECT_TRUE(any.empty());
    EXPECT_EQ(any.sample(rows()[0]), null_token);
    EXPECT_EQ(any.last_status(), status_code::out_of_memory);
    any_pipeline copy = any;
    EXPECT_TRUE(copy.empty());
    EXPECT_EQ(copy.accept(1).state, status_code::out_of_memory);
}

TEST(OutOfMemory, ForADynamicChain) {
    dynamic_chain d;
    {
        const empty_heap none;
        EXPECT_EQ(d.push(greedy{}), status_code::out_of_memory);
    }
    EXPECT_EQ(d.sample(rows()[0]), null_token);
    EXPECT_EQ(d.last_status(), status_code::out_of_memory);
}

}  // namespace
