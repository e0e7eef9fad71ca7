// The members of candidates that are told how many to keep.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "reference/agreement.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::sizes_candidates {
namespace {

using namespace riffle;

/// The first n in rank of those that are legal.
std::vector<reference::candidate> first_of(std::span<const float> row, std::size_t n) {
    std::vector<reference::candidate> all;
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({std::int32_t(i), row[i]});
    reference::drop_illegal(all);
    reference::sort_by_rank(all);
    reference::keep_first(all, n);
    return all;
}

/// Calls test(candidates, row, n): the candidates of a row, and a number.
template <class Test>
void for_each_number(Test test) {
    for (const shape s : {shape::random, shape::equal, shape::holes})
        for (const std::size_t size : {300u, 5000u}) {
            const auto row = make_row(s, size, 1);
            for (const std::size_t n : numbers_around<std::size_t>(size)) {
                auto memory = candidates_of(row);
                test(candidates{memory.data(), memory.size(), -1, false}, row, n);
            }
        }
}

TEST(SizesOfCandidates, KeepGreatest) {
    for_each_number([](candidates c, const std::vector<float>& row, std::size_t n) {
        c.keep_greatest(n);
        EXPECT_EQ(difference({c.data, c.size}, first_of(row, n)), "") << n;
    });
}
TEST(SizesOfCandidates, KeepAbove) {
    for_each_number([](candidates c, const std::vector<float>& row, std::size_t n) {
        const auto legal = first_of(row, row.size());
        const float cut = legal[legal.size() / 4].logit;
        const auto reach =
            std::size_t(std::count_if(legal.begin(), legal.end(), [&](auto& t) { return t.logit >= cut; }));
        c.keep_above(cut, n);
        EXPECT_EQ(difference({c.data, c.size}, first_of(row, std::max(reach, n))), "") << n;
    });
}
TEST(SizesOfCandidates, KeepNucleus) {
    for_each_number([](candidates c, const std::vector<float>& row, std::size_t n) {
        const auto legal = first_of(row, row.size());
        c.keep_nucleus(legal[0].logit, 0, n);  // without the number, the first alone
        EXPECT_EQ(difference({c.data, c.size}, first_of(row, std::max(n, std::size_t{1}))), "") << n;
    });
}
TEST(SizesOfCandidates, SortFirst) {
    for_each_number([](candidates c, const std::vector<float>& row, std::size_t n) {
        c.sort_first(n);
        ASSERT_EQ(c.size, row.size());
        EXPECT_TRUE(std::is_sorted(c.begin(), c.begin() + std::ptrdiff_t(std::min(n, c.size)), ranks_before)) << n;
    });
}
TEST(SizesOfCandidates, MoreThanMemoryHoldsAreRefused) {
    auto c = chain(top_k{.k = 5}, dist{});
    token_data one{0, 1.0f, 0.0f};
    for (const std::size_t n : numbers_around<std::size_t>(1)) {
        if (n <= largest_object / sizeof(token_data)) continue;
        candidates all{&one, n, -1, false};
        EXPECT_EQ(c.apply(all).code(), status_code::bad_candidates) << n;
    }
}

}  // namespace
}  // namespace riffle_tests::sizes_candidates
