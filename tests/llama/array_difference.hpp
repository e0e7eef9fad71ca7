#pragma once
#include <cmath>
#include <cstddef>
#include <llama.h>
#include <sstream>
#include <string>

#include "llama/random_chains.hpp"

namespace riffle_tests {

/// How the candidates that riffle leaves differ from llama.cpp's: in their number, order, logits, the sorted flag and
/// the selection, or in p by more than 1e-6. Empty where they do not.
inline std::string difference(const llama_token_data_array& ours, const llama_token_data_array& peers) {
    std::ostringstream out;
    out.precision(9);
    if (ours.size != peers.size) out << "size " << ours.size << ", not " << peers.size << "; ";
    if (ours.sorted != peers.sorted) out << "sorted " << ours.sorted << ", not " << peers.sorted << "; ";
    if (ours.selected != peers.selected) out << "selected " << ours.selected << ", not " << peers.selected << "; ";
    for (std::size_t i = 0; i < ours.size && i < peers.size; ++i) {
        const llama_token_data &a = ours.data[i], &e = peers.data[i];
        const bool same_p = std::abs(a.p - e.p) <= 1e-6f || bits_of(a.p) == bits_of(e.p);
        if (a.id == e.id && bits_of(a.logit) == bits_of(e.logit) && same_p) continue;
        out << "at " << i << ": (" << a.id << ", " << a.logit << ", " << a.p << "), not (" << e.id << ", " << e.logit
            << ", " << e.p << ")";
        break;
    }
    return out.str();
}

}  // namespace riffle_tests
