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
    now_of_test = 900;
    budgeted by_time{thought_tags(trie, {.milliseconds = 50, .clock = clock_of_test})};
    by_time.accept(0);
    now_of_test = 1000;  // the clock begins with the first token: reading a prompt takes none of it
    by_time.accept(1);
    EXPECT_FALSE(by_time.is_forcing());
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
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4}), biases());
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4}), (biases{{1, 2.0f}}));
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4}), (biases{{1, 4.0f}}));
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4, 4, 4}), (biases{{1, 8.0f}}));  // all of it with the last
    EXPECT_EQ(bias_of({0, 4, 4, 4, 4, 4, 4, 4, 4, 1}), (biases{{2, 8.0f}}));  // the tag goes on
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
                    if (budget == 0 && token.find(')', at) == std::string::npos) {
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

// ---- where thoughts and what is said meet

TEST(Thoughts, AreNotWhatAConstraintTookOfTheirTag) {  // "<" may begin either
    const vocabulary words = words_of({"<", "think>", "hm", "</think>", "a>", "<a>", "</think><a>"});
    const vocabulary_trie trie(words);
    const grammar tag_of_a = *parse_gbnf(R"(root ::= "<a>")");
    budgeted m(thought_tags(trie, {.tokens = 9}), grammar_matcher(tag_of_a, trie));
    const std::uint64_t start = m.mark();
    m.accept(0);
    const std::uint64_t within = m.mark();
    EXPECT_EQ(legal_of(m, words.size()), ids({1, 4}));
    m.accept(1);
    budgeted in_one = m;
    EXPECT_FALSE(in_one.accept(6).refused);
    EXPECT_TRUE(in_one.is_finished());
    m.accept(2);
    m.accept(3);
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 5}));
    EXPECT_TRUE(m.accept(5).finished);
    ASSERT_TRUE(m.rollback(within).ok());
    EXPECT_EQ(legal_of(m, words.size()), ids({1, 4}));
    EXPECT_TRUE(m.accept(4).finished);
    ASSERT_TRUE(m.rollback(start).ok());
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 5}));
}

TEST(Thoughts, HaveMasksOfTheTextThatTheyAreIn) {  // a rollback leads to another text of as many tokens
    const vocabulary words = words_of({" ", "\n", "<think>", "</think>a", "</think>b", "</think>"});
    const vocabulary_trie trie(words);
    budgeted m(thought_tags(trie, {.tokens = 9}), grammar_matcher(*parse_gbnf(R"(root ::= " a" | "\nb")"), trie));
    for (const token_id space : {0, 1}) {
        ASSERT_TRUE(m.rollback(0).ok());
        m.accept(space);
        m.accept(2);
        const ids legal = legal_of(m, words.size());
        for (token_id token = 0; std::size_t(token) < words.size(); ++token)
            EXPECT_EQ(m.allows(token), std::binary_search(legal.begin(), legal.end(), token)) << space << ' ' << token;
    }
}

TEST(Thoughts, BeginBehindAConstraintThatCouldGoOn) {
    const vocabulary words = words_of({"x", "1", "<think>", "</think>", "<thi", "nk>", "(x"});
    const vocabulary_trie trie(words);
    const triggered digits(grammar_matcher(*parse_gbnf("root ::= [0-9]+"), trie), triggers{.words = {"x"}}, after_constraint::rearm);
    const budgeted fresh(thought_tags(trie, {.tokens = 5}), digits);
    for (const ids& tag : {ids{2}, ids{4, 5}}) {
        budgeted m = fresh;
        for (const token_id token : {0, 1}) m.accept(token);
        for (const token_id token : tag) EXPECT_FALSE(m.accept(token).refused);
        EXPECT_TRUE(m.is_thinking());
        EXPECT_FALSE(m.constraint().is_awake());
    }
}

