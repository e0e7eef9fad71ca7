#pragma once
// A mode of the processor in which denormals are 0, where it has one.

#if defined(__SSE__)
#include <xmmintrin.h>

namespace riffle_tests {

/// Denormals are flushed to zero, as operands and as results, as long as it lives.
class flushing {
public:
    flushing() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
    flushing(const flushing&) = delete;
    flushing& operator=(const flushing&) = delete;
    ~flushing() { _mm_setcsr(before_); }

private:
    unsigned before_;
};

}  // namespace riffle_tests
#endif
