// forget: behind a context shift stages see the text that is left, as if nothing else had been accepted, and draws go
// on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>

#include "chain/own_stages.hpp"
#include "chain/same_place.hpp"
#include "integers.hpp"
#include "reference/rows.hpp"

namespace riffle_tests::chain_shifting {
namespace {

using namespace riffle;
using bytes = std::vector<std::byte>;
using tokens = std::vector<token_id>;

constexpr std::size_t row_size = 24, uncounted = std::numeric_limits<std::size_t>::max();
constexpr std::uint64_t seed = 5;

std::vector<float> row_at(std::size_t step) { return make_row(shape::flat, row_size, step); }

template <class Chain>
bytes saved(const Chain& c) {
    bytes made(c.saved_bytes());
    EXPECT_TRUE(c.save(made));
    return made;
}
template <class Chain>
tokens next_tokens(Chain copy, std::size_t count) {
    tokens all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(copy.sample(row_at(i)));
    return all;
}
template <class Chain>
std::vector<std::uint64_t> law_of(Chain& c, const std::vector<float>& row) {
    const weighed law = c.weigh(row);
    std::vector<std::uint64_t> weights;
    for (token_id token = 0; std::size_t(token) < row.size(); ++token) weights.push_back(law.weight(token));
    return weights;
}

// ---- the text, kept in a list

/// What the model still sees, and how much of it the chain remembers.
struct slow_text {
    struct entry {
        token_id token;
        bool generated;
    };
    /// `most`: tokens that a chain remembers at most.
    explicit slow_text(std::size_t most) : room(most) {}

    std::vector<entry> all;
    std::size_t remembered = 0, room;
    std::uint32_t position = 0;

