// Linked twice into one program, once with each of two versions of riffle: the second's null_token is -2.
#include <riffle/riffle.hpp>

// A chain of one version goes through functions that both have under the same name, but for the namespace.
extern "C" int RIFFLE_SAMPLE_OF_NOTHING() {
    riffle::dynamic_chain late;
    late.push(riffle::top_k{.k = 3});
    late.push(riffle::dist{.seed = 1});
    riffle::any_pipeline any = late;
    auto typed = riffle::top_k{.k = 3} | riffle::dist{.seed = 1};
    const riffle::token_id token = any.sample({});
    return token == late.sample({}) && token == typed.sample({}) ? token : 0;
}
