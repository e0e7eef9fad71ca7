#include <algorithm>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#elif __has_include(<eigen3/Eigen/Core>)
#include <eigen3/Eigen/Core>
#endif

#include <riffle/batch.hpp>
#include <riffle/riffle.hpp>

#include "half_floats.hpp"
#include "integers.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

constexpr std::size_t columns = 1500, padded = 1536;

std::vector<float> rows_of(std::size_t rows, std::uint64_t seed) {
    integers random(seed);
    std::vector<float> logits(rows * padded, std::numeric_limits<float>::quiet_NaN());  // the gaps are nobody's
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < columns; ++i) logits[r * padded + i] = random.real(-9, 9);
    return logits;
}

auto chain_with(float t, std::uint64_t seed) {
    return chain(penalties{.last_n = 8, .repeat = 1.3f}, top_p{.p = 0.9f}, temperature{.t = t}, dist{.seed = seed});
}
using sequence = decltype(chain_with(1.0f, 1));

/// Chains that differ in parameters, seeds, sequence and prompt.
std::vector<sequence> sequences_of(std::size_t count) {
    std::vector<sequence> all;
    for (std::size_t i = 0; i < count; ++i) {
        all.push_back(chain_with(0.5f + 0.1f * float(i), 7 + i / 2).fork(std::uint16_t(i)));
        const token_id prompt[] = {token_id(i), 3};
        all.back().prompt(prompt);
    }
    return all;
}

struct backwards {
    template <class Task>
    void operator()(std::size_t n, const Task& task) const {
        while (n-- > 0) task(n);
    }
};
struct a_thread_each {
    template <class Task>
    void operator()(std::size_t n, const Task& task) const {
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < n; ++i) threads.emplace_back([&task, i] { task(i); });
        for (auto& t : threads) t.join();
    }
};
struct three_threads {
    template <class Task>
    void operator()(std::size_t n, const Task& task) const {
        std::mutex mutex;
        std::size_t next = 0;
        const auto work = [&] {
            for (;;) {
                std::size_t mine;
                {
                    const std::lock_guard lock(mutex);
                    if (next == n) return;
                    mine = next++;
                }
                task(mine);
            }
        };
        std::thread others[] = {std::thread(work), std::thread(work)};
        work();
        for (auto& t : others) t.join();
    }
};

/// Steps of a batch, beside every sequence on its own.
template <class Executor>
void expect_as_alone(Executor executor) {
    constexpr std::size_t count = 7;
    auto together = sequences_of(count), alone = sequences_of(count);
    batch b;
    for (std::uint64_t step = 0; step < 30; ++step) {
        const auto logits = rows_of(count, step);
        const logit_rows rows(logits.data(), count, columns, padded);
        std::vector<token_id> tokens(count, -7), peeked(count, -7);
        EXPECT_TRUE(b.peek(together, rows, peeked, executor));
        EXPECT_TRUE(b.sample(together, rows, tokens, executor));
        EXPECT_EQ(tokens, peeked);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(tokens[i], alone[i].sample(rows[i])) << "sequence " << i << ", step " << step;
            EXPECT_TRUE(together[i].last_status());
            EXPECT_TRUE(together[i].survivors().empty()) << "scratch was only lent";
        }
    }
}

TEST(Batch, GivesTheTokensOfEachChainAlone) { expect_as_alone(one_after_the_other{}); }
TEST(Batch, DoesNotDependOnTheOrder) { expect_as_alone(backwards{}); }
TEST(Batch, DoesNotDependOnThreads) {
    expect_as_alone(a_thread_each{});
    expect_as_alone(three_threads{});
}

TEST(Batch, DoesNotDependOnWhoElseIsThere) {
    auto all = sequences_of(8), alone = sequences_of(8);
    integers random(5);
    batch b;
    for (std::uint64_t step = 0; step < 60; ++step) {
        std::vector<sequence*> some;
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (random.below(2))
                some.insert(some.begin() + std::ptrdiff_t(random.below(std::uint32_t(some.size() + 1))), &all[i]);
        const auto logits = rows_of(some.size(), 100 + step);
        const logit_rows rows(logits.data(), some.size(), columns, padded);
        std::vector<token_id> tokens(some.size());
        EXPECT_TRUE(b.sample(some, rows, tokens));
        for (std::size_t r = 0; r < some.size(); ++r)
            EXPECT_EQ(tokens[r], alone[std::size_t(some[r] - all.data())].sample(rows[r]));
    }
}

