#pragma once

#include <llama.h>

namespace preload {

/// The functions of a kind of sampler. A libllama newer than our header may know more of them, and finds none.
struct function_table {
    llama_sampler_i known;
    void* newer[16];
};

}  // namespace preload
