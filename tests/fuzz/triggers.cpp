// Triggers of any words and a few patterns, thoughts around them, and tokens: what is legal is what is accepted, and
// going back leads to where it was.

#include <string>
#include <vector>

#include <riffle/constraint.hpp>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

using namespace riffle;

const vocabulary& some_words() {
    static const vocabulary words = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "<", ">", "ab", "<a", "a>", ">ab", "<ab>", "\xC3", "\xA9", " ", "(", ")", ")a", "(<", "b)>", ""})
            made.add(piece);
        made.add("<c>", token_role::control);
        made.add("</s>", token_role::control | token_role::end_of_generation);
        return made;
    }();
    return words;
}
const vocabulary_trie& trie() {
    static const vocabulary_trie made(some_words());
    return made;
}
template <class Matcher>
void walk(Matcher m, input& in) {
    if (!(m.check)().ok()) return must(m.accept(0).refused, "without what it needs nothing is accepted");
    struct kept {
        std::uint64_t mark;
        std::vector<bool> legal;
    };
    const auto legal_now = [&] {
        std::vector<bool> legal(some_words().size());
        const legal_tokens now = m.legal();
        for (std::size_t id = 0; id < legal.size(); ++id) legal[id] = now.contains(token_id(id));
        return legal;
    };
    std::vector<kept> marks;
    for (int i = 0; i < 60 && !in.empty(); ++i) {
        const std::vector<bool> legal = legal_now();
        for (std::size_t id = 0; id < legal.size(); ++id)
            must(legal[id] == m.allows(token_id(id)), "what is legal is what is allowed");
        marks.push_back({m.mark(), legal});
        const std::size_t what = in.byte();
        if (what >= 240) {
            const kept& back = marks[what % marks.size()];
            if (!m.rollback(back.mark).ok()) continue;
            must(legal_now() == back.legal, "behind a rollback all is as it was");
            while (marks.back().mark > back.mark) marks.pop_back();
            continue;
        }
        const auto token = token_id(what % (some_words().size() + 1)) - (what == 0);
        const bool is_allowed = m.allows(token);
        const step taken = m.accept(token);
        must(taken.refused == !is_allowed, "what is not allowed is refused");
        if (taken.rewind > 0) {  // an end of generation within thoughts: taken back, it ends them
            must(m.rollback(marks.back().mark).ok(), "what asks to be taken back can be");
            while (!marks.empty() && marks.back().mark == m.mark()) marks.pop_back();
            continue;
        }
        must(!taken.refused || legal_now() == legal, "a refused token changes nothing");
        token_id run[4];
        const std::size_t forced = m.forced_run(run);
        if (forced > 0) must(m.allows(run[0]), "a forced token is legal");
        const Matcher copy = m;
        must(copy.mark() == m.mark(), "a copy stands where the original does");
    }
}

}  // namespace

void triggers(input in) {
    static const char* const sources[] = {"root ::= \"a\" \"b\"* \">\"", "root ::= [a-b<]+", "root ::= \"<ab>\" | \"<\" | \"ab\"", "root ::= \"\"",
                                          "root ::= \"a\" <c> \"b\""};
    static const char* const patterns[] = {"a+>", "[<(]b", "\xC3\xA9", "^ab", "a|b<"};
    const riffle::grammar language = *parse_gbnf(sources[in.below(5)]);
    riffle::triggers by;
    for (std::size_t i = in.below(3); i-- > 0;) {
        std::string made;
        for (std::size_t k = in.below(4); k-- > 0;) made += "ab<>() "[in.below(7)];
        by.words.push_back(made);
    }
    by.begins = constraint_begins(in.below(2));
    for (std::size_t i = in.below(2); i-- > 0;) by.patterns.push_back(patterns[in.below(5)]);
    if (in.below(3) == 0) by.tokens.push_back(token_id(in.below(20)));
    const triggered woken(grammar_matcher(language, trie()), by, after_constraint(in.below(3)));
    const std::size_t how = in.below(3);
    if (how == 0) return walk(woken, in);
    reasoning_budget budget{.tokens = std::int64_t(in.below(5)) - 1, .bytes = std::int64_t(in.below(9)) - 1, .begins = {"("}, .ends = {")"}};
    budget.starts_inside = in.below(3) == 0;
    budget.end_of_generation_ends_thoughts = in.below(2) == 0;
    const thought_tags tags(trie(), budget);
    if (how == 1) walk(budgeted(tags, woken), in);
    else walk(budgeted(tags, grammar_matcher(language, trie())), in);
}

}  // namespace riffle_tests::fuzz
