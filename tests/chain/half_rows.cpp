// Rows of 16-bit logits: whatever a chain does with one is what it does with the row of the floats that they are.

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "chain/random_stages.hpp"
#include "half_floats.hpp"
#include "lane_widths.hpp"
#include "not_a_number.hpp"

namespace riffle_tests::chain_half_rows {
namespace {

using namespace riffle;

/// The halves of a row at an odd multiple of two bytes, with NaN around them.
template <class Half>
class surrounded {
public:
    explicit surrounded(const std::vector<Half>& row) : memory_(row.size() + 2, narrowed<Half>(not_a_number)) {
        std::copy(row.begin(), row.end(), memory_.begin() + 1);
    }
    logit_row row() const { return {memory_.data() + 1, memory_.size() - 2}; }

private:
    std::vector<Half> memory_;
};

void expect_equal(std::span<const token_data> is, std::span<const token_data> expected) {
    ASSERT_EQ(is.size(), expected.size());
    for (std::size_t i = 0; i < is.size(); ++i) {
        ASSERT_EQ(is[i].id, expected[i].id);
        ASSERT_EQ(is[i].logit, expected[i].logit);
        ASSERT_EQ(is[i].p, expected[i].p);
    }
}

/// One chain twice: of the halves, and of their floats.
template <class Chain, class Half>
void expect_equal_steps(const Chain& chain, const std::vector<Half>& halves, std::size_t steps) {
    Chain of_halves = chain, of_values = chain;
    const surrounded<Half> row(halves);
    const std::vector<float> values = values_of<Half>(halves);
    for (std::size_t i = 0; i < steps; ++i) {
        expect_equal(of_halves.distribution(row.row()), of_values.distribution(values));
        const weighed law = of_halves.weigh(row.row()), expected = of_values.weigh(values);
        ASSERT_EQ(law.total(), expected.total());
        for (token_id t = 0; std::size_t(t) < values.size(); t += 1 + t / 7)
            ASSERT_EQ(law.weight(t), expected.weight(t)) << t;
        for (const auto when : {before, after}) {
            const auto some = of_halves.logprobs(row.row(), 5, when), as_many = of_values.logprobs(values, 5, when);
            ASSERT_EQ(some.size(), as_many.size());
            for (std::size_t t = 0; t < some.size(); ++t) ASSERT_EQ(some[t].logprob, as_many[t].logprob);
        }
        ASSERT_EQ(of_halves.peek(row.row()), of_values.peek(values));
        ASSERT_EQ(of_halves.sample(row.row()), of_values.sample(values));
        expect_equal(of_halves.survivors(), of_values.survivors());
        ASSERT_EQ(of_halves.last_status().code(), of_values.last_status().code());
        ASSERT_EQ(of_halves.last_status().saw_nan(), of_values.last_status().saw_nan());
        ASSERT_EQ(of_halves.last_status().saw_infinity(), of_values.last_status().saw_infinity());
    }
}

template <class Half>
void expect_random_chains_agree(std::uint64_t seed, std::size_t chains, std::span<const std::size_t> sizes) {
    random_integers random(seed);
    for (std::size_t n = 0; n < chains; ++n) {
        dynamic_chain c;
        for (std::size_t i = random.below(6); i > 0; --i) push_to(c, random_stage(random));
        push_to(c, random_selector(random));
        const shape s = all_shapes[random.below(all_shapes.size())];
        const auto row = narrowed<Half>(make_row(s, sizes[random.below(sizes.size())], random.next()));
        SCOPED_TRACE("chain " + std::to_string(n) + ", " + name_of(s));
        expect_equal_steps(c, row, 2);
        if (testing::Test::HasFatalFailure()) return;
    }
}

template <class Half>
struct HalfRows : testing::Test {};
using halves = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(HalfRows, halves);

TYPED_TEST(HalfRows, RandomChainsOnShortRows) {
    expect_random_chains_agree<TypeParam>(1, how_many(1000, 200000, "random chains"), short_sizes);
}
TYPED_TEST(HalfRows, RandomChainsOnLongRows) {
    constexpr std::array<std::size_t, 5> sizes{4096, 5000, 8191, 32000, 65537};
    at_every_width([&](int width) {
        expect_random_chains_agree<TypeParam>(std::uint64_t(width), how_many(40, 5000, "random chains"), sizes);
    });
}
TYPED_TEST(HalfRows, AQuarterMillionLogits) {
    constexpr std::array<std::size_t, 1> sizes{262144};
    expect_random_chains_agree<TypeParam>(3, how_many(2, 200, "random chains"), sizes);
}

auto everything_at_once() {
    return chain(logit_bias{{{3, 2.0f}, {70, -5.0f}, {700, illegal_logit}}}, top_k{.k = 40}, top_p{.p = 0.9f},
                 min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 7});
}
TYPED_TEST(HalfRows, ChainsOfTypes) {
    for (const shape s : all_shapes)
        for (const std::size_t size : {std::size_t{1}, std::size_t{17}, std::size_t{256}, std::size_t{5000}}) {
            const auto row = narrowed<TypeParam>(make_row(s, size, size));
            SCOPED_TRACE(testing::Message() << name_of(s) << ", " << size);
            expect_equal_steps(everything_at_once(), row, 2);
            expect_equal_steps(chain(greedy{}), row, 1);
            expect_equal_steps(chain(temperature{.t = 0.7f}, gumbel{.seed = 1}), row, 2);
        }
}
TYPED_TEST(HalfRows, FastNumericsToo) {
    for (const shape s : all_shapes) {
        const auto row = narrowed<TypeParam>(make_row(s, 3000, 5));
        SCOPED_TRACE(name_of(s));
        expect_equal_steps(chain<fast>(top_p{.p = 0.9f}, dist{.seed = 7}), row, 2);
    }
}

// What turns into a row of logits.
TEST(LogitRow, IsMadeOfWhatHasLogitsSideBySide) {
    auto c = chain(greedy{});
    const float16 array[] = {{0x3c00}, {0x4000}, {0x3800}};
    const std::array<bfloat16, 3> of_bfloat16{{{0x3f80}, {0x4000}, {0x3f00}}};
    const std::vector<float16> in_vector(array, array + 3);
    EXPECT_EQ(c.sample(array), 1);
    EXPECT_EQ(c.sample(of_bfloat16), 1);
    EXPECT_EQ(c.sample(in_vector), 1);
    EXPECT_EQ(c.sample(std::span(in_vector).first(1)), 0);
    EXPECT_EQ(c.sample({in_vector.data() + 1, 2}), 0);
    const std::uint16_t words[] = {0x3c00, 0x4000, 0x3800};
    EXPECT_EQ(c.sample({reinterpret_cast<const float16*>(words), 3}), 1);
    const logit_row row(in_vector);
    EXPECT_EQ(row.size(), 3u);
    EXPECT_EQ(row[2], 0.5f);
    EXPECT_EQ(row.format(), logit_format::float16);
    EXPECT_EQ(bytes_of(row.format()), 2u);
    EXPECT_EQ(row.part(1, 2)[0], 2.0f);
    EXPECT_EQ(row.floats(), nullptr);
    EXPECT_TRUE(logit_row(std::vector<float16>()).empty());
    EXPECT_EQ(c.sample(logit_row(static_cast<const float16*>(nullptr), 0)), null_token);
    EXPECT_EQ(c.last_status().code(), status_code::empty_row);
}
struct turns_into_floats {
    std::vector<float> logits{1.0f, 3.0f};
    operator std::span<const float>() const { return logits; }
};
TEST(LogitRow, IsMadeOfWhatTurnsIntoASpanOfFloats) {
    auto c = chain(greedy{});
    EXPECT_EQ(c.sample(turns_into_floats()), 1);
}

}  // namespace
}  // namespace riffle_tests::chain_half_rows