TEST(Thoughts, TriggerNothingInTheTokenThatBeginsThem) {
    const vocabulary words = words_of({"<think><t>", "a<think>hm<t>", "</think>", "<t>", "{", "</think>Hello", "</think><t>", "</think><t>x",
                                       "<think></think>a<think>", "(", ")["});
    const vocabulary_trie trie(words);
    const triggered call(grammar_matcher(*parse_gbnf(R"(root ::= "{" "}")"), trie), triggers{.words = {"<t>", "(["}},
                         after_constraint::rearm);
    const budgeted fresh(thought_tags(trie, {.tokens = 5, .begins = {"<think>"}, .ends = {"</think>", ")"}}), call);
    for (const token_id opening : {0, 1, 8}) {
        budgeted m = fresh;
        EXPECT_FALSE(m.accept(opening).refused);
        EXPECT_TRUE(m.is_thinking());
        EXPECT_FALSE(m.constraint().is_awake());
        EXPECT_EQ(m.tokens_left(), opening == 8 ? 5 : 4);
        const ids legal = legal_of(m, words.size());
        EXPECT_TRUE(std::binary_search(legal.begin(), legal.end(), 5));  // free text behind the thoughts
        EXPECT_TRUE(std::binary_search(legal.begin(), legal.end(), 6));
        EXPECT_FALSE(std::binary_search(legal.begin(), legal.end(), 7));
        budgeted waking = m;
        EXPECT_FALSE(waking.accept(6).refused);
        EXPECT_TRUE(waking.constraint().is_awake());
        EXPECT_EQ(legal_of(waking, words.size()), ids({4}));
        EXPECT_FALSE(m.accept(5).refused);
        EXPECT_FALSE(m.is_thinking());
    }
    budgeted across = fresh;  // "(", thoughts, "[": no trigger
    for (const token_id token : {9, 0, 10}) EXPECT_FALSE(across.accept(token).refused);
    EXPECT_FALSE(across.constraint().is_awake());
}

TEST(Thoughts, EndWhereGenerationEndsWithinACharacter) {
    const vocabulary words = words_of({"<think>", "</think>", "\xC3", "a"});
    const vocabulary_trie trie(words);
    auto c = constrain{budgeted(thought_tags(trie, {.tokens = 9, .end_of_generation_ends_thoughts = true}))} | greedy{};
    const auto end = token_id(words.size() - 1);
    for (const token_id token : {0, 2}) c.accept(token);
    EXPECT_EQ(c.accept(end).rewind, 1);
    ASSERT_TRUE(c.rewind(1).ok());
    EXPECT_TRUE(get<0>(c).matcher.is_forcing());
    // And a character that is never whole is waited for no longer than it is one.
    budgeted broken(thought_tags(trie, {.tokens = 2}));
    for (const token_id token : {0, 2, 2}) broken.accept(token);
    EXPECT_FALSE(broken.is_forcing());
    broken.accept(2);
    EXPECT_TRUE(broken.is_forcing());
}

TEST(Thoughts, EndATextOnce) {
    const vocabulary words = words_of({"<think>", "</think>", "a"});
    const vocabulary_trie trie(words);
    budgeted m(thought_tags(trie, {.tokens = 9}));
    m.accept(0);
    EXPECT_TRUE(m.accept(token_id(words.size() - 1)).finished);
    EXPECT_TRUE(m.is_finished());
    EXPECT_TRUE((m.check)() == status_code::no_legal_token);
    EXPECT_EQ(m.legal().count, 0u);
    EXPECT_TRUE(m.accept(2).refused);
    ASSERT_TRUE(m.rollback(1).ok());
    EXPECT_FALSE(m.accept(2).refused);
    for (const token_id outside : {-1, 1000000}) {
        EXPECT_FALSE(m.allows(outside));
        EXPECT_TRUE(m.accept(outside).refused);
    }
    EXPECT_EQ(m.mark(), 2u);
}

TEST(Thoughts, AreNotForcedOpenByANameThatIsLonger) {
    vocabulary words;
    for (const char* piece : {"<thi", "nk>", "a", "</think"}) words.add(piece);
    words.add("<thinking>", token_role::control);
    words.add("</s>", token_role::control | token_role::end_of_generation);
    const vocabulary_trie trie(words);
    budgeted m(thought_tags(trie, {.tokens = 9, .begins = {"<think"}, .ends = {"</think"}}),
               grammar_matcher(*parse_gbnf(R"(root ::= "a")"), trie));
    EXPECT_EQ(legal_of(m, words.size()), ids({0, 2}));
    EXPECT_TRUE(m.accept(4).refused);
}

