// Every operator of the lane types against plain scalar loops: in passes at every width, in ordinary functions at the
// widths that need no target attribute. lanes_without_vectors.cpp includes this file once more, for the plain-array
// form.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/math/elementwise.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/wide/dispatch.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"

#ifndef RIFFLE_TESTS_LANES
#define RIFFLE_TESTS_LANES Lanes
#endif

namespace {

using namespace riffle;
using riffle_tests::at_every_width;
using riffle_tests::integers;

constexpr std::size_t count = 1024;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Two columns of floats, or of integers: all pairs of the special ones, then random ones.
struct columns {
    std::array<float, count> a, b;
};
columns floats() {
    constexpr float inf = std::numeric_limits<float>::infinity(), most = std::numeric_limits<float>::max();
    constexpr float least = std::numeric_limits<float>::min(), nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float special[] = {0.0f, -0.0f, 1.0f, -1.0f, least, -least, least / 2, -least / 2,
                                 most, -most, inf,  -inf,  nan,   -nan,   1.5f,      -16777216.0f};
    columns c;
    integers random(1);
    for (std::size_t i = 0; i < count; ++i) {
        c.a[i] = i < 256 ? special[i / 16] : i < 640 ? random.real(-30, 30) : random.any_float();
        c.b[i] = i < 256 ? special[i % 16] : i < 640 ? random.real(-30, 30) : random.any_float();
        if (i % 32 == 0) c.b[i] = c.a[i];
    }
    return c;
}

/// The operators with a float result, and what they mean for one pair. Arithmetic may answer any NaN.
constexpr std::size_t float_operators = 17;
template <class V>
RIFFLE_INLINE std::array<V, float_operators> float_results(const V& a, const V& b) noexcept {
    return {a + b,
            a - b,
            a * b,
            a / b,
            -a,
            greater_of(a, b),
            lesser_of(a, b),
            select(a < b, a, b),
            select(a <= b, a, b),
            select(a > b, a, b),
            select(a >= b, a, b),
            select(a == b, a, b),
            select(a != b, a, b),
            V::from_bits(as_bits(a)),
            V::from_int(as_bits(a)),
            absolute(a),
            canonical(a)};
}
std::array<float, float_operators> float_reference(float a, float b) {
    const auto bits = std::bit_cast<std::int32_t>(a);
    return {a + b,
            a - b,
            a * b,
            a / b,
            std::bit_cast<float>(bits_of(a) ^ 0x80000000u),
            a > b ? a : b,
            a < b ? a : b,
            a < b ? a : b,
            a <= b ? a : b,
            a > b ? a : b,
            a >= b ? a : b,
            a == b ? a : b,
            a != b ? a : b,
            a,
            float(bits),
            std::fabs(a),
            riffle::canonical(a)};
}
constexpr const char* float_names[float_operators] = {"+",   "-",         "*",        "/",        "negate",   "max",
                                                      "min", "<",         "<=",       ">",        ">=",       "==",
                                                      "!=",  "from_bits", "from_int", "absolute", "canonical"};

/// The same for integers, and for the masks that comparisons turn into.
constexpr std::size_t int_operators = 19;
template <class I>
RIFFLE_INLINE std::array<I, int_operators> int_results(const I& a, const I& b) noexcept {
    const I less = a < b, equal = a == b, different = a != b;
    return {a + b,
            a - b,
            a & b,
            a | b,
            a ^ b,
            ~a,
            a << 7,
            less,
            equal,
            different,
            shift_right_logical(a, 9),
            multiply_high(a, 0xD2511F53u),
            multiply_low(a, 0xD2511F53u),
            multiply_low(a, b),
            select(a < b, a, b),
            select(a == b, a, b),
            select(a != b, a, b),
            select(less, a, b),
            select(a & 1, b, a)};
}
std::array<std::int32_t, int_operators> int_reference(std::int32_t sa, std::int32_t sb) {
    const auto a = std::uint32_t(sa), b = std::uint32_t(sb);
    const std::uint64_t product = std::uint64_t{a} * 0xD2511F53u;
    const std::array<std::uint32_t, int_operators> r{a + b,
                                                     a - b,
                                                     a & b,
                                                     a | b,
                                                     a ^ b,
                                                     ~a,
                                                     a << 7,
                                                     sa < sb ? ~0u : 0u,
                                                     sa == sb ? ~0u : 0u,
                                                     sa != sb ? ~0u : 0u,
                                                     a >> 9,
                                                     std::uint32_t(product >> 32),
                                                     std::uint32_t(product),
                                                     a * b,
                                                     sa < sb ? a : b,
                                                     sa == sb ? a : b,
                                                     sa != sb ? a : b,
                                                     sa < sb ? a : b,
                                                     a & 1 ? b : a};
    std::array<std::int32_t, int_operators> answer;
    for (std::size_t k = 0; k < int_operators; ++k) answer[k] = std::int32_t(r[k]);
    return answer;
}
constexpr const char* int_names[int_operators] = {"+",
                                                  "-",
                                                  "&",
                                                  "|",
                                                  "^",
                                                  "~",
                                                  "<<",
                                                  "< mask",
                                                  "== mask",
                                                  "!=",
                                                  "logical >> ",
                                                  "multiply_high",
                                                  "multiply_low",
                                                  "multiply_low of both",
                                                  "select < ",
                                                  "select ==",
                                                  "select !=",
                                                  "select mask",
                                                  "select bit"};

using float_table = std::array<std::array<float, float_operators>, count>;
using int_table = std::array<std::array<std::int32_t, int_operators>, count>;

struct float_pass {
    template <int N>
    static RIFFLE_INLINE void run(const columns& c, float_table* const& out) noexcept {
        for (std::size_t i = 0; i < count; i += N) {
            const auto r = float_results(lanes<N>::load(&c.a[i]), lanes<N>::load(&c.b[i]));
            for (std::size_t k = 0; k < float_operators; ++k)
                for (int lane = 0; lane < N; ++lane) (*out)[i + std::size_t(lane)][k] = r[k][lane];
        }
    }
};
struct int_pass {
    template <int N>
    static RIFFLE_INLINE void run(const columns& c, int_table* const& out) noexcept {
        for (std::size_t i = 0; i < count; i += N) {
            const auto r = int_results(as_bits(lanes<N>::load(&c.a[i])), as_bits(lanes<N>::load(&c.b[i])));
            for (std::size_t k = 0; k < int_operators; ++k)
                for (int lane = 0; lane < N; ++lane) (*out)[i + std::size_t(lane)][k] = r[k][lane];
        }
    }
};

void expect_floats(const columns& c, const float_table& table) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto expected = float_reference(c.a[i], c.b[i]);
        for (std::size_t k = 0; k < float_operators; ++k) {
            const bool any_nan = k < 3 && std::isnan(expected[k]) && std::isnan(table[i][k]);
            if (!any_nan && bits_of(expected[k]) != bits_of(table[i][k]))
                ADD_FAILURE() << float_names[k] << " of " << c.a[i] << " and " << c.b[i] << " is " << table[i][k];
        }
    }
}
void expect_ints(const columns& c, const int_table& table) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto a = std::bit_cast<std::int32_t>(c.a[i]), b = std::bit_cast<std::int32_t>(c.b[i]);
        const auto expected = int_reference(a, b);
        for (std::size_t k = 0; k < int_operators; ++k)
            if (expected[k] != table[i][k])
                ADD_FAILURE() << int_names[k] << " of " << a << " and " << b << " is " << table[i][k];
    }
}

