#include <riffle/riffle.hpp>

// expect: riffle: numerics::llama is not there yet; use reproducible or fast
riffle::basic_dynamic_chain<riffle::llama_exact> wrong;
