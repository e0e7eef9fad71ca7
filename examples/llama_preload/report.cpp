#include "report.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "mode.hpp"
#include "sampler_run.hpp"

namespace preload {
namespace {

/// A sampler of the program's own need not have one.
const char* name_of(const llama_sampler* sampler) {
    const bool can_tell = sampler && sampler->iface && sampler->iface->name;
    const char* const name = can_tell ? llama_sampler_name(sampler) : nullptr;
    return name ? name : "(no name)";
}

/// All that is told at the end of the program. Steps come from any thread.
class program_report {
public:
    void print() {
        const std::lock_guard lock(mutex_);
        std::fprintf(
            stderr,
            "riffle: %llu samplings in %.3f ms, %.1f us each; %llu of them without a candidate for every token\n",
            static_cast<unsigned long long>(steps_), double(nanoseconds_) * 1e-6,
            steps_ ? double(nanoseconds_) * 1e-3 / double(steps_) : 0.0,
            static_cast<unsigned long long>(from_context_));
        for (const auto& [run, times] : runs_)
            std::fprintf(stderr, "riffle: %llu times  %s\n", static_cast<unsigned long long>(times), run.c_str());
        for (const std::string& name : left_to_llama_)
            std::fprintf(stderr, "riffle: left to llama.cpp  %s\n", name.c_str());
        if (given_back_)
            std::fprintf(stderr, "riffle: %u chains given back to llama.cpp, for a context's graph\n", given_back_);
        if (dissolved_)
            std::fprintf(stderr, "riffle: %u times samplers in use went on as llama.cpp's own\n", dissolved_);
        if (begun_anew_) std::fprintf(stderr, "riffle: %u mirostats of them began anew\n", begun_anew_);
    }
    void note_step(const sampler_run& run, sampled_from source, std::uint64_t nanoseconds) {
        std::string names;
        for (std::size_t i = 0; i < run.size(); ++i) {
            if (i > 0) names += " | ";
            names += name_of(run.sampler(i));
        }
        const std::lock_guard lock(mutex_);
        ++runs_[names];
        ++steps_;
        nanoseconds_ += nanoseconds;
        from_context_ += source == sampled_from::context;
    }
    void note_left(const char* name) {
        const std::lock_guard lock(mutex_);
        left_to_llama_.insert(name);
    }
    void note_given_back() {
        const std::lock_guard lock(mutex_);
        ++given_back_;
    }
    void note_dissolved() {
        const std::lock_guard lock(mutex_);
        ++dissolved_;
    }
    void note_begun_anew() {
        const std::lock_guard lock(mutex_);
        ++begun_anew_;
    }

private:
    std::mutex mutex_;
    std::uint64_t steps_ = 0, nanoseconds_ = 0, from_context_ = 0;
    unsigned given_back_ = 0, dissolved_ = 0, begun_anew_ = 0;
    std::map<std::string, std::uint64_t> runs_;
    std::set<std::string> left_to_llama_;
};

/// Never destroyed, since other threads and what is destroyed later may still sample.
program_report& report() {
    static program_report* const only = [] {
        std::atexit([] { report().print(); });
        return new program_report;
    }();
    return *only;
}

bool is_asked_for() { return mode() == preload_mode::report; }

}  // namespace

void note_left_to_llama(const llama_sampler* sampler) {
    if (is_asked_for()) report().note_left(name_of(sampler));
}
void note_given_back() {
    if (is_asked_for()) report().note_given_back();
}
void note_dissolved() {
    if (is_asked_for()) report().note_dissolved();
}
void note_begun_anew() {
    if (is_asked_for()) report().note_begun_anew();
}

timed_step::timed_step() : is_measured_(is_asked_for()) {
    if (is_measured_) begun_ = std::chrono::steady_clock::now();
}
void timed_step::is_done(const sampler_run& run, sampled_from source) const {
    if (!is_measured_) return;
    const auto spent = std::chrono::steady_clock::now() - begun_;
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
    report().note_step(run, source, std::uint64_t(nanoseconds));
}

}  // namespace preload
