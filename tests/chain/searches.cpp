// Stages that look for what they keep, over rows that an enemy would choose: fused, staged and reference agree, and a
// stage sees no more candidates than it needs.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "chain/pairs.hpp"

namespace riffle_tests::chain_searches {
namespace {

using namespace riffle;

using named_row = std::pair<std::string, std::vector<float>>;
std::vector<named_row> hostile_rows(std::size_t size) {
    random_integers random(7);
    std::vector<named_row> rows{{"equal", {}},      {"two values", {}}, {"denormals", {}},     {"one ulp apart", {}},
                                {"huge", {}},       {"one legal", {}},  {"a faint tail", {}},  {"rising", {}},
                                {"two crowds", {}}, {"one above", {}},  {"one far below", {}}, {"noise", {}}};
    for (std::size_t i = 0; i < size; ++i) {
        const float noise = float(random.below(1 << 20)) / 65536.0f;  // up to 16
        const float values[] = {2.5f,
                                float(random.below(2)),
                                (noise - 8.0f) * 0x1p-130f,
                                1.0f + float(i * 7919 % size) * 0x1p-23f,
                                (noise - 8.0f) * 4.2e37f,
                                i == size / 3 ? 1.0f : -infinity,
                                i == size / 3 ? 0.0f : -20.7f - 0.003f * noise,
                                float(i) * 0x1p-12f,
                                noise * 0.1f + (random.below(4) ? 10.0f : -20.0f),
                                i == size / 3 ? 30.0f : noise * 0.5f,
                                i == size / 3 ? -1e30f : noise,
                                noise};
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r].second.push_back(values[r]);
    }
    return rows;
}

template <class... Stages>
void expect_rows_agree(const Stages&... stages) {
    auto c = chain(stages...);
    reference::model model{{stages...}, {}};
    for (const std::size_t size : {9000u, 70000u})
        for (const auto& [name, row] : hostile_rows(size)) {
            start(view_of(c), model);
            expect_steps_agree(view_of(c), model, row, name + ", " + std::to_string(size), 1);
            if (testing::Test::HasFailure()) return;
        }
}

TEST(Searches, OfMinK) {
    expect_rows_agree(min_k{}, dist{1});
    expect_rows_agree(temperature{0.8f}, min_k{.tau = 200.0f}, dist{1});
}
TEST(Searches, OfTopH) {
    expect_rows_agree(top_h{}, dist{1});
    expect_rows_agree(temperature{1.7f}, top_h{.alpha = 0.9f, .renormalised = true}, dist{1});
}
TEST(Searches, OfTailFree) { expect_rows_agree(tail_free{}, dist{1}); }
TEST(Searches, OfTypical) {
    expect_rows_agree(typical{}, dist{1});
    expect_rows_agree(temperature{1.25f}, typical{.p = 0.2f, .min_keep = 5000}, dist{1});
}
TEST(Searches, OfSkew) { expect_rows_agree(skew{.amount = 0.5f, .seed = 1}); }
TEST(Searches, OfANucleus) {
    expect_rows_agree(top_p{}, dist{1});
    expect_rows_agree(temperature{0.7f}, top_p{.p = 0.5f}, dist{1});
}
TEST(Searches, OfARank) {
    expect_rows_agree(temperature{0.8f}, top_k{40}, dist{1});
    expect_rows_agree(top_k{3000}, dist{1});
}
TEST(Searches, OfACut) {
    expect_rows_agree(mirostat_v2{});
    expect_rows_agree(epsilon_cutoff{}, dist{1});
    expect_rows_agree(epsilon_cutoff{.epsilon = 0.01f, .min_keep = 700}, dist{1});
}

/// A stage that searches, and notes what it is shown.
template <class Stage>
struct watched : Stage {
    static inline std::size_t shown = 0, most = 0;
    bool keep(candidates& c, const softmax_statistics& of_all, float floor) const noexcept {
        ++shown;
        most = c.size > most ? c.size : most;
        return Stage::keep(c, of_all, floor);
    }
};
/// The most candidates that the stage was shown, and how often it was shown any.
template <class Stage>
std::pair<std::size_t, std::size_t> shown_to(const Stage& stage, const std::vector<float>& row) {
    watched<Stage>::shown = watched<Stage>::most = 0;
    auto c = chain(watched<Stage>{stage}, dist{.seed = 1});
    EXPECT_NE(c.peek(row), null_token);
    return {watched<Stage>::most, watched<Stage>::shown};
}
/// From -16 evenly up to 0.
std::vector<float> rising(std::size_t size) {
    std::vector<float> row;
    for (std::size_t i = 0; i < size; ++i) row.push_back(-16.0f * float(size - 1 - i) / float(size));
    return row;
}

TEST(Searches, SeeNoMoreThanTheyNeed) {
    constexpr std::size_t size = 100000, of_first_look = 2 * 4096;
    std::vector<float> peaked = rising(size);
    peaked[size / 3] = 14.0f;  // where the cliff is, beside which 40 lower places of the bulk are nothing
    EXPECT_LE(shown_to(min_k{}, peaked).first, of_first_look);
    // Half a nat of them has two fifths of the mass, and with it of the entropy: 3,000.
    EXPECT_LE(shown_to(top_h{}, rising(size)).first, of_first_look);
    EXPECT_LE(shown_to(top_h{.alpha = 0.8f}, rising(size)).first, 2u * 32768u);
}
TEST(Searches, ThatNeedAllSeeThemAtOnce) {
    const auto [most, shown] = shown_to(tail_free{}, rising(100000));
    EXPECT_EQ(most, 100000u);
    EXPECT_EQ(shown, 1u);
}

}  // namespace
}  // namespace riffle_tests::chain_searches
