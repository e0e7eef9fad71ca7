#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <riffle/core/result.hpp>
#include <riffle/core/token.hpp>

namespace {

using namespace riffle;

TEST(Result, HoldsAValue) {
    const result<token_id> r(7, {});
    EXPECT_TRUE(r.ok());
    EXPECT_TRUE(bool(r));
    EXPECT_EQ(*r, 7);
    EXPECT_EQ(r.value(), 7);
    EXPECT_EQ(r.value_or(3), 7);
    EXPECT_EQ(r.state(), status_code::ok);
}

TEST(Result, OrTheReasonWhyNot) {
    const result<token_id> r(null_token, status_code::no_legal_token);
    EXPECT_FALSE(r.ok());
    EXPECT_FALSE(bool(r));
    EXPECT_EQ(*r, null_token);
    EXPECT_EQ(r.value_or(3), 3);
    EXPECT_EQ(r.state(), status_code::no_legal_token);
#if defined(__cpp_exceptions)
    try {
        (void)r.value();
        FAIL() << "value must throw";
    } catch (const std::exception& e) {
        EXPECT_EQ(std::string(e.what()), "no legal token is left: every logit is -inf, NaN or masked");
    }
#else
    EXPECT_EQ(r.value(), null_token);
#endif
}

static_assert(std::is_trivially_copyable_v<result<token_id>>);
static_assert(noexcept(result<token_id>(1, status())));

}  // namespace
