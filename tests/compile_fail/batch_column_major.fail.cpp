#include <riffle/batch.hpp>

struct matrix {
    enum { IsRowMajor = 0 };
    const float* data() const { return nullptr; }
    long rows() const { return 2; }
    long cols() const { return 3; }
    long innerStride() const { return 1; }
    long outerStride() const { return 2; }
};
// expect: riffle: the matrix of a batch must be row-major .Eigen::RowMajor., a row for each sequence
riffle::logit_rows rows{matrix()};
