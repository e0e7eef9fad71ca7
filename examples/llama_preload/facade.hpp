#pragma once

#include <llama.h>

#include "sampler_link.hpp"

namespace preload {

class sampler_run;

/// What a constructor gives the program: a llama_sampler that stands for one link. In a chain it belongs to a run,
/// which does its work. As soon as the program uses it itself, it becomes llama.cpp's own, in the same place.
llama_sampler* new_facade(sampler_link link);

bool is_facade(const llama_sampler* sampler);

/// Of a facade.
sampler_link& link_of(const llama_sampler* facade);

/// Which run it belongs to; nullptr for none.
void set_run(llama_sampler* facade, sampler_run* run);

/// From here on the sampler is llama.cpp's, with what llama.cpp's own of the link has kept. For a facade only.
void become_theirs(llama_sampler* facade);

/// Where the program uses a sampler itself: makes a facade llama.cpp's, and with it all of its run, so that the program
/// finds it in the state that it expects. Samplers that are none of ours stay as they are.
void leave_to_llama(llama_sampler* sampler);

}  // namespace preload
