#pragma once

#include <gtest/gtest.h>

#include <riffle/wide/dispatch.hpp>

namespace riffle_tests {

/// Calls f(width) once for every lane width this machine has, with that width forced; afterwards it is what it was.
template <class F>
void at_every_width(F f) {
    const int before = riffle::wide::forced_width;
    for (const int width : {4, 8, 16}) {
        if (!riffle::wide::force_width(width)) continue;
        SCOPED_TRACE(testing::Message() << width << " lanes");
        f(width);
    }
    riffle::wide::forced_width = before;
}

}  // namespace riffle_tests
