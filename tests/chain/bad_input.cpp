// Bad input, for every stage in front of every selector: an answer each time, never an abort, never an illegal token.

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "chain/pairs.hpp"
#include "flushing.hpp"

namespace riffle_tests::chain_bad_input {
namespace {

using namespace riffle;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

const mask all_of_many{std::vector<std::uint32_t>(40, 0xffffffffu)};
const mask a_few{{0x00010013u, 0, 0, 1u}};

/// Calls test(chain, model) for every stage in front of every selector, and for the selectors alone. (Behind
/// any_pipeline, so that what is tested is compiled once.)
void for_each_chain(void (*test)(any_pipeline&, const reference::model&)) {
    const std::tuple selectors(greedy{}, dist{3}, gumbel{3});
    const std::tuple stages(temperature{1.25f}, soft_cap{5.0f}, top_k{4}, top_p{.p = 0.7f}, min_p{.p = 0.2f},
                            top_n_sigma{1.0f}, logit_bias{{{1, 1.0f}, {7, -2.0f}}},
                            penalties{.repeat = 1.3f, .presence = 0.1f}, all_of_many);
    std::apply(
        [&](const auto&... selector) {
            const auto alone = [&](const auto& last) {
                any_pipeline c = chain(last);
                test(c, reference::model{{last}, {}});
            };
            (alone(selector), ...);
            const auto behind = [&](const auto& stage) {
                const auto pair = [&](const auto& last) {
                    any_pipeline c = chain(stage, last);
                    test(c, reference::model{{stage, last}, {}});
                };
                (pair(selector), ...);
            };
            std::apply([&](const auto&... stage) { (behind(stage), ...); }, stages);
        },
        selectors);
}

TEST(BadInput, EmptyRow) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        EXPECT_EQ(c.sample({}), null_token) << reference::describe(model);
        EXPECT_EQ(c.last_status().code(), status_code::empty_row) << reference::describe(model);
        EXPECT_EQ(c.peek({}), null_token) << reference::describe(model);
        EXPECT_TRUE(c.survivors().empty()) << reference::describe(model);
        EXPECT_EQ(c.mark().tokens, 0u) << reference::describe(model);
        candidates none{};
        EXPECT_EQ(c.apply(none).code(), status_code::no_legal_token) << reference::describe(model);
        EXPECT_EQ(none.selected, -1);
    });
}

TEST(BadInput, OneToken) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        for (const float logit : {0.0f, -0.0f, 5.0f, -3e38f, 1e-40f, infinity}) {
            EXPECT_EQ(c.peek(std::vector<float>{logit}), 0) << reference::describe(model) << " " << logit;
            ASSERT_EQ(c.survivors().size(), 1u);
            EXPECT_EQ(c.survivors()[0].p, 1.0f);
        }
        for (const float logit : {-infinity, nan, -nan}) {
            EXPECT_EQ(c.peek(std::vector<float>{logit}), null_token) << reference::describe(model) << " " << logit;
            EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
        }
    });
}

TEST(BadInput, AllMasked) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        for (const std::size_t size : {2u, 256u, 700u}) {
            EXPECT_EQ(c.sample(std::vector<float>(size, -infinity)), null_token) << reference::describe(model);
            EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
            EXPECT_FALSE(c.last_status().saw_nan());
            EXPECT_EQ(c.sample(std::vector<float>(size, nan)), null_token) << reference::describe(model);
            EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
            EXPECT_TRUE(c.last_status().saw_nan());
            EXPECT_EQ(c.mark().tokens, 0u);
        }
    });
}

TEST(BadInput, InfinityEverywhere) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        for (const std::size_t size : {2u, 256u, 700u}) {
            const std::vector<float> row(size, infinity);
            EXPECT_EQ(expect_agreement(c.view(), c.state(), model, row, "infinity"), c.peek(row));
            EXPECT_TRUE(c.last_status().ok());
            EXPECT_TRUE(c.last_status().saw_infinity());
        }
    });
}