    void push(token_id token, bool generated) {
        all.push_back({token, generated});
        remembered = std::min(remembered + 1, room);
        position += generated;
    }
    void forget(std::size_t first, std::size_t count) {
        const std::size_t oldest = all.size() - remembered, end = first + count;
        remembered -= end > oldest ? end - std::max(first, oldest) : 0;
        all.erase(all.begin() + std::ptrdiff_t(first), all.begin() + std::ptrdiff_t(end));
    }
    void rewind(std::size_t count) {
        for (; count > 0; --remembered) {
            count -= all.back().generated;
            position -= all.back().generated;
            all.pop_back();
        }
    }
};
struct looks_back {
    const char* name;
    std::function<any_pipeline()> make;
    std::size_t room = uncounted;
};
std::vector<looks_back> chains_that_look_back() {
    return {
        {"penalties of 16",
         [] { return any_pipeline(penalties{.last_n = 16, .repeat = 1.3f, .frequency = 0.2f} | dist{.seed = seed}); },
         16 + 129},
        {"penalties of all",
         [] {
             return any_pipeline(penalties{.last_n = -1, .repeat = 1.1f, .frequency = 0.05f, .presence = 0.3f} |
                                 dist{.seed = seed});
         }},
        {"dry of all",
         [] {
             return any_pipeline(dry{.multiplier = 0.8f, .allowed_length = 1, .last_n = -1, .breakers = {{3}}} |
                                 dist{.seed = seed});
         }},
        {"dry of 40",
         [] {
             return any_pipeline(dry{.multiplier = 0.5f, .allowed_length = 1, .last_n = 40, .breakers = {}} |
                                 dist{.seed = seed});
         },
         40 + 129},
        {"no_repeat_ngram and top_k",
         [] { return any_pipeline(no_repeat_ngram{.n = 2, .last_n = 50} | top_k{.k = 12} | dist{.seed = seed}); },
         50 + 129},
        {"all of them, at run time",
         [] {
             dynamic_chain made;
             made.push(penalties{.last_n = 64, .repeat = 1.2f});
             made.push(no_repeat_ngram{.n = 3, .last_n = -1});
             made.push(dry{.multiplier = 0.3f, .allowed_length = 2, .last_n = 100});
             made.push(dist{.seed = seed});
             return any_pipeline(made);
         }},
        {"in storage",
         [] {
             static std::vector<bytes> storage;
             any_pipeline made = penalties{.last_n = 30, .repeat = 1.2f} | dist{.seed = seed};
             storage.emplace_back(made.scratch_bytes(row_size));
             EXPECT_TRUE(made.use_storage(storage.back(), row_size));
             return made;
         },
         30 + 129},
    };
}
/// A chain that has accepted what is left, and nothing else, gives the same law; and the token is the one that the draw
/// of the chain's own position picks from it.
void expect_sees(any_pipeline& c, const slow_text& text, const looks_back& kind, std::size_t step) {
    any_pipeline slow = kind.make();
    tokens left;
    for (std::size_t i = text.all.size() - text.remembered; i < text.all.size(); ++i) left.push_back(text.all[i].token);
    ASSERT_TRUE(slow.prompt(left));
    const auto row = row_at(step);
    ASSERT_EQ(law_of(c, row), law_of(slow, row));
    const checkpoint here = c.mark();
    ASSERT_EQ(here.tokens, text.all.size());
    ASSERT_EQ(here.position, text.position);
    const draws random(seed, {here.position, here.attempt, 0}, stream_of(stream_kind::dist, 0));
    const weighed law = slow.weigh(row);
    const token_id expected = law.pick(multiply_high(random.bits(), law.total()));
    ASSERT_EQ(c.peek(row), expected);
}
void accept_some(any_pipeline& c, slow_text& text, std::size_t count, integers& random) {
    for (; count > 0; --count) {
        const auto token = token_id(random.below(7) == 0 ? random.below(row_size) : random.below(5));
        const bool generated = random.below(5) != 0;
        if (generated) {
            ASSERT_FALSE(c.accept(token).refused);
        } else {
            ASSERT_TRUE(c.prompt(tokens{token}));
        }
        text.push(token, generated);
    }
}
void forget(any_pipeline& c, slow_text& text, std::size_t first, std::size_t count) {
    const status s = c.forget(first, count);
    ASSERT_TRUE(s.ok()) << s.message().c_str();
    text.forget(first, count);
}

TEST(Shifting, StagesSeeWhatIsLeft) {
    for (const looks_back& kind : chains_that_look_back())
        for (const std::size_t length : {1u, 6u, 40u, 145u, 170u, 400u}) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(length) + " tokens");
            integers random(length);
            any_pipeline whole = kind.make();
            slow_text text_of_whole(kind.room);
            accept_some(whole, text_of_whole, length, random);
            for (const std::size_t first : {0u, 1u, 5u, unsigned(length / 2), unsigned(length - 1), unsigned(length)})
                for (const std::size_t count : {0u, 1u, 4u, unsigned(length / 2), 200u, unsigned(length)}) {
                    if (first + count > length) continue;
                    SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(count));
                    any_pipeline c = whole;
                    slow_text text = text_of_whole;
                    forget(c, text, first, count);
                    expect_sees(c, text, kind, first);
                    accept_some(c, text, 3, random);
                    expect_sees(c, text, kind, count);
                    if (HasFatalFailure()) return;
                }
        }
}
/// As llama.cpp's server shifts: keep the beginning, discard half of the rest, over and over.
TEST(Shifting, GoesOnForEver) {
    for (const looks_back& kind : chains_that_look_back()) {
        SCOPED_TRACE(kind.name);
        integers random(3);
        any_pipeline c = kind.make();
        slow_text text(kind.room);
        for (int shift = 0; shift < 40; ++shift) {
            while (text.all.size() < 60) accept_some(c, text, 1, random);
            expect_sees(c, text, kind, std::size_t(shift));
            forget(c, text, 10, 25);
            expect_sees(c, text, kind, std::size_t(shift));
            if (HasFatalFailure()) return;
        }
    }
}
/// Any calls in any order.
TEST(Shifting, AnyWayThereLeadsToTheSame) {
    for (const looks_back& kind : chains_that_look_back())
        for (std::uint64_t run = 0; run < 4; ++run) {
            SCOPED_TRACE(std::string(kind.name) + ", run " + std::to_string(run));
            integers random(run);
            any_pipeline c = kind.make();
            slow_text text(kind.room);
            for (std::size_t step = 0; step < 60; ++step) {
                const auto size = std::uint32_t(text.all.size());
                switch (random.below(8)) {
                case 0: {
                    const std::size_t first = random.below(size + 1);
                    forget(c, text, first, random.below(size - std::uint32_t(first) + 1));
                    break;
                }
                case 1: {
                    const std::size_t first = random.below(size / 4 + 1);
                    forget(c, text, first, std::min<std::size_t>(random.below(9), size - first));
                    break;
                }
                case 2: {
                    const std::size_t count = random.below(6);
                    if (c.rewind(count)) text.rewind(count);
                    break;
                }
                case 3: {
                    any_pipeline copy = c;
                    c = std::move(copy);
                    break;
                }
                case 4: {
                    any_pipeline loaded = kind.make();
                    ASSERT_TRUE(loaded.load(saved(c)));
                    ASSERT_EQ(saved(loaded), saved(c));
                    c = std::move(loaded);
                    break;
                }
                default: accept_some(c, text, random.below(60), random);
                }
                expect_sees(c, text, kind, step);
                if (HasFatalFailure()) FAIL() << "step " << step;
            }
        }
}
TEST(Shifting, OfEverythingLeavesAnEmptyText) {
    for (const looks_back& kind : chains_that_look_back())
        for (const std::size_t length : {1u, 50u, 300u}) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(length) + " tokens");
            integers random(length);
            any_pipeline c = kind.make();
            slow_text text(kind.room);
            accept_some(c, text, length, random);
            forget(c, text, 0, length);
            EXPECT_EQ(c.mark().tokens, 0u);
            expect_sees(c, text, kind, 1);
            EXPECT_EQ(c.rewind(1).code(), status_code::rewind_too_far);
            for (int again = 0; again < 3; ++again) {
                accept_some(c, text, 160, random);
                expect_sees(c, text, kind, 2);
                forget(c, text, 0, text.all.size());
                expect_sees(c, text, kind, 3);
                if (HasFatalFailure()) return;
            }
        }
}

