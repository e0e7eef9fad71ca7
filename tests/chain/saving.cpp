// save and load: a chain that was loaded is the chain that was saved, and what is no such file changes nothing.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>

#include "chain/own_stages.hpp"
#include "chain/same_place.hpp"
#include "integers.hpp"
#include "reference/rows.hpp"
#include "saved_numbers.hpp"

namespace riffle_tests::chain_saving {
namespace {

using namespace riffle;
using bytes = std::vector<std::byte>;
using numbers = std::vector<std::uint32_t>;
using tokens = std::vector<token_id>;

constexpr std::size_t row_size = 40;
const std::vector<float>& row_at(std::size_t step) {
    static const std::vector<std::vector<float>> rows = [] {
        std::vector<std::vector<float>> made;
        for (std::size_t i = 0; i < 64; ++i) made.push_back(make_row(i % 3 ? shape::flat : shape::random, row_size, i));
        return made;
    }();
    return rows[step % rows.size()];
}
/// Of a vocabulary of a few letters, without the end.
std::vector<float> letter_row(std::size_t step) { return make_row(shape::flat, 7, step); }

// ---- what can be seen of a chain

template <class Chain>
bytes saved(const Chain& c) {
    bytes made(c.saved_bytes());
    const status s = c.save(made);
    EXPECT_TRUE(s.ok()) << s.message().c_str();
    return made;
}
/// What a chain keeps: a file has all of it, but for what is in no file.
template <class Chain>
bool same_chain(const Chain& a, const Chain& b) {
    return same_place(a.mark(), b.mark()) && saved(a) == saved(b);
}
/// The next tokens, each with what accepting it led to and with the law it came from.
struct future {
    tokens sampled;
    std::vector<int> rewinds;
    std::vector<std::uint64_t> totals;
    friend bool operator==(const future&, const future&) = default;
};
template <class Chain>
future future_of(Chain copy, std::size_t count) {
    future all;
    for (std::size_t i = 0; i < count; ++i) {
        all.totals.push_back(copy.weigh(row_at(i)).total());
        all.sampled.push_back(copy.sample(row_at(i)));
        all.rewinds.push_back(copy.last_step().rewind);
    }
    return all;
}
template <class Chain>
tokens next_tokens(Chain copy, std::size_t count) {
    return future_of(std::move(copy), count).sampled;
}

/// Whether two chains agree about a way back, and after it.
template <class Chain, class GoBack>
void expect_same_way_back(const Chain& a, const Chain& b, const GoBack& go_back) {
    Chain back_a = a, back_b = b;
    const status of_a = go_back(back_a), of_b = go_back(back_b);
    ASSERT_EQ(of_a.code(), of_b.code());
    ASSERT_TRUE(same_place(back_a.mark(), back_b.mark()));
    if (of_a.ok()) {
        ASSERT_EQ(future_of(back_a, 2), future_of(back_b, 2));
    }
}
/// Loads what `c` saves into `fresh`, and looks for a difference.
template <class Chain>
void expect_loaded(const Chain& c, Chain fresh, const std::vector<checkpoint>& marks) {
    const bytes file = saved(c);
    const status s = fresh.load(file);
    ASSERT_TRUE(s.ok()) << s.message().c_str();
    ASSERT_TRUE(same_place(fresh.mark(), c.mark()));
    ASSERT_EQ(saved(fresh), file);
    ASSERT_EQ(future_of(fresh, 12), future_of(c, 12));
    const std::size_t written = c.mark().tokens;
    for (std::size_t count = 0; count <= std::min<std::size_t>(written + 2, 131); ++count) {
        SCOPED_TRACE(count);
        expect_same_way_back(c, fresh, [&](Chain& one) { return one.rewind(count); });
        if (testing::Test::HasFatalFailure()) return;
    }
    for (const checkpoint& m : marks) {
        if (written - m.tokens > 132) continue;
        SCOPED_TRACE(m.tokens);
        expect_same_way_back(c, fresh, [&](Chain& one) { return one.rollback(m); });
        if (testing::Test::HasFatalFailure()) return;
    }
    // On from there, and back behind the place where it was saved. (By copies: llama.cpp's begin streams anew.)
    Chain on = c, loaded_on = fresh;
    for (std::size_t i = 0; i < 20; ++i) ASSERT_EQ(on.sample(row_at(i)), loaded_on.sample(row_at(i)));
    ASSERT_TRUE(same_chain(on, loaded_on));
    expect_same_way_back(on, loaded_on, [](Chain& one) { return one.rewind(30); });
    expect_same_way_back(on.fork(3), loaded_on.fork(3), [](Chain&) { return status(); });
}

// ---- chains of every kind

struct named_weary : weary {
    static constexpr const char* name = "weary";
    void reset() noexcept { *this = named_weary{}; }
};
struct named_director : director {
    static constexpr const char* name = "director";
};
struct named_odd_ones_out : odd_ones_out {
    static constexpr const char* name = "odd_ones_out";
};
struct named_even : keep_even {
    static constexpr const char* name = "keep_even";
};

const vocabulary& letters() {
    static const vocabulary words = [] {
        vocabulary made;
        const std::string all = "abcdefgh";
        for (std::size_t i = 0; i < row_size; ++i) made.add(all.substr(i % 7, 1 + i / 8 % 2));
        return made;
    }();
    return words;
}
phrase_ban many_bans() { return {&letters(), {"ab", "cd", "efg", "hb", "gg"}}; }

const thought_tags& tags() {
    static const thought_tags made = [] {
        vocabulary words;
        for (const char* piece : {"<t>", "</", "t", ">", "hm", "x"}) words.add(piece);
        for (std::size_t i = 6; i < row_size; ++i) words.add(std::string(1, char('a' + i % 20)));
        reasoning_budget budget{.tokens = 12, .landing_tokens = 6, .landing_bias = 3.0f};
        budget.begins = {"<t>"};
        budget.ends = {"</t>"};
        return thought_tags(vocabulary_trie(words), budget);
    }();
    return made;
}

struct kind_of_chain {
    const char* name;
    std::function<any_pipeline()> make;
};
template <class... Stages>
dynamic_chain at_run_time(Stages... stages) {
    dynamic_chain made;
    (made.push(std::move(stages)), ...);
    return made;
}
template <class... Stages>
basic_dynamic_chain<llama_exact> exact_at_run_time(Stages... stages) {
    basic_dynamic_chain<llama_exact> made;
    (made.push(std::move(stages)), ...);
    return made;
}
/// Of stages whose state a file has.
std::vector<kind_of_chain> kinds() {
    const penalties few{.last_n = 16, .repeat = 1.3f, .frequency = 0.1f};
    return {
        {"greedy", [] { return any_pipeline(chain(greedy{})); }},
        {"penalties", [=] { return any_pipeline(few | temperature{.t = 0.8f} | dist{.seed = 1}); }},
        {"penalties of all", [] { return any_pipeline(penalties{.last_n = -1, .repeat = 1.2f} | gumbel{.seed = 2}); }},
        {"a window that is longer than the texts",
         [] { return any_pipeline(penalties{.last_n = 5000, .repeat = 1.2f} | dist{.seed = 3}); }},
        {"dry",
         [] {
             return any_pipeline(dry{.multiplier = 0.8f, .allowed_length = 1, .last_n = -1, .breakers = {{3}}} |
                                 dist{.seed = 4});
         }},
        {"no_repeat_ngram", [] { return any_pipeline(no_repeat_ngram{.n = 2, .last_n = 60} | dist{.seed = 5}); }},
        {"phrase_ban", [=] { return any_pipeline(few | many_bans() | adaptive_p{.target = 0.3f, .seed = 6}); }},
        {"adaptive_p", [] { return any_pipeline(min_p{.p = 0.05f} | adaptive_p{.target = 0.4f, .seed = 7}); }},
        {"mirostat", [] { return any_pipeline(chain(mirostat{.tau = 3.0f, .n_vocab = row_size, .seed = 8})); }},
        {"mirostat_v2", [=] { return any_pipeline(few | mirostat_v2{.tau = 3.0f, .seed = 9}); }},
        {"xtc",
         [] {
             return any_pipeline(xtc{.probability = 0.6f, .threshold = 0.02f, .seed = 10} |
                                 min_tokens{.count = 20, .ends = {1, 2}} |
                                 length_penalty{.start = 30, .factor = 1.1f, .ends = {3}} | skew{.amount = 0.4f});
         }},
        {"soft_landing", [] { return any_pipeline(soft_landing{tags()} | dist{.seed = 11}); }},
        {"stages of the user's",
         [] {
             named_director patient;
             patient.limit = 1 << 30;
             return any_pipeline(chain(named_weary{}, named_even{}, patient, dist{.seed = 12}));
         }},
        {"a chain in a chain",
         [=] { return any_pipeline(chain(chain(few, top_k{.k = 20}), many_bans() | mirostat_v2{.seed = 13})); }},
        {"at run time",
         [=] {
             return any_pipeline(at_run_time(few, named_weary{}, many_bans(), xtc{.probability = 0.5f, .seed = 14},
                                             adaptive_p{.target = 0.2f, .seed = 15}));
         }},
        {"with other numerics", [=] { return any_pipeline(chain<fast>(few, many_bans(), mirostat_v2{.seed = 16})); }},
    };
}
/// As llama.cpp runs its samplers.
std::vector<kind_of_chain> exact_kinds() {
    const penalties few{.last_n = 16, .repeat = 1.3f, .frequency = 0.1f};
    return {
        {"dist", [=] { return any_pipeline(chain<llama_exact>(few, top_k{.k = 20}, dist{.seed = 21})); }},
        {"xtc",
         [] {
             return any_pipeline(chain<llama_exact>(xtc{.probability = 0.6f, .threshold = 0.02f, .seed = 22},
                                                    min_p{.p = 0.02f}, dist{.seed = 23}));
         }},
        {"dry",
         [] {
             return any_pipeline(
                 chain<llama_exact>(dry{.multiplier = 0.8f, .allowed_length = 1, .last_n = 64}, dist{.seed = 24}));
         }},
        {"mirostat",
         [] { return any_pipeline(chain<llama_exact>(mirostat{.tau = 3.0f, .n_vocab = row_size, .seed = 25})); }},
        {"mirostat_v2", [=] { return any_pipeline(chain<llama_exact>(few, mirostat_v2{.tau = 3.0f, .seed = 26})); }},
        {"adaptive_p", [=] { return any_pipeline(chain<llama_exact>(few, adaptive_p{.target = 0.3f, .seed = 27})); }},
        {"phrase_ban", [=] { return any_pipeline(chain<llama_exact>(few, many_bans(), dist{.seed = 28})); }},
        {"at run time",
         [=] {
             return any_pipeline(
                 exact_at_run_time(few, named_weary{}, xtc{.probability = 0.5f, .seed = 29}, mirostat_v2{.seed = 30}));
         }},
    };
}

/// Lets a chain live: samples, tokens from elsewhere, prompts, other attempts and ways back, until its text has so many
/// tokens. Marks are made on the way.
void live(any_pipeline& c, std::size_t length, std::uint64_t seed, std::vector<checkpoint>& marks) {
    integers random(seed);
    for (std::size_t step = 0; c.mark().tokens < length; ++step) {
        if (random.below(4) == 0) marks.push_back(c.mark());
        switch (random.below(12)) {
        case 0: (void)c.accept(token_id(random.below(row_size))); break;
        case 1: c.prompt(tokens{token_id(random.below(row_size)), 7}); break;
        case 2: c.retry(); break;
        case 3:
            if (random.below(4) == 0) (void)c.rewind(random.below(6));
            break;
        default:
            c.sample(row_at(step));
            if (c.last_step().rewind > 0 && random.below(4) != 0) (void)c.rewind(std::size_t(c.last_step().rewind));
        }
        if (step > 20 * length + 100) return;  // bans may keep a text short
    }
    if (length % 2 != 0) c.retry();
}

constexpr std::size_t lengths[] = {0, 1, 7, 60, 129, 146, 331};

TEST(Saving, LoadGoesOnFromThere) {
    for (const kind_of_chain& kind : kinds())
        for (const std::size_t length : lengths) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(length) + " tokens");
            std::vector<checkpoint> marks;
            any_pipeline c = kind.make();
            live(c, length, length + 5, marks);
            expect_loaded(c, kind.make(), marks);
            if (HasFatalFailure()) return;
        }
}
TEST(Saving, LoadGoesOnAsLlamaCppDoes) {
    for (const kind_of_chain& kind : exact_kinds())
        for (const std::size_t length : lengths) {
            SCOPED_TRACE(std::string(kind.name) + ", " + std::to_string(length) + " tokens");
            std::vector<checkpoint> marks;
            any_pipeline c = kind.make();
            live(c, length, length + 6, marks);
            expect_loaded(c, kind.make(), marks);
            if (HasFatalFailure()) return;
        }
}
/// What stages drew and learnt, and not what a copy of theirs would begin with.
TEST(Saving, LoadTakesGeneratorsOfLlamaCppWhereTheyAre) {
    for (const kind_of_chain& kind : exact_kinds()) {
        SCOPED_TRACE(kind.name);
        any_pipeline c = kind.make(), loaded = kind.make();
        for (std::size_t i = 0; i < 17; ++i) c.sample(row_at(i));
        c.peek(row_at(3));  // draws
        ASSERT_TRUE(loaded.load(saved(c)));
        for (std::size_t i = 0; i < 30; ++i) ASSERT_EQ(c.sample(row_at(i)), loaded.sample(row_at(i))) << i;
        for (const std::size_t count : {1u, 20u, 12u}) {
            ASSERT_EQ(c.rewind(count).code(), loaded.rewind(count).code());
            for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(c.sample(row_at(i)), loaded.sample(row_at(i))) << i;
        }
    }
}
/// A copy begins streams of its own, and its file says so, to a rewind too.
TEST(Saving, ACopyIsSavedAsItStands) {
    for (const kind_of_chain& kind : exact_kinds()) {
        SCOPED_TRACE(kind.name);
        any_pipeline c = kind.make(), loaded = kind.make();
        for (std::size_t i = 0; i < 17; ++i) c.sample(row_at(i));
        any_pipeline copy = c;
        ASSERT_TRUE(loaded.load(saved(copy)));
        for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(copy.sample(row_at(i)), loaded.sample(row_at(i))) << i;
        ASSERT_TRUE(copy.rewind(3));
        ASSERT_TRUE(loaded.rewind(3));
        for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(copy.sample(row_at(i + 5)), loaded.sample(row_at(i + 5))) << i;
    }
}
TEST(Saving, ForksKeepTheirSequence) {
    const auto expect_kept = [](const kind_of_chain& kind, bool is_a_parameter) {
        SCOPED_TRACE(kind.name);
        std::vector<checkpoint> marks;
        any_pipeline c = kind.make();
        live(c, 20, 3, marks);
        const any_pipeline fresh = is_a_parameter ? kind.make().fork(513) : kind.make();
        expect_loaded(c.fork(513), fresh, {});
    };
    for (const kind_of_chain& kind : kinds()) expect_kept(kind, false);
    for (const kind_of_chain& kind : exact_kinds()) expect_kept(kind, true);  // which adds it to every seed
}
TEST(Saving, LoadReplacesWhatAChainHas) {
    for (const kind_of_chain& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        std::vector<checkpoint> marks, of_others;
        any_pipeline c = kind.make(), shorter = kind.make(), longer = kind.make();
        live(c, 90, 1, marks);
        live(shorter, 12, 2, of_others);
        live(longer, 400, 3, of_others);
        expect_loaded(c, shorter, marks);
        expect_loaded(c, longer, marks);
        if (HasFatalFailure()) return;
        ASSERT_TRUE(longer.load(saved(c)));
        for (const checkpoint& m : of_others)  // of texts that are gone
            expect_same_way_back(c, longer, [&](any_pipeline& one) { return one.rollback(m); });
    }
}
TEST(Saving, LoadIntoItselfChangesNothing) {
    for (const kind_of_chain& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        std::vector<checkpoint> marks;
        any_pipeline c = kind.make();
        live(c, 150, 4, marks);
        any_pipeline same = c;
        ASSERT_TRUE(same.load(saved(same)));
        ASSERT_TRUE(same_chain(same, c));
        ASSERT_EQ(future_of(same, 8), future_of(c, 8));
    }
}
TEST(Saving, GoesOnOverManyRuns) {
    for (const kind_of_chain& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        any_pipeline in_one = kind.make(), in_many = kind.make();
        for (std::size_t i = 0; i < 200; ++i) {
            ASSERT_EQ(in_one.sample(row_at(i)), in_many.sample(row_at(i))) << i;
            any_pipeline next = kind.make();
            if (i % 9 == 0) {
                ASSERT_TRUE(next.load(saved(in_many)));
                in_many = std::move(next);
            }
        }
        ASSERT_TRUE(same_chain(in_one, in_many));
    }
}
TEST(Saving, AFileBelongsToStagesWhateverHoldsThem) {
    const auto typed = [] { return penalties{.last_n = 8} | many_bans() | mirostat_v2{.seed = 1}; };
    const auto at_run = [] { return at_run_time(penalties{.last_n = 8}, many_bans(), mirostat_v2{.seed = 1}); };
    auto c = typed();
    for (std::size_t i = 0; i < 30; ++i) c.sample(row_at(i));
    const bytes file = saved(c);
    auto another = typed();
    dynamic_chain late = at_run();
    any_pipeline erased = typed(), late_and_erased = at_run();
    ASSERT_TRUE(another.load(file));
    ASSERT_TRUE(late.load(file));
    ASSERT_TRUE(erased.load(file));
    ASSERT_TRUE(late_and_erased.load(file));
    const tokens expected = next_tokens(c, 10);
    EXPECT_EQ(next_tokens(another, 10), expected);
    EXPECT_EQ(next_tokens(late, 10), expected);
    EXPECT_EQ(next_tokens(erased, 10), expected);
    EXPECT_EQ(saved(late), file);
    EXPECT_EQ(saved(late_and_erased), file);
}
TEST(Saving, ParametersStayAsTheyAre) {
    auto c = temperature{.t = 0.5f} | dist{.seed = 1};
    for (std::size_t i = 0; i < 5; ++i) c.sample(row_at(i));
    auto other = temperature{.t = 0.7f} | dist{.seed = 2};
    ASSERT_TRUE(other.load(saved(c)));
    EXPECT_EQ(get<temperature>(other).t, 0.7f);
    EXPECT_EQ(get<dist>(other).seed, 2u);
    EXPECT_TRUE(same_place(other.mark(), c.mark()));
}
/// Of a chain that looks less far back, or further: as much of the text as it looks at, or as there is.
TEST(Saving, WindowsMayDiffer) {
    const auto chain_of = [](std::int32_t window) {
        return penalties{.last_n = window, .repeat = 1.4f} | dist{.seed = 3};
    };
    for (const std::int32_t from : {8, 300, -1})
        for (const std::int32_t to : {4, 200, -1}) {
            SCOPED_TRACE(std::to_string(from) + " to " + std::to_string(to));
            auto c = chain_of(from), other = chain_of(to), plain = chain_of(to);
            tokens text;
            for (std::size_t i = 0; i < 250; ++i) text.push_back(c.sample(row_at(i)));
            ASSERT_TRUE(other.load(saved(c)));
            EXPECT_EQ(other.mark().tokens, 250u);
            if (from == 8 && to != 4) continue;  // what it would look at is in no file
            for (const token_id token : text) plain.accept(token);
            ASSERT_EQ(next_tokens(other, 20), next_tokens(plain, 20));
            ASSERT_EQ(other.rewind(100).code(), plain.rewind(100).code());
            ASSERT_EQ(next_tokens(other, 20), next_tokens(plain, 20));
        }
}
TEST(Saving, ReservedChainsAndThoseInStorageAreLoaded) {
    for (const kind_of_chain& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        std::vector<checkpoint> marks;
        any_pipeline c = kind.make(), reserved = kind.make(), stored = kind.make(), stored_too = kind.make();
        live(c, 200, 8, marks);
        ASSERT_TRUE(reserved.reserve(row_size, 500));
        const std::size_t size = stored.scratch_bytes(row_size, 500);
        bytes storage(size), storage_too(size);
        ASSERT_TRUE(stored.use_storage(storage, row_size, 500));
        ASSERT_TRUE(stored_too.use_storage(storage_too, row_size, 500));
        live(stored_too, 70, 9, marks);
        const bytes file = saved(c);
        for (any_pipeline* const one : {&reserved, &stored, &stored_too}) {
            ASSERT_TRUE(one->load(file));
            ASSERT_TRUE(same_place(one->mark(), c.mark()));
            const any_pipeline copy = *one;
            ASSERT_EQ(future_of(copy, 5), future_of(c, 5));
            any_pipeline on = c;
            for (std::size_t i = 0; i < 10; ++i) ASSERT_EQ(one->sample(row_at(i)), on.sample(row_at(i)));
        }
    }
}
/// In the middle of going back: the phrase is complete, the caller was told, and has not taken it back yet.
TEST(Saving, BansHoldAcrossALoad) {
    vocabulary words;
    for (const char* piece : {"a", "b", "c", "x", "ab", "y"}) words.add(piece);
    const auto make = [&] { return any_pipeline(phrase_ban{&words, {"abc", "xa"}} | greedy{}); };
    const auto row_for = [](token_id best, token_id second) {
        std::vector<float> row(6, 0.0f);
        row[std::size_t(best)] = 9.0f;
        row[std::size_t(second)] = 5.0f;
        return row;
    };
    any_pipeline c = make();
    const auto reloaded = [&](const any_pipeline& of) {
        any_pipeline fresh = make();
        EXPECT_TRUE(fresh.load(saved(of)));
        return fresh;
    };
    ASSERT_EQ(c.sample(row_for(5, 3)), 5);
    ASSERT_EQ(c.sample(row_for(0, 3)), 0);
    c = reloaded(c);  // in the middle of a phrase
    ASSERT_EQ(c.sample(row_for(1, 3)), 1);
    ASSERT_EQ(c.sample(row_for(2, 3)), 2);
    ASSERT_EQ(c.last_step().rewind, 3);
    c = reloaded(c);  // behind it
    ASSERT_TRUE(c.rewind(3));
    c = reloaded(c);                        // where it began
    ASSERT_EQ(c.sample(row_for(0, 4)), 4);  // a is banned here
    ASSERT_EQ(c.last_step().rewind, 0);
    c = reloaded(c);
    ASSERT_EQ(c.sample(row_for(2, 0)), 2);
    ASSERT_EQ(c.last_step().rewind, 2);
    ASSERT_TRUE(c.rewind(2));
    c = reloaded(c);
    ASSERT_EQ(c.sample(row_for(0, 3)), 3);  // a and ab are
    c = reloaded(c);
    ASSERT_EQ(c.sample(row_for(0, 4)), 0);
    ASSERT_EQ(c.last_step().rewind, 2);  // xa
}

