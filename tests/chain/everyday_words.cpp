// A program with everyday words of its own: `using namespace riffle::stages;` makes none of them ambiguous.

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/riffle.hpp>

namespace program {

struct row {};
struct text {};
struct status {};
struct context {};
struct plan {};
struct stage {};
struct result {};
struct step {};
struct choice {};
struct history {};
struct batch {};
struct error {};
struct pass {};
struct option {};
struct storage {};
struct scratch {};
struct sentence {};
struct facts {};
struct parsed {};
struct checkpoint {};
struct draws {};
struct policies {};
struct vocabulary {};
struct grammar {};
struct fate {};
struct candidates {};
struct lanes {};
inline int select(int i) { return i; }
inline int rounded(int i) { return i; }
inline int any(int i) { return i; }
inline int explain(int i) { return i; }

}  // namespace program

namespace {

using namespace program;
using namespace riffle::stages;

TEST(EverydayWords, AreTheProgramsOwn) {
    [[maybe_unused]] const auto all =
        std::tuple<row, text, status, context, plan, stage, result, step, choice, history, batch, error, pass, option,
                   storage, scratch, sentence, facts, parsed, checkpoint, draws, policies, vocabulary, grammar, fate,
                   candidates, lanes>();
    EXPECT_EQ(select(1) + rounded(1) + any(1) + explain(1), 4);
}
TEST(EverydayWords, LeaveChainsTheirs) {
    std::vector<float> logits(1000, 0.0f);
    logits[7] = 9.0f;
    auto usual =
        penalties{.repeat = 1.1f} | top_k{.k = 40} | top_p{.p = 0.9f} | temperature{.t = 0.8f} | dist{.seed = 1};
    get<top_k>(usual).k = 1;
    const token_id token = usual.sample(logits);
    EXPECT_EQ(token, 7);
    EXPECT_NE(token, null_token);
    auto quick = with<fast>(chain(min_p{.p = 0.5f}, greedy{}));
    EXPECT_EQ(quick.sample(logits), 7);
    any_pipeline either = usual;
    dynamic_chain late;
    late.push(mask{.words = std::vector<std::uint32_t>(32, 2)});
    late.push(greedy{});
    EXPECT_EQ(either.peek(logits), 7);
    EXPECT_EQ(late.sample(logits), 1);
    static_assert(std::is_same_v<constrain<riffle::grammar_matcher>, riffle::constrain<riffle::grammar_matcher>>);
}

}  // namespace
