// Every ordered pair of stages, put together at run time, with dist behind; and every stage directly ahead of every
// selector: fused, staged and reference agree. Variants, families of rows and sizes come in turn.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chain/run_time.hpp"

namespace riffle_tests::chain_run_time_pairs {
namespace {

using namespace riffle;
using reference::any_spec;

constexpr std::size_t types = std::variant_size_v<any_spec>;

/// Goes round the variants of a type, wherever it is asked for.
class turns {
public:
    const any_spec& next(std::size_t type) {
        const auto& variants = all_variants()[type];
        return variants[next_[type]++ % variants.size()];
    }
    const shape& next_shape() { return all_shapes[shape_++ % all_shapes.size()]; }

private:
    std::array<std::size_t, types> next_{};
    std::size_t shape_ = 0;
};

void expect_rows_agree(const std::vector<std::size_t>& chain_of, std::size_t rows, turns& turn,
                       random_integers& random) {
    bool compares_texts = false;
    for (const std::size_t type : chain_of) compares_texts |= std::holds_alternative<infill>(all_variants()[type][0]);
    for (std::size_t n = 0; n < rows && !testing::Test::HasFailure(); ++n) {
        run_time_chain both;
        for (const std::size_t type : chain_of) both.push(turn.next(type));
        both.start();
        const shape s = turn.next_shape();
        std::size_t size = short_sizes[random.below(short_sizes.size())];
        if (compares_texts && size > 300) size = 40;
        both.expect_agreement(3, make_row(s, size, random.next()), name_of(s));
    }
}

/// All pairs whose first stage is of the given type.
class RunTimePairs : public testing::TestWithParam<std::size_t> {};

TEST_P(RunTimePairs, Agree) {
    turns turn;
    random_integers random(GetParam());
    const std::size_t first = GetParam(), dist_type = any_spec(dist{}).index();
    const std::size_t rows = how_many(24, 3000, "rows for each pair of stages, 3 steps each");
    for (std::size_t last = 0; last < reference::selectors; ++last)
        expect_rows_agree({first, last}, rows, turn, random);
    for (std::size_t second = reference::selectors; second < types; ++second)
        expect_rows_agree({first, second, dist_type}, rows, turn, random);
}

std::string name_of_type(const testing::TestParamInfo<std::size_t>& first) {
    const std::string text =
        std::visit([](const auto& spec) { return reference::describe(spec); }, all_variants()[first.param][0]);
    return text.substr(0, text.find('{'));
}
INSTANTIATE_TEST_SUITE_P(First, RunTimePairs, testing::Range(reference::selectors, types), name_of_type);

TEST(RunTimeStages, SelectorsAlone) {
    turns turn;
    random_integers random(99);
    const std::size_t rows = how_many(200, 100000, "rows for each selector, 3 steps each");
    for (std::size_t last = 0; last < reference::selectors; ++last) expect_rows_agree({last}, rows, turn, random);
}

/// Stages that leave thousands of tokens, which stay in the row, ahead of every other one and every selector: what
/// narrows on may leave thousands in the row again, a few candidates, or one.
TEST(RunTimeStages, BehindOnesThatLeaveMany) {
    const std::array<any_spec, 5> lenient{min_p{0.05f}, top_p{0.995f}, top_n_sigma{3.0f}, top_a{0.1f},
                                          epsilon_cutoff{1e-6f}};
    constexpr std::array shapes{shape::flat, shape::tied, shape::equal, shape::negative, shape::neighbours};
    turns turn;
    random_integers random(5);
    const std::size_t rows = how_many(1, 200, "rows for each variant of a selector and each pair, 2 steps each");
    const auto agree = [&](const any_spec& first, std::size_t type, std::size_t selector) {
        for (std::size_t n = 0; n < rows && !testing::Test::HasFailure(); ++n) {
            run_time_chain both;
            both.push(first);
            if (type != selector) both.push(turn.next(type));
            both.push(turn.next(selector));
            both.start();
            const shape s = shapes[random.below(shapes.size())];
            both.expect_agreement(2, make_row(s, 5000 + random.below(4000), random.next()), name_of(s));
        }
    };
    for (const any_spec& first : lenient)
        for (std::size_t last = 0; last < reference::selectors; ++last)
            for (std::size_t variant = 0; variant < all_variants()[last].size(); ++variant) agree(first, last, last);
    const std::size_t dist_type = any_spec(dist{}).index(), mirostat_v2_type = any_spec(mirostat_v2{}).index();
    for (std::size_t second = reference::selectors; second < types; ++second) {
        if (std::holds_alternative<infill>(all_variants()[second][0])) continue;  // it compares all pairs of texts
        agree(lenient[second % lenient.size()], second, dist_type);
        agree(lenient[second % lenient.size()], second, mirostat_v2_type);
    }
}

/// A part of a row's tokens in any order, as candidates; `repeats` makes some ids stand twice.
std::vector<token_data> shuffled(std::span<const float> row, random_integers& random, bool repeats) {
    std::vector<token_data> some;
    for (std::size_t i = 0; i < row.size(); ++i)
        if (random.below(4) != 0) some.push_back({token_id(i), row[i], float(random.below(100)) - 50.0f});
    if (repeats)
        for (std::size_t i = 0; i < some.size(); ++i)
            if (random.below(8) == 0) some[random.below(some.size())].id = some[i].id;
    for (std::size_t i = some.size(); i > 1; --i) std::swap(some[i - 1], some[random.below(i)]);
    return some;
}
void expect_candidates_agree(const any_spec& stage, const any_spec& selector, const shape s, random_integers& random,
                             bool repeats) {
    run_time_chain both;
    if (!reference::selects(stage)) both.push(stage);
    both.push(selector);
    both.start();
    auto memory = shuffled(make_row(s, 300, random.next()), random, repeats);
    std::vector<reference::candidate> given;
    for (const auto& token : memory) given.push_back({token.id, token.logit});
    candidates c{memory.data(), memory.size(), -1, false};
    both.chain.apply(c);
    const auto expected = both.model.run(given);
    const std::string what = std::string(name_of(s)) + ": " + reference::describe(both.model);
    EXPECT_EQ(difference({c.data, c.size}, expected.left), "") << what;
    EXPECT_EQ(c.selected < 0 ? null_token : c[std::size_t(c.selected)].id, expected.token) << what;
    if (c.sorted) {
        EXPECT_TRUE(std::is_sorted(c.begin(), c.end(), ranks_before)) << what;
    }
}
TEST(RunTimeStages, CandidatesInAnyOrder) {
    random_integers random(7);
    const std::size_t sets = how_many(6, 3000, "sets of candidates for each variant");
    for (std::size_t type = 0; type < types; ++type)
        for (const any_spec& variant : all_variants()[type])
            for (std::size_t n = 0; n < sets && !testing::Test::HasFailure(); ++n) {
                const shape s = all_shapes[random.below(all_shapes.size())];
                const any_spec selector = type < reference::selectors ? variant : any_spec(dist{n});
                expect_candidates_agree(variant, selector, s, random, false);
            }
}

}  // namespace
}  // namespace riffle_tests::chain_run_time_pairs
