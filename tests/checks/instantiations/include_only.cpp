#include <riffle/riffle.hpp>
