#pragma once

#include <array>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <gtest/gtest.h>

namespace riffle_tests {

/// Decimal signs as symbols of a locale's source: what most of Europe writes, and what is written with Arabic digits.
constexpr std::array decimal_signs{"<U002C>", "<U066B>"};

/// As long as it lives, the process is under a locale that has this decimal sign. The locale is made on the spot by
/// glibc's localedef, from nothing but what is written here, since none may be installed; Windows has one with a comma.
/// Where that does not work there is a reason to skip.
class foreign_locale {
public:
    explicit foreign_locale(const std::string& decimal_sign) : before_(std::setlocale(LC_NUMERIC, nullptr)) {
#if defined(_WIN32)
        is_set_ = decimal_sign == decimal_signs[0] && std::setlocale(LC_NUMERIC, "German") && printed(0.5) == "0,5";
#else
        if (const char* path = std::getenv("LOCPATH")) path_before_ = path;
        std::error_code failed;
        const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
        folder_ = std::filesystem::temp_directory_path(failed) / ("riffle_locale_" + std::to_string(now));
        if (failed || !std::filesystem::create_directories(folder_, failed)) return;
        write_characters();
        write_numbers(decimal_sign);
        const std::string in = "cd '" + folder_.string() + "' && ";
        // It warns of what else a locale could say, and then has status 1.
        if (std::system((in + "localedef -c -f ./characters -i ./numbers ./foreign >log 2>&1").c_str()) < 0) return;
        setenv("LOCPATH", folder_.c_str(), 1);
        is_set_ = std::setlocale(LC_NUMERIC, "foreign") != nullptr && printed(0.5) != "0.5";
#endif
    }
    ~foreign_locale() {
        std::setlocale(LC_NUMERIC, before_.c_str());
#if !defined(_WIN32)
        if (path_before_.empty()) unsetenv("LOCPATH");
        else setenv("LOCPATH", path_before_.c_str(), 1);
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
#endif
    }
    foreign_locale(const foreign_locale&) = delete;
    foreign_locale& operator=(const foreign_locale&) = delete;

    bool is_set() const { return is_set_; }
    static const char* reason() { return "no foreign locale: that takes glibc and its localedef, or Windows"; }
    /// A number by this locale.
    static std::string printed(double value) {
        char text[64];
        std::snprintf(text, sizeof text, "%g", value);
        return text;
    }

private:
    /// ASCII and the Arabic decimal sign, in UTF-8.
    void write_characters() const {
        std::ofstream out(folder_ / "characters");
        out << "<code_set_name> UTF-8\n<mb_cur_min> 1\n<mb_cur_max> 4\n<comment_char> %\n<escape_char> /\nCHARMAP\n";
        for (int i = 0; i < 128; ++i) {
            char line[32];
            std::snprintf(line, sizeof line, "<U%04X> /x%02x\n", unsigned(i), unsigned(i));
            out << line;
        }
        out << "<U066B> /xd9/xab\nEND CHARMAP\n";
    }
    void write_numbers(const std::string& decimal_sign) const {
        std::ofstream out(folder_ / "numbers");
        out << "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \"" << decimal_sign
            << "\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    }

    std::string before_, path_before_;
    std::filesystem::path folder_;
    bool is_set_ = false;
};

}  // namespace riffle_tests
