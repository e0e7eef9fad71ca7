#include <riffle/riffle.hpp>

// expect: chain_settings.* incomplete type|incomplete type .*chain_settings
// shows: in_riffle_settings_hpp|#include <riffle/settings.hpp>
riffle::chain_settings wrong;
