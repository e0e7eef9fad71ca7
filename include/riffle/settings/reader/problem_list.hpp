#pragma once
#include <cstddef>
#include <cstdio>
#include <string>

#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The beginning of what somebody wrote, fit to be shown: what is not printable ASCII is `\xHH`.
inline std::string quoted(const text& written) {
    constexpr std::size_t most = 60;
    std::string shown;
    for (const char c : written) {
        if (shown.size() >= most) return shown + "...";
        if (c >= ' ' && c <= '~') {
            shown += c;
            continue;
        }
        char code[5];
        std::snprintf(code, sizeof code, "\\x%02X", unsigned(static_cast<unsigned char>(c)));
        shown += code;
    }
    return shown;
}

/// What was wrong with a text: a sentence a line for the first eight problems, and how many more there are.
class problem_list {
public:
    /// The sentence is its parts, one after the other: quoted() where they are not ours.
    template <class... Parts>
    void add(const Parts&... sentence) {
        ++count_;
        if (is_overfull()) {
            char more[40];  // (std::to_string would bring a table that keeps a plugin from being unloaded.)
            std::snprintf(more, sizeof more, "\nand %llu more", static_cast<unsigned long long>(count_ - most));
            sentences_.resize(named_);
            sentences_ += more;
            return;
        }
        sentences_ += count_ > 1 ? "\nsettings: " : "settings: ";
        ((sentences_ += sentence), ...);
        named_ = sentences_.size();
    }
    std::size_t size() const noexcept { return count_; }
    /// Whether no more are named, so that nobody need look for words.
    bool is_full() const noexcept { return count_ >= most; }
    const std::string& sentences() const noexcept { return sentences_; }

private:
    static constexpr std::size_t most = 8;
    bool is_overfull() const noexcept { return count_ > most; }

    std::string sentences_;
    std::size_t named_ = 0;  ///< bytes of the problems that are named
    std::size_t count_ = 0;
};

}  // namespace riffle::detail
