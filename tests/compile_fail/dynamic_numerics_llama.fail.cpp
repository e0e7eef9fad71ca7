#include <riffle/riffle.hpp>

// expect: riffle: numerics::llama needs #include <riffle/llama_exact.hpp>
riffle::basic_dynamic_chain<riffle::llama_exact> wrong;
