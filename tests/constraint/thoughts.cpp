// Thoughts within a budget: llama.cpp's cases (tests/test-reasoning-budget.cpp there), what it leaves open, and random
// streams beside a plain model of what shall happen.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

namespace riffle_tests::constraint_thoughts {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

template <class Matcher>
ids legal_of(const Matcher& m, std::size_t vocabulary_size) {
    ids legal;
    const legal_tokens now = m.legal();
    for (token_id id = 0; std::size_t(id) < vocabulary_size; ++id)
        if (now.contains(id)) legal.push_back(id);
    if (!now.are_all && now.count != legal_tokens::unknown) {
        EXPECT_EQ(now.count, legal.size());
    }
    return legal;
}

// ---- llama.cpp's cases: token n is "<n>", and what is forced is 102 and then the end

vocabulary numbered_words() {
    vocabulary words;
    for (int i = 0; i < 120; ++i) words.add("<" + std::to_string(i) + ">");
    return words;
}
std::string tag(int n) { return "<" + std::to_string(n) + ">"; }
reasoning_budget of_tokens(std::int64_t tokens) {
    return {.tokens = tokens, .begins = {tag(100)}, .ends = {tag(101)}, .message = tag(102)};
}
/// Which tokens of a sequence come while the end is forced; what is forced takes the place of the sequence's own.
std::set<std::size_t> forced_at(const reasoning_budget& budget, const ids& sequence) {
    const vocabulary words = numbered_words();
    budgeted m{thought_tags(vocabulary_trie(words), budget)};
    EXPECT_TRUE((m.check)().ok()) << (m.check)().message().c_str();
    std::set<std::size_t> forced;
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        const ids legal = legal_of(m, words.size());
        if (m.is_forcing()) {
            forced.insert(i);
            EXPECT_EQ(legal.size(), 1u);
            EXPECT_FALSE(m.accept(legal[0]).refused);
        } else {
            EXPECT_EQ(legal.size(), words.size());
            EXPECT_FALSE(m.accept(sequence[i]).refused);
        }
    }
    return forced;
}

TEST(Thoughts, AreBudgetedAsInLlama) {
    using at = std::set<std::size_t>;
    EXPECT_EQ(forced_at(of_tokens(5), {100, 50, 51, 101, 52}), at());            // they end by themselves
    EXPECT_EQ(forced_at(of_tokens(2), {100, 50, 51, 52, 53}), at({3, 4}));       // the budget is spent
    EXPECT_EQ(forced_at(of_tokens(0), {100, 50, 51}), at({1, 2}));               // at once
    EXPECT_EQ(forced_at(of_tokens(-1), {100, 50, 51, 52, 53, 54}), at());        // without a limit
    EXPECT_EQ(forced_at(of_tokens(2), {50, 51, 52, 53}), at());                  // none begin
    EXPECT_EQ(forced_at(of_tokens(2), {100, 50, 101, 100, 60, 61, 62, 63}), at({6, 7}));  // all of it again
    reasoning_budget inside = of_tokens(0);
    inside.starts_inside = true;
    EXPECT_EQ(forced_at(inside, {50, 51, 52}), at({0, 1}));
    inside.tokens = 2;
    EXPECT_EQ(forced_at(inside, {50, 51, 52, 53}), at({2, 3}));
    reasoning_budget two_begins = of_tokens(2);
    two_begins.begins = {tag(100), tag(110) + tag(111)};
    EXPECT_EQ(forced_at(two_begins, {110, 111, 50, 51, 52, 53}), at({4, 5}));
    reasoning_budget two_ends = of_tokens(5);
    two_ends.ends = {tag(101), tag(103) + tag(104)};
    EXPECT_EQ(forced_at(two_ends, {100, 50, 103, 104, 52}), at());
}

