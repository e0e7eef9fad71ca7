// Text out of tokens: whole characters, and an end at stop strings, beside slow ways to say the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>

namespace riffle_tests::constraint_streaming {
namespace {

using namespace riffle;

std::string string_of(text t) { return {t.data(), t.size()}; }

/// All of some bytes through a stream, cut at some places.
template <class Stream>
std::string streamed(Stream stream, const std::string& bytes, const std::vector<std::size_t>& cuts) {
    std::string all;
    std::size_t from = 0;
    for (const std::size_t cut : cuts) {
        all += string_of(stream.push_bytes(text(bytes).part(from, cut - from)));
        from = cut;
    }
    all += string_of(stream.push_bytes(text(bytes).part(from)));
    all += string_of(stream.flush());
    EXPECT_EQ(stream.given_out(), all.size());
    return all;
}
/// Through a stream cut at every pair of places.
template <class Stream>
void expect_streamed(const Stream& stream, const std::string& bytes, const std::string& expected) {
    for (std::size_t a = 0; a <= bytes.size(); ++a)
        for (std::size_t b = a; b <= bytes.size(); ++b) ASSERT_EQ(streamed(stream, bytes, {a, b}), expected) << a << ' ' << b;
}

// ---- characters

TEST(Utf8Stream, GivesBackWhatIsUtf8) {
    for (const char* whole : {"", "plain", "d\xC3\xA9j\xC3\xA0 vu", "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E",
                              "\xF0\x9F\x98\x80!\xF4\x8F\xBF\xBF", "\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xC2\x80\xE0\xA0\x80"})
        for (const invalid_bytes policy : {invalid_bytes::replace, invalid_bytes::keep, invalid_bytes::drop})
            expect_streamed(utf8_stream(policy), whole, whole);
    const std::string nul("a\0b", 3);
    expect_streamed(utf8_stream(), nul, nul);
}

TEST(Utf8Stream, HoldsBackPartsOfCharacters) {
    utf8_stream out;
    const std::string smile = "\xF0\x9F\x98\x80";
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(out.push_bytes(text(smile).part(i, 1)), "");
        EXPECT_EQ(out.held(), i + 1);
    }
    EXPECT_EQ(out.push_bytes(text(smile).part(3)), smile);
    EXPECT_EQ(out.held(), 0u);
    EXPECT_EQ(out.push_bytes("a\xE2\x82"), "a");
    EXPECT_EQ(out.push_bytes("\xAC" "b"), "\xE2\x82\xAC" "b");
}

TEST(Utf8Stream, HasThreePoliciesForOtherBytes) {
    // Unicode 16, table 3-8 and those around it: U+FFFD for each maximal subpart.
    const std::string r = "\xEF\xBF\xBD";
    const std::pair<std::string, std::string> cases[] = {
        {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", r + r + r + r + r + r + r + r + "A"},
        {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", r + r + r + r + r + r + r + r + "A"},
        {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", r + r + r + r + r + "A" + r + r + "B"},
        {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", r + r + r + r + "A"},
        {"\x80", r},
        {"\xE2\x82", r},
        {"\xF0\x9F\x98", r},
        {"a\xF8\x88\x80", "a" + r + r + r},
        {"\xC3\xC3\xA9", r + "\xC3\xA9"},
    };
    for (const auto& [bytes, replaced] : cases) {
        expect_streamed(utf8_stream(), bytes, replaced);
        expect_streamed(utf8_stream(invalid_bytes::keep), bytes, bytes);
        std::string dropped = replaced;
        for (std::size_t at; (at = dropped.find(r)) != std::string::npos;) dropped.erase(at, 3);
        expect_streamed(utf8_stream(invalid_bytes::drop), bytes, dropped);
    }
}

/// By looking at whole prefixes: what may still become a character is held, and what may not is replaced.
std::string slow_replaced(const std::string& bytes) {
    const auto is_character = [](const std::string& b) {
        return b.size() <= 4 && !b.empty() && detail::decode_utf8(b).length == b.size();
    };
    const auto may_become_one = [&](const std::string& b) {
        if (b.size() >= 4) return false;
        for (int more = 1; b.size() + std::size_t(more) <= 4; ++more)
            for (const char first : {'\x80', '\x8F', '\x90', '\x9F', '\xA0', '\xBF'}) {
                std::string whole = b + first;
                while (whole.size() < b.size() + std::size_t(more)) whole += '\x80';
                if (is_character(whole)) return true;
            }
        return false;
    };
    std::string all, held;
    for (const char byte : bytes) {
        if (!held.empty() && !is_character(held + byte) && !may_become_one(held + byte)) {
            all += "\xEF\xBF\xBD";
            held.clear();
        }
        held += byte;
        if (is_character(held)) all += std::exchange(held, "");
        else if (!may_become_one(held)) all += "\xEF\xBF\xBD", held.clear();
    }
    return held.empty() ? all : all + "\xEF\xBF\xBD";
}

TEST(Utf8Stream, IsWhatASlowReaderSays) {
    std::mt19937 random(8);
    const std::string bytes = "aZ\x80\x8F\x90\x9F\xA0\xBF\xC0\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF3\xF4\xF5\xFF";
    for (int round = 0; round < 3000; ++round) {
        std::string any;
        for (std::size_t i = random() % 12; i-- > 0;) any += bytes[random() % bytes.size()];
        const std::string expected = slow_replaced(any);
        ASSERT_EQ(streamed(utf8_stream(), any, {}), expected);
        std::vector<std::size_t> cuts(random() % 4);
        for (std::size_t& cut : cuts) cut = random() % (any.size() + 1);
        std::sort(cuts.begin(), cuts.end());
        ASSERT_EQ(streamed(utf8_stream(), any, cuts), expected);
    }
}

vocabulary some_words() {
    vocabulary words;
    words.add(" Hello");
    words.add(" wor");
    words.add("ld\xF0\x9F");
    words.add("\x98\x80");
    words.add("<|im_start|>", token_role::control);
    words.add("</s>", token_role::control | token_role::end_of_generation);
    words.add("");
    words.add(" ");
    return words;
}

TEST(Utf8Stream, ReadsTokens) {
    const vocabulary words = some_words();
    const std::vector<token_id> tokens{6, 4, 0, 1, 2, 3, 77, -1, 5};
    const auto all = [&](const token_text_options& options) {
        utf8_stream out(words, options);
        std::string shown;
        for (const token_id token : tokens) shown += string_of(out.push(token));
        return shown + string_of(out.flush());
    };
    EXPECT_EQ(all({}), " Hello world\xF0\x9F\x98\x80");
    EXPECT_EQ(all({.control_tokens = true}), "<|im_start|> Hello world\xF0\x9F\x98\x80</s>");
    EXPECT_EQ(all({.drop_first_blank = true}), "Hello world\xF0\x9F\x98\x80");
    EXPECT_EQ(all({.control_tokens = true, .drop_first_blank = true}), all({.control_tokens = true}));
    utf8_stream out(words, {.drop_first_blank = true});
    EXPECT_EQ(out.push(7), "");  // the blank alone
    EXPECT_EQ(out.push(7), " ");
    out.reset();
    EXPECT_EQ(out.push(0), "Hello");
}

// ---- stop strings

/// Where a text stops: by looking at every end. The string, and where it ends.
std::optional<std::pair<std::size_t, std::size_t>> slow_stop(const std::string& whole, const std::vector<std::string>& stops) {
    for (std::size_t end = 1; end <= whole.size(); ++end) {
        std::optional<std::size_t> longest;
        for (std::size_t s = 0; s < stops.size(); ++s)
            if (!stops[s].empty() && stops[s].size() <= end && whole.compare(end - stops[s].size(), stops[s].size(), stops[s]) == 0)
                if (!longest || stops[s].size() > stops[*longest].size()) longest = s;
        if (longest) return std::pair{*longest, end};
    }
    return {};
}

TEST(StopStrings, EndATextAcrossTokens) {
    vocabulary words;
    for (const char* piece : {"Hi", ".", "\n", "Us", "er", ":", " x"}) words.add(piece);
    stop_strings out(words, {"\nUser:"});
    std::string shown;
    for (const token_id token : {0, 2, 3, 6, 2}) shown += string_of(out.push(token));
    EXPECT_EQ(shown, "Hi\nUs x");
    EXPECT_EQ(out.held(), "\n");
    for (const token_id token : {3, 4}) shown += string_of(out.push(token));
    EXPECT_EQ(shown, "Hi\nUs x");
    EXPECT_EQ(out.push(5), "");
    EXPECT_TRUE(out.stopped());
    EXPECT_EQ(out.which(), 0);
    EXPECT_EQ(out.push(0), "");
    EXPECT_EQ(out.flush(), "");
    EXPECT_EQ(out.given_out(), shown.size());
    out.reset();
    EXPECT_FALSE(out.stopped());
    EXPECT_EQ(out.push(0), "Hi");
}

TEST(StopStrings, MayBeKept) {
    stop_strings out({"</s>"}, stop_text::kept);
    EXPECT_EQ(out.push_bytes("a</s"), "a");
    EXPECT_EQ(out.push_bytes(">b"), "</s>");
    EXPECT_TRUE(out.stopped());
}

TEST(StopStrings, OfNothingHoldNothing) {
    stop_strings none, empty({"", ""});
    EXPECT_EQ(none.push_bytes("abc"), "abc");
    EXPECT_EQ(empty.push_bytes("abc"), "abc");
    EXPECT_EQ(empty.flush(), "");
    EXPECT_FALSE(empty.stopped());
}

TEST(StopStrings, AreFoundAcrossAnySplit) {
    std::mt19937 random(5);
    for (int round = 0; round < 3000; ++round) {
        std::vector<std::string> stops(random() % 4);
        for (std::string& s : stops)
            for (std::size_t i = random() % 5; i-- > 0;) s += char('a' + random() % 2);
        std::string whole;
        for (std::size_t i = random() % 14; i-- > 0;) whole += char('a' + random() % (round % 2 ? 2 : 3));
        const auto stop = slow_stop(whole, stops);
        for (const stop_text shows : {stop_text::left_out, stop_text::kept}) {
            std::string expected = whole;
            if (stop) expected.resize(stop->second - (shows == stop_text::kept ? 0 : stops[stop->first].size()));
            const stop_strings fresh(stops, shows);
            std::vector<std::size_t> cuts(random() % 5);
            for (std::size_t& cut : cuts) cut = random() % (whole.size() + 1);
            std::sort(cuts.begin(), cuts.end());
            ASSERT_EQ(streamed(fresh, whole, cuts), expected) << whole;
            stop_strings one = fresh;
            (void)one.push_bytes(whole);
            ASSERT_EQ(one.stopped(), stop.has_value());
            if (stop) {
                ASSERT_EQ(stops[std::size_t(one.which())], stops[stop->first]);
            }
        }
    }
    expect_streamed(stop_strings({"\xE6\x9C\xAC", "x"}), "a\xE6\x97\xA5\xE6\x9C\xAC" "b", "a\xE6\x97\xA5");
}

// ---- both

TEST(TextStream, IsBothInOne) {
    vocabulary words;
    for (const char* piece : {"\xE6\x97", "\xA5", "\n#", "##", " Fin", "\xFF", "</s>"}) words.add(piece);
    text_stream out(words, {"\n###"});
    EXPECT_EQ(out.push(0), "");
    EXPECT_EQ(out.push(1), "\xE6\x97\xA5");
    EXPECT_EQ(out.push(2), "");
    EXPECT_EQ(out.push(5), "\n#\xEF\xBF\xBD");
    EXPECT_EQ(out.push(2), "");
    EXPECT_EQ(out.push(0), "");
    EXPECT_EQ(out.flush(), "\n#\xEF\xBF\xBD");
    out.reset();
    EXPECT_EQ(out.push(2), "");
    EXPECT_EQ(out.push(3), "");
    EXPECT_TRUE(out.stopped());
    EXPECT_EQ(out.which(), 0);
    EXPECT_EQ(out.flush(), "");
    EXPECT_EQ(text_stream(words).push(4), " Fin");
    EXPECT_EQ(text_stream(words, {}, {.tokens = {.drop_first_blank = true}}).push(4), "Fin");
    EXPECT_EQ(text_stream(words, {}, {.invalid = invalid_bytes::drop}).push(5), "");
    EXPECT_EQ(text_stream(words, std::vector<std::string>{"n"}, {.stop = stop_text::kept}).push(4), " Fin");
}

// ---- back and forth

/// A random walk with marks: after a rollback everything is as at the mark.
template <class Stream>
void expect_rollback(const Stream& fresh, const vocabulary& words, std::mt19937& random) {
    struct kept {
        typename Stream::place at;
        std::string shown;
        std::vector<token_id> tokens;
    };
    Stream stream = fresh;
    std::string shown;
    std::vector<token_id> tokens;
    std::vector<kept> marks{{stream.mark(), shown, tokens}};
    for (int i = 0; i < 60; ++i) {
        if (random() % 4 == 0) {
            const kept& to = marks[random() % marks.size()];
            stream.rollback(to.at);
            EXPECT_EQ(stream.given_out(), to.shown.size());
            shown = to.shown;
            tokens = to.tokens;
        } else {
            tokens.push_back(token_id(random() % words.size()));
            shown += string_of(stream.push(tokens.back()));
            marks.push_back({stream.mark(), shown, tokens});
        }
        Stream again = fresh;
        std::string expected;
        for (const token_id token : tokens) expected += string_of(again.push(token));
        ASSERT_EQ(shown, expected);
        ASSERT_TRUE(again.mark() == stream.mark());
        Stream copy = stream;
        ASSERT_EQ(string_of(copy.flush()), string_of(again.flush()));
    }
}

TEST(Streams, GoBackToAnyMark) {
    vocabulary words;
    for (const char* piece : {"a", "b", " ab", "\xE6", "\x97", "\xA5", "\xF0\x9F", "ba\xE6", ""}) words.add(piece);
    words.add("<c>", token_role::control);
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        const token_text_options options{.control_tokens = round % 2 != 0, .drop_first_blank = round % 3 == 0};
        expect_rollback(utf8_stream(words, options), words, random);
        expect_rollback(stop_strings(words, {"abab", "b ab", "\xE6\x97\xA5\xE6"}, stop_text::left_out, options), words, random);
        expect_rollback(text_stream(words, {"abab", "b ab", "\xE6\x97\xA5" "a"}, {.tokens = options}), words, random);
    }
}

}  // namespace
}  // namespace riffle_tests::constraint_streaming
