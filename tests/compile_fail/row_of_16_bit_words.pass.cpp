#include <riffle/riffle.hpp>

#include <cstdint>
#include <span>

riffle::any_pipeline c = riffle::chain(riffle::greedy{});
auto right(std::span<const std::uint16_t> words) {
    return c.try_sample({reinterpret_cast<const riffle::float16*>(words.data()), words.size()});
}