TEST(Thoughts, GoOnInCopies) {
    const vocabulary words = numbered_words();
    budgeted m{thought_tags(vocabulary_trie(words), of_tokens(3))};
    for (const token_id token : {100, 50}) m.accept(token);
    budgeted copy = m;
    EXPECT_EQ(copy.tokens_left(), 2);
    copy.accept(51);
    copy.accept(52);
    EXPECT_TRUE(copy.is_forcing());
    copy.accept(102);
    const budgeted forcing = copy;
    EXPECT_EQ(legal_of(forcing, words.size()), ids({101}));
    EXPECT_EQ(m.tokens_left(), 2);
    m.reset();
    EXPECT_FALSE(m.is_thinking());
    EXPECT_EQ(m.tokens_left(), -1);
}

TEST(Thoughts, AreEndedByHandOnlyWhileTheyGoOn) {
    const vocabulary words = numbered_words();
    budgeted m{thought_tags(vocabulary_trie(words), of_tokens(-1))};
    EXPECT_FALSE(m.end_thoughts());
    m.accept(100);
    m.accept(50);
    EXPECT_TRUE(m.end_thoughts());
    EXPECT_FALSE(m.end_thoughts());
    ids run(8);
    ASSERT_EQ(m.forced_run(run), 2u);
    EXPECT_EQ(ids(run.begin(), run.begin() + 2), ids({102, 101}));
    EXPECT_TRUE(m.accept(50).refused);
    m.accept(102);
    ASSERT_EQ(m.forced_run(run), 1u);
    m.accept(101);
    EXPECT_FALSE(m.is_thinking());
    EXPECT_FALSE(m.end_thoughts());
    EXPECT_EQ(m.forced_run(run), 0u);
}

// ---- by bytes

vocabulary words_of(std::initializer_list<const char*> pieces) {
    vocabulary words;
    for (const char* piece : pieces) words.add(piece);
    words.add("</s>", token_role::end_of_generation | token_role::control);
    return words;
}

TEST(Thoughts, HaveTagsInAnyTokenisation) {
    const vocabulary words = words_of({"<", "think", ">", "</think>", "</", "hm", "<th", "ink>\n\n", ">\n", "\n</think>\n", "\n"});
    const vocabulary_trie trie(words);
    // As templates write them: white space around them counts for nothing.
    const thought_tags tags(trie, {.tokens = 9, .begins = {"<think>\n"}, .ends = {"\n</think>\n\n"}});
    for (const ids& begin : {ids{0, 1, 2}, ids{6, 7}, ids{0, 1, 8}}) {
        budgeted m(tags);
        for (const token_id token : begin) {
            EXPECT_FALSE(m.is_thinking());
            m.accept(token);
        }
        EXPECT_TRUE(m.is_thinking());
        for (const ids& end : {ids{4, 1, 2}, ids{3}, ids{9}, ids{4, 1, 8}}) {
            budgeted ending = m;
            for (const token_id token : end) ending.accept(token);
            EXPECT_FALSE(ending.is_thinking());
        }
    }
}

TEST(Thoughts, AreEndedByTheTokenThatIsTheTag) {
    vocabulary words = words_of({"<", "/", "think", ">", "n", "o", "w", ".", "\n"});
    words.add("</think>", token_role::control);
    const vocabulary_trie trie(words);
    EXPECT_EQ(thought_tags(trie, {}).end_tokens()[0], 10);
    const thought_tags tags(trie, {.ends = {"\n</think>\n\n"}, .message = "now."});
    const auto all = tags.end_tokens();
    EXPECT_EQ(ids(all.begin(), all.end()), ids({4, 5, 6, 7, 8, 10, 8, 8}));
    const thought_tags by_letters(trie, {.ends = {"<now>"}}, [](text) { return ids{0, 4, 5, 6, 3}; });
    EXPECT_EQ(by_letters.end_tokens().size(), 5u);
    budgeted m(tags);
    for (const token_id token : {0, 2, 3, 4}) m.accept(token);
    EXPECT_TRUE(m.is_thinking());
    m.accept(10);  // by its name
    EXPECT_FALSE(m.is_thinking());
}

