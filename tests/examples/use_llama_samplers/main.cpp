// A program as anybody writes it with llama.h, or as nobody should: use_llama_samplers [MODEL.gguf]. What it prints is
// the same whoever does the sampling, for which tests/examples/llama_preload_test.sh runs it twice.

#include <cstdio>

#include "../llama_plugin.hpp"
#include "program.hpp"

int main(int count, char** arguments) {
    std::printf("samplers made before main: %d\n", samplers_of_plugin());
    use_chains();
    use_samplers_alone();
    use_what_is_in_a_chain();
    copy_chains();
    use_odd_chains();
    use_random_chains();
    if (count > 1) use_contexts(arguments[1]);
    return 0;
}
