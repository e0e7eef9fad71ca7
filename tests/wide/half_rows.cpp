#include <bit>
#include <cstring>
#include <vector>

#include <riffle/wide/half_rows.hpp>
#include <riffle/wide/max.hpp>

#include "half_floats.hpp"
#include "rows.hpp"

namespace riffle_tests::wide_half_rows {
namespace {

using namespace riffle;
using namespace riffle_tests;

/// A row of 16-bit logits and the row of floats that they are, each with its memory.
template <class Half>
struct two_rows {
    explicit two_rows(std::vector<Half> of) : halves(std::move(of)), values(values_of<Half>(halves)) {
        const std::size_t blocks = block_count(halves.size());
        for (memory* const m : {&of_halves, &of_values}) {
            m->blocks.resize(blocks);
            m->copies.resize(blocks * block_size);
            m->edits.resize(1);
        }
        of_halves.r.assign(halves, of_halves.blocks.data(), of_halves.copies.data(), of_halves.edits.data());
        of_values.r.assign(values, of_values.blocks.data(), of_values.copies.data(), of_values.edits.data());
    }
    /// Does something to both.
    template <class Change>
    void change(Change change) {
        change(of_halves.r);
        change(of_values.r);
    }
    void expect_equal_blocks() {
        for (std::size_t b = 0; b < of_values.r.blocks(); ++b) {
            const float* const is = of_halves.r.block(b);
            const float* const expected = of_values.r.block(b);
            for (std::size_t i = 0; i < block_size; ++i)
                ASSERT_TRUE(is_same_float(is[i], expected[i])) << "block " << b << ", logit " << i;
        }
        for (std::size_t id = 0; id < halves.size(); ++id)
            ASSERT_TRUE(is_same_float(of_halves.r.logit(id), of_values.r.logit(id))) << id;
    }
    void expect_equal_maxima() {
        const std::size_t blocks = of_values.r.blocks(), groups = wide::group_count(of_values.r);
        std::vector<float> maxima(blocks, 99.0f), expected_maxima(blocks), of_groups(groups), expected_groups(groups);
        for (const bool with_groups : {false, true}) {
            const auto found = wide::find_max(of_halves.r, maxima.data(), with_groups ? of_groups.data() : nullptr);
            const auto expected =
                wide::find_max(of_values.r, expected_maxima.data(), with_groups ? expected_groups.data() : nullptr);
            ASSERT_EQ(found.logit, expected.logit);
            ASSERT_EQ(found.saw_nan, expected.saw_nan);
            ASSERT_EQ(maxima, expected_maxima);
            ASSERT_EQ(of_groups, expected_groups);
        }
    }

    std::vector<Half> halves;
    std::vector<float> values;
    struct memory {
        std::vector<const float*> blocks;
        std::vector<float> copies;
        std::vector<detail::kept_edits> edits;
        detail::row r;
    } of_halves, of_values;
};

/// Bits without meaning, in which everything occurs; without NaN on demand.
template <class Half>
std::vector<Half> any_bits(std::size_t size, std::uint64_t seed, bool with_nan) {
    integers random(seed);
    std::vector<Half> row(size);
    for (auto& logit : row) do {
            logit.bits = std::uint16_t(random.next());
        } while (!with_nan && float(logit) != float(logit));
    return row;
}

template <class Half>
void each_half_row(void (*f)(two_rows<Half>&)) {
    const auto call = [&](std::vector<Half> row) {
        two_rows<Half> rows(std::move(row));
        at_every_width([&](int) {
            two_rows<Half> fresh(rows.halves);
            f(fresh);
        });
    };
    for (const auto which : families)
        for (const std::size_t size : sizes) {
            SCOPED_TRACE(testing::Message() << family_names[std::size_t(which)] << ", " << size << " logits");
            call(narrowed<Half>(logits_of(which, size)));
        }
    for (const bool with_nan : {false, true}) {
        SCOPED_TRACE("any bits");
        call(any_bits<Half>(5000, 1, with_nan));
        call(any_bits<Half>(262144, 2, with_nan));
    }
    SCOPED_TRACE("every half");
    call(every_half<Half>());
}

template <class Half>
struct HalfRow : testing::Test {};
using halves = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(HalfRow, halves);

TYPED_TEST(HalfRow, BlocksAreThoseOfTheFloats) {
    each_half_row<TypeParam>([](two_rows<TypeParam>& rows) { rows.expect_equal_blocks(); });
}
TYPED_TEST(HalfRow, MaximaAreThoseOfTheFloats) {
    each_half_row<TypeParam>([](two_rows<TypeParam>& rows) { rows.expect_equal_maxima(); });
}
TYPED_TEST(HalfRow, EditsAreSeen) {
    each_half_row<TypeParam>([](two_rows<TypeParam>& rows) {
        constexpr float others[] = {50.0f, -inf, -50.0f, inf, 0.0f, not_a_number};
        std::size_t i = 0;
        for (std::size_t id = 7; id < rows.values.size(); id += 131 + i % 50)
            rows.change([&, to = others[i++ % std::size(others)]](detail::row& r) { r.at(id) = to; });
        rows.expect_equal_blocks();
        rows.expect_equal_maxima();
        rows.change([](detail::row& r) {
            for (std::size_t b = 0; b < r.blocks(); b += 3) r.own(b)[5] = 3.0f;
            for (std::size_t b = 1; b < r.blocks(); b += 5) r.hide(b);
        });
        rows.expect_equal_blocks();
        rows.expect_equal_maxima();
    });
}

// A NaN at any place, of either sign, is seen, and hides nothing beside it.
TYPED_TEST(HalfRow, NaNIsSeenAtEveryPlace) {
    const auto nan_of = [](std::uint16_t sign, bool quiet) {
        TypeParam x = narrowed<TypeParam>(not_a_number);
        x.bits = std::uint16_t((quiet ? x.bits & 0x7fff : wide::infinity_of<TypeParam> + 1) | sign);
        return x;
    };
    for (std::size_t at = 0; at < 300; ++at)
        for (const auto nan : {nan_of(0, true), nan_of(0x8000, true), nan_of(0, false), nan_of(0x8000, false)}) {
            std::vector<TypeParam> logits(300, narrowed<TypeParam>(at % 2 ? -inf : -3.0f));
            logits[(at + 1) % 300] = narrowed<TypeParam>(7.0f);
            logits[at] = nan;
            two_rows<TypeParam> rows(logits);
            at_every_width([&](int) {
                float block_maxima[2];
                const auto found = wide::find_max(rows.of_halves.r, block_maxima);
                ASSERT_TRUE(found.saw_nan) << at;
                ASSERT_EQ(found.logit, 7.0f) << at;
            });
        }
}

}  // namespace
}  // namespace riffle_tests::wide_half_rows
