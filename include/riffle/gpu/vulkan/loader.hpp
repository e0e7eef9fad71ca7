#pragma once
#include <initializer_list>

#include <vulkan/vulkan_core.h>

#if defined(_WIN32)
extern "C" __declspec(dllimport) void* __stdcall LoadLibraryA(const char*);
extern "C" __declspec(dllimport) void* __stdcall GetProcAddress(void*, const char*);
#else
#include <dlfcn.h>
#endif

namespace riffle::gpu {

/// The function of this machine's Vulkan loader by which all others are found; nullptr where there is none. The loader
/// is opened by name, stays open, and is never linked.
inline PFN_vkGetInstanceProcAddr find_loader() noexcept {
    static const PFN_vkGetInstanceProcAddr found = []() noexcept -> PFN_vkGetInstanceProcAddr {
#if defined(_WIN32)
        void* const library = LoadLibraryA("vulkan-1.dll");
        void* const symbol = library ? GetProcAddress(library, "vkGetInstanceProcAddr") : nullptr;
#else
        void* symbol = nullptr;
        for (const char* name : {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"})
            if (void* const library = symbol ? nullptr : dlopen(name, RTLD_NOW | RTLD_LOCAL))
                symbol = dlsym(library, "vkGetInstanceProcAddr");
#endif
        return reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
    }();
    return found;
}

}  // namespace riffle::gpu
