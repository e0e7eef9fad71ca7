// llama.cpp's functions that look into a chain, or take one over. The chain itself is llama.cpp's own: of our samplers
// that stand beside each other it holds one, the run, which the program does not see.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <memory>
#include <optional>
#include <vector>

#include "exported.hpp"
#include "facade.hpp"
#include "llama_library.hpp"
#include "report.hpp"
#include "sampler_run.hpp"

namespace preload {
namespace {

std::int32_t length_of(const llama_sampler* chain) { return RIFFLE_THEIRS(llama_sampler_chain_n)(chain); }
/// What llama.cpp has at a place of a chain: a run, or a sampler of its own or the program's.
llama_sampler* held(llama_sampler* chain, std::int32_t i) { return RIFFLE_THEIRS(llama_sampler_chain_get)(chain, i); }
bool is_chain(const llama_sampler* sampler) { return held(const_cast<llama_sampler*>(sampler), -1) != nullptr; }

/// Where a sampler stands that the program added.
struct place {
    llama_sampler* sampler;
    std::int32_t in_chain;
    sampler_run* run;  ///< nullptr: it is in none
    std::size_t in_run;
};

std::vector<place> places_of(llama_sampler* chain) {
    std::vector<place> all;
    for (std::int32_t i = 0; i < length_of(chain); ++i) {
        llama_sampler* const each = held(chain, i);
        sampler_run* const run = sampler_run::in(each);
        if (!run) all.push_back({each, i, nullptr, 0});
        for (std::size_t in_run = 0; run && in_run < run->size(); ++in_run)
            all.push_back({run->sampler(in_run), i, run, in_run});
    }
    return all;
}
std::optional<place> place_at(llama_sampler* chain, std::int32_t i) {
    const std::vector<place> all = places_of(chain);
    if (i < 0 || std::size_t(i) >= all.size()) return std::nullopt;
    return all[std::size_t(i)];
}

/// The run that a sampler goes into which is added now; nullptr where none is open.
sampler_run* open_run(llama_sampler* chain) {
    const std::int32_t length = length_of(chain);
    sampler_run* const last = length > 0 ? sampler_run::in(held(chain, length - 1)) : nullptr;
    return last && last->is_open() ? last : nullptr;
}

/// False where riffle has no chain for it.
bool add_to_run(llama_sampler* chain, llama_sampler* facade) {
    if (sampler_run* const open = open_run(chain); open && open->append(facade)) return true;
    auto run = std::make_unique<sampler_run>();
    if (!run->append(facade)) return false;
    RIFFLE_THEIRS(llama_sampler_chain_add)(chain, sampler_run::as_sampler(std::move(run)));
    return true;
}

std::int32_t first_run(llama_sampler* chain) {
    std::int32_t i = 0;
    while (i < length_of(chain) && !sampler_run::in(held(chain, i))) ++i;
    return i;
}

/// In the places of runs their samplers, llama.cpp's own now; whether there was one.
bool replace_runs(llama_sampler* chain) {
    std::vector<llama_sampler*> all;
    for (const std::int32_t first = first_run(chain); length_of(chain) > first;) {
        llama_sampler* const each = RIFFLE_THEIRS(llama_sampler_chain_remove)(chain, first);
        if (sampler_run* const run = sampler_run::in(each)) {
            for (llama_sampler* one : run->release()) all.push_back(one);
            llama_sampler_free(each);
        } else {
            all.push_back(each);
        }
    }
    for (llama_sampler* each : all) RIFFLE_THEIRS(llama_sampler_chain_add)(chain, each);
    return !all.empty();
}

/// A sampler as llama.cpp would have it, and all in it; whether it was not. A graph knows no others.
bool give_back(llama_sampler* sampler) {
    leave_to_llama(sampler);
    if (!is_chain(sampler)) return false;
    bool is_changed = replace_runs(sampler);
    for (std::int32_t i = 0; i < length_of(sampler); ++i) is_changed |= give_back(held(sampler, i));
    return is_changed;
}
void give_back_to_graph(llama_sampler* sampler) {
    if (give_back(sampler)) note_given_back();
}

/// Whether what llama.cpp holds at one place of two chains is of one kind.
bool are_alike(const llama_sampler* one, const llama_sampler* other) {
    const sampler_run *a = sampler_run::in(one), *b = sampler_run::in(other);
    if (!a || !b) return !a && !b;
    return a->size() == b->size() && a->is_dissolved() == b->is_dissolved();
}
bool have_runs_alike(llama_sampler* one, llama_sampler* other) {
    if (length_of(one) != length_of(other)) return false;
    for (std::int32_t i = 0; i < length_of(one); ++i)
        if (!are_alike(held(one, i), held(other, i))) return false;
    return true;
}
/// llama.cpp copies sampler by sampler. Where two chains came to other runs, or one sampler was used and the other was
/// not, all are llama.cpp's then; the same in chains that are in them.
void make_alike(llama_sampler* one, llama_sampler* other) {
    if (!is_chain(one) || !is_chain(other)) {
        leave_to_llama(one);
        leave_to_llama(other);
        return;
    }
    if (!have_runs_alike(one, other)) {
        replace_runs(one);
        replace_runs(other);
    }
    for (std::int32_t i = 0; i < std::min(length_of(one), length_of(other)); ++i)
        make_alike(held(one, i), held(other, i));
}

}  // namespace
}  // namespace preload

