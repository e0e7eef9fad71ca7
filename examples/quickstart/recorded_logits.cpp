#include "recorded_logits.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <riffle/core/float16.hpp>

#include "failure.hpp"

namespace quickstart {
namespace {

constexpr std::size_t bytes_of(logit_type type) noexcept { return type == logit_type::float32 ? 4 : 2; }

constexpr const char* name_of(logit_type type) noexcept { return type == logit_type::float32 ? "float32" : "float16"; }

/// What would fit a file that does not have the size it should have.
std::string fitting_shapes(std::uintmax_t size, std::size_t vocabulary, std::optional<logit_type> type) {
    std::string shapes;
    for (const logit_type each : {logit_type::float32, logit_type::float16}) {
        const std::uintmax_t row = std::uintmax_t{vocabulary} * bytes_of(each);
        if ((type && *type != each) || size == 0 || size % row != 0) continue;
        shapes += fmt::format("{}--rows {} as {}", shapes.empty() ? "" : " or ", size / row, name_of(each));
    }
    return shapes.empty() ? fmt::format("it is no whole number of rows of --vocab {}", vocabulary)
                          : fmt::format("with --vocab {} it would be {}", vocabulary, shapes);
}

logit_type check_size(const std::string& path, std::uintmax_t size, std::size_t rows, std::size_t vocabulary,
                      std::optional<logit_type> type) {
    std::string expected;
    for (const logit_type each : {logit_type::float32, logit_type::float16}) {
        if (type && *type != each) continue;
        const std::uintmax_t needed = std::uintmax_t{rows} * vocabulary * bytes_of(each);
        if (needed == size) return each;
        expected += fmt::format("{}{} bytes ({})", expected.empty() ? "" : " or ", needed, name_of(each));
    }
    throw failure(fmt::format("'{}' has {} bytes; {} rows of {} logits are {}; {}", path, size, rows, vocabulary,
                              expected, fitting_shapes(size, vocabulary, type)));
}

}  // namespace

recorded_logits::recorded_logits(std::string path, std::size_t rows, std::size_t vocabulary,
                                 std::optional<logit_type> type)
    : path_(std::move(path)), rows_(rows) {
    std::error_code error;
    const auto kind = std::filesystem::status(path_, error).type();
    if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none &&
        kind != std::filesystem::file_type::regular)
        throw failure(fmt::format("'{}' is not a regular file; expected rows of logits", path_));
    errno = 0;
    file_.open(path_, std::ios::binary);
    if (!file_)
        throw failure(fmt::format("cannot open '{}': {}; expected {} rows of {} logits", path_, std::strerror(errno),
                                  rows, vocabulary));
    const std::uintmax_t size = std::filesystem::file_size(path_, error);
    if (error) throw failure(fmt::format("cannot tell the size of '{}': {}", path_, error.message()));
    type_ = check_size(path_, size, rows, vocabulary, type);
    bytes_.resize(vocabulary * bytes_of(type_));
    row_.resize(vocabulary);
}

std::span<const float> recorded_logits::next() {
    if (!file_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size())))
        throw failure(fmt::format("'{}' ended before its last row: did it shrink while it was read?", path_));
    const std::size_t width = bytes_of(type_);
    for (std::size_t i = 0; i < row_.size(); ++i) {
        std::uint32_t bits = 0;  // put together byte by byte: the same on a big-endian machine
        for (std::size_t byte = 0; byte < width; ++byte)
            bits |= static_cast<std::uint32_t>(bytes_[i * width + byte]) << (8 * byte);
        row_[i] = type_ == logit_type::float32 ? std::bit_cast<float>(bits)
                                               : static_cast<float>(riffle::float16{static_cast<std::uint16_t>(bits)});
    }
    return row_;
}

}  // namespace quickstart
