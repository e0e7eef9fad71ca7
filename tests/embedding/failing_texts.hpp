#pragma once
// A text that is read into a grammar while memory runs out.

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

#include "embedding/sweep.hpp"

namespace riffle_tests {

/// read_text(), which answers a parsed grammar, with each of its allocations failing: the problem says so, and the next
/// attempt goes well.
template <class Read>
void fail_each_allocation_of_reading(Read read_text) {
    using language = riffle::parsed<riffle::grammar>;
    const auto read = [&](language& into) {
        into = read_text();
        if (into) return riffle::status();
        EXPECT_EQ(into.problem().sentence, "out of memory");
        return riffle::status(riffle::status_code::out_of_memory);
    };
    fail_each_allocation([] { return language(); }, read,
                         [&](language& g, const outcome&) { EXPECT_TRUE(read(g).ok()); },
                         [](language& g) { EXPECT_TRUE(g.ok()); });
}

}  // namespace riffle_tests