TEST(BadInput, NaNAndInfinityAreFlagged) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        for (const int width : lane_widths()) {
            const at_width forced(width);
            for (const std::size_t size : {40u, 256u, 700u})
                for (const std::size_t where : {std::size_t(0), size / 2, size - 1}) {
                    auto row = make_row(shape::random, size, where);
                    row[where] = nan;
                    const std::string what =
                        reference::describe(model) + ", " + std::to_string(size) + ", " + std::to_string(where);
                    EXPECT_NE(c.peek(row), null_token) << what;
                    EXPECT_NE(c.peek(row), token_id(where)) << what;
                    EXPECT_TRUE(c.last_status().saw_nan()) << what;
                    EXPECT_FALSE(c.last_status().saw_infinity()) << what;
                    row[where] = -nan;
                    c.peek(row);
                    EXPECT_TRUE(c.last_status().saw_nan()) << what;
                    row[where] = infinity;
                    EXPECT_EQ(c.peek(row), model.run(row).token) << what;
                    EXPECT_TRUE(c.last_status().saw_infinity()) << what;
                    EXPECT_FALSE(c.last_status().saw_nan()) << what;
                    row[where] = -infinity;
                    c.peek(row);
                    EXPECT_FALSE(c.last_status().saw_infinity()) << what;
                    EXPECT_FALSE(c.last_status().saw_nan()) << what;

                    row[where] = nan;
                    row[where ^ 2] = infinity;
                    auto memory = candidates_of(row);
                    candidates staged{memory.data(), memory.size(), -1, false};
                    const status applied = c.apply(staged);
                    EXPECT_TRUE(applied.ok() && applied.saw_nan() && applied.saw_infinity()) << what;
                    c.peek(row);
                    EXPECT_TRUE(c.last_status().saw_nan() && c.last_status().saw_infinity()) << what;
                }
        }
    });
}

TEST(BadInput, GreatFiniteLogitsAreNotTakenForNaN) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        for (const int width : lane_widths()) {
            const at_width forced(width);
            for (const std::uint64_t seed : {1u, 2u, 3u}) {
                const auto row = make_row(shape::extreme, 500, seed);
                c.peek(row);
                EXPECT_TRUE(c.last_status().ok()) << reference::describe(model);
                EXPECT_FALSE(c.last_status().saw_nan()) << reference::describe(model);
                EXPECT_FALSE(c.last_status().saw_infinity()) << reference::describe(model);
            }
        }
    });
}

TEST(BadInput, NaNAmongTheFewThatAMaskLeavesIsFlagged) {
    auto c = chain(a_few, dist{});
    auto row = make_row(shape::random, 500, 1);
    row[4] = nan;
    row[16] = infinity;
    EXPECT_EQ(c.peek(row), 16);
    EXPECT_TRUE(c.last_status().saw_nan());
    EXPECT_TRUE(c.last_status().saw_infinity());
}

/// Masks that leave a few tokens, which are gathered, and half of them, which hides the others; penalties that know
/// some tokens. In front of every selector.
void for_each_chain_with_something_to_do(void (*test)(any_pipeline&, const reference::model&)) {
    mask half;
    for (std::uint32_t w = 0; w < 32; ++w)
        half.words.push_back(w % 4 == 3 ? 0xffffffffu : w % 4 == 2 ? 0u : 0xa53c0f96u);
    const std::tuple selectors(greedy{}, dist{3}, gumbel{3});
    const std::tuple stages(half, a_few, penalties{.repeat = 1.3f, .frequency = 0.25f, .presence = 0.1f});
    const auto pair = [&](const auto& stage, const auto& last) {
        any_pipeline c = chain(stage, last);
        reference::model model{{stage, last}, {}};
        for (const token_id token : {0, 1, 4, 4, 16, 300, 64}) {
            c.accept(token);
            model.accept(token);
        }
        test(c, model);
    };
    std::apply(
        [&](const auto&... last) {
            const auto before = [&](const auto& stage) { (pair(stage, last), ...); };
            std::apply([&](const auto&... stage) { (before(stage), ...); }, stages);
        },
        selectors);
}
TEST(BadInput, WhereThereIsSomethingToHideOrToPenalise) {
    for_each_chain_with_something_to_do([](any_pipeline& c, const reference::model& model) {
        for (const shape s : all_shapes)
            for (const std::size_t size : {1u, 5u, 256u, 300u, 700u, 1000u})
                expect_agreement(c.view(), c.state(), model, make_row(s, size, size), name_of(s));
    });
}

