#include "options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <riffle/riffle.hpp>

#include "byte_pairs.hpp"
#include "failure.hpp"

namespace quickstart {
namespace {

/// One option: how it is spelt, what it takes (nothing: a switch), what it does.
struct option {
    std::string_view name;
    std::string_view argument;
    std::string_view help;
    void (*set)(options& result, std::string_view value);
};

std::uint64_t whole_number(std::string_view name, std::string_view value, std::uint64_t least, std::uint64_t greatest) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least || number > greatest)
        throw usage_error(
            fmt::format("{}: expected a whole number from {} to {}, not '{}'", name, least, greatest, value));
    return number;
}

constexpr std::uint64_t many = std::numeric_limits<std::int32_t>::max();

constexpr std::array option_table{
    option{"--prompt", "TEXT", "what the generated text starts from",
           [](options& o, std::string_view value) { o.prompt = value; }},
    option{"--tokens", "N", "tokens to generate with each chain (default 72)",
           [](options& o, std::string_view value) { o.tokens = whole_number("--tokens", value, 1, 10'000); }},
    option{"--step", "N", "generated token whose choice is shown in full (default 1)",
           [](options& o, std::string_view value) { o.step = whole_number("--step", value, 1, 10'000); }},
    option{"--seed", "N", "seed of the chains that draw (default 42), or 'random'",
           [](options& o, std::string_view value) {
               o.seed = value == "random" ? riffle::random_seed()
                                          : whole_number("--seed", value, 0, std::numeric_limits<std::uint64_t>::max());
           }},
    option{"--watch", "", "one step at a time: keys change the chain, choose tokens and draw",
           [](options& o, std::string_view) { o.watch = true; }},
    option{"--chain", "SETTINGS", "the chain to watch, as top_k=40;temp=0.8 (names of llama.cpp's)",
           [](options& o, std::string_view value) { o.chain = value; }},
    option{"--vocab", "V", "tokens to learn from the text (default 4096); with --logits, numbers in a row",
           [](options& o, std::string_view value) { o.vocabulary = whole_number("--vocab", value, 1, many); }},
    option{"--logits", "FILE", "read recorded logits instead of learning from a text",
           [](options& o, std::string_view value) { o.logits = value; }},
    option{"--rows", "N", "rows in that file",
           [](options& o, std::string_view value) { o.rows = whole_number("--rows", value, 1, many); }},
    option{"--type", "f32|f16", "its numbers, little-endian (default: told by the size of the file)",
           [](options& o, std::string_view value) {
               if (value != "f32" && value != "f16")
                   throw usage_error(fmt::format("--type: expected f32 or f16, not '{}'", value));
               o.type = value == "f32" ? logit_type::float32 : logit_type::float16;
           }},
    option{"--width", "N", "columns to fill (default: the terminal's)",
           [](options& o, std::string_view value) { o.width = whole_number("--width", value, 64, 400); }},
    option{"--no-color", "", "no colours; the environment variable NO_COLOR does the same",
           [](options& o, std::string_view) { o.color = false; }},
    option{"--help", "", "this page", [](options& o, std::string_view) { o.help = true; }},
};

/// Levenshtein distance: the insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

const option& find_option(std::string_view name) {
    const auto found = std::find_if(option_table.begin(), option_table.end(),
                                    [&](const option& candidate) { return candidate.name == name; });
    if (found != option_table.end()) return *found;

    const auto nearest =
        std::min_element(option_table.begin(), option_table.end(), [&](const option& a, const option& b) {
            return edit_distance(name, a.name) < edit_distance(name, b.name);
        });
    const bool close = edit_distance(name, nearest->name) <= 3;
    throw usage_error(
        fmt::format("unknown option '{}'; {}", name,
                    close ? fmt::format("did you mean {}?", nearest->name) : std::string("--help lists the options")));
}

void check(const options& result, const std::vector<std::string_view>& given) {
    if (result.logits) {
        for (const std::string_view name : given)
            if (name == "--prompt" || name == "--tokens" || name == "--step" || name == "--watch" || name == "--chain")
                throw usage_error(
                    fmt::format("{} is about generated text, and --logits generates none: drop one of them", name));
        if (result.text)
            throw usage_error(
                fmt::format("--logits reads rows instead of a text: drop '{}' or --logits", *result.text));
        if (result.rows == 0 || result.vocabulary == 0)
            throw usage_error("--logits needs --rows N and --vocab V, the shape of the file");
        return;
    }
    if (result.rows != 0 || result.type)
        throw usage_error(fmt::format("{} describes a file of logits; name it with --logits FILE",
                                      result.rows != 0 ? "--rows" : "--type"));
    if (result.vocabulary != 0 && (result.vocabulary < byte_pairs::least || result.vocabulary > byte_pairs::greatest))
        throw usage_error(fmt::format("--vocab: a text is cut into {} to {} different tokens, not {}",
                                      byte_pairs::least, byte_pairs::greatest, result.vocabulary));
    const auto is_given = [&](std::string_view name) {
        return std::find(given.begin(), given.end(), name) != given.end();
    };
    if (result.watch && (is_given("--tokens") || is_given("--step")))
        throw usage_error("--watch chooses tokens by key: drop --tokens and --step");
    if (!result.watch && is_given("--chain")) throw usage_error("--chain is what --watch shows: add --watch");
    if (result.step > result.tokens)
        throw usage_error(
            fmt::format("--step {}: only {} tokens are generated (--tokens)", result.step, result.tokens));
}

}  // namespace

options parse_options(int count, const char* const* arguments) {
    options result;
    std::vector<std::string_view> given;
    bool only_names = false;  // after "--", nothing is an option
    for (int i = 1; i < count; ++i) {
        std::string_view word = arguments[i];
        if (only_names || word.size() < 2 || word[0] != '-') {
            if (result.text) throw usage_error(fmt::format("one text at a time: '{}' or '{}'", *result.text, word));
            result.text = word;
        } else if (word == "--") {
            only_names = true;
        } else {
            const std::size_t equals = word.find('=');
            const std::string_view name = word == "-h" ? "--help" : word.substr(0, equals);
            const option& known = find_option(name);
            std::string_view value;
            if (known.argument.empty()) {
                if (equals != std::string_view::npos) throw usage_error(fmt::format("{} takes no value", known.name));
            } else if (equals != std::string_view::npos) {
                value = word.substr(equals + 1);
            } else if (i + 1 < count) {
                value = arguments[++i];
            } else {
                throw usage_error(fmt::format("{} needs a value: {} {}", known.name, known.name, known.argument));
            }
            known.set(result, value);
            given.push_back(known.name);
        }
    }
    if (!result.help) check(result, given);
    return result;
}

std::string help_page() {
    std::string page = "quickstart: see what riffle's samplers do, without a model or a GPU\n"
                       "\n"
                       "  quickstart [options] [TEXT]\n"
                       "      learns a small language model from TEXT, a file or a folder of files (default:\n"
                       "      small tales that it brings along), writes with three chains side by side,\n"
                       "      and shows what each stage of one of them did at one step\n"
                       "\n"
                       "  quickstart --watch [options] [TEXT]\n"
                       "      one step at a time: keys change the chain, and each stage shows what it does\n"
                       "\n"
                       "  quickstart --logits FILE --rows N --vocab V\n"
                       "      reads recorded rows of logits, of any model, and prints the tokens chosen\n"
                       "\n"
                       "options\n";
    for (const option& known : option_table)
        page += fmt::format("  {:<19}{}\n", fmt::format("{} {}", known.name, known.argument), known.help);
    return page;
}

}  // namespace quickstart
