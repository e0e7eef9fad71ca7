#pragma once
// What the program and its plugins both have.
#include <riffle/riffle.hpp>

/// A stage of the application's own.
struct keep_even {
    int wished = 0;
    void apply(riffle::candidates& c) const noexcept {
        c.keep_if([](const riffle::token_data& t) { return t.id % 2 == 0; });
    }
};

using usual_chain = decltype(riffle::chain(riffle::top_k{}, riffle::mirostat_v2{}));

/// What a plugin gives.
struct plugin_functions {
    int (*loads)();  ///< how often this was called since the plugin was loaded
    riffle::token_id (*sample)(const float* logits, std::size_t size);
    riffle::token_id (*sample_by_settings)(const char* words, const float* logits, std::size_t size);
    void (*fill)(riffle::dynamic_chain&);  ///< with top_k{.k = 7}, keep_even{.wished = 8} and the plugin's own `hidden`
    int (*find)(riffle::dynamic_chain&);   ///< its top_k's k, and ten times keep_even's number; 1000 for a `hidden`
    riffle::checkpoint (*mark)(const usual_chain&);
    riffle::status (*rollback)(usual_chain&, const riffle::checkpoint&);
};
