#pragma once

// Golden streams: what chains do on thousands of rows, folded into hashes that are checked in. Everything here is
// integer arithmetic, and floats that integers give exactly.

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

#include "integers.hpp"
#include "test_files.hpp"

namespace riffle_tests {

/// Whether this run ends at an invalid operation (main.cpp). To compare a NaN is one; so its rows have -inf instead,
/// which a NaN counts as: the lines stay what they are.
inline bool trapping() {
    static const bool is_set = std::getenv("RIFFLE_TEST_TRAPS") != nullptr;
    return is_set;
}

/// An infinite logit counts as the greatest float, which a map that sharpens lets overflow: such a row may.
inline void trap_overflows_but_of(const std::vector<float>& row) {
#if defined(__GLIBC__)
    if (!trapping()) return;
    std::feclearexcept(FE_OVERFLOW);
    const bool has_infinity = std::count(row.begin(), row.end(), std::numeric_limits<float>::infinity()) > 0;
    if (has_infinity) fedisableexcept(FE_OVERFLOW);
    else feenableexcept(FE_OVERFLOW);
#else
    (void)row;
#endif
}

/// A row of one of eight families, from integers alone.
inline void make_row(std::vector<float>& row, std::size_t size, std::uint32_t number, integers& random) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    row.resize(size);
    const auto bulk = [&] {  // nearly normal, deviation 2.3, every bit in use
        std::int32_t sum = 0;
        for (int i = 0; i < 4; ++i) sum += std::int32_t(random.below(1u << 20));
        return float(sum - (1 << 21)) * 0x1p-18f;
    };
    const auto add_peaks = [&] {
        for (std::size_t i = 0; i < 3 + size / 100; ++i) {
            float& l = row[random.below(std::uint32_t(size))];
            l = float(std::bit_cast<std::int32_t>(std::uint32_t(4 << 18) + random.below(8u << 18))) * 0x1p-18f;
        }
    };
    switch (number % 8) {
    case 0:
    case 1:
        for (auto& l : row) l = bulk();
        add_peaks();
        break;
    case 2:  // flat
        for (auto& l : row) l = float(random.below(1u << 24)) * 0x1p-23f;
        break;
    case 3:  // tied
        for (auto& l : row) l = float(random.between(-6, 6)) * 0.5f;
        break;
    case 4:  // illegal tokens here and there, and in whole blocks
        for (std::size_t i = 0; i < size; ++i) row[i] = random.below(4) == 0 || (i / 256) % 5 == 3 ? -inf : bulk();
        add_peaks();
        break;
    case 5:  // far apart
        for (auto& l : row) l = float(random.between(-(1 << 23), 1 << 23)) * 0x1p-17f;
        break;
    case 6:  // ascending, and at its end falling
        for (std::size_t i = 0; i < size; ++i) row[i] = float(std::int32_t(i < size - 40 ? i : size - i)) * 0x1p-9f;
        break;
    case 7:  // NaN, both zeros, denormals; seldom an infinity
        for (auto& l : row) {
            l = bulk() * 0.5f;
            switch (random.below(40)) {
            case 0: l = trapping() ? -inf : std::numeric_limits<float>::quiet_NaN(); break;
            case 1: l = -0.0f; break;
            case 2: l = std::bit_cast<float>(random.below(1u << 23) | random.below(2) << 31); break;
            default: break;
            }
        }
        if (number % 64 == 63) row[random.below(std::uint32_t(size))] = inf;
        break;
    }
}

/// A running hash of 64-bit values.
class digest {
public:
    void add(std::uint64_t value) {
        hash_ += 0x9E3779B97F4A7C15u + value;
        hash_ = (hash_ ^ (hash_ >> 30)) * 0xBF58476D1CE4E5B9u;
        hash_ = (hash_ ^ (hash_ >> 27)) * 0x94D049BB133111EBu;
        hash_ ^= hash_ >> 31;
    }
    std::uint64_t value() const { return hash_; }

private:
    std::uint64_t hash_ = 0;
};

inline constexpr std::uint32_t steps = 200;

/// One chain, and how long its rows are: as a type, and put together at run time, which must not make a difference.
struct stream {
    std::string name;
    std::size_t size;
    std::function<riffle::any_pipeline()> typed, at_run_time;
};
using streams = std::vector<stream>;