TEST(Batch, TakesChainsOfAnyKind) {
    std::vector<any_pipeline> hidden;
    hidden.emplace_back(chain(top_k{.k = 5}, dist{.seed = 3}));
    hidden.emplace_back(chain(mirostat_v2{.seed = 4}));
    hidden.emplace_back(chain(greedy{}));
    std::vector<dynamic_chain> made(2);
    for (auto& d : made) {
        ASSERT_TRUE(d.push(min_p{.p = 0.1f}));
        ASSERT_TRUE(d.push(dist{.seed = 9}));
    }
    const auto logits = rows_of(3, 1);
    std::vector<token_id> tokens(3);
    batch b;
    const auto copies = hidden;
    EXPECT_TRUE(b.sample(hidden, logit_rows(logits.data(), 3, columns, padded), tokens));
    for (std::size_t i = 0; i < 3; ++i) {
        any_pipeline alone = copies[i];
        EXPECT_EQ(tokens[i], alone.sample({logits.data() + i * padded, columns}));
    }
    tokens.resize(2);
    EXPECT_TRUE(b.sample(made, logit_rows(logits.data(), 2, columns, padded), tokens, three_threads{}));
    EXPECT_NE(tokens[0], null_token);
    sequence array[] = {chain_with(1.0f, 1), chain_with(1.0f, 2)};
    EXPECT_TRUE(b.sample(array, logit_rows(logits.data(), 2, columns, padded), tokens));
}

TEST(Batch, AChainWithStorageOfItsOwnKeepsIt) {
    auto c = chain(top_k{.k = 3}, dist{.seed = 1});
    std::vector<std::byte> memory(c.scratch_bytes(columns));
    ASSERT_TRUE(c.use_storage(memory, columns));
    const auto logits = rows_of(1, 1);
    token_id token[1];
    batch b;
    EXPECT_TRUE(b.sample(std::span(&c, 1), logit_rows(logits.data(), 1, columns), token));
    EXPECT_EQ(c.survivors().size(), 3u);
    EXPECT_GE(static_cast<const void*>(c.survivors().data()), static_cast<const void*>(memory.data()));
}

#if defined(EIGEN_WORLD_VERSION)
TEST(Batch, TakesRowsOfEigen) {
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    constexpr Eigen::Index height = 4;
    matrix m = matrix::Random(height + 2, 700) * 5.0f;
    auto together = sequences_of(height), alone = sequences_of(height);
    batch b;
    std::vector<token_id> tokens(height);
    const auto expect = [&](const auto& logits) {
        EXPECT_TRUE(b.sample(together, logits, tokens));
        const logit_rows rows(logits);
        for (std::size_t i = 0; i < height; ++i) EXPECT_EQ(tokens[i], alone[i].sample(rows[i]));
    };
    expect(m.topRows(height));
    expect(m.block(1, 100, height, 500));
    expect(Eigen::Map<matrix>(m.data(), height, 700));
    expect(Eigen::Ref<matrix>(m.bottomRows(height)));
    expect(matrix(m.bottomRows(height)));
    const logit_rows block(m.block(1, 100, height, 500));
    EXPECT_EQ(block.columns(), 500u);
    EXPECT_EQ(block.stride(), 700u);
    EXPECT_EQ(block[2][3], m(3, 103));
    const Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> halves = m.cast<Eigen::half>();
    const matrix values = halves.cast<float>();
    EXPECT_TRUE(b.sample(together, halves.middleRows(1, height), tokens));
    for (std::size_t i = 0; i < height; ++i)
        EXPECT_EQ(tokens[i], alone[i].sample(logit_rows(values.middleRows(1, height))[i]));

    const Eigen::Map<matrix, 0, Eigen::Stride<Eigen::Dynamic, 2>> every_second(
        m.data(), height, 350, Eigen::Stride<Eigen::Dynamic, 2>(700, 2));
    EXPECT_STREQ(b.sample(together, every_second, tokens).message().c_str(),
                 "batch: inner stride = 2 is not 1: the logits of a row must lie side by side");
}
#endif

template <class Half>
void expect_rows_of_halves() {
    const std::vector<float> floats = rows_of(4, 9);
    const std::vector<Half> halves = narrowed<Half>(floats);
    const std::vector<float> values = values_of<Half>(halves);
    std::vector<sequence> all = sequences_of(4), alone = all;
    std::vector<token_id> tokens(4);
    batch b;
    for (int step = 0; step < 3; ++step) {
        const logit_rows rows(halves.data(), 4, columns, padded);
        EXPECT_EQ(bytes_of(rows.format()), 2u);
        EXPECT_EQ(rows.extent(), 3 * padded + columns);
        ASSERT_TRUE(b.sample(all, rows, tokens, three_threads{}));
        for (std::size_t i = 0; i < 4; ++i)
            ASSERT_EQ(tokens[i], alone[i].sample({values.data() + i * padded, columns})) << "sequence " << i;
    }
}
TEST(Batch, TakesRowsOf16BitsWhosePaddingIsNobodys) {
    expect_rows_of_halves<float16>();
    expect_rows_of_halves<bfloat16>();
}

