// Grammars of riffle's against those of libllama 0.7.0: the mask of the whole vocabulary at each step of random legal
// texts, on a vocabulary that is written here, and on a model that RIFFLE_LLAMA_MODEL names.
//
// The two are equal but for two kinds of differences, which are told by rules of this file alone.
//
// Text that is no UTF-8. llama.cpp lets tokens pass that make it so: there the text with the token is looked at, by
// Unicode's table of well-formed bytes. It lets a text end in the midst of a character. And its negated classes refuse
// the first bytes of a character where some that begin with them are excluded, though others are not: there llama.cpp
// itself is asked, with a vocabulary that has a token for each character, whether it would take the text with one of
// the characters that begin so.
//
// Tokens that a grammar refers to, or does not exclude, llama.cpp refuses where they hold no whole character, or are no
// UTF-8: there the bytes of the token alone are looked at. In riffle such a token has but an id.
//
// Names of control tokens. llama.cpp reads them as text; in riffle a grammar has to refer to the token.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <llama.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama.hpp>

#include "llama/grammar_models.hpp"
#include "long_run.hpp"

namespace riffle_tests::llama_grammars {
namespace {

using namespace riffle;

// ---- UTF-8

/// The characters of a text, by table 3-7 of the Unicode standard.
struct characters {
    bool are_valid = true;  ///< so far: more bytes may be wanted
    std::vector<std::uint32_t> points;
    std::string unfinished;  ///< the bytes of a last one that is not all there
};

std::size_t length_by(std::uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC2) return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}
bool may_be_second(std::uint8_t lead, std::uint8_t second) {
    const std::uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= least && second <= most;
}
characters characters_of(const std::string& bytes) {
    characters all;
    for (std::size_t i = 0; i < bytes.size() && all.are_valid;) {
        const auto lead = std::uint8_t(bytes[i]);
        const std::size_t length = length_by(lead), there = std::min(length, bytes.size() - i);
        std::uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
        all.are_valid = length > 0;
        for (std::size_t k = 1; k < there; ++k) {
            const auto next = std::uint8_t(bytes[i + k]);
            all.are_valid = all.are_valid && (k == 1 ? may_be_second(lead, next) : next >= 0x80 && next <= 0xBF);
            point = point << 6 | (next & 0x3F);
        }
        if (there < length) all.unfinished = bytes.substr(i);
        else all.points.push_back(point);
        i += length;
    }
    return all;
}
std::string utf8_of(std::uint32_t point) {
    const auto last = [&](int shift) { return char(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) return {char(point)};
    if (point < 0x800) return {char(0xC0 | point >> 6), last(0)};
    if (point < 0x10000) return {char(0xE0 | point >> 12), last(6), last(0)};
    return {char(0xF0 | point >> 18), last(12), last(6), last(0)};
}

TEST(Characters, AreReadByTheBook) {
    for (std::uint32_t point = 1; point < 0x110000; point += point < 0x900 ? 1 : 61) {
        const bool is_surrogate = point >= 0xD800 && point < 0xE000;
        const characters all = characters_of(utf8_of(point));
        EXPECT_EQ(all.are_valid, !is_surrogate) << point;
        if (!is_surrogate) {
            EXPECT_EQ(all.points, std::vector{point});
        }
    }
    for (const char* wrong :
         {"\x80", "\xC0\xAF", "\xC1", "\xE0\x9F", "\xED\xA0", "\xF0\x8F", "\xF4\x90", "\xF5", "\303A"})
        EXPECT_FALSE(characters_of(wrong).are_valid);
    for (const char* begun : {"a\xC3", "\xE3\x81", "\xF0\x9F\x98", "\xED\x9F", "\xF4\x8F"}) {
        EXPECT_TRUE(characters_of(begun).are_valid);
        EXPECT_FALSE(characters_of(begun).unfinished.empty());
    }
}

// ---- what llama.cpp would say of characters

/// A token for each character of the first plane and for every 64th behind it, in order. (The blank that SentencePiece
/// marks a space with cannot be one.)
class all_characters {
public:
    static const all_characters& get() {
        static const all_characters one;
        return one;
    }
    const llama_vocab* vocab() const { return llama_model_get_vocab(model_.get()); }
    /// -1 where there is none.
    llama_token token_of(std::uint32_t point) const {
        if (point == 0) return -1;
        if (point < 0x80) return llama_token(point) + first_byte;
        const auto at = std::lower_bound(points_.begin(), points_.end(), point);
        return at != points_.end() && *at == point ? first_ + llama_token(at - points_.begin()) : -1;
    }
    /// Those whose characters begin with these bytes, one at least.
    std::vector<llama_token_data> that_begin_with(const std::string& bytes) const {
        std::uint32_t least = 0x80, most = 0x10FFFF;
        if (bytes.size() > 0) {
            std::string first = bytes, last = bytes;
            const auto lead = std::uint8_t(bytes[0]);
            while (first.size() < length_by(lead)) {
                const bool is_second = first.size() == 1;
                first += is_second && lead == 0xE0 ? '\xA0' : is_second && lead == 0xF0 ? '\x90' : '\x80';
                last += is_second && lead == 0xED ? '\x9F' : is_second && lead == 0xF4 ? '\x8F' : '\xBF';
            }
            least = characters_of(first).points.at(0);
            most = characters_of(last).points.at(0);
        }
        std::vector<llama_token_data> all;
        const auto begin = std::lower_bound(points_.begin(), points_.end(), least);
        const auto end = std::upper_bound(begin, points_.end(), most);
        for (auto at = begin; at != end; ++at) all.push_back({first_ + llama_token(at - points_.begin()), 0.0f, 0.0f});
        return all;
    }

private:
    static constexpr llama_token first_byte = 3;

    all_characters() {
        small_pieces pieces;
        first_ = llama_token(pieces.tokens.size());
        for (std::uint32_t point = 0x80; point < 0x110000; point += point < 0x10000 ? 1 : 64)
            if (!(point >= 0xD800 && point < 0xE000) && point != 0x2581) {
                points_.push_back(point);
                pieces.add(utf8_of(point));
            }
        model_.reset(load_vocabulary(pieces));
    }
    llama_token first_ = 0;
    std::vector<std::uint32_t> points_;
    model_owner model_;
};

bool takes(llama_sampler* grammar, std::vector<llama_token_data> tokens) {
    llama_token_data_array array{tokens.data(), tokens.size(), -1, false};
    llama_sampler_apply(grammar, &array);
    return std::any_of(array.data, array.data + array.size, [](const auto& t) { return t.logit > illegal_logit; });
}

/// A text in a grammar of llama.cpp's, character by character.
class by_characters {
public:
    explicit by_characters(const std::string& grammar)
        : grammar_(llama_sampler_init_grammar(all_characters::get().vocab(), grammar.c_str(), "root")) {}
    /// False, and of no use from then on, where one of them has no token.
    bool accept(const std::vector<std::uint32_t>& points) {
        for (const std::uint32_t point : points) {
            const llama_token token = all_characters::get().token_of(point);
            if (token < 0) return false;
            llama_sampler_accept(grammar_.get(), token);
        }
        return true;
    }
    /// Whether characters may come next, and then one that begins with these bytes.
    bool can_go_on(const std::vector<std::uint32_t>& points, const std::string& unfinished) const {
        const sampler_owner ahead(llama_sampler_clone(grammar_.get()));
        for (const std::uint32_t point : points) {
            const llama_token token = all_characters::get().token_of(point);
            if (token < 0 || !takes(ahead.get(), {{token, 0.0f, 0.0f}})) return false;
            llama_sampler_accept(ahead.get(), token);
        }
        return takes(ahead.get(), all_characters::get().that_begin_with(unfinished));
    }

private:
    sampler_owner grammar_;
};

// ---- masks

struct counts {
    std::size_t texts = 0, finished = 0, masks = 0, tokens = 0, legal = 0, invalid = 0, cut = 0, unfinished = 0,
                parts = 0, names = 0, unexplained = 0;
    void print(const char* of) const {
        std::printf(
            "%s: %zu texts (%zu to their end), %zu masks, %zu tokens, %zu legal; llama.cpp takes %zu that are no "
            "UTF-8, %zu ends within a character and %zu by the names of control tokens, and refuses %zu "
            "unfinished characters and %zu tokens that hold none; %zu differ otherwise\n",
            of, texts, finished, masks, tokens, legal, invalid, cut, names, unfinished, parts, unexplained);
    }
};

/// A grammar, and whether it refers to tokens: then there is no asking it about characters.
struct language {
    const char* name;
    std::string source;
    bool has_tokens = false;
};

/// One random text in a grammar, of tokens that both take.
class walk {
public:
    walk(const known_model& model, const language& in, std::uint64_t seed, counts& n)
        : model_(model), in_(in), n_(n), random_(seed),
          theirs_(llama_sampler_init_grammar(model.vocab(), in.source.c_str(), "root")),
          ours_(*parse_gbnf(in.source), model.trie()) {
        if (!in.has_tokens) characters_ = std::make_unique<by_characters>(in.source);
    }
    void run(int longest) {
        ASSERT_NE(theirs_.get(), nullptr) << in_.name;
        ASSERT_TRUE(parse_gbnf(in_.source).ok()) << parse_gbnf(in_.source).problem().message();
        ++n_.texts;
        while (longest-- > 0 && go_on_ && !testing::Test::HasFatalFailure()) one_step();
    }

private:
    void one_step() {
        ASSERT_TRUE((ours_.check)().ok() || ours_.legal_count() == 0) << (ours_.check)().message().c_str();
        const std::vector<llama_token_data> masked = their_mask();
        const auto words = ours_.legal_words();
        std::vector<token_id> both;
        std::size_t legal = 0;
        for (token_id id = 0; id < model_.size(); ++id) {
            const std::size_t place = std::size_t(id) / 32;
            const bool we_do = place < words.size() && (words[place] >> (id % 32) & 1) != 0;
            const bool they_do = masked[std::size_t(id)].logit > illegal_logit;
            legal += we_do;
            if (we_do && they_do) both.push_back(id);
            if (we_do != they_do) explain(id, we_do);
        }
        EXPECT_EQ(ours_.legal_count(), legal);
        ++n_.masks;
        n_.tokens += masked.size();
        n_.legal += legal;
        if (const token_id token = one_of(both); token < 0) go_on_ = false;
        else go_on_with(token);
    }
    std::vector<llama_token_data> their_mask() const {
        std::vector<llama_token_data> all;
        for (token_id id = 0; id < model_.size(); ++id) all.push_back({id, 0.0f, 0.0f});
        llama_token_data_array array{all.data(), all.size(), -1, false};
        llama_sampler_apply(theirs_.get(), &array);
        return all;
    }
    void explain(token_id id, bool we_do) {
        const characters now = characters_of(begun_ + model_.piece(id));
        const bool has_name_only = model_.words().is(id, token_role::control);
        const bool ends_text = model_.words().ends_generation(id);
        if (!we_do && ends_text && !begun_.empty()) ++n_.cut;
        else if (!we_do && has_name_only && !ends_text) ++n_.names;
        else if (!we_do && !has_name_only && !now.are_valid) ++n_.invalid;
        else if (we_do && !has_name_only && now.are_valid && !now.unfinished.empty() && characters_ &&
                 characters_->can_go_on(now.points, now.unfinished))
            ++n_.unfinished;
        else if (we_do && in_.has_tokens && !holds_characters(model_.piece(id))) ++n_.parts;
        else if (++n_.unexplained; n_.unexplained < 10)
            ADD_FAILURE() << in_.name << ": token " << id << " \"" << testing::PrintToString(model_.piece(id))
                          << "\" is taken by " << (we_do ? "riffle" : "llama.cpp") << " alone after "
                          << testing::PrintToString(text_);
    }
    static bool holds_characters(const std::string& piece) {
        const characters all = characters_of(piece);
        return all.are_valid && !all.points.empty();
    }
    /// Every other time the shorter of two, so that long texts are not all there is to what one token can do. Tokens
    /// that are taken as tokens have to be whole texts: llama.cpp would read on in the midst of a character.
    token_id one_of(std::vector<token_id>& from) {
        if (in_.has_tokens)
            std::erase_if(from, [&](token_id id) {
                const characters all = characters_of(model_.piece(id));
                return !all.are_valid || !all.unfinished.empty();
            });
        if (from.empty()) return null_token;
        const token_id first = from[random_() % from.size()], second = from[random_() % from.size()];
        return random_() % 2 == 0 && model_.piece(second).size() < model_.piece(first).size() ? second : first;
    }
    void go_on_with(token_id token) {
        ASSERT_TRUE(ours_.allows(token));
        ASSERT_TRUE(ours_.accept(token).state.ok());
        llama_sampler_accept(theirs_.get(), token);
        if (model_.words().ends_generation(token)) {
            EXPECT_TRUE(ours_.is_finished());
            ++n_.finished;
            go_on_ = false;
            return;
        }
        text_ += model_.piece(token);
        const characters now = characters_of(begun_ + model_.piece(token));
        ASSERT_TRUE(now.are_valid) << testing::PrintToString(text_);
        begun_ = now.unfinished;
        // a character that there is no token for
        if (characters_ && !characters_->accept(now.points)) go_on_ = false;
    }

    const known_model& model_;
    const language& in_;
    counts& n_;
    std::mt19937_64 random_;
    sampler_owner theirs_;
    grammar_matcher ours_;
    std::unique_ptr<by_characters> characters_;
    std::string text_, begun_;  ///< all of it, and the bytes of its last character where that is not all there
    bool go_on_ = true;
};

std::string reference_to(token_id id) { return "<[" + std::to_string(id) + "]>"; }

std::vector<language> languages(const known_model& model) {
    const std::string begin = reference_to(llama_vocab_bos(model.vocab())), a = reference_to(model.id_of("a"));
    const std::string king = reference_to(std::max(model.id_of("king"), model.id_of("b")));
    return {
        {"JSON", R"gbnf(root   ::= space value
value  ::= object | array | string | number | ("true" | "false" | "null") space
object ::= "{" space (member ("," space member)*)? "}" space
member ::= string ":" space value
array  ::= "[" space (value ("," space value)*)? "]" space
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\"" space
number ::= "-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? space
space  ::= | " " | "\n" [ \t]{0,20}
)gbnf"},
        {"arithmetic", R"gbnf(root   ::= (sum "=" " "? term "\n")+   # one a line
sum    ::= term ([-+*/] " "? term)*
term   ::= word | number | "(" " "? sum ")" " "?
word   ::= [a-z] [a-z0-9_]* " "?
number ::= [0-9]+ " "?
)gbnf"},
        {"lists", R"gbnf(root ::= item+
item ::= "- " [^\r\n\x0B\x0C\u0085\u2028\u2029]+ "\n"
)gbnf"},
        {"chess", R"gbnf(root   ::= "1. " move " " move "\n" ([1-9] [0-9]? ". " move " " move "\n")+
move   ::= (pawn | piece | castle) [+#]?
piece  ::= [NBKQR] [a-h]? [1-8]? "x"? [a-h] [1-8]
pawn   ::= ([a-h] "x")? [a-h] [1-8] ("=" [NBKQR])?
castle ::= "O-O" "-O"?
)gbnf"},
        {"Japanese", R"gbnf(root     ::= one+ ([ \t\n] one+)*
one      ::= hiragana | katakana | mark | cjk
hiragana ::= [ぁ-ゟ]
katakana ::= [ァ-ヿ]
mark     ::= [、-〾]
cjk      ::= [一-鿿]
)gbnf"},
        {"classes", R"gbnf(root ::= ([à-ÿ] | [α-ω]{2} | [\U0001F600-\U0001F64F] | "日本" | [^\x01-\x7Fé]+ ";")*)gbnf"},
        {"all but two", "root ::= [^é日]{1,30}"},
        {"all but one plane", "root ::= ([^\\x01-\\uFFFF] [^a])* \"a\""},
        {"two bytes", "root ::= [\\u0080-\\u07FF]* \"a\""},
        {"edges", "root ::= ([\\uFFFF\\u0800\\u07FF\\U0010FFFF\\U00010000] | [\\uD7FF-\\uE000])+"},
        {"anything", "root ::= .{3,12} \"!\""},
        {"anything at all", "root ::= .*"},
        {"a long count", R"gbnf(root ::= [a-z ]{0,2000} ".")gbnf"},
        {"counts", R"gbnf(root ::= ("ab" | [0-9]{2,5} "-"){3} "." [^.]{0,12} "." [a-c]{4,} "|")gbnf"},
        {"counts of counts", R"gbnf(root ::= (([a-f]{2,3} [0-9]?){1,4} ","){0,9} ";")gbnf"},
        {"alternatives", R"gbnf(root ::= ("the " | "the king" | "king " | "a" "n"? "d"? " " | of | "t" "") ("." | root)?
of   ::= "of " ("the" | "a" | "an" | "and")? " "
)gbnf"},
        {"nested", R"gbnf(root  ::= (open | "x")+
open  ::= "(" inner? ")" | "[" (inner | "") "]"
inner ::= root | ((("a" | "b")? "c")* ("d" ("e" | "f")))
)gbnf"},
        {"many readings", R"gbnf(root ::= ("a" | "aa" | "b"? "a" | [a-c] "a")* ".")gbnf"},
        {"names of control tokens",
         R"gbnf(root ::= ("<s>" | "<unk>" | "<|" [a-z]+ "|>" | "<" [a-z]+ ">" | "|")* "!")gbnf"},
        {"tokens by their ids", "root ::= ([a-z]+ " + begin + " [0-9]+ " + king + " | " + a + "{2} \"b\")+", true},
        {"all tokens but one", "root ::= (!" + begin + "){1,8} " + begin + " (!" + a + " | [0-9])* " + begin, true},
    };
}

counts compare_on(const known_model& model, std::uint64_t texts, int longest) {
    counts all;
    for (const language& each : languages(model)) {
        counts n;
        for (std::uint64_t seed = 1; seed <= texts && n.unexplained < 5; ++seed)
            walk(model, each, seed, n).run(longest);
        n.print(each.name);
        EXPECT_GT(n.masks, texts) << each.name;
        for (const auto count :
             {&counts::texts, &counts::finished, &counts::masks, &counts::tokens, &counts::legal, &counts::invalid,
              &counts::cut, &counts::unfinished, &counts::parts, &counts::names, &counts::unexplained})
            all.*count += n.*count;
    }
    all.print("all of them");
    EXPECT_EQ(all.unexplained, 0u);
    return all;
}

TEST(Masks, AreLlamasOnAWrittenVocabulary) {
    const counts n = compare_on(written_vocabulary(), how_many(20, 2000, "texts of each grammar"), 40);
    EXPECT_GT(n.finished, 0u);
    EXPECT_GT(n.invalid, 0u) << "there are tokens for it";
    EXPECT_GT(n.unfinished, 0u);
    EXPECT_GT(n.names, 0u);
}
TEST(Masks, AreLlamasOnAGivenModel) {
    if (!given_model()) GTEST_SKIP() << no_model_given;
    compare_on(*given_model(), how_many(2, 40, "texts of each grammar, on a model"), 25);
}

}  // namespace
}  // namespace riffle_tests::llama_grammars
