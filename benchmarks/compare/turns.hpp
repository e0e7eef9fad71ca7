#pragma once
// Those that are compared take turns, on the same rows: of eight rows, where all finds its caches warm; or of one, on a
// row that was just written, where each finds them as the other left them, and an engine's step is more like that.
// Medians, and the floors among them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "../floors.hpp"

namespace compared {

using namespace riffle;
using row_set = std::vector<std::vector<float>>;

struct measured_rows {
    std::string kind;
    row_set rows;
};

struct stopwatch {
    std::vector<double> microseconds;
    template <class F>
    auto time(F f) {
        const auto begin = std::chrono::steady_clock::now();
        auto result = f();
        microseconds.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
        return result;
    }
    double median() {
        std::nth_element(microseconds.begin(), microseconds.begin() + std::ptrdiff_t(microseconds.size() / 2),
                         microseconds.end());
        return microseconds[microseconds.size() / 2];
    }
};

/// What no chain can do without, taken in turns with the chains: one maximum over the row, and one sum of masses.
struct max_floor {
    token_id sample(const std::vector<float>& row) { return token_id(floors::max_of(row)); }
};
class mass_floor {
public:
    explicit mass_floor(const row_set& rows) {
        for (const auto& row : rows) maxima_.push_back(floors::max_of(row));
    }
    /// The rows come one after the other.
    token_id sample(const std::vector<float>& row) {
        return token_id(floors::mass_of(row, maxima_[next_++ % maxima_.size()]) & 1023);
    }

private:
    std::vector<float> maxima_;
    std::size_t next_ = 0;
};

/// Medians of what chains take for rows, and in how many steps the second chose another token than the first. Every
/// other turn goes the other way round, since who comes behind another finds the caches as that one left them.
template <std::size_t N>
struct times {
    std::array<double, N> microseconds;
    int differing = 0;
};
template <class... Chains>
times<sizeof...(Chains)> take_turns(const row_set& rows, int steps, Chains&... chains) {
    constexpr std::size_t count = sizeof...(Chains);
    std::array<stopwatch, count> watches;
    std::array<std::vector<token_id>, count> tokens;
    times<count> result;
    for (int done = -int(rows.size()); done < steps; done += int(rows.size())) {  // one turn to warm up
        std::vector<std::function<token_id(const std::vector<float>&)>> turns;
        (turns.emplace_back([&chains](const std::vector<float>& row) { return token_id(chains.sample(row)); }), ...);
        for (std::size_t turn = 0; turn < count; ++turn) {
            const bool goes_back = done / int(rows.size()) % 2 != 0;
            const std::size_t i = goes_back ? count - 1 - turn : turn;
            tokens[i].clear();
            for (const auto& row : rows) tokens[i].push_back(watches[i].time([&] { return turns[i](row); }));
        }
        for (std::size_t i = 0; i < rows.size(); ++i) result.differing += tokens[0][i] != tokens[1][i];
        if (done < 0) watches = {};
    }
    for (std::size_t i = 0; i < count; ++i) result.microseconds[i] = watches[i].median();
    return result;
}

/// The same for two who alternate step by step. Before each call the row is written anew.
template <class First, class Second>
times<2> alternate(const row_set& rows, int steps, First& first, Second& second) {
    std::array<stopwatch, 2> watches;
    std::array<token_id, 2> tokens{};
    times<2> result;
    std::vector<float> row(rows[0].size());
    const auto let = [&](std::size_t who, auto& chain, const std::vector<float>& logits) {
        std::copy(logits.begin(), logits.end(), row.begin());
        tokens[who] = watches[who].time([&] { return token_id(chain.sample(row)); });
    };
    for (int done = -int(rows.size()); done < steps; ++done) {
        if (done == 0) watches = {};
        const auto& logits = rows[std::size_t(done + int(rows.size())) % rows.size()];
        const bool goes_back = done % 2 != 0;
        if (goes_back) let(1, second, logits);
        let(0, first, logits);
        if (!goes_back) let(1, second, logits);
        result.differing += tokens[0] != tokens[1];
    }
    for (std::size_t i = 0; i < 2; ++i) result.microseconds[i] = watches[i].median();
    return result;
}

}  // namespace compared
