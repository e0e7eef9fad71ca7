#include "sampler_link.hpp"

#include <utility>

namespace preload {

sampler_link::sampler_link(owned_sampler original, sampler_setup how)
    : original_(std::move(original)), setup_(std::move(how)), seed_(seed_now()) {}

/// llama.cpp tells nobody what a sampler without a name for its seed drew at random: another one is drawn.
std::uint32_t sampler_link::seed_now() const {
    if (!setup_.catch_up) return LLAMA_DEFAULT_SEED;
    const std::uint32_t told = RIFFLE_THEIRS(llama_sampler_get_seed)(original());
    if (told != LLAMA_DEFAULT_SEED) return told;
    return setup_.asked_seed != LLAMA_DEFAULT_SEED ? setup_.asked_seed : std::uint32_t(riffle::random_seed());
}

sampler_link sampler_link::clone() const {
    const calling_llama their_constructors;
    sampler_link made(owned_sampler(llama_sampler_clone(original())), setup_);
    made.seed_ = seed_;
    return made;
}

/// Where llama.cpp has no function for it, it puts a clone in the place of the sampler's state: all of it is another's.
void sampler_link::copy_state(const sampler_link& from) {
    const calling_llama their_constructors;
    const bool is_replaced = !original()->iface->copy_state;
    RIFFLE_THEIRS(llama_sampler_copy)(from.original(), original());
    if (is_replaced) setup_ = from.setup_;
    seed_ = from.seed_;
}

bool sampler_link::reset() {
    llama_sampler_reset(original());
    return std::exchange(seed_, seed_now()) != seed_;
}

}  // namespace preload
