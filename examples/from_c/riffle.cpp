// The one C++ file of a C program that uses riffle.
#if RIFFLE_EXAMPLE_WITH_LLAMA
#include <riffle/llama_c_api.hpp>
#else
#include <riffle/c_api.hpp>
#endif
