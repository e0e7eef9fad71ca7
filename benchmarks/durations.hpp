#pragma once
// Single calls by the clock, and how their times are spread.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline void require(bool holds, const std::string& what) {
    if (holds) return;
    std::fprintf(stderr, "benchmark: wrong output: %s\n", what.c_str());
    std::fflush(stdout);
    std::_Exit(1);
}

inline double microseconds_now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// What two looks at the clock take.
inline double clock_time() {
    static const double median = [] {
        std::vector<double> all(1001);
        for (double& one : all) {
            const double begin = microseconds_now();
            one = microseconds_now() - begin;
        }
        std::nth_element(all.begin(), all.begin() + 500, all.end());
        return all[500];
    }();
    return median;
}
template <class Do>
double time_of(Do&& something) {
    const double begin = microseconds_now();
    something();
    return (std::max)(0.0, microseconds_now() - begin - clock_time());
}
inline double median_of(std::vector<double> all) {
    if (all.empty()) return 0;
    std::nth_element(all.begin(), all.begin() + std::ptrdiff_t(all.size() / 2), all.end());
    return all[all.size() / 2];
}

struct distribution {
    std::vector<double> all;

    void add(const distribution& other) { all.insert(all.end(), other.all.begin(), other.all.end()); }
    double mean() const {
        double sum = 0;
        for (const double one : all) sum += one;
        return all.empty() ? 0 : sum / double(all.size());
    }
    double at(double share) const {
        if (all.empty()) return 0;
        std::vector<double> sorted = all;
        std::sort(sorted.begin(), sorted.end());
        return sorted[(std::min)(sorted.size() - 1, std::size_t(share * double(sorted.size())))];
    }
};

/// A line of a table: of what, how many times, and how they are spread.
inline void print_heading() {
    std::printf("| | µs | calls | mean | p50 | p90 | p99 | max |\n|---|---|---|---|---|---|---|---|\n");
}
inline void print_line(const std::string& of, const char* what, const distribution& d) {
    std::printf("| %s | %s | %zu | %.3f | %.3f | %.3f | %.3f | %.1f |\n", of.c_str(), what, d.all.size(), d.mean(),
                d.at(0.5), d.at(0.9), d.at(0.99), d.at(1.0));
}
