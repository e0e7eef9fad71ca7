// Choices that can be switched, and whole choices scored, beside slow ways to say the same.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

namespace riffle_tests::constraint_choices {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

vocabulary words_of(std::initializer_list<const char*> pieces) {
    vocabulary words;
    for (const char* piece : pieces) words.add(piece);
    words.add("</s>", token_role::end_of_generation | token_role::control);
    words.add("<end>", token_role::end_of_generation | token_role::control);
    return words;
}
ids legal_of(const choice_matcher& m) {
    const legal_tokens legal = m.legal();
    EXPECT_FALSE(legal.are_all);
    return {legal.ids.begin(), legal.ids.end()};
}

// ---- which tokens are legal

TEST(Choices, AreWrittenInEveryTokenisation) {
    const vocabulary words = words_of({"RE", "PLY", "REPLY", "R", "E", "_T", "STOP", "S", "TO", "P", "REPLY"});
    choice_matcher m(vocabulary_trie(words), {"REPLY", "REPLY_T", "STOP"});
    ASSERT_TRUE((m.check)().ok());
    EXPECT_EQ(m.size(), 3u);
    EXPECT_EQ(m.name(1), "REPLY_T");
    EXPECT_EQ(m.name(3), "");
    EXPECT_EQ(legal_of(m), ids({0, 2, 3, 6, 7, 10}));  // 10 is 2 once more
    EXPECT_FALSE(m.accept(0).finished);
    EXPECT_EQ(legal_of(m), ids({1, 9}));
    EXPECT_TRUE(m.forced_run().empty());
    EXPECT_EQ(m.chosen(), -1);
    EXPECT_FALSE(m.accept(1).finished);
    EXPECT_TRUE(m.is_complete());
    EXPECT_FALSE(m.is_finished());
    EXPECT_EQ(m.chosen(), -1);  // it may go on
    EXPECT_EQ(legal_of(m), ids({5, 11, 12}));
    choice_matcher other = m;
    EXPECT_TRUE(m.accept(12).finished);
    EXPECT_EQ(m.chosen(), 0);
    EXPECT_TRUE(legal_of(m).empty());
    EXPECT_TRUE((m.check)() == status_code::no_legal_token);
    EXPECT_TRUE(m.accept(11).refused);
    EXPECT_TRUE(other.accept(5).finished);
    EXPECT_EQ(other.chosen(), 1);
    EXPECT_EQ(legal_of(other), ids({11, 12}));
    other.reset();
    EXPECT_EQ(other.chosen(), -1);
    EXPECT_EQ(legal_of(other).size(), 6u);
}

TEST(Choices, HaveAnEndOfTheirOwn) {
    const vocabulary words = words_of({"REPLY", "\"", "Y\"", "Y\"}", "\"}", "REPL", "_T\"", "Y", "\"_", "Y\"\"", "_"});
    const vocabulary_trie trie(words);
    choice_matcher within(trie, {"REPLY", "REPLY_T"}, {.end = "\""});
    within.accept(5);
    EXPECT_EQ(legal_of(within), ids({2, 7}));
    EXPECT_TRUE(within.accept(2).finished);
    EXPECT_EQ(within.chosen(), 0);
    EXPECT_EQ(within.bytes_past_end(), 0u);

    choice_matcher beyond(trie, {"REPLY", "REPLY_T"}, {.end = "\"", .runs_past_end = true});
    beyond.accept(5);
    EXPECT_EQ(legal_of(beyond), ids({2, 3, 7, 9}));
    EXPECT_TRUE(beyond.accept(3).finished);
    EXPECT_EQ(beyond.chosen(), 0);
    EXPECT_EQ(beyond.bytes_past_end(), 1u);
    EXPECT_EQ(legal_of(beyond), ids({11, 12}));
    EXPECT_TRUE(beyond.accept(1).refused);
    beyond.reset();
    EXPECT_EQ(beyond.bytes_past_end(), 0u);
}

TEST(Choices, AreSwitchedWithoutBeingMadeAnew) {
    const vocabulary words = words_of({"a", "b", "c"});
    choice_matcher m(vocabulary_trie(words), {"ab", "ac", "b"});
    const choice_matcher before = m;
    ASSERT_TRUE(m.enable(2, false).ok());
    EXPECT_EQ(legal_of(m), ids({0}));
    EXPECT_EQ(m.forced_run(), ids({0}));
    ASSERT_TRUE(m.enable(1, false).ok());
    EXPECT_EQ(m.forced_run(), ids({0, 1}));
    ASSERT_TRUE(m.enable(0, false).ok());
    EXPECT_TRUE(legal_of(m).empty());
    EXPECT_STREQ((m.check)().message().c_str(), "choice_matcher: choices = 3 are all off, or not those that began");
    ASSERT_TRUE(m.enable(1, true).ok());
    EXPECT_EQ(m.forced_run(), ids({0, 2}));
    EXPECT_FALSE(m.is_enabled(0));
    EXPECT_TRUE(m.is_enabled(1));
    EXPECT_FALSE(m.is_enabled(3));
    EXPECT_EQ(legal_of(before), ids({0, 1}));  // a copy has its own
    EXPECT_STREQ(m.enable(3, true).message().c_str(),
                 "choice_matcher: choice = 3 is none of them: the number is too great");
    EXPECT_STREQ(m.set_bias(0, std::numeric_limits<float>::quiet_NaN()).message().c_str(),
                 "choice_matcher: bias = nan is not a number");
    m.accept(0);
    ASSERT_TRUE(m.enable(1, false).ok());  // in the middle of it
    EXPECT_FALSE((m.check)().ok());
    ASSERT_TRUE(m.enable(0, true).ok());
    EXPECT_EQ(legal_of(m), ids({1}));
}

TEST(Choices, AreListedByTheirBias) {
    const vocabulary words = words_of({"a", "b", "c"});
    choice_matcher m(vocabulary_trie(words), {"ab", "ac", "b", "c"});
    EXPECT_EQ(m.most_likely_first(), (std::vector<std::size_t>{0, 1, 2, 3}));
    ASSERT_TRUE(m.set_bias(2, 1.0f).ok());
    ASSERT_TRUE(m.set_bias(0, -1.0f).ok());
    ASSERT_TRUE(m.enable(3, false).ok());
    EXPECT_EQ(m.most_likely_first(), (std::vector<std::size_t>{2, 1, 0}));
    EXPECT_EQ(m.bias(2), 1.0f);
    EXPECT_EQ(m.bias(9), 0.0f);
    m.accept(0);
    EXPECT_EQ(m.most_likely_first(), (std::vector<std::size_t>{1, 0}));
}

TEST(Choices, WithoutAWayOnSayWhy) {
    const vocabulary words = words_of({"a", "b"});
    const vocabulary_trie trie(words);
    EXPECT_STREQ((choice_matcher().check)().message().c_str(),
                 "choice_matcher: choices = 0 are none: it was made without a vocabulary");
    EXPECT_TRUE(choice_matcher().legal().ids.empty());
    EXPECT_TRUE(choice_matcher().accept(0).refused);
    EXPECT_TRUE(choice_matcher().forced_run().empty());
    EXPECT_EQ(choice_matcher().chosen(), -1);
    EXPECT_TRUE(score_choices(choice_matcher(), [](std::size_t) { return 0.0; }).probability.empty());
    EXPECT_FALSE((choice_matcher(vocabulary_trie(), {"a"}).check)().ok());
    EXPECT_STREQ((choice_matcher(trie, std::initializer_list<text>{}).check)().message().c_str(),
                 "choice_matcher: choices = 0 are all off, or not those that began");
    EXPECT_STREQ((choice_matcher(trie, {"xy"}).check)().message().c_str(),
                 "constrain: the next byte = 120 may come, but no token begins with it");
    choice_matcher empty(trie, {"", "a"});
    EXPECT_TRUE(empty.is_complete());
    EXPECT_EQ(legal_of(empty), ids({0, 2, 3}));
    vocabulary endless;
    endless.add("a");
    choice_matcher stuck(vocabulary_trie(endless), {"a"});
    EXPECT_TRUE(stuck.accept(0).finished);
    EXPECT_TRUE((stuck.check)() == status_code::no_legal_token);
}

TEST(Choices, AreKeptToByAChain) {
    const vocabulary words = words_of({"at", "tack", "flee", "x"});
    auto c = constrain{choice_matcher(vocabulary_trie(words), {"attack", "flee"})} | top_k{2} | temperature{.t = 0.8f} |
             dist{.seed = 5};
    std::vector<float> row(words.size(), 0.0f);
    row[3] = 9.0f;
    int attacks = 0;
    for (int i = 0; i < 200; ++i) {
        get<constrain<choice_matcher>>(c).matcher.reset();
        while (!c.last_step().finished || get<constrain<choice_matcher>>(c).matcher.chosen() < 0)
            ASSERT_NE(c.sample(row), null_token);
        attacks += get<constrain<choice_matcher>>(c).matcher.chosen() == 0;
    }
    EXPECT_GT(attacks, 60);
    EXPECT_LT(attacks, 140);
}

// ---- at random

TEST(Choices, AreWhatASlowReaderSays) {
    std::mt19937 random(2);
    for (int round = 0; round < 600; ++round) {
        vocabulary words;
        for (int i = 0; i < 14; ++i) {
            std::string piece;
            for (std::size_t k = 1 + random() % 3; k-- > 0;) piece += char('a' + random() % 2);
            words.add(piece);
        }
        words.add("</s>", token_role::end_of_generation | token_role::control);
        const vocabulary_trie trie(words);
        std::vector<std::string> names(1 + random() % 5);
        for (std::string& name : names)
            for (std::size_t k = random() % 5; k-- > 0;) name += char('a' + random() % 2);
        const std::string end = random() % 2 ? "b" : "";
        const bool may_run_past = random() % 2;
        choice_matcher m(trie, names, {.end = text(end), .runs_past_end = may_run_past});
        std::vector<bool> on(names.size(), true);
        std::string said;
        bool is_past = false;  // the last token went on behind a choice, the end of which is the end of `said`
        struct kept {
            std::uint64_t mark;
            std::string said;
            bool is_past;
        };
        std::vector<kept> marks{{m.mark(), said, is_past}};
        for (int i = 0; i < 12; ++i) {
            if (random() % 3 == 0) {
                const std::size_t which = random() % names.size();
                on[which] = random() % 3 != 0;
                ASSERT_TRUE(m.enable(which, on[which]).ok());
            }
            if (random() % 5 == 0) {
                const kept& back = marks[random() % marks.size()];
                ASSERT_TRUE(m.rollback(back.mark).ok());
                said = back.said;
                is_past = back.is_past;
            }
            std::set<token_id> legal;
            bool is_complete = false;
            for (std::size_t n = 0; n < names.size(); ++n)
                if (on[n] && names[n] + end == said) is_complete = true;
            const auto behind = [&](token_id token) {
                return said + std::string(words.piece(token).data(), words.piece(token).size());
            };
            std::map<token_id, std::string> ended_in;  // the longest choice that a token ends, and goes on behind
            for (token_id token = 0; !is_past && std::size_t(token) + 1 < words.size(); ++token) {
                const std::string whole = behind(token);
                bool goes_on = false;
                for (std::size_t n = 0; n < names.size(); ++n) {
                    const std::string choice = names[n] + end;
                    if (!on[n]) continue;
                    goes_on |= choice.compare(0, whole.size(), whole) == 0;
                    if (may_run_past && choice.size() > said.size() && choice.size() < whole.size() && whole.starts_with(choice) &&
                        choice.size() > ended_in[token].size())
                        ended_in[token] = choice;
                }
                if (goes_on || ended_in[token].empty()) ended_in.erase(token);
                if (goes_on || ended_in.count(token)) legal.insert(token);
            }
            if (is_complete) legal.insert(token_id(words.size() - 1));
            ASSERT_EQ(legal_of(m), ids(legal.begin(), legal.end()));
            ASSERT_EQ(m.is_complete(), is_complete);
            for (token_id token = -1; std::size_t(token + 1) < words.size() + 2; ++token)
                ASSERT_EQ(m.allows(token), legal.count(token) != 0);
            if (legal.empty()) continue;
            const auto token = *std::next(legal.begin(), std::ptrdiff_t(random() % legal.size()));
            ASSERT_FALSE(m.accept(token).refused);
            if (words.ends_generation(token)) {
                m.rollback(marks.front().mark);
                said.clear();
                is_past = false;
            } else if (const auto past = ended_in.find(token); past != ended_in.end()) {
                EXPECT_EQ(m.bytes_past_end(), behind(token).size() - past->second.size());
                said = past->second;
                is_past = true;
            } else {
                said = behind(token);
            }
            marks.push_back({m.mark(), said, is_past});
        }
    }
}

// ---- whole choices

/// A model of a few tokens: a distribution behind every list of tokens, made up as it is asked for.
class small_model {
public:
    small_model(std::size_t size, unsigned seed) : size_(size), random_(seed) {}
    double probability(const ids& ahead, token_id token) {
        std::vector<double>& row = rows_[ahead];
        if (row.empty()) {
            double sum = 0;
            row.resize(size_);
            for (double& p : row) sum += p = std::exp(std::normal_distribution<double>(0, 1.5)(random_));
            for (double& p : row) p /= sum;
        }
        return row[std::size_t(token)];
    }

private:
    std::size_t size_;
    std::mt19937 random_;
    std::map<ids, std::vector<double>> rows_;
};
ids path_of(const prefix_batch& tree, std::int32_t entry) {
    ids path;
    for (; entry >= 0; entry = tree.parents[std::size_t(entry)]) path.insert(path.begin(), tree.tokens[std::size_t(entry)]);
    return path;
}

TEST(WholeChoices, ShareTheirBeginningsInOneBatch) {
    const vocabulary words = words_of({"RE", "PLY", "_", "T", "STOP"});
    choice_matcher m(vocabulary_trie(words), {"REPLY", "REPLY_T", "STOP"});
    const prefix_batch tree = prefix_tree(m);
    EXPECT_EQ(tree.tokens, ids({0, 1, 5, 6, 2, 3, 5, 6, 4, 5, 6}));
    EXPECT_EQ(tree.parents, (std::vector<std::int32_t>{-1, 0, 1, 1, 1, 4, 5, 5, -1, 8, 8}));
    EXPECT_EQ(tree.positions, (std::vector<std::int32_t>{0, 1, 2, 2, 2, 3, 4, 4, 0, 1, 1}));
    EXPECT_EQ(tree.is_evaluated, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0}));
    ASSERT_TRUE(m.enable(1, false).ok());
    EXPECT_EQ(prefix_tree(m).tokens, ids({0, 1, 5, 6, 4, 5, 6}));
    EXPECT_EQ(prefix_tree(m).parents, (std::vector<std::int32_t>{-1, 0, 1, 1, -1, 4, 4}));
    // With an end of text, and by a tokeniser that knows better.
    const vocabulary quotes = words_of({"S", "T", "ST", "OP", "OP\"", "\""});
    const choice_matcher longest(vocabulary_trie(quotes), {"STOP"}, {.end = "\""});
    EXPECT_EQ(prefix_tree(longest).tokens, ids({2, 4}));
    const choice_matcher split(vocabulary_trie(quotes), std::vector<std::string>{"STOP"},
                               [](text) { return ids{0, 1, 3, 5}; }, {.end = "\""});
    EXPECT_EQ(prefix_tree(split).tokens, ids({0, 1, 3, 5}));
    EXPECT_EQ(prefix_tree(choice_matcher(vocabulary_trie(quotes), {"STAY"})).size(), 0u);
    EXPECT_EQ(prefix_tree(choice_matcher()).size(), 0u);
}

