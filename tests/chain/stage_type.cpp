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
    EXPECT_EQ(one.hash(), other.hash()) << "in another shared object it may be the same type";
    const stage_type longer(text("inner", 5), 8);
    EXPECT_FALSE(one == longer);
    EXPECT_NE(one.hash(), stage_type(text("outer", 5), 4).hash());
}

TEST(StageType, WithoutANameThatOthersHaveHasAHashOfItsOwn) {
    const stage_type one(text("(anonymous namespace)::a", 24), 4), other(text("(anonymous namespace)::a", 24), 4);
    EXPECT_NE(one.hash(), other.hash());
    EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace riffle_tests::chain_stage_type
