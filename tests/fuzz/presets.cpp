// Another program's settings, with values of any bytes.

#include <string>

#include <riffle/settings.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/settings_chain.hpp"

namespace riffle_tests::fuzz {

namespace {

constexpr std::size_t most_notes = 65;

riffle::dialect dialect_in(input& in) {
    using riffle::dialect;
    constexpr dialect all[] = {dialect::llama, dialect::koboldcpp, dialect::text_generation_webui, dialect::ollama,
                               dialect::openai};
    return all[in.below(std::size(all))];
}
/// Bytes up to the next zero, or to the end.
std::string text_in(input& in) {
    std::string bytes;
    while (!in.empty()) {
        const char next = char(in.byte());
        if (next == 0) break;
        bytes += next;
    }
    return bytes;
}
/// Mostly a key that the program has.
std::string key_in(input& in, riffle::dialect whose) {
    const auto known = riffle::keys_of(whose).keys;
    const std::size_t i = in.byte();
    return i < known.size() ? known[i].names[0] : text_in(in);
}

}  // namespace

void presets(input in) {
    const riffle::dialect whose = dialect_in(in);
    riffle::preset preset(whose);
    bool readable = true;
    while (!in.empty()) {
        const std::string key = key_in(in, whose), value = text_in(in);
        readable = preset.set(riffle::text(key), riffle::text(value)) && readable;
    }
    must(readable == preset.problem().empty(), "there is a problem where a value is refused, and only there");
    must(preset.problem().size() <= longest_problem, "a problem is short, however many values are refused");
    must(preset.notes().size() <= most_notes, "there are only so many notes, however many keys there are");

    riffle::chain_settings settings;
    settings.temp = 0.123f;
    must(preset.make(settings) == readable, "settings are made where all can be read, and only there");
    if (!readable) return must(settings.temp == 0.123f, "what cannot be read changes nothing");

    must_sample(settings);
}

}  // namespace riffle_tests::fuzz
