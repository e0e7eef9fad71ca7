#pragma once
// Programs that translate modules, where this machine has them: a module goes through a file, and what comes out of it
// is read back.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace riffle_tests {

inline bool has_translators() {
    return std::system("command -v spirv-cross >/dev/null && command -v glslangValidator >/dev/null") == 0;
}

/// A module on its way through other languages, in files of its own.
class translated_module {
public:
    explicit translated_module(std::span<const std::uint32_t> words)
        : base_(testing::TempDir() + "riffle_translated" + std::to_string(reinterpret_cast<std::uintptr_t>(this))) {
        std::ofstream(base_ + ".spv", std::ios::binary)
            .write(reinterpret_cast<const char*>(words.data()), std::streamsize(words.size_bytes()));
    }
    translated_module(const translated_module&) = delete;
    ~translated_module() {
        for (const char* end : {".spv", ".text", ".again.spv"}) std::remove((base_ + end).c_str());
    }

    /// The text that spirv-cross makes of it.
    std::string to_text(const std::string& flags) {
        said_ += run("spirv-cross " + flags + " '" + base_ + ".spv' --output '" + base_ + ".text'");
        return contents(".text");
    }
    /// The module that glslangValidator makes of that text; no words where it refuses.
    std::vector<std::uint32_t> back(const std::string& flags) {
        said_ += run("glslangValidator " + flags + " -S comp '" + base_ + ".text' -o '" + base_ + ".again.spv'");
        const std::string bytes = contents(".again.spv");
        std::vector<std::uint32_t> words(bytes.size() / 4);
        for (std::size_t i = 0; i < 4 * words.size(); ++i)
            words[i / 4] |= std::uint32_t(static_cast<unsigned char>(bytes[i])) << (8 * (i % 4));
        return words;
    }
    /// What the programs have said.
    const std::string& said() const { return said_; }

private:
    static std::string run(const std::string& command) {
        std::string said;
        if (FILE* output = popen((command + " 2>&1").c_str(), "r")) {
            char line[512];
            while (std::fgets(line, sizeof line, output)) said += line;
            pclose(output);
        }
        return said;
    }
    std::string contents(const char* end) const {
        std::ifstream file(base_ + end, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string base_, said_;
};

}  // namespace riffle_tests
