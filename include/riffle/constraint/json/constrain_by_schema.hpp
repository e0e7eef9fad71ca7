#pragma once
#include <utility>

#include <riffle/constraint/constrain_by_text.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/json/compile_json_schema.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Makes a stage of a grammar's text, or of a JSON schema: what chain_settings::build asks for where one is set.
///
///     constrain_by_schema by_schema(trie);
///     status made = settings.build(chain, &words, by_schema);
///     if (!made.ok()) std::puts(by_schema.problem().message().c_str());
///
/// Made without a trie it makes one of the vocabulary that build is given, each time.
class constrain_by_schema : public constrain_by_text {
public:
    constrain_by_schema() noexcept = default;
    /// Over the tokens of the vocabulary that build is given.
    explicit constrain_by_schema(const json_schema_options& options) noexcept : options_(options) {}
    /// Over this trie's tokens, whatever vocabulary build is given. `options` hold for every schema that it compiles,
    /// their limits for grammars, too.
    explicit constrain_by_schema(vocabulary_trie trie, const json_schema_options& options = {}) noexcept
        : constrain_by_text(std::move(trie), options.limits), options_(options) {}

    /// Appends the stage to a chain that is put together at run time. A schema that cannot be compiled is
    /// invalid_parameter: problem() says why and where.
    template <class Chain>
    status by_json_schema(const text& schema, const vocabulary* words, Chain& chain) {
        if (!can_match(words)) return status::invalid("settings", "json_schema", 0, "needs a vocabulary");
        const parsed<grammar> compiled = compile_json_schema(schema, options_);
        set_problem(compiled.problem());
        if (!compiled)
            return status::invalid("settings", "json_schema", double(schema.size()), "bytes long, cannot be compiled");
        return push(*compiled, words, chain);
    }

private:
    json_schema_options options_;
};

}  // namespace riffle
