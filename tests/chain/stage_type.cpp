// Types of stages within one program; tests/consumer/shared_objects has those of several shared objects.

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

namespace riffle_tests::chain_stage_type {
namespace {

using namespace riffle;
using detail::stage_type;

struct hidden {
    void apply(candidates& c) const noexcept { c.sort(); }
};

TEST(StageType, IsTheSameForATypeAlone) {
    EXPECT_TRUE(detail::type_of<top_k>() == detail::type_of<top_k>());
    EXPECT_FALSE(detail::type_of<top_k>() == detail::type_of<top_p>());
    EXPECT_FALSE(detail::type_of<hidden>() == detail::type_of<top_k>());
}

// clang spells a type in a function without the function: two such look alike, and are two.
TEST(StageType, OfOneProgramIsToldByItsAddressAndNotByItsName) {
    const stage_type one(text("inner", 5), 4), other(text("inner", 5), 4);
    EXPECT_TRUE(one == one);
    EXPECT_FALSE(one == other);
    const stage_type longer(text("inner", 5), 8);
    EXPECT_FALSE(one == longer);
}

struct counts {
    static constexpr const char* name = "counts";
    std::uint64_t seen = 0;
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept { ++seen; }
    void reset() noexcept { seen = 0; }
};
struct counts_more : counts {
    std::uint64_t again = 0;
};
struct counts_otherwise : counts {
    static constexpr std::uint32_t version = 2;
};

// A mark may be written to a file: what it looks like follows from names, sizes and versions alone.
TEST(Layout, IsAHashOfNamesSizesAndVersions) {
    const auto layout_of = [](const auto& chain) { return chain.mark().layout; };
    const std::uint32_t plain = layout_of(chain(counts{}, greedy{}));
    EXPECT_EQ(plain, layout_of(chain(counts{5}, greedy{})));
    EXPECT_NE(plain, layout_of(chain(counts_more{}, greedy{})));
    EXPECT_NE(plain, layout_of(chain(counts_otherwise{}, greedy{})));
    EXPECT_NE(plain, layout_of(chain(greedy{})));
    EXPECT_NE(layout_of(chain(top_k{}, top_p{}, greedy{})), layout_of(chain(top_p{}, top_k{}, greedy{})));
    dynamic_chain late;
    late.push(counts{});
    late.push(greedy{});
    EXPECT_EQ(plain, layout_of(late)) << "whatever kind of chain it is";
    EXPECT_EQ(layout_of(chain(top_k{}, mirostat_v2{})), 0x09d42cfeu) << "written down: other programs have stored it";
}

}  // namespace
}  // namespace riffle_tests::chain_stage_type