// ---- what save says

TEST(Saving, NeedsAsManyBytesAsItSays) {
    for (const kind_of_chain& kind : kinds()) {
        SCOPED_TRACE(kind.name);
        std::vector<checkpoint> marks;
        any_pipeline c = kind.make();
        live(c, 40, 2, marks);
        const bytes file = saved(c);
        bytes more(file.size() + 9, std::byte{0x5A});
        ASSERT_TRUE(c.save(more));
        EXPECT_TRUE(std::equal(file.begin(), file.end(), more.begin()));
        EXPECT_EQ(std::count(more.begin() + std::ptrdiff_t(file.size()), more.end(), std::byte{0x5A}), 9);
        bytes less(file.size() - 1, std::byte{0x5A});
        EXPECT_EQ(c.save(less).code(), status_code::storage_too_small);
        EXPECT_EQ(std::count(less.begin(), less.end(), std::byte{0x5A}), std::ptrdiff_t(less.size()));
        EXPECT_EQ(c.save({}).code(), status_code::storage_too_small);
    }
    auto c = temperature{} | dist{};
    EXPECT_STREQ(c.save({}).message().c_str(), "save: bytes = 0 are less than saved_bytes()");
}
TEST(Saving, TakesAFewBytesAToken) {
    auto c = penalties{.last_n = 16} | top_k{} | mirostat_v2{};
    EXPECT_LE(c.saved_bytes(), 100u);
    for (std::size_t i = 0; i < 1000; ++i) c.sample(row_at(i));
    EXPECT_LE(c.saved_bytes(), 100u + 12u * (129 + 16) + 129u * sizeof(float));
}
TEST(Saving, OfAStageWithoutANameIsRefused) {
    auto typed = chain(top_k{}, weary{}, dist{});
    const auto named = chain(top_k{}, named_weary{}, dist{});
    for (std::size_t i = 0; i < 5; ++i) typed.sample(row_at(i));
    bytes room(10000, std::byte{0x5A});
    const status refused = typed.save(room);
    EXPECT_EQ(refused.code(), status_code::invalid_parameter);
    EXPECT_STREQ(refused.message().c_str(), "save: stage = 1 has no name, by which a file could know it again");
    EXPECT_EQ(std::count(room.begin(), room.end(), std::byte{0x5A}), 10000);
    const checkpoint here = typed.mark();
    EXPECT_EQ(typed.load(saved(named)).code(), status_code::invalid_parameter);
    EXPECT_TRUE(same_place(typed.mark(), here));
    any_pipeline erased = typed;
    EXPECT_EQ(erased.save(room).code(), status_code::invalid_parameter);
    dynamic_chain late = at_run_time(keep_even{}, dist{});  // one that keeps nothing, too
    EXPECT_EQ(late.save(room).code(), status_code::invalid_parameter);
}