// ---- what is refused

TEST(Shifting, OfTokensThatAreNotThereChangesNothing) {
    for (const std::size_t length : {0u, 1u, 10u, 400u}) {
        auto c = penalties{.last_n = 16, .repeat = 1.3f} | mirostat_v2{.seed = 2};
        for (std::size_t i = 0; i < length; ++i) c.sample(row_at(i));
        const checkpoint here = c.mark();
        const bytes file = saved(c);
        const std::pair<std::size_t, std::size_t> wrong[] = {
            {0, length + 1},    {length, 1},
            {length + 1, 0},    {length + 1, 1},
            {1, length},        {0, uncounted},
            {uncounted, 0},     {uncounted, uncounted},
            {1, uncounted},     {uncounted, 1},
            {2, uncounted - 1}, {length, uncounted - length + 1},
            {uncounted - 1, 2}, {uncounted / 2 + 1, uncounted / 2 + 1}};
        for (const auto& [first, count] : wrong) {
            if (first <= length && count <= length - first) continue;
            const status s = c.forget(first, count);
            ASSERT_EQ(s.code(), status_code::invalid_parameter) << first << ", " << count;
            ASSERT_TRUE(same_place(c.mark(), here));
            ASSERT_EQ(saved(c), file);
        }
        // Nothing is forgotten where nothing should be, and marks stay good.
        for (const std::size_t first : {std::size_t{0}, length / 2, length}) ASSERT_TRUE(c.forget(first, 0));
        ASSERT_EQ(saved(c), file);
        ASSERT_TRUE(c.rollback(here));
    }
    auto c = temperature{} | greedy{};
    c.accept(1);
    EXPECT_STREQ(c.forget(1, 3).message().c_str(), "forget: count = 3 are more tokens than the text has from there on");
}

// ---- going back

