#pragma once
#include <cstddef>
#include <llama.h>

#include <riffle/core/candidates.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// llama.cpp's array read as riffle's candidates, which it shares its memory with.
inline candidates view(const llama_token_data_array& array) noexcept {
    static_assert(sizeof(llama_token_data) == sizeof(token_data));
    return {reinterpret_cast<token_data*>(array.data), array.size, array.selected, array.sorted};
}
inline void write(const candidates& c, llama_token_data_array& array) noexcept {
    array.data = reinterpret_cast<llama_token_data*>(c.data);
    array.size = c.size;
    array.selected = c.selected;
    array.sorted = c.sorted;
}

}  // namespace riffle::llama::detail