// ---- what load refuses

/// Bytes that are no file of this chain are refused, and the chain is as it was. `c` is compared by what it keeps: to
/// sample would draw, under numerics::llama.
template <class Chain>
void expect_refused(Chain& c, std::span<const std::byte> bad, status_code code = status_code::invalid_parameter) {
    const bytes earlier = saved(c);
    const checkpoint here = c.mark();
    const step last = c.last_step();
    const status s = c.load(bad);
    ASSERT_EQ(s.code(), code) << s.message().c_str();
    ASSERT_TRUE(same_place(c.mark(), here));
    ASSERT_EQ(saved(c), earlier);
    ASSERT_EQ(c.last_step().rewind, last.rewind);
}
/// Where numbers of a file lie; of those that take two, the lower half.
enum place : std::uint32_t {
    magic = 0,
    version = 2,
    size_of_file = 3,
    layout = 5,
    position,
    attempt,
    sequence,
    times_shifted,
    tokens_of_text = 10,
    tokens_in_file = 12,
    first_token = 16
};
any_pipeline one_with_all_parts() {
    any_pipeline c = penalties{.last_n = 4, .repeat = 1.2f} | many_bans() | mirostat_v2{.seed = 4};
    c.prompt(tokens{1, 2});
    std::size_t steps = 0;
    for (; c.mark().tokens < 9 || saved(c).size() % 8 != 0; ++steps) {
        c.sample(row_at(steps));
        if (c.last_step().rewind > 0) c.rewind(std::size_t(c.last_step().rewind));
    }
    return c;
}
any_pipeline an_exact_one() {
    any_pipeline c = chain<llama_exact>(penalties{.last_n = 4}, xtc{.probability = 0.5f}, adaptive_p{.target = 0.3f});
    for (std::size_t i = 0; i < 9; ++i) c.sample(row_at(i));
    return c;
}

