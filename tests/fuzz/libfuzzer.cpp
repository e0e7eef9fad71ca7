// What libFuzzer calls: the target that RIFFLE_FUZZ_TARGET names. No input of it may take more than
// RIFFLE_FUZZ_MEBIBYTES at once: counted here, since what the sanitizers take for themselves grows from input to input.

#include <cstddef>

#include <sanitizer/allocator_interface.h>

#include "fuzz/fuzz.hpp"

namespace {

std::size_t living = 0, most_living = 0;

void count_allocated(const volatile void*, std::size_t size) {
    living += size;
    if (living > most_living) most_living = living;
}
void count_freed(const volatile void* piece) {
    if (piece) living -= __sanitizer_get_allocated_size(piece);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    __sanitizer_install_malloc_and_free_hooks(count_allocated, count_freed);
    return 0;
}
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t before = most_living = living;
    riffle_tests::fuzz::RIFFLE_FUZZ_TARGET(riffle_tests::fuzz::input({data, size}));
    riffle_tests::fuzz::must(most_living <= before + (std::size_t{RIFFLE_FUZZ_MEBIBYTES} << 20), "an input takes so much memory at most");
    return 0;
}
