// What libFuzzer calls: the target that RIFFLE_FUZZ_TARGET names. No input of it may take more than
// RIFFLE_FUZZ_MEBIBYTES at once: looked at here now and then, since what the sanitizers take for themselves grows from
// input to input.

#include <cstddef>

#include <sanitizer/allocator_interface.h>

#include "fuzz/fuzz.hpp"

namespace {

std::size_t most_living = 0, allocations = 0;

void look_at_memory(const volatile void*, std::size_t size) {
    if (size < (std::size_t{1} << 16) && ++allocations % 256 != 0) return;
    const std::size_t living = __sanitizer_get_current_allocated_bytes();
    if (living > most_living) most_living = living;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    __sanitizer_install_malloc_and_free_hooks(look_at_memory, [](const volatile void*) {});
    return 0;
}
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t before = most_living = __sanitizer_get_current_allocated_bytes();
    riffle_tests::fuzz::RIFFLE_FUZZ_TARGET(riffle_tests::fuzz::input({data, size}));
    riffle_tests::fuzz::must(most_living - before <= std::size_t{RIFFLE_FUZZ_MEBIBYTES} << 20, "an input takes so much memory at most");
    return 0;
}