TEST(Thoughts, MayEndInTheTokenThatBeginsThemWhateverTheBudget) {
    const vocabulary words = words_of({"<think></think>", "</think>", "a", ")(", ")"});
    const vocabulary_trie trie(words);
    budgeted m(thought_tags(trie, {.tokens = 0}), grammar_matcher(*parse_gbnf(R"(root ::= "a")"), trie));
    EXPECT_FALSE(m.accept(0).refused);
    EXPECT_FALSE(m.is_forcing());
    EXPECT_TRUE(m.accept(2).finished);
    budgeted again(thought_tags(trie, {.tokens = 3, .begins = {"("}, .ends = {")"}, .starts_inside = true}));
    EXPECT_FALSE(again.accept(3).refused);
    EXPECT_TRUE(again.is_thinking());
    EXPECT_EQ(again.tokens_left(), 3);
}

TEST(Thoughts, CanBeTakenBackAsFarAsTheySay) {  // a token wakes the constraint, and is of it: 128 of these can go back
    const vocabulary words = words_of({"<a", "x", "<think>", "</think>", "a", "<b"});
    const vocabulary_trie trie(words);
    const triggered call(grammar_matcher(*parse_gbnf(R"(root ::= "a")"), trie), triggers{.words = {"<"}}, after_constraint::rearm);
    budgeted m(thought_tags(trie, {.tokens = 5}), call);
    for (int i = 0; i < 200; ++i) ASSERT_FALSE(m.accept(0).refused);
    EXPECT_TRUE(m.rollback(72).ok());
    EXPECT_TRUE(m.rollback(71) == status_code::rewind_too_far);
    triggered refusing(grammar_matcher(*parse_gbnf(R"(root ::= "x"*)"), trie), triggers{.words = {"<"}}, after_constraint::rearm);
    for (int i = 0; i < 128; ++i) ASSERT_FALSE(refusing.accept(1).refused);
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(refusing.accept(5).refused);  // changes nothing
    EXPECT_TRUE(refusing.rollback(0).ok());
}

TEST(Thoughts, AreLandedWhereTheConstraintHasThem) {
    const vocabulary words = words_of({"\"", "<think>", "</think>", "h", "[/", "done]", "think"});
    const vocabulary_trie trie(words);
    const auto bias_of = [&](const auto& landing, const ids& said) {
        auto c = landing | temperature{1.0f};
        for (const token_id token : said) c.accept(token);
        std::vector<token_data> all;
        for (token_id id = 0; std::size_t(id) < words.size(); ++id) all.push_back({id, 0.0f, 0.0f});
        candidates row{all.data(), all.size(), -1, false};
        EXPECT_TRUE(c.apply(row).ok());
        ids found;
        for (const token_data& t : row)
            if (t.logit != 0.0f) found.push_back(t.id);
        return found;
    };
    const thought_tags tags(trie, {.tokens = 4, .landing_tokens = 4});
    EXPECT_EQ(bias_of(soft_landing{tags}, {0, 1, 3}), ids({2}));
    EXPECT_EQ(bias_of(soft_landing{tags, false}, {0, 1, 3}), ids());  // a tag within a string of a grammar is none
    EXPECT_EQ(bias_of(soft_landing{tags, false}, {1, 3}), ids({2}));
    EXPECT_EQ(bias_of(soft_landing{tags, false}, {1, 3, 2, 1, 3}), ids({2}));
    EXPECT_EQ(bias_of(soft_landing{tags, false}, {1, 3, 2, 3, 1, 3}), ids());
    const thought_tags two_ends(trie, {.tokens = 4, .ends = {"</think>", "[/done]"}, .landing_tokens = 4});
    EXPECT_EQ(bias_of(soft_landing{two_ends}, {1, 4}), ids({2}));  // the other end has begun: this one is at its beginning
    const thought_tags one_token(trie, {.tokens = 4, .landing_tokens = 1});
    EXPECT_EQ(bias_of(soft_landing{one_token}, {1, 3, 3, 3}), ids({2}));
}

/// Free text with thoughts, (: and :), and behind <: the constraint "a" "b"*, byte by byte, as the docstrings have it.
struct plain_talk {
    enum doing { free_text, awake, thinking };
    doing now = free_text;
    std::string tail;  ///< of free text, or of thoughts
    std::string said;  ///< in the constraint
    bool is_legal = true;

    static bool ends(const std::string& s, const char* with) { return s.ends_with(with); }
    static bool is_beginning(const std::string& s) {
        return s.empty() || (s[0] == 'a' && s.find_first_not_of('b', 1) == std::string::npos);
    }
    bool is_complete() const { return !said.empty(); }

