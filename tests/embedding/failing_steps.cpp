// Chains of every sort, and batches of them, where one allocation of a step fails: the step says out_of_memory, and the
// chain is as it was.

#include <utility>
#include <vector>

#include <riffle/batch.hpp>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"

namespace riffle_tests::failing_steps {
namespace {

using namespace riffle;

/// What a host may do with a chain that has not allocated anything yet.
struct operation {
    const char* name;
    status (*run)(any_pipeline&);
};
constexpr operation operations[] = {
    {"reserve", [](any_pipeline& c) { return c.reserve(row_length, 300); }},
    {"sample",
     [](any_pipeline& c) {
         const token_id token = c.sample(rows()[0]);
         EXPECT_EQ(token == null_token, !c.last_status().ok());
         return c.last_status();
     }},
    {"try_sample", [](any_pipeline& c) { return c.try_sample(rows()[1]).state(); }},
    {"peek",
     [](any_pipeline& c) {
         (void)c.peek(rows()[2]);
         return c.last_status();
     }},
    {"distribution",
     [](any_pipeline& c) {
         const bool has_none = c.distribution(rows()[3]).empty();
         EXPECT_EQ(has_none, !c.last_status().ok());
         return c.last_status();
     }},
    {"logprobs before the chain",
     [](any_pipeline& c) {
         const bool has_none = c.logprobs(rows()[0], 5, before).empty();
         EXPECT_EQ(has_none, !c.last_status().ok());
         return c.last_status();
     }},
    {"logprobs after the chain",
     [](any_pipeline& c) {
         const bool has_none = c.logprobs(rows()[0], 5, after).empty();
         EXPECT_EQ(has_none, !c.last_status().ok());
         return c.last_status();
     }},
    {"apply",
     [](any_pipeline& c) {
         token_data all[] = {{0, 1.0f, 0.0f}, {1, 2.0f, 0.0f}, {2, 0.5f, 0.0f}};
         candidates some{all, 3, -1, false};
         return c.apply(some);
     }},
    {"accept",
     [](any_pipeline& c) {
         const step s = c.accept(5);
         EXPECT_EQ(s.state.code(), c.last_step().state.code());
         return s.state;
     }},
    {"prompt",
     [](any_pipeline& c) {
         return c.prompt(std::vector<token_id>{1, 2, 3});
     }},
};

TEST(FailingAllocation, OfAnyStep) {
    (void)rows();
    for (const auto& of : operations) {
        SCOPED_TRACE(of.name);
        each_chain([&](any_pipeline chain) { fail_each_allocation([&] { return chain; }, of.run, next_tokens); });
    }
}

TEST(FailingAllocation, IsOfNoCallThatGoesBackOrBegins) {
    each_chain([](any_pipeline chain) {
        for (const auto& row : rows()) (void)chain.sample(row);
        const failing_allocation first(0);
        const checkpoint here = chain.mark();
        EXPECT_TRUE(chain.accept(3).state.ok());
        EXPECT_TRUE(chain.rollback(here).ok());
        EXPECT_TRUE(chain.rewind(2).ok());
        chain.retry();
        (void)chain.survivors();
        chain.reset();
        EXPECT_FALSE(first.happened());
    });
}

/// Of a longer row, and of more tokens than there is room for.
TEST(FailingAllocation, OfAStepThatNeedsMore) {
    const std::vector<float> longer(4 * row_length, 1.0f);
    each_chain([&](any_pipeline chain) {
        const auto warm = [&] {
            any_pipeline c = chain;
            for (const auto& row : rows()) (void)c.sample(row);
            return c;
        };
        fail_each_allocation(
            warm,
            [&](any_pipeline& c) {
                (void)c.peek(longer);
                return c.last_status();
            },
            next_tokens);
        fail_each_allocation(
            warm, [](any_pipeline& c) { return c.reserve(row_length, 100000); }, next_tokens);
    });
}

/// A prompt for which the history has to grow: all of it is taken, or nothing.
TEST(FailingAllocation, OfALongPrompt) {
    std::vector<token_id> text;
    for (int i = 0; i < 10000; ++i) text.push_back(i % 7);
    for (const std::int32_t last_n : {-1, 20000})
        fail_each_allocation([&] { return penalties{.last_n = last_n, .frequency = 0.1f} | dist{.seed = 1}; },
                             [&](auto& c) { return c.prompt(text); },
                             [](auto& c) { return std::pair(c.mark().tokens, c.sample(rows()[0])); });
}

struct batch_and_chains {
    batch shared;
    std::vector<any_pipeline> chains;
    std::vector<token_id> tokens;
};
TEST(FailingAllocation, OfABatch) {
    std::vector<float> logits;
    for (const auto& row : rows()) logits.insert(logits.end(), row.begin(), row.end());
    const logit_rows all(logits.data(), rows().size(), row_length);
    const auto made = [] {
        batch_and_chains b;
        for (std::size_t i = 0; i < rows().size(); ++i) b.chains.push_back(chains()[i].chain);
        b.tokens.resize(rows().size());
        return b;
    };
    auto expected = made();
    for (std::size_t i = 0; i < rows().size(); ++i) expected.tokens[i] = expected.chains[i].sample(rows()[i]);
    const auto sample = [&](batch_and_chains& b) { return b.shared.sample(b.chains, all, b.tokens); };
    // A chain without a token has accepted none, and others do not know.
    const auto look = [&](batch_and_chains& b) {
        for (std::size_t i = 0; i < rows().size(); ++i) {
            if (b.tokens[i] <= 0) b.tokens[i] = b.chains[i].sample(rows()[i]);
            EXPECT_EQ(b.tokens[i], expected.tokens[i]) << i;
            any_pipeline goes_on = expected.chains[i];
            EXPECT_EQ(next_tokens(b.chains[i]), next_tokens(goes_on)) << i;
        }
    };
    fail_each_allocation(
        made, sample, [&](batch_and_chains& b, const outcome&) { look(b); }, look);
    // A peek accepts nothing, whether there was memory or not.
    const auto untouched = [&](batch_and_chains& b) {
        for (std::size_t i = 0; i < rows().size(); ++i) {
            any_pipeline fresh = chains()[i].chain;
            EXPECT_TRUE(b.tokens[i] <= 0 || b.tokens[i] == expected.tokens[i]) << i;
            EXPECT_EQ(next_tokens(b.chains[i]), next_tokens(fresh)) << i;
        }
    };
    fail_each_allocation(
        made, [&](batch_and_chains& b) { return b.shared.peek(b.chains, all, b.tokens); },
        [&](batch_and_chains& b, const outcome&) { untouched(b); },
        [&](batch_and_chains& b) {
            EXPECT_EQ(b.tokens, expected.tokens);
            untouched(b);
        });
    fail_each_allocation(
        made,
        [&](batch_and_chains& b) {
            return b.shared.reserve(rows().size(), rows().size(), b.chains[0].scratch_bytes(row_length));
        },
        [&](batch_and_chains& b, const outcome&) {
            EXPECT_TRUE(sample(b).ok());
            look(b);
        },
        [&](batch_and_chains& b) {
            EXPECT_TRUE(sample(b).ok());
            look(b);
        });
}

}  // namespace
}  // namespace riffle_tests::failing_steps
