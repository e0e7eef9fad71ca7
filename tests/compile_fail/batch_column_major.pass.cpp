#include <riffle/batch.hpp>

struct matrix {
    enum { IsRowMajor = 1 };
    const float* data() const { return nullptr; }
    long rows() const { return 2; }
    long cols() const { return 3; }
    long innerStride() const { return 1; }
    long outerStride() const { return 3; }
};
riffle::logit_rows rows{matrix()};
