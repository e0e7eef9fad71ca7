// The sample of real schemas: no invalid instance is taken, and valid ones are, but where their properties come in an
// order that is not the schema's. Byte by byte, and by tokens that cut across names, quotes and brackets.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/json_schema.hpp>

#include "json_schema/documents.hpp"
#include "json_schema/schema_sample.hpp"

namespace {

using namespace riffle;
using riffle_tests::json_documents::takes;
using riffle_tests::sampled_schema;

/// Every byte, and pieces of the sample's own instances.
class pieces {
public:
    explicit pieces(const std::vector<sampled_schema>& all) {
        for (int b = 0; b < 256; ++b) words_.add(std::string(1, char(b)), token_role::text);
        std::size_t length = 2;
        for (const sampled_schema& s : all)
            for (const std::string& instance : s.valid)
                for (std::size_t at = 0; at + length < instance.size() && words_.size() < 20000; at += 3, length = 2 + (length + 1) % 9)
                    add(instance.substr(at, length));
        words_.add("</s>", token_role::control | token_role::end_of_generation);
        trie_ = vocabulary_trie(words_);
    }
    /// The longest tokens, from the left.
    std::vector<token_id> split(const std::string& of) const {
        std::vector<token_id> tokens;
        for (std::size_t at = 0; at < of.size();) {
            std::size_t length = std::min<std::size_t>(longest, of.size() - at);
            while (length > 1 && !known_.contains(of.substr(at, length))) --length;
            tokens.push_back(length == 1 ? token_id(std::uint8_t(of[at])) : known_.at(of.substr(at, length)));
            at += length;
        }
        return tokens;
    }
    const vocabulary_trie& trie() const { return trie_; }

private:
    enum : std::size_t { longest = 10 };
    void add(const std::string& piece) {
        if (!known_.contains(piece)) known_[piece] = words_.add(piece);
    }
    vocabulary words_;
    vocabulary_trie trie_;
    std::map<std::string, token_id> known_;
};

/// By tokens: each of them is legal in its mask, too.
bool takes_tokens(const grammar& g, const pieces& of, const std::string& document) {
    grammar_matcher m(g, of.trie());
    for (const token_id token : of.split(document)) {
        const bool is_legal = m.legal().contains(token);
        EXPECT_EQ(is_legal, !m.accept(token).refused) << "mask and matcher differ";
        if (!is_legal) return false;
    }
    return m.is_complete();
}

TEST(JsonSchemaSample, IsKeptToTheLetter) {
    const std::vector<sampled_schema> all = riffle_tests::schema_sample();
    if (all.empty()) GTEST_SKIP() << "RIFFLE_SCHEMAS names no file of schemas";
    const pieces tokens(all);
    std::size_t taken = 0, right = 0, rejected = 0;
    for (const sampled_schema& s : all) {
        const parsed<grammar> g = compile_json_schema(s.schema);
        if (!g) {
            EXPECT_FALSE(g.problem().sentence.empty() || g.problem().where.empty()) << s.name;
            continue;
        }
        ++taken;
        for (const std::string& document : s.invalid) {
            EXPECT_FALSE(takes(*g, document)) << s.name << document;
            EXPECT_FALSE(takes_tokens(*g, tokens, document)) << s.name << document;
        }
        std::size_t missed = 0;
        for (const std::string& document : s.valid) {
            const bool is_taken = takes(*g, document);
            EXPECT_EQ(takes_tokens(*g, tokens, document), is_taken) << s.name;
            missed += !is_taken;
            if (is_taken) continue;
            const parsed<grammar> in_any_order = compile_json_schema(s.schema, {.any_order = true});
            if (in_any_order.ok()) EXPECT_TRUE(takes(*in_any_order, document)) << s.name << document;
            else EXPECT_NE(in_any_order.problem().sentence.find("any_order"), std::string::npos) << in_any_order.problem().message();
        }
        rejected += missed;
        right += missed == 0;
    }
    RecordProperty("taken", int(taken));
    RecordProperty("right", int(right));
    RecordProperty("rejected", int(rejected));
    EXPECT_GE(10 * right, 9 * all.size()) << right << " of " << all.size();
}

}  // namespace