template <class Chain>
void expect_marks_of_before_refused(Chain c, std::size_t first, std::size_t count) {
    std::vector<checkpoint> earlier, later;
    std::vector<tokens> futures;
    for (std::size_t i = 0; i < 50; ++i) {
        earlier.push_back(c.mark());
        c.sample(row_at(i));
    }
    earlier.push_back(c.mark());
    ASSERT_TRUE(c.forget(first, count));
    const checkpoint here = c.mark();
    ASSERT_FALSE(same_place(here, earlier.back()));
    ASSERT_EQ(here.tokens, 50 - count);
    ASSERT_EQ(here.position, 50u);
    for (const checkpoint& m : earlier) {
        ASSERT_EQ(c.rollback(m).code(), status_code::mark_unknown) << m.tokens;
        ASSERT_TRUE(same_place(c.mark(), here));
    }
    for (std::size_t i = 0; i < 20; ++i) {
        later.push_back(c.mark());
        futures.push_back(next_tokens(c, 4));
        c.sample(row_at(i));
    }
    for (const checkpoint& m : earlier) ASSERT_EQ(c.rollback(m).code(), status_code::mark_unknown) << m.tokens;
    for (std::size_t i = later.size(); i-- > 0;) {
        Chain copy = c;
        ASSERT_TRUE(copy.rollback(later[i])) << i;
        ASSERT_TRUE(same_place(copy.mark(), later[i]));
        ASSERT_EQ(next_tokens(copy, 4), futures[i]);
    }
    Chain again = c;
    ASSERT_TRUE(again.forget(0, 1));
    for (const checkpoint& m : later) ASSERT_EQ(again.rollback(m).code(), status_code::mark_unknown) << m.tokens;
}
TEST(Shifting, MarksOfBeforeAreRefusedAndThoseOfAfterTaken) {
    for (const auto& [first, count] :
         {std::pair<std::size_t, std::size_t>{0, 1}, {0, 50}, {10, 30}, {49, 1}, {20, 30}}) {
        SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(count));
        expect_marks_of_before_refused(penalties{.last_n = 16, .repeat = 1.3f} | dist{.seed = 1}, first, count);
        expect_marks_of_before_refused(penalties{.last_n = -1, .repeat = 1.3f} | mirostat_v2{.seed = 1}, first, count);
        expect_marks_of_before_refused(any_pipeline(min_p{.p = 0.01f} | adaptive_p{.target = 0.3f}), first, count);
        expect_marks_of_before_refused(chain<llama_exact>(penalties{.last_n = 16}, mirostat_v2{.seed = 1}), first,
                                       count);
        if (HasFatalFailure()) return;
    }
}
TEST(Shifting, RewindTakesBackWhatIsLeftOfTheGeneratedTokens) {
    for (const looks_back& kind : chains_that_look_back())  // none of which keeps anything
        for (const std::size_t length : {30u, 300u}) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(length) + " tokens");
            integers random(9);
            any_pipeline whole = kind.make();
            slow_text text_of_whole(kind.room);
            accept_some(whole, text_of_whole, length, random);
            forget(whole, text_of_whole, length - 20, 10);
            for (const std::size_t count : {1u, 7u, 12u, 20u}) {
                any_pipeline c = whole;
                slow_text text = text_of_whole;
                const bool has_all = text.remembered == text.all.size();
                const std::size_t generated = std::size_t(std::count_if(
                    text.all.begin(), text.all.end(), [](const slow_text::entry& one) { return one.generated; }));
                const status s = c.rewind(count);
                if (has_all) {
                    ASSERT_EQ(s.ok(), count <= generated) << count;
                }
                if (!s) continue;
                text.rewind(count);
                expect_sees(c, text, kind, count);
                if (HasFatalFailure()) return;
            }
        }
}
/// Over and over, as far as it goes: what stages look back on is there, or the rewind is refused.
void expect_exact_or_refused(any_pipeline c, slow_text text, const looks_back& kind) {
    for (const std::size_t back : {60u, 60u, 10u, 10u, 5u, 5u, 1u, 1u, 1u, 1u, 60u}) {
        const checkpoint here = c.mark();
        if (!c.rewind(back)) {
            ASSERT_TRUE(same_place(c.mark(), here));
            continue;
        }
        text.rewind(back);
        expect_sees(c, text, kind, back);
        if (testing::Test::HasFatalFailure()) FAIL() << text.all.size() << " tokens are left";
    }
}
TEST(Shifting, RewindsBehindAShiftAreExactOrRefused) {
    const std::pair<std::size_t, std::size_t> shifts[] = {{0, 1}, {0, 100}, {10, 200}, {300, 150}};
    for (const looks_back& kind : chains_that_look_back())
        for (const auto& [first, count] : shifts) {
            SCOPED_TRACE(std::string(kind.name) + ": " + std::to_string(first) + ", " + std::to_string(count));
            integers random(4);
            any_pipeline c = kind.make(), loaded = kind.make();
            slow_text text(uncounted);  // of which nothing is lost
            accept_some(c, text, 500, random);
            forget(c, text, first, count);
            expect_exact_or_refused(c, text, kind);
            ASSERT_TRUE(loaded.load(saved(c)));
            expect_exact_or_refused(loaded, text, kind);
            if (HasFatalFailure()) return;
        }
}
/// However little of a long text is left, what came behind the shift can be taken back.
TEST(Shifting, MarksOfAfterAreTakenWhateverIsLeft) {
    for (const std::int32_t window : {0, 16})
        for (const std::size_t left : {0u, 1u, 5u, 40u})
            for (const std::size_t more : {1u, 10u, 128u}) {
                SCOPED_TRACE(std::to_string(left) + " left in a window of " + std::to_string(window) + ", " +
                             std::to_string(more) + " more");
                auto c = penalties{.last_n = window, .repeat = 1.3f} | dist{.seed = 1};
                for (std::size_t i = 0; i < 500; ++i) c.accept(token_id(i % 9));
                const std::size_t oldest = 500 - (129 + std::size_t(window));
                ASSERT_TRUE(c.forget(oldest + left, 500 - oldest - left));
                const checkpoint m = c.mark();
                const tokens expected = next_tokens(c, 5);
                for (std::size_t i = 0; i < more; ++i) c.sample(row_at(i));
                const status s = c.rollback(m);
                EXPECT_TRUE(s.ok()) << s.message().c_str();
                if (s) {
                    EXPECT_EQ(next_tokens(c, 5), expected);
                }
            }
}
/// States that were saved for rewind are those of the text as it was.
TEST(Shifting, RewindEndsHereWhereStagesKeepSomething) {
    const auto expect_end = [](auto c) {
        for (std::size_t i = 0; i < 40; ++i) c.accept(token_id(i % 7));
        ASSERT_TRUE(c.forget(5, 20));
        const checkpoint here = c.mark();
        ASSERT_EQ(c.rewind(1).code(), status_code::rewind_too_far);
        ASSERT_TRUE(same_place(c.mark(), here));
        std::vector<checkpoint> marks;
        for (std::size_t i = 0; i < 9; ++i) {
            marks.push_back(c.mark());
            c.sample(row_at(i));
        }
        ASSERT_EQ(c.rewind(10).code(), status_code::rewind_too_far);
        for (std::size_t count = 1; count <= 9; ++count) {
            auto back = c;
            ASSERT_TRUE(back.rewind(count));
            ASSERT_TRUE(same_place(back.mark(), marks[9 - count])) << count;
        }
    };
    expect_end(penalties{.last_n = 8} | mirostat_v2{.seed = 3});
    expect_end(any_pipeline(chain(weary{}, adaptive_p{.target = 0.3f})));
    expect_end(chain<llama_exact>(xtc{.probability = 0.5f}, mirostat_v2{.seed = 3}));
    dynamic_chain late;
    late.push(odd_ones_out{});
    late.push(temperature{});
    late.push(dist{.seed = 4});
    expect_end(late);
}

