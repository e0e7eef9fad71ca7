// The same streams with the plain-array form of the lane types, which compilers without vector extensions get. Another
// name for the namespaces, since these are other types.

#define RIFFLE_NO_VECTORS
#define riffle riffle_without_vectors
#define riffle_tests riffle_tests_without_vectors
#include <cstdlib>

#include <gtest/gtest.h>

#include "cuts.cpp"
#include "maps.cpp"

namespace {

using namespace riffle_tests;

TEST(Golden, ChainsWithoutVectors) {
    if (std::getenv("RIFFLE_GOLDEN_WRITE") || std::getenv("RIFFLE_SAVED_WRITE")) GTEST_SKIP();
    streams all;
    add_maps(all);
    add_cuts(all);
    const auto lines = golden_lines();
    ASSERT_FALSE(lines.empty()) << "no golden streams";
    for (const auto& s : all) {
        const auto line = lines.find(s.name);
        ASSERT_NE(line, lines.end()) << s.name;
        EXPECT_EQ(line_of(s, s.typed()), line->second);
    }
}

}  // namespace
