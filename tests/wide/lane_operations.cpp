#include <riffle/wide/wide_sum.hpp>

#include "rows.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

struct reaching_pass {
    template <int N>
    static RIFFLE_INLINE std::uint64_t run(const float* const& x, float bound) noexcept {
        std::uint64_t bits = 0;
        for (int i = 0; i < 16; i += N) bits |= wide::lanes_reaching(lanes<N>::load(x + i), lanes<N>(bound)) << i;
        return bits;
    }
};
struct compress_pass {
    template <int N>
    static RIFFLE_INLINE std::size_t run(const float* const& x, std::uint64_t bits, float* const& to) noexcept {
        std::size_t count = 0;
        for (int i = 0; i < 16; i += N)
            count += wide::compress(lanes<N>::load(x + i), bits >> i & ((1u << N) - 1), to + count);
        return count;
    }
};
struct sums {
    std::uint64_t plain, products, shifted;
};
struct sums_pass {
    template <int N>
    static RIFFLE_INLINE sums run(const std::uint32_t* const& a, const std::uint32_t* const& b) noexcept {
        wide::wide_sum<N> plain, products, shifted;
        for (int i = 0; i < 64; i += N) {
            int_lanes<N> x, y;
            std::memcpy(&x.v, a + i, sizeof x.v);
            std::memcpy(&y.v, b + i, sizeof y.v);
            plain.add(x);
            products.add_products(x, y);
            shifted.template add_products<8>(x, y);
        }
        return {plain.total(), products.total(), shifted.total()};
    }
};

struct truncate_pass {
    template <int N>
    static RIFFLE_INLINE void run(const float* const& x, std::int32_t* const& to) noexcept {
        for (int i = 0; i < 16; i += N) {
            const auto d = wide::truncate_24_bits(
                wide::multiply_add(lanes<N>::load(x + i), lanes<N>(-65536.0f), lanes<N>(2.0f * 65536.0f)));
            std::memcpy(to + i, &d.v, sizeof d.v);
        }
    }
};

TEST(LaneOperations, BitsOfThoseThatReachABound) {
    const float x[16] = {-inf, lowest, -1.0f, -0.0f, 0.0f, 1.0f,  not_a_number, inf,
                         2.0f, 2.0f,   1.99f, 1e9f,  3.0f, -2.0f, not_a_number, 2.5f};
    for (const float bound : {-inf, lowest, -1.0f, 0.0f, 2.0f, inf}) {
        std::uint64_t expected = 0;
        for (int i = 0; i < 16; ++i) expected |= std::uint64_t{x[i] >= bound} << i;
        at_every_width([&](int) {
            EXPECT_EQ((wide::run<reaching_pass>(static_cast<const float*>(x), bound)), expected) << bound;
        });
    }
}

TEST(LaneOperations, DistancesAreIntegersBesideThoseThatDoNotFit) {
    const float fits[] = {2.0f, 1.99999f, 0.0f, -1e-30f, -1.0f, -100.5f, -253.99998f};
    at_every_width([&](int) {
        for (const float too_far : {-254.0f, -32768.0f, -3.4e38f, -inf, not_a_number})
            for (std::size_t at = 0; at < 16; ++at) {
                float x[16];
                std::int32_t d[16];
                for (std::size_t i = 0; i < 16; ++i) x[i] = fits[(at + i) % 7];
                x[at] = too_far;
                wide::run<truncate_pass>(static_cast<const float*>(x), static_cast<std::int32_t*>(d));
                for (std::size_t i = at + 1; i < at + 16; ++i)
                    EXPECT_EQ(d[i % 16], std::int32_t((2.0f - x[i % 16]) * 65536.0f));
            }
    });
}

TEST(LaneOperations, CompressKeepsOrderForEveryMask) {
    float x[16];
    for (int i = 0; i < 16; ++i) x[i] = float(i) - 0.5f;
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
        std::vector<float> expected;
        for (int i = 0; i < 16; ++i)
            if (bits >> i & 1) expected.push_back(x[i]);
        at_every_width([&](int) {
            float to[32];
            const std::size_t count =
                wide::run<compress_pass>(static_cast<const float*>(x), bits, static_cast<float*>(to));
            ASSERT_EQ(count, expected.size());
            ASSERT_TRUE(std::equal(expected.begin(), expected.end(), to)) << bits;
        });
    }
}

TEST(LaneOperations, SumsAndProductsIn64Bits) {
    integers random(7);
    for (int round = 0; round < 100; ++round) {
        std::uint32_t a[64], b[64];
        sums expected{};
        for (int i = 0; i < 64; ++i) {
            a[i] = round == 0 ? 0xffffffffu : std::uint32_t(random.next());
            b[i] = round == 0 ? 0x03ffffffu : std::uint32_t(random.next()) >> 6;  // 64 products of 2^58 are the most
            const std::uint64_t product = std::uint64_t{a[i]} * b[i];
            expected.plain += a[i];
            expected.products += product;
            expected.shifted += product >> 8;
        }
        at_every_width([&](int) {
            const sums found =
                wide::run<sums_pass>(static_cast<const std::uint32_t*>(a), static_cast<const std::uint32_t*>(b));
            EXPECT_EQ(found.plain, expected.plain);
            EXPECT_EQ(found.products, expected.products);
            EXPECT_EQ(found.shifted, expected.shifted);
        });
    }
}

}  // namespace
