#pragma once
// What holds for every selector that learns from what is accepted.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "samplers/chi_square.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {

/// What a chain has learnt, as a mark holds it.
template <class Chain>
auto learnt_by(const Chain& chain) {
    return chain.mark().stages;
}
inline const std::vector<float>& rough_row() {
    static const std::vector<float> row = make_row(shape::random, 300, 40);
    return row;
}
/// The token after the one that would be chosen.
template <class Chain>
riffle::token_id another_token(Chain chain) {
    return (chain.peek(rough_row()) + 1) % 300;
}

/// All variants, alone and behind a narrowing stage, over all families of rows and eight steps.
template <class Selector>
void expect_learner_agrees() {
    const auto expect = [](auto c, reference::model model) {
        expect_agreement_on_all_shapes(view_of(c), model, sizes_of_a_thousand, 8);
    };
    for (const Selector& variant : variants_of<Selector>()) {
        expect(riffle::chain(variant), {{variant}, {}});
        expect(riffle::chain(riffle::top_k{50}, variant), {{riffle::top_k{50}, variant}, {}});
    }
    std::size_t turn = 0;
    for (const Selector& variant : variants_of<Selector>())
        for (int n = 0; n < 3; ++n) {
            auto c = riffle::chain(variant);
            reference::model model{{variant}, {}};
            const shape s = all_shapes[turn++ % all_shapes.size()];
            expect_chain_agreement(c, model, make_row(s, turn % 9 == 0 ? 262144 : 32000, turn), name_of(s), 2);
        }
}

/// It learns in accept and nowhere else.
template <class Selector>
void expect_learns_in_accept_only(const Selector& selector) {
    auto c = riffle::chain(selector), plain = c;
    for (int i = 0; i < 40; ++i) {
        const auto before = learnt_by(c);
        const riffle::token_id token = c.peek(rough_row());
        c.peek(make_row(shape::peaked, 300, std::uint64_t(i)));
        auto memory = candidates_of(rough_row());
        riffle::candidates all{memory.data(), memory.size(), -1, false};
        c.apply(all);
        EXPECT_EQ(all[std::size_t(all.selected)].id, token);
        c.distribution(rough_row());
        c.logprobs(rough_row(), 5);
        EXPECT_EQ(learnt_by(c), before);
        EXPECT_EQ(c.sample(rough_row()), token);
        EXPECT_NE(learnt_by(c), before) << i;
        EXPECT_EQ(plain.sample(rough_row()), token);
        EXPECT_EQ(learnt_by(plain), learnt_by(c));
    }
}

/// Of what peek and apply chose it learns the same as of what sample chose; of other tokens nothing, and it says so.
template <class Selector>
void expect_learns_from_its_choice_only(const Selector& selector) {
    auto c = riffle::chain(selector), same = c;
    for (int i = 0; i < 5; ++i) c.sample(rough_row()), same.sample(rough_row());
    const auto before = learnt_by(c);

    const riffle::token_id token = c.peek(rough_row());
    EXPECT_TRUE(c.accept(token).state);
    const auto learnt = learnt_by(c);
    EXPECT_NE(learnt, before);
    c.rewind(1);
    EXPECT_EQ(learnt_by(c), before);
    auto memory = candidates_of(rough_row());
    riffle::candidates all{memory.data(), memory.size(), -1, false};
    c.apply(all);
    EXPECT_TRUE(c.accept(token).state);
    EXPECT_EQ(learnt_by(c), learnt);
    c.rewind(1);

    const auto expect_nothing_learnt = [&](riffle::token_id wrong) {
        const riffle::step s = c.accept(wrong);
        EXPECT_EQ(s.state.code(), riffle::status_code::invalid_parameter);
        const std::string sentence = std::string(Selector::name) + ": token = " + std::to_string(wrong) +
                                     " is not what it chose last, so it learnt nothing";
        EXPECT_EQ(std::string(s.state.message().c_str()), sentence);
        EXPECT_EQ(std::string(c.last_step().state.message().c_str()), sentence);
        EXPECT_EQ(learnt_by(c), before);
        EXPECT_EQ(c.mark().tokens, 6u);  // taken all the same
        same.accept(wrong);
        EXPECT_EQ(c.peek(rough_row()), same.peek(rough_row()));
        EXPECT_TRUE(c.rewind(1));
        EXPECT_TRUE(same.rewind(1));
    };
    expect_nothing_learnt(token);  // nothing was chosen since the rewind
    c.peek(rough_row());
    expect_nothing_learnt((token + 1) % 300);
    c.peek(rough_row());
    c.distribution(rough_row());
    c.logprobs(rough_row(), 3);
    c.logprobs(rough_row(), 3, riffle::before);
    EXPECT_TRUE(c.accept(token).state);  // looking closer does not forget the choice
    EXPECT_EQ(learnt_by(c), learnt);
    EXPECT_TRUE(c.rewind(1));
    c.peek(rough_row());
    c.prompt(std::vector<riffle::token_id>{4});  // forgets the choice
    EXPECT_EQ(learnt_by(c), before);
    EXPECT_FALSE(c.accept(token).state);
    EXPECT_EQ(learnt_by(c), before);
}

