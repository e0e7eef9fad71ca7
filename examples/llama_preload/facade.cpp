#include "facade.hpp"

#include <utility>

#include "function_table.hpp"
#include "sampler_run.hpp"

namespace preload {
namespace {

struct facade_state {
    sampler_link link;
    sampler_run* run = nullptr;
};

facade_state& state_of(const llama_sampler* facade) { return *static_cast<facade_state*>(facade->ctx); }
bool is_in_use(const llama_sampler* facade) {
    const sampler_run* const run = state_of(facade).run;
    return run && run->is_used();
}

const char* name(const llama_sampler* s) { return llama_sampler_name(link_of(s).original()); }
void accept(llama_sampler* s, llama_token token) {
    leave_to_llama(s);
    llama_sampler_accept(s, token);
}
void apply(llama_sampler* s, llama_token_data_array* array) {
    leave_to_llama(s);
    llama_sampler_apply(s, array);
}
void reset(llama_sampler* s) {
    if (is_in_use(s)) {
        leave_to_llama(s);
        return llama_sampler_reset(s);
    }
    link_of(s).reset();
    if (sampler_run* const run = state_of(s).run) run->forget_engine();
}
llama_sampler* clone(const llama_sampler* s) {
    if (!is_in_use(s)) return new_facade(link_of(s).clone());
    leave_to_llama(const_cast<llama_sampler*>(s));
    const calling_llama their_constructors;
    return llama_sampler_clone(s);
}
void free_state(llama_sampler* s) { delete &state_of(s); }
void copy_state(const llama_sampler* from, llama_sampler* to) {
    leave_to_llama(const_cast<llama_sampler*>(from));
    leave_to_llama(to);
    RIFFLE_THEIRS(llama_sampler_copy)(from, to);
}

constexpr llama_sampler_i facade_functions() {
    llama_sampler_i i{};
    i.name = name;
    i.accept = accept;
    i.apply = apply;
    i.reset = reset;
    i.clone = clone;
    i.free = free_state;
    i.copy_state = copy_state;
    return i;
}
constinit function_table functions{facade_functions(), {}};

}  // namespace

llama_sampler* new_facade(sampler_link link) {
    return llama_sampler_init(&functions.known, new facade_state{std::move(link)});
}
bool is_facade(const llama_sampler* sampler) { return sampler && sampler->iface == &functions.known; }
sampler_link& link_of(const llama_sampler* facade) { return state_of(facade).link; }
void set_run(llama_sampler* facade, sampler_run* run) { state_of(facade).run = run; }

void become_theirs(llama_sampler* facade) {
    const owned_sampler original = link_of(facade).release();
    std::swap(*facade, *original);  // which is freed with the state of the facade
}
void leave_to_llama(llama_sampler* sampler) {
    if (!is_facade(sampler)) return;
    if (sampler_run* const run = state_of(sampler).run) return run->dissolve();
    become_theirs(sampler);
}

}  // namespace preload
