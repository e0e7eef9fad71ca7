// What ranks before a token among few, as kernels find it out: run by the interpreter, held to a look at all of them.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/kernels/rank_sums.hpp>

#include "reference/rows.hpp"
#include "spirv/interpreter.hpp"

namespace riffle_tests::spirv_rank_sums {
namespace {

using namespace riffle::gpu;

struct ranked_token {
    std::uint32_t standing = 0, id = 0, weight = 0, bin = rank_sums::no_bin;
};
struct known_sums {
    std::uint64_t before = 0, all = 0;
};
constexpr std::uint32_t words_of_a_token = 4, words_of_sums = 4;

/// One call after the other, each with a token an invocation.
std::vector<std::uint32_t> module_of_calls(std::uint32_t calls) {
    assembler code;
    const spirv::buffer<u32, spirv::access::read> given(code, 0);
    const spirv::buffer<u32> told(code, 1);
    work_group group(code);
    const spirv::shared_twice<u32> standings(code), links(code), weights(code);
    const rank_sums::memory memory{standings, links, weights};
    rank_sums sums(group, &memory);
    sums.clear();
    group.sync();
    spirv::for_(code, u32(0u), u32(calls), u32(1u), [&](const u32& call) {
        const u32 token = (call * group.size + group.invocation) * words_of_a_token;
        const u32 standing = given[token], id = given[token + 1u], weight = given[token + 2u], bin = given[token + 3u];
        sums.add_up(standing, id, weight, bin);
        const word_pair before = sums.before(), all = sums.all();
        told[token] = before.low;
        told[token + 1u] = before.high;
        told[token + 2u] = all.low;
        told[token + 3u] = all.high;
    });
    code.finish();
    std::vector<std::uint32_t> words(code.size());
    code.write(words.data());
    return words;
}
struct known_calls {
    std::vector<std::vector<known_sums>> sums;
    std::uint64_t instructions = 0;
};
known_calls run(const std::vector<std::vector<ranked_token>>& calls, bool backwards = false) {
    const std::size_t invocations = calls[0].size();
    std::vector<std::uint32_t> given;
    for (const auto& tokens : calls)
        for (const ranked_token& t : tokens) given.insert(given.end(), {t.standing, t.id, t.weight, t.bin});
    std::vector<std::uint32_t> told(given.size());
    const auto words = module_of_calls(std::uint32_t(calls.size()));
    const observation seen = observe(
        {.words = words, .group_size = std::uint32_t(invocations), .buffers = {given, told}, .backwards = backwards});
    EXPECT_EQ(seen.faults, std::vector<std::string>());
    known_calls known{std::vector(calls.size(), std::vector<known_sums>(invocations)), seen.counts.instructions};
    std::size_t at = 0;
    for (auto& call : known.sums)
        for (known_sums& k : call) {
            k = {told[at] | std::uint64_t{told[at + 1]} << 32, told[at + 2] | std::uint64_t{told[at + 3]} << 32};
            at += words_of_sums;
        }
    return known;
}
bool is_there(const ranked_token& t) { return t.bin < rank_sums::bins; }
/// By a look at all.
known_sums reference_of(const ranked_token& mine, const std::vector<ranked_token>& tokens) {
    known_sums known;
    for (const ranked_token& t : tokens) {
        if (!is_there(t)) continue;
        known.all += t.weight;
        const bool is_before = t.standing > mine.standing || (t.standing == mine.standing && t.id < mine.id);
        if (is_there(mine) && is_before) known.before += t.weight;
    }
    return known;
}
void expect_sums(const std::vector<std::vector<ranked_token>>& calls) {
    for (const bool backwards : {false, true}) {
        const auto found = run(calls, backwards).sums;
        for (std::size_t call = 0; call < calls.size(); ++call)
            for (std::size_t i = 0; i < calls[call].size(); ++i) {
                const known_sums expected = reference_of(calls[call][i], calls[call]);
                EXPECT_EQ(found[call][i].before, expected.before) << call << ", " << i;
                EXPECT_EQ(found[call][i].all, expected.all) << call << ", " << i;
            }
    }
}

/// So many of the invocations have tokens, with standings below a limit: few of them are many ties.
std::vector<ranked_token> random_tokens(random_integers& random, std::size_t invocations, std::size_t there,
                                        std::uint32_t standings) {
    std::vector<std::uint32_t> ids(invocations);
    for (std::uint32_t& id : ids) id = std::uint32_t(random.next() & (most_tokens_a_row - 1));
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 1; i < ids.size(); ++i) ids[i] = std::max(ids[i], ids[i - 1] + 1);
    for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
    std::vector<ranked_token> tokens(invocations);
    const std::uint32_t a_bin = standings / rank_sums::bins + 1;
    for (std::size_t i = 0; i < there; ++i) {
        ranked_token& t = tokens[i];
        t.standing = std::uint32_t(random.below(standings));
        t.id = ids[i];
        t.weight = random.below(8) ? std::uint32_t(random.below(1u << 30)) : 1u << 30;
        t.bin = (standings - 1 - t.standing) / a_bin;
    }
    for (std::size_t i = invocations; i > 1; --i) std::swap(tokens[i - 1], tokens[random.below(i)]);
    return tokens;
}

TEST(RankSums, AreThoseOfALookAtAll) {
    random_integers random(5);
    for (const std::size_t invocations : {64u, 256u, 1024u})
        for (const std::size_t there : {std::size_t{0}, std::size_t{1}, std::size_t{40}, invocations})
            for (const std::uint32_t standings : {1u, 5u, 1000u, 0x80000000u}) {
                SCOPED_TRACE(std::to_string(invocations) + " " + std::to_string(there) + " " +
                             std::to_string(standings));
                expect_sums({random_tokens(random, invocations, there, standings)});
            }
}
/// What one call has added up is gone for the next, whoever has a token there.
TEST(RankSums, OfOneCallAreNotThoseOfAnother) {
    random_integers random(6);
    for (int n = 0; n < 20; ++n) {
        std::vector<std::vector<ranked_token>> calls;
        for (std::size_t call = 0; call < 6; ++call)
            calls.push_back(random_tokens(random, 64, random.below(65), 1u + std::uint32_t(random.below(200))));
        expect_sums(calls);
    }
}
/// Their sum has 41 bits.
TEST(RankSums, HoldAThousandOfTheGreatestWeights) {
    std::vector<ranked_token> tokens(1024);
    for (std::uint32_t i = 0; i < tokens.size(); ++i)
        tokens[i] = {.standing = 7, .id = most_tokens_a_row - 1 - i, .weight = 0x7fffffffu, .bin = 63};
    expect_sums({tokens});
    EXPECT_EQ(run({tokens}).sums[0][0].before, 1023u * std::uint64_t{0x7fffffff});
}
/// How much a token costs grows with those that share its bin, and not with all.
TEST(RankSums, DoNotLookAtAllTokens) {
    random_integers random(7);
    const auto instructions_a_token = [&](std::size_t n) {
        return run({random_tokens(random, n, n, 0x80000000u)}).instructions / n;
    };
    EXPECT_LT(instructions_a_token(64), 300u);
    EXPECT_LT(instructions_a_token(1024), 600u);  // 16 in a bin
}

}  // namespace
}  // namespace riffle_tests::spirv_rank_sums
