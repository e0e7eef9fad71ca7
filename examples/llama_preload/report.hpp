#pragma once

#include <chrono>
#include <llama.h>

namespace preload {

class sampler_run;

/// A sampler that llama.cpp's own code runs, for the report.
void note_left_to_llama(const llama_sampler* sampler);
/// A chain whose samplers were given back to llama.cpp, since a context's graph is to run them.
void note_given_back();
/// A run in use that was dissolved; and a sampler of it whose draws begin anew.
void note_dissolved();
void note_begun_anew();

/// Where a run found what it sampled from.
enum class sampled_from { candidates, context };

/// Measures what a run does from here on, where a report is asked for.
class timed_step {
public:
    timed_step();
    void is_done(const sampler_run& run, sampled_from source) const;

private:
    const bool is_measured_;
    std::chrono::steady_clock::time_point begun_;
};

}  // namespace preload
