#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/core/fnv_hash.hpp>

// Files of numbers of 32 bits, the lowest byte first, whatever the machine, with a checksum: FNV-1a, a number at a
// time.

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes numbers, and keeps the checksum of them.
class file_writer {
public:
    explicit file_writer(std::byte* to) noexcept : to_(to) {}
    void put(std::uint32_t number) noexcept {
        for (int shift = 0; shift < 32; shift += 8) *to_++ = std::byte(number >> shift & 0xFF);
        checksum_ = hash_with(checksum_, number);
    }
    /// The lower half first.
    void put_both(std::uint64_t number) noexcept {
        put(std::uint32_t(number & 0xFFFFFFFFu));
        put(std::uint32_t(number >> 32));
    }
    std::uint32_t checksum() const noexcept { return checksum_; }

private:
    std::byte* to_;
    std::uint32_t checksum_ = empty_hash;
};

/// Some bytes of a file. (Not a span: every includer of a chain would pay for its type.)
struct bytes_of_file {
    const std::byte* data = nullptr;
    std::size_t size = 0;

    /// `numbers` of 32 bits, from one on.
    bytes_of_file part(std::size_t first, std::size_t numbers) const noexcept {
        return {data + 4 * first, 4 * numbers};
    }
};

/// Reads numbers; what is left of the last where the bytes are not a multiple of 4 is never read.
class file_reader {
public:
    explicit file_reader(const bytes_of_file& from) noexcept : at_(from.data), end_(from.data + from.size) {}
    std::size_t left() const noexcept { return std::size_t(end_ - at_) / 4; }
    /// There must be one left.
    std::uint32_t next() noexcept {
        std::uint32_t number = 0;
        for (int shift = 0; shift < 32; shift += 8) number |= std::uint32_t(*at_++) << shift;
        return number;
    }
    /// There must be two left.
    std::uint64_t next_both() noexcept {
        const std::uint64_t low = next();
        return std::uint64_t{next()} << 32 | low;
    }
    void skip(std::size_t numbers) noexcept { at_ += 4 * numbers; }

private:
    const std::byte *at_, *end_;
};

/// The checksum of all numbers but the last, and whether that is it. There must be one at least.
inline bool has_its_checksum(const bytes_of_file& file) noexcept {
    file_reader in(file);
    std::uint32_t checksum = empty_hash;
    while (in.left() > 1) checksum = hash_with(checksum, in.next());
    return in.next() == checksum;
}

/// The last number of a file, which has one at least.
inline std::uint32_t last_number(const bytes_of_file& file) noexcept {
    file_reader in(file.part(file.size / 4 - 1, 1));
    return in.next();
}

}  // namespace riffle::detail
