// Records by a JSON schema, printed as they come: whatever the model says, each is a document of that schema.
//
//     json_records                          a dozen villagers, by the quickstart's little model
//     json_records --schema FILE            documents of another schema
//     json_records --model MODEL.gguf       by a real model, where this was built with llama.cpp
//     json_records --count 100 --seed 7     so many of them, from this seed on
//
// On a terminal what was forced, so that the model had no choice, is faint.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../quickstart/sample_text.hpp"
#include "../quickstart/terminal.hpp"
#include "records.hpp"

namespace {

struct options {
    std::string schema = villager_schema, model;
    std::uint64_t count = 12, seed = 1;
};

std::string file_at(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}
std::uint64_t number_in(const std::string& digits) {
    char* end = nullptr;
    const std::uint64_t number = std::strtoull(digits.c_str(), &end, 10);
    if (digits.empty() || digits[0] == '-' || *end != '\0') throw std::invalid_argument(digits + " is no number");
    return number;
}
options options_in(int count, char** arguments) {
    options o;
    for (int i = 1; i < count; i += 2) {
        const std::string name = arguments[i], value = i + 1 < count ? arguments[i + 1] : "";
        if (value.empty()) throw std::invalid_argument(name + " needs a value");
        if (name == "--schema") o.schema = file_at(value);
        else if (name == "--model") o.model = value;
        else if (name == "--count") o.count = number_in(value);
        else if (name == "--seed") o.seed = number_in(value);
        else throw std::invalid_argument("there is no option " + name);
    }
    return o;
}

int write_records(const options& o) {
    const auto model = o.model.empty() ? learn_small_model(quickstart::sample_text()) : load_gguf(o.model);
    if (!model) return 1;
    record_writer writer(*model, o.schema);
    const quickstart::terminal screen(0, quickstart::terminal::is_terminal(stdout));
    for (std::uint64_t i = 0; i < o.count; ++i) {
        const bool is_whole = writer.write(o.seed + i, [&](std::string_view part, bool is_forced) {
            const auto look = is_forced ? quickstart::style::faint : quickstart::style::plain;
            std::fputs(screen.paint(part, look).c_str(), stdout);
            std::fflush(stdout);
        });
        std::puts("");
        if (is_whole) continue;
        std::fprintf(stderr, "the model gives no logits any more, so this document is not whole\n");
        return 1;
    }
    const token_counts& c = writer.counts();
    const double share = c.all == 0 ? 0.0 : 100.0 * double(c.forced) / double(c.all);
    std::printf("%zu tokens, %zu of them forced (%.0f %%), in %zu evaluations\n", c.all, c.forced, share, c.evaluations);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return write_records(options_in(count, arguments));
    } catch (const std::invalid_argument& wrong) {
        std::fprintf(stderr, "%s\njson_records [--schema FILE] [--model MODEL.gguf] [--count N] [--seed N]\n", wrong.what());
        return 2;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