TEST(Saving, EveryBitThatFlipsIsNoticed) {
    for (any_pipeline c : {one_with_all_parts(), an_exact_one()}) {
        const bytes file = saved(c);
        any_pipeline other = c;
        other.sample(row_at(1));
        const tokens expected = next_tokens(other, 5);
        for (std::size_t i = 0; i < file.size(); ++i)
            for (int flipped = 0; flipped < 8; ++flipped) {
                bytes bad = file;
                bad[i] ^= std::byte(1 << flipped);
                expect_refused(other, bad);
                if (HasFatalFailure()) FAIL() << "byte " << i << ", bit " << flipped;
            }
        EXPECT_EQ(next_tokens(other, 5), expected);
    }
}
TEST(Saving, EveryOtherLengthIsRefused) {
    for (any_pipeline c : {one_with_all_parts(), an_exact_one()}) {
        const bytes file = saved(c);
        any_pipeline other = c;
        other.sample(row_at(1));
        for (std::size_t size = 0; size < file.size(); ++size) {
            expect_refused(other, std::span(file).first(size));
            expect_refused(other, std::span(file).last(size));
            if (HasFatalFailure()) FAIL() << "bytes " << size;
        }
        bytes longer = file;
        for (int i = 0; i < 20; ++i) {
            longer.push_back(std::byte(i % 3 ? i : 0));
            expect_refused(other, longer);
        }
        // and so are those that name their length
        numbers cut = numbers_of(file);
        while (cut.size() > 6) {
            cut.erase(cut.end() - 2);
            expect_refused(other, put_right(cut));
            if (HasFatalFailure()) FAIL() << "numbers " << cut.size();
        }
        numbers added = numbers_of(file);
        for (int i = 0; i < 9; ++i) {
            added.push_back(std::uint32_t(i % 3));
            expect_refused(other, put_right(added));
        }
    }
}
TEST(Saving, OtherFilesAreRefusedWithASentence) {
    auto c = temperature{} | mirostat_v2{.seed = 2};
    for (std::size_t i = 0; i < 5; ++i) c.sample(row_at(i));
    const numbers file = numbers_of(saved(c));
    const auto message = [&](const bytes& bad) {
        expect_refused(c, bad);
        return std::string(c.load(bad).message().c_str());
    };
    const auto with = [&](std::size_t i, std::uint32_t number) {
        numbers changed = file;
        changed[i] = number;
        return changed;
    };
    EXPECT_EQ(message({}), "load: bytes = 0 are no whole file of a chain");
    EXPECT_EQ(message(bytes(68)), "load: magic number = 0 is that of no file of a chain");
    EXPECT_EQ(message(put_right(with(magic + 1, 0x474E656C))),
              "load: magic number = 1196320108 is that of no file of a chain");
    EXPECT_EQ(message(put_right(with(version, 2))), "load: version = 2 is newer than 1, which can be read");
    EXPECT_EQ(message(put_right(with(version, 0))), "load: version = 0 is none");
    EXPECT_EQ(message(bytes_of(with(size_of_file, file[size_of_file] + 4))),
              "load: bytes = " + std::to_string(4 * file.size()) + " are not those the file names");
    EXPECT_EQ(message(bytes_of(with(size_of_file + 1, 1))),
              "load: bytes = " + std::to_string(4 * file.size()) + " are not those the file names");
    EXPECT_EQ(message(bytes_of(with(attempt, 9))),
              "load: checksum = " + std::to_string(file.back()) + " is not that of the file");
    EXPECT_NE(message(put_right(with(layout, file[layout] ^ 1))).find("is that of a chain of other stages"),
              std::string::npos);
    EXPECT_EQ(message(put_right(with(sequence, 0x10000))), "load: sequence = 65536 is none");
    EXPECT_EQ(message(put_right(with(tokens_in_file, 6))), "load: tokens = 6 are more than the text has");
}
/// What the last step found stays, too: a token of its law is still learnt from.
TEST(Saving, ARefusedFileLeavesTheLastStepAsItIs) {
    auto c = min_p{.p = 0.01f} | adaptive_p{.target = 0.4f, .seed = 2};
    for (std::size_t i = 0; i < 9; ++i) c.sample(row_at(i));
    bytes bad = saved(c);
    bad[40] ^= std::byte{1};
    auto other = c;
    const std::size_t survivors = c.survivors().size();
    ASSERT_GT(survivors, 1u);
    expect_refused(c, bad);
    EXPECT_EQ(c.survivors().size(), survivors);
    EXPECT_TRUE(c.last_status());
    const token_id token = other.weigh(row_at(3)).pick(0);
    ASSERT_EQ(c.weigh(row_at(3)).pick(0), token);
    expect_refused(c, bad);
    c.accept_choice(token);
    other.accept_choice(token);
    EXPECT_TRUE(same_chain(c, other));
    // One that is taken leaves nothing of it.
    c.weigh(row_at(3));
    other.weigh(row_at(3));
    ASSERT_TRUE(c.load(saved(c)));
    EXPECT_TRUE(c.survivors().empty());
    c.accept_choice(token);
    other.accept(token);
    EXPECT_TRUE(same_chain(c, other));
}
template <class Value>
struct keeps {
    static constexpr const char* name = "keeps";
    Value value{};
    void apply(candidates&) const noexcept {}
    void accept(token_id) noexcept {}
    void reset() noexcept {}
};
struct keeps_another_version : keeps<std::uint32_t> {
    static constexpr std::uint32_t version = 1;
};
TEST(Saving, FilesOfOtherStagesAreRefused) {
    const auto chains = std::vector<any_pipeline>{
        chain(penalties{}, top_k{}, dist{}),
        chain(top_k{}, penalties{}, dist{}),
        chain(penalties{}, dist{}),
        chain(penalties{}, top_k{}, top_k{}, dist{}),
        chain(penalties{}, top_p{}, dist{}),
        chain(penalties{}, top_k{}, mirostat_v2{}),
        chain(penalties{}, top_k{}, adaptive_p{}),
        chain<llama_exact>(penalties{}, top_k{}, dist{}),
        chain(keeps<std::uint32_t>{}, keeps<std::uint64_t>{}, dist{}),
        chain(keeps<std::uint64_t>{}, keeps<std::uint32_t>{}, dist{}),
        chain(keeps<std::uint64_t>{}, keeps<std::uint64_t>{}, dist{}),
        chain(keeps_another_version{}, keeps<std::uint64_t>{}, dist{}),
        chain(greedy{}),
        any_pipeline(),
    };
    for (std::size_t a = 0; a < chains.size(); ++a)
        for (std::size_t b = 0; b < chains.size(); ++b) {
            any_pipeline from = chains[a], to = chains[b];
            for (token_id token = 0; token < 5; ++token) from.accept(token), to.accept(token + 1);
            SCOPED_TRACE(std::to_string(a) + " to " + std::to_string(b));
            if (a == b) {
                ASSERT_TRUE(to.load(saved(from)));
            } else {
                expect_refused(to, saved(from));
            }
        }
}
TEST(Saving, WhereThereIsNoRoomNothingChanges) {
    auto c = penalties{.last_n = -1, .repeat = 1.2f} | mirostat_v2{.seed = 5};
    for (std::size_t i = 0; i < 5000; ++i) c.accept(token_id(i * i % 37));
    auto stored = penalties{.last_n = -1, .repeat = 1.2f} | mirostat_v2{.seed = 5};
    bytes storage(stored.scratch_bytes(row_size, 200));
    ASSERT_TRUE(stored.use_storage(storage, row_size, 200));
    for (std::size_t i = 0; i < 50; ++i) stored.sample(row_at(i));
    expect_refused(stored, saved(c), status_code::storage_too_small);
    auto same = penalties{.last_n = -1, .repeat = 1.2f} | mirostat_v2{.seed = 5};
    for (std::size_t i = 0; i < 50; ++i) same.sample(row_at(i));
    EXPECT_EQ(next_tokens(stored, 20), next_tokens(same, 20));
}

