#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <riffle/json_schema.hpp>
#include <riffle/riffle.hpp>

#include "../npc_grammar/language_model.hpp"

/// How many tokens there were, and how many of them the schema left no choice about.
struct token_counts {
    std::size_t all = 0, forced = 0, evaluations = 0;
};

/// Writes documents of a schema, one after the other, by a model.
class record_writer {
public:
    /// Throws std::runtime_error where the schema cannot be compiled.
    record_writer(language_model& model, const std::string& schema);

    /// One document. `show` is told each part of it as it comes, and whether it was forced. False where the model
    /// gives no logits any more: a real one has room for so many tokens.
    bool write(std::uint64_t seed, const std::function<void(std::string_view part, bool is_forced)>& show);
    const token_counts& counts() const noexcept { return counts_; }

private:
    language_model& model_;
    riffle::vocabulary_trie trie_;
    riffle::grammar documents_;
    token_counts counts_;
};

/// A record of somebody who lives in the valley.
extern const char* const villager_schema;