// ---- what follows the text by itself

/// Draws and averages are those of a chain that forgot nothing.
TEST(Shifting, StagesThatDoNotLookBackAreNotTouched) {
    const std::vector<any_pipeline> all{
        temperature{.t = 0.8f} | dist{.seed = 1},
        chain(gumbel{.seed = 2}),
        chain(mirostat{.tau = 3.0f, .n_vocab = row_size, .seed = 3}),
        chain(mirostat_v2{.tau = 3.0f, .seed = 4}),
        min_p{.p = 0.02f} | adaptive_p{.target = 0.3f, .seed = 5},
        xtc{.probability = 0.5f, .threshold = 0.03f, .seed = 6} | skew{.amount = 0.5f, .seed = 7},
        chain(weary{}, lottery{.seed = 8}),
        chain<llama_exact>(xtc{.probability = 0.5f, .threshold = 0.03f, .seed = 9}, dist{.seed = 10}),
        chain<llama_exact>(mirostat_v2{.tau = 3.0f, .seed = 11}),
        chain<llama_exact>(adaptive_p{.target = 0.3f, .seed = 12}),
    };
    for (const any_pipeline& one : all) {
        any_pipeline c = one, unshifted = one;
        integers random(6);
        for (std::size_t i = 0; i < 300; ++i) {
            ASSERT_EQ(c.sample(row_at(i)), unshifted.sample(row_at(i))) << &one - all.data() << ", token " << i;
            if (i % 40 == 39) {
                const auto size = std::uint32_t(c.mark().tokens);
                const std::size_t first = random.below(size);
                ASSERT_TRUE(c.forget(first, random.below(size - std::uint32_t(first) + 1)));
                ASSERT_EQ(c.mark().stages, unshifted.mark().stages);
                ASSERT_EQ(c.mark().position, unshifted.mark().position);
            }
            if (i % 7 == 0) c.retry(), unshifted.retry();
        }
    }
}
TEST(Shifting, TheAttemptStays) {
    auto c = temperature{} | dist{.seed = 1}, other = c;
    for (std::size_t i = 0; i < 9; ++i) c.sample(row_at(i)), other.sample(row_at(i));
    c.retry();
    other.retry();
    ASSERT_TRUE(c.forget(1, 4));
    EXPECT_EQ(c.mark().attempt, 1u);
    EXPECT_EQ(c.sample(row_at(3)), other.sample(row_at(3)));
}
TEST(Shifting, AConstraintGoesOnWithItsText) {
    vocabulary words;
    for (const char* piece : {"a", "b", "c", "(", ")", "ab", " "}) words.add(piece);
    words.add("</s>", token_role::control | token_role::end_of_generation);
    const vocabulary_trie trie(words);
    const grammar_matcher matcher(*parse_gbnf("root ::= ([a-c ] | \"(\" root \")\")*"), trie);
    const auto make = [&] { return chain(constrain{matcher}, dist{.seed = 3}); };
    auto c = make(), unshifted = make();
    for (std::size_t i = 0; i < 200; ++i) {
        auto row = make_row(shape::flat, 8, i);
        row.pop_back();  // no end
        ASSERT_EQ(c.sample(row), unshifted.sample(row)) << i;
        if (i % 30 == 29) {
            ASSERT_TRUE(c.forget(2, 20));
        }
        if (i % 30 == 7) {
            ASSERT_TRUE(c.rewind(5));
            ASSERT_TRUE(unshifted.rewind(5));
        }
    }
    const bytes file = saved(c);
    auto fresh = make();
    EXPECT_EQ(fresh.load(file).code(), status_code::stage_failed) << "the file has not all of the text";
    EXPECT_TRUE(c.load(file)) << "this one has accepted it";
}