using namespace preload;

extern "C" {

RIFFLE_EXPORTED void llama_sampler_chain_add(llama_sampler* chain, llama_sampler* sampler) {
    const bool is_ours = is_facade(sampler) && !is_called_by_llama(RIFFLE_CALLER);
    if (is_ours && add_to_run(chain, sampler)) return;
    if (!is_called_by_llama(RIFFLE_CALLER) && sampler && !is_chain(sampler)) note_left_to_llama(sampler);
    leave_to_llama(sampler);
    RIFFLE_THEIRS(llama_sampler_chain_add)(chain, sampler);
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_chain_get(llama_sampler* chain, std::int32_t i) {
    if (is_called_by_llama(RIFFLE_CALLER) || i < 0 || !is_chain(chain)) return held(chain, i);
    const std::optional<place> found = place_at(chain, i);
    return found ? found->sampler : nullptr;
}
RIFFLE_EXPORTED std::int32_t llama_sampler_chain_n(const llama_sampler* chain) {
    if (is_called_by_llama(RIFFLE_CALLER) || !is_chain(chain)) return length_of(chain);
    return std::int32_t(places_of(const_cast<llama_sampler*>(chain)).size());
}
RIFFLE_EXPORTED llama_sampler* llama_sampler_chain_remove(llama_sampler* chain, std::int32_t i) {
    const bool is_theirs = is_called_by_llama(RIFFLE_CALLER) || !is_chain(chain);
    const std::optional<place> found = is_theirs ? std::nullopt : place_at(chain, i);
    if (!found) return RIFFLE_THEIRS(llama_sampler_chain_remove)(chain, is_theirs ? i : -1);
    if (!found->run) return RIFFLE_THEIRS(llama_sampler_chain_remove)(chain, found->in_chain);
    llama_sampler* const taken = found->run->remove(found->in_run);
    if (found->run->size() == 0) llama_sampler_free(RIFFLE_THEIRS(llama_sampler_chain_remove)(chain, found->in_chain));
    return taken;
}
RIFFLE_EXPORTED std::uint32_t llama_sampler_get_seed(const llama_sampler* sampler) {
    if (is_facade(sampler)) return RIFFLE_THEIRS(llama_sampler_get_seed)(link_of(sampler).original());
    if (is_called_by_llama(RIFFLE_CALLER) || !is_chain(sampler)) return RIFFLE_THEIRS(llama_sampler_get_seed)(sampler);
    std::uint32_t seed = LLAMA_DEFAULT_SEED;  // the last one counts
    for (const place& each : places_of(const_cast<llama_sampler*>(sampler))) {
        const std::uint32_t of_one = llama_sampler_get_seed(each.sampler);
        if (of_one != LLAMA_DEFAULT_SEED) seed = of_one;
    }
    return seed;
}
RIFFLE_EXPORTED void llama_sampler_copy(const llama_sampler* from, llama_sampler* to) {
    if (from != to) make_alike(const_cast<llama_sampler*>(from), to);
    RIFFLE_THEIRS(llama_sampler_copy)(from, to);
}
/// A chain that is one run needs no candidate for every token.
RIFFLE_EXPORTED llama_token llama_sampler_sample(llama_sampler* sampler, llama_context* context, std::int32_t index) {
    const bool is_one_run = !is_called_by_llama(RIFFLE_CALLER) && is_chain(sampler) && length_of(sampler) == 1;
    sampler_run* const run = is_one_run ? sampler_run::in(held(sampler, 0)) : nullptr;
    const llama_token token = run ? run->peek(context, index) : -1;
    if (token < 0) return RIFFLE_THEIRS(llama_sampler_sample)(sampler, context, index);
    llama_sampler_accept(sampler, token);
    return token;
}

RIFFLE_EXPORTED bool llama_set_sampler(llama_context* context, llama_seq_id sequence, llama_sampler* sampler) {
    give_back_to_graph(sampler);
    return RIFFLE_THEIRS(llama_set_sampler)(context, sequence, sampler);
}
RIFFLE_EXPORTED llama_context* llama_init_from_model(llama_model* model, llama_context_params parameters) {
    for (std::size_t i = 0; i < parameters.n_samplers; ++i) give_back_to_graph(parameters.samplers[i].sampler);
    return RIFFLE_THEIRS(llama_init_from_model)(model, parameters);
}

}  // extern "C"
