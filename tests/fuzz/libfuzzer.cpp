// What libFuzzer calls: the target that RIFFLE_FUZZ_TARGET names.

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    riffle_tests::fuzz::RIFFLE_FUZZ_TARGET(riffle_tests::fuzz::input({data, size}));
    return 0;
}
