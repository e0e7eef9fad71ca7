#pragma once
#include <riffle/riffle.hpp>

/// A stage of a user's own that has nothing but a narrow verb: odd ids are a little less likely.
struct prefer_even {
    void apply(riffle::candidates& c) const noexcept {
        for (auto& token : c) token.logit -= token.id % 2 ? 0.25f : 0.0f;
        c.sorted = false;
    }
};
