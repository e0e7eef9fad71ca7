// Portable modules in other shading languages: translators and compilers for these take them.

#include <map>
#include <regex>
#include <span>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "chain/random_stages.hpp"
#include "spirv/known_stages.hpp"
#include "spirv/translators.hpp"

namespace riffle_tests::spirv_translation {
namespace {

using namespace riffle;

/// visit(words, what) of chains of every kind, with one group a row and with several, and of float16.
template <class Visit>
void for_each_portable_module(Visit visit) {
    dynamic_chain chains[] = {prompted_chain(greedy{}),
                              prompted_chain(temperature{0.8f}, dist{.seed = 1}),
                              prompted_chain(min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}),
                              prompted_chain(top_k{40}, top_p{0.9f}, min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}),
                              prompted_chain(temperature{0.8f}, gumbel{.seed = 1}),
                              prompted_chain(temperature{0.8f}, top_p{0.9f}, dist{.seed = 1}),
                              prompted_chain(penalties{.repeat = 1.2f}, typical{0.9f},
                                             xtc{.probability = 0.5f, .threshold = 0.1f}, dist{.seed = 1}),
                              prompted_chain(mask{}, top_n_sigma{1.0f}, dist{.seed = 1})};
    for (dynamic_chain& chain : chains)
        for (const auto& [groups, logits] : {std::pair{1u, logit_format::float32}, std::pair{0u, logit_format::float32},
                                             std::pair{1u, logit_format::float16}}) {
            const known_stages on(chain, {.module = {.portable = true}, .groups_a_row = groups, .logits = logits});
            std::string what = groups ? "one group:" : "several groups:";
            if (logits == logit_format::float16) what = "float16, " + what;
            for (std::size_t i = 0; i < chain.view().size(); ++i) what += std::string(" ") + chain.view().name(i);
            visit(on.words(), what);
            if (testing::Test::HasFailure()) return;
        }
}

// naga refuses two variables of one binding: nothing is seen both as words and as vectors.
TEST(PortableModule, HasEachBindingOnce) {
    for_each_portable_module([](std::span<const std::uint32_t> words, const std::string& what) {
        constexpr std::uint32_t decorate = 71, binding = 33;
        std::map<std::uint32_t, int> variables;
        for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
            if ((words[at] & 0xffff) == decorate && words[at + 2] == binding) ++variables[words[at + 3]];
        EXPECT_GE(variables.size(), 3u) << what;
        for (const auto& [number, count] : variables) EXPECT_EQ(count, 1) << what << ", binding " << number;
    });
}
TEST(PortableModule, CompilesAsGlsl) {
    if (!has_translators()) GTEST_SKIP() << "there is no spirv-cross or no glslangValidator";
    for_each_portable_module([](std::span<const std::uint32_t> words, const std::string& what) {
        translated_module module(words);
        const std::string text = module.to_text("--version 450 --vulkan-semantics");
        EXPECT_NE(text.find("void main()"), std::string::npos) << what << module.said();
        EXPECT_FALSE(module.back("-V --target-env vulkan1.1").empty()) << what << module.said();
    });
}
TEST(PortableModule, CompilesAsHlsl) {
    if (!has_translators()) GTEST_SKIP() << "there is no spirv-cross or no glslangValidator";
    for_each_portable_module([](std::span<const std::uint32_t> words, const std::string& what) {
        translated_module module(words);
        const std::string text = module.to_text("--hlsl --shader-model 60");
        EXPECT_NE(text.find("void main("), std::string::npos) << what << module.said();
        EXPECT_FALSE(module.back("-D -V -e main").empty()) << what << module.said();
    });
}
/// There is no compiler for Metal here: what is looked for are functions that only GLSL has.
TEST(PortableModule, HasOnlyFunctionsThatMetalHas) {
    if (!has_translators()) GTEST_SKIP() << "there is no spirv-cross or no glslangValidator";
    const std::regex foreign("\\b(uaddCarry|usubBorrow|[iu]mulExtended)\\b");
    for_each_portable_module([&](std::span<const std::uint32_t> words, const std::string& what) {
        translated_module module(words);
        const std::string text = module.to_text("--msl --msl-version 20200");
        EXPECT_NE(text.find("kernel void main0("), std::string::npos) << what << module.said();
        EXPECT_FALSE(std::regex_search(text, foreign)) << what;
    });
}
/// The others ask for what not all languages have, so the flavour is worth its name.
TEST(PortableModule, IsAnotherThanTheUsualOne) {
    if (!has_translators()) GTEST_SKIP() << "there is no spirv-cross or no glslangValidator";
    dynamic_chain chain = prompted_chain(temperature{0.8f}, dist{.seed = 1});
    const known_stages usual(chain);
    translated_module module(usual.words());
    (void)module.to_text("--hlsl --shader-model 60");
    EXPECT_TRUE(module.back("-D -V -e main").empty());
}

}  // namespace
}  // namespace riffle_tests::spirv_translation
