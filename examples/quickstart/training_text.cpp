#include "training_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "blanks.hpp"
#include "failure.hpp"
#include "sample_text.hpp"

namespace quickstart {
namespace {

namespace fs = std::filesystem;

/// Reads up to `limit` bytes; nothing where the file cannot be read. errno says why.
std::optional<std::string> read_file(const fs::path& path, std::size_t limit) {
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    std::string text;
    std::array<char, 1 << 16> block;
    while (text.size() < limit) {
        const std::size_t wanted = std::min(block.size(), limit - text.size());
        file.read(block.data(), static_cast<std::streamsize>(wanted));
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (!file) break;
    }
    if (file.bad()) return std::nullopt;
    return text;
}

/// The files of a folder and its folders, in order of their names, so that every run learns the same. Links are
/// left out: they name the same text again.
std::vector<fs::path> files_below(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code end;
    fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied, end);
    for (; !end && each != fs::recursive_directory_iterator(); each.increment(end)) {
        std::error_code error;
        if (each->symlink_status(error).type() == fs::file_type::regular) files.push_back(each->path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool is_packed(std::string_view text) { return text.starts_with("\x1f\x8b"); }
bool is_packed_or_binary(std::string_view text) { return is_packed(text) || text.find('\0') != text.npos; }

training_text read_folder(const std::string& folder, std::size_t limit) {
    training_text result;
    result.origin = folder;
    for (const fs::path& path : files_below(folder)) {
        if (result.text.size() >= limit) {
            result.cut = true;
            break;
        }
        const std::optional<std::string> text = read_file(path, limit - result.text.size());
        if (!text || text->empty() || is_packed_or_binary(*text)) continue;
        result.text += *text;
        result.text += "\n\n";
        ++result.files;
    }
    return result;
}

training_text read_default() { return {sample_text(), "520 tales about one valley", 0, false}; }

training_text read_named(const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        if (fs::directory_iterator(path, error); error)
            throw failure(
                fmt::format("cannot read '{}': {}; expected a folder with text files", path, error.message()));
        training_text result = read_folder(path, text_limit);
        if (result.files == 0)
            throw failure(fmt::format("'{}' holds no text that can be read; expected a folder with text files", path));
        return result;
    }
    training_text result;
    result.origin = path;
    result.files = 1;
    std::optional<std::string> text = read_file(path, text_limit + 1);
    if (!text)
        throw failure(fmt::format("cannot read '{}': {}; expected a text file or a folder of them", path,
                                  errno != 0 ? std::strerror(errno) : "input error"));
    if (is_packed(*text)) throw failure(fmt::format("'{}' is packed with gzip; expected a text to learn from", path));
    if (text->empty()) throw failure(fmt::format("'{}' is empty; expected a text to learn from", path));
    result.cut = text->size() > text_limit;
    if (result.cut) text->resize(text_limit);
    result.text = std::move(*text);
    return result;
}

}  // namespace

training_text read_training_text(const std::optional<std::string>& path) {
    training_text result = path ? read_named(*path) : read_default();
    result.text = fold_blanks(result.text);
    if (result.text == " " || result.text == "\n")
        throw failure(fmt::format("'{}' holds nothing but blanks; expected a text to learn from", result.origin));
    return result;
}

}  // namespace quickstart
