#include "watch.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <riffle/explain.hpp>

#include "held_coins.hpp"
#include "keyboard.hpp"
#include "step_table.hpp"

namespace quickstart {
namespace {

using riffle::token_id;

constexpr std::size_t draws_at_once = 1000;
constexpr std::string_view key_help =
    "up down: parameter   left right: change it   page up, page down: by ten   space: stage on or off\n"
    "< >: move the stage   return: choose a token   g: go on for 40   b: take one back   d: draw 1000   n: new seed   "
    "q: leave\n";

/// What is watched, and what keys do to it.
class watched_step {
public:
    watched_step(const terminal& screen, const byte_pairs& vocabulary, const ngram_model& model,
                 std::span<const token_id> prompt, adjustable_chain chain)
        : screen_(screen), vocabulary_(vocabulary), model_(model), prompt_(prompt.begin(), prompt.end()),
          stages_(std::move(chain)), row_(model.vocabulary()) {
        rebuild();
    }

    /// False for the key that ends it.
    bool take(const pressed& typed) {
        if (typed.which == key::end_of_input || (typed.which == key::letter && typed.letter == 'q')) return false;
        drawn_.clear();
        switch (typed.which) {
        case key::up: return move_cursor(-1);
        case key::down: return move_cursor(+1);
        case key::left: return change(-1);
        case key::right: return change(+1);
        case key::page_down: return change(-10);
        case key::page_up: return change(+10);
        case key::letter: return take_letter(typed.letter);
        case key::end_of_input: break;
        }
        return false;
    }

    void show() {
        fmt::print("{}\n", screen_.rule("text"));
        std::string text;
        for (const token_id token : prompt_) text += vocabulary_[token];
        for (const token_id token : generated_) text += vocabulary_[token];
        fmt::print("{}", screen_.paragraph(end_of(text)));
        fmt::print("{}\n", screen_.rule("chain"));
        show_parameters();
        if (!problem_.empty()) return fmt::print("\n{}\n", problem_);
        fmt::print("{}\n", screen_.rule(fmt::format("the next token, number {}", generated_.size() + 1)));
        show_step();
    }

private:
    bool take_letter(char letter) {
        switch (letter) {
        case 'k': return move_cursor(-1);
        case 'j': return move_cursor(+1);
        case 'h': return change(-1);
        case 'l': return change(+1);
        case ' ': stages_.switch_on_or_off(at().stage); return rebuild();
        case '<': return move_stage(-1);
        case '>': return move_stage(+1);
        case '\n': return go_on(1);
        case 'g': return go_on(40);
        case 'b':
            if (!generated_.empty()) generated_.pop_back();
            return rebuild();
        case 'd': return draw();
        case 'n': stages_.use_seed(riffle::random_seed()); return rebuild();
        default: return true;
        }
    }
    const adjustable_chain::parameter& at() const { return stages_.parameters()[cursor_]; }

    bool move_cursor(int places) {
        const std::size_t count = stages_.parameters().size();
        cursor_ = (cursor_ + count + static_cast<std::size_t>(std::ptrdiff_t{places})) % count;
        return true;
    }
    bool change(int steps) {
        stages_.change(at(), steps);
        return rebuild();
    }
    /// The cursor stays with the stage.
    bool move_stage(int places) {
        const riffle::option* held = at().option;
        if (!stages_.move(at().stage, places)) return true;
        while (at().option != held) cursor_ = (cursor_ + 1) % stages_.parameters().size();
        return rebuild();
    }

    /// Makes the chain anew and has it read the text so far.
    bool rebuild() {
        chain_ = stages_.make(problem_);
        chain_.prompt(prompt_);
        for (const token_id token : generated_) chain_.accept(token);
        return renew_row();
    }
    bool renew_row() {
        std::vector<token_id> history(prompt_);
        history.insert(history.end(), generated_.begin(), generated_.end());
        model_.logits(history, row_);
        return true;
    }
    bool go_on(std::size_t count) {
        for (; count > 0 && problem_.empty(); --count) {
            const token_id token = chain_.sample(row_);
            if (token == riffle::null_token) break;  // the step that is shown says why
            generated_.push_back(token);
            renew_row();
        }
        return true;
    }
    bool draw() {
        drawn_.assign(row_.size(), 0);
        riffle::dynamic_chain again = with_held_coins(chain_, riffle::explain(chain_, row_));
        for (std::size_t i = 0; i < draws_at_once; ++i) {
            again.retry();
            const token_id token = again.peek(row_);
            if (token != riffle::null_token) ++drawn_[static_cast<std::size_t>(token)];
        }
        return true;
    }

