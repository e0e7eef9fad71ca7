// What the compiler makes of chains: valid for every Vulkan that riffle names, the same words from every compiler, and
// within what compilers run.

#include "spirv/modules.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <riffle/gpu/host/module_words.hpp>
#include <riffle/riffle.hpp>

#include "spirv/interpreted_module.hpp"
#include "test_files.hpp"

namespace riffle_tests::spirv_modules {
namespace {

using namespace riffle;

bool has_validator() { return std::system("spirv-val --version >/dev/null 2>&1") == 0; }

/// "" where spirv-val has nothing to say.
std::string said_of(std::span<const std::uint32_t> words, const char* environment) {
    const std::string file = testing::TempDir() + "riffle_module.spv";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), std::streamsize(words.size_bytes()));
    const std::string command = std::string("spirv-val --target-env ") + environment + " '" + file + "' 2>&1";
    std::string said;
    if (FILE* output = popen(command.c_str(), "r")) {
        char line[512];
        while (std::fgets(line, sizeof line, output)) said += line;
        pclose(output);
    }
    std::remove(file.c_str());
    return said;
}

TEST(Module, IsValid) {
    if (!has_validator()) GTEST_SKIP() << "there is no spirv-val (spirv-tools)";
    for (const auto& module : compiled_modules())
        for (const char* environment : {"vulkan1.1", "vulkan1.2", "vulkan1.3"})
            EXPECT_EQ(said_of(module.words, environment), "") << module.name << " for " << environment;
}

TEST(Module, OfADeviceThatIsAskedForMoreIsValid) {
    if (!has_validator()) GTEST_SKIP() << "there is no spirv-val (spirv-tools)";
    using chain_type = pipeline<reproducible, penalties, top_k, top_p, soft_cap, dist>;
    for (int bits = 0; bits < 16; ++bits) {
        const gpu::kernel_options options{.module = {.precise = (bits & 1) != 0,
                                                     .round_to_nearest = (bits & 2) != 0,
                                                     .keep_infinities = (bits & 4) != 0,
                                                     .subgroups = (bits & 8) != 0}};
        const auto made = gpu::make_module_words<chain_type>(options);
        ASSERT_FALSE(made.span().empty());
        EXPECT_EQ(said_of(made.span(), "vulkan1.1"), "") << bits;
    }
}

/// Devices are asked ahead whether they have so much. The least that Vulkan grants suffices for 256 invocations.
TEST(Module, HasNoMoreSharedMemoryThanItIsSaidTo) {
    for (const std::uint32_t invocations : {gpu::least_invocations, 256u, gpu::most_invocations}) {
        std::uint32_t most = 0;
        for (const auto& module : compiled_modules()) {
            const interpreting::program made(module.words, invocations);
            EXPECT_LE(4 * made.shared_words, gpu::most_shared_bytes(invocations)) << module.name;
            most = std::max(most, 4 * made.shared_words);
        }
        EXPECT_GT(most + 64, gpu::most_shared_bytes(invocations));  // some chain has need of it
    }
    EXPECT_EQ(gpu::most_shared_bytes(256), 16384u);
}

/// FNV-1a, 64 bits, over the words' bytes.
std::uint64_t hash_of(std::span<const std::uint32_t> words) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint32_t word : words)
        for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3u;
    return hash;
}

/// The file holds a line a module: hash, words, name. Where modules are meant to change it is written anew with what a
/// failure prints; all compilers must then agree on it.
TEST(Module, HasTheWordsThatEveryCompilerMakes) {
    std::ifstream file(test_file("golden/modules.txt"));
    ASSERT_TRUE(file.is_open());
    std::map<std::string, std::string> known;
    for (std::string line; std::getline(file, line);)
        if (const auto name = line.find("  "); !line.empty() && line[0] != '#' && name != std::string::npos)
            known[line.substr(name + 2)] = line.substr(0, name);
    std::string now;
    for (const auto& module : compiled_modules()) {
        char line[64];
        std::snprintf(line, sizeof line, "%016" PRIx64 " %zu", hash_of(module.words), module.words.size());
        EXPECT_EQ(known[module.name], line) << module.name;
        now += std::string(line) + "  " + module.name + "\n";
    }
    EXPECT_EQ(known.size(), compiled_modules().size());
    if (testing::Test::HasFailure()) std::printf("The modules as they are now:\n%s", now.c_str());
}

TEST(Module, IsMadeOnceAndKept) {
    using chain_type = pipeline<reproducible, top_k, dist>;
    const auto words = gpu::module_words<chain_type>();
    EXPECT_EQ(words.data(), gpu::spirv_v<chain_type>.data());
    EXPECT_TRUE((gpu::module_words<pipeline<reproducible, tail_free, dist>>().empty()));
}

/// A map that is no constexpr function: its module is made when the program asks.
struct runs_late {
    template <class V>
    static V map(const V& logit) noexcept {
        return logit * V(2.0f);
    }
};
TEST(Module, OfAMapThatTheCompilerCannotRunIsMadeByTheProgram) {
    using chain_type = pipeline<reproducible, runs_late, top_k, dist>;
    const auto words = gpu::module_words<chain_type>();
    ASSERT_GT(words.size(), 1000u);
    EXPECT_EQ(words.data(), gpu::module_words<chain_type>().data());
    if (has_validator()) {
        EXPECT_EQ(said_of(words, "vulkan1.1"), "");
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_modules
