#pragma once

#include <chrono>
#include <cstddef>
#include <llama.h>

namespace preload {

class sampler_run;

/// What the environment variable RIFFLE_PRELOAD asks for.
enum class preload_mode {
    on,
    off,     ///< RIFFLE_PRELOAD=off: llama.cpp's samplers, as if this library were not there
    report,  ///< RIFFLE_PRELOAD=report: and a few lines on standard error at the end
};
preload_mode mode();

/// A sampler that llama.cpp's own code runs, for the report.
void note_left_to_llama(const llama_sampler* sampler);
/// A chain whose samplers were given back to llama.cpp, since a context's graph is to run them.
void note_given_back();
/// A sampler taken out of a run in use, whose other draws begin anew.
void note_taken_out();

/// Measures an apply of a run, where a report is asked for.
class timed_step {
public:
    /// `candidates`: 0 where the row was read straight from a context.
    timed_step(const sampler_run& run, std::size_t candidates);
    timed_step(const timed_step&) = delete;
    timed_step& operator=(const timed_step&) = delete;
    ~timed_step();

private:
    const bool is_measured_;
    std::chrono::steady_clock::time_point begun_;
};

}  // namespace preload