template <int N>
void expect_operators() {
    SCOPED_TRACE(N);
    const columns c = floats();
    const auto table = std::make_unique<float_table>();
    float_pass::run<N>(c, table.get());
    expect_floats(c, *table);
    const auto whole = std::make_unique<int_table>();
    int_pass::run<N>(c, whole.get());
    expect_ints(c, *whole);
}

struct others_pass {
    template <int N>
    static RIFFLE_INLINE void run() noexcept;
};
template <int N>
RIFFLE_INLINE void others_pass::run() noexcept {
    using V = lanes<N>;
    using I = int_lanes<N>;

    const V zero, repeated(2.5f);
    const I zero_int, repeated_int(-7), ascending = I::iota();
    for (int lane = 0; lane < N; ++lane) {
        EXPECT_EQ(bits_of(zero[lane]), 0u);
        EXPECT_EQ(repeated[lane], 2.5f);
        EXPECT_EQ(zero_int[lane], 0);
        EXPECT_EQ(repeated_int[lane], -7);
        EXPECT_EQ(ascending[lane], lane);
    }
    // A value in all lanes is made by arithmetic: it must keep the sign of zero and the bits of all others.
    for (const float value : {-0.0f, 0x1p-149f, -0x1p-140f, std::numeric_limits<float>::infinity(), 0x1.fffffep127f})
        for (int lane = 0; lane < N; ++lane) EXPECT_EQ(bits_of(V(value)[lane]), bits_of(value)) << value;
    for (const std::int32_t value :
         {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), 0, -1})
        for (int lane = 0; lane < N; ++lane) EXPECT_EQ(I(value)[lane], value);

    // Memory of any alignment, and not a byte beyond.
    alignas(64) std::array<float, 3 * 16 + 2> memory;
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = float(i);
    for (std::size_t from = 0; from < 17; ++from) {
        const V loaded = V::load(&memory[from]);
        for (int lane = 0; lane < N; ++lane) EXPECT_EQ(loaded[lane], float(from) + float(lane));
    }
    std::array<float, 3 * 16 + 2> target{};
    V::load(memory.data() + 1).store(target.data() + 5);
    for (std::size_t i = 0; i < target.size(); ++i)
        EXPECT_EQ(target[i], i >= 5 && i < 5 + std::size_t(N) ? float(i - 4) : 0.0f);

    integers random(2);
    for (int round = 0; round < 200; ++round) {
        std::array<float, N> a;
        for (auto& x : a) x = std::ldexp(random.real(-8, 8), int(random.below(27)));
        const V v = V::load(a.data());
        const I whole = truncate(v);
        float greatest = a[0];
        for (int lane = 0; lane < N; ++lane) {
            EXPECT_EQ(whole[lane], std::int32_t(a[std::size_t(lane)]));
            EXPECT_EQ(V::from_int(whole)[lane], float(std::int32_t(a[std::size_t(lane)])));
            greatest = std::max(greatest, a[std::size_t(lane)]);
        }
        EXPECT_EQ(reduce_max(v), greatest);
    }

    EXPECT_FALSE(any(I(0)));
    for (int lane = 0; lane < N; ++lane) EXPECT_TRUE(any(I(I::iota() == I(lane)))) << lane;

    V assigned;
    assigned = repeated;
    const V copied(assigned);
    EXPECT_EQ(copied[N - 1], 2.5f);
}

