// What is kept between tokens: marks, resets, and copies, which are llama.cpp's clones.

#include "exact/forms.hpp"

namespace riffle_tests::exact_states {
namespace {

/// Steps of one sampler, each over the same eight logits.
template <class Spec>
class run {
public:
    using form = exact::form<Spec>;
    explicit run(const Spec& spec) : spec_(spec), state(spec) {}

    std::pair<token_id, std::size_t> step() {
        bench b({0.5f, 1.0f, 0.25f, 2.0f, 1.5f, 0.0f, -1.0f, 1.75f});
        EXPECT_EQ(b.apply(spec_, state), status_code::ok);
        if constexpr (requires { form::accept(spec_, state, b.chosen()); }) form::accept(spec_, state, b.chosen());
        return {b.chosen(), b.c.size};
    }
    auto steps(int count) {
        std::vector<std::pair<token_id, std::size_t>> all;
        while (count-- > 0) all.push_back(step());
        return all;
    }
    void reset() { form::reset(spec_, state); }
    void restore(const typename form::mark& m) { form::restore(spec_, state, m); }

private:
    Spec spec_;

public:
    typename form::state state;
};

template <class Spec>
class ExactStates : public testing::Test {};
template <class Spec>
Spec drawing() {
    if constexpr (std::is_same_v<Spec, adaptive_p>) return {.target = 0.3f, .decay = 0.9f, .seed = 3};
    else if constexpr (std::is_same_v<Spec, mirostat>)
        return {.tau = 3.0f, .eta = 0.2f, .m = 100, .n_vocab = 8, .seed = 3};
    else {
        Spec spec;
        spec.seed = 3;
        return spec;
    }
}
using stateful = testing::Types<dist, xtc, mirostat, mirostat_v2, adaptive_p>;
TYPED_TEST_SUITE(ExactStates, stateful);

TYPED_TEST(ExactStates, ComeBackToAMark) {
    using form = exact::form<TypeParam>;
    static_assert(std::is_trivially_copyable_v<typename form::mark>);
    for (const int before : {0, 1, 5, 311, 312, 313, 700}) {
        run<TypeParam> r(drawing<TypeParam>());
        r.steps(before);
        const auto mark = form::save(r.state);
        const auto expected = r.steps(400);
        r.restore(mark);
        EXPECT_EQ(r.steps(400), expected) << before;
        r.restore(mark);
        EXPECT_EQ(r.steps(3), (std::vector<std::pair<token_id, std::size_t>>(expected.begin(), expected.begin() + 3)));
    }
}
TYPED_TEST(ExactStates, StartAnewAfterReset) {
    run<TypeParam> r(drawing<TypeParam>());
    const auto expected = r.steps(20);
    r.reset();
    EXPECT_EQ(r.steps(20), expected);
}
TYPED_TEST(ExactStates, MoveWithEverything) {
    run<TypeParam> r(drawing<TypeParam>()), same(drawing<TypeParam>());
    r.steps(9), same.steps(9);
    auto moved = std::move(r.state);
    r.state = std::move(moved);
    EXPECT_EQ(r.steps(20), same.steps(20));
}
TYPED_TEST(ExactStates, CopyAsThePeerClones) {
    run<TypeParam> r(drawing<TypeParam>()), copy(drawing<TypeParam>()), fresh(drawing<TypeParam>());
    r.steps(9);
    copy.state = r.state;
    if constexpr (std::is_same_v<TypeParam, adaptive_p>) {
        EXPECT_EQ(copy.state.random.words(), 0u);
        EXPECT_EQ(copy.state.sum, r.state.sum);
        EXPECT_EQ(copy.state.weight, r.state.weight);
    } else {
        EXPECT_EQ(copy.steps(20), r.steps(20));
    }
}
TEST(ExactStates, ACopyOfAdaptivePDoesNotKnowWhatThePendingTokenWasWorth) {
    using form = exact::form<adaptive_p>;
    const adaptive_p spec = drawing<adaptive_p>();
    form::state original(spec);
    bench b({1.0f, 2.0f, 3.0f});
    ASSERT_EQ(b.apply(spec, original), status_code::ok);
    form::state copy = original, other = original;
    form::accept(spec, copy, b.chosen());
    EXPECT_EQ(copy.weight, other.weight);
    form::state moved = std::move(original);
    form::accept(spec, moved, b.chosen());
    EXPECT_EQ(moved.weight, 1.0f + 0.9f * (1.0f / (1.0f - 0.9f)));
    form::accept(spec, moved, b.chosen());  // was forgotten
    EXPECT_EQ(moved.weight, 1.0f + 0.9f * (1.0f / (1.0f - 0.9f)));
}
TEST(ExactStates, AnotherTokenThanTheDrawnTeachesAdaptivePNothing) {
    using form = exact::form<adaptive_p>;
    const adaptive_p spec = drawing<adaptive_p>();
    form::state s(spec), untouched(spec);
    bench b({1.0f, 2.0f, 3.0f});
    ASSERT_EQ(b.apply(spec, s), status_code::ok);
    form::accept(spec, s, b.chosen() == 0 ? 1 : 0);
    form::accept(spec, s, b.chosen());
    EXPECT_EQ(s.weight, untouched.weight);
    EXPECT_EQ(s.sum, untouched.sum);
}

}  // namespace
}  // namespace riffle_tests::exact_states
