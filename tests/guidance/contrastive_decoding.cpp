#include <riffle/guidance/contrastive_decoding.hpp>

#include "lane_widths.hpp"
#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

std::vector<float> contrasted(const contrastive_decoding& spec, std::span<const float> expert,
                              std::span<const float> amateur) {
    std::vector<float> out(expert.size(), 77.0f);
    EXPECT_TRUE(spec.combine(expert, amateur, out));
    return out;
}

TEST(ContrastiveDecoding, WeighsLogitsOfWhatTheExpertFindsPlausible) {
    for (const std::size_t size : {1u, 2u, 17u, 300u})
        for (const contrastive_decoding& spec :
             {contrastive_decoding{}, contrastive_decoding{0.1f, 1.0f, 1.0f}, contrastive_decoding{0.0f, 2.0f, 0.25f},
              contrastive_decoding{1.0f, 1.5f, 0.5f}}) {
            const auto expert = make_row(shape::random, size, 1), amateur = make_row(shape::random, size, 2);
            const double greatest = double(*std::max_element(expert.begin(), expert.end()));
            const double praised = double(*std::max_element(amateur.begin(), amateur.end()));
            at_every_width([&](int) {
                const auto out = contrasted(spec, expert, amateur);
                for (std::size_t i = 0; i < size; ++i) {
                    const double over = std::exp(double(expert[i]) - greatest) - double(spec.alpha);
                    if (std::abs(over) < 1e-6 && double(expert[i]) < greatest) continue;  // at the cut
                    if (over < 0 && double(expert[i]) < greatest) {
                        EXPECT_EQ(out[i], -infinity) << size << ", " << spec.alpha;
                    } else {
                        const double expected = double(spec.expert) * (double(expert[i]) - greatest) -
                                                double(spec.amateur) * (double(amateur[i]) - praised);
                        EXPECT_NEAR(double(out[i]), expected, 1e-4) << size << ", " << spec.alpha;
                    }
                }
            });
        }
}
TEST(ContrastiveDecoding, IsTheSameAtEveryWidthAndInPlace) {
    for (const shape s : all_shapes) {
        const auto expert = make_row(s, 700, 3), amateur = make_row(shape::holes, 700, 4);
        if (wide::greatest_of(expert) == -infinity) continue;
        std::vector<std::vector<float>> found;
        at_every_width([&](int) {
            found.push_back(contrasted({}, expert, amateur));
            auto in_place = expert;
            EXPECT_TRUE(contrastive_decoding{}.combine(in_place, amateur, in_place));
            found.push_back(in_place);
            in_place = amateur;
            EXPECT_TRUE(contrastive_decoding{}.combine(expert, in_place, in_place));
            found.push_back(in_place);
        });
        for (const auto& row : found) EXPECT_EQ(row, found[0]) << name_of(s);
    }
}
TEST(ContrastiveDecoding, TheExpertForbidsAndTheAmateurPraises) {
    const std::vector<float> expert{1.0f, -infinity, not_a_number, 0.5f}, amateur{-infinity, 2.0f, 1.0f, 0.25f};
    const auto out = contrasted({}, expert, amateur);
    EXPECT_EQ(out, (std::vector<float>{50.0f, -infinity, -infinity, 0.125f}));  // 1.5 * -0.5 - 0.5 * -1.75
    const std::vector<float> nothing(4, -infinity);
    EXPECT_EQ(contrasted({}, expert, nothing), (std::vector<float>{50.0f, -infinity, -infinity, 49.25f}));
}
TEST(ContrastiveDecoding, AConstantAddedToEitherRowDoesNotShow) {
    const std::vector<float> expert{1.0f, 0.5f, -2.0f, -0.25f}, amateur{0.5f, -infinity, 2.0f, 0.0f};
    const auto shifted = [](std::vector<float> row, float by) {
        for (float& l : row) l += by;
        return row;
    };
    const contrastive_decoding spec{.alpha = 0.01f};
    const auto expected = contrasted(spec, expert, amateur);
    for (const float by : {-64.0f, 1024.0f}) {
        EXPECT_EQ(contrasted(spec, shifted(expert, by), amateur), expected);
        EXPECT_EQ(contrasted(spec, expert, shifted(amateur, by)), expected);
    }
}
TEST(ContrastiveDecoding, InfiniteLogitsMakeNoNaN) {
    const std::vector<float> plain{0.0f, -1.0f, -2.0f, -3.0f}, forced{0.0f, infinity, -2.0f, infinity};
    EXPECT_EQ(contrasted({}, forced, plain), (std::vector<float>{-infinity, 0.5f, -infinity, 1.5f}));
    const auto all = contrasted({.alpha = 0.0f}, forced, plain);
    EXPECT_LT(all[0], -1e6f);
    EXPECT_GT(all[0], -infinity);
    // What the amateur forces is all that it knows: it says nothing of the others.
    EXPECT_EQ(contrasted({.alpha = 0.0f}, plain, forced), (std::vector<float>{50.0f, -1.5f, 47.0f, -4.5f}));
}

}  // namespace
}  // namespace riffle_tests
