#pragma GCC diagnostic ignored "-Wbuiltin-macro-redefined"
#undef __FLT_EVAL_METHOD__
#define __FLT_EVAL_METHOD__ 2  // as -m32 without -msse2 -mfpmath=sse does
// expect: riffle: floats are computed with more digits than they have here, so tokens would differ; on 32-bit x86 compile with -msse2 -mfpmath=sse
#include <riffle/riffle.hpp>
