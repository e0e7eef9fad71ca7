#pragma once
// Vulkan's own checks: a loader that puts the validation layer, with synchronisation validation, under every instance,
// and counts what it says.

#include <vulkan/vulkan_core.h>

namespace riffle_tests {

/// In place of the machine's loader; the same where the layer is not installed. nullptr where there is no loader.
PFN_vkGetInstanceProcAddr validating_loader();
/// Whether the layer is there.
bool validates();
/// Warnings and errors so far; they are printed as they come.
int validation_messages();

}  // namespace riffle_tests
