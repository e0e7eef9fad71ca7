#include "samplers/single.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

static_assert(facts_of<encoder_repetition>() == facts{.edits = true});

TEST(EncoderRepetition, AgreesWithTheReference) {
    expect_stage_agrees(variants_of<encoder_repetition>(), sizes_of_a_thousand);
}
TEST(EncoderRepetition, AgreesWithTheReferenceOnLongRows) {
    expect_stage_agrees_on_long_rows(variants_of<encoder_repetition>());
}

TEST(EncoderRepetition, FavoursTheTokensOfASource) {
    const std::vector<float> row{4.0f, -4.0f, 0.0f, -infinity, 4.0f, -4.0f};
    const token_set source{0, 1, 2, 3, 1, 0, 900};
    EXPECT_EQ(logits_after(encoder_repetition{2.0f, source}, row),
              (std::vector<float>{8.0f, -2.0f, 0.0f, -infinity, 4.0f, -4.0f}));
    EXPECT_EQ(logits_after(encoder_repetition{0.5f, source}, row),
              (std::vector<float>{2.0f, -8.0f, 0.0f, -infinity, 4.0f, -4.0f}));
    EXPECT_EQ(logits_after(encoder_repetition{1.0f, source}, row), row);
    EXPECT_EQ(logits_after(encoder_repetition{2.0f, {}}, row), row);
}
TEST(EncoderRepetition, DoesNotLookAtTheHistory) {
    auto c = encoder_repetition{.penalty = 2.0f, .tokens = {1}} | greedy{};
    const std::vector<float> row{3.0f, 2.0f};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(c.sample(row), 1);
}
}  // namespace
}  // namespace riffle_tests
