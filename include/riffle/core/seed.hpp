#pragma once
#include <cstdint>
#include <cstdio>
#include <ctime>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A seed that differs from call to call and from run to run, for those who want one: chains draw from seed 0 unless
/// told otherwise. From the system's random device where there is one, else from the clock and an address. Not for
/// cryptography.
RIFFLE_LOCAL inline std::uint64_t random_seed() noexcept {
    thread_local std::uint64_t calls = 0;
    std::uint64_t seed = 0;
    bool from_device = false;
    if (std::FILE* device = std::fopen("/dev/urandom", "rb")) {
        from_device = std::fread(&seed, sizeof seed, 1, device) == 1;
        std::fclose(device);
    }
    if (from_device) return seed;
#if defined(_WIN32)  // mingw-w64 lacks std::timespec_get
    const std::uint64_t fraction = std::uint64_t(std::clock());
    const std::uint64_t seconds = std::uint64_t(std::time(nullptr));
#else  // WebAssembly lacks std::clock
    std::timespec now{};
    std::timespec_get(&now, TIME_UTC);
    const std::uint64_t fraction = std::uint64_t(now.tv_nsec), seconds = std::uint64_t(now.tv_sec);
#endif
    seed = seconds << 20 ^ fraction ^ reinterpret_cast<std::uintptr_t>(&seed) ^ ++calls << 40;
    seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9u;  // splitmix64's finaliser
    seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EBu;
    return seed ^ (seed >> 31);
}

}  // namespace riffle