TEST(RIFFLE_TESTS_LANES, OperatorsAreThoseOfScalars) {
    expect_operators<1>();
    expect_operators<4>();
#if !RIFFLE_VECTORS
    expect_operators<8>();
    expect_operators<16>();
#endif
}

TEST(RIFFLE_TESTS_LANES, OperatorsAreThoseOfScalarsInPasses) {
    const columns c = floats();
    const auto table = std::make_unique<float_table>();
    const auto whole = std::make_unique<int_table>();
    at_every_width([&](int) {
        wide::run<float_pass>(c, table.get());
        expect_floats(c, *table);
        wide::run<int_pass>(c, whole.get());
        expect_ints(c, *whole);
    });
}

TEST(RIFFLE_TESTS_LANES, LoadStoreConvertReduce) {
    others_pass::run<1>();
    at_every_width([](int) { wide::run<others_pass>(); });
#if !RIFFLE_VECTORS
    others_pass::run<8>();
    others_pass::run<16>();
#endif
}

// max keeps what is there when the new value is NaN, if the new value comes first: passes rely on it.
TEST(RIFFLE_TESTS_LANES, MinAndMaxAnswerTheSecondWhereOneIsNaN) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const lanes<4> number(3.0f), not_a_number(nan);
    EXPECT_EQ(greater_of(not_a_number, number)[0], 3.0f);
    EXPECT_EQ(lesser_of(not_a_number, number)[0], 3.0f);
    EXPECT_TRUE(std::isnan(greater_of(number, not_a_number)[0]));
    EXPECT_TRUE(std::isnan(lesser_of(number, not_a_number)[0]));
    EXPECT_EQ(bits_of(greater_of(lanes<4>(0.0f), lanes<4>(-0.0f))[3]), bits_of(-0.0f));
    EXPECT_EQ(bits_of(lesser_of(lanes<4>(-0.0f), lanes<4>(0.0f))[3]), bits_of(0.0f));
}

}  // namespace