    /// As much of a text as three lines hold.
    std::string_view end_of(std::string_view text) const {
        std::size_t first = text.size() - std::min(text.size(), 3 * (screen_.width() - 12));
        while (first > 0 && first < text.size() && text[first] != ' ') ++first;
        return text.substr(first);
    }
    void show_parameters() const {
        for (std::size_t stage = 0; stage < stages_.stages(); ++stage) {
            const bool is_on = stages_.is_on(stage);
            std::string line = fmt::format("{:<14}", stages_.name(stage));
            for (const adjustable_chain::parameter& each : stages_.parameters()) {
                if (each.stage != stage) continue;
                const bool is_here = &each == &at();
                const std::string shown =
                    fmt::format("{}{} {}", is_here ? '>' : ' ', each.option->names[0], stages_.value(each));
                line += screen_.paint(shown, is_here ? style::accent : is_on ? style::plain : style::faint) + "  ";
            }
            fmt::print("{}{}\n", line, is_on ? "" : screen_.paint("off", style::faint));
        }
    }
    void show_step() {
        const riffle::explanation step = riffle::explain(chain_, row_);
        std::vector<std::string> names;
        for (const riffle::stage_report& each : step.stages) names.push_back(each.name);
        const auto order = chain_.logprobs(row_, row_.size(), riffle::before);
        const std::vector<riffle::token_logprob> before(order.begin(), order.end());
        print_step(screen_, vocabulary_, names, before, step);
        if (!step.state.ok()) fmt::print("\nno token: {}\n", step.state.message().c_str());
        if (!drawn_.empty()) show_draws(step);
    }
    /// The likeliest of the law, and how often each came.
    void show_draws(const riffle::explanation& step) const {
        fmt::print("\n{}\n", screen_.rule(fmt::format("{} draws of it", draws_at_once)));
        for (std::size_t i = 0; i < std::min<std::size_t>(step.distribution.size(), 8); ++i) {
            const riffle::token_data& each = step.distribution[i];
            const std::size_t count = drawn_[static_cast<std::size_t>(each.id)];
            const double share = static_cast<double>(count) / draws_at_once;
            fmt::print("  {} {:>6.1f} % {:>6}  {}\n",
                       fitted(fmt::format("'{}'", vocabulary_[each.id]), 16, screen_.unicode()),
                       100.0 * static_cast<double>(each.p), count, screen_.bar(share, screen_.width() / 2));
        }
    }

    const terminal& screen_;
    const byte_pairs& vocabulary_;
    const ngram_model& model_;
    std::vector<token_id> prompt_, generated_;
    adjustable_chain stages_;
    riffle::dynamic_chain chain_;
    std::string problem_;
    std::vector<float> row_;
    std::vector<std::size_t> drawn_;  ///< by id; empty where nothing was drawn
    std::size_t cursor_ = 0;
};

/// A screen of its own, where the output is a terminal; elsewhere one picture follows the other.
class pictures {
public:
    pictures() : is_terminal_(terminal::is_terminal(stdout)) {
        if (is_terminal_) fmt::print("\033[?1049h");
    }
    pictures(const pictures&) = delete;
    pictures& operator=(const pictures&) = delete;
    ~pictures() {
        if (is_terminal_) std::fputs("\033[?1049l", stdout);
    }
    void begin_next() const { fmt::print("{}", is_terminal_ ? "\033[H\033[2J" : "\n"); }

private:
    bool is_terminal_;
};

}  // namespace

void watch(const terminal& screen, const byte_pairs& vocabulary, const ngram_model& model,
           std::span<const token_id> prompt, adjustable_chain chain) {
    watched_step step(screen, vocabulary, model, prompt, std::move(chain));
    keyboard keys;
    pictures shown;
    do {
        shown.begin_next();
        step.show();
        fmt::print("\n{}", screen.paint(key_help, style::faint));
        std::fflush(stdout);
    } while (step.take(keys.next()));
}

}  // namespace quickstart