TEST(WholeChoices, HaveTheProbabilitiesThatEnumerationGives) {
    std::mt19937 random(9);
    for (unsigned round = 0; round < 200; ++round) {
        const vocabulary words = words_of({"a", "b", "ab", "ba", "aab"});
        const std::string end = round % 2 ? "b" : "";
        std::vector<std::string> names;
        std::set<std::string> used;
        while (names.size() < 4) {
            std::string name;
            for (std::size_t k = 1 + random() % 5; k-- > 0;) name += char('a' + random() % 2);
            if (used.insert(name).second) names.push_back(name);
        }
        choice_matcher m(vocabulary_trie(words), names, {.end = text(end)});
        const std::size_t off = random() % 5;
        if (off < 4) {
            ASSERT_TRUE(m.enable(off, false).ok());
        }
        const float bias = float(random() % 5) - 2.0f;
        ASSERT_TRUE(m.set_bias(1, bias).ok());
        small_model model(words.size(), round);
        const prefix_batch tree = prefix_tree(m);
        const double temperature = round % 3 == 0 ? 1.0 : 0.7;
        const choice_scores scores = score_choices(
            m,
            [&](std::size_t i) {
                return std::log(model.probability(path_of(tree, tree.parents[i]), tree.tokens[i]));
            },
            temperature);
        std::vector<double> expected(4, 0.0);
        double mass = 0, sum = 0, entropy = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            if (i == off) continue;
            ids path = words.tokenise(names[i] + end);
            double p = 1;
            for (std::size_t t = 0; t < path.size(); ++t)
                p *= model.probability(ids(path.begin(), path.begin() + std::ptrdiff_t(t)), path[t]);
            if (end.empty()) p *= model.probability(path, 5) + model.probability(path, 6);
            EXPECT_NEAR(scores.log_probability[i], std::log(p), 1e-9);
            mass += p;
            expected[i] = std::pow(p * (i == 1 ? std::exp(double(bias)) : 1.0), 1 / temperature);
            sum += expected[i];
        }
        for (double& p : expected) {
            p /= sum;
            if (p > 0) entropy -= p * std::log(p);
        }
        EXPECT_NEAR(scores.mass, mass, 1e-9);
        EXPECT_NEAR(scores.entropy, entropy, 1e-9);
        std::size_t best = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            EXPECT_NEAR(scores.probability[i], expected[i], 1e-9);
            if (expected[i] > expected[best]) best = i;
        }
        if (off < 4) {
            EXPECT_EQ(scores.log_probability[off], -std::numeric_limits<double>::infinity());
        }
        EXPECT_EQ(scores.most_likely(), std::int32_t(best));
        EXPECT_EQ(scores.most_likely_first()[0], best);
        EXPECT_EQ(scores.most_likely_above(expected[best] - 1e-6), std::int32_t(best));
        EXPECT_EQ(scores.most_likely_above(expected[best] + 1e-6), -1);
    }
}

