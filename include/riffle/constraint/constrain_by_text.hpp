#pragma once
#include <cstddef>
#include <utility>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Makes a stage of a grammar's text: what chain_settings::build asks for where a grammar is set.
///
///     constrain_by_text by_grammar(trie);
///     status made = settings.build(chain, &words, by_grammar);
///     if (!made.ok()) std::puts(by_grammar.problem().message().c_str());
///
/// Made without a trie it makes one of the vocabulary that build is given, each time.
class constrain_by_text {
public:
    constrain_by_text() noexcept = default;
    /// Over this trie's tokens, whatever vocabulary build is given. `limits` hold for every grammar that it reads.
    explicit constrain_by_text(vocabulary_trie trie, const grammar_limits& limits = {}) noexcept
        : trie_(std::move(trie)), limits_(limits), has_trie_(true) {}

    /// Appends the stage to a chain that is put together at run time. A grammar that cannot be read is
    /// invalid_parameter: problem() says why and where.
    template <class Chain>
    status operator()(const text& source, const vocabulary* words, Chain& chain) {
        if (!can_match(words)) return status::invalid("settings", "grammar", 0, "needs a vocabulary");
        const parsed<grammar> read = parse_gbnf(source, "root", limits_);
        problem_ = read.problem();
        if (!read) return status::invalid("settings", "grammar at byte", double(problem_.offset), "cannot be read");
        return push(*read, words, chain);
    }
    /// What was wrong with the text read last; nothing in it where nothing was.
    const parse_problem& problem() const noexcept { return problem_; }

protected:
    /// Whether there are tokens: a trie, or the vocabulary that build is given.
    bool can_match(const vocabulary* words) const noexcept { return has_trie_ || words; }
    /// Appends the stage that keeps to a language.
    template <class Chain>
    status push(const grammar& language, const vocabulary* words, Chain& chain) const {
        return chain.push(riffle::constrain{grammar_matcher(language, has_trie_ ? trie_ : vocabulary_trie(*words))});
    }
    /// What problem() is from now on.
    void set_problem(const parse_problem& problem) { problem_ = problem; }

private:
    vocabulary_trie trie_;
    grammar_limits limits_;
    bool has_trie_ = false;
    parse_problem problem_;
};

}  // namespace riffle