TEST(Thoughts, AreEndedBehindAWholeCharacter) {
    const std::pair<std::string, bool> pieces[] = {  // and whether a character is whole behind it
        {"hello", true}, {"", true}, {"\xC2\xA0", true}, {"\xE2\x80\x9C", true}, {"\xF0\x9F\x98\x80", true},
        {"abc\xC3\xA9", true}, {"\xC2", false}, {"\xE2\x80", false}, {"\xE2", false}, {"\xF0\x9F\x98", false},
        {"\xF0\x9F", false}, {"\xF0", false}, {"hello\xC3", false}, {"\x80", true}};
    for (const auto& [piece, is_whole] : pieces) {
        const vocabulary words = words_of({"<think>", piece.c_str(), "</think>", "\xA9"});
        budgeted m{thought_tags(vocabulary_trie(words), {.tokens = 1})};
        m.accept(0);
        m.accept(1);
        EXPECT_EQ(m.is_forcing(), is_whole) << piece;
    }
    // A byte of its own that ends a character: llama.cpp takes it for the beginning of one, and spends a token more.
    const vocabulary words = words_of({"<think>", "\xC3", "\xA9", "</think>", "x"});
    budgeted m{thought_tags(vocabulary_trie(words), {.tokens = 1})};
    m.accept(0);
    m.accept(1);
    EXPECT_FALSE(m.is_forcing());
    m.accept(2);
    EXPECT_TRUE(m.is_forcing());
}

std::int64_t now_of_test = 0;
std::int64_t clock_of_test() { return now_of_test; }

TEST(Thoughts, AreBudgetedInBytesAndTime) {
    const vocabulary words = words_of({"<think>", "abc", "</think>"});
    const vocabulary_trie trie(words);
    budgeted by_bytes{thought_tags(trie, {.bytes = 7})};
    for (const token_id token : {0, 1, 1}) by_bytes.accept(token);
    EXPECT_FALSE(by_bytes.is_forcing());
    by_bytes.accept(1);
    EXPECT_TRUE(by_bytes.is_forcing());
    now_of_test = 1000;
    budgeted by_time{thought_tags(trie, {.milliseconds = 50, .clock = clock_of_test})};
    by_time.accept(0);
    now_of_test = 1049;
    by_time.accept(1);
    EXPECT_FALSE(by_time.is_forcing());
    now_of_test = 1050;
    by_time.accept(1);
    EXPECT_TRUE(by_time.is_forcing());
    for (const reasoning_budget& none : {reasoning_budget{.bytes = 0}, reasoning_budget{.milliseconds = 0}}) {
        budgeted m{thought_tags(trie, none)};
        m.accept(0);
        EXPECT_TRUE(m.is_forcing());
    }
    budgeted real{thought_tags(trie, {.milliseconds = 3'600'000})};
    real.accept(0);
    real.accept(1);
    EXPECT_FALSE(real.is_forcing());
}

TEST(Thoughts, ThatCannotBeBudgetedSayWhy) {
    const vocabulary words = words_of({"<think>", "</think>"});
    const vocabulary_trie trie(words);
    const std::pair<reasoning_budget, std::string> wrong[] = {
        {{.ends = {}}, "thoughts have no end"},
        {{.ends = {" \n"}}, "a tag of thoughts is empty"},
        {{.begins = {""}}, "a tag of thoughts is empty"},
        {{.message = "stop"}, "no tokens spell the end of the thoughts, or the message ahead of it"},
        {{.ends = {"</thoughts>"}}, "no tokens spell the end of the thoughts, or the message ahead of it"},
    };
    for (const auto& [budget, message] : wrong) {
        const thought_tags tags(trie, budget);
        EXPECT_STREQ((tags.check)().message().c_str(), "reasoning_budget: tags = 0 cannot be used: see why()");
        EXPECT_EQ(tags.why().message(), message);
        budgeted m(tags);
        EXPECT_FALSE((m.check)().ok());
        EXPECT_TRUE(m.accept(0).refused);
        EXPECT_EQ(legal_of(m, words.size()), ids());
    }
    EXPECT_FALSE((thought_tags().check)().ok());
    EXPECT_FALSE((budgeted(thought_tags()).check)().ok());
    EXPECT_FALSE((thought_tags(vocabulary_trie(), {}).check)().ok());
    EXPECT_TRUE((soft_landing().check)().ok());
}

