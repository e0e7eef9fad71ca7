// The facts that riffle reads off the members of a user's stage. (Those of its own stages stand in tests/samplers.)

#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/facts.hpp>

namespace {

using namespace riffle;

struct applies {
    void apply(candidates&) const noexcept {}
};
struct draws_too {
    void apply(candidates&, const draws&) const noexcept {}
};
struct maps {
    template <class V>
    static V map(const V& logit) noexcept {
        return logit;
    }
};
struct maps_with_parameters {
    static constexpr bool monotone = true;
    std::array<float, 2> parameters() const noexcept { return {1.0f, 2.0f}; }
    template <class V>
    static V map(const V& logit, const std::array<V, 2>& p) noexcept {
        return logit * p[0] + p[1];
    }
};
struct edits_some {
    std::vector<logit_bias_entry> entries;
    const std::vector<logit_bias_entry>& edits() const noexcept { return entries; }
};
struct biases {
    float bias(token_id) const noexcept { return 0.0f; }
};
struct chooses {
    static constexpr bool selects = true;
    void apply(candidates&) const noexcept {}
};
struct demands {
    static constexpr bool needs_sorted = true, needs_p = true, keeps_sorted = true;
    static constexpr bool monotone = true;  // says nothing without a map
    void apply(candidates&) const noexcept {}
};
struct not_const {
    void apply(candidates&) noexcept {}
};
struct map_of_something_else {
    static int map(int logit) noexcept { return logit; }
};

static_assert(facts_of<applies>() == facts{.applies = true});
static_assert(facts_of<draws_too>() == facts{.applies = true, .draws = true});
static_assert(facts_of<maps>() == facts{.maps = true});
static_assert(facts_of<maps_with_parameters>() == facts{.maps = true, .monotone = true});
static_assert(facts_of<edits_some>() == facts{.edits = true});
static_assert(facts_of<biases>() == facts{.dense_edits = true});
static_assert(facts_of<chooses>() == facts{.applies = true, .selects = selecting::own});
static_assert(facts_of<demands>() ==
              facts{.applies = true, .needs_sorted = true, .needs_p = true, .keeps_sorted = true});

static_assert(stage<applies> && stage<draws_too> && stage<maps> && stage<maps_with_parameters> && stage<edits_some> &&
              stage<biases> && stage<chooses>);
static_assert(!stage<not_const> && !stage<map_of_something_else> && !stage<int> && !stage<candidates>);

TEST(Facts, AreReadOffMembers) {
    // All of it is checked while compiling.
    EXPECT_TRUE(facts_of<maps_with_parameters>().monotone);
    EXPECT_FALSE(facts_of<maps>().monotone);
}

}  // namespace
