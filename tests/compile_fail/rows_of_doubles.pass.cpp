#include <riffle/batch.hpp>

#include <cstddef>

riffle::logit_rows right(const riffle::bfloat16* logits, std::size_t rows) { return {logits, rows, 32000}; }
