// A regular expression of any bytes: read as a grammar and as an automaton, and both agree about a text.

#include <algorithm>
#include <string>

#include <riffle/constraint/gbnf_writer.hpp>
#include <riffle/constraint/regex/parse_regex.hpp>
#include <riffle/constraint/regex/regex_automaton.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/grammar_walk.hpp"

namespace riffle_tests::fuzz {

void pattern(input in) {
    std::string source(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());
    // Behind the last line feed stands a text to be matched.
    const std::size_t end = std::min(source.rfind('\n'), source.size());
    const std::string word = end < source.size() ? source.substr(end + 1) : "ab";
    source.resize(end);
    const riffle::parsed<riffle::grammar> g = riffle::parse_regex(source);
    riffle::detail::regex_reader<riffle::detail::regex> reader{riffle::text(source)};
    const bool is_read = reader.read();
    must(is_read || !g.ok(), "what cannot be read makes no grammar");
    if (!g.ok()) return must_have_a_place(g.problem(), source);
    follow(*g, source.size());
    must(!riffle::to_gbnf(*g).empty(), "a grammar can be written");
    riffle::detail::regex_automaton<riffle::detail::regex> of(reader.made(), 500);
    riffle::detail::character_automaton language;
    if (!of.make(riffle::detail::regex_match::whole, language)) return;
    riffle::grammar_matcher m(*g, few_tokens());
    const bool is_taken = m.accept_bytes(word).ok() && m.is_complete();
    must(is_taken == (language.label_of(word) != 0), "the grammar and the automaton have the same texts");
}

}  // namespace riffle_tests::fuzz
