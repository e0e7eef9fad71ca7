// Free text that turns into tagged structures and back, as one grammar, beside a slow reader of the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

namespace riffle_tests::constraint_tagged_text {
namespace {

using namespace riffle;
using ids = std::vector<token_id>;

vocabulary bytes_and_end() {
    vocabulary words;
    for (int i = 0; i < 256; ++i) {
        const char byte = char(i);
        words.add(text(&byte, 1));
    }
    words.add("</s>", token_role::end_of_generation | token_role::control);
    words.add("<|call|>", token_role::control);
    words.add("<|end|>", token_role::control);
    return words;
}
const vocabulary_trie& bytes() {
    static const vocabulary_trie trie(bytes_and_end());
    return trie;
}
bool takes(const grammar& language, const std::string& whole) {
    grammar_matcher m(language, bytes());
    EXPECT_TRUE((m.check)().ok()) << language.problem().message();
    return m.accept_bytes(whole).ok() && m.is_complete();
}
grammar read(const char* source) {
    const parsed<grammar> g = parse_gbnf(source);
    EXPECT_TRUE(g.ok()) << g.problem().message();
    return *g;
}

TEST(TaggedText, IsFreeTextWithTags) {
    const grammar turn = tagged_text({tag{.begin = "<look>", .content = read(R"(root ::= [0-9]+)"), .end = "</look>"},
                                      tag{.begin = "<think>", .end = "</think>"}});
    for (const char* good : {"", "talk", "a < b <lo ok", "<look>12</look>", "so <look>1</look> and <look>2</look><look>3</look>.",
                             "<think>free <look>x</look> <think> text</think> <look>7</look>", "<<look>1</look>", "<th<think></think>"})
        EXPECT_TRUE(takes(turn, good)) << good;
    for (const char* bad : {"<look>", "<look>x</look>", "<look>12", "a <look>12</look", "<think> and on", "<think>...</think"})
        EXPECT_FALSE(takes(turn, bad)) << bad;
}

TEST(TaggedText, CountsItsTags) {
    const std::vector<tag> tags{{.begin = "<a>", .content = literal("1"), .end = ";"}, {.begin = "<b>", .content = literal("2"), .end = ";"},
                                {.begin = "(", .end = ")", .counts = false}};
    const auto with = [&](const tagged_text_options& options) { return tagged_text(tags, options); };
    const grammar at_least_one = with({.at_least = 1}), at_most_two = with({.at_most = 2}), none = with({.at_most = 0});
    EXPECT_FALSE(takes(at_least_one, "talk (x)"));
    EXPECT_TRUE(takes(at_least_one, "talk (x) <b>2; and <a>1; more"));
    EXPECT_TRUE(takes(at_most_two, "(.) <b>2; and <a>1; more (?)"));
    EXPECT_FALSE(takes(at_most_two, "<b>2;<a>1;<a>1;"));
    EXPECT_FALSE(takes(at_most_two, "<b>2;<a>1; <a>"));  // not even its beginning
    EXPECT_TRUE(takes(at_most_two, "<b>2;<a>1; <a"));
    EXPECT_TRUE(takes(none, "talk (x) <a"));
    EXPECT_FALSE(takes(none, "<a>1;"));
    const grammar exactly = with({.at_least = 2, .at_most = 2});
    EXPECT_TRUE(takes(exactly, "<b>2;<a>1;.."));
    EXPECT_FALSE(takes(exactly, "<b>2;"));
    const grammar single = with({.parallel = false}), must = with({.at_least = 1, .parallel = false});
    EXPECT_TRUE(takes(single, "talk (x)"));
    EXPECT_TRUE(takes(single, "talk (x) <b>2;"));
    EXPECT_FALSE(takes(single, "talk (x) <b>2; more"));
    EXPECT_FALSE(takes(single, "<b>2;<b>2;"));
    EXPECT_FALSE(takes(must, "talk"));
    EXPECT_TRUE(takes(must, "talk<a>1;"));
}

TEST(TaggedText, MayHaveControlTokens) {
    const grammar turn = tagged_text({tag{.begin = control_token("<|call|>"), .content = read(R"(root ::= "{" [a-z]* "}")"),
                                          .end = control_token(258)},
                                      tag{.begin = "!", .end = control_token("<|end|>")}});
    grammar_matcher m(turn, bytes());
    ASSERT_TRUE((m.check)().ok());
    const auto said = [&](const ids& tokens) {
        grammar_matcher at = m;
        for (const token_id token : tokens)
            if (at.accept(token).refused) return std::string("refused");
        return std::string(at.is_complete() ? "complete" : "open");
    };
    EXPECT_EQ(said({'h', 'i', 257, '{', 'x', '}', 258, '.', 256}), "complete");
    EXPECT_EQ(said({257, '{', 'x', '}'}), "open");
    EXPECT_EQ(said({257, 'x'}), "refused");
    EXPECT_EQ(said({257, '{', '}', 256}), "refused");
    EXPECT_EQ(said({258}), "refused");
    EXPECT_EQ(said({'!', 'f', 'r', 'e', 'e', '{', 258, 257}), "open");
    EXPECT_EQ(said({'!', 'f', 257}), "refused");
    const grammar counted = tagged_text({tag{.begin = control_token(257), .content = literal("a")}}, {.at_least = 1, .at_most = 2});
    m = grammar_matcher(counted, bytes());
    EXPECT_EQ(said({'h', 257, 'a', 'x'}), "complete");
    EXPECT_EQ(said({'h'}), "open");
    EXPECT_EQ(said({257, 'a', 257, 'a', 257}), "refused");
}

TEST(TaggedText, TellsTagsThatBeginAlikeApart) {
    const grammar turn = tagged_text({tag{.begin = "<t>", .content = literal("one"), .end = "</t>"},
                                      tag{.begin = "<t>", .content = read("root ::= \"two\" | \"three\""), .end = "</t>"},
                                      tag{.begin = "<t>", .content = literal("2nd"), .end = "</t>", .counts = false}},
                                     {.at_least = 1});
    for (const char* good : {"<t>one</t>", "<t>two</t>", ".<t>three</t>", "<t>2nd</t><t>one</t>"}) EXPECT_TRUE(takes(turn, good)) << good;
    for (const char* bad : {"<t>four</t>", "<t>2nd</t>", ""}) EXPECT_FALSE(takes(turn, bad)) << bad;
}

TEST(TaggedText, GoesOnWithinATokenBehindATag) {
    vocabulary words = bytes_and_end();
    const token_id first = token_id(words.size());
    for (const char* piece : {" <c>{", "}</c> so", "}</c><c>{x", "c>y"}) words.add(piece);
    grammar_matcher m(tagged_text({tag{.begin = "<c>", .content = read(R"(root ::= "{" "x"* "}")"), .end = "</c>"}}),
                      vocabulary_trie(words));
    EXPECT_FALSE(m.accept('<').refused);
    EXPECT_TRUE(m.accept(first + 3).refused);  // it ends the beginning, and goes on as no content does
    EXPECT_FALSE(m.accept(first + 0).refused);
    EXPECT_FALSE(m.accept('x').refused);
    EXPECT_FALSE(m.accept(first + 2).refused);
    EXPECT_FALSE(m.is_complete());
    EXPECT_FALSE(m.accept(first + 1).refused);
    EXPECT_TRUE(m.is_complete());
}

TEST(TaggedText, WithoutALanguageSaysWhy) {
    const tag good{.begin = "<a>", .end = "</a>"};
    const auto problem = [](const grammar& g) { return g.problem().message(); };
    EXPECT_EQ(problem(tagged_text({})), "there are no tags");
    EXPECT_EQ(problem(tagged_text({tag{.begin = "", .end = "x"}})), "a tag has no beginning");
    EXPECT_EQ(problem(tagged_text({good, tag{.begin = "<a>>", .end = "x"}})),
              "a tag's beginning has another tag's in it, which would end it");
    EXPECT_EQ(problem(tagged_text({good, tag{.begin = "x<a>x", .end = "x"}})),
              "a tag's beginning has another tag's in it, which would end it");
    EXPECT_EQ(problem(tagged_text({tag{.begin = "<a>"}})), "a tag with free content has no end");
    EXPECT_EQ(problem(tagged_text({tag{.begin = "<a>", .content = literal("\xff"), .end = "x"}})), "this text is not UTF-8");
    EXPECT_EQ(problem(tagged_text({tag{.begin = "\xc3", .end = "x"}})), "this text is not UTF-8");
    EXPECT_EQ(problem(tagged_text({tag{.begin = "<a>", .content = literal("a"), .end = "\xc3"}})), "this text is not UTF-8");
    EXPECT_EQ(problem(tagged_text({tag{.begin = control_token(-1), .end = "x"}})),
              "a tag has a control token with an id below 0");
    EXPECT_EQ(problem(tagged_text({good}, {.at_least = 3, .at_most = 2})), "a tagged text has a maximum of tags below its minimum");
    EXPECT_EQ(problem(tagged_text({good}, {.at_least = 2, .parallel = false})),
              "a tagged text has a maximum of tags below its minimum");
    std::vector<tag> many;  // each state of their beginnings would tell 300 first characters apart: gigabytes
    for (int i = 0; i < 300; ++i)
        many.push_back({.begin = "\xE4" + std::string(1, char(0xB8 + i / 64)) + char(0x80 + i % 64) + std::string(100, char('a' + i % 26)),
                        .end = "x"});
    EXPECT_EQ(problem(tagged_text(many)), "the beginnings of tags are more than the limit allows");
    grammar_matcher unknown(tagged_text({tag{.begin = control_token("<|no|>"), .end = "x"}}), bytes());
    EXPECT_FALSE((unknown.check)().ok());
}

TEST(TaggedText, SharesWhatItsTagsHaveInCommon) {
    const auto many = [](int count) {
        std::vector<tag> tags;
        for (int i = 0; i < count; ++i) {
            const std::string source = "root ::= \"" + std::to_string(i) + "\" value\nvalue ::= \"[\" (value | number)* \"]\"\n"
                                       "number ::= digit{1,60}\ndigit ::= [0-9]";
            tags.push_back({.begin = "<f" + std::to_string(i) + ">", .content = read(source.c_str()), .end = "</f>"});
        }
        return tagged_text(tags);
    };
    const grammar few = many(2), all = many(400);
    EXPECT_TRUE(takes(all, ".. <f399>399[[7]12]</f> .."));
    EXPECT_FALSE(takes(all, ".. <f399>398[[7]12]</f> .."));
    EXPECT_TRUE(takes(all, ".. <f400> .."));  // is free text
    EXPECT_LT(all.data()->rules.rules.size(), 2 * few.data()->rules.rules.size() + 400);
    EXPECT_LT(all.data()->automaton.nodes.size(), 400u * 60);
}

// ---- at random, beside a slow reader

/// Whether a text can be read: by trying all ways.
struct slow_tags {
    struct one {
        std::string begin, end;
        std::set<std::string> content;  ///< empty: free
        bool counts;
    };
    std::vector<one> tags;
    tagged_text_options options;

