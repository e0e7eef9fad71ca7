// riffle for C: each thread has handles of its own, which share a grammar and a vocabulary.

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/c_api.hpp>

namespace riffle_tests::threads_c_handles {
namespace {

TEST(ThreadsOfC, CloneOneChain) {
    const std::vector<std::string> pieces{"yes", "no", " ", "y", "e", "s", "n", "o", "</s>"};
    std::vector<riffle_token_text> tokens;
    for (const std::string& piece : pieces) tokens.push_back({piece.data(), piece.size(), riffle_text});
    tokens.back().roles = riffle_control | riffle_end_of_generation;
    riffle_vocabulary* const words = riffle_vocabulary_new(tokens.data(), tokens.size(), nullptr);
    const std::string gbnf = R"(root ::= ("yes" | "no" | " ")+)";
    riffle_constraint* const by = riffle_constraint_new_gbnf(words, gbnf.data(), gbnf.size(), nullptr);
    riffle_chain* const chain = riffle_chain_new("temp=1;seed=5", words, nullptr, nullptr);
    ASSERT_EQ(riffle_chain_set_constraint(chain, by), riffle_ok);

    const auto write = [&](riffle_chain* own) {
        std::string said;
        for (std::size_t i = 0; i < 200; ++i) {
            std::vector<float> row(pieces.size());
            for (std::size_t k = 0; k < row.size(); ++k) row[k] = float((i * 7 + k * 5) % 11) / 4;
            riffle_token token = -1;
            if (riffle_chain_sample(own, row.data(), row.size(), &token) != riffle_ok) return std::string("failed");
            said += std::to_string(token) + ' ';
            if (pieces[std::size_t(token)] == "</s>") riffle_chain_reset(own);
        }
        riffle_chain_free(own);
        return said;
    };
    std::vector<riffle_chain*> clones;
    for (int t = 0; t < 4; ++t) clones.push_back(riffle_chain_clone(chain));
    const std::string alone = write(riffle_chain_clone(chain));
    EXPECT_GT(alone.size(), 300u);
    std::vector<std::string> said(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) threads.emplace_back([&, t] { said[t] = write(clones[t]); });
    for (std::thread& t : threads) t.join();
    for (const std::string& s : said) EXPECT_EQ(s, alone);

    riffle_chain_free(chain);
    riffle_constraint_free(by);
    riffle_vocabulary_free(words);
}

}  // namespace
}  // namespace riffle_tests::threads_c_handles
