#include <riffle/batch.hpp>

#include <cstddef>

// expect: riffle: logits of rows are float, riffle::float16 or riffle::bfloat16
riffle::logit_rows wrong(const double* logits, std::size_t rows) { return {logits, rows, 32000}; }
