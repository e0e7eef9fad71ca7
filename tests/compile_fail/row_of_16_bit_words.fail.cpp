#include <riffle/riffle.hpp>

#include <cstdint>
#include <span>

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
// expect: riffle: a row of logits is float, riffle::float16 or riffle::bfloat16 side by side
auto wrong(std::span<const std::uint16_t> words) { return c.try_sample(words); }
