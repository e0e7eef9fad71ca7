#include "llama_version.hpp"

#include <cstddef>
#include <cstring>
#include <llama.h>
#include <new>

#include "llama_library.hpp"

namespace preload {
namespace {

constexpr std::byte untouched{0xA5};

/// Room for parameters that have grown. It comes back from a function as they do: written where the caller says.
struct longer_parameters {
    std::byte bytes[sizeof(llama_context_params) + 512];
};

bool is_written(const std::byte* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (from[i] != untouched) return true;
    return false;
}

}  // namespace

bool is_llama_of_our_headers() {
    constexpr std::size_t ours = sizeof(llama_context_params), last = sizeof(void*);
    alignas(16) static std::byte room[sizeof(longer_parameters)];
    std::memset(room, int(untouched), sizeof room);
    asm volatile("" : : "r"(room) : "memory");  // the compiler takes all of it for written below
    const auto parameters = reinterpret_cast<longer_parameters (*)()>(llama_function("llama_context_default_params"));
    new (room) longer_parameters(parameters());
    asm volatile("" : : "r"(room) : "memory");
    return is_written(room + ours - last, last) && !is_written(room + ours, sizeof room - ours);
}

}  // namespace preload
