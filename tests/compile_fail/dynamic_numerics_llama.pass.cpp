#include <riffle/riffle.hpp>

riffle::basic_dynamic_chain<riffle::fast> right;
