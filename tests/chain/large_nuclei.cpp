// Nuclei of thousands of tokens, for which the machine makes no candidates: where their end is guessed from a sample,
// where that guess is wrong, and where equal logits lie at the end. Fused, staged and reference agree.

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "chain/pairs.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

struct named_row {
    std::string name;
    std::vector<float> logits;
};
/// No sample of a few places shows what these are like.
std::vector<named_row> rows_that_mislead(std::size_t size) {
    random_integers random(9);
    std::vector<named_row> rows{
        {"all equal", {}},         {"rising", {}},           {"falling", {}},    {"likely low ids", {}},
        {"a likely block", {}},    {"seven values", {}},     {"two values", {}}, {"every 16th likely", {}},
        {"within one bucket", {}}, {"one above equals", {}}, {"noise", {}}};
    for (std::size_t i = 0; i < size; ++i) {
        const float part = float(i) / float(size), noise = float(random.below(4096)) / 1024.0f;
        const float values[] = {2.5f,
                                3.0f * part,
                                -3.0f * part,
                                noise - 6.0f * std::sqrt(part),
                                noise + (i / 256 == 3 ? 4.0f : 0.0f),
                                float(random.below(7)) * 0.25f,
                                i % 5 ? 0.0f : -1.0f,
                                noise + (i % 16 == 0 ? 3.0f : 0.0f),
                                1e-6f * float(random.below(1000)),
                                i == size / 3 ? 1.0f : 0.0f,
                                noise};
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r].logits.push_back(values[r]);
    }
    return rows;
}

template <class... Stages>
void expect_rows_agree(const Stages&... stages) {
    auto c = chain(stages...);
    reference::model model{{stages...}, {}};
    for (const std::size_t size : {20000u, 40960u})
        for (const auto& row : rows_that_mislead(size)) {
            start(view_of(c), model);
            expect_steps_agree(view_of(c), model, row.logits, row.name + ", " + std::to_string(size), 2);
            if (testing::Test::HasFailure()) return;
        }
}

TEST(LargeNuclei, AheadOfADraw) {
    for (const float p : {0.3f, 0.9f, 0.999f}) expect_rows_agree(top_p{.p = p}, dist{1});
}
TEST(LargeNuclei, BehindAndAheadOfATemperature) {
    expect_rows_agree(temperature{1.5f}, top_p{.p = 0.95f}, dist{2});
    expect_rows_agree(top_p{.p = 0.95f}, temperature{0.8f}, dist{3});
}
TEST(LargeNuclei, AheadOfStagesThatNarrowOn) {
    expect_rows_agree(top_p{.p = 0.95f}, min_p{.p = 0.2f}, dist{4});
    expect_rows_agree(top_p{.p = 0.9f}, top_p{.p = 0.9f}, gumbel{5});
    expect_rows_agree(top_p{.p = 0.9f}, top_k{.k = 100}, dist{6});
}
TEST(LargeNuclei, BehindEditsAndMasks) {
    expect_rows_agree(logit_bias{{{7, 2.0f}, {300, -infinity}}}, mask{std::vector<std::uint32_t>(1500, 0xF7F7F7FEu)},
                      top_p{.p = 0.95f}, dist{7});
}

/// A logit of just half the weight of one at 0.
constexpr float half_as_likely = -0x1.62e43p-1f;

void expect_one_more_than(std::size_t likely, const std::vector<float>& row, const std::string& what) {
    auto c = chain(top_p{.p = 0.5f}, dist{1});
    reference::model model{{top_p{.p = 0.5f}, dist{1}}, {}};
    start(view_of(c), model);
    expect_steps_agree(view_of(c), model, row, what, 2);
    std::size_t kept = 0;
    for (const auto& token : c.distribution(row)) kept += token.logit > -infinity;
    EXPECT_EQ(kept, likely + 1) << what << ": their share has to be exceeded";
}

TEST(LargeNuclei, WhereWhatIsLikelierHasJustTheShare) {
    ASSERT_EQ(2 * fixed_mass(lanes<1>(half_as_likely))[0], fixed_mass(lanes<1>(0.0f))[0]);
    for (const std::size_t size : {3000u, 20000u, 40960u})
        for (const std::size_t likely : {size / 10, size / 4, size / 3}) {
            std::vector<float> row(size, -30.0f);  // those weigh nothing
            for (std::size_t i = 0; i < likely; ++i)
                row[i * 3] = 0.0f, row[i * 3 + 1] = row[i * 3 + 2] = half_as_likely;
            expect_one_more_than(likely, row, std::to_string(likely) + " of " + std::to_string(size));
        }
}