TEST(WholeChoices, MayDisagreeWithPickingTokenByToken) {  // the example of score_choices
    const vocabulary words = words_of({"tra", "de", "vel", "flee"});
    const vocabulary_trie trie(words);
    const std::map<ids, std::vector<double>> rows{{{}, {.6, 0, 0, .4, 0, 0}},
                                                 {{0}, {0, .5, .5, 0, 0, 0}},
                                                 {{0, 1}, {0, 0, 0, 0, 1, 0}},
                                                 {{0, 2}, {0, 0, 0, 0, 1, 0}},
                                                 {{3}, {0, 0, 0, 0, 1, 0}}};
    const choice_matcher m(trie, {"trade", "travel", "flee"});
    const prefix_batch tree = prefix_tree(m);
    const choice_scores scores = score_choices(m, [&](std::size_t i) {
        return std::log(rows.at(path_of(tree, tree.parents[i]))[std::size_t(tree.tokens[i])]);
    });
    EXPECT_NEAR(scores.probability[0], 0.3, 1e-12);
    EXPECT_NEAR(scores.probability[1], 0.3, 1e-12);
    EXPECT_NEAR(scores.probability[2], 0.4, 1e-12);
    EXPECT_EQ(scores.most_likely(), 2);
    EXPECT_EQ(scores.most_likely_first(), (std::vector<std::size_t>{2, 0, 1}));
    auto c = constrain{m} | greedy{};
    ids said;
    while (!c.last_step().finished) {
        std::vector<float> logits;
        for (const double p : rows.at(said)) logits.push_back(float(std::log(p)));
        said.push_back(c.sample(logits));
    }
    EXPECT_EQ(said, ids({0, 1}));
    EXPECT_EQ(get<constrain<choice_matcher>>(c).matcher.chosen(), 0);
}

