#pragma once
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <vector>

#include <riffle/llama/superset.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// What the graph of a context does for a chain, and what the chain has to know of it.
struct offloading {
    bool on_backend = false;        ///< the context took the front over
    bool met_on_processor = false;  ///< llama.cpp has just run the front on its processor, so nothing was left out
    bool serves = false;            ///< the graph that was built last does anything for the chain
    bool narrows = false;           ///< what comes back is fewer than a row
    std::size_t verbatim = 0;       ///< stages that it runs whole, under `fast`
    superset set;
    std::int64_t row_size = 0;
    std::vector<ggml_tensor*> rows;  ///< one an output
    std::uint64_t sets = 0;          ///< that came back,
    std::uint64_t too_small = 0;     ///< of which so many did not tell, and their rows were asked for
    /// A whole row; false where it is not there. (A pointer, so that nothing here asks for ggml's functions.)
    bool (*fetch)(ggml_tensor*, float*, std::size_t) noexcept = nullptr;
};

}  // namespace riffle::llama::detail
