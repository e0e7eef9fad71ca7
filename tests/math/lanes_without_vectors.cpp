// The plain-array form of the lane types, which compilers without vector extensions get. The namespace has another name
// here, because these are other types: under the same name they would break the one-definition rule.

#define RIFFLE_NO_VECTORS
#define riffle riffle_without_vectors
#define riffle_tests riffle_tests_without_vectors
#define RIFFLE_TESTS_LANES LanesWithoutVectors
#include "lanes.cpp"

static_assert(RIFFLE_VECTORS == 0 && RIFFLE_X86 == 0);