    bool take(const std::string& t) const { return from(t, 0, 0, ""); }
    /// Free text since `free` began ends at `at`.
    bool from(const std::string& t, std::size_t at, std::uint32_t count, const std::string& free) const {
        const std::uint32_t most = options.parallel ? options.at_most : std::min(options.at_most, 1u);
        const one* begun = nullptr;
        for (const one& tag : tags)
            if (free.size() >= tag.begin.size() && free.compare(free.size() - tag.begin.size(), tag.begin.size(), tag.begin) == 0 &&
                (!begun || tag.begin.size() > begun->begin.size()))
                begun = &tag;
        if (!begun) {
            if (at == t.size()) return count >= options.at_least;
            return from(t, at + 1, count, free + t[at]);
        }
        for (const one& tag : tags) {
            if (tag.begin != begun->begin || (tag.counts && count >= most)) continue;
            const std::uint32_t then = count + tag.counts;
            const auto goes_on = [&](std::size_t behind) {
                if (tag.counts && !options.parallel) return behind == t.size() && then >= options.at_least;
                return from(t, behind, then, "");
            };
            if (tag.content.empty()) {
                const std::size_t end = t.find(tag.end, at);
                if (end != std::string::npos && goes_on(end + tag.end.size())) return true;
            }
            for (const std::string& content : tag.content)
                if (t.compare(at, content.size() + tag.end.size(), content + tag.end) == 0 && goes_on(at + content.size() + tag.end.size()))
                    return true;
        }
        return false;
    }
};

TEST(TaggedText, IsWhatASlowReaderSays) {
    std::mt19937 random(12);
    const auto word = [&](std::size_t least, std::size_t most) {
        std::string w;
        for (std::size_t i = least + random() % (most - least + 1); i-- > 0;) w += char('a' + random() % 2);
        return w;
    };
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; texts.size() < 511; ++i) {
        texts.push_back(texts[i] + 'a');
        texts.push_back(texts[i] + 'b');
    }
    int used = 0;
    for (int round = 0; round < 900; ++round) {
        slow_tags slow;
        slow.options = {.at_least = std::uint32_t(random() % 3), .at_most = random() % 2 ? unlimited : std::uint32_t(random() % 4),
                        .parallel = random() % 4 != 0};
        std::vector<tag> tags;
        for (std::size_t i = 1 + random() % 3; i-- > 0;) {
            slow_tags::one one{word(1, 3), word(1, 2), {}, random() % 3 != 0};
            for (std::size_t k = random() % 3; k-- > 0;) one.content.insert(word(0, 2));
            tag t{.begin = one.begin, .end = one.end, .counts = one.counts};
            if (!one.content.empty()) t.content = choice(std::vector<std::string>(one.content.begin(), one.content.end()));
            tags.push_back(t);
            slow.tags.push_back(one);
        }
        const grammar made = tagged_text(tags, slow.options);
        if (!made) continue;  // one begins within another, or the numbers contradict each other
        ++used;
        for (const std::string& t : texts) ASSERT_EQ(takes(made, t), slow.take(t)) << '"' << t << "\"\n" << to_gbnf(made);
    }
    EXPECT_GT(used, 250);
}

}  // namespace
}  // namespace riffle_tests::constraint_tagged_text
