// llama.cpp's functions that look into a chain. The chain itself is llama.cpp's own: of our samplers that stand beside
// each other it holds one, the run, which the program does not see.

#include <cstdint>
#include <llama.h>
#include <memory>
#include <utility>
#include <vector>

#include "exported.hpp"
#include "llama_library.hpp"
#include "report.hpp"
#include "sampler_run.hpp"

namespace preload {
namespace {

struct own_functions {
    decltype(&llama_sampler_chain_add) add = original<decltype(llama_sampler_chain_add)>("llama_sampler_chain_add");
    decltype(&llama_sampler_chain_get) get = original<decltype(llama_sampler_chain_get)>("llama_sampler_chain_get");
    decltype(&llama_sampler_chain_n) count = original<decltype(llama_sampler_chain_n)>("llama_sampler_chain_n");
    decltype(&llama_sampler_chain_remove) remove =
        original<decltype(llama_sampler_chain_remove)>("llama_sampler_chain_remove");
    decltype(&llama_sampler_get_seed) seed = original<decltype(llama_sampler_get_seed)>("llama_sampler_get_seed");
    decltype(&llama_sampler_sample) sample = original<decltype(llama_sampler_sample)>("llama_sampler_sample");
};
const own_functions& own() {
    static const own_functions found;
    return found;
}

bool is_chain(llama_sampler* sampler) { return sampler && own().get(sampler, -1) != nullptr; }

/// Calls visit(place in the chain, run or nullptr, place in the run) for every sampler that the program added, until it
/// answers true.
template <class Visit>
bool any_added(llama_sampler* chain, Visit visit) {
    for (std::int32_t i = 0; i < own().count(chain); ++i) {
        sampler_run* const run = sampler_run::in(own().get(chain, i));
        const std::size_t size = run ? run->size() : 1;
        for (std::size_t in_run = 0; in_run < size; ++in_run)
            if (visit(i, run, in_run)) return true;
    }
    return false;
}

llama_sampler* added(llama_sampler* chain, std::int32_t place, sampler_run* run, std::size_t in_run) {
    return run ? run->facade(in_run) : own().get(chain, place);
}

/// The run that a sampler goes into which is added now; nullptr where none is open.
sampler_run* open_run(llama_sampler* chain) {
    const std::int32_t size = own().count(chain);
    sampler_run* const last = size > 0 ? sampler_run::in(own().get(chain, size - 1)) : nullptr;
    return last && !last->is_used() ? last : nullptr;
}

/// llama.cpp's own samplers in the places of ours: a graph knows no others.
void give_back(llama_sampler* chain) {
    if (!is_chain(chain) || !any_added(chain, [](auto, const sampler_run* run, auto) { return run != nullptr; }))
        return;
    std::vector<owned_sampler> all;
    while (own().count(chain) > 0) {
        owned_sampler each(own().remove(chain, 0));
        if (const sampler_run* run = sampler_run::in(each.get())) {
            for (owned_sampler& one : run->originals()) all.push_back(std::move(one));
        } else {
            all.push_back(std::move(each));
        }
    }
    for (owned_sampler& each : all) own().add(chain, each.release());
    note_given_back();
}

}  // namespace
}  // namespace preload

using namespace preload;

extern "C" {

RIFFLE_EXPORTED void llama_sampler_chain_add(llama_sampler* chain, llama_sampler* sampler) {
    if (is_called_by_llama(CALLER) || !is_unused_facade(sampler)) {
        if (!is_called_by_llama(CALLER) && mode() != preload_mode::off && sampler) note_left_to_llama(sampler);
        return own().add(chain, sampler);
    }
    if (sampler_run* const run = open_run(chain)) return run->append(sampler);
    auto run = std::make_unique<sampler_run>();
    run->append(sampler);
    own().add(chain, sampler_run::as_sampler(std::move(run)));
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_chain_get(llama_sampler* chain, std::int32_t i) {
    if (is_called_by_llama(CALLER) || i < 0 || !is_chain(chain)) return own().get(chain, i);
    llama_sampler* found = nullptr;
    any_added(chain, [&](std::int32_t place, sampler_run* run, std::size_t in_run) {
        if (i-- > 0) return false;
        found = added(chain, place, run, in_run);
        return true;
    });
    return found;
}
RIFFLE_EXPORTED std::int32_t llama_sampler_chain_n(const llama_sampler* chain) {
    if (is_called_by_llama(CALLER) || !is_chain(const_cast<llama_sampler*>(chain))) return own().count(chain);
    std::int32_t size = 0;
    any_added(const_cast<llama_sampler*>(chain), [&](auto, auto, auto) { return ++size, false; });
    return size;
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_chain_remove(llama_sampler* chain, std::int32_t i) {
    if (is_called_by_llama(CALLER) || i < 0 || !is_chain(chain)) return own().remove(chain, i);
    llama_sampler* taken = nullptr;
    any_added(chain, [&](std::int32_t place, sampler_run* run, std::size_t in_run) {
        if (i-- > 0) return false;
        if (!run) return taken = own().remove(chain, place), true;
        if (run->is_used()) note_taken_out();
        taken = run->remove(in_run);
        if (run->size() == 0) llama_sampler_free(own().remove(chain, place));
        return true;
    });
    return taken;
}
RIFFLE_EXPORTED std::uint32_t llama_sampler_get_seed(const llama_sampler* sampler) {
    if (const llama_sampler* const behind = original_of(sampler)) return own().seed(behind);
    auto* const chain = const_cast<llama_sampler*>(sampler);
    if (is_called_by_llama(CALLER) || !is_chain(chain)) return own().seed(sampler);
    std::uint32_t seed = LLAMA_DEFAULT_SEED;  // the last one counts
    any_added(chain, [&](std::int32_t place, sampler_run* run, std::size_t in_run) {
        const std::uint32_t of_one = llama_sampler_get_seed(added(chain, place, run, in_run));
        if (of_one != LLAMA_DEFAULT_SEED) seed = of_one;
        return false;
    });
    return seed;
}
/// A chain that is one run needs no candidate for every token.
RIFFLE_EXPORTED llama_token llama_sampler_sample(llama_sampler* sampler, llama_context* context, std::int32_t index) {
    const bool is_one_run = !is_called_by_llama(CALLER) && is_chain(sampler) && own().count(sampler) == 1;
    sampler_run* const run = is_one_run ? sampler_run::in(own().get(sampler, 0)) : nullptr;
    const llama_token token = run ? run->peek(context, index) : -1;
    if (token < 0) return own().sample(sampler, context, index);
    llama_sampler_accept(sampler, token);
    return token;
}

RIFFLE_EXPORTED bool llama_set_sampler(llama_context* context, llama_seq_id sequence, llama_sampler* sampler) {
    static const auto set = original<decltype(llama_set_sampler)>("llama_set_sampler");
    give_back(sampler);
    return set(context, sequence, sampler);
}
RIFFLE_EXPORTED llama_context* llama_init_from_model(llama_model* model, llama_context_params parameters) {
    static const auto init = original<decltype(llama_init_from_model)>("llama_init_from_model");
    for (std::size_t i = 0; i < parameters.n_samplers; ++i) give_back(parameters.samplers[i].sampler);
    return init(model, parameters);
}

}  // extern "C"
