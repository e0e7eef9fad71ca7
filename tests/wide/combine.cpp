#include <cmath>

#include <riffle/wide/combine.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

struct half_of_the_second {
    template <class V>
    V operator()(const V& a, const V& b) const noexcept {
        return a + b * V(0.5f);
    }
};

/// Calls f with rows of every family and of sizes around every width, as they lie in memory.
template <class F>
void each_plain_row(F f) {
    for (const auto which : families)
        for (const std::size_t size : {1u, 3u, 4u, 5u, 8u, 15u, 16u, 17u, 255u, 4099u, 32000u}) {
            SCOPED_TRACE(testing::Message() << family_names[std::size_t(which)] << ", " << size << " logits");
            f(logits_of(which, size));
        }
}

TEST(Combine, IsWhatTheFunctionSaysForEveryLogit) {
    each_plain_row([](const std::vector<float>& a) {
        auto b = a;
        std::reverse(b.begin(), b.end());
        std::vector<float> expected;
        for (std::size_t i = 0; i < a.size(); ++i) {
            const float half = canonical(b[i]) * 0.5f;
            expected.push_back(canonical(canonical(a[i]) + half));
        }
        at_every_width([&](int) {
            std::vector<float> out(a.size() + 1, 7.0f);
            wide::combine(a, b, std::span(out).first(a.size()), half_of_the_second{});
            EXPECT_EQ(out.back(), 7.0f);
            out.pop_back();
            EXPECT_EQ(out, expected);
            auto in_place = a;
            wide::combine(in_place, b, in_place, half_of_the_second{});
            EXPECT_EQ(in_place, expected);
            in_place = b;
            wide::combine(a, in_place, in_place, half_of_the_second{});
            EXPECT_EQ(in_place, expected);
        });
    });
}
TEST(Combine, GreatestAndLogSumAreThoseOfTheRow) {
    each_plain_row([](const std::vector<float>& row) {
        float top = -inf;
        double sum = 0.0;
        for (const float l : row) top = canonical(l) > top ? canonical(l) : top;
        for (const float l : row) sum += canonical(l) > -inf ? std::exp(double(canonical(l)) - double(top)) : 0.0;
        at_every_width([&](int) {
            EXPECT_EQ(wide::greatest_of(row), top);
            if (top > -inf) {
                EXPECT_NEAR(double(wide::log_mass(row, top)), std::log(sum), 1e-4);
            }
        });
    });
    EXPECT_EQ(wide::greatest_of({}), -inf);
}

}  // namespace