// ---- the same bytes everywhere

/// A row in which one token is legal.
std::vector<float> row_of(token_id only) {
    std::vector<float> row(8, reference::minus_infinity);
    row[std::size_t(only)] = 1.0f;
    return row;
}
any_pipeline golden_chain() {
    static const vocabulary words = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "c", "d", "e", "f", "g", "h"}) made.add(piece);
        return made;
    }();
    return penalties{.last_n = 4, .repeat = 1.25f} | phrase_ban{&words, {"bc", "de"}} |
           adaptive_p{.target = 0.5f, .decay = 0.5f, .seed = 1};
}
any_pipeline exact_golden_chain() {
    return chain<llama_exact>(penalties{.last_n = 4}, xtc{.probability = 0.5f, .seed = 2}, top_k{.k = 3},
                              dist{.seed = 3});
}
dynamic_chain golden_chain_at_run_time() {
    return at_run_time(named_weary{}, logit_bias{{{1, 1.0f}}}, mirostat_v2{.tau = 3.0f, .seed = 4});
}

TEST(Saving, BytesAreTheSameEverywhere) {
    any_pipeline c = golden_chain();
    c.prompt(tokens{6});
    for (const token_id only : {0, 1, 2}) c.sample(row_of(only));  // a, and the first phrase
    ASSERT_EQ(c.last_step().rewind, 2);
    ASSERT_TRUE(c.rewind(2));
    c.sample(row_of(3));  // d, where the second phrase begins
    c.retry();
    // clang-format off
    const numbers expected{
        0x66666972, 0x6843656C, 1, 212, 0,      // riffleCh, version, bytes
        0x67788CE3,                             // penalties, phrase_ban with 8 bytes in a mark, adaptive_p with 8
        2, 1, 0, 0,                             // position, attempt, sequence; never shifted
        3, 0, 3, 0, 0, 0,                       // tokens of the text; all 3 are here, since the first; the hash of none
        6, 0x99DE8F03, 0x943FF9FC,              // the prompt
        0x80000000, 0x719C2F41, 0x967DBA0B,     // a
        0x80000003, 0x7DC490AE, 0x152F2D10,     // d
        3, 0x63A7B88D, 0x3FE00000, 0x40000000,  // behind "d", of these phrases; sums 1 * 1/2 + 1, again, and 2
        0, 3,                                   // states at positions 0, 1, 2:
        0, 0, 0, 0,                             //   nothing came
        0, 0x63A7B88D, 0x3FC00000, 0x40000000,  //   behind a
        1, 0x63A7B88D, 0x3FE00000, 0x40000000,  //   behind "b", which was taken back
        8, 1, 1, 0, 1, 0,                       // of phrase_ban: one ban, one token behind, taken back once:
        0x719C2F41, 0x967DBA0B, 1,              //   behind a no b
        0x450C1EEE};
    // clang-format on
    EXPECT_EQ(numbers_of(saved(c)), expected);

    any_pipeline exact = exact_golden_chain().fork(9);
    exact.prompt(tokens{7, 7});
    for (const token_id only : {5, 4}) exact.sample(row_of(only));
    // clang-format off
    const numbers expected_exact{
        0x66666972, 0x6843656C, 1, 156, 0,   //
        0x14783E30,                          // penalties, xtc with 4 bytes in a mark, top_k, dist with 4
        2, 0, 9, 0,                          // sequence 9
        4, 0, 4, 0, 0, 0,                    //
        7, 0x35DBE63E, 0x6AA9D614,           // the prompt
        7, 0x038CD7FB, 0xB33CE4A0,           //
        0x80000005, 0xE59D3568, 0x6CADBE32,  //
        0x80000004, 0x31363FF9, 0x450B7B9A,  //
        2, 4,                                // words that were drawn: one a token, and two
        0, 3,                                // states at positions 0, 1, 2:
        0, 0, 1, 2, 2, 4,                    //
        0xC12C1268};
    // clang-format on
    EXPECT_EQ(numbers_of(saved(exact)), expected_exact);

    dynamic_chain late = golden_chain_at_run_time();
    for (const token_id token : {2, 2, 2, 3, 4}) late.accept(token);
    for (const token_id only : {3, 3}) late.sample(row_of(only));
    ASSERT_TRUE(late.forget(1, 2));
    late.sample(row_of(0));
    // clang-format off
    const numbers expected_late{
        0x66666972, 0x6843656C, 1, 172, 0,   //
        0x7CE90439,                          // weary with 8 bytes in a mark, logit_bias, mirostat_v2 with 4
        8, 0, 0, 1,                          // shifted once
        6, 0, 6, 5, 0, 0,                    // six tokens are left, five of them at the shift; the hashes they had:
        0x80000002, 0xA389C35A, 0x63033B0C,  //
        0x80000003, 0x0ED2D234, 0xDFC9AA45,  //
        0x80000004, 0xAC6EC398, 0xB225E93F,  //
        0x80000003, 0x44750B21, 0xDFB34997,  //
        0x80000003, 0x1769C05C, 0x920FD478,  //
        0x80000000, 0x89BB2786, 0xA501E39B,  //
        0, 0, 0x3F666667,                    // the last token and how often; mu is 3 * 0.1 * (3 - 0) further
        7, 1,                                // since the shift, the state at position 7:
        3, 1, 0x3F19999A,                    //
        0x37E4ED88};
    // clang-format on
    EXPECT_EQ(numbers_of(saved(late)), expected_late);
}