/// Copies, marks, rewinding and reset.
template <class Selector>
void expect_goes_back(const Selector& selector) {
    auto c = riffle::chain(selector);
    const auto at_first = learnt_by(c);
    std::vector<riffle::checkpoint> marks;
    std::vector<riffle::token_id> tokens;
    for (int i = 0; i < 100; ++i) {
        marks.push_back(c.mark());
        tokens.push_back(c.sample(rough_row()));
    }
    auto copy = c;
    const auto last = c.mark();
    const riffle::token_id next = c.sample(rough_row());
    EXPECT_EQ(copy.sample(rough_row()), next);
    EXPECT_EQ(learnt_by(copy), learnt_by(c));

    auto assigned = riffle::chain(selector);
    assigned.sample(rough_row());
    assigned = c;
    EXPECT_EQ(learnt_by(assigned), learnt_by(c));

    EXPECT_TRUE(c.rollback(last));
    EXPECT_EQ(c.sample(rough_row()), next);
    EXPECT_TRUE(c.rollback(marks[60]));
    EXPECT_EQ(learnt_by(c), marks[60].stages);
    for (std::size_t i = 60; i < 100; ++i) ASSERT_EQ(c.sample(rough_row()), tokens[i]) << i;
    EXPECT_TRUE(c.rewind(70));
    EXPECT_EQ(learnt_by(c), marks[30].stages);
    for (std::size_t i = 30; i < 100; ++i) ASSERT_EQ(c.sample(rough_row()), tokens[i]) << i;
    c.peek(rough_row());
    EXPECT_TRUE(c.rewind(1));
    EXPECT_FALSE(c.accept(tokens[99]).state);  // what was chosen before going back is forgotten
    c.reset();
    EXPECT_EQ(learnt_by(c), at_first);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(c.sample(rough_row()), tokens[i]) << i;

    riffle::dynamic_chain made_at_run_time;
    made_at_run_time.push(selector);
    for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(made_at_run_time.sample(rough_row()), tokens[i]) << i;
    EXPECT_TRUE(made_at_run_time.rewind(70));
    auto cloned = made_at_run_time;
    for (std::size_t i = 30; i < 100; ++i) ASSERT_EQ(cloned.sample(rough_row()), tokens[i]) << i;
    for (std::size_t i = 30; i < 100; ++i) ASSERT_EQ(made_at_run_time.sample(rough_row()), tokens[i]) << i;
}

/// What it draws follows its distribution. (A retry draws anew and learns nothing.)
template <class Selector>
void expect_draws_its_distribution(const Selector& selector) {
    const auto expect = [](auto c, const char* what) {
        for (int i = 0; i < 3; ++i) c.sample(rough_row());
        std::vector<double> distribution(rough_row().size(), 0.0);
        for (const auto& token : c.distribution(rough_row())) distribution[std::size_t(token.id)] = double(token.p);
        expect_drawn_from(
            distribution, 20000,
            [&](std::size_t) {
                c.retry();
                return c.peek(rough_row());
            },
            what);
    };
    expect(riffle::chain(selector), "wide");
    expect(riffle::chain(riffle::temperature{1.5f}, selector), "behind a map");
    expect(riffle::chain(riffle::top_k{200}, selector), "narrow");
    expect(riffle::with<riffle::fast>(riffle::chain(selector)), "fast");
}

}  // namespace riffle_tests
