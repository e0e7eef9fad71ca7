#pragma once
#include <initializer_list>

#include <vulkan/vulkan_core.h>

#if defined(_WIN32)
// As <windows.h> declares them, which would bring its macros along.
struct HINSTANCE__;
extern "C" __declspec(dllimport) HINSTANCE__* __stdcall LoadLibraryA(const char*);
#if defined(_WIN64)
extern "C" __declspec(dllimport) long long(__stdcall* __stdcall GetProcAddress(HINSTANCE__*, const char*))();
#else
extern "C" __declspec(dllimport) int(__stdcall* __stdcall GetProcAddress(HINSTANCE__*, const char*))();
#endif
#else
#include <dlfcn.h>
#endif

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// The function of this machine's Vulkan loader by which all others are found; nullptr where there is none. The loader
/// is opened by name, once, stays open, and is never linked. From any thread.
RIFFLE_LOCAL inline PFN_vkGetInstanceProcAddr find_loader() noexcept {
    static const PFN_vkGetInstanceProcAddr found = []() noexcept -> PFN_vkGetInstanceProcAddr {
#if defined(_WIN32)
        HINSTANCE__* const library = LoadLibraryA("vulkan-1.dll");
        if (library == nullptr) return nullptr;
        const auto symbol = GetProcAddress(library, "vkGetInstanceProcAddr");
        // By way of a type that says nothing, which compilers do not warn of.
        return reinterpret_cast<PFN_vkGetInstanceProcAddr>(reinterpret_cast<void (*)()>(symbol));
#else
        void* symbol = nullptr;
        for (const char* name : {"libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", "libMoltenVK.dylib"})
            if (void* const library = symbol ? nullptr : dlopen(name, RTLD_NOW | RTLD_LOCAL))
                symbol = dlsym(library, "vkGetInstanceProcAddr");
        return reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbol);
#endif
    }();
    return found;
}

}  // namespace riffle::gpu
