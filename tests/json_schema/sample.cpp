// The sample of real schemas: no invalid instance is taken, and valid ones are, but where their properties come in an
// order that is not the schema's. Byte by byte, and by tokens that cut across names, quotes and brackets.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/json_schema.hpp>

#include "integers.hpp"
#include "json_schema/documents.hpp"
#include "json_schema/schema_sample.hpp"
#include "json_schema/slow_validator.hpp"
#include "test_files.hpp"

namespace riffle_tests::json_schema_sample {
namespace {

using namespace riffle;
using riffle_tests::json_documents::takes;
using riffle_tests::integers;
using riffle_tests::sampled_schema;
namespace slow = riffle_tests::slow;

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
    token_id end() const { return token_id(words_.size()) - 1; }
    std::string text_of(token_id token) const { return {words_.piece(token).data(), words_.piece(token).size()}; }

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

// ---- documents that masks allow

/// A document, token by token, each at random among those that the mask has. What leads to an end comes first once the
/// document is long.
class random_document {
public:
    random_document(const grammar& g, const pieces& of, integers& random)
        : at_(g, of.trie()), pieces_(of), random_(random) {}

    /// False where it becomes too long.
    bool draw() {
        while (text_.size() < 6000) {
            if (at_.is_complete() && (text_.size() > longest || random_.below(3) == 0)) return true;
            const token_id token = text_.size() > longest || random_.below(3) == 0 ? closing() : any();
            if (token == null_token) return at_.is_complete();
            if (at_.accept(token).refused) ADD_FAILURE() << "a token of the mask is refused";
            text_ += pieces_.text_of(token);
        }
        return false;
    }
    const std::string& text() const { return text_; }

private:
    enum : std::size_t { longest = 200 };
    bool is_legal(token_id token) { return (at_.legal_words()[std::size_t(token) / 32] >> (token % 32) & 1) != 0; }
    token_id any() {
        const std::size_t count = at_.legal_count();
        std::uint32_t left = random_.below(std::uint32_t(count));
        for (token_id token = 0; std::size_t(token) < pieces_.trie().size(); ++token)
            if (is_legal(token) && left-- == 0) return token == pieces_.end() ? null_token : token;
        return null_token;
    }
    token_id closing() {
        for (const char c : {'"', '}', ']', ':', ',', '0', '1'})
            if (is_legal(c) && random_.below(8) != 0) return c;
        return any();
    }

    grammar_matcher at_;
    const pieces& pieces_;
    integers& random_;
    std::string text_;
};

/// Whether python3-jsonschema is there, and what it says of the documents in a file.
bool has_jsonschema() { return std::system("python3 -c 'import jsonschema' >/dev/null 2>&1") == 0; }
bool jsonschema_takes(const std::string& path) {
    return std::system(("python3 '" + riffle_tests::test_file("json_schema/validate.py") + "' '" + path + "'").c_str()) == 0;
}

/// By the tests' own validator. Nothing where it cannot say: a pattern that std::regex does not know, an older form without
/// $schema.
std::optional<bool> validity(const std::string& schema, const slow::json& value) {
#if defined(__cpp_exceptions)
    try {
        return slow::validates(slow::json::parse(schema), value);
    } catch (const std::exception&) {
        return std::nullopt;
    }
#else
    return slow::validates(slow::json::parse(schema), value);
#endif
}

TEST(JsonSchemaSample, TakesWhatItsMasksAllow) {
    const std::vector<sampled_schema> all = riffle_tests::schema_sample();
    if (all.empty()) GTEST_SKIP() << "RIFFLE_SCHEMAS names no file of schemas";
    const pieces tokens(all);
    const std::string path = testing::TempDir() + "riffle_documents.tsv";
    std::ofstream file(path, std::ios::binary);
    integers random(35);
    int drawn = 0, judged = 0;
    std::set<std::string> written;
    for (const sampled_schema& s : all) {
        const json_whitespace whitespace[] = {json_whitespace::compact, json_whitespace::flexible, json_whitespace::single_space};
        const parsed<grammar> g = compile_json_schema(s.schema, {.whitespace = whitespace[random.below(3)], .most_digits = 7});
        if (!g) continue;
        file << "schema\t" << s.schema << '\n';
        for (int i = 0; i < 80; ++i) {
            random_document document(*g, tokens, random);
            if (!document.draw()) continue;
            const slow::json value = slow::json::parse(document.text(), nullptr, false);
            ASSERT_FALSE(value.is_discarded()) << s.name << document.text();
            ++drawn;
            written.insert(document.text());
            file << "document\t" << value.dump(-1, ' ', true) << '\n';
            const std::optional<bool> is_valid = validity(s.schema, value);
            EXPECT_TRUE(is_valid.value_or(true)) << s.name << document.text();
            judged += is_valid.has_value();
        }
    }
    file.close();
    std::printf("%d documents, %d of them judged by the tests' own validator\n", drawn, judged);
    EXPECT_GT(drawn, 9000);
    EXPECT_GT(judged, drawn * 8 / 10);
    EXPECT_GT(int(written.size()), drawn / 2);
    if (has_jsonschema()) {
        EXPECT_TRUE(jsonschema_takes(path));
    }
    std::remove(path.c_str());
}

}  // namespace
}  // namespace riffle_tests::json_schema_sample
