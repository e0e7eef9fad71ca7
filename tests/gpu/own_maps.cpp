// A user's own elementwise maps, which the device was never told of.

#include <array>
#include <string>

#include "gpu/agreement.hpp"

namespace riffle_tests::gpu_own_maps {
namespace {

using namespace riffle;

template <class... Stages>
void expect_chain_agrees(const std::string& what, const Stages&... stages) {
    dynamic_chain chain;
    ((void)chain.push(stages), ...);
    device_chain on_device(chain, 1001, 64);
    ASSERT_TRUE(on_device.plan().is_useful()) << what;
    for (const shape s : all_shapes)
        for (const std::size_t size : {std::size_t{1}, std::size_t{257}, std::size_t{1001}}) {
            on_device.expect_agreement(make_row(s, size, size), what + ", " + name_of(s) + " " + std::to_string(size));
            if (testing::Test::HasFailure()) return;
        }
}
template <class Map>
void expect_map_agrees(const std::string& name) {
    expect_chain_agrees(name + ", top_p, dist", Map{}, top_p{.p = 0.8f}, dist{.seed = 1});
    expect_chain_agrees("top_k, " + name + ", gumbel", top_k{.k = 90}, Map{}, gumbel{.seed = 2});
    expect_chain_agrees(name + ", min_p, temperature, " + name + ", greedy", Map{}, min_p{.p = 0.01f},
                        temperature{.t = 0.7f}, Map{}, greedy{});
}

class OwnMapsOnDevice : public OnDevice {};

TEST_F(OwnMapsOnDevice, ThatNeverFall) {
    expect_map_agrees<stretched>("stretched");
    expect_map_agrees<centred>("centred");
}
TEST_F(OwnMapsOnDevice, ThatRiseAndFall) {
    expect_map_agrees<folded_over>("folded_over");
    expect_map_agrees<bowl>("bowl");
}
TEST_F(OwnMapsOnDevice, ThatMakeInfinitiesAndNaN) { expect_map_agrees<overflowing>("overflowing"); }
TEST_F(OwnMapsOnDevice, ThatDivide) {
    expect_map_agrees<softened>("softened");
    expect_map_agrees<inverted>("inverted");
}
TEST_F(OwnMapsOnDevice, BehindAnApplyOnTheProcessor) {
    expect_chain_agrees("top_k, keep_even, stretched, dist", top_k{.k = 50}, keep_even{}, stretched{}, dist{.seed = 1});
}

}  // namespace
}  // namespace riffle_tests::gpu_own_maps
