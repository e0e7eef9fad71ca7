#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

riffle::chain_settings right;
