// What libllama answered (x86-64, libstdc++, glibc), recorded once. The standard library of the host shows in the order
// of equal logits only.

#include "exact/forms.hpp"

namespace riffle_tests::exact_golden {
namespace {

std::vector<token_id> first_ids(const bench& b, std::size_t count) {
    auto all = b.ids();
    all.resize(count);
    return all;
}

TEST(ExactGolden, DistOverEqualLogits) {
    const std::pair<std::uint64_t, std::vector<token_id>> golden[] = {
        {0, {151, 216, 219, 216, 159, 98, 76, 14}},
        {1, {255, 238, 32, 255, 60, 101, 99, 171}},
        {42, {203, 46, 199, 152, 114, 25, 117, 85}},
        {4242, {206, 61, 115, 85, 40, 213, 131, 169}},
    };
    for (const auto& [seed, tokens] : golden) {
        const dist spec{.seed = seed};
        exact::form<dist>::state s(spec);
        for (const token_id token : tokens) {
            bench b(std::vector<float>(256, 0.0f));
            ASSERT_EQ(b.apply(spec, s), status_code::ok);
            EXPECT_EQ(b.chosen(), token) << seed;
        }
    }
}
TEST(ExactGolden, MirostatV2OverEqualLogits) {
    const std::pair<std::uint64_t, std::vector<token_id>> golden[] = {
        {0, {3, 223, 55, 223, 19, 104, 40, 158}},
        {42, {51, 210, 11, 159, 120, 130, 248, 158}},
    };
    for (const auto& [seed, tokens] : golden) {
        const mirostat_v2 spec{.tau = 5.0f, .eta = 0.1f, .seed = seed};
        exact::form<mirostat_v2>::state s(spec);
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            bench b(std::vector<float>(256, 0.0f));
            ASSERT_EQ(b.apply(spec, s), status_code::ok);
            EXPECT_EQ(b.chosen(), tokens[i]) << seed;
            EXPECT_EQ(b.c.size, i < 7 ? 256u : 1u);
        }
    }
}
TEST(ExactGolden, Mirostat) {
    std::vector<float> row(200);
    for (std::size_t id = 0; id < row.size(); ++id) row[id] = -0.03125f * float(id * 37 % 200);
    using step = std::pair<token_id, std::size_t>;  // the token, and how many were left
    const std::pair<std::uint64_t, std::vector<step>> golden[] = {
        {0,
         {{0, 1}, {0, 1}, {0, 1}, {173, 2}, {92, 5}, {65, 7}, {65, 7}, {92, 8}, {146, 8}, {146, 8}, {0, 8}, {146, 9}}},
        {42,
         {{0, 1}, {0, 1}, {0, 1}, {173, 2}, {0, 5}, {38, 8}, {119, 7}, {119, 8}, {0, 8}, {119, 9}, {146, 8}, {173, 8}}},
    };
    for (const auto& [seed, steps] : golden) {
        const mirostat spec{.tau = 3.0f, .eta = 0.1f, .m = 100, .n_vocab = 200, .seed = seed};
        exact::form<mirostat>::state s(spec);
        for (const auto& [token, size] : steps) {
            bench b(row);
            ASSERT_EQ(b.apply(spec, s), status_code::ok);
            EXPECT_EQ(b.chosen(), token) << seed;
            EXPECT_EQ(b.c.size, size) << seed;
        }
    }
}
TEST(ExactGolden, OrderOfTies) {
    bench heap(std::vector<float>(300, 0.0f));
    ASSERT_EQ(heap.apply(top_k{.k = 8}), status_code::ok);
    EXPECT_EQ(heap.ids(), (std::vector<token_id>{7, 4, 1, 3, 5, 0, 2, 6}));
    bench buckets(std::vector<float>(300, 0.0f));
    ASSERT_EQ(buckets.apply(top_k{.k = 200}), status_code::ok);
    EXPECT_EQ(buckets.c.size, 200u);
    EXPECT_EQ(first_ids(buckets, 12), (std::vector<token_id>{158, 190, 94, 142, 110, 78, 174, 46, 102, 54, 134, 118}));
    bench nucleus(std::vector<float>(300, 0.0f));
    ASSERT_EQ(nucleus.apply(top_p{.p = 0.02f}), status_code::ok);
    EXPECT_EQ(nucleus.ids(), (std::vector<token_id>{158, 190, 94, 286, 222, 78}));
    bench of_many(std::vector<float>(2000, 0.0f));
    ASSERT_EQ(of_many.apply(top_p{.p = 0.004f}), status_code::ok);
    EXPECT_EQ(of_many.ids(), (std::vector<token_id>{158, 190, 94, 142, 222, 78, 174, 46}));
}
TEST(ExactGolden, XtcFiresByItsOwnStream) {
    const xtc spec{.probability = 0.5f, .threshold = 0.1f, .min_keep = 1, .seed = 42};
    exact::form<xtc>::state s(spec);
    for (const std::size_t size : {1u, 4u, 4u, 1u, 4u, 4u, 4u, 4u}) {
        bench b(std::vector<float>(4, 0.0f));
        ASSERT_EQ(b.apply(spec, s), status_code::ok);
        EXPECT_EQ(b.c.size, size);
    }
}
TEST(ExactGolden, DynamicTemperature) {
    bench b({1.0f, 2.0f, 3.0f});
    ASSERT_EQ(b.apply(dynamic_temperature{.t = 0.7f, .range = 0.5f, .exponent = 1.0f}), status_code::ok);
    EXPECT_EQ(b.ids(), (std::vector<token_id>{2, 1, 0}));
    expect_p(b, {0.677569, 0.238488, 0.0839423});
    EXPECT_NEAR(b.c[0].logit, 3.13257f, 1e-5f);
    EXPECT_NEAR(b.c[2].logit, 1.04419f, 1e-5f);
    bench without({1.0f, 2.0f, 3.0f});
    ASSERT_EQ(without.apply(dynamic_temperature{.t = 0.0f, .range = 0.5f, .exponent = 1.0f}), status_code::ok);
    EXPECT_NEAR(without.c[0].logit, 7.91892f, 1e-5f);
    EXPECT_NEAR(without.c[1].logit, 5.27928f, 1e-5f);
    EXPECT_NEAR(without.c[2].logit, 2.63964f, 1e-5f);
}

const adaptive_p adaptive{.target = 0.3f, .decay = 0.9f, .seed = 7};
token_id adaptive_step(exact::form<adaptive_p>::state& s) {
    bench b({3.0f, 2.0f, 1.0f, 0.0f, -1.0f, -2.0f});
    EXPECT_EQ(b.apply(adaptive, s), status_code::ok);
    exact::form<adaptive_p>::accept(adaptive, s, b.chosen());
    return b.chosen();
}
TEST(ExactGolden, AdaptivePAndItsCloneThatStartsAnew) {
    exact::form<adaptive_p>::state s(adaptive);
    for (const token_id token : {1, 1, 3, 1}) EXPECT_EQ(adaptive_step(s), token);
    exact::form<adaptive_p>::state clone = s;
    for (const token_id token : {1, 1, 1, 1, 0, 1}) EXPECT_EQ(adaptive_step(s), token);
    for (const token_id token : {1, 1, 3, 1, 1, 1}) EXPECT_EQ(adaptive_step(clone), token);
}

}  // namespace
}  // namespace riffle_tests::exact_golden
