#pragma once
// The device that the tests of this room run on: whatever there is, lavapipe as a rule, under validation.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include <gtest/gtest.h>

#include <riffle/gpu.hpp>

#include "gpu/validation.hpp"

namespace riffle_tests {

inline std::unique_ptr<riffle::gpu::device>& opened_device() {
    static std::unique_ptr<riffle::gpu::device> opened;
    return opened;
}
inline const riffle::gpu::device& test_device() {
    auto& opened = opened_device();
    if (!opened)
        opened = std::make_unique<riffle::gpu::device>(
            riffle::gpu::device_choice{.allow_software = true, .get_instance_proc_addr = validating_loader()});
    return *opened;
}
inline VkPhysicalDeviceLimits limits_of_test_device() {
    const auto& context = test_device().context();
    riffle::gpu::kernel_functions functions;
    VkPhysicalDeviceProperties properties{};
    if (functions.load(context.get_instance_proc_addr, context.instance, context.device).ok())
        functions.get_properties(context.physical_device, &properties);
    return properties.limits;
}
/// As many invocations a work group as a test would like to have, or as many as the device takes. (SwiftShader's are
/// 256.)
inline std::uint32_t invocations_up_to(std::uint32_t wanted) {
    return std::min(wanted, limits_of_test_device().maxComputeWorkGroupInvocations);
}
/// Closes it behind the last test, while the driver is still whole: when the program ends, drivers take themselves down
/// in an order of their own.
class ClosesTheDevice : public testing::Environment {
    void TearDown() override {
        const int before = validation_messages();
        opened_device().reset();
        EXPECT_EQ(validation_messages(), before) << "while the device was closed";
    }
};
inline testing::Environment* const closes_the_device = testing::AddGlobalTestEnvironment(new ClosesTheDevice);

/// Tests that need a device are skipped where there is none; not where RIFFLE_TEST_NEEDS_DEVICE says that there is one.
class OnDevice : public testing::Test {
protected:
    void SetUp() override {
        messages_before_ = validation_messages();
        if (test_device().state().ok()) return;
        if (std::getenv("RIFFLE_TEST_NEEDS_DEVICE")) FAIL() << test_device().state().message().c_str();
        GTEST_SKIP() << test_device().state().message().c_str();
    }
    void TearDown() override { EXPECT_EQ(validation_messages(), messages_before_); }

private:
    int messages_before_ = 0;
};

}  // namespace riffle_tests
