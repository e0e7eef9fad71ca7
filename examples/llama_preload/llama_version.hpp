#pragma once

namespace preload {

/// Whether the program's libllama is, as far as can be told, of the version whose llama.h this library was built with:
/// whether it has parameters of a context of the same length. They are handed on by value.
bool is_llama_of_our_headers();

}  // namespace preload