    void accept(const std::string& token) {
        if (now == awake && is_beginning(said + token)) {
            said += token;
            return;
        }
        if (now == awake && !is_complete()) return void(is_legal = false);
        if (now == awake) now = free_text, tail.clear();
        bool has_thought = now == thinking;  // in this token
        bool has_fired = false;              // in a part between thoughts
        for (std::size_t i = 0; i < token.size() && is_legal; ++i) {
            if (now == awake) {
                if (!is_beginning(said += token[i])) is_legal = false;
                continue;
            }
            if (now == thinking && tail == "behind" && token[i] == ' ') continue;  // white space behind an end is nobody's
            tail += token[i];
            if (now == thinking && ends(tail, ":)")) {
                while (i + 1 < token.size() && token[i + 1] == ' ') ++i;
                now = free_text;
                tail.clear();
                has_thought = true;
                continue;
            }
            if (now != free_text) continue;
            if (ends(tail, "(:")) {
                if (has_fired) is_legal = false;  // a trigger and then thoughts, behind thoughts in one token: not legal
                now = thinking;
                tail.clear();
                has_thought = true;
            } else if (ends(tail, "<:")) {
                // Behind thoughts in this token a tag is looked for first.
                if (has_thought && token.find("(:", i + 1) != std::string::npos) is_legal = false;
                now = awake;
                said.clear();
            }
        }
    }
};

TEST(Thoughts, BesideWhatIsTriggeredAreWhatAPlainReaderSays) {
    std::mt19937 random(78);
    vocabulary words;
    std::vector<std::string> pieces{"a", "b", "(", ":", ")", "<", " ", "x", "(:", ":)", "<:", "<:a", "<:x", ":)<:", ":)<:a", ":)(:", ": )", "):",
                                    "x(:x", ":)x", "(:x:)", "(:x:)<:b", ":a", ":b", "<(:", "(<:"};
    while (pieces.size() < 60) {
        std::string piece;
        for (std::size_t k = 2 + random() % 4; k-- > 0;) piece += "ab(:)<x:"[random() % 8];
        pieces.push_back(piece);
    }
    for (const std::string& piece : pieces) words.add(piece);
    const vocabulary_trie trie(words);
    const grammar some = *parse_gbnf(R"(root ::= "a" "b"*)");
    std::size_t thoughts = 0, calls = 0, illegal = 0;
    for (int round = 0; round < 300; ++round) {
        budgeted m(thought_tags(trie, {.begins = {"(:"}, .ends = {":)"}}),
                   triggered(grammar_matcher(some, trie), triggers{.words = {"<:"}}, after_constraint::rearm));
        ASSERT_TRUE((m.check)().ok());
        struct kept {
            std::uint64_t mark;
            plain_talk at;
        };
        plain_talk at;
        std::vector<kept> marks{{m.mark(), at}};
        std::string all;
        for (int i = 0; i < 40; ++i) {
            if (random() % 8 == 0) {
                const kept back = marks[random() % marks.size()];
                ASSERT_TRUE(m.rollback(back.mark).ok());
                at = back.at;
                while (marks.back().mark > m.mark()) marks.pop_back();
                all += '|' + std::to_string(back.mark) + '|';
            }
            ids expected;
            for (token_id token = 0; std::size_t(token) < pieces.size(); ++token) {
                plain_talk then = at;
                then.accept(pieces[std::size_t(token)]);
                if (then.is_legal) expected.push_back(token);
                illegal += !then.is_legal;
                ASSERT_EQ(m.allows(token), then.is_legal) << all << " then " << pieces[std::size_t(token)];
            }
            ASSERT_EQ(m.is_thinking(), at.now == plain_talk::thinking) << all;
            ASSERT_EQ(m.constraint().is_awake(), at.now == plain_talk::awake) << all;
            ids legal = legal_of(m, pieces.size());
            ASSERT_EQ(legal, expected) << all;
            const token_id token = expected[random() % expected.size()];
            ASSERT_FALSE(m.accept(token).refused);
            at.accept(pieces[std::size_t(token)]);
            all += '[' + pieces[std::size_t(token)] + ']';
            marks.push_back({m.mark(), at});
            thoughts += at.now == plain_talk::thinking;
            calls += at.now == plain_talk::awake;
        }
    }
    EXPECT_GT(thoughts, 1000u);
    EXPECT_GT(calls, 1000u);
    EXPECT_GT(illegal, 10000u);
}

}  // namespace
}  // namespace riffle_tests::constraint_thoughts
