#include <riffle/riffle.hpp>

// expect: chain_settings.* incomplete type|incomplete type .*chain_settings
riffle::chain_settings wrong;
