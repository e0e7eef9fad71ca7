// Under numerics::llama: a number above the size of the row is as good as the next above it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_llama_exact {
namespace {

using namespace riffle;

/// Tokens that came before, for those that look back: three of them are said again.
constexpr std::array<token_id, 9> some_tokens{4, 1, 5, 3, 5, 0, 1, 5, 3};

/// The token, ids in order and logits that a chain leaves behind those tokens: of candidates, then of the row.
template <class Chain>
std::vector<double> outcome_of(Chain c, std::span<const float> row) {
    auto memory = candidates_of(row);
    candidates all{memory.data(), memory.size(), -1, false};
    c.prompt(some_tokens);
    EXPECT_TRUE(c.apply(all).ok());
    std::vector<double> found{double(all.selected)};
    for (const auto& token : all) found.insert(found.end(), {double(token.id), double(token.logit)});
    c.reset();
    c.prompt(some_tokens);
    found.push_back(c.sample(row));
    for (const auto& token : c.distribution(row)) found.push_back(token.id);
    return found;
}
template <class Stage>
auto drawing(const Stage& stage) {
    return chain<llama_exact>(stage, dist{.seed = 3});
}

template <class Number, class Make>
void expect_any_number_above_is_as_good(Make make) {
    for (const shape s : {shape::random, shape::equal})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            const auto expected = outcome_of(drawing(make(Number(size + 1))), row);
            for (const Number n : numbers_around<Number>(size)) {
                const auto found = outcome_of(drawing(make(n)), row);
                if (std::size_t(n) <= size) {
                    EXPECT_GE(found.size(), 2 + 3 * std::size_t(n)) << n;
                } else {
                    EXPECT_EQ(found, expected) << double(n);
                }
            }
        }
}

TEST(SizesUnderLlama, TopK) {
    expect_any_number_above_is_as_good<std::int32_t>([](std::int32_t k) { return top_k{.k = k}; });
}
TEST(SizesUnderLlama, TopP) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return top_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, MinP) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return min_p{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, Typical) {
    expect_any_number_above_is_as_good<std::size_t>([](std::size_t n) { return typical{.p = 0.5f, .min_keep = n}; });
}
TEST(SizesUnderLlama, Xtc) {
    expect_any_number_above_is_as_good<std::size_t>(
        [](std::size_t n) { return xtc{.probability = 1.0f, .threshold = 0.0001f, .min_keep = n}; });
}

/// Where the stage is told how many of the tokens that came before count: any number above all of them is as good.
template <class Make>
void expect_any_number_above_what_came_is_as_good(Make make) {
    const auto row = make_row(shape::random, 300, 1);
    constexpr std::size_t came = some_tokens.size();
    const auto expected = outcome_of(drawing(make(std::int32_t(came + 1))), row);
    EXPECT_NE(outcome_of(drawing(make(0)), row), expected) << "the number shows";
    for (const auto n : numbers_around<std::int32_t>(came)) {
        const auto found = outcome_of(drawing(make(n)), row);
        if (std::size_t(n) > came) {
            EXPECT_EQ(found, expected) << n;
        }
    }
}

TEST(SizesUnderLlama, WindowOfPenalties) {
    expect_any_number_above_what_came_is_as_good(
        [](std::int32_t n) { return penalties{.last_n = n, .repeat = 1.5f}; });
}
TEST(SizesUnderLlama, WindowOfDry) {
    expect_any_number_above_what_came_is_as_good(
        [](std::int32_t n) { return dry{.multiplier = 2.0f, .allowed_length = 1, .last_n = n}; });
}
TEST(SizesUnderLlama, LengthOfDry) {
    expect_any_number_above_what_came_is_as_good(
        [](std::int32_t n) { return dry{.multiplier = 2.0f, .allowed_length = n}; });
}

