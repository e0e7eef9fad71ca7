#pragma once
// Files that riffle saves, as the numbers of 32 bits that they are made of: to be looked at, changed and put right.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace riffle_tests {

inline std::vector<std::byte> bytes_of(std::span<const std::uint32_t> numbers) {
    std::vector<std::byte> file;
    for (const std::uint32_t number : numbers)
        for (int shift = 0; shift < 32; shift += 8) file.push_back(std::byte(number >> shift & 0xFF));
    return file;
}
inline std::uint32_t number_at(std::span<const std::byte> file, std::size_t i) {
    std::uint32_t number = 0;
    for (std::size_t k = 0; k < 4; ++k) number |= std::uint32_t(file[4 * i + k]) << 8 * k;
    return number;
}
/// Without what is left at the end.
inline std::vector<std::uint32_t> numbers_of(std::span<const std::byte> file) {
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < file.size() / 4; ++i) numbers.push_back(number_at(file, i));
    return numbers;
}
/// Of what stands ahead of it (FNV-1a, over numbers in place of bytes).
inline std::uint32_t checksum_of(std::span<const std::uint32_t> numbers) {
    std::uint32_t hash = 2166136261u;
    for (const std::uint32_t number : numbers) hash = (hash ^ number) * 16777619u;
    return hash;
}
/// With the size and the checksum that a file has to have: numbers 3 and 4, and the last.
inline std::vector<std::byte> put_right(std::vector<std::uint32_t> numbers) {
    numbers[3] = std::uint32_t(4 * numbers.size());
    numbers[4] = 0;
    numbers.back() = checksum_of(std::span(numbers).first(numbers.size() - 1));
    return bytes_of(numbers);
}

}  // namespace riffle_tests