TEST(Batch, BadArgumentsSampleNothingAndLeaveNoToken) {
    auto all = sequences_of(2), untouched = sequences_of(2);
    const auto logits = rows_of(2, 1);
    std::vector<token_id> tokens(2);
    batch b;
    const auto refuse = [&](const auto& sequences, const logit_rows& rows, std::span<token_id> into, const char* why) {
        std::fill(tokens.begin(), tokens.end(), -7);
        const status s = b.sample(sequences, rows, into);
        EXPECT_STREQ(s.message().c_str(), why);
        for (const token_id token : into) EXPECT_EQ(token, null_token) << why;
    };
    std::span<sequence> both(all);
    refuse(both, {logits.data(), 3, columns, padded}, tokens, "batch: rows = 3 is not the number of sequences");
    refuse(both, {logits.data(), 2, columns, padded}, std::span(tokens).first(1),
           "batch: tokens = 1 is not the number of sequences");
    refuse(both, {nullptr, 2, columns, padded}, tokens, "batch: the row has no logits");
    refuse(both, {logits.data(), 2, 0, padded}, tokens, "batch: the row has no logits");
    refuse(both, {logits.data(), 2, columns, 100}, tokens, "batch: stride = 100 is less than a row has logits");
    const std::vector<sequence*> with_null{&all[0], nullptr};
    refuse(with_null, {logits.data(), 2, columns, padded}, tokens, "batch: sequence = 1 is a null pointer");
    EXPECT_TRUE(b.sample(std::span<sequence>(), logit_rows(nullptr, 0, columns), {}));

    EXPECT_TRUE(b.sample(all, logit_rows(logits.data(), 2, columns, padded), tokens));
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(tokens[i], untouched[i].sample({logits.data() + i * padded, columns}));
}

TEST(Batch, ARowWithoutATokenDoesNotDisturbTheOthers) {
    auto all = sequences_of(4), alone = sequences_of(4);
    auto logits = rows_of(4, 1);
    std::fill_n(logits.begin() + padded, columns, -std::numeric_limits<float>::infinity());
    get<temperature>(all[2]).t = std::numeric_limits<float>::quiet_NaN();
    std::vector<token_id> tokens(4, -7);
    batch b;
    const status s = b.sample(all, logit_rows(logits.data(), 4, columns, padded), tokens, three_threads{});
    EXPECT_EQ(s.code(), status_code::no_legal_token) << "of the first of them";
    EXPECT_EQ(tokens[0], alone[0].sample({logits.data(), columns}));
    EXPECT_EQ(tokens[1], null_token);
    EXPECT_EQ(tokens[2], null_token);
    EXPECT_EQ(all[2].last_status().code(), status_code::invalid_parameter);
    EXPECT_EQ(tokens[3], alone[3].sample({logits.data() + 3 * padded, columns}));
}

TEST(Batch, AnExecutorThatForgetsSomeIsFoundOut) {
    auto all = sequences_of(3);
    const auto logits = rows_of(3, 1);
    std::vector<token_id> tokens(3, -7);
    batch b;
    const auto forgets = [](std::size_t n, const auto& task) {
        for (std::size_t i = 0; i + 1 < n; ++i) task(i);
        task(n + 5);  // and asks for one that is not there
    };
    const status s = b.sample(all, logit_rows(logits.data(), 3, columns, padded), tokens, forgets);
    EXPECT_STREQ(s.message().c_str(), "batch: tasks run = 2 is not the number of sequences");
    EXPECT_NE(tokens[0], null_token);
    EXPECT_EQ(tokens[2], null_token);
}

TEST(Batch, MemoryAheadOfTime) {
    auto all = sequences_of(3);
    batch b;
    EXPECT_TRUE(b.reserve(3, 2, all[0].scratch_bytes(columns)));
    const auto logits = rows_of(3, 1);
    std::vector<token_id> tokens(3);
    EXPECT_TRUE(b.sample(all, logit_rows(logits.data(), 3, columns, padded), tokens));
}

}  // namespace
}  // namespace riffle_tests
