// Every stage that has a form on the device, with each of its variants, alone and behind another.

#include <array>
#include <string>

#include "gpu/agreement.hpp"

namespace riffle_tests::gpu_stages {
namespace {

using namespace riffle;
using reference::any_spec;

constexpr std::array<std::size_t, 6> sizes{1, 7, 255, 257, 1000, 3001};

/// All variants of a type of stage in a chain, ahead of a selector: one kernel for all of them.
void expect_variants_agree(const std::vector<any_spec>& variants, const any_spec* ahead, const any_spec& selector,
                           std::uint32_t group_size) {
    std::unique_ptr<device_chain> on_device;
    dynamic_chain chain;
    for (const any_spec& variant : variants) {
        // Another variant of the same type: the kernel stays, and the chain that it reads is assigned.
        dynamic_chain next;
        if (ahead) std::visit([&](const auto& s) { (void)next.push(s); }, *ahead);
        std::visit([&](const auto& s) { (void)next.push(s); }, variant);
        std::visit([&](const auto& s) { (void)next.push(s); }, selector);
        if (!next.last_status().ok()) continue;
        ASSERT_TRUE(next.prompt(short_prompt).ok());
        chain = std::move(next);
        if (!on_device) on_device = std::make_unique<device_chain>(chain, sizes.back(), group_size);
        if (!on_device->plan().is_useful()) return;
        std::size_t n = 0;
        for (const shape s : all_shapes)
            for (const std::size_t size : sizes) {
                if (ahead && n++ % 3 != 0) continue;
                const std::string what = reference::describe(variant) + ", " + reference::describe(selector) + ", " +
                                         name_of(s) + " " + std::to_string(size);
                on_device->expect_agreement(make_row(s, size, 11 * size), what);
                if (testing::Test::HasFailure()) return;
            }
    }
}
bool has_form(const any_spec& stage) {
    dynamic_chain chain;
    std::visit([&](const auto& s) { (void)chain.push(s); }, stage);
    (void)chain.push(greedy{});
    const known_stages on(chain);
    return on.plan.stages == 2;
}

class StageOnDevice : public OnDevice {};

TEST_F(StageOnDevice, AgreesAlone) {
    std::size_t types = 0;
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type) {
        const auto& variants = all_variants()[type];
        if (!has_form(variants[0])) continue;
        ++types;
        for (const any_spec& selector : {any_spec(dist{.seed = 7}), any_spec(greedy{})})
            expect_variants_agree(variants, nullptr, selector, 256);
        if (HasFailure()) return;
    }
    EXPECT_GE(types, 18u);
}
TEST_F(StageOnDevice, AgreesBehindATemperature) {
    const any_spec ahead = temperature{1.25f};
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type)
        if (has_form(all_variants()[type][0]))
            expect_variants_agree(all_variants()[type], &ahead, gumbel{.seed = 3}, 64);
}
TEST_F(StageOnDevice, AgreesBehindACut) {
    const any_spec ahead = min_p{.p = 0.01f};
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type)
        if (has_form(all_variants()[type][0]))
            expect_variants_agree(all_variants()[type], &ahead, dist{.seed = 3}, 128);
}
TEST_F(StageOnDevice, SelectorsAgree) {
    for (const any_spec& selector : {any_spec(greedy{}), any_spec(dist{.seed = 9}), any_spec(gumbel{.seed = 9})})
        expect_variants_agree({any_spec(temperature{1.0f})}, nullptr, selector, 512);
}

}  // namespace
}  // namespace riffle_tests::gpu_stages
