// Accepting is one act: a token that a stage refuses leaves history, position and all stages as they were.

#include <array>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "chain/own_stages.hpp"
#include "chain/same_place.hpp"

namespace riffle_tests::chain_accepting {
namespace {

using namespace riffle;

/// Counts what it is given.
struct counting {
    std::int32_t taken = 0;
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept { ++taken; }
    void reset() noexcept { taken = 0; }
};
/// Says beforehand that it does not take a token.
struct asked {
    token_id refused = 7;
    std::int32_t taken = 0;
    void apply(candidates&) const noexcept {}
    status can_accept(token_id token) const noexcept {
        return token == refused ? status::failed(status_code::stage_failed, "asked") : status();
    }
    void accept(token_id) noexcept { ++taken; }
    void reset() noexcept { taken = 0; }
};
/// Only finds out by taking it, when it has changed already.
struct tried {
    token_id refused = 8;
    std::int32_t taken = 0;
    void apply(candidates&) const noexcept {}
    step accept(token_id token) noexcept {
        ++taken;
        step s;
        if (token == refused) s.state = status::failed(status_code::stage_failed, "tried");
        return s;
    }
    void reset() noexcept { taken = 0; }
};

template <class Chain>
void expect_refused(Chain& c, token_id token, const char* sentence) {
    c.retry();
    const checkpoint before = c.mark();
    const step s = c.accept(token);
    EXPECT_TRUE(s.refused);
    EXPECT_STREQ(s.state.message().c_str(), sentence);
    EXPECT_TRUE(c.last_step().refused);
    EXPECT_TRUE(same_place(c.mark(), before)) << sentence;
    EXPECT_EQ(c.prompt(std::array{token}).code(), status_code::stage_failed);
    EXPECT_TRUE(same_place(c.mark(), before)) << sentence;
}

TEST(Accept, OfARefusedTokenChangesNothing) {
    auto c = chain(counting{}, asked{}, tried{}, counting{}, penalties{.last_n = 8, .repeat = 1.5f}, dist{.seed = 1});
    ASSERT_TRUE(c.prompt(std::array{1, 2, 3}));
    EXPECT_FALSE(c.accept(4).refused);
    expect_refused(c, 7, "asked: a stage failed, or refused the token");
    expect_refused(c, 8, "tried: a stage failed, or refused the token");
    EXPECT_EQ(get<0>(c).taken, 4);
    EXPECT_EQ(get<1>(c).taken, 4);
    EXPECT_EQ(get<2>(c).taken, 4);
    EXPECT_EQ(get<3>(c).taken, 4);
    dynamic_chain late;
    late.push(counting{});
    late.push(tried{});
    late.push(asked{});
    late.push(dist{});
    expect_refused(late, 7, "asked: a stage failed, or refused the token");
    expect_refused(late, 8, "tried: a stage failed, or refused the token");
    any_pipeline hidden = c;
    expect_refused(hidden, 8, "tried: a stage failed, or refused the token");
}

/// Says how often it was taken back.
struct marked {
    std::int32_t taken = 0, taken_back = 0;
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept { ++taken; }
    void reset() noexcept { taken = 0; }
    std::int32_t mark() const noexcept { return taken; }
    void rollback(std::int32_t to) noexcept {
        taken = to;
        ++taken_back;
    }
};
/// Stages that were not given the token are not taken back: what they did since the last token stays.
TEST(Accept, OfARefusedTokenReachesNoStageThatRefusesNothing) {
    auto c = chain(marked{}, tried{}, marked{}, dist{.seed = 1});
    EXPECT_FALSE(c.accept(4).refused);
    EXPECT_TRUE(c.accept(8).refused);
    EXPECT_EQ(get<0>(c).taken, 1);
    EXPECT_EQ(get<0>(c).taken_back, 0);
    EXPECT_EQ(get<1>(c).taken, 1);
    EXPECT_EQ(get<2>(c).taken_back, 0);
}
/// What a refused token would have completed is not banned.
TEST(Accept, OfARefusedTokenBansNoPhrase) {
    vocabulary words;
    for (const char* const piece : {"a", "b", "c"}) words.add(piece);
    auto c = chain(phrase_ban{&words, {"ab"}}, tried{1}, dist{.seed = 1});
    EXPECT_FALSE(c.accept(0).refused);
    EXPECT_TRUE(c.accept(1).refused);
    ASSERT_TRUE(c.rewind(1));
    EXPECT_EQ(c.distribution(std::vector<float>{1.0f, 1.0f, 1.0f}).size(), 3u);
}

TEST(Accept, OfATokenBelowZeroIsRefused) {
    auto c = chain(counting{}, greedy{});
    const checkpoint before = c.mark();
    EXPECT_TRUE(c.accept(-1).refused);
    EXPECT_EQ(c.last_step().state.code(), status_code::not_a_token);
    EXPECT_TRUE(same_place(c.mark(), before));
}

// The ring of the history overwrites its oldest token at each accept: a refused one must not cost any.
TEST(Accept, OfManyRefusedTokensKeepsTheHistory) {
    auto c = chain(tried{}, penalties{.last_n = 4, .repeat = 2.0f}, greedy{});
    auto same = c;
    for (token_id i = 0; i < 500; ++i) {
        ASSERT_FALSE(c.accept(i % 5).refused);
        ASSERT_FALSE(same.accept(i % 5).refused);
    }
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(c.accept(8).refused);
    const std::vector<float> row{2.0f, 2.1f, 2.2f, 2.3f, 2.4f};
    EXPECT_EQ(c.peek(row), same.peek(row));
    ASSERT_TRUE(c.rewind(128));
    ASSERT_TRUE(same.rewind(128));
    EXPECT_EQ(c.peek(row), same.peek(row));
    EXPECT_TRUE(same_place(c.mark(), same.mark()));
}

// What a chain chose and a stage does not take is not given out, and the next draw is at the same position.
TEST(Accept, OfAChosenTokenThatIsRefusedGivesNoToken) {
    auto c = chain(tried{.refused = 1}, greedy{});
    const std::vector<float> row{1.0f, 2.0f};
    EXPECT_EQ(c.sample(row), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::stage_failed);
    EXPECT_TRUE(c.last_step().refused);
    EXPECT_EQ(c.mark().position, 0u);
    EXPECT_EQ(get<tried>(c).taken, 0);
}

/// Tells a prompt's tokens from generated ones.
struct listening {
    std::int32_t of_prompt = 0, generated = 0;
    void apply(candidates&) const noexcept {}
    void accept(token_id, token_origin origin) noexcept { ++(origin == token_origin::prompt ? of_prompt : generated); }
    void reset() noexcept { of_prompt = generated = 0; }
};
TEST(Accept, TellsAPromptsTokenFromAGeneratedOne) {
    auto c = chain(listening{}, greedy{});
    c.prompt(std::array{1, 2, 3});
    c.accept(4);
    c.sample(std::vector<float>{1.0f, 2.0f});
    EXPECT_EQ(get<listening>(c).of_prompt, 3);
    EXPECT_EQ(get<listening>(c).generated, 2);
}

/// Cannot go back behind the last multiple of four.
struct stuck {
    std::uint32_t taken = 0;
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept { ++taken; }
    void reset() noexcept { taken = 0; }
    std::uint32_t mark() const noexcept { return taken; }
    bool rollback(std::uint32_t to) noexcept {
        if (to < taken / 4 * 4) return false;
        taken = to;
        return true;
    }
};
TEST(Rollback, ThatAStageCannotFollowChangesNothing) {
    auto c = chain(counting{}, stuck{}, counting{}, dist{});
    std::vector<checkpoint> marks;
    for (token_id i = 0; i < 7; ++i) {
        marks.push_back(c.mark());
        c.accept(i);
    }
    const checkpoint before = c.mark();
    EXPECT_EQ(c.rollback(marks[3]).code(), status_code::stage_stuck);
    EXPECT_STREQ(c.rollback(marks[3]).message().c_str(),
                 "stage: cannot go back as far, so the chain stays where it is");
    EXPECT_TRUE(same_place(c.mark(), before));
    EXPECT_EQ(c.rewind(5).code(), status_code::stage_stuck);
    EXPECT_TRUE(same_place(c.mark(), before));
    ASSERT_TRUE(c.rollback(marks[5]));
    EXPECT_EQ(get<0>(c).taken, 5);
    EXPECT_EQ(get<1>(c).taken, 5u);
    ASSERT_TRUE(c.rewind(1));
    EXPECT_EQ(get<2>(c).taken, 4);
}

}  // namespace
}  // namespace riffle_tests::chain_accepting
