#include "step_table.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace quickstart {
namespace {

/// Tokens shown whatever became of them.
constexpr std::size_t most_probable = 8;

std::string quoted(const std::string& token) { return fmt::format("'{}'", token); }

double probability_after(const riffle::explanation& step, riffle::token_id token) {
    for (const riffle::token_data& each : step.distribution)
        if (each.id == token) return static_cast<double>(each.p);
    return 0;
}

/// The stage that removed a token from the candidates, or nothing for one that the selector could still choose.
std::optional<std::size_t> remover(const riffle::explanation& step, riffle::token_id token) {
    const riffle::fate fate = step.fate_of(token);
    const auto stage = static_cast<std::size_t>(fate.stage);
    if (fate.survived || fate.stage < 0 || stage + 1 == step.stages.size()) return std::nullopt;
    return stage;
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

void print_stages(const terminal& screen, const std::vector<std::string>& stages, const riffle::explanation& step,
                  const std::string& chosen) {
    fmt::print("{}\n", screen.paint(fmt::format("{:<25}{:>7}{:>7}  {}", "stage", "before", "after", "mass removed"),
                                    style::faint));
    const std::size_t bar = screen.width() > 52 ? screen.width() - 52 : 0;
    for (std::size_t i = 0; i < step.stages.size(); ++i) {
        const riffle::stage_report& stage = step.stages[i];
        std::string line = fmt::format("{:<25}{:>7}{:>7}", stages[i], stage.before, stage.after);
        if (i + 1 == step.stages.size()) line += screen.paint(fmt::format("  chooses {}", chosen), style::accent);
        else if (stage.after < stage.before)
            line += fmt::format("  {:>7}  {}", percent(stage.mass_removed), screen.bar(stage.mass_removed, bar));
        fmt::print("{}\n", line);
    }
}

void print_tokens(const terminal& screen, const byte_pairs& vocabulary, std::span<const riffle::token_logprob> before,
                  const riffle::explanation& step) {
    const std::size_t bar = (screen.width() - 37) / 2;
    fmt::print("{}\n",
               screen.paint(fmt::format("  {:<17}{:<{}}  {}", "token", "in the model", bar + 8, "after the chain"),
                            style::faint));
    std::size_t rank = 0;
    std::vector<bool> seen(step.stages.size());  // stages whose most probable victim is in the table
    for (const riffle::token_logprob& each : before) {
        const bool chosen = each.id == step.token;
        const std::optional<std::size_t> stage = remover(step, each.id);
        const bool first_victim = stage && !seen[*stage];
        if (rank++ >= most_probable && !chosen && !first_victim) continue;
        if (stage) seen[*stage] = true;

        const double model = std::exp(static_cast<double>(each.logprob));
        const double chain = probability_after(step, each.id);
        const std::string after = stage ? fmt::format("cut by {}", step.stages[*stage].name)
                                        : fmt::format("{:>7} {}", percent(chain), screen.bar(chain, bar));
        fmt::print("{} {} {:>7} {:<{}}  {}\n", chosen ? ">" : " ",
                   screen.paint(fitted(quoted(vocabulary[each.id]), 16, screen.unicode()),
                                chosen ? style::accent : style::plain),
                   percent(model), screen.bar(model, bar), bar, after);
    }
}

}  // namespace

void print_step(const terminal& screen, const byte_pairs& vocabulary, const std::vector<std::string>& stages,
                std::span<const riffle::token_logprob> before, const riffle::explanation& step) {
    const std::string chosen =
        step.token == riffle::null_token ? std::string("nothing") : quoted(vocabulary[step.token]);
    print_stages(screen, stages, step, shortened(chosen, 15, screen.unicode()));
    fmt::print("\n");
    print_tokens(screen, vocabulary, before, step);
}

}  // namespace quickstart