TEST(BadInput, NaNAndInfinityAreFlaggedWhereAnEditMeetsThem) {
    auto c = chain(logit_bias{{{1, 1.0f}, {7, -2.0f}}}, dist{});
    auto row = make_row(shape::random, 500, 1);
    row[1] = nan;
    row[7] = infinity;
    EXPECT_NE(c.peek(row), null_token);
    EXPECT_TRUE(c.last_status().saw_nan());
    EXPECT_TRUE(c.last_status().saw_infinity());
}

TEST(BadInput, CandidatesWithDuplicateIds) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        random_integers random(7);
        for (int n = 0; n < 30; ++n) {
            std::vector<token_data> memory;
            std::vector<reference::candidate> given;
            const std::size_t size = 1 + random.below(200);
            for (std::size_t i = 0; i < size; ++i) {
                const auto id = token_id(random.below(20));
                const float logit = float(std::int32_t(random.below(9))) * 0.5f;
                memory.push_back({id, logit, 0.25f});
                given.push_back({id, logit});
            }
            const auto expected = model.run(given);
            candidates staged{memory.data(), memory.size(), 3, true};  // claims that are not so
            EXPECT_TRUE(c.apply(staged).ok());
            ASSERT_GE(staged.selected, 0);
            ASSERT_LT(staged.selected, std::int64_t(staged.size));
            EXPECT_EQ(staged[std::size_t(staged.selected)].id, expected.token) << reference::describe(model);
            EXPECT_EQ(difference({staged.data, staged.size}, expected.left), "") << reference::describe(model);
        }
    });
}

TEST(BadInput, TheOrderOfCandidatesChangesNoToken) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        random_integers random(8);
        for (const shape s : {shape::random, shape::tied, shape::neighbours, shape::holes}) {
            auto memory = candidates_of(make_row(s, 300, random.next()));
            for (auto& token : memory) token.id = token.id * 7 + 1000000 * (token.id % 3);
            std::vector<reference::candidate> given;
            for (const auto& token : memory) given.push_back({token.id, token.logit});
            const auto expected = model.run(given);
            for (int n = 0; n < 3; ++n) {
                for (std::size_t i = memory.size() - 1; i > 0; --i) std::swap(memory[i], memory[random.below(i + 1)]);
                auto copy = memory;
                candidates staged{copy.data(), copy.size(), -1, n == 1};
                EXPECT_TRUE(c.apply(staged).ok());
                ASSERT_GE(staged.selected, 0);
                EXPECT_EQ(staged[std::size_t(staged.selected)].id, expected.token) << reference::describe(model);
                EXPECT_EQ(difference({staged.data, staged.size}, expected.left), "") << reference::describe(model);
            }
        }
    });
}

TEST(BadInput, NegativeIdsAndMissingDataAreRefused) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        std::vector<token_data> memory{{3, 1.0f, 0.0f}, {-1, 2.0f, 0.0f}, {4, 3.0f, 0.0f}};
        candidates staged{memory.data(), memory.size(), -1, false};
        EXPECT_EQ(c.apply(staged).code(), status_code::bad_candidates) << reference::describe(model);
        EXPECT_EQ(staged.size, 3u);
        EXPECT_LT(staged.selected, 0);
        candidates missing{nullptr, 5, -1, false};
        EXPECT_EQ(c.apply(missing).code(), status_code::bad_candidates) << reference::describe(model);
        EXPECT_STREQ(c.last_status().message().c_str(), "the candidates have no data, or an id below 0");
    });
}