TEST(WholeChoices, AreDrawnByTheirProbability) {
    choice_scores scores;
    scores.probability = {0.0, 0.25, 0.0, 0.5, 0.25};
    EXPECT_EQ(scores.draw_at(0.0), 1);
    EXPECT_EQ(scores.draw_at(0.2499), 1);
    EXPECT_EQ(scores.draw_at(0.25), 3);
    EXPECT_EQ(scores.draw_at(0.75), 4);
    EXPECT_EQ(scores.draw_at(1.0), 4);
    std::vector<int> counts(5);
    for (std::uint32_t i = 0; i < 20000; ++i) ++counts[std::size_t(scores.draw(42, i))];
    double chi_square = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        const double expected = 20000 * scores.probability[i];
        if (expected == 0) {
            EXPECT_EQ(counts[i], 0);
        } else chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    EXPECT_LT(chi_square, 13.8);  // 2 degrees of freedom, 0.1 %
    EXPECT_EQ(scores.draw(42, 7), scores.draw(42, 7));
    EXPECT_EQ(choice_scores().draw(1), -1);
    EXPECT_EQ(choice_scores().most_likely(), -1);
    EXPECT_TRUE(choice_scores().most_likely_first().empty());
}

TEST(WholeChoices, OfOddNumbersAreDefined) {
    const vocabulary words = words_of({"a", "b", "c"});
    const choice_matcher m(vocabulary_trie(words), {"a", "b", "c"}, {.end = "c"});
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const auto scored = [&](std::vector<double> first, double temperature = 1.0) {
        const prefix_batch tree = prefix_tree(m);
        return score_choices(
            m, [&](std::size_t i) { return tree.parents[i] < 0 ? first[std::size_t(tree.tokens[i])] : 0.0; }, temperature);
    };
    EXPECT_EQ(scored({-infinity, -infinity, nan}).probability, std::vector<double>(3, 0.0));
    EXPECT_EQ(scored({-infinity, -infinity, nan}).most_likely(), -1);
    EXPECT_EQ(scored({-infinity, -infinity, nan}).entropy, 0.0);
    EXPECT_EQ(scored({nan, -3.0, -infinity}).probability, (std::vector<double>{0, 1, 0}));
    EXPECT_EQ(scored({-2.0, -1.0, -1.0}, 0.0).probability, (std::vector<double>{0, 0.5, 0.5}));
    EXPECT_EQ(scored({-2.0, -1.0, -1.0}, 0.0).most_likely(), 1);
    EXPECT_NEAR(scored({-1.0, -1.0, -1.0}).entropy, std::log(3.0), 1e-12);
    EXPECT_NEAR(scored({-2000.0, -2001.0, -infinity}).probability[0], 1 / (1 + std::exp(-1.0)), 1e-12);
    EXPECT_EQ(scored({-2.0, -infinity, -1.0}, infinity).probability, (std::vector<double>{0.5, 0, 0.5}));
    choice_matcher off = m;
    EXPECT_TRUE(off.set_bias(0, std::numeric_limits<float>::infinity()).ok());
    const auto even = [](std::size_t) { return -1.0; };
    EXPECT_EQ(score_choices(off, even).probability, (std::vector<double>{1, 0, 0}));
    EXPECT_TRUE(off.enable(0, false).ok());
    EXPECT_EQ(score_choices(off, even).probability, (std::vector<double>{0, 0.5, 0.5}));
    const choice_matcher twice(vocabulary_trie(words), {"a", "a"}, {.end = "c"});
    EXPECT_NEAR(score_choices(twice, [](std::size_t i) { return i == 0 ? std::log(0.9) : 0.0; }).mass, 0.9, 1e-12);
}

TEST(WholeChoices, AreSpeltWhereTheLongestTokenLeavesNoWay) {
    const vocabulary words = words_of({"ab", "a", "bc"});
    const vocabulary_trie trie(words);
    EXPECT_EQ(prefix_tree(choice_matcher(trie, {"abc"}, {.end = ""})).tokens, ids({1, 2, 3, 4}));  // and either end
    const auto odd_tokeniser = [](text) { return ids{0, 0}; };  // which spells another text
    EXPECT_EQ(prefix_tree(choice_matcher(trie, std::vector<std::string>{"abc"}, odd_tokeniser)).tokens, ids({1, 2, 3, 4}));
}

}  // namespace
}  // namespace riffle_tests::constraint_choices