template <class... Stages>
void add(streams& all, std::size_t size, std::string name, const Stages&... stages) {
    all.push_back({std::move(name), size, [=] { return riffle::any_pipeline(riffle::chain(stages...)); },
                   [=] {
                       riffle::dynamic_chain c;
                       (c.push(stages), ...);
                       return riffle::any_pipeline(std::move(c));
                   }});
}

/// A chain's line: hashes over all steps of the tokens, of the total masses S, of the block masses, and of the
/// survivors' ids and logit bits. S is that of the row's mass pass, or of the survivors where the plan has none. What
/// is done with the chain half way must not make a difference.
inline std::string line_of(const stream& s, riffle::any_pipeline chain,
                           const std::function<void(riffle::any_pipeline&)>& half_way = {}) {
    const std::string& name = s.name;
    const std::size_t size = s.size;
    integers random(size);
    for (const char letter : name) random = integers(random.next() + std::uint64_t(letter));
    digest tokens, totals, masses, survivors;

    std::vector<riffle::token_id> prompt(12);
    for (auto& t : prompt) t = riffle::token_id(random.below(std::uint32_t(size)));
    if (!chain.prompt(prompt).ok()) return "no prompt: " + name;

    std::vector<float> row;
    for (std::uint32_t i = 0; i < steps; ++i) {
        if (i == steps / 2 && half_way) half_way(chain);
        make_row(row, size, i, random);
        trap_overflows_but_of(row);
        if (i % 13 == 12) chain.retry();
        if (i % 23 == 22) chain.accept(riffle::token_id(random.below(std::uint32_t(size))));
        if (i % 37 == 36) {  // there and back
            const auto mark = chain.mark();
            const auto first = chain.sample(row);
            const bool banned = chain.last_step().rewind > 0;  // which no way back undoes
            if (!chain.rollback(mark).ok() || (chain.peek(row) != first && !banned)) return "no way back: " + name;
        }
        const auto token = chain.sample(row);
        if (token == riffle::null_token) return std::string(chain.last_status().message().c_str()) + ": " + name;
        tokens.add(std::uint64_t(token));

        const auto& machine = chain.state().machine();
        std::uint64_t total = machine.total_mass();
        masses.add(machine.block_masses().size());
        for (const auto mass : machine.block_masses()) masses.add(mass);

        const auto left = chain.survivors();
        survivors.add(left.size());
        for (const auto& t : left)
            survivors.add(std::uint64_t{std::uint32_t(t.id)} << 32 | std::bit_cast<std::uint32_t>(t.logit));
        if (total == 0)
            for (const auto& t : left) total += riffle::fixed_mass_of(t.logit - left[0].logit);
        totals.add(total);

        if (const int back = chain.last_step().rewind) {
            if (!chain.rewind(std::size_t(back)).ok()) return "no rewind: " + name;
            tokens.add(std::uint64_t(back));
        }
    }
    char text[128];
    std::snprintf(text, sizeof text, "%016llx %016llx %016llx %016llx  ",
                  static_cast<unsigned long long>(tokens.value()), static_cast<unsigned long long>(totals.value()),
                  static_cast<unsigned long long>(masses.value()), static_cast<unsigned long long>(survivors.value()));
    return text + name;
}

// The chains, a file each.
void add_maps(streams& all);
void add_cuts(streams& all);
void add_cuts_behind_maps(streams& all);
void add_edits(streams& all);
void add_masks(streams& all);
void add_long_chains(streams& all);
void add_softmax_stages(streams& all);
void add_learners(streams& all);

inline streams all_streams() {
    streams all;
    for (const auto add : {add_maps, add_cuts, add_cuts_behind_maps, add_edits, add_masks, add_long_chains,
                           add_softmax_stages, add_learners})
        add(all);
    return all;
}

/// The checked-in lines of a file by the name of their chain.
inline std::map<std::string, std::string> golden_lines(const std::string& name_of_file = "streams.txt") {
    std::map<std::string, std::string> lines;
    std::ifstream file(test_file("golden/" + name_of_file));
    for (std::string line; std::getline(file, line);)
        if (const auto end_of_values = line.find("  ");
            !line.empty() && line[0] != '#' && end_of_values != std::string::npos)
            lines[line.substr(end_of_values + 2)] = line;
    return lines;
}

}  // namespace riffle_tests
