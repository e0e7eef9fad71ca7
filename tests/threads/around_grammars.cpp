// Copies of what sits around a grammar, on several threads: triggers, thoughts and choices share what one has found.

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

#include "integers.hpp"

namespace riffle_tests::threads_around_grammars {
namespace {

using namespace riffle;

const vocabulary& words() {
    static const vocabulary made = [] {
        vocabulary v;
        for (const char* piece : {"a", "b", "<", ">", "ab", "<a", "a>", ">ab", "<ab>", " ", "(", ")", ")a", "(<", "b)>"}) v.add(piece);
        v.add("</s>", token_role::control | token_role::end_of_generation);
        return v;
    }();
    return made;
}

/// The legal tokens at each step, and the one that was taken.
template <class Matcher>
std::vector<std::vector<bool>> walk(Matcher m, std::uint64_t seed) {
    integers random(seed);
    std::vector<std::vector<bool>> all;
    for (int i = 0; i < 150; ++i) {
        const legal_tokens now = m.legal();
        std::vector<bool> legal(words().size());
        std::size_t count = 0;
        for (std::size_t id = 0; id < legal.size(); ++id) count += legal[id] = now.contains(token_id(id));
        all.push_back(legal);
        token_id token = 0;
        if (count > 0)
            do token = token_id(random.below(std::uint32_t(legal.size())));
            while (!legal[std::size_t(token)]);
        if (count == 0 || m.accept(token).finished) m.reset();
        if (random.below(5) == 0) (void)m.rollback(m.mark() - random.below(m.mark() < 3 ? 1 : 3));
    }
    return all;
}

template <class Make>
void expect_equal_walks(Make make) {
    constexpr std::size_t walks = 16;
    std::vector<std::vector<std::vector<bool>>> alone, found(walks);
    for (std::size_t i = 0; i < walks; ++i) alone.push_back(walk(make(), i % 8));
    const auto shared = make();
    ASSERT_TRUE((shared.check)().ok());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < walks; ++i) threads.emplace_back([&, i] { found[i] = walk(shared, i % 8); });
    for (std::thread& t : threads) t.join();
    EXPECT_TRUE(found == alone);
}

TEST(ThreadsAroundGrammars, ShareMasksOfTriggersAndThoughts) {
    const vocabulary_trie trie(words());
    const parsed<riffle::grammar> language = parse_gbnf(R"(root ::= "a" "b"* ">")");
    ASSERT_TRUE(language.ok());
    const auto make_triggered = [&] {
        return triggered(grammar_matcher(*language, trie), {.words = {"<"}, .patterns = {"b+\\("}}, after_constraint::rearm);
    };
    expect_equal_walks(make_triggered);
    const thought_tags tags(trie, {.tokens = 4, .begins = {"("}, .ends = {")"}});
    expect_equal_walks([&] { return budgeted(tags, make_triggered()); });
}
TEST(ThreadsAroundGrammars, ShareChoices) {
    const vocabulary_trie trie(words());
    expect_equal_walks([&] { return choice_matcher(trie, {"<ab>", "ab>", "(", "(<ab"}); });
}

}  // namespace
}  // namespace riffle_tests::threads_around_grammars
