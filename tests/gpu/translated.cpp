// Portable modules that went through GLSL and were compiled again, on the device: the tokens of the chain's stages.

#include <array>
#include <string>

#include "gpu/agreement.hpp"
#include "spirv/translators.hpp"

namespace riffle_tests::gpu_translated {
namespace {

using namespace riffle;

class TranslatedOnDevice : public OnDevice {};

void expect_agreement(dynamic_chain chain) {
    constexpr std::array<std::size_t, 5> sizes{1, 5, 300, 3001, 20000};
    const known_stages portable(chain, {.module = {.portable = true}});
    translated_module module(portable.words());
    (void)module.to_text("--version 450 --vulkan-semantics");
    const std::vector<std::uint32_t> words = module.back("-V --target-env vulkan1.1");
    ASSERT_FALSE(words.empty()) << module.said();
    device_chain on_device(chain, sizes.back(), gpu::spirv::portable_group_size);
    on_device.use(words);
    random_integers random(7);
    for (const shape s : all_shapes)
        for (const std::size_t size : sizes) {
            on_device.expect_agreement(make_row(s, size, random.next()),
                                       std::string(name_of(s)) + " " + std::to_string(size));
            if (testing::Test::HasFailure()) return;
        }
}

TEST_F(TranslatedOnDevice, GivesTheTokensOfTheChain) {
    if (!has_translators()) GTEST_SKIP() << "there is no spirv-cross or no glslangValidator";
    expect_agreement(prompted_chain(greedy{}));
    expect_agreement(prompted_chain(top_k{40}, top_p{0.9f}, min_p{0.05f}, temperature{0.8f}, dist{.seed = 1}));
    expect_agreement(prompted_chain(temperature{0.8f}, top_p{0.9f}, dist{.seed = 1}));
    expect_agreement(prompted_chain(temperature{0.8f}, gumbel{.seed = 1}));
}

TEST_F(TranslatedOnDevice, HasTheGroupSizeOfItsWords) {
    dynamic_chain chain = prompted_chain(temperature{0.8f}, dist{.seed = 1});
    const known_stages portable(chain, {.module = {.portable = true}});
    gpu::kernel kernel;
    EXPECT_EQ(kernel.create(test_device().context(), portable, 64).code(), gpu::device_code::device_too_small);
    ASSERT_TRUE(kernel.create(test_device().context(), portable).ok());
    EXPECT_EQ(kernel.group_size(), gpu::spirv::portable_group_size);
}

}  // namespace
}  // namespace riffle_tests::gpu_translated
