#include <riffle/samplers/contrastive_decoding.hpp>

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
            at_every_width([&](int) {
                const auto out = contrasted(spec, expert, amateur);
                for (std::size_t i = 0; i < size; ++i) {
                    const double over = std::exp(double(expert[i]) - greatest) - double(spec.alpha);
                    if (std::abs(over) < 1e-6 && double(expert[i]) < greatest) continue;  // at the cut
                    if (over < 0 && double(expert[i]) < greatest) {
                        EXPECT_EQ(out[i], -infinity) << size << ", " << spec.alpha;
                    } else {
                        const double expected =
                            double(spec.expert) * double(expert[i]) - double(spec.amateur) * double(amateur[i]);
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
    EXPECT_EQ(out, (std::vector<float>{101.5f, -infinity, -infinity, 0.625f}));
}
TEST(ContrastiveDecoding, RefusesWhatItCannotCombineAndTouchesNothing) {
    const std::vector<float> row{1.0f, 2.0f}, longer{1.0f, 2.0f, 3.0f}, nothing(2, -infinity);
    std::vector<float> out{5.0f, 6.0f}, short_out{5.0f};
    const contrastive_decoding good;
    EXPECT_EQ(good.combine({}, {}, {}).code(), status_code::empty_row);
    EXPECT_STREQ(good.combine(row, longer, out).message().c_str(),
                 "contrastive_decoding: second row's size = 3 is not that of the first");
    EXPECT_EQ(good.combine(row, row, short_out).code(), status_code::invalid_parameter);
    EXPECT_EQ(good.combine(nothing, row, out).code(), status_code::no_legal_token);
    for (const float x : {infinity, -infinity, not_a_number}) {
        EXPECT_EQ(contrastive_decoding{.expert = x}.combine(row, row, out).code(), status_code::invalid_parameter);
        EXPECT_EQ(contrastive_decoding{.amateur = x}.combine(row, row, out).code(), status_code::invalid_parameter);
    }
    EXPECT_STREQ(contrastive_decoding{.alpha = not_a_number}.combine(row, row, out).message().c_str(),
                 "contrastive_decoding: alpha = nan is not a number");
    EXPECT_EQ(out, (std::vector<float>{5.0f, 6.0f}));
}

}  // namespace
}  // namespace riffle_tests
