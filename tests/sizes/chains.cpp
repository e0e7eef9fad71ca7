// What a chain is told besides its stages: how many log-probabilities, how far back, how much memory, how large a
// vocabulary.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

#if defined(__clang__) || defined(__SANITIZE_ADDRESS__)
/// Under the address sanitizer, which would end the program where operator new(std::nothrow) has nothing to give, and
/// would write an eighth of what it gives.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:max_allocation_size_mb=256"; }
#endif

namespace riffle_tests::sizes_chains {
namespace {

using namespace riffle;

auto usual() { return penalties{.last_n = 32, .repeat = 1.2f} | top_p{.p = 0.9f} | dist{.seed = 42}; }

/// Calls test(chain) for a chain that is a type, one made at run time, and one behind any_pipeline.
template <class Test>
void for_each_kind(Test test) {
    auto typed = usual();
    test(view_of(typed));
    dynamic_chain made_at_run_time;
    made_at_run_time.push(penalties{.last_n = 32, .repeat = 1.2f});
    made_at_run_time.push(top_p{.p = 0.9f});
    made_at_run_time.push(dist{.seed = 42});
    test(view_of(made_at_run_time));
    any_pipeline erased = usual();
    test(view_of(erased));
}

/// log p of the legal tokens of a row, in the order of ranks.
std::vector<token_logprob> all_logprobs(std::span<const float> row) {
    std::vector<reference::candidate> all;
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({std::int32_t(i), row[i]});
    reference::drop_illegal(all);
    reference::sort_by_rank(all);
    double sum = 0.0;
    for (const auto& token : all) sum += std::exp(double(token.logit) - double(all[0].logit));
    std::vector<token_logprob> found;
    for (const auto& token : all)
        found.push_back({token.id, float(double(token.logit) - double(all[0].logit) - std::log(sum))});
    return found;
}

TEST(SizesOfChains, Logprobs) {
    for (const shape s : {shape::random, shape::equal, shape::holes})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            const auto all = all_logprobs(row);
            auto c = chain(dist{});
            dynamic_chain made_at_run_time;
            made_at_run_time.push(dist{});
            const auto expect_first = [&](std::span<const token_logprob> found, std::size_t n) {
                ASSERT_EQ(found.size(), std::min(n, all.size())) << name_of(s) << ", " << size << " logits, " << n;
                for (std::size_t i = 0; i < found.size(); ++i) {
                    ASSERT_EQ(found[i].id, all[i].id) << name_of(s) << ", " << size << " logits, " << n;
                    ASSERT_NEAR(found[i].logprob, all[i].logprob, 1e-3f);
                }
            };
            for (const std::size_t n : numbers_around<std::size_t>(size)) {
                expect_first(c.logprobs(row, n, before), n);
                expect_first(c.logprobs(row, n, after), n);
                expect_first(made_at_run_time.logprobs(row, n, before), n);
                expect_first(made_at_run_time.logprobs(row, n, after), n);
            }
        }
}

TEST(SizesOfChains, Rewind) {
    for_each_kind([](chain_view c) {
        const auto row = make_row(shape::random, 300, 1);
        constexpr std::size_t length = 200;
        for (const std::size_t back : numbers_around<std::size_t>(length)) {
            c.reset();
            for (std::size_t i = 0; i < length; ++i) c.sample(row);
            const checkpoint before = c.mark();
            const bool is_possible = back <= 128;
            EXPECT_EQ(c.rewind(back).code(), is_possible ? status_code::ok : status_code::rewind_too_far) << back;
            EXPECT_EQ(c.mark().tokens, is_possible ? length - back : length) << back;
            if (!is_possible) {
                EXPECT_EQ(c.mark().prefix_hash, before.prefix_hash);
            }
        }
    });
}
TEST(SizesOfChains, RollbackToAMarkThatNobodyMade) {
    for_each_kind([](chain_view c) {
        const auto row = make_row(shape::random, 300, 1);
        for (int i = 0; i < 20; ++i) c.sample(row);
        for (const std::size_t tokens : numbers_around<std::size_t>(20)) {
            checkpoint made_up = c.mark();
            if (tokens == made_up.tokens) continue;
            made_up.tokens = tokens;
            EXPECT_EQ(c.rollback(made_up).code(), status_code::mark_unknown) << tokens;
            EXPECT_EQ(c.mark().tokens, 20u);
        }
    });
}

/// Bytes that nobody can do without: a private copy and a candidate for every logit; an entry of the history, two slots
/// of a table and a length for every token.
std::size_t least_bytes(std::size_t row_size, std::size_t tokens) {
    const double bytes = 16.0 * double(row_size) + 36.0 * double(tokens);
    return bytes < double(uncountable) ? std::size_t(bytes) : uncountable;
}

TEST(SizesOfChains, ScratchBytesAreNeverTooFew) {
    for_each_kind([](chain_view c) {
        for (const std::size_t row_size : numbers_around<std::size_t>(1000))
            for (const std::size_t tokens : numbers_around<std::size_t>(1000)) {
                const std::size_t bytes = c.scratch_bytes(row_size, tokens);
                EXPECT_GE(bytes, least_bytes(row_size, tokens)) << row_size << " logits, " << tokens << " tokens";
                if (row_size > 0x7fffffffu || tokens > 0x7fffffffu) {
                    EXPECT_EQ(bytes, uncountable);
                }
            }
    });
}
TEST(SizesOfChains, StorageOfSomeBytesServesNoMoreThanThose) {
    std::vector<std::byte> bytes(usual().scratch_bytes(1000, 1000));
    for_each_kind([&](chain_view c) {
        for (const std::size_t row_size : numbers_around<std::size_t>(1000))
            for (const std::size_t tokens : numbers_around<std::size_t>(1000)) {
                if (row_size <= 1000 && tokens <= 1000) continue;
                if (c.scratch_bytes(row_size, tokens) <= bytes.size()) continue;  // of the same block
                EXPECT_EQ(c.use_storage(bytes, row_size, tokens).code(), status_code::storage_too_small)
                    << row_size << " logits, " << tokens << " tokens";
            }
        EXPECT_NE(c.sample(make_row(shape::random, 2000, 1)), null_token) << "the heap still serves";
    });
}

/// Whatever is asked for: it is there, or it is refused and the chain is as it was.
TEST(SizesOfChains, Reserve) {
    const auto row = make_row(shape::random, 1000, 1);
    auto undisturbed = usual();
    const token_id expected = undisturbed.peek(row);
    for_each_kind([&](chain_view c) {
        for (const std::size_t row_size : numbers_around<std::size_t>(1000))
            for (const std::size_t tokens : numbers_around<std::size_t>(1000)) {
                const status s = c.reserve(row_size, tokens);
                const bool is_long = row_size > 0x7fffffffu;
                const bool is_too_much = least_bytes(row_size, tokens) > largest_object || tokens > 0x7fffffffu;
                if (is_long) {
                    EXPECT_EQ(s.code(), status_code::row_too_long);
                } else if (is_too_much) {
                    EXPECT_EQ(s.code(), status_code::out_of_memory) << tokens;
                } else {
                    EXPECT_TRUE(s.ok() || s.code() == status_code::out_of_memory) << tokens;
                }
                EXPECT_EQ(c.peek(row), expected)
                    << row_size << " logits, " << tokens << " tokens: " << c.last_status().message().c_str();
                for (int i = 0; i < 3 && s.ok() && tokens < 2000; ++i) c.prompt(std::vector<token_id>(500, 1));
                c.reset();
            }
    });
}

TEST(SizesOfChains, TheVocabularyThatAChainIsCheckedFor) {
    auto c = chain(logit_bias{{{299, 1.0f}}}, mask{std::vector<std::uint32_t>(40, 1u)}, dist{});
    for (const std::size_t size : numbers_around<std::size_t>(300)) {
        EXPECT_EQ(c.check(size).ok(), size >= 300) << size;
        EXPECT_GT(c.present_plan(size).size, 0u) << size;
    }
}

}  // namespace
}  // namespace riffle_tests::sizes_chains
