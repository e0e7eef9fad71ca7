// Eight sequences that are decoded together: a row of logits for each, sampled on all cores.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

// [begin:batch]
#include <riffle/batch.hpp>
#include <riffle/riffle.hpp>
using namespace riffle;

// Any callable as executor(n, task) will do: a thread pool of yours, a task system, or these threads.
const auto on_all_cores = [](std::size_t n, const auto& task) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < n; i = next++) task(i);
    };
    std::vector<std::thread> others(std::max(std::thread::hardware_concurrency(), 1u) - 1);
    for (auto& thread : others) thread = std::thread(work);
    work();
    for (auto& thread : others) thread.join();
};
// [end:batch]

/// Logits that favour what lies near a token, so that sequences wander.
std::vector<float> logits_of(const std::vector<token_id>& last, std::size_t vocabulary) {
    std::vector<float> rows(last.size() * vocabulary);
    for (std::size_t r = 0; r < last.size(); ++r)
        for (std::size_t i = 0; i < vocabulary; ++i)
            rows[r * vocabulary + i] = -0.02f * float(std::abs(int(i) - int(last[r])));
    return rows;
}

int main() {
    constexpr std::size_t count = 8, vocabulary = 32000;
    const auto usual = chain(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 42});
    std::vector<token_id> tokens(count, 1000), alone(count, 1000);

    // [begin:sequences]
    std::vector<decltype(chain(top_k{}, top_p{}, temperature{}, dist{}))> sequences;
    for (std::size_t i = 0; i < count; ++i) sequences.push_back(usual.fork(std::uint16_t(i)));  // each draws for itself
    get<temperature>(sequences[3]).t = 1.5f;  // and has parameters of its own

    batch rows;  // keeps the scratch of as many rows as are sampled at once
    // [end:sequences]
    auto one_by_one = sequences;
    std::printf(
        "Eight sequences, a column each; the fourth has a higher temperature. Every token is what its chain would\n"
        "give alone:\n");
    for (int step = 0; step < 12; ++step) {
        const auto logits = logits_of(tokens, vocabulary);
        // [begin:step]
        const status s = rows.sample(sequences, logit_rows(logits.data(), count, vocabulary), tokens, on_all_cores);
        // [end:step]
        if (!s) return std::printf("%s\n", s.message().c_str()), 1;
        for (std::size_t i = 0; i < count; ++i) {
            alone[i] = one_by_one[i].sample({logits.data() + i * vocabulary, vocabulary});
            std::printf("%6d", tokens[i]);
        }
        std::printf("\n");
        if (tokens != alone) return 1;  // the same tokens as one row at a time
    }
}