/// A vocabulary of letters, and rows in which one of them is best, and another one second.
const vocabulary& letters() {
    static const vocabulary words = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "c", "x", "y", "z"}) made.add(piece);
        return made;
    }();
    return words;
}
std::vector<float> row_for(token_id best, token_id second) {
    std::vector<float> row(6, 0.0f);
    row[std::size_t(best)] = 9.0f;
    row[std::size_t(second)] = 5.0f;
    return row;
}
TEST(Shifting, PhrasesBehindAShiftAreBanned) {
    const std::pair<std::size_t, std::size_t> shifts[] = {{0, 1}, {0, 3}, {1, 2}, {2, 1}, {0, 4}, {1, 3}, {3, 1}};
    for (const auto& [first, count] : shifts) {
        SCOPED_TRACE(std::to_string(first) + ", " + std::to_string(count));
        auto c = phrase_ban{&letters(), {"abc"}} | greedy{};
        for (const token_id token : {3, 4, 5, 3}) c.sample(row_for(token, 0));
        ASSERT_TRUE(c.forget(first, count));
        const checkpoint here = c.mark();
        for (const token_id token : {0, 1, 2}) ASSERT_EQ(c.sample(row_for(token, 4)), token);
        ASSERT_EQ(c.last_step().rewind, 3);
        ASSERT_TRUE(c.rewind(3));
        ASSERT_TRUE(same_place(c.mark(), here));
        ASSERT_EQ(c.sample(row_for(0, 4)), 4) << "a is banned here";
        ASSERT_EQ(c.sample(row_for(0, 4)), 0) << "and not behind it";
    }
}
/// The beginning of a phrase is no longer in the text: what is left of it is taken back, and banned where it stood.
TEST(Shifting, APhraseThatHadBegunIsTakenBackAsFarAsItIsThere) {
    auto c = phrase_ban{&letters(), {"abc"}} | greedy{};
    for (const token_id token : {3, 0, 1}) c.sample(row_for(token, 5));
    ASSERT_TRUE(c.forget(0, 3));
    ASSERT_EQ(c.sample(row_for(2, 4)), 2);
    ASSERT_EQ(c.last_step().rewind, 1);
    ASSERT_TRUE(c.rewind(1));
    ASSERT_EQ(c.sample(row_for(2, 4)), 4) << "c is banned here";
    ASSERT_EQ(c.sample(row_for(2, 4)), 2);
}
/// A ban belongs to the text ahead of it, and that is another one now.
TEST(Shifting, BansOfThePresentPlaceStay) {
    auto c = phrase_ban{&letters(), {"abc"}} | greedy{};
    for (const token_id token : {3, 4, 5, 0, 1, 2}) c.sample(row_for(token, 5));
    ASSERT_EQ(c.last_step().rewind, 3);
    ASSERT_TRUE(c.rewind(3));
    for (const std::size_t count : {1u, 2u, 3u}) {
        auto shifted = c;
        ASSERT_TRUE(shifted.forget(0, count));
        EXPECT_EQ(shifted.sample(row_for(0, 4)), 4) << "a is banned here, " << count;
    }
}

