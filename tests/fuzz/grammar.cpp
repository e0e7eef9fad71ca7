// A grammar in GBNF of any bytes: read, and followed for a few tokens.

#include <string>

#include <riffle/constraint/gbnf.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/grammar_walk.hpp"

namespace riffle_tests::fuzz {

void grammar(input in) {
    const std::string source(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());
    const riffle::parsed<riffle::grammar> once = riffle::parse_gbnf(source), twice = riffle::parse_gbnf(source);
    must(once.ok() == twice.ok(), "a text is read the same way each time");
    must(once.problem().message() == twice.problem().message(), "the problem of a text is the same each time");
    riffle::grammar_limits small;
    small.depth = 4;
    small.repetitions = 50;
    small.rules = 4;
    small.nodes = 200;
    small.states = 8;
    small.automaton_bytes = 4000;
    small.mask_bytes = 400;
    const riffle::parsed<riffle::grammar> limited = riffle::parse_gbnf(source, "root", small);
    must(once.ok() || !limited.ok(), "what is refused is refused in narrower limits, too");
    if (!once.ok()) {
        must_have_a_place(once.problem(), source);
        return must_have_a_place(limited.problem(), source);
    }
    must(once.problem().sentence.empty(), "there is no problem where a text is read");
    follow(*once, source.size());
    follow(*once, 0);
    if (limited.ok()) follow(*limited, source.size());
}

}  // namespace riffle_tests::fuzz
