// A settings text of any bytes.

#include <string>

#include <riffle/settings.hpp>

#include "fuzz/fuzz.hpp"
#include "fuzz/settings_chain.hpp"

namespace riffle_tests::fuzz {

namespace {

std::string problem_of(const riffle::chain_settings& s) { return s.problem().c_str(); }

}  // namespace

void settings(input in) {
    const std::string bytes(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());
    const riffle::text text(bytes);
    riffle::chain_settings once, twice;
    const bool readable = once.read(text);
    must(twice.read(text) == readable, "a text is read the same way each time");
    must(readable == problem_of(once).empty(), "there is a problem where a text is refused, and only there");
    must(problem_of(once) == problem_of(twice), "the problem of a text is the same each time");
    must(problem_of(once).size() <= longest_problem, "a problem is short, however long the text");
    if (!readable) return;

    must_sample(once);
}

}  // namespace riffle_tests::fuzz
