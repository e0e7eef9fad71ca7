// A cache of tries that several threads read payloads by.

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>
#include <riffle/token_trie.hpp>

namespace riffle_tests::threads_token_tries {
namespace {

using namespace riffle;

TEST(TokenTrieThreads, HaveOneCache) {
    shared_token_trie_cache cache(1000, {}, {.entries = 8});
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&cache, &wrong, t] {
            for (int i = 0; i < 2000; ++i) {
                const int number = 100 + i % 12;
                const parsed<token_trie> read =
                    cache.parse(R"({"modelId":"m","descriptors":[{"path":"action","leaves":[{"name":"a","tokens":[)" +
                                std::to_string(number) + R"(]},{"name":"b","tokens":[1,2]}]}]})");
                trie_matcher m(*read);
                if (!read.ok() || m.accept(number).refused || m.leaf_name() != text("a")) ++wrong[t];
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, std::vector<int>(4));
    EXPECT_EQ(cache.size(), 8u);
}

}  // namespace
}  // namespace riffle_tests::threads_token_tries
