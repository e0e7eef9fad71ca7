#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/json_schema.hpp>

/// Documents beside a schema, a byte at a time.
namespace riffle_tests::json_documents {

/// A token for each byte, and an end.
inline const riffle::vocabulary_trie& bytes() {
    static const riffle::vocabulary_trie trie = [] {
        riffle::vocabulary all;
        for (int b = 0; b < 256; ++b) all.add(std::string(1, char(b)), riffle::token_role::text);
        all.add("</s>", riffle::token_role::control | riffle::token_role::end_of_generation);
        return riffle::vocabulary_trie(all);
    }();
    return trie;
}

inline riffle::json_schema_options compact() { return {.whitespace = riffle::json_whitespace::compact}; }

/// Whether a document is one of a grammar.
inline bool takes(const riffle::grammar& g, const std::string& document) {
    riffle::grammar_matcher m(g, bytes());
    for (const char c : document)
        if (m.accept(std::uint8_t(c)).refused) return false;
    return m.is_complete();
}

/// Documents that a schema takes, and others that it does not.
struct example {
    std::string schema;
    std::vector<std::string> taken, refused;
};
inline void expect(const example& e, const riffle::json_schema_options& options = {}) {
    SCOPED_TRACE(e.schema.substr(0, 500));
    const riffle::parsed<riffle::grammar> g = riffle::compile_json_schema(e.schema, options);
    ASSERT_TRUE(g.ok()) << g.problem().message();
    for (const std::string& document : e.taken) EXPECT_TRUE(takes(*g, document)) << document;
    for (const std::string& document : e.refused) EXPECT_FALSE(takes(*g, document)) << document;
}
inline void expect_all(const std::vector<example>& all, const riffle::json_schema_options& options = {}) {
    for (const example& e : all) expect(e, options);
}
inline void expect_problem(const std::string& schema, const std::string& where, const std::string& sentence,
                           const riffle::json_schema_options& options = {}) {
    SCOPED_TRACE(schema.substr(0, 500));
    const riffle::parsed<riffle::grammar> g = riffle::compile_json_schema(schema, options);
    ASSERT_FALSE(g.ok());
    EXPECT_EQ(g.problem().where, where);
    EXPECT_EQ(g.problem().sentence.substr(0, sentence.size()), sentence);
}

}  // namespace riffle_tests::json_documents