// ---- files whose checksum is right, and whose numbers are not

/// All that a chain can do, whatever it has loaded: a file that means nothing may lead to tokens that mean nothing, and
/// to nothing worse. What a chain is must be what its copies and its files are.
void expect_consistent(any_pipeline c) {
    const checkpoint here = c.mark();
    const bytes file = saved(c);
    any_pipeline copy = c, loaded = c;
    ASSERT_TRUE(same_place(copy.mark(), here));
    ASSERT_EQ(saved(copy), file);
    ASSERT_TRUE(loaded.load(file));
    ASSERT_TRUE(same_place(loaded.mark(), here));
    ASSERT_EQ(saved(loaded), file);
    ASSERT_TRUE(copy.reserve(row_size, 1000));
    ASSERT_TRUE(same_place(copy.mark(), here));
    for (const std::size_t count : {1u, 2u, 3u, 5u, 100u, 128u}) {
        any_pipeline back = c;
        if (!back.rewind(count)) {
            ASSERT_TRUE(same_place(back.mark(), here));
        }
        back.sample(row_at(count));
    }
    for (std::size_t i = 0; i < 4; ++i) c.sample(row_at(i));
    (void)c.last_step();
    c.retry();
    (void)c.accept(3);
    c.prompt(tokens{1, 5});
    c.distribution(row_at(0));
    (void)c.rollback(here);
    const std::size_t written = c.mark().tokens;
    if (written > 1) {
        ASSERT_TRUE(c.forget(written / 2, written - written / 2 - 1));
    }
    c.sample(row_at(2));
    ASSERT_TRUE(c.forget(0, c.mark().tokens));
    c.sample(row_at(3));
    c.reset();
    c.sample(row_at(4));
}
/// Loads a file with one number or more changed, and a checksum that fits.
void expect_harmless(const any_pipeline& c, const numbers& changed) {
    any_pipeline other = c;
    other.sample(row_at(0));
    const bytes earlier = saved(other);
    const checkpoint here = other.mark();
    if (other.load(put_right(changed))) return expect_consistent(std::move(other));
    ASSERT_TRUE(same_place(other.mark(), here));
    ASSERT_EQ(saved(other), earlier);
}
any_pipeline one_that_lands_softly() {
    any_pipeline c =
        soft_landing{tags()} | penalties{.last_n = -1, .repeat = 1.2f} | mirostat{.tau = 3.0f, .n_vocab = row_size};
    for (const token_id token : {0, 4, 4}) c.accept(token);
    for (std::size_t i = 0; i < 3; ++i) c.sample(row_at(i));
    return c;
}
/// (Of llama.cpp's generators only how many words they drew is in a file; to go there takes as long as to draw them.)
std::vector<any_pipeline> chains_to_break() { return {one_with_all_parts(), one_that_lands_softly()}; }

