#include "side_by_side.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "failure.hpp"

namespace quickstart {
namespace {

constexpr std::size_t gap = 3;  // columns between two columns of text

using lines = std::vector<std::vector<cell>>;

void append(lines& column, std::string_view text, std::size_t columns, style look = style::plain) {
    std::vector<cell> cells = cells_of(text, true);
    for (cell& each : cells) each.look = look;
    for (std::vector<cell>& line : wrap(cells, columns)) column.push_back(std::move(line));
}

/// The name, the seed and the stages of a chain.
lines heading(const shown_chain& chain, std::size_t columns) {
    lines column;
    append(column, chain.seed ? fmt::format("{}, seed {}", chain.name, *chain.seed) : chain.name, columns, style::bold);
    for (const std::string& stage : chain.stages) append(column, "| " + stage, columns, style::faint);
    return column;
}

/// The prompt, then the text, with the tokens marked that are not the model's first choice.
lines body(const byte_pairs& vocabulary, const std::string& prompt, const written& text, const terminal& screen,
           std::size_t columns) {
    std::string bytes = prompt;
    std::vector<style> looks(prompt.size(), style::bold);
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        bytes += vocabulary[text.tokens[i]];
        looks.resize(bytes.size(), text.first_choice[i] ? style::plain : style::accent);
    }
    // A character takes the look of its last byte: only then is it complete.
    std::vector<cell> cells = cells_of(bytes, screen.unicode(), true);
    std::size_t end = 0;
    for (cell& each : cells) {
        end += each.bytes;
        each.look = looks[end - 1];
    }
    return wrap(cells, columns);
}

std::size_t median(std::vector<std::size_t> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

lines statistics(const written& text, std::size_t columns) {
    const auto first = std::count(text.first_choice.begin(), text.first_choice.end(), true);
    const std::set<riffle::token_id> different(text.tokens.begin(), text.tokens.end());
    lines column;
    append(column, fmt::format("first choices: {} of {}", first, text.tokens.size()), columns, style::faint);
    append(column, fmt::format("different tokens: {}", different.size()), columns, style::faint);
    append(column, fmt::format("choices left: {}", median(text.choices_left)), columns, style::faint);
    return column;
}

void print_columns(const terminal& screen, const std::vector<lines>& columns, std::size_t width) {
    std::size_t height = 0;
    for (const lines& column : columns) height = std::max(height, column.size());
    for (std::size_t y = 0; y < height; ++y) {
        std::string line;
        std::size_t owed = 0;  // blanks, written only once something follows them
        for (const lines& column : columns) {
            std::size_t used = 0;
            if (y < column.size() && !column[y].empty()) {
                line.append(std::exchange(owed, 0), ' ');
                for (auto run = column[y].begin(); run != column[y].end();) {  // one escape sequence for each run
                    const style look = run->look;
                    std::string same;
                    for (; run != column[y].end() && run->look == look; ++run) {
                        same += run->text;
                        used += run->columns;
                    }
                    line += screen.paint(same, look);
                }
            }
            owed += width - used + gap;
        }
        fmt::print("{}\n", line);
    }
}

}  // namespace

written generate(const ngram_model& model, riffle::any_pipeline chain, std::span<const riffle::token_id> prompt,
                 std::size_t count) {
    written result;
    std::vector<riffle::token_id> history(prompt.begin(), prompt.end());
    std::vector<float> logits(model.vocabulary());
    chain.prompt(prompt);
    while (result.tokens.size() < count) {
        model.logits(history, logits);
        result.choices_left.push_back(chain.distribution(logits).size());
        const riffle::token_id token = chain.sample(logits);
        if (token == riffle::null_token)
            throw failure(fmt::format("no token can be chosen: {}", std::string_view(chain.last_status().message())));
        const float greatest = *std::max_element(logits.begin(), logits.end());
        result.first_choice.push_back(logits[static_cast<std::size_t>(token)] == greatest);
        result.tokens.push_back(token);
        history.push_back(token);
    }
    return result;
}

void print_side_by_side(const terminal& screen, const byte_pairs& vocabulary, const std::string& prompt,
                        std::span<const shown_chain> chains, std::span<const written> texts) {
    const std::size_t width = (screen.width() - gap * (chains.size() - 1)) / chains.size();
    std::vector<lines> headings;
    std::vector<lines> bodies;
    std::vector<lines> ends;
    for (std::size_t i = 0; i < chains.size(); ++i) {
        headings.push_back(heading(chains[i], width));
        bodies.push_back(body(vocabulary, prompt, texts[i], screen, width));
        ends.push_back(statistics(texts[i], width));
    }
    for (const std::vector<lines>& part : {headings, bodies, ends}) {
        print_columns(screen, part, width);
        fmt::print("\n");
    }
    const std::string_view legend =
        "First choice: the model holds no token for more probable. Choices left: tokens that still have a chance "
        "after the chain, at the median step.";
    fmt::print("{}", screen.paragraph(legend, style::faint));
    if (screen.color())
        fmt::print("{}", screen.paragraph("In colour: tokens that are not the first choice.", style::accent));
}

}  // namespace quickstart
