// The cases of llama.cpp's own tests/test-sampling.cpp, as values: p ahead, what p is behind the sampler and a draw.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "exact/forms.hpp"

namespace riffle_tests::exact_samplers {
namespace {

template <class Spec>
void expect_after(const Spec& spec, std::initializer_list<float> p, std::initializer_list<double> expected) {
    bench b = bench::of_probabilities(p);
    ASSERT_EQ(b.apply(spec), status_code::ok);
    ASSERT_EQ(b.apply(dist{}), status_code::ok);
    expect_p(b, expected);
}
template <class Spec>
void expect_after(const Spec& spec, std::initializer_list<double> expected) {
    expect_after(spec, {0.1f, 0.2f, 0.3f, 0.4f}, expected);
}

TEST(ExactSamplers, Temperature) {
    expect_after(temperature{.t = 1.0f}, {0.1, 0.2, 0.3, 0.4});
    expect_after(temperature{.t = 0.0f}, {0.0, 0.0, 0.0, 1.0});
}
TEST(ExactSamplers, DynamicTemperature) {
    expect_after(dynamic_temperature{.t = 1.0f, .range = 0.0f, .exponent = 1.0f}, {0.1, 0.2, 0.3, 0.4});
    expect_after(dynamic_temperature{.t = 0.0f, .range = 0.0f, .exponent = 1.0f}, {0.0, 0.0, 0.0, 1.0});
}
TEST(ExactSamplers, TopK) {
    expect_after(top_k{.k = 1}, {1.0});
    expect_after(top_k{.k = 3}, {0.44444, 0.33333, 0.22222});
    expect_after(top_k{.k = 4}, {0.4, 0.3, 0.2, 0.1});
    expect_after(top_k{.k = 0}, {0.1, 0.2, 0.3, 0.4});
}
TEST(ExactSamplers, TopP) {
    expect_after(top_p{.p = 0.0f}, {1.0});
    expect_after(top_p{.p = 0.7f}, {0.571429, 0.428571});
    expect_after(top_p{.p = 0.8f}, {0.44444, 0.33333, 0.22222});
    expect_after(top_p{.p = 1.0f}, {0.1, 0.2, 0.3, 0.4});
}
TEST(ExactSamplers, MinP) {
    for (const float p : {0.0f, 0.24f}) expect_after(min_p{.p = p}, {0.1, 0.2, 0.3, 0.4});
    for (const float p : {0.26f, 0.49f}) expect_after(min_p{.p = p}, {0.2 / 0.9, 0.3 / 0.9, 0.4 / 0.9});
    for (const float p : {0.51f, 0.74f}) expect_after(min_p{.p = p}, {0.3 / 0.7, 0.4 / 0.7});
    for (const float p : {0.76f, 1.0f, 1.05f}) expect_after(min_p{.p = p}, {1.0});
}
TEST(ExactSamplers, Xtc) {
    const auto expect = [](float threshold, std::initializer_list<double> expected) {
        bench b = bench::of_probabilities({0.4f, 0.3f, 0.2f, 0.1f});
        ASSERT_EQ(b.apply(xtc{.probability = 0.99f, .threshold = threshold}), status_code::ok);
        expect_p(b, expected);
    };
    expect(0.09f, {0.1});
    expect(0.19f, {0.2, 0.1});
    expect(0.29f, {0.3, 0.2, 0.1});
    expect(0.39f, {0.4, 0.3, 0.2, 0.1});
}
// llama.cpp has no such parameter; what stays, stays in its order.
TEST(ExactSamplers, XtcLeavesWhatIsExempt) {
    bench b = bench::of_probabilities({0.4f, 0.3f, 0.2f, 0.1f});
    ASSERT_EQ(b.apply(xtc{.probability = 0.99f, .threshold = 0.09f, .exempt = {0, 2}}), status_code::ok);
    expect_p(b, {0.4, 0.2, 0.1});
    bench few = bench::of_probabilities({0.4f, 0.3f, 0.2f, 0.1f});
    ASSERT_EQ(few.apply(xtc{.probability = 0.99f, .threshold = 0.09f, .min_keep = 3, .exempt = {1}}), status_code::ok);
    expect_p(few, {0.4, 0.3, 0.2, 0.1});
}
TEST(ExactSamplers, Typical) {
    bench peaked = bench::of_probabilities({0.97f, 0.01f, 0.01f, 0.01f});
    ASSERT_EQ(peaked.apply(typical{.p = 0.5f}), status_code::ok);
    expect_p(peaked, {0.97});
    bench flat = bench::of_probabilities({0.4f, 0.2f, 0.2f, 0.2f});
    ASSERT_EQ(flat.apply(typical{.p = 0.5f}), status_code::ok);
    expect_p(flat, {0.2, 0.2, 0.2});
    EXPECT_FALSE(flat.c.sorted);
}
TEST(ExactSamplers, Penalties) {
    const auto expect = [](penalties spec, std::initializer_list<token_id> said, std::initializer_list<double> p) {
        bench b = bench::of_probabilities({0.2f, 0.2f, 0.2f, 0.2f, 0.2f});
        b.say(said);
        spec.last_n = std::int32_t(said.size());
        ASSERT_EQ(b.apply(spec), status_code::ok);
        ASSERT_EQ(b.apply(dist{}), status_code::ok);
        expect_p(b, p);
    };
    const penalties repeating{.repeat = 50.0f};
    expect(repeating, {0}, {0, 0.25, 0.25, 0.25, 0.25});
    expect(repeating, {0, 1, 2}, {0, 0, 0, 0.5, 0.5});
    expect(repeating, {0, 1, 2, 0, 0}, {0, 0, 0, 0.5, 0.5});
    expect({.repeat = 50.0f, .exempt = {1}}, {0, 1, 2}, {0, 1.0 / 3, 0, 1.0 / 3, 1.0 / 3});
    const penalties frequent{.frequency = 5.0f, .presence = 5.0f};
    expect(frequent, {0}, {0.000011, 0.249997, 0.249997, 0.249997, 0.249997});
    expect(frequent, {0, 1, 2}, {0.000023, 0.000023, 0.000023, 0.499966, 0.499966});
    expect(frequent, {0, 1, 2, 0, 0}, {0, 0.000023, 0.000023, 0.499977, 0.499977});
}
TEST(ExactSamplers, Dry) {
    const auto expect = [](const dry& spec, std::initializer_list<token_id> said, std::initializer_list<double> p) {
        bench b(std::vector<float>(p.size(), std::log(1.0f / float(p.size()))));
        b.say(said);
        ASSERT_EQ(b.apply(spec), status_code::ok);
        ASSERT_EQ(b.apply(dist{}), status_code::ok);
        expect_p(b, p);
    };
    dry spec{.multiplier = 1.0f, .base = 1.1f, .allowed_length = 2, .last_n = 4, .breakers = {}};
    expect(spec, {0, 1}, {0.25, 0.25, 0.25, 0.25});
    spec.last_n = 5;
    expect(spec, {0, 1, 2, 0, 1}, {0.296923, 0.296923, 0.109232, 0.296923});
    spec.last_n = 6;
    spec.breakers = {{3}};
    expect(spec, {0, 1, 3, 4, 0, 1}, {0.2, 0.2, 0.2, 0.2, 0.2});
    spec = {.multiplier = 2.0f, .base = 1.1f, .allowed_length = 2, .last_n = 5, .breakers = {}};
    expect(spec, {0, 1, 2, 0, 1}, {0.241818, 0.241818, 0.032727, 0.241818, 0.241818});
    spec = {.multiplier = 1.0f, .base = 1.1f, .allowed_length = 4, .last_n = 7, .breakers = {}};
    expect(spec, {0, 1, 2, 3, 4, 0, 1}, {0.2, 0.2, 0.2, 0.2, 0.2});
}
TEST(ExactSamplers, TopNSigma) {
    expect_after(top_n_sigma{.n = 1.0f}, {0.0, 0.0, 0.428571, 0.571429});
    expect_after(top_n_sigma{.n = 0.0f}, {0.1, 0.2, 0.3, 0.4});
    expect_after(top_n_sigma{.n = 3.0f}, {0.1, 0.2, 0.3, 0.4});
}
TEST(ExactSamplers, ASingleCandidateCostsDistADraw) {
    const dist spec{.seed = 4242};
    exact::form<dist>::state one(spec), two(spec);
    bench single({0.5f}), pair({0.5f, 0.25f});
    ASSERT_EQ(single.apply(spec, one), status_code::ok);
    ASSERT_EQ(pair.apply(spec, two), status_code::ok);
    EXPECT_EQ(single.c[0].p, 1.0f);
    EXPECT_EQ(one.random.words(), 2u);
    EXPECT_EQ(two.random.words(), 2u);
    EXPECT_EQ(one.random(), two.random());
}
/// logit = log(id) for 10,000 ids: what is left is known in closed form, in any order of samplers.
TEST(ExactSamplers, QueuesOverTenThousand) {
    std::vector<float> logits;
    for (int id = 0; id < 10000; ++id) logits.push_back(std::log(float(id)));
    const auto run = [&](const std::string& queue) {
        bench b(logits);
        for (const char stage : queue) {
            const status_code done = stage == 'k'   ? b.apply(top_k{.k = 100})
                                     : stage == 'p' ? b.apply(top_p{.p = 0.8f})
                                                    : b.apply(min_p{.p = 0.1f});
            EXPECT_EQ(done, status_code::ok);
        }
        auto ids = b.ids();
        std::sort(ids.begin(), ids.end());
        for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], token_id(10000 - ids.size() + i)) << queue;
        return ids.size();
    };
    EXPECT_EQ(run("k"), 100u);
    EXPECT_EQ(run("m"), 9000u);  // from 999.9 on
    EXPECT_EQ(run("p"), 5528u);  // 10000 - 10000 * sqrt(0.2)
    for (const char* queue : {"kp", "kpm", "kmp", "mkp"}) EXPECT_EQ(run(queue), 80u) << queue;
    for (const char* queue : {"km", "mk", "pk", "pkm", "pmk", "mpk"}) EXPECT_EQ(run(queue), 100u) << queue;
    EXPECT_EQ(run("pm"), 5528u);
    EXPECT_EQ(run("mp"), 5440u);  // less: what min_p dropped counts no more
}
TEST(ExactSamplers, BiasesInPlaceAddUpAndElsewhereTheFirstCounts) {
    const logit_bias spec{.biases = {{1, 2.0f}, {1, 3.0f}, {7, 1.0f}, {-1, 1.0f}}};
    bench b({0.0f, 0.0f, 0.0f});
    ASSERT_EQ(b.apply(spec), status_code::ok);
    EXPECT_EQ(b.logits(), (std::vector<float>{0.0f, 5.0f, 0.0f}));
    bench moved({0.0f, 0.0f, 0.0f});
    std::swap(moved.c[1], moved.c[2]);
    moved.c.sorted = true;
    ASSERT_EQ(moved.apply(spec), status_code::ok);
    EXPECT_EQ(moved.logits(), (std::vector<float>{0.0f, 0.0f, 2.0f}));
    EXPECT_TRUE(moved.c.sorted);
}
TEST(ExactSamplers, InfillMergesPrefixesInPOnly) {
    vocabulary v = vocabulary_of({"hel", "hell", "hello", "dummy"});
    v.end_of_turn = v.add("<end>", token_role::end_of_generation | token_role::control);
    bench b = bench::of_probabilities({0.5f, 0.2f, 0.1f, 0.2f});
    const std::vector<float> logits = b.logits();
    ASSERT_EQ(b.apply(infill{.vocab = &v}), status_code::ok);
    EXPECT_EQ(b.ids(), (std::vector<token_id>{0}));
    expect_p(b, {1.0});
    EXPECT_EQ(b.c[0].logit, logits[0]);

    bench ending = bench::of_probabilities({0.1f, 0.1f, 0.1f, 0.1f, 0.6f});
    ASSERT_EQ(ending.apply(infill{.vocab = &v}), status_code::ok);
    EXPECT_EQ(ending.ids(), (std::vector<token_id>{4}));
    v = vocabulary_of({"a", "b", "c", "d", "e", "f"});
    v.end_of_sequence = 5;
    bench nothing(std::vector<float>(6, 0.0f));
    ASSERT_EQ(nothing.apply(infill{.vocab = &v}), status_code::ok);
    EXPECT_EQ(nothing.ids(), (std::vector<token_id>{5}));
    EXPECT_EQ(nothing.apply(infill{}), status_code::invalid_parameter);
}

}  // namespace
}  // namespace riffle_tests::exact_samplers