TEST(SizesUnderLlama, HowManyMirostatLooksAt) {
    for (const std::size_t size : {300u, 5000u}) {
        const auto row = make_row(shape::random, size, 1);
        const auto with = [&](std::int32_t m) {
            return outcome_of(chain<llama_exact>(mirostat{.m = m, .n_vocab = std::int32_t(size)}), row);
        };
        const auto expected = with(std::int32_t(size + 1));
        EXPECT_NE(with(2), expected) << "the number shows";
        for (const auto m : numbers_around<std::int32_t>(size)) {
            if (std::size_t(m) > size) {
                EXPECT_EQ(with(m), expected) << m;
            } else {
                EXPECT_GE(with(m)[0], 0.0) << "there is no token, m = " << m;
            }
        }
    }
}
/// Of a row that is flatter than Zipf's law fewer are kept, the larger the vocabulary is said to be; of none and of one
/// token there is no such law.
TEST(SizesUnderLlama, TheVocabularyOfMirostat) {
    const auto row = make_row(shape::random, 300, 1);
    std::vector<std::size_t> kept;
    for (const auto n : numbers_around<std::int32_t>(300)) {
        auto memory = candidates_of(row);
        candidates all{memory.data(), memory.size(), -1, false};
        EXPECT_TRUE(chain<llama_exact>(mirostat{.n_vocab = n}).apply(all).ok());
        kept.push_back(all.size);
    }
    ASSERT_GT(kept.size(), 3u);
    EXPECT_EQ(kept[0], 1u);
    EXPECT_EQ(kept[1], 1u);
    EXPECT_TRUE(std::is_sorted(kept.rbegin(), kept.rend() - 2));
    EXPECT_GT(kept[2], kept.back()) << "the number shows";
}

TEST(SizesUnderLlama, Logprobs) {
    for (const shape s : {shape::random, shape::equal})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            auto c = drawing(top_p{.p = 1.0f});
            for (const bool behind : {false, true}) {
                const auto all = c.logprobs(row, size, behind ? after : before);
                const std::vector<token_logprob> expected(all.begin(), all.end());
                ASSERT_EQ(expected.size(), size);
                for (const std::size_t n : numbers_around<std::size_t>(size)) {
                    const auto found = c.logprobs(row, n, behind ? after : before);
                    ASSERT_EQ(found.size(), std::min(n, size)) << n;
                    for (std::size_t i = 0; i < found.size(); ++i) {
                        ASSERT_EQ(found[i].id, expected[i].id) << n;
                        ASSERT_EQ(found[i].logprob, expected[i].logprob) << n;
                    }
                }
            }
        }
}

/// Whatever is asked for: it is there, or it is refused and the chain is as it was.
TEST(SizesUnderLlama, Reserve) {
    const auto row = make_row(shape::random, 1000, 1);
    const auto made = [] { return chain<llama_exact>(penalties{.repeat = 1.5f}, typical{.p = 0.9f}, dist{.seed = 3}); };
    auto undisturbed = made(), c = made();
    for (const std::size_t row_size : numbers_around<std::size_t>(1000))
        for (const std::size_t tokens : {std::size_t{0}, std::size_t{1000}, uncountable}) {
            const std::size_t bytes = c.scratch_bytes(row_size, tokens);
            EXPECT_GE(bytes, saturating::product(row_size, sizeof(token_data))) << row_size << ", " << tokens;
            const status s = c.reserve(row_size, tokens);
            EXPECT_TRUE(s.ok() || s.code() == status_code::out_of_memory || s.code() == status_code::row_too_long)
                << row_size << ", " << tokens << ": " << s.message().c_str();
            EXPECT_EQ(s.code() == status_code::row_too_long, row_size > 0x7fffffffu) << row_size << ", " << tokens;
            EXPECT_EQ(c.peek(row), undisturbed.peek(row)) << row_size << ", " << tokens;
        }
}

}  // namespace
}  // namespace riffle_tests::sizes_llama_exact
