#pragma once
// Texts under match beside those without drafts: a model that looks at two tokens, drafts that are right up to
// somewhere, and rounds until a text is long enough.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/speculative.hpp>

#include "integers.hpp"

namespace riffle_tests {

/// Rows of logits behind the last two tokens of a text.
class two_token_rows {
public:
    explicit two_token_rows(std::size_t vocabulary_size)
        : vocabulary_size_(vocabulary_size), rows_(64, std::vector<float>(vocabulary_size)) {
        integers random(3);
        for (auto& row : rows_)
            for (auto& logit : row) logit = float(random.below(1000)) / 100.0f;
    }
    std::size_t vocabulary_size() const { return vocabulary_size_; }
    /// Behind a text and more of it.
    std::span<const float> behind(std::span<const riffle::token_id> text,
                                  std::span<const riffle::token_id> more = {}) const {
        std::size_t number = 0;
        for (std::size_t back = 0; back < 2; ++back) {
            const std::size_t in_text = back < more.size() ? 0 : back - more.size() + 1;
            const riffle::token_id token = back < more.size()       ? more[more.size() - 1 - back]
                                           : in_text <= text.size() ? text[text.size() - in_text]
                                                                    : 0;
            number = number * 7 + std::size_t(token);
        }
        return rows_[number % rows_.size()];
    }

private:
    std::size_t vocabulary_size_;
    std::vector<std::vector<float>> rows_;
};

/// Row by row.
template <class Chain>
std::vector<riffle::token_id> plain_text(Chain chain, const two_token_rows& rows, std::size_t length) {
    std::vector<riffle::token_id> text;
    while (text.size() < length) text.push_back(chain.sample(rows.behind(text)));
    return text;
}

/// Drafts of a text that is known: what will come, up to somewhere, then anything. Some are empty; one in a while is
/// absurd, by its length or by tokens that the vocabulary does not have.
class guesses {
public:
    guesses(std::span<const riffle::token_id> whole_text, std::size_t vocabulary_size, std::uint64_t seed)
        : whole_text_(whole_text), vocabulary_size_(std::uint32_t(vocabulary_size)), random_(seed) {}

    void operator()(riffle::draft& proposed, std::span<const riffle::token_id> text) {
        const auto to_come = whole_text_.subspan(text.size());
        proposed.clear();
        const std::size_t right = random_.below(6);
        const std::size_t count = random_.below(10) == 0 ? 120 + random_.below(8) : random_.below(8);
        const riffle::token_probability law[] = {{0, 0.5f}, {1, 0.25f}, {2, 0.25f}};
        for (std::size_t i = 0; i < count; ++i) {
            auto token = i < right && i < to_come.size() ? to_come[i] : any_token(0);
            if (random_.below(40) == 0) token = riffle::token_id(vocabulary_size_ + random_.below(1000));
            if (token <= 2) proposed.push(token, law);
            else proposed.push(token);
        }
    }
    void operator()(riffle::draft_tree& proposed, std::span<const riffle::token_id> text) {
        const auto to_come = whole_text_.subspan(text.size());
        proposed.clear();
        std::vector<std::int32_t> parents{riffle::draft_tree::root};
        std::int32_t on_the_way = riffle::draft_tree::root;
        std::size_t right = 0;
        for (std::size_t n = random_.below(30); n > 0; --n) {
            const bool goes_on = right < to_come.size() && random_.below(3) == 0;
            const std::int32_t parent = goes_on ? on_the_way : parents[random_.below(std::uint32_t(parents.size()))];
            const riffle::token_id token = goes_on ? to_come[right] : any_token(3);
            const std::int32_t made = proposed.push(parent, token);
            if (goes_on) {
                on_the_way = made;
                ++right;
            }
            parents.push_back(made);
        }
    }

private:
    /// Of the vocabulary, or one of a few behind it.
    riffle::token_id any_token(std::uint32_t behind) {
        return riffle::token_id(random_.below(vocabulary_size_ + behind));
    }

    std::span<const riffle::token_id> whole_text_;
    std::uint32_t vocabulary_size_;
    integers random_;
};

/// The drafted tokens ahead of row i of a round.
inline std::vector<riffle::token_id> path_to(const riffle::draft& line, std::size_t i) {
    const auto path = line.tokens().first(i);
    return {path.begin(), path.end()};
}
inline std::vector<riffle::token_id> path_to(const riffle::draft_tree& tree, std::size_t i) {
    std::vector<riffle::token_id> path;
    for (auto node = std::int32_t(i) - 1; node >= 0; node = tree.parent(node))
        path.insert(path.begin(), tree.token(node));
    return path;
}

/// Rows of a round behind a text, as verify takes them.
template <class Draft>
auto rows_of_round(const two_token_rows& rows, std::span<const riffle::token_id> text, const Draft& proposed) {
    return [&rows, text, &proposed](std::size_t i) { return rows.behind(text, path_to(proposed, i)); };
}

/// With drafts, lines or trees, that propose(draft, text) makes, the chain writes `expected`.
template <class Draft, class Chain, class Propose>
void expect_text_under(Chain chain, const two_token_rows& rows, const std::vector<riffle::token_id>& expected,
                       Propose propose, const std::string& what) {
    riffle::speculator<> verifier;
    Draft proposed;
    std::vector<riffle::token_id> text;
    std::size_t accepted = 0;
    while (text.size() < expected.size()) {
        propose(proposed, text);
        const riffle::verified& round = verifier.verify(chain, proposed, rows_of_round(rows, text, proposed));
        ASSERT_TRUE(round.state) << what << ": " << round.state.message().c_str();
        ASSERT_EQ(round.tokens.size(), round.accepted + 1) << what;
        const auto drafted = path_to(proposed, std::size_t(round.node + 1));
        ASSERT_EQ(drafted.size(), round.accepted) << what;
        ASSERT_TRUE(std::equal(drafted.begin(), drafted.end(), round.tokens.begin())) << what;
        accepted += round.accepted;
        text.insert(text.end(), round.tokens.begin(), round.tokens.end());
    }
    text.resize(expected.size());
    EXPECT_EQ(text, expected) << what;
    EXPECT_GT(accepted, std::size_t{5}) << what;
}

}  // namespace riffle_tests