// ---- beside a constraint

TEST(Thoughts, LetAConstraintSleep) {
    const vocabulary words = words_of({"<think>", "</think>", "hm {", "{", "}", "\n\n", "\n", " ", "</think>\n{", "</think>x",
                                       "<thi", "nk>", "\n<think>", "x"});
    const vocabulary_trie trie(words);
    const grammar braces = *parse_gbnf(R"(root ::= "{" "}")");
    const thought_tags tags(trie, {.tokens = 3});
    budgeted m(tags, grammar_matcher(braces, trie));
    ASSERT_TRUE((m.check)().ok());
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 3, 5, 6, 7, 10, 12}));  // the constraint, or thoughts
    budgeted aloud = m;
    aloud.accept(3);
    EXPECT_EQ(legal_of(aloud, words.size()), ids({4}));  // no thoughts within it
    EXPECT_TRUE(aloud.accept(4).finished);
    budgeted opening = m;
    opening.accept(10);
    EXPECT_EQ(legal_of(opening, words.size()), ids({11}));  // nothing but the rest of the tag
    EXPECT_FALSE(opening.is_complete());
    EXPECT_TRUE((opening.check)().ok());
    opening.accept(11);
    EXPECT_TRUE(opening.is_thinking());
    budgeted space = m;
    space.accept(5);
    EXPECT_EQ(legal_of(space, words.size()), ids({0, 5, 6, 7, 10, 12}));  // white space ahead of a tag, and no constraint
    m.accept(0);
    EXPECT_TRUE(m.is_thinking());
    EXPECT_FALSE(m.is_complete());
    ids within;
    for (token_id id = 0; std::size_t(id) < words.size(); ++id)
        if (id != 9) within.push_back(id);
    EXPECT_EQ(legal_of(m, words.size()), within);  // but </think>x
    m.accept(2);
    budgeted in_one = m;
    in_one.accept(8);
    EXPECT_FALSE(in_one.is_thinking());
    EXPECT_EQ(legal_of(in_one, words.size()), ids({4}));
    m.accept(1);
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 3, 5, 6, 7, 10, 12}));
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(m.accept(6).refused);
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 3, 5, 6, 7, 10, 12}));  // more of it only ahead of other thoughts
    m.accept(3);
    EXPECT_TRUE(m.accept(4).finished);
    EXPECT_TRUE(m.is_finished());
}