TEST(BadInput, IdsOfAnySizeAreCandidates) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        constexpr token_id greatest = std::numeric_limits<token_id>::max();
        std::vector<token_data> memory{{greatest, 1.0f, 0.0f}, {0, 1.0f, 0.0f},  {greatest - 1, 1.0f, 0.0f},
                                       {1 << 30, 1.0f, 0.0f},  {63, 1.0f, 0.0f}, {64, 1.0f, 0.0f}};
        std::vector<reference::candidate> given;
        for (const auto& token : memory) given.push_back({token.id, token.logit});
        reference::model now = model;
        for (int step = 0; step < 20; ++step) {
            const auto expected = now.run(given);
            auto copy = memory;
            candidates staged{copy.data(), copy.size(), -1, false};
            c.apply(staged);
            EXPECT_EQ(staged.selected < 0 ? null_token : staged[std::size_t(staged.selected)].id, expected.token)
                << reference::describe(model);
            c.accept(9);
            now.accept(9);
        }
    });
}

TEST(BadInput, TokensBeyondTheRowAreAcceptedAndDoNoHarm) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        reference::model now = model;
        for (const token_id token : {2000000000, 0, std::numeric_limits<token_id>::max(), 300}) {
            EXPECT_TRUE(c.accept(token).state.ok());
            now.accept(token);
        }
        expect_agreement(c.view(), c.state(), now, make_row(shape::random, 300, 4), "tokens beyond the row");
    });
}

TEST(BadInput, IdsBelowZeroAreNoTokens) {
    for_each_chain([](any_pipeline& c, const reference::model& model) {
        c.accept(5);
        const checkpoint m = c.mark();
        for (const token_id token : {null_token, -2000000000, std::numeric_limits<token_id>::min()}) {
            EXPECT_EQ(c.accept(token).state.code(), status_code::not_a_token) << reference::describe(model);
            EXPECT_EQ(std::string(c.last_step().state.message().c_str()),
                      "accept: token = " + std::to_string(token) + " is below 0, so it is no token");
            const status prompted = c.prompt(std::vector<token_id>{token});
            EXPECT_EQ(prompted.code(), status_code::not_a_token) << reference::describe(model);
            EXPECT_EQ(std::string(prompted.message().c_str()),
                      "prompt: token = " + std::to_string(token) + " is below 0, so it is no token");
        }
        EXPECT_EQ(c.mark().prefix_hash, m.prefix_hash);
        EXPECT_EQ(c.mark().position, m.position);
    });
}

// ---- flush-to-zero

#if defined(__SSE__)
void expect_same_under_flushing(any_pipeline& c, const std::string& what) {
    random_integers random(1);
    for (const shape s :
         {shape::tiny, shape::negative, shape::random, shape::extreme, shape::sprinkled, shape::neighbours})
        for (const std::size_t size : {1u, 31u, 300u, 1000u}) {
            const auto row = make_row(s, size, random.next());
            for (const int width : lane_widths()) {
                const at_width forced(width);
                const token_id token = c.peek(row);
                std::vector<reference::candidate> left;
                for (const auto& t : c.survivors()) left.push_back({t.id, t.logit});
                auto memory = candidates_of(row), flushed_memory = memory;
                candidates staged{memory.data(), memory.size(), -1, false},
                    flushed{flushed_memory.data(), memory.size(), -1, false};
                c.apply(staged);
                token_id flushed_token;
                std::vector<token_data> flushed_left;
                {
                    const flushing mode;
                    flushed_token = c.peek(row);
                    const auto survivors = c.survivors();
                    flushed_left.assign(survivors.begin(), survivors.end());
                    c.apply(flushed);
                }
                ASSERT_EQ(flushed_token, token)
                    << what << ", " << name_of(s) << " " << size << ", " << width << " lanes";
                ASSERT_EQ(difference(flushed_left, left), "")
                    << what << ", " << name_of(s) << " " << size << ", " << width << " lanes";
                left.clear();
                for (const auto& t : staged) left.push_back({t.id, t.logit});
                ASSERT_EQ(difference({flushed.data, flushed.size}, left), "")
                    << what << ", " << name_of(s) << " " << size << ", staged";
            }
        }
}

TEST(FlushToZero, ChangesNoToken) {
    const auto same = [](any_pipeline& c, const reference::model& model) {
        expect_same_under_flushing(c, reference::describe(model));
    };
    for_each_chain(same);
    for_each_chain_with_something_to_do(same);
}
#else
TEST(FlushToZero, ChangesNoToken) { GTEST_SKIP() << "no MXCSR here"; }
#endif

}  // namespace
}  // namespace riffle_tests::chain_bad_input
