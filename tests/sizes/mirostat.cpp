// mirostat looks at the m first in rank and is told the size of the vocabulary: it is a selector, so it stands alone.

#include <cstddef>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_mirostat {
namespace {

using namespace riffle;

void expect_agreement_of(const mirostat& stage, std::span<const float> row) {
    reference::model model{{stage}, {}};
    auto typed = chain(stage);
    dynamic_chain made_at_run_time;
    made_at_run_time.push(stage);
    any_pipeline erased = typed;
    if (!typed.check(row.size()).ok()) {
        EXPECT_EQ(typed.sample(row), null_token);
        EXPECT_EQ(typed.last_status().code(), status_code::invalid_parameter);
        EXPECT_EQ(made_at_run_time.sample(row), null_token);
        return;
    }
    expect_chain_agreement(typed, model, row, "typed");
    expect_chain_agreement(made_at_run_time, model = {{stage}, {}}, row, "made at run time");
    expect_chain_agreement(erased, model = {{stage}, {}}, row, "erased");
}

TEST(SizesOfMirostat, HowManyItLooksAt) {
    for (const shape s : {shape::random, shape::equal})
        for (const auto m : numbers_around<std::int32_t>(300))
            expect_agreement_of({.m = m, .n_vocab = 300}, make_row(s, 300, 1));
    for (const auto m : {4999, 5000, 5001, 1 << 29, 1 << 30, (std::numeric_limits<std::int32_t>::max)()})
        expect_agreement_of({.m = m, .n_vocab = 5000}, make_row(shape::random, 5000, 1));
}
TEST(SizesOfMirostat, TheVocabulary) {
    for (const shape s : {shape::random, shape::equal})
        for (const auto n : numbers_around<std::int32_t>(300)) expect_agreement_of({.n_vocab = n}, make_row(s, 300, 1));
}

}  // namespace
}  // namespace riffle_tests::sizes_mirostat