/// Which tokens a sample of a row of this size has.
std::vector<bool> sampled(std::size_t size) {
    std::vector<float> ids(size), block_maxima(block_count(size)), copies(block_count(size) * block_size);
    for (std::size_t id = 0; id < size; ++id) ids[id] = float(id);
    std::vector<const float*> blocks(block_count(size));
    detail::row r;
    r.assign(ids, blocks.data(), copies.data());
    std::vector<float> memory(wide::row_sample::size);
    const wide::row_sample sample(r, block_maxima.data(), memory.data());
    std::vector<bool> is_sampled(size);
    for (const float id : memory) is_sampled[std::size_t(id)] = true;
    return is_sampled;
}
// The sample has none but the likelier half, so the end is guessed among those.
TEST(LargeNuclei, WhereTheSampleHasNoneOfTheOthers) {
    for (const std::size_t size : {20000u, 40960u}) {
        const std::vector<bool> is_sampled = sampled(size);
        std::vector<float> row(size, -30.0f);
        std::size_t likely = 0, others = 0;
        for (std::size_t id = 0; id < size; ++id)
            if (is_sampled[id]) row[id] = 0.0f, ++likely;
        for (std::size_t id = 0; id < size && others < 2 * likely; ++id)
            if (!is_sampled[id]) row[id] = half_as_likely, ++others;
        ASSERT_EQ(others, 2 * likely);
        expect_one_more_than(likely, row, std::to_string(size));
    }
}

// Which way in the row is taken: the dearer ones only where the cheaper ones do not serve.

using way = cpu_machine::nucleus_way;

/// Noise of deviation about 1, and thirty likely tokens from `height` down, with neighbouring ids or far from each
/// other.
std::vector<float> row_with_likely_ids(std::size_t size, float height, bool side_by_side) {
    random_integers random(11);
    std::vector<float> row(size);
    for (auto& logit : row) {
        logit = -6.0f;
        for (int i = 0; i < 12; ++i) logit += float(random.below(4096)) / 4096.0f;  // about normal
    }
    const std::size_t apart = side_by_side ? 1 : size / 31;
    for (std::size_t i = 0; i < 30; ++i) row[size / 40 + i * apart] = height - 0.15f * float(i);
    return row;
}
way way_of(const std::vector<float>& row) {
    auto c = chain(top_p{.p = 0.95f}, temperature{0.8f}, dist{1});
    EXPECT_NE(c.peek(row), null_token);
    return c.state().machine().way_of_nucleus();
}

TEST(LargeNuclei, AreGuessedAheadWhereverTheLikelyIdsStand) {
    for (const std::size_t size : {65536u, 128256u})
        for (const bool side_by_side : {false, true}) {
            EXPECT_EQ(int(way_of(row_with_likely_ids(size, 8.0f, side_by_side))), int(way::band_guessed_ahead)) << size;
            EXPECT_EQ(int(way_of(row_with_likely_ids(size, 20.0f, side_by_side))), int(way::candidates)) << size;
        }
}
TEST(LargeNuclei, AreNotGuessedAheadWhereFewTokensHoldTheMass) {
    for (const std::size_t size : {4096u, 16383u, 16384u, 16385u, 32000u})
        for (const bool side_by_side : {false, true})
            EXPECT_EQ(int(way_of(row_with_likely_ids(size, 14.0f, side_by_side))), int(way::candidates)) << size;
}
TEST(LargeNuclei, StayInARowThatIsTooShortForASample) {
    auto c = chain(top_p{.p = 0.95f}, temperature{0.8f}, dist{1});
    for (const std::size_t size : {6000u, 8191u}) {
        c.peek(row_with_likely_ids(size, 3.0f, true));
        EXPECT_EQ(int(c.state().machine().way_of_nucleus()), int(way::bucket)) << size;
        EXPECT_TRUE(c.state().machine().stayed_in_row()) << size;
    }
}
TEST(LargeNuclei, BelowTheSizeOfASample) {
    auto c = chain(top_p{.p = 0.95f}, temperature{0.8f}, dist{8});
    reference::model model{{top_p{.p = 0.95f}, temperature{0.8f}, dist{8}}, {}};
    for (const std::size_t size : {3000u, 8191u, 8192u, 16383u})
        for (const auto& row : rows_that_mislead(size)) {
            start(view_of(c), model);
            expect_steps_agree(view_of(c), model, row.logits, row.name + ", " + std::to_string(size), 2);
            if (testing::Test::HasFailure()) return;
        }
}
TEST(LargeNuclei, NoBridgeNoWay) {
    auto c = chain(top_k{.k = 5}, dist{1});
    c.peek(row_with_likely_ids(4096, 8.0f, true));
    EXPECT_EQ(int(c.state().machine().way_of_nucleus()), int(way::none));
}

}  // namespace
}  // namespace riffle_tests