// ---- copies, files, beginning anew

/// Every text is longer than what is remembered of it in some of these.
template <class Check>
void for_each_shift(Check check_one) {
    for (const std::size_t length : {10u, 140u, 500u})
        for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 1},
                                           {0, length},
                                           {0, length - 1},
                                           {length / 2, length - length / 2},
                                           {length / 2, length / 4},
                                           {length - 1, 1},
                                           {length > 300 ? 300 : 1, length > 300 ? 200 : 9},
                                           {length > 400 ? 450 : 2, 5}}) {
            SCOPED_TRACE(std::to_string(length) + " tokens: " + std::to_string(first) + ", " + std::to_string(count));
            check_one(length, first, count);
            if (testing::Test::HasFatalFailure()) return;
        }
}
template <class Make>
void expect_copies_and_files_agree(const Make& make) {
    for_each_shift([&](std::size_t length, std::size_t first, std::size_t count) {
        auto c = make();
        for (std::size_t i = 0; i < length; ++i) c.sample(row_at(i));
        ASSERT_TRUE(c.forget(first, count));
        auto copy = c, assigned = make(), loaded = make(), grown = c, stored = make();
        assigned.sample(row_at(0));
        assigned = c;
        ASSERT_TRUE(loaded.load(saved(c)));
        ASSERT_TRUE(grown.reserve(row_size, 2000));
        bytes storage(c.scratch_bytes(row_size, 1000));
        ASSERT_TRUE(stored.use_storage(storage, row_size, 1000));
        stored = c;
        auto kept = c.fork(3);
        for (auto* const other : {&copy, &assigned, &loaded, &grown, &stored}) {
            SCOPED_TRACE(other == &copy       ? "copy"
                         : other == &assigned ? "assigned"
                         : other == &loaded   ? "loaded"
                         : other == &grown    ? "grown"
                                              : "stored");
            ASSERT_TRUE(same_place(other->mark(), c.mark()));
            ASSERT_TRUE(other->rollback(c.mark()));
            ASSERT_EQ(saved(*other), saved(c));
            ASSERT_EQ(next_tokens(*other, 5), next_tokens(c, 5));
            ASSERT_EQ(next_tokens(other->fork(3), 5), next_tokens(kept, 5));
        }
        // and do so further on
        std::vector<checkpoint> marks;
        for (std::size_t i = 0; i < 12; ++i) {
            marks.push_back(c.mark());
            const token_id token = c.sample(row_at(i));
            for (auto* const other : {&copy, &assigned, &loaded, &grown, &stored})
                ASSERT_EQ(other->sample(row_at(i)), token);
        }
        for (auto* const other : {&copy, &assigned, &loaded, &grown, &stored})
            for (const checkpoint& m : marks) {
                auto back = *other, expected = c;
                ASSERT_EQ(back.rollback(m).code(), expected.rollback(m).code()) << m.tokens;
                ASSERT_TRUE(same_place(back.mark(), expected.mark()));
            }
        ASSERT_TRUE(c.forget(0, 1));
        for (auto* const other : {&copy, &assigned, &loaded, &grown, &stored}) {
            ASSERT_TRUE(other->forget(0, 1));
            ASSERT_TRUE(same_place(other->mark(), c.mark()));
        }
    });
}
TEST(Shifting, CopiesForksAndFilesAreAlike) {
    expect_copies_and_files_agree([] { return penalties{.last_n = 16, .repeat = 1.2f} | dist{.seed = 2}; });
}
TEST(Shifting, CopiesForksAndFilesOfEndlessWindowsAreAlike) {
    expect_copies_and_files_agree([] { return penalties{.last_n = -1, .repeat = 1.2f} | mirostat_v2{.seed = 2}; });
}
TEST(Shifting, CopiesForksAndFilesAreAlikeWithoutAWindow) {
    expect_copies_and_files_agree([] { return min_p{.p = 0.01f} | adaptive_p{.target = 0.4f, .seed = 2}; });
}
TEST(Shifting, AResetChainIsAsNew) {
    const auto make = [] { return penalties{.last_n = -1, .repeat = 1.2f} | mirostat_v2{.seed = 2}; };
    for_each_shift([&](std::size_t length, std::size_t first, std::size_t count) {
        auto c = make(), fresh = make();
        for (std::size_t i = 0; i < length; ++i) c.sample(row_at(i));
        ASSERT_TRUE(c.forget(first, count));
        c.reset();
        ASSERT_TRUE(same_place(c.mark(), fresh.mark()));
        for (std::size_t i = 0; i < 5; ++i) ASSERT_EQ(c.sample(row_at(i)), fresh.sample(row_at(i)));
        ASSERT_TRUE(c.rollback(fresh.mark()));
        ASSERT_TRUE(same_place(c.mark(), fresh.mark()));
    });
}
/// What the last step on a row found belongs to the text of before.
TEST(Shifting, ALawOfBeforeIsNotLearntFrom) {
    auto c = min_p{.p = 0.01f} | adaptive_p{.target = 0.4f, .seed = 2}, plain = c;
    for (std::size_t i = 0; i < 9; ++i) c.sample(row_at(i)), plain.sample(row_at(i));
    const token_id token = c.peek(row_at(1));
    c.weigh(row_at(1));
    ASSERT_TRUE(c.forget(0, 2));
    c.accept_choice(token);
    plain.accept(token);
    EXPECT_EQ(c.mark().stages, plain.mark().stages);
}

}  // namespace
}  // namespace riffle_tests::chain_shifting