TEST(Saving, AnyNumberMayBeAnyOther) {
    for (const any_pipeline& c : chains_to_break()) {
        const numbers file = numbers_of(saved(c));
        for (std::size_t i = layout; i + 1 < file.size(); ++i)
            for (const std::uint32_t number :
                 {0u,          1u,          2u,          3u,          64u,         65u,         128u,
                  129u,        130u,        file[i] - 1, file[i] + 1, 0x10000u,    0x55555556u, 0x7F800000u,
                  0x7FC00000u, 0x7FFFFFFFu, 0x80000000u, 0xAAAAAAABu, 0xFF800000u, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
                numbers changed = file;
                changed[i] = number;
                expect_harmless(c, changed);
                if (HasFatalFailure()) FAIL() << "number " << i << " is " << number;
            }
    }
}
TEST(Saving, AnyNumbersMayBeAnyOthers) {
    integers random(77);
    const std::uint32_t likely[] = {0, 1, 2, 7, 129, 0x7FFFFFFF, 0x80000000, 0xFFFFFF7F, 0xFFFFFFFF};
    for (const any_pipeline& c : chains_to_break()) {
        const numbers file = numbers_of(saved(c));
        for (int round = 0; round < 1500; ++round) {
            numbers changed = file;
            for (std::uint32_t count = 1 + random.below(4); count > 0; --count) {
                const std::size_t at = position + random.below(std::uint32_t(file.size()) - position - 1);
                changed[at] = random.below(3) == 0 ? std::uint32_t(random.next()) : likely[random.below(9)];
            }
            if (random.below(4) == 0)
                changed.resize(first_token + 1 + random.below(std::uint32_t(file.size()) - first_token - 1));
            expect_harmless(c, changed);
            if (HasFatalFailure()) FAIL() << "round " << round;
        }
    }
}
/// Everything of the text is said to be there, or nothing.
TEST(Saving, TextsThatAreNotThereAreHarmless) {
    const auto make = [] { return any_pipeline(penalties{.last_n = 3, .repeat = 1.2f} | mirostat_v2{.seed = 3}); };
    any_pipeline c = make();
    for (std::size_t i = 0; i < 6; ++i) c.sample(row_at(i));
    const numbers file = numbers_of(saved(c));
    numbers without_text = file;
    without_text.erase(without_text.begin() + first_token, without_text.begin() + first_token + 3 * 6);
    without_text[tokens_in_file] = 0;
    for (const std::uint32_t written : {0u, 1u, 5u, 137u, 138u, 1000u, 0x7FFFFFFFu}) {
        without_text[tokens_of_text] = written;
        any_pipeline fresh = make(), used = c;
        if (fresh.load(put_right(without_text))) expect_consistent(fresh);
        if (used.load(put_right(without_text))) expect_consistent(used);
        if (HasFatalFailure()) FAIL() << written;
        numbers more = file;
        more[tokens_of_text] = written;
        any_pipeline another = make();
        if (another.load(put_right(more))) expect_consistent(another);
        if (HasFatalFailure()) FAIL() << written;
    }
    for (const std::uint32_t high : {1u, 0x80000000u, 0xFFFFFFFFu}) {
        numbers more = file;
        more[tokens_of_text + 1] = high;
        expect_refused(c, put_right(more));
    }
    // On a machine of 32 bits three times as many are two.
    for (const std::uint32_t many : {0x55555556u, 0x55555558u, 0x15555556u, 0x7FFFFFFFu}) {
        numbers more = file;
        more[tokens_of_text] = 0x7FFFFFFF;
        more[tokens_in_file] = many;
        expect_refused(c, put_right(more));
        more.erase(more.begin() + first_token + 2,
                   more.begin() + first_token + 3 * 6);  // two numbers of the text are left
        expect_refused(c, put_right(more));
    }
}
/// The states for rewind are those of other positions.
TEST(Saving, StatesOfOtherPositionsAreNotGoneBackTo) {
    const auto make = [] { return any_pipeline(penalties{.last_n = 3} | mirostat_v2{.seed = 3}); };
    any_pipeline c = make();
    for (std::size_t i = 0; i < 6; ++i) c.sample(row_at(i));
    const numbers file = numbers_of(saved(c));
    const std::size_t first = first_token + 3 * 6 + 1;
    ASSERT_EQ(file[first], 0u);
    ASSERT_EQ(file[first + 1], 6u);
    for (const std::uint32_t from : {4u, 5u, 6u, 7u, 1000u, 0x7FFFFFFFu, 0xFFFFFFF0u, 0xFFFFFFF8u, 0xFFFFFFF9u}) {
        numbers changed = file;
        changed[first] = from;
        any_pipeline other = make();
        if (!other.load(put_right(changed))) continue;
        for (std::size_t count = 1; count <= 6; ++count) {
            any_pipeline back = other;
            EXPECT_EQ(back.rewind(count).ok(), 6 - count >= from) << from << ", back by " << count;
        }
        expect_consistent(other);
    }
    for (const std::uint32_t at : {0u, 1u, 5u, 7u, 130u, 0x7FFFFFFFu, 0xFFFFFFFEu, 0xFFFFFFFFu}) {
        numbers changed = file;
        changed[position] = at;
        any_pipeline other = make();
        if (other.load(put_right(changed))) expect_consistent(other);
        if (HasFatalFailure()) FAIL() << at;
    }
}
/// Bans of tokens that are none, at the place where the text stands.
TEST(Saving, BansOfNoTokensAreHarmless) {
    const any_pipeline c = golden_chain();
    any_pipeline began = c;
    for (const token_id only : {0, 1, 2}) began.sample(row_of(only));
    ASSERT_TRUE(began.rewind(2));
    const numbers file = numbers_of(saved(began));
    ASSERT_EQ(file[file.size() - 2], 1u);  // the banned token
    ASSERT_EQ(file[file.size() - 4], file[first_token + 1]);
    for (const std::uint32_t token : {8u, 1000u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
        numbers changed = file;
        changed[file.size() - 2] = token;
        any_pipeline other = c;
        if (!other.load(put_right(changed))) continue;
        EXPECT_EQ(other.sample(row_of(1)), 1);
        expect_consistent(other);
    }
}
/// Tags are parameters, and not in the file: what was kept may be a place in longer ones.
TEST(Saving, AFileOfOtherTagsIsHarmless) {
    vocabulary words;
    for (const char* piece : {"<", "/", "thinking", " about it at length", ">", "t"}) words.add(piece);
    reasoning_budget long_one{.tokens = 12, .landing_tokens = 6}, short_one = long_one;
    long_one.begins = {"<thinking>"};
    long_one.ends = {"</thinking about it at length>"};
    short_one.begins = {"t"};
    short_one.ends = {"/"};
    const vocabulary_trie trie(words);
    auto c = soft_landing{thought_tags(trie, long_one)} | dist{.seed = 1};
    auto other = soft_landing{thought_tags(trie, short_one)} | dist{.seed = 1};
    ASSERT_TRUE((c.check)(8));
    ASSERT_TRUE((other.check)(8));
    for (const token_id token : {0, 2, 4, 0, 1, 2}) c.accept(token);
    if (other.load(saved(c))) {
        for (std::size_t i = 0; i < 6; ++i) EXPECT_GE(other.sample(letter_row(i)), 0);
        for (token_id token = 0; token < 6; ++token) other.accept(token);
    }
}

/// Nor are phrases: those of the chain that loads are banned from there on.
TEST(Saving, AFileOfOtherPhrasesIsHarmless) {
    const auto make = [](phrase_set phrases) { return phrase_ban{&letters(), std::move(phrases)} | greedy{}; };
    auto c = make({"abcdefgh", "bcdefg", "hhh"}), other = make({"cd"});
    const auto sampled = [](auto& of, token_id token) {
        std::vector<float> row(row_size, reference::minus_infinity);
        row[std::size_t(token)] = 1.0f;
        return of.sample(row) == token;
    };
    for (const token_id token : {0, 1, 2}) ASSERT_TRUE(sampled(c, token));  // the pieces are a, b, c, d, ...
    ASSERT_TRUE(other.load(saved(c)));
    ASSERT_TRUE(sampled(other, 2));
    ASSERT_TRUE(sampled(other, 3));
    EXPECT_EQ(other.last_step().rewind, 2);
    EXPECT_TRUE(other.rewind(2));
    EXPECT_FALSE(sampled(other, 2)) << "c is banned here";
}

// ---- stages with a mark of their own

TEST(Saving, OfAnotherTextTheStagesWithOwnMarksAreReadAgain) {
    const auto make = [] { return any_pipeline(chain(named_odd_ones_out{}, penalties{.last_n = 8}, dist{.seed = 6})); };
    for (const std::size_t length : {0u, 1u, 30u, 120u}) {
        std::vector<checkpoint> marks;
        any_pipeline c = make();
        live(c, length, length, marks);
        expect_loaded(c, make(), marks);
        if (HasFatalFailure()) return;
    }
}

/// Words of one letter, and a grammar over them.
const vocabulary_trie& letter_trie() {
    static const vocabulary words = [] {
        vocabulary made;
        for (const char* piece : {"a", "b", "c", "(", ")", "ab", " "}) made.add(piece);
        made.add("</s>", token_role::control | token_role::end_of_generation);
        return made;
    }();
    static const vocabulary_trie trie(words);
    return trie;
}
grammar_matcher matcher_of(const char* source) { return {*parse_gbnf(source), letter_trie()}; }
const char* const parentheses = "root ::= ([a-c ] | \"(\" root \")\")*";
auto constrained(const char* source = parentheses) {
    return chain(constrain{matcher_of(source)}, penalties{.last_n = 8, .repeat = 1.1f}, mirostat_v2{.seed = 7});
}
template <class Chain>
tokens next_letters(Chain copy, std::size_t count) {
    tokens all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(copy.sample(letter_row(i)));
    return all;
}

TEST(Saving, AConstraintReadsTheTextAgain) {
    for (const std::size_t length : {0u, 1u, 20u, 100u}) {
        auto c = constrained();
        c.prompt(tokens{3, 3, 4});  // not the grammar's
        std::vector<checkpoint> marks{c.mark()};
        for (std::size_t i = 0; i < length; ++i) {
            c.sample(letter_row(i));
            marks.push_back(c.mark());
        }
        auto loaded = constrained();
        const status s = loaded.load(saved(c));
        ASSERT_TRUE(s.ok()) << s.message().c_str();
        ASSERT_TRUE(same_chain(loaded, c));
        ASSERT_EQ(next_letters(loaded, 30), next_letters(c, 30));
        for (std::size_t count = 0; count <= length + 1; ++count) {
            auto a = c, b = loaded;
            ASSERT_EQ(a.rewind(count).code(), b.rewind(count).code()) << count;
            ASSERT_EQ(next_letters(a, 3), next_letters(b, 3)) << count;
        }
        for (const checkpoint& m : marks) {
            auto back = loaded;
            ASSERT_TRUE(back.rollback(m));
            ASSERT_TRUE(same_place(back.mark(), m));
        }
    }
}
TEST(Saving, AConstraintThatHasAcceptedTheTextStaysAsItIs) {
    auto c = constrained(), other = constrained();
    tokens text;
    for (std::size_t i = 0; i < 400; ++i) text.push_back(c.sample(letter_row(i)));
    const bytes file = saved(c);
    auto fresh = constrained();
    EXPECT_STREQ(fresh.load(file).message().c_str(),
                 "constrain: tokens = 400 have to be accepted again before this is loaded");
    expect_refused(fresh, file, status_code::stage_failed);  // the file has not all of the text
    for (const token_id token : text) other.accept(token);
    EXPECT_FALSE(same_place(other.mark(), c.mark())) << "mirostat has not learnt from what it had not chosen";
    const status s = other.load(file);
    ASSERT_TRUE(s.ok()) << s.message().c_str();
    ASSERT_TRUE(same_chain(other, c));
    EXPECT_EQ(next_letters(other, 30), next_letters(c, 30));
    ASSERT_TRUE(other.rewind(100));
    ASSERT_TRUE(c.rewind(100));
    EXPECT_EQ(next_letters(other, 30), next_letters(c, 30));
}
TEST(Saving, AConstraintOfAnotherTextIsRefused) {
    auto c = constrained();
    for (const token_id token : {3, 0, 4, 1}) ASSERT_FALSE(c.accept(token).refused);  // (a)b
    const bytes file = saved(c);
    for (const tokens& text : std::vector<tokens>{{0}, {3, 0}, {3, 0, 4, 1, 1}}) {
        auto other = constrained();
        for (const token_id token : text) ASSERT_FALSE(other.accept(token).refused);
        expect_refused(other, file, status_code::stage_failed);
    }
    auto began_anew = constrained();
    began_anew.accept(3);
    began_anew.reset();
    EXPECT_TRUE(began_anew.load(file));
    auto went_back = constrained();
    went_back.sample(letter_row(0));
    ASSERT_TRUE(went_back.rewind(1));
    EXPECT_TRUE(went_back.load(file));
    EXPECT_EQ(next_letters(went_back, 20), next_letters(c, 20));
}
/// Its mark is how many tokens came, and so no proof that they were these.
TEST(Saving, AConstraintOfAnotherTextOfTheSameLengthIsRefused) {
    const char* const source = "root ::= \"a\" \"b\"* | \"c\" \"(\"*";
    auto c = constrained(source);
    for (const token_id token : {0, 1}) ASSERT_FALSE(c.accept(token).refused);
    auto other = constrained(source);
    for (const token_id token : {2, 3}) ASSERT_FALSE(other.accept(token).refused);
    const token_id next = other.peek(letter_row(0));
    expect_refused(other, saved(c), status_code::stage_failed);
    EXPECT_EQ(other.peek(letter_row(0)), next);
}
TEST(Saving, AConstraintThatRefusesTheTextIsAsItWas) {
    auto c = constrained();
    for (std::size_t i = 0; i < 30; ++i) c.sample(letter_row(i));
    const bytes file = saved(c);
    auto other = constrained("root ::= [a-c ]{3} \"((\" [a-c]*");
    const tokens expected = next_letters(other, 8);
    expect_refused(other, file, status_code::stage_failed);
    EXPECT_EQ(next_letters(other, 8), expected);
    auto late = at_run_time(constrain{matcher_of("root ::= [a-c ]{3} \"((\" [a-c]*")}, penalties{.last_n = 8},
                            mirostat_v2{.seed = 7});
    expect_refused(late, file, status_code::stage_failed);
    EXPECT_EQ(late.peek(letter_row(0)), other.peek(letter_row(0)));
}
/// llama.cpp's generators have drawn, though nothing was accepted.
TEST(Saving, AConstraintThatRefusesTheTextTakesNoGeneratorBack) {
    const auto make = [](const char* source) {
        return chain<llama_exact>(constrain{matcher_of(source)}, xtc{.probability = 0.5f}, dist{.seed = 8});
    };
    auto c = make(parentheses);
    for (std::size_t i = 0; i < 30; ++i) c.sample(letter_row(i));
    auto other = make("root ::= [a-c ]{3} \"((\" [a-c]*");
    other.peek(letter_row(0));
    expect_refused(other, saved(c), status_code::stage_failed);
}
/// A stage of the user's that refuses, and was not at its beginning.
struct takes_few {
    static constexpr const char* name = "takes_few";
    std::uint32_t seen = 3, most = 10;
    void apply(candidates&) const noexcept {}
    step accept(token_id) noexcept {
        if (seen >= most) return step::refusal(status::failed(status_code::stage_failed, name));
        ++seen;
        return {};
    }
    void reset() noexcept { seen = 0; }
    std::uint32_t mark() const noexcept { return seen; }
    void rollback(std::uint32_t to) noexcept { seen = to; }
};
TEST(Saving, AStageOfTheUsersThatRefusesTheTextIsAsItWas) {
    auto c = chain(takes_few{.most = 100}, named_weary{}, dist{}), other = chain(takes_few{}, named_weary{}, dist{});
    for (std::size_t i = 0; i < 30; ++i) c.sample(row_at(i));
    get<named_weary>(other).repeated = 5;  // as the caller set it
    expect_refused(other, saved(c), status_code::stage_failed);
    EXPECT_EQ(get<takes_few>(other).seen, 3u);
    EXPECT_EQ(get<named_weary>(other).repeated, 5);
}
TEST(Saving, TwoStagesWithOwnMarksAreReadAgainOrNone) {
    const auto make = [](std::uint32_t most) { return chain(named_odd_ones_out{}, takes_few{.most = most}, dist{}); };
    auto c = make(100);
    for (std::size_t i = 0; i < 20; ++i) c.sample(row_at(i));
    auto good = make(100), bad = make(12);
    ASSERT_TRUE(good.load(saved(c)));
    EXPECT_EQ(get<named_odd_ones_out>(good).tokens, get<named_odd_ones_out>(c).tokens);
    EXPECT_EQ(next_tokens(good, 9), next_tokens(c, 9));
    expect_refused(bad, saved(c), status_code::stage_failed);
    EXPECT_TRUE(get<named_odd_ones_out>(bad).tokens.empty());
}

}  // namespace
}  // namespace riffle_tests::chain_saving
