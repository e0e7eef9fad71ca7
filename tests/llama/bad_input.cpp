// What llama.cpp cannot be given without aborting, and what no sampler can choose from: an adapted chain answers as its
// documentation says.
#include <cmath>
#include <cstdint>
#include <limits>
#include <llama.h>
#include <new>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

#include "llama/contexts.hpp"

namespace riffle_tests::llama_bad_input {
namespace {

using namespace riffle;

constexpr float nan_logit = std::numeric_limits<float>::quiet_NaN();

struct array {
    explicit array(std::vector<float> logits) {
        for (std::size_t i = 0; i < logits.size(); ++i) tokens.push_back({token_id(i), logits[i], 0.0f});
        view = {tokens.data(), tokens.size(), -1, false};
    }
    std::vector<llama_token_data> tokens;
    llama_token_data_array view{};
    const llama_token_data& selected() const { return view.data[view.selected]; }
};

/// Rows on which both ways of working are taken: on candidates, and on the row.
class BadInput : public testing::TestWithParam<std::size_t> {
protected:
    std::vector<float> row(float logit) const { return std::vector<float>(GetParam(), logit); }
};
INSTANTIATE_TEST_SUITE_P(Sizes, BadInput, testing::Values(1, 7, 1024, 5000));

template <class Chain>
void expect_fallback(const Chain& chain, const std::vector<float>& row, status_code why) {
    for (const token_id fallback : {-1, 3}) {
        const sampler_owner sampler(llama::make_sampler(chain, {.fallback = fallback}));
        array a(row);
        llama_sampler_apply(sampler.get(), &a.view);
        ASSERT_EQ(a.view.size, 1u);
        EXPECT_EQ(a.view.data[0].id, fallback < 0 ? 0 : 3);
        EXPECT_EQ(a.view.data[0].logit, illegal_logit);
        EXPECT_EQ(a.view.selected, 0);
        EXPECT_TRUE(llama::chain_of<Chain>(sampler.get())->last_status() == why)
            << llama::chain_of<Chain>(sampler.get())->last_status().message().c_str();
    }
}

TEST_P(BadInput, NothingLegal) {
    for (const float logit : {illegal_logit, nan_logit}) {
        expect_fallback(top_k{40} | temperature{0.8f} | dist{}, row(logit), status_code::no_legal_token);
        expect_fallback(chain(greedy{}), row(logit), status_code::no_legal_token);
        expect_fallback(min_p{} | gumbel{}, row(logit), status_code::no_legal_token);
        expect_fallback(temperature{0.8f} | dist{}, row(logit), status_code::no_legal_token);
    }
}
TEST_P(BadInput, AllMasked) {
    expect_fallback(mask{.words = {}} | top_k{40} | dist{}, row(1.0f), status_code::no_legal_token);
}
TEST_P(BadInput, AParameterWithoutMeaning) {
    expect_fallback(top_p{.p = nan_logit} | dist{}, row(1.0f), status_code::invalid_parameter);
    expect_fallback(with<llama_exact>(penalties{.repeat = 0.0f} | dist{}), row(1.0f), status_code::invalid_parameter);
}
TEST_P(BadInput, OneNanIsPassedOver) {
    if (GetParam() == 1) GTEST_SKIP() << "its only logit is NaN: nothing is legal there";
    std::vector<float> logits = row(0.0f);
    logits[0] = nan_logit;
    logits.back() = 5.0f;
    for (const bool exact : {false, true}) {
        const auto chain = top_k{40} | greedy{};
        const sampler_owner sampler(exact ? llama::make_sampler(with<llama_exact>(chain)) : llama::make_sampler(chain));
        array a(logits);
        llama_sampler_apply(sampler.get(), &a.view);
        EXPECT_EQ(a.selected().id, token_id(logits.size() - 1));
    }
}
TEST_P(BadInput, LastStatusTellsOfNanAndInfinity) {
    if (GetParam() < 7) return;
    auto exact = with<llama_exact>(top_k{40} | temperature{0.8f} | dist{});
    for (const float strange : {nan_logit, std::numeric_limits<float>::infinity(), 1.0f}) {
        std::vector<float> logits = row(0.0f);
        logits[2] = strange;
        const sampler_owner sampler(llama::make_sampler(exact));
        array a(logits);
        llama_sampler_apply(sampler.get(), &a.view);
        const status& seen = llama::chain_of<decltype(exact)>(sampler.get())->last_status();
        EXPECT_EQ(seen.saw_nan(), strange != strange);
        EXPECT_EQ(seen.saw_infinity(), strange > greatest_logit);
    }
}
TEST_P(BadInput, AChainThatSelectsNothingLeavesNothingSelected) {
    const sampler_owner sampler(llama::make_sampler(top_k{40}));
    array a(row(illegal_logit));
    llama_sampler_apply(sampler.get(), &a.view);
    EXPECT_EQ(a.view.size, 1u);
    EXPECT_EQ(a.view.selected, -1);
}
TEST_P(BadInput, WhatIsSelectedStaysSelectedAsLongAsItSurvives) {
    if (GetParam() < 7) return;
    std::vector<float> logits(GetParam());
    std::iota(logits.begin(), logits.end(), 0.0f);
    const sampler_owner sampler(llama::make_sampler(top_k{3}));
    array last(logits), first(logits);
    last.view.selected = std::int64_t(logits.size()) - 2;
    first.view.selected = 0;
    llama_sampler_apply(sampler.get(), &last.view);
    llama_sampler_apply(sampler.get(), &first.view);
    EXPECT_EQ(last.selected().id, token_id(logits.size()) - 2);
    EXPECT_EQ(first.view.selected, -1);
}

template <class Policies>
class BadArrays : public testing::Test {};
using numerics_types = testing::Types<reproducible, fast, llama_exact>;
TYPED_TEST_SUITE(BadArrays, numerics_types);

TYPED_TEST(BadArrays, EmptyOnesStayEmpty) {
    const sampler_owner sampler(llama::make_sampler(chain<TypeParam>(top_k{40}, top_p{0.9f}, dist{})));
    llama_token_data one{};
    for (llama_token_data_array a : {llama_token_data_array{nullptr, 0, -1, false}, {&one, 0, -1, false}}) {
        llama_sampler_apply(sampler.get(), &a);
        EXPECT_EQ(a.size, 0u);
        EXPECT_EQ(a.selected, -1);
    }
}
TYPED_TEST(BadArrays, ASizeWithoutData) {
    const sampler_owner sampler(llama::make_sampler(chain<TypeParam>(top_k{40}, dist{})));
    for (const std::size_t size : {5u, 5000u}) {
        llama_token_data_array a{nullptr, size, -1, false};
        llama_sampler_apply(sampler.get(), &a);
        EXPECT_EQ(a.data, nullptr);
        EXPECT_EQ(a.selected, -1);
    }
}
TYPED_TEST(BadArrays, IdsBelowZero) {
    const auto narrow = chain<TypeParam>(top_k{40}, dist{});
    const sampler_owner sampler(llama::make_sampler(narrow));
    array a({1.0f, 2.0f, 3.0f});
    a.tokens[1].id = -5;
    llama_sampler_apply(sampler.get(), &a.view);
    EXPECT_EQ(a.view.size, 1u);
    EXPECT_EQ(a.view.selected, 0);
    EXPECT_TRUE(llama::chain_of<std::remove_const_t<decltype(narrow)>>(sampler.get())->last_status() ==
                status_code::bad_candidates);
}
TYPED_TEST(BadArrays, TokensThatAreNone) {
    const sampler_owner sampler(llama::make_sampler(chain<TypeParam>(penalties{.repeat = 1.1f}, dist{})));
    llama_sampler_accept(sampler.get(), -1);
    llama_sampler_accept(sampler.get(), std::numeric_limits<llama_token>::min());
    llama_sampler_accept(sampler.get(), std::numeric_limits<llama_token>::max());
    array a({1.0f, 2.0f, 3.0f});
    llama_sampler_apply(sampler.get(), &a.view);
    EXPECT_GE(a.view.selected, 0);
}

#if defined(__cpp_exceptions)
/// A stage whose copies find no memory as long as `refuses`.
struct refusing {
    static inline bool refuses = false;
    refusing() = default;
    refusing(const refusing&) {
        if (refuses) throw std::bad_alloc();
    }
    refusing(refusing&&) noexcept {}
    refusing& operator=(const refusing& other) { return *this = refusing(other); }
    refusing& operator=(refusing&&) noexcept { return *this; }
    ~refusing() = default;
    void apply(candidates&) const noexcept {}
};
TEST(Copying, IsWholeOrNothing) {
    const auto sampler_of = [](float t) { return llama::make_chain(chain(refusing{}, temperature{t}, greedy{})); };
    const sampler_owner from(sampler_of(0.5f)), to(sampler_of(2.0f));
    const auto logits_after = [&] {
        array a({1.0f, 2.0f, 3.0f});
        llama_sampler_apply(to.get(), &a.view);
        return std::vector<float>{a.view.data[0].logit, a.view.data[1].logit, a.view.data[2].logit};
    };
    refusing::refuses = true;
    llama_sampler_copy(from.get(), to.get());
    refusing::refuses = false;
    EXPECT_EQ(logits_after(), (std::vector<float>{0.5f, 1.0f, 1.5f})) << "it is not as it was";
    llama_sampler_copy(from.get(), to.get());
    EXPECT_EQ(logits_after(), (std::vector<float>{2.0f, 4.0f, 6.0f}));
}
#endif

TEST(Sampling, OfAnIndexWithoutLogits) {
    const context_owner context = new_context();
    auto chain = top_k{40} | dist{};
    line text(context.get(), 0, 5);
    text.step();
    EXPECT_EQ(llama::sample(chain, context.get(), 7), null_token);
    EXPECT_TRUE(chain.last_status() == status_code::empty_row);
    EXPECT_GE(llama::sample(chain, context.get(), 0), 0);
}
struct takes_nothing {
    void apply(candidates&) const noexcept {}
    status can_accept(token_id) const noexcept { return status::failed(status_code::stage_failed, "takes_nothing"); }
    void accept(token_id) noexcept {}
    void reset() noexcept {}
};
TEST(Accepting, WhatAStageRefusesIsNotTakenAndNamed) {
    using refusing_chain = decltype(riffle::chain(takes_nothing{}, greedy{}));
    const sampler_owner sampler(llama::make_sampler(riffle::chain(takes_nothing{}, greedy{})));
    llama_sampler_accept(sampler.get(), 1);
    const auto* const chain = llama::chain_of<refusing_chain>(sampler.get());
    ASSERT_NE(chain, nullptr);
    EXPECT_EQ(chain->last_status().code(), status_code::stage_failed);
    EXPECT_EQ(chain->mark().tokens, 0u);
}
/// Stages that are run as they are need no scratch as long as the array.
TEST(Sampling, StagesOfAUsersNeedNoScratch) {
    auto small = riffle::chain(takes_nothing{});
    std::vector<std::byte> bytes(small.scratch_bytes(8));
    ASSERT_TRUE(small.use_storage(bytes, 8).ok());
    const sampler_owner sampler(llama::make_sampler(std::move(small)));
    array a(std::vector<float>(2000, 0.5f));
    llama_sampler_apply(sampler.get(), &a.view);
    EXPECT_EQ(a.view.size, 2000u);
    EXPECT_TRUE(llama::chain_of<decltype(small)>(sampler.get())->last_status().ok());
}
/// As for a grammar outside of the chain, which may refuse what came first; and accepting goes on from there.
TEST(Sampling, AppliedAgainItDrawsAnew) {
    const sampler_owner sampler(llama::make_sampler(riffle::chain(dist{.seed = 3})));
    const sampler_owner once(llama_sampler_clone(sampler.get()));
    const auto draw = [](const sampler_owner& from) {
        array a(std::vector<float>(2000, 0.0f));
        llama_sampler_apply(from.get(), &a.view);
        return a.selected().id;
    };
    const token_id first = draw(sampler);
    EXPECT_EQ(draw(once), first);
    EXPECT_NE(draw(sampler), first);
    for (const sampler_owner* s : {&sampler, &once}) llama_sampler_accept(s->get(), first);
    EXPECT_EQ(draw(sampler), draw(once));
}

}  // namespace
}  // namespace riffle_tests::llama_bad_input
