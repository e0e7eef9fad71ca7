#pragma once
// The functions over a llama_sampler, and llama.cpp's chain of them. Included after llama_sampler_i and llama_sampler,
// and after llama_sampler_copy where there is one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "types.h"

inline const char* llama_sampler_name(const llama_sampler* smpl) {
    return smpl->iface->name ? smpl->iface->name(smpl) : "(null)";
}
inline void llama_sampler_accept(llama_sampler* smpl, llama_token token) {
    if (smpl->iface->accept) smpl->iface->accept(smpl, token);
}
inline void llama_sampler_apply(llama_sampler* smpl, llama_token_data_array* cur_p) {
    if (smpl->iface->apply) smpl->iface->apply(smpl, cur_p);
}
inline void llama_sampler_reset(llama_sampler* smpl) {
    if (smpl->iface->reset) smpl->iface->reset(smpl);
}
inline llama_sampler* llama_sampler_clone(const llama_sampler* smpl) {
    if (smpl->iface->clone) return smpl->iface->clone(smpl);
    return smpl->ctx ? nullptr : new llama_sampler{smpl->iface, nullptr};
}
inline void llama_sampler_free(llama_sampler* smpl) {
    if (smpl && smpl->iface->free) smpl->iface->free(smpl);
    delete smpl;
}

struct fake_chain {
    std::vector<llama_sampler*> samplers;

    static fake_chain& of(const llama_sampler* chain) { return *static_cast<fake_chain*>(chain->ctx); }
    llama_sampler* at(std::int32_t i) const {
        return i >= 0 && std::size_t(i) < samplers.size() ? samplers[std::size_t(i)] : nullptr;
    }

    static const char* name(const llama_sampler*) { return "chain"; }
    static void accept(llama_sampler* chain, llama_token token) {
        for (auto* s : of(chain).samplers) llama_sampler_accept(s, token);
    }
    static void apply(llama_sampler* chain, llama_token_data_array* array) {
        for (auto* s : of(chain).samplers) llama_sampler_apply(s, array);
    }
    static void reset(llama_sampler* chain) {
        for (auto* s : of(chain).samplers) llama_sampler_reset(s);
    }
    static llama_sampler* clone(const llama_sampler* chain);
    static void free(llama_sampler* chain) {
        for (auto* s : of(chain).samplers) llama_sampler_free(s);
        delete &of(chain);
    }
    template <class Sampler>
    static void copy_state(const Sampler* from, Sampler* to) {
        for (std::size_t i = 0; i < of(from).samplers.size(); ++i)
            llama_sampler_copy(of(from).samplers[i], of(to).samplers[i]);
    }
};

template <class Interface>
constexpr Interface make_fake_chain_interface() {
    Interface i{};
    i.name = fake_chain::name;
    i.accept = fake_chain::accept;
    i.apply = fake_chain::apply;
    i.reset = fake_chain::reset;
    i.clone = fake_chain::clone;
    i.free = fake_chain::free;
    if constexpr (requires { i.copy_state; }) i.copy_state = fake_chain::copy_state<llama_sampler>;
    return i;
}
inline llama_sampler_i fake_chain_interface = make_fake_chain_interface<llama_sampler_i>();

inline llama_sampler* llama_sampler_chain_init(llama_sampler_chain_params) {
    return new llama_sampler{&fake_chain_interface, new fake_chain};
}
inline void llama_sampler_chain_add(llama_sampler* chain, llama_sampler* smpl) {
    fake_chain::of(chain).samplers.push_back(smpl);
}
inline std::int32_t llama_sampler_chain_n(const llama_sampler* chain) {
    return std::int32_t(fake_chain::of(chain).samplers.size());
}
inline llama_sampler* llama_sampler_chain_remove(llama_sampler* chain, std::int32_t i) {
    llama_sampler* const removed = fake_chain::of(chain).at(i);
    if (removed) fake_chain::of(chain).samplers.erase(fake_chain::of(chain).samplers.begin() + i);
    return removed;
}
inline llama_sampler* fake_chain::clone(const llama_sampler* chain) {
    llama_sampler* const copy = llama_sampler_chain_init(llama_sampler_chain_default_params());
    for (auto* s : of(chain).samplers) llama_sampler_chain_add(copy, llama_sampler_clone(s));
    return copy;
}