TEST(Thoughts, OfTwoConstraintsMayHaveTheSameTags) {
    const vocabulary words = words_of({"<think>", "</think>{", "</think>[", "</think>", "}", "]", "{", "["});
    const vocabulary_trie trie(words);
    const thought_tags tags(trie, {.tokens = 9});
    budgeted braces(tags, grammar_matcher(*parse_gbnf(R"(root ::= "{" "}")"), trie));
    budgeted brackets(tags, grammar_matcher(*parse_gbnf(R"(root ::= "[" "]")"), trie));
    braces.accept(0);
    brackets.accept(0);
    EXPECT_EQ(legal_of(braces, words.size()), ids({0, 1, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(legal_of(brackets, words.size()), ids({0, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Thoughts, TriggerNothing) {
    const vocabulary words = words_of({"<think>", "</think>", "<tool>", "{", "}", "talk"});
    const vocabulary_trie trie(words);
    const triggered call(grammar_matcher(*parse_gbnf(R"(root ::= "{" "}")"), trie), triggers{.words = {"<tool>"}},
                         after_constraint::rearm);
    budgeted m(thought_tags(trie, {.tokens = 5}), call);
    for (const token_id token : {5, 0, 2, 5}) EXPECT_FALSE(m.accept(token).refused);
    EXPECT_TRUE(m.is_thinking());
    EXPECT_FALSE(m.constraint().is_awake());
    m.accept(1);
    m.accept(5);
    m.accept(2);
    EXPECT_TRUE(m.constraint().is_awake());
    EXPECT_EQ(legal_of(m, words.size()), ids({3}));
    m.accept(3);
    m.accept(4);
    EXPECT_FALSE(m.constraint().is_awake());
    m.accept(0);  // and thoughts again, in the middle of talk
    EXPECT_TRUE(m.is_thinking());
}

TEST(Thoughts, MayBeEndedByTheEndOfGeneration) {
    const vocabulary words = words_of({"<think>", "</think>", "hm", "a"});
    const vocabulary_trie trie(words);
    const thought_tags ends(trie, {.end_of_generation_ends_thoughts = true}), passes(trie, {});
    budgeted m(passes);
    m.accept(0);
    EXPECT_TRUE(m.accept(4).finished);
    auto c = constrain{budgeted(ends, grammar_matcher(literal("a"), trie))} | greedy{};
    std::vector<float> row(words.size(), 0.0f);
    row[0] = 5.0f;
    EXPECT_EQ(c.sample(row), 0);
    row[0] = -5.0f;
    row[4] = 9.0f;
    EXPECT_EQ(c.sample(row), 4);
    EXPECT_EQ(c.last_step().rewind, 1);
    EXPECT_FALSE(c.last_step().finished);
    ASSERT_TRUE(c.rewind(1).ok());
    EXPECT_EQ(c.sample(row), 1);  // the end of the thoughts, whatever the logits
    EXPECT_EQ(c.sample(row), 3);
    EXPECT_TRUE(c.last_step().finished);
}

TEST(Thoughts, LandSoftly) {
    const vocabulary words = words_of({"<think>", "</", "think", ">", "hm", "x"});
    const thought_tags tags(vocabulary_trie(words), {.tokens = 10, .landing_tokens = 4, .landing_bias = 8.0f});
    auto c = soft_landing{tags} | temperature{1.0f};
    const auto bias_of = [&](const ids& said) {
        auto landing = c;
        for (const token_id token : said) landing.accept(token);
        std::vector<token_data> all;
        for (token_id id = 0; std::size_t(id) < words.size(); ++id) all.push_back({id, 0.0f, 0.0f});
        candidates row{all.data(), all.size(), -1, false};
        EXPECT_TRUE(landing.apply(row).ok());
        std::map<token_id, float> found;
        for (const token_data& t : row)
            if (t.logit != 0.0f) found[t.id] = t.logit;
        return found;
    };
    using biases = std::map<token_id, float>;
    EXPECT_EQ(bias_of({}), biases());
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4}), biases());
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4}), (biases{{1, 2.0f}}));
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4, 4, 4}), (biases{{1, 6.0f}}));
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4, 4, 1}), (biases{{2, 6.0f}}));  // the tag goes on
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4, 4, 1, 2, 3}), biases());
    // In a chain it goes back with the rest.
    auto both = constrain{budgeted(tags)} | soft_landing{tags} | dist{.seed = 1};
    const std::vector<float> row(words.size(), 0.0f);
    for (const token_id token : {0, 4, 4, 4, 4, 4, 4, 4}) both.accept(token);
    const checkpoint here = both.mark();
    const auto p_of = [&] { return both.logprobs(row, 1)[0]; };
    const auto before = p_of();
    EXPECT_EQ(before.id, 1);
    both.accept(4);
    ASSERT_TRUE(both.rollback(here).ok());
    EXPECT_EQ(p_of().logprob, before.logprob);
}

// ---- at random, beside a plain model

/// What shall happen, by looking at all tokens each time. Tags are one byte each: '(' begins thoughts, ')' ends them; a
/// constraint of "a" and "b" in turn is beside them.
struct plain_model {
    std::int64_t budget;
    std::string message;

