#include "report.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "sampler_run.hpp"

namespace preload {
namespace {

/// All that is told at the end of the program. Steps come from any thread.
class program_report {
public:
    ~program_report() {
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
        if (taken_out_)
            std::fprintf(stderr, "riffle: %u samplers taken out of chains in use: their draws began anew\n",
                         taken_out_);
    }
    void note_step(std::uint64_t nanoseconds) {
        const std::lock_guard lock(mutex_);
        nanoseconds_ += nanoseconds;
    }
    void note_run(const sampler_run& run, bool is_from_context) {
        std::string names;
        for (std::size_t i = 0; i < run.size(); ++i) {
            if (i > 0) names += " | ";
            names += llama_sampler_name(run.facade(i));
        }
        const std::lock_guard lock(mutex_);
        ++runs_[names];
        ++steps_;
        from_context_ += is_from_context;
    }
    void note_left(const char* name) {
        const std::lock_guard lock(mutex_);
        left_to_llama_.insert(name);
    }
    void note_given_back() {
        const std::lock_guard lock(mutex_);
        ++given_back_;
    }
    void note_taken_out() {
        const std::lock_guard lock(mutex_);
        ++taken_out_;
    }

private:
    std::mutex mutex_;
    std::uint64_t steps_ = 0, nanoseconds_ = 0, from_context_ = 0;
    unsigned given_back_ = 0, taken_out_ = 0;
    std::map<std::string, std::uint64_t> runs_;
    std::set<std::string> left_to_llama_;
};

program_report& report() {
    static program_report only;
    return only;
}

}  // namespace

preload_mode mode() {
    static const preload_mode asked = [] {
        const char* const value = std::getenv("RIFFLE_PRELOAD");
        const std::string_view word = value ? value : "";
        if (word == "off") return preload_mode::off;
        if (word == "report") return preload_mode::report;
        if (!word.empty()) std::fprintf(stderr, "riffle: RIFFLE_PRELOAD is off, report or nothing, not '%s'\n", value);
        return preload_mode::on;
    }();
    return asked;
}

void note_left_to_llama(const llama_sampler* sampler) {
    if (mode() == preload_mode::report) report().note_left(llama_sampler_name(sampler));
}
void note_given_back() {
    if (mode() == preload_mode::report) report().note_given_back();
}
void note_taken_out() {
    if (mode() == preload_mode::report) report().note_taken_out();
}

timed_step::timed_step(const sampler_run& run, std::size_t candidates) : is_measured_(mode() == preload_mode::report) {
    if (!is_measured_) return;
    report().note_run(run, candidates == 0);
    begun_ = std::chrono::steady_clock::now();
}
timed_step::~timed_step() {
    if (!is_measured_) return;
    const auto spent = std::chrono::steady_clock::now() - begun_;
    report().note_step(std::uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count()));
}

}  // namespace preload
