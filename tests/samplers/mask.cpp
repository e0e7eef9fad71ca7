#include "reference/plain_stages.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<mask>() == facts{.masks = true, .keeps_sorted = true, .narrows = narrowing::legal});

TEST(Mask, AgreesWithTheReference) { expect_stage_agrees(variants_of<mask>(), sizes_of_a_thousand); }
TEST(Mask, AgreesWithTheReferenceOnLongRows) { expect_stage_agrees_on_long_rows(variants_of<mask>()); }

TEST(Mask, TheLowestBitOfAWordIsItsFirstToken) {
    const std::vector<float> row(100, 1.0f);
    EXPECT_EQ(survivors_of(mask{{0x1u}}, row), (std::vector<token_id>{0}));
    EXPECT_EQ(survivors_of(mask{{0x80000000u, 0x2u}}, row), (std::vector<token_id>{31, 33}));
}
TEST(Mask, AMissingTailIsIllegal) {
    auto c = mask{{0xffffffffu}} | greedy{};
    std::vector<float> row(2000);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = float(i);
    EXPECT_EQ(c.sample(row), 31);
    get<mask>(c).words.assign(60, 0xffffffffu);  // more than one in 32: hidden, not gathered
    EXPECT_EQ(c.sample(row), 1919);
}
TEST(Mask, WithoutWordsNothingIsLegal) {
    auto c = mask{} | dist{};
    EXPECT_EQ(c.sample(std::vector<float>(100, 1.0f)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
}
TEST(Mask, BitsBeyondTheRowAreNoTokens) {
    auto c = mask{{0u, 0xfffffff0u, 0xffffffffu}} | greedy{};
    EXPECT_EQ(c.sample(std::vector<float>(36, 1.0f)), null_token);
    EXPECT_EQ(c.sample(std::vector<float>(37, 1.0f)), 36);
    get<mask>(c).words.assign(9000, 0xffffffffu);
    std::vector<float> row(257, 1.0f);
    row[256] = 2.0f;
    EXPECT_EQ(c.sample(row), 256);
}
TEST(Mask, AWrongCountChangesNoToken) {
    const auto row = make_row(shape::flat, 3000, 5);
    const std::vector<std::uint32_t> few(20, 0x00000100u), many(94, 0xfff7fff7u);  // gathered, and hidden
    for (const auto& words : {few, many}) {
        const mask counted{words};
        const auto expected = survivors_of(counted, row);
        ASSERT_FALSE(expected.empty());
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, expected.size(), row.size(), ~std::size_t{1}}) {
            const mask told{counted.words, count};
            EXPECT_EQ(survivors_of(told, row), expected) << count;
            EXPECT_EQ((told | temperature{.t = 3.0f} | dist{.seed = 3}).peek(row),
                      (counted | temperature{.t = 3.0f} | dist{.seed = 3}).peek(row));
        }
    }
}
TEST(Mask, NeverLetsAMaskedTokenThrough) {
    random_integers random(3);
    for (int n = 0; n < 200; ++n) {
        mask m;
        const std::size_t size = 1 + random.below(1500);
        for (std::size_t w = 0; w < random.below(50); ++w)
            m.words.push_back(std::uint32_t(random.next() & random.next() & (n % 2 ? random.next() : ~0u)));
        const auto row = make_row(all_shapes[random.below(all_shapes.size())], size, random.next());
        auto c = temperature{.t = 1.25f} | m | dist{.seed = random.next()};
        for (const int width : lane_widths()) {
            const at_width forced(width);
            for (int step = 0; step < 4; ++step) {
                const token_id token = c.sample(row);
                if (token < 0) break;
                ASSERT_TRUE(reference::is_legal(m, token));
                ASSERT_GT(reference::canonical(row[std::size_t(token)]), reference::minus_infinity);
            }
        }
    }
}
TEST(Mask, LeavesTheCallersRowAlone) {
    std::vector<float> row(700, 1.0f);
    const std::vector<float> before = row;
    (mask{std::vector<std::uint32_t>(22, 0x55555555u)} | temperature{.t = 2.0f} | dist{}).sample(row);
    EXPECT_EQ(row, before);
}
TEST(Mask, IsIdempotent) { expect_idempotent(variants_of<mask>()); }
}  // namespace
}  // namespace riffle_tests
