// Forks of a constrained chain, sampled by several threads: their tokens are those of one thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/batch.hpp>
#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "constraint/grammar_texts.hpp"
#include "integers.hpp"

namespace riffle_tests::threads_forks {
namespace {

using namespace riffle;
using grammar_texts::tokens;

/// A row in which every token has a chance.
std::vector<float> row_of(std::uint64_t seed) {
    integers random(seed);
    std::vector<float> row(tokens().size());
    for (float& logit : row) logit = random.real(-4, 4);
    return row;
}

TEST(ForkThreads, GiveTheTokensOfOneThread) {
    constexpr std::size_t forks = 64, steps = 12;
    const auto on_threads = [](std::size_t n, const auto& task) {
        std::vector<std::thread> threads;
        const std::size_t count = (std::max)(std::thread::hardware_concurrency(), 4u);
        for (std::size_t t = 0; t < count; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = t; i < n; i += count) task(i);
            });
        for (auto& t : threads) t.join();
    };
    grammar_limits tiny;
    tiny.states = 64;
    for (const grammar_limits& limits : {grammar_limits(), tiny}) {
        const auto run = [&](auto executor) {
            const parsed<riffle::grammar> lists =
                parse_gbnf(R"(root ::= "[" (root | [0-9]{1,5}) ("," (root | [^"\\\x00-\x1F]{0,12}))* "]")", "root", limits);
            EXPECT_TRUE(lists.ok()) << lists.problem().message();
            const auto first = constrain{grammar_matcher(*lists, tokens())} | penalties{.last_n = 16, .repeat = 1.2f} |
                               top_k{.k = 40} | temperature{.t = 0.9f} | dist{.seed = 5};
            std::vector<std::remove_const_t<decltype(first)>> chains;
            for (std::size_t i = 0; i < forks; ++i) chains.push_back(first.fork(std::uint16_t(i)));
            std::vector<std::vector<token_id>> texts(forks);
            batch many;
            for (std::size_t step = 0; step < steps; ++step) {
                std::vector<float> rows;
                const std::vector<float> row = row_of(step);
                for (std::size_t i = 0; i < forks; ++i) rows.insert(rows.end(), row.begin(), row.end());
                std::vector<token_id> chosen(forks);
                many.sample(chains, logit_rows(rows.data(), forks, row.size()), chosen, executor);
                for (std::size_t i = 0; i < forks; ++i) texts[i].push_back(chosen[i]);
            }
            return texts;
        };
        EXPECT_EQ(run(on_threads), run(one_after_the_other()));
    }
}

}  // namespace
}  // namespace riffle_tests::threads_forks
