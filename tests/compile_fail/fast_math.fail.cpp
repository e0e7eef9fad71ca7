#define __FAST_MATH__ 1  // as -ffast-math and -Ofast do
// expect: riffle: -ffast-math and -ffinite-math-only are refused, because -inf marks an illegal token; drop the flag for files that include riffle
#include <riffle/riffle.hpp>
