// Files of counted n-grams: ours and llama.cpp's, good ones and bad ones.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/status.hpp>
#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/ngram_cache.hpp>

#include "integers.hpp"
#include "saved_numbers.hpp"

namespace riffle_tests::ngram_cache_files {
namespace {

using namespace riffle;
using tokens = std::vector<token_id>;
using bytes = std::vector<std::byte>;
using counts = std::map<tokens, std::map<token_id, std::uint32_t>>;
using llama_ngrams = std::vector<std::pair<std::array<token_id, 4>, std::vector<std::pair<token_id, std::int32_t>>>>;

// ---- both formats, written and read the slow way

void put(bytes& to, std::uint32_t number) {
    for (int i = 0; i < 4; ++i) to.push_back(std::byte(number >> 8 * i & 0xFF));
}
void set_number(bytes& of, std::size_t i, std::uint32_t number) {
    bytes put_down;
    put(put_down, number);
    std::copy(put_down.begin(), put_down.end(), of.begin() + std::ptrdiff_t(4 * i));
}
/// The last number becomes what it has to be.
void set_checksum(bytes& of) {
    const auto numbers = numbers_of(of);
    set_number(of, numbers.size() - 1, checksum_of(std::span(numbers).first(numbers.size() - 1)));
}
bytes slow_file(const counts& all) {
    bytes made;
    for (const char c : std::string("riffleNG")) made.push_back(std::byte(c));
    for (const std::uint32_t number : {1u, 0u, 0u}) put(made, number);
    for (const auto& [before, followers] : all) {
        put(made, std::uint32_t(before.size()));
        for (const token_id token : before) put(made, std::uint32_t(token));
        put(made, std::uint32_t(followers.size()));
        for (const auto& [token, count] : followers) {
            put(made, std::uint32_t(token));
            put(made, count);
        }
    }
    put(made, 0);
    set_number(made, 3, std::uint32_t(made.size()));
    set_checksum(made);
    return made;
}
bytes llama_file(const llama_ngrams& all) {
    bytes made;
    for (const auto& [before, followers] : all) {
        for (const token_id token : before) put(made, std::uint32_t(token));
        put(made, std::uint32_t(followers.size()));
        for (const auto& [token, count] : followers) {
            put(made, std::uint32_t(token));
            put(made, std::uint32_t(count));
        }
    }
    return made;
}
/// False where it is no such file.
bool read_slow_llama(const bytes& from, counts& all) {
    if (from.size() % 4 != 0) return false;
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < from.size() / 4; ++i) numbers.push_back(std::int32_t(number_at(from, i)));
    for (std::size_t i = 0; i < numbers.size();) {
        if (numbers.size() - i < 5) return false;
        tokens before;
        for (std::size_t k = 0; k < 4; ++k) {
            const std::int64_t token = numbers[i + k];
            if (token < -1 || (token >= 0 && before.size() < k)) return false;
            if (token >= 0) before.push_back(token_id(token));
        }
        const std::int64_t followers = numbers[i + 4];
        i += 5;
        if (before.empty() || all.count(before) > 0) return false;
        if (followers <= 0 || followers > std::int64_t(numbers.size() - i) / 2) return false;
        for (std::int64_t k = 0; k < followers; ++k, i += 2)
            if (numbers[i] < 0 || numbers[i + 1] <= 0 ||
                !all[before].emplace(token_id(numbers[i]), std::uint32_t(numbers[i + 1])).second)
                return false;
    }
    return true;
}

bytes saved(const ngram_cache& of) {
    bytes made(of.saved_bytes());
    EXPECT_TRUE(of.save(made).ok());
    return made;
}
/// A cache that holds something, and refuses some bytes without a change.
void expect_refused(ngram_cache& holder, const bytes& holds, const bytes& bad) {
    const status s = holder.load(bad);
    ASSERT_EQ(s.code(), status_code::invalid_parameter);
    ASSERT_EQ(saved(holder), holds);
}
void expect_refused_llama(ngram_cache& holder, const bytes& holds, const bytes& bad) {
    const status s = holder.load_llama(bad);
    ASSERT_EQ(s.code(), status_code::invalid_parameter);
    ASSERT_EQ(saved(holder), holds);
}
/// What a call says where it refuses.
template <class Call>
std::string message(Call call) {
    return call().message().c_str();
}
counts counted(const tokens& text, std::size_t shortest, std::size_t longest) {
    counts all;
    for (std::size_t n = shortest; n <= longest; ++n)
        for (std::size_t i = n; i < text.size(); ++i)
            ++all[tokens(text.begin() + std::ptrdiff_t(i - n), text.begin() + std::ptrdiff_t(i))][text[i]];
    return all;
}
tokens random_text(integers& random, std::size_t size, std::uint32_t letters) {
    tokens text(size);
    for (token_id& token : text) token = token_id(random.below(letters));
    return text;
}

// ---- files of ours

/// 7 8 7 9, by n-grams of 1 and 2: the bytes as they are written everywhere, for good.
const std::uint8_t golden[] = {
    0x72, 0x69, 0x66, 0x66, 0x6C, 0x65, 0x4E, 0x47,                          // "riffleNG"
    0x01, 0x00, 0x00, 0x00,                                                  // version 1
    0x78, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,                          // 120 bytes
    0x01, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00,                          // behind 7:
    0x02, 0x00, 0x00, 0x00,                                                  // two followers
    0x08, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,                          // 8 once
    0x09, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,                          // 9 once
    0x02, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,  // behind 7 8:
    0x01, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,  // 7 once
    0x01, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,                          // behind 8:
    0x01, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,  // 7 once
    0x02, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00,  // behind 8 7:
    0x01, 0x00, 0x00, 0x00, 0x09, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,  // 9 once
    0x43, 0xBA, 0xBC, 0xAE,                                                  // checksum, by another program
};
bytes golden_bytes() {
    bytes made;
    for (const std::uint8_t byte : golden) made.push_back(std::byte(byte));
    return made;
}
ngram_cache golden_cache() {
    ngram_cache cache{.longest = 2};
    cache.accept(tokens{7, 8, 7, 9});
    return cache;
}

TEST(NgramCacheFile, IsTheseBytes) {
    EXPECT_EQ(saved(golden_cache()), golden_bytes());
    EXPECT_EQ(slow_file(counted({7, 8, 7, 9}, 1, 2)), golden_bytes());
    ngram_cache cache;
    EXPECT_TRUE(cache.load(golden_bytes()).ok());
    EXPECT_EQ(cache.entries(), 5u);
    EXPECT_EQ(saved(cache), golden_bytes());
}
TEST(NgramCacheFile, OfNothingIsAFileToo) {
    const bytes empty = saved(ngram_cache());
    EXPECT_EQ(empty, slow_file({}));
    EXPECT_EQ(empty.size(), 24u);
    EXPECT_EQ(number_at(empty, 5), 0xBDD4D806u);  // the checksum, by another program
    ngram_cache cache = golden_cache();
    EXPECT_TRUE(cache.load(empty).ok());
    EXPECT_EQ(cache.entries(), 0u);
}
TEST(NgramCacheFile, OfACacheThatBeganAnewHoldsNothingOfBefore) {
    ngram_cache cache = golden_cache();
    cache.reset();
    EXPECT_EQ(saved(cache), slow_file({}));
    cache.accept(tokens{7, 8, 7, 9});
    EXPECT_EQ(saved(cache), golden_bytes());
}
TEST(NgramCacheFile, HoldsWhatASlowCountHolds) {
    integers random(1);
    for (int round = 0; round < 60; ++round) {
        const std::size_t shortest = 1 + random.below(4),
                          longest = shortest + random.below(5 - std::uint32_t(shortest));
        const tokens text = random_text(random, random.below(400), 3 + random.below(3));
        ngram_cache cache{.shortest = shortest, .longest = longest};
        cache.accept(text);
        ASSERT_EQ(saved(cache), slow_file(counted(text, shortest, longest)));
    }
}
TEST(NgramCacheFile, DoesNotDependOnTheOrderInWhichItWasLearnt) {
    integers random(2);
    std::vector<tokens> texts;
    for (int i = 0; i < 20; ++i) texts.push_back(random_text(random, 30, 4));
    ngram_cache forth, back;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        forth.next_text();
        forth.accept(texts[i]);
        back.next_text();
        back.accept(texts[texts.size() - 1 - i]);
    }
    EXPECT_EQ(saved(forth), saved(back));
}
TEST(NgramCacheFile, DraftsAsTheCacheThatWroteIt) {
    integers random(3);
    for (int round = 0; round < 40; ++round) {
        ngram_cache cache{.least_share = 0.25f * float(random.below(4))};
        cache.accept(random_text(random, 300, 5));
        ngram_cache loaded{.least_share = cache.least_share};
        loaded.accept(tokens{1, 1, 1});
        ASSERT_TRUE(loaded.load(saved(cache)).ok());
        ASSERT_EQ(saved(loaded), saved(cache));
        for (int behind = 0; behind < 50; ++behind) {
            const tokens text = random_text(random, 4, 5);
            cache.next_text();
            cache.accept(text);
            loaded.next_text();
            loaded.accept(text);
            draft expected, found;
            cache.propose(expected, 100);
            loaded.propose(found, 100);
            ASSERT_EQ(tokens(found.tokens().begin(), found.tokens().end()),
                      tokens(expected.tokens().begin(), expected.tokens().end()));
        }
        ASSERT_EQ(saved(loaded), saved(cache));
    }
}
TEST(NgramCacheFile, LeavesTheTextWhereItIs) {
    ngram_cache cache;
    cache.accept(tokens{1, 8});
    EXPECT_TRUE(cache.load(golden_bytes()).ok());
    draft d;
    EXPECT_EQ(cache.propose(d, 1), 1u);  // behind 8: 7
    EXPECT_EQ(d[0], 7);
}
TEST(NgramCacheFile, WritesNoMoreThanItSays) {
    const ngram_cache cache = golden_cache();
    bytes room(200, std::byte{0xEE});
    EXPECT_TRUE(cache.save(room).ok());
    EXPECT_TRUE(std::equal(std::begin(golden), std::end(golden), room.begin(),
                           [](std::uint8_t a, std::byte b) { return std::byte{a} == b; }));
    EXPECT_TRUE(std::all_of(room.begin() + 120, room.end(), [](std::byte b) { return b == std::byte{0xEE}; }));
    bytes narrow(119, std::byte{0xEE});
    EXPECT_EQ(cache.save(narrow).code(), status_code::storage_too_small);
    EXPECT_EQ(cache.save({}).code(), status_code::storage_too_small);
    EXPECT_EQ(narrow, bytes(119, std::byte{0xEE}));
}
TEST(NgramCacheFile, IsRefusedWhereAnyByteIsAnother) {
    const bytes good = golden_bytes();
    ngram_cache holder;
    holder.accept(tokens{1, 2, 3, 1, 2, 3});
    const bytes holds = saved(holder);
    for (std::size_t i = 0; i < good.size(); ++i)
        for (unsigned flip = 1; flip < 256; ++flip) {
            bytes bad = good;
            bad[i] ^= std::byte(flip);
            expect_refused(holder, holds, bad);
            if (testing::Test::HasFatalFailure()) FAIL() << "byte " << i << ", flipped by " << flip;
        }
}
TEST(NgramCacheFile, IsRefusedAtEveryOtherLength) {
    ngram_cache holder;
    holder.accept(tokens{1, 2, 3, 1, 2, 3});
    const bytes holds = saved(holder);
    ngram_cache longer;
    integers random(4);
    longer.accept(random_text(random, 60, 4));
    for (const bytes& good : {golden_bytes(), saved(longer)}) {
        for (std::size_t size = 0; size < good.size(); ++size)
            expect_refused(holder, holds, bytes(good.begin(), good.begin() + std::ptrdiff_t(size)));
        for (std::size_t more = 1; more < 20; ++more) {
            bytes bad = good;
            bad.resize(good.size() + more);
            expect_refused(holder, holds, bad);
        }
        bytes cut(good.begin(), good.end() - 4);  // with a size and a checksum that are right
        while (cut.size() > 24) {
            cut.resize(cut.size() - 4);
            set_number(cut, 3, std::uint32_t(cut.size()));
            set_checksum(cut);
            if (holder.load(cut).ok()) {  // behind an n-gram
                ASSERT_EQ(saved(holder), cut);
                ASSERT_TRUE(holder.load(holds).ok());
            }
            ASSERT_EQ(saved(holder), holds);
        }
    }
}
TEST(NgramCacheFile, WithAnotherNumberAndTheRightChecksumIsRefusedOrWhatItSays) {
    const bytes good = golden_bytes();
    for (std::size_t i = 0; i + 1 < good.size() / 4; ++i)
        for (const std::uint32_t number :
             {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 30u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
            bytes other = good;
            set_number(other, i, number);
            set_checksum(other);
            ngram_cache cache = golden_cache();
            const status s = cache.load(other);
            bytes now = saved(cache);
            if (s.ok() && i >= 5) {  // what is sorted in another way is written in ours
                ASSERT_EQ(now.size(), good.size());
                ASSERT_TRUE(cache.load(now).ok());
                ASSERT_EQ(saved(cache), now);
            } else {
                ASSERT_EQ(now, good);
            }
        }
}
TEST(NgramCacheFile, SaysWhatIsWrong) {
    const auto said = [](std::size_t place, std::uint32_t number) {
        bytes bad = golden_bytes();
        set_number(bad, place, number);
        set_checksum(bad);
        ngram_cache cache;
        return message([&] { return cache.load(bad); });
    };
    EXPECT_EQ(said(0, 5), "ngram_cache: magic number = 5 is that of no file of n-grams");
    EXPECT_EQ(said(2, 2), "ngram_cache: version = 2 is newer than 1, which can be read");
    EXPECT_EQ(said(2, 0), "ngram_cache: version = 0 is none");
    EXPECT_EQ(said(4, 1), "ngram_cache: bytes of the file = 120 are not those it names");
    EXPECT_EQ(said(5, 5), "ngram_cache: size of an n-gram = 5 is not 1 to 4");
    EXPECT_EQ(said(6, 0xFFFFFFFFu), "ngram_cache: token = -1 is none of an n-gram");
    EXPECT_EQ(said(7, 0), "ngram_cache: followers = 0 is not what the file can hold");
    EXPECT_EQ(said(7, 0xFFFFFFFFu), "ngram_cache: followers = 4294967295 is not what the file can hold");
    EXPECT_EQ(said(8, 0x80000000u), "ngram_cache: follower = -2147483648 is below 0");
    EXPECT_EQ(said(9, 0), "ngram_cache: count = 0 is not 1 to 2^31 - 1");
    EXPECT_EQ(said(9, 0x80000000u), "ngram_cache: count = 2147483648 is not 1 to 2^31 - 1");
    EXPECT_EQ(said(10, 8), "ngram_cache: follower = 8 comes twice");
    EXPECT_EQ(said(19, 7), "ngram_cache: n-gram that begins with = 7 comes twice");
    bytes bad = golden_bytes();
    bad.back() ^= std::byte{1};
    ngram_cache cache;
    EXPECT_EQ(message([&] { return cache.load(bad); }), "ngram_cache: checksum = 2948381251 is not that of the file");
    EXPECT_EQ(message([&] { return cache.load({}); }), "ngram_cache: bytes of the file = 0 are no whole file");
    EXPECT_EQ(message([&] { return cache.save({}); }), "ngram_cache: bytes = 0 are less than saved_bytes()");
}
TEST(NgramCacheFile, OfMoreEntriesThanAreAllowedIsRefused) {
    ngram_cache cache{.most_entries = 4};
    EXPECT_EQ(message([&] { return cache.load(golden_bytes()); }),
              "ngram_cache: most_entries = 4 is less than are in the file");
    EXPECT_EQ(cache.entries(), 0u);
    cache.most_entries = 5;
    EXPECT_TRUE(cache.load(golden_bytes()).ok());
    cache.accept(tokens{1, 2, 3});
    EXPECT_EQ(saved(cache), golden_bytes());
}
TEST(NgramCacheFile, OfRandomBytesIsRefused) {
    integers random(5);
    ngram_cache holder = golden_cache();
    for (std::size_t size = 0; size < 1000; ++size) {
        bytes bad(size);
        for (std::byte& byte : bad) byte = std::byte(random.below(256));
        expect_refused(holder, golden_bytes(), bad);
        if (size > 0) expect_refused_llama(holder, golden_bytes(), bad);
        if (size < 24) continue;
        const bytes head = golden_bytes();
        std::copy(head.begin(), head.begin() + 12, bad.begin());
        bad.resize(size / 4 * 4);
        set_number(bad, 3, std::uint32_t(bad.size()));
        set_number(bad, 4, 0);
        set_checksum(bad);
        if (bad.size() > 24) expect_refused(holder, golden_bytes(), bad);
    }
}
TEST(NgramCacheFile, CountsUpToTheGreatestAndNoFurther) {
    ngram_cache cache{.longest = 1};
    ASSERT_TRUE(cache.load(slow_file({{{1}, {{2, 0x7FFFFFFE}, {3, 0x7FFFFFFF}, {4, 0x7FFFFFFF}}}})).ok());
    cache.accept(tokens{1, 2, 1, 2, 1, 3, 1});
    const counts expected = {
        {{1}, {{2, 0x7FFFFFFF}, {3, 0x7FFFFFFF}, {4, 0x7FFFFFFF}}},
        {{2}, {{1, 2}}},
        {{3}, {{1, 1}}},
    };
    EXPECT_EQ(saved(cache), slow_file(expected));
    draft d;
    EXPECT_EQ(cache.propose(d, 1), 0u);  // a third of all
    cache.least_share = 0.33f;
    EXPECT_EQ(cache.propose(d, 1), 1u);
    EXPECT_EQ(d[0], 2);
}

// ---- files of llama.cpp

TEST(LlamaNgramFile, IsReadAsLlamaReadsIt) {
    const bytes file = llama_file({
        {{1, 2, -1, -1}, {{9, 3}, {4, 5}}},
        {{1, -1, -1, -1}, {{2, 7}}},
        {{2, 1, 0, 6}, {{0, 0x7FFFFFFF}}},
        {{2, 1, -1, -1}, {{8, 1}}},
    });
    EXPECT_EQ(file.size(), 4u * (4 * 5 + 5 * 2));
    ngram_cache cache = golden_cache();
    ASSERT_TRUE(cache.load_llama(file).ok());
    const counts expected = {
        {{1}, {{2, 7}}},
        {{1, 2}, {{4, 5}, {9, 3}}},
        {{2, 1}, {{8, 1}}},
        {{2, 1, 0, 6}, {{0, 0x7FFFFFFF}}},
    };
    EXPECT_EQ(saved(cache), slow_file(expected));
    ASSERT_TRUE(cache.load_llama({}).ok());
    EXPECT_EQ(cache.entries(), 0u);
}
TEST(LlamaNgramFile, OfLlamasStaticCacheDraftsByTwoTokens) {
    ngram_cache cache;
    ASSERT_TRUE(cache.load_llama(llama_file({{{5, 6, -1, -1}, {{7, 2}}}, {{6, 7, -1, -1}, {{5, 9}, {1, 1}}}})).ok());
    cache.accept(tokens{3, 5, 6});
    draft d;
    EXPECT_EQ(cache.propose(d, 2), 2u);
    EXPECT_EQ(tokens(d.tokens().begin(), d.tokens().end()), (tokens{7, 5}));
}
TEST(LlamaNgramFile, IsRefusedWhereItIsNone) {
    ngram_cache holder = golden_cache();
    const bytes good = llama_file({{{1, 2, -1, -1}, {{9, 3}, {4, 5}}}});
    const llama_ngrams cases = {
        {{-1, -1, -1, -1}, {{1, 1}}},     {{-1, 2, -1, -1}, {{1, 1}}},  {{1, -1, 2, -1}, {{1, 1}}},
        {{1, 2, -2, -1}, {{1, 1}}},       {{-5, -1, -1, -1}, {{1, 1}}}, {{1, 3, 4, 5}, {}},
        {{1, 3, 4, 5}, {{-1, 1}}},        {{1, 3, 4, 5}, {{1, 0}}},     {{1, 3, 4, 5}, {{1, -1}}},
        {{1, 3, 4, 5}, {{1, 1}, {1, 1}}}, {{1, 2, -1, -1}, {{6, 1}}},
    };
    for (const auto& [before, followers] : cases) {
        bytes bad = good;
        const bytes more = llama_file({{before, followers}});
        bad.insert(bad.end(), more.begin(), more.end());
        expect_refused_llama(holder, golden_bytes(), bad);
    }
    for (std::size_t size = 1; size < good.size(); ++size)
        expect_refused_llama(holder, golden_bytes(), bytes(good.begin(), good.begin() + std::ptrdiff_t(size)));
    for (const std::uint32_t absurd : {3u, 100u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
        bytes bad = good;
        set_number(bad, 4, absurd);
        const std::size_t held = holder.bytes();
        expect_refused_llama(holder, golden_bytes(), bad);
        EXPECT_EQ(holder.bytes(), held);
    }
    holder.most_entries = 1;
    EXPECT_EQ(message([&] { return holder.load_llama(good); }),
              "ngram_cache: most_entries = 1 is less than are in the file");
    EXPECT_EQ(message([&] { return holder.load_llama(bytes(3)); }),
              "ngram_cache: bytes of the file = 3 end within an n-gram");
}
TEST(LlamaNgramFile, OfRandomNumbersIsReadAsASlowReaderReadsIt) {
    integers random(6);
    std::size_t good = 0;
    for (int round = 0; round < 20000; ++round) {
        bytes file;
        const std::uint32_t ngrams = random.below(4);
        for (std::uint32_t i = 0; i < ngrams; ++i) {
            const std::uint32_t size = 1 + random.below(4), followers = 1 + random.below(3);
            for (std::uint32_t k = 0; k < 4; ++k) put(file, k < size ? random.below(3) : 0xFFFFFFFFu);
            put(file, followers);
            for (std::uint32_t k = 0; k < 2 * followers; ++k) put(file, random.below(6) + k % 2);
        }
        if (!file.empty() && random.below(2) == 0)
            set_number(file, random.below(std::uint32_t(file.size() / 4)), random.below(6) - 2);
        if (random.below(6) == 0) file.resize(random.below(std::uint32_t(file.size()) + 1));
        counts expected;
        const bool is_good = read_slow_llama(file, expected);
        good += is_good;
        ngram_cache cache = golden_cache();
        ASSERT_EQ(cache.load_llama(file).ok(), is_good) << "round " << round;
        ASSERT_EQ(saved(cache), is_good ? slow_file(expected) : golden_bytes());
    }
    EXPECT_GT(good, 5000u);
    EXPECT_LT(good, 15000u);
}

}  // namespace
}  // namespace riffle_tests::ngram_cache_files
