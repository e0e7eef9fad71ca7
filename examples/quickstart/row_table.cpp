#include "row_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "chains.hpp"

namespace quickstart {
namespace {

/// A token's probability among those that the chain left it, and their number.
struct choice {
    riffle::token_id token = riffle::null_token;
    double probability = 0;
    std::size_t choices = 0;
};

choice choose(riffle::any_pipeline& chain, std::span<const float> row) {
    choice made;
    const std::span<const riffle::token_data> distribution = chain.distribution(row);
    made.choices = distribution.size();
    const std::vector<riffle::token_data> probabilities(distribution.begin(), distribution.end());
    made.token = chain.sample(row);
    for (const riffle::token_data& each : probabilities)
        if (each.id == made.token) made.probability = static_cast<double>(each.p);
    return made;
}

}  // namespace

void print_rows(const terminal& screen, recorded_logits& file, std::uint64_t seed) {
    shown_chain greedy = show("greedy", greedy_chain());
    std::array drawn{show("default", default_chain_for_rows(seed), seed), show("creative", creative_chain(seed), seed)};

    for (const shown_chain* each : {&greedy, &drawn[0], &drawn[1]})
        fmt::print("{:<10}{}{}\n", each->name, fmt::join(each->stages, " | "),
                   each->seed ? fmt::format(", seed {}", *each->seed) : "");
    fmt::print("\n{}\n",
               screen.paint(fmt::format("{:>6}{:>9}{:>9}   {:>9}{:>9}{:>7}   {:>9}{:>9}{:>7}", "row", "greedy",
                                        "p model", "default", "p chain", "left", "creative", "p chain", "left"),
                            style::faint));

    std::array<std::size_t, 2> same{};
    for (std::size_t row = 0; row < file.rows(); ++row) {
        const std::span<const float> logits = file.next();
        const riffle::token_id first = greedy.chain.sample(logits);
        if (first == riffle::null_token) {
            fmt::print("{:>6}  {}\n", row, std::string_view(greedy.chain.last_status().message()));
            continue;
        }
        const bool repaired = greedy.chain.last_status().saw_nan() || greedy.chain.last_status().saw_infinity();
        const auto most = greedy.chain.logprobs(logits, 1, riffle::before);
        std::string line =
            fmt::format("{:>6}{:>9}{:>7.1f} %", row, first, 100 * std::exp(static_cast<double>(most[0].logprob)));
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            const choice made = choose(drawn[i].chain, logits);
            same[i] += made.token == first;
            line += fmt::format(
                "   {}{:>7.1f} %{:>7}",
                screen.paint(fmt::format("{:>9}", made.token), made.token == first ? style::plain : style::accent),
                100 * made.probability, made.choices);
        }
        fmt::print("{}{}\n", line, repaired ? "   NaN or infinity in this row" : "");
    }
    fmt::print(
        "\np model: probability of the token in the row. p chain: among those that the chain left to draw from.\n"
        "The same token as greedy: default {} and creative {} of {} rows.\n",
        same[0], same[1], file.rows());
}

}  // namespace quickstart