    struct answer {
        bool is_legal = true, is_inside = false, is_forcing = false;
        std::size_t said = 0;
    };
    answer read(const std::vector<std::string>& tokens) const {
        answer now;
        std::int64_t left = 0;
        std::string forced;
        bool may_open = true, only_space = false;
        std::size_t spaces = 9;
        for (const std::string& token : tokens) {
            if (now.is_forcing) {
                if (token != forced.substr(0, 1)) return {false};
                forced.erase(0, 1);
                if (forced.empty()) now.is_forcing = now.is_inside = false, may_open = true, spaces = 0;
                continue;
            }
            std::size_t at = 0;
            if (!now.is_inside) {
                if (token.find_first_not_of(' ') == std::string::npos && spaces < 4) {
                    ++spaces;
                    continue;
                }
                spaces = 9;
                const std::size_t first = std::min(token.find_first_not_of(' '), token.size());
                const bool is_all_space = first == token.size();
                if (may_open && (is_all_space || token[first] == '(')) {
                    if (is_all_space) {
                        only_space = true;
                        continue;
                    }
                    now.is_inside = true;
                    only_space = false;
                    left = budget;
                    at = first + 1;
                    if (budget == 0) {
                        now.is_forcing = true;
                        forced = message + ")";
                        continue;
                    }
                    if (at == token.size()) continue;
                } else {
                    if (only_space) return {false};
                    may_open = false;
                    for (const char byte : token)
                        if (byte != "ab"[now.said++ % 2]) return {false};
                    continue;
                }
            }
            const std::size_t end = token.find(')', at);
            if (end == std::string::npos) {
                if (--left == 0) {
                    now.is_forcing = true;
                    forced = message + ")";
                }
                continue;
            }
            now.is_inside = false;
            may_open = true;
            spaces = 0;
            std::size_t rest = std::min(token.find_first_not_of(' ', end + 1), token.size());
            if (rest < token.size()) may_open = false, spaces = 9;
            for (; rest < token.size(); ++rest)
                if (token[rest] != "ab"[now.said++ % 2]) return {false};
        }
        return now;
    }
};

TEST(Thoughts, AreWhatAPlainModelSays) {
    std::mt19937 random(77);
    const std::vector<std::string> pieces{"a", "b", "ab", " ", "  ", "(", ")", "!", "(!", " (", ")a", ") b", ")!", "!)", ") ",
                                          "a(", "((", "))", "()"};
    vocabulary words;
    for (const std::string& piece : pieces) words.add(piece);
    const vocabulary_trie trie(words);
    const grammar in_turn = *parse_gbnf(R"(root ::= ("a" "b")* "a"?)");
    for (int round = 0; round < 400; ++round) {
        const plain_model plain{std::int64_t(random() % 4), round % 2 ? "!" : ""};
        budgeted m(thought_tags(trie, {.tokens = plain.budget, .begins = {"("}, .ends = {")"}, .message = plain.message}),
                   grammar_matcher(in_turn, trie));
        ASSERT_TRUE((m.check)().ok()) << (m.check)().message().c_str();
        struct kept {
            std::uint64_t mark;
            std::vector<std::string> said;
        };
        std::vector<std::string> said;
        std::vector<kept> marks{{m.mark(), said}};
        for (int i = 0; i < 40; ++i) {
            if (random() % 8 == 0) {
                const kept& back = marks[random() % marks.size()];
                ASSERT_TRUE(m.rollback(back.mark).ok());
                said = back.said;
                while (marks.back().mark > m.mark()) marks.pop_back();
            }
            const plain_model::answer now = plain.read(said);
            ids expected;
            for (token_id token = 0; std::size_t(token) < pieces.size(); ++token) {
                std::vector<std::string> then = said;
                then.push_back(pieces[std::size_t(token)]);
                if (plain.read(then).is_legal) expected.push_back(token);
            }
            std::string all;
            for (const std::string& s : said) all += "[" + s + "]";
            ASSERT_EQ(legal_of(m, pieces.size()), expected) << all;
            ASSERT_EQ(m.is_thinking(), now.is_inside) << all;
            ASSERT_EQ(m.is_forcing(), now.is_forcing) << all;
            for (token_id token = 0; std::size_t(token) < pieces.size(); ++token)
                ASSERT_EQ(m.allows(token), std::binary_search(expected.begin(), expected.end(), token)) << all << token;
            if (expected.empty()) break;
            const token_id token = expected[random() % expected.size()];
            ASSERT_FALSE(m.accept(token).refused);
            said.push_back(pieces[std::size_t(token)]);
            marks.push_back({m.mark(), said});
        }
    }
}

}  // namespace
}  // namespace riffle_tests::constraint_thoughts
