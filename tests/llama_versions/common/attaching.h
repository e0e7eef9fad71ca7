#pragma once
// Since January 2026 a chain can be attached to a context.

#include <cstddef>

#include "samplers.h"

/// What attaching a chain to a context comes to: its samplers are asked, in order, until one cannot run in the graph.
/// Answers whether the first one can.
template <class Ask>
bool fake_attach(llama_sampler* chain, Ask backend_init) {
    std::size_t ready = 0;
    for (auto* s : fake_chain::of(chain).samplers) {
        if (!s->iface->backend_init || !s->iface->backend_apply || !backend_init(s)) break;
        ++ready;
    }
    return ready > 0;
}
