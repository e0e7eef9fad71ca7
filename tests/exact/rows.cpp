// A chain under numerics::llama that is given a row takes quick ways where they are certain. What comes out must be
// what its stages' forms make of a candidate for every token: riffle against itself, random chains over random rows,
// with the generators and the history in step. Then the sums and exponentials that the quick ways rest on, against
// plain loops.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "integers.hpp"
#include "lane_widths.hpp"
#include "long_run.hpp"

namespace riffle_tests::exact_rows {
namespace {

using namespace riffle;
using exact_chain = basic_dynamic_chain<llama_exact>;

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class T>
T one_of(integers& random, std::initializer_list<T> values) {
    return values.begin()[random.below(std::uint32_t(values.size()))];
}
bool one_in(integers& random, std::uint32_t n) { return random.below(n) == 0; }
/// In [0, 1), of 24 bits.
float share(integers& random) { return float(random.next() >> 40) * 0x1p-24f; }
/// Near enough to the standard normal: four uniform numbers from one word.
float normal(integers& random) {
    const std::uint64_t word = random.next();
    const auto sum = std::int32_t((word & 0xffff) + (word >> 16 & 0xffff) + (word >> 32 & 0xffff) + (word >> 48));
    return float(sum - 131070) * (1.7320508f / 65536.0f);
}

// ---- rows

float extreme(integers& random) {
    return one_of(random, {-infinity, 1e38f, -1e38f, infinity, 0.0f, -0.0f, 1e-40f, -1e-40f, 3e9f, -3e9f,
                           std::numeric_limits<float>::quiet_NaN()});
}

/// What models say, and what they do not.
std::vector<float> random_row(std::size_t size, integers& random, std::string& words) {
    std::vector<float> row(size);
    const auto shape = random.below(12);
    const float scale = one_of(random, {1.0f, 3.0f, 3.0f, 8.0f, 0.01f, 50.0f});
    const float offset = one_of(random, {0.0f, 0.0f, 10.0f, -30.0f, 1000.0f});
    words = "shape " + std::to_string(shape);
    for (std::size_t i = 0; i < size; ++i) {
        float& logit = row[i];
        switch (shape) {
        case 0: logit = offset; break;                                                                // all equal
        case 1: logit = float(random.below(3)); break;                                                // tied
        case 2: logit = offset - 0.003f * float(i); break;                                            // descending
        case 3: logit = offset + 0.003f * float(i); break;                                            // ascending
        case 4: logit = -200.0f * share(random); break;                                               // huge range
        case 5: logit = share(random); break;                                                         // flat
        case 6: logit = one_in(random, 50) ? 15.0f + normal(random) : normal(random) - 10.0f; break;  // peaked
        case 7: logit = one_in(random, 400) ? 8.0f + 3.0f * normal(random) : 2.0f * normal(random); break;  // a model's
        default: logit = offset + scale * normal(random);
        }
    }
    if (one_in(random, 3)) {
        const float unit = one_of(random, {8.0f, 128.0f, 128.0f});
        for (float& logit : row) logit = std::round(logit * unit) / unit;
        words += " rounded";
    }
    if (one_in(random, 6)) {
        for (const auto rate = 1 + random.below(9); float& logit : row)
            if (random.below(10) < rate) logit = -infinity;
        words += " with holes";
    }
    if (one_in(random, 14)) {
        for (const auto rarity = one_of(random, {1u, 4u, 50u, 2000u}); float& logit : row)
            if (one_in(random, rarity)) logit = extreme(random);
        words += " with extremes";
    }
    if (one_in(random, 60)) {
        std::fill(row.begin(), row.end(), one_of(random, {-infinity, infinity, 1e38f, -1e38f, 1e-40f, -0.0f}));
        if (one_in(random, 2)) row[random.below(std::uint32_t(size))] = one_of(random, {0.0f, -0.0f, 1e-40f, 2.0f});
        words += " filled";
    }
    return row;
}

// ---- chains

/// A stage of the test's: sees what has been left, changes nothing.
struct witness {
    static constexpr const char* name = "witness";
    std::vector<token_data>* seen = nullptr;
    void apply(candidates& c) const noexcept { seen->assign(c.begin(), c.end()); }
};

/// Twice the same chain.
struct twins {
    exact_chain by_row, by_candidates;
    bool runs = true;  ///< its parameters have a meaning
    bool watched = false;
    std::vector<token_data> seen_by_row, seen_by_candidates;  ///< by the witness
    std::ostringstream words;

    template <class S>
    void add(S stage, std::initializer_list<double> parameters) {
        words << (words.tellp() > 0 ? " | " : "") << S::name << '(';
        for (const double& p : parameters) words << (&p == parameters.begin() ? "" : ", ") << p;
        words << ')';
        runs = by_row.push(stage).ok() && runs;
        by_candidates.push(std::move(stage));
    }
    void watch() {
        by_row.push(witness{&seen_by_row});
        by_candidates.push(witness{&seen_by_candidates});
        watched = true;
    }
    void forget() {
        seen_by_row.clear();
        seen_by_candidates.clear();
    }
    bool saw_the_same() const {
        if (seen_by_row.size() != seen_by_candidates.size()) return false;
        return seen_by_row.empty() ||
               std::memcmp(seen_by_row.data(), seen_by_candidates.data(), seen_by_row.size() * sizeof(token_data)) == 0;
    }
    void accept(token_id token) {
        by_row.accept(token);
        by_candidates.accept(token);
    }
};

void add_stage(twins& t, std::size_t size, integers& random) {
    const auto vocabulary_size = std::uint32_t(size);
    const float p = one_of(random, {0.05f, 0.5f, 0.9f, 0.95f, 0.999f, 1.0f, 0.0f, share(random), share(random)});
    const std::size_t keep = one_of<std::size_t>(random, {0, 0, 0, 1, 2, 10, 300, random.below(40)});
    const float temperature_of = one_of(random, {0.8f, 1.0f, 0.0f, 0.1f, 1.5f, 1e-30f, 1e-42f, 1e30f, infinity,
                                                 3.0f * share(random), 3.0f * share(random)});
    const std::uint64_t seed = random.below(1000);
    switch (one_of(random, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 9, 10, 11})) {
    case 0: {
        logit_bias s;
        for (auto i = random.below(one_of(random, {2u, 20u})); i > 0; --i) {
            const auto id = token_id(random.below(2 * vocabulary_size)) - (one_in(random, 20) ? 3 : 0);
            for (int times = one_in(random, 4) ? 3 : 1; times > 0; --times)
                s.biases.push_back({id, one_of(random, {-infinity, 10.0f, 1e38f, infinity, normal(random)})});
        }
        return t.add(s, {double(s.biases.size())});
    }
    case 1: {
        penalties s;
        s.last_n = one_of(random, {64, 1, 300, 0, -1});
        s.repeat = one_of(random, {1.0f, 1.1f, 0.5f, 1e-30f, 1e30f, 0.1f + 3.0f * share(random)});
        s.frequency = one_of(random, {0.0f, 0.5f, -0.5f, 1e38f});
        s.presence = one_of(random, {0.0f, 0.5f, -0.5f, normal(random)});
        return t.add(s, {double(s.last_n), s.repeat, s.frequency, s.presence});
    }
    case 2: return t.add(temperature{.t = temperature_of}, {temperature_of});
    case 3: return t.add(dynamic_temperature{.t = temperature_of}, {temperature_of});
    case 4: {
        const float n = one_of(random, {1.0f, 1.0f, 2.0f, 0.0f, 1e38f, infinity, 4.0f * share(random)});
        return t.add(top_n_sigma{.n = n}, {n});
    }
    case 5: {
        const std::int32_t k = one_of(random, {40, 1, 2, 127, 128, 129, 300, 1000, 0, std::int32_t(random.below(3000)),
                                               std::int32_t(random.below(vocabulary_size))});
        return t.add(top_k{.k = k}, {double(k)});
    }
    case 6: return t.add(top_p{.p = p, .min_keep = keep}, {p, double(keep)});
    case 7: return t.add(min_p{.p = p, .min_keep = keep}, {p, double(keep)});
    case 8: {
        const float probability = one_of(random, {0.5f, 0.1f, 1.0f, 0.0f});
        const float threshold = one_of(random, {0.1f, 0.0f, 0.5f, 0.6f, 0.001f});
        return t.add(xtc{.probability = probability, .threshold = threshold, .min_keep = keep, .seed = seed},
                     {probability, threshold, double(keep), double(seed)});
    }
    case 9: return t.add(typical{.p = p, .min_keep = keep}, {p, double(keep)});
    case 10: {
        const float range = 2.0f * share(random);
        return t.add(dynamic_temperature{.t = temperature_of, .range = range}, {temperature_of, range});
    }
    default: {
        dry s;
        s.multiplier = one_of(random, {0.8f, -1.0f, 0.0f});
        s.allowed_length = one_of(random, {2, 0});
        return t.add(s, {s.multiplier, double(s.allowed_length)});
    }
    }
}
void add_selector(twins& t, integers& random) {
    const std::uint64_t seed = one_of<std::uint64_t>(random, {0, 1, 42, random.below(100000)});
    switch (one_of(random, {0, 0, 0, 0, 0, 0, 1, 2, 2, 3, 4})) {
    case 0: return t.add(dist{.seed = seed}, {double(seed)});
    case 1: return t.add(greedy{}, {});
    case 2: {
        const float tau = one_of(random, {5.0f, 2.0f, 0.0f, 20.0f}), eta = one_of(random, {0.1f, 1.0f});
        return t.add(mirostat_v2{.tau = tau, .eta = eta, .seed = seed}, {tau, eta, double(seed)});
    }
    case 3: {
        const float tau = one_of(random, {5.0f, 2.0f, 20.0f});
        const std::int32_t m = one_of(random, {100, 100, 5000, 2, 0}), n_vocab = one_of(random, {32000, 5});
        return t.add(mirostat{.tau = tau, .m = m, .n_vocab = n_vocab, .seed = seed},
                     {tau, double(m), double(n_vocab), double(seed)});
    }
    default: return t.add(adaptive_p{.target = 0.3f, .seed = seed}, {double(seed)});
    }
}
std::size_t random_size(integers& random) {
    switch (random.below(40)) {
    case 0: return 20001 + random.below(132000);
    case 1: return 1 + random.below(4);
    case 2:
    case 3: return 256 * (1 + random.below(20)) + random.below(3) - 1;  // about a block's end
    case 4:
    case 5: return 5 + random.below(300);
    default: return std::size_t(300.0f * std::exp2(6.06f * share(random) * share(random)));
    }
}
void add_stages(twins& t, std::size_t size, integers& random) {
    // Quick ways end at the first stage that narrows: short chains, and maps ahead of it.
    for (auto i = random.below(one_of(random, {2u, 4u, 8u})); i > 0; --i) add_stage(t, size, random);
    if (one_in(random, 4)) t.watch();
    add_selector(t, random);
}

// ---- both ways

/// The token that the chain's forms choose among candidates for all tokens, NaN being -inf; null_token where none.
token_id chosen_among_candidates(exact_chain& chain, const std::vector<float>& row, std::vector<token_data>& all) {
    all.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) all[i] = {token_id(i), row[i] == row[i] ? row[i] : -infinity, 0.0f};
    candidates c{all.data(), all.size(), -1, false};
    if (!chain.apply(c).ok() || c.selected < 0) return null_token;
    const token_data& chosen = c[std::size_t(c.selected)];
    return chosen.logit > -infinity ? chosen.id : null_token;
}

TEST(ExactRows, GiveTheTokensOfCandidates) {
    const std::size_t steps = how_many(20000, 2000000, "rows under numerics::llama both ways");
    std::size_t most = 0;
    at_every_width([&](int) { ++most; });
    std::uint64_t rows = 0, replays = 0, tokens = 0;
    at_every_width([&](int width) {
        integers random(std::uint64_t(width) * 1000003);
        std::vector<token_data> all;
        for (std::size_t step = 0; step < steps / most;) {
            if (testing::Test::HasFailure()) return;
            twins t;
            const std::size_t size = random_size(random);
            add_stages(t, size, random);
            if (!t.runs) continue;
            for (auto said = random.below(80); said > 0; --said) t.accept(token_id(random.below(std::uint32_t(size))));
            for (int i = 0; i < 6 && step < steps / most; ++i, ++step) {
                std::string shape;
                const std::vector<float> row = random_row(size, random, shape);
                t.forget();
                const token_id token = t.by_row.peek(row);
                const token_id expected = chosen_among_candidates(t.by_candidates, row, all);
                ASSERT_EQ(token, expected) << t.words.str() << " over " << size << ", " << shape << ", step " << i;
                ASSERT_TRUE(t.by_row.mark().stages == t.by_candidates.mark().stages)
                    << "another state: " << t.words.str() << " over " << size << ", " << shape << ", step " << i;
                ASSERT_TRUE(t.saw_the_same())
                    << "other candidates: " << t.words.str() << " over " << size << ", " << shape << ", step " << i;
                tokens += token != null_token;
                if (one_in(random, 8)) continue;  // rejected: draws go on, history does not
                t.accept(token != null_token ? token : token_id(random.below(std::uint32_t(size))));
            }
            rows += t.by_row.replays().rows;
            replays += t.by_row.replays().replays;
        }
    });
    RecordProperty("rows", std::to_string(rows));
    RecordProperty("replays", std::to_string(replays));
    EXPECT_GT(tokens, rows / 2);
    EXPECT_LT(replays, rows * 2 / 3) << "the quick ways are hardly tested";
}

/// One chain whose rows come and go in length: scratch is carved anew, and shorter rows use a part of it.
TEST(ExactRows, OfChangingLengths) {
    integers random(7);
    std::vector<token_data> all;
    twins t;
    t.add(logit_bias{.biases = {{3, 2.0f}, {700, -infinity}, {40000, 4.0f}}}, {});
    t.add(penalties{.last_n = 64, .repeat = 1.2f, .frequency = 0.1f}, {});
    t.add(top_n_sigma{.n = 2.0f}, {});
    t.add(temperature{.t = 0.9f}, {});
    t.add(dist{.seed = 11}, {});
    for (const std::size_t size : {1u, 2u, 255u, 256u, 257u, 50000u, 512u, 3u, 32000u, 1024u, 50001u}) {
        std::string shape;
        const std::vector<float> row = random_row(size, random, shape);
        const token_id token = t.by_row.peek(row);
        ASSERT_EQ(token, chosen_among_candidates(t.by_candidates, row, all)) << size << ' ' << shape;
        if (token != null_token) t.accept(token);
    }
}

/// inf - inf by two biases of one token: the peer's candidates then hold a NaN, its dist none but NaN, and takes the
/// last.
TEST(ExactRows, NanThatAStageMakesIsNoMaskedToken) {
    std::vector<token_data> all;
    twins t;
    t.add(logit_bias{.biases = {{5, infinity}, {5, -infinity}}}, {});
    t.add(dist{.seed = 42}, {});
    const std::vector<float> row(300, 1.0f);
    EXPECT_EQ(chosen_among_candidates(t.by_candidates, row, all), 299);
    EXPECT_EQ(t.by_row.peek(row), 299);
}

/// The two ways add up NaN of either sign; what stages keep of it is the same to the bit.
TEST(ExactRows, NanThatAStageKeepsHasNoSign) {
    std::vector<token_data> all;
    const auto expect_same_state = [&](auto selector, std::vector<logit_bias_entry> biases, float logit) {
        twins t;
        t.add(logit_bias{.biases = std::move(biases)}, {});
        t.add(temperature{.t = 1.5f}, {});
        t.add(selector, {});
        std::vector<float> row(300, 1.0f);
        row[5] = logit;
        for (int step = 0; step < 3; ++step) {
            const token_id token = t.by_row.peek(row);
            ASSERT_EQ(token, chosen_among_candidates(t.by_candidates, row, all)) << t.words.str();
            EXPECT_TRUE(t.by_row.mark().stages == t.by_candidates.mark().stages) << t.words.str() << " of " << logit;
            t.accept(token != null_token ? token : 0);
        }
    };
    for (const float logit : {-infinity, infinity, 1.0f, std::numeric_limits<float>::quiet_NaN()})
        for (const auto& biases : std::vector<std::vector<logit_bias_entry>>{{{5, infinity}},
                                                                             {{5, infinity}, {5, -infinity}},
                                                                             {{5, infinity}, {6, infinity}},
                                                                             {{0, infinity}, {5, -infinity}}}) {
            expect_same_state(adaptive_p{.target = 0.3f, .seed = 1}, biases, logit);
            expect_same_state(mirostat{.n_vocab = 300, .seed = 2}, biases, logit);
            expect_same_state(mirostat_v2{.seed = 3}, biases, logit);
        }
}

/// Every length up to four blocks, for the padding behind the row.
TEST(ExactRows, OfEveryLength) {
    at_every_width([](int) {
        integers random(8);
        std::vector<token_data> all;
        twins draws, sigma, first;
        draws.add(temperature{.t = 0.7f}, {});
        draws.add(dist{.seed = 3}, {});
        sigma.add(top_n_sigma{.n = 1.0f}, {});
        sigma.add(dist{.seed = 4}, {});
        first.add(top_k{.k = 40}, {});
        first.add(dist{.seed = 5}, {});
        for (std::size_t size = 1; size <= 1030; ++size) {
            std::vector<float> row(size);
            for (float& logit : row) logit = std::round(normal(random) * 64.0f) / 32.0f;
            for (twins* t : {&draws, &sigma, &first})
                ASSERT_EQ(t->by_row.peek(row), chosen_among_candidates(t->by_candidates, row, all)) << size;
        }
    });
}

// ---- that the quick ways are taken

/// A model's row: a bulk that nobody says, and some dozens of tokens that could follow.
std::vector<float> usual_row(std::size_t size, integers& random) {
    std::vector<float> row(size);
    for (float& logit : row) logit = -4.0f + 2.0f * normal(random);
    for (int i = 0; i < 60; ++i) row[random.below(std::uint32_t(size))] = 8.0f + 2.5f * normal(random);
    return row;
}

template <class Chain>
std::uint64_t replays_in(Chain chain) {
    integers random(99);
    for (const std::size_t size : {32000u, 128256u})
        for (int i = 0; i < 25; ++i) EXPECT_NE(chain.sample(usual_row(size, random)), null_token);
    EXPECT_EQ(chain.replays().rows, 50u);
    return chain.replays().replays;
}
template <class... Stages>
std::uint64_t replays_of(Stages... stages) {
    return replays_in(chain<llama_exact>(stages...));
}

TEST(ExactRows, UsualChainsNeedNoReplay) {
    const temperature warm{.t = 0.8f};
    const dist draw{.seed = 5};
    EXPECT_EQ(replays_of(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, warm, draw), 0u);
    EXPECT_EQ(replays_of(min_p{.p = 0.05f}, warm, draw), 0u);
    EXPECT_EQ(replays_of(warm, draw), 0u);
    EXPECT_EQ(replays_of(top_n_sigma{.n = 1.0f}, warm, draw), 0u);
    EXPECT_EQ(replays_of(penalties{.repeat = 1.1f}, dry{}, top_n_sigma{.n = -1.0f}, top_k{.k = 40}, typical{.p = 1.0f},
                         top_p{.p = 0.95f}, min_p{.p = 0.05f}, xtc{.probability = 0.0f}, dynamic_temperature{.t = 0.8f},
                         draw),
              0u);
    EXPECT_EQ(replays_of(penalties{}, dry{}, top_n_sigma{.n = -1.0f}, top_k{.k = 40}, typical{.p = 1.0f},
                         top_p{.p = 0.95f}, min_p{.p = 0.05f}, xtc{.probability = 0.0f}, warm, draw),
              0u);  // all of them off that are in llama.cpp's default chain
    EXPECT_EQ(replays_of(top_k{.k = 1000}, draw), 0u);
    EXPECT_EQ(replays_of(top_p{.p = 0.9f}, draw), 0u);
    EXPECT_EQ(replays_of(mirostat{.n_vocab = 32000, .seed = 5}), 0u);
    EXPECT_EQ(replays_of(mirostat_v2{.seed = 5}), 0u);
    EXPECT_EQ(replays_of(logit_bias{.biases = {{17, -infinity}, {90, 1.0f}}}, greedy{}), 0u);
}
TEST(ExactRows, WhatHasNoQuickWayIsReplayed) { EXPECT_EQ(replays_of(typical{.p = 0.9f}, dist{.seed = 5}), 50u); }
/// A stage that leaves every token in its place may have weighed them: they are no row again, or p would be lost.
TEST(ExactRows, ShowAUsersStageWhatWasWeighed) {
    std::vector<token_data> seen;
    auto c = chain<llama_exact>(typical{.p = 0.9f, .min_keep = 2}, witness{&seen}, dist{});
    const float equal[] = {-30.0f, -30.0f};
    EXPECT_NE(c.sample(equal), null_token);
    ASSERT_EQ(seen.size(), 2u);
    for (const auto& token : seen) EXPECT_EQ(token.p, 0.5f);
}
TEST(ExactRows, AreCountedThroughCopies) {
    auto c = chain<llama_exact>(typical{.p = 0.9f}, dist{});
    const std::vector<float> row(300, 1.0f);
    EXPECT_NE(c.sample(row), null_token);
    EXPECT_EQ(c.replays().rows, 1u);
    auto copied = c;
    EXPECT_EQ(copied.replays().rows, 0u) << "a copy counts its own rows";
    const auto moved = std::move(c);
    EXPECT_EQ(moved.replays().rows, 1u);
    EXPECT_EQ(moved.replays().replays, 1u);
    auto reproducible_chain = chain(top_k{.k = 3}, dist{});
    EXPECT_NE(reproducible_chain.sample(row), null_token);
    EXPECT_EQ(reproducible_chain.replays().rows, 0u);
}

// ---- sums

/// The same float, any NaN being one.
bool same(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || (a != a && b != b);
}

struct block_of_floats {
    alignas(64) float x[block_size];
};

float plain_sum(float sum, const float* x) {
    for (std::size_t i = 0; i < block_size; ++i) sum += x[i];
    return sum;
}

TEST(ExactSums, OfBlocksAreThoseOfALoop) {
    at_every_width([](int) {
        integers random(21);
        for (int round = 0; round < 20000; ++round) {
            block_of_floats b;
            // The sum anywhere in a binade, near to its ends too; terms of about a unit of it, or far larger.
            const std::int32_t exponent = random.between(-70, 20);
            const float binade = std::ldexp(1.0f, exponent);
            float sum = binade * (1.0f + share(random));
            if (one_in(random, 3))
                sum = std::nextafter(2.0f * binade, 0.0f) - float(random.below(500)) * 0x1p-23f * binade;
            if (one_in(random, 50)) sum = one_of(random, {0.0f, 1.0f, 1e-30f, 1e-40f});
            const float unit = 0x1p-23f * binade, reach = unit * std::exp2(24.0f * share(random));
            const auto kind = random.below(6);
            for (float& term : b.x) {
                switch (kind) {
                case 0: term = reach * share(random); break;
                case 1: term = unit * 0.5f * float(random.below(8)); break;  // middles among them
                case 2: term = one_in(random, 256) ? unit * 0.5f : unit * float(random.below(5)); break;
                case 3: term = unit * (0.5f + 0x1p-20f * float(random.between(-2, 2))); break;  // near to them
                case 4: term = unit * (0.25f * float(random.below(6))); break;
                default: term = one_in(random, 40) ? 0.3f * binade * share(random) : 0.0f;
                }
            }
            float greatest = 0.0f;
            for (const float term : b.x) greatest = std::max(greatest, term);
            if (one_in(random, 4)) greatest *= 1.001f;
            const float expected = plain_sum(sum, b.x), found = exact::add_block(sum, b.x, greatest);
            ASSERT_TRUE(same(found, expected)) << std::hexfloat << sum << " + kind " << kind << ", unit " << unit
                                               << ": " << found << " for " << expected;
        }
    });
}

TEST(ExactSums, OfExponentialsAreThoseOfALoop) {
    at_every_width([](int) {
        integers random(22);
        for (int round = 0; round < 20000; ++round) {
            block_of_floats b;
            const float maximum = one_of(random, {0.0f, 0.0f, 10.0f * normal(random), 1000.0f, -3.25f});
            const float top = maximum - (one_in(random, 4) ? 0.0f : 30.0f * share(random));
            const auto kind = random.below(6);
            for (float& logit : b.x) {
                switch (kind) {
                case 0: logit = top - 3.0f * share(random); break;
                case 1: logit = top - 120.0f * share(random); break;
                case 2: logit = top; break;
                case 3: logit = one_in(random, 3) ? -infinity : top - share(random); break;
                case 4: logit = top - 0.125f * float(random.below(100)); break;
                default: logit = std::min(top, std::round((top - 8.0f + 2.0f * normal(random)) * 128.0f) / 128.0f);
                }
            }
            float peak = -infinity;
            for (const float logit : b.x) peak = std::max(peak, logit);
            if (!(peak - maximum > -104.0f)) continue;
            const float term = std::exp(peak - maximum);
            // A sum whose unit is anything from the greatest term's down to many times it.
            float sum = term * std::ldexp(1.0f + share(random), random.between(-3, 27));
            if (one_in(random, 10)) sum = 0.0f;
            if (one_in(random, 4)) {  // near to the end of the binade
                const float binade = exact::binade_of(std::max(sum, 1e-30f));
                sum = std::nextafter(2.0f * binade, 0.0f) - float(random.below(300)) * 0x1p-23f * binade;
            }
            float expected = sum;
            for (const float logit : b.x) expected += exact::libm::exp(logit - maximum);
            const float found = exact::add_exp_block(sum, b.x, maximum, 1.001f * term);
            ASSERT_TRUE(same(found, expected)) << std::hexfloat << sum << " + kind " << kind << " under " << maximum
                                               << ": " << found << " for " << expected;
        }
    });
}

/// A row as the passes have it.
class held_row {
public:
    explicit held_row(const std::vector<float>& logits)
        : blocks_(block_count(logits.size())), copies_(blocks_.size() * block_size) {
        row_.assign(logits, blocks_.data(), copies_.data());
    }
    const detail::row& get() const { return row_; }

private:
    std::vector<const float*> blocks_;
    std::vector<float> copies_;
    detail::row row_;
};

std::vector<float> row_to_add(integers& random) {
    std::vector<float> row(1 + random.below(1500));
    const auto kind = random.below(9);
    const float scale = one_of(random, {1.0f, 4.0f, 30.0f, 1e-3f, 1e6f, 1e-30f});
    const float offset = one_of(random, {0.0f, 0.0f, 2.0f, -5.0f, 100.0f});
    for (float& logit : row) {
        switch (kind) {
        case 0: logit = scale * normal(random); break;
        case 1: logit = offset + normal(random); break;
        case 2: logit = std::round(8.0f * (offset + 3.0f * normal(random))) / 8.0f; break;
        case 3: logit = std::round(128.0f * (offset + 3.0f * normal(random))) / 128.0f; break;
        case 4: logit = one_in(random, 3) ? -infinity : offset + normal(random); break;
        case 5: logit = offset; break;
        case 6: logit = one_of(random, {0x1p24f, 1.0f, -1.0f, 0.5f, 3.0f}) * (one_in(random, 2) ? -1.0f : 1.0f); break;
        case 7: logit = one_in(random, 100) ? extreme(random) : normal(random); break;
        default: logit = offset + 0x1p-12f * normal(random);  // units matter
        }
        if (!(logit <= std::numeric_limits<float>::max())) logit = 1e38f;  // the passes see ordinary rows only
    }
    // The first term sets the binade: middles between two multiples of its unit follow.
    if (kind == 6) row[0] = one_of(random, {0x1p24f, -0x1p24f, 0x1p25f, 3e7f});
    return row;
}

TEST(ExactSums, OfLegalLogitsAreThoseOfALoop) {
    at_every_width([](int) {
        integers random(23);
        for (int round = 0; round < 15000; ++round) {
            const std::vector<float> logits = row_to_add(random);
            const held_row r(logits);
            float sum = 0.0f;
            std::size_t legal = 0;
            for (const float logit : logits)
                if (logit != -infinity) sum += logit, ++legal;
            const auto found = wide::run<exact::legal_sum_pass>(r.get());
            ASSERT_EQ(found.legal, legal);
            ASSERT_TRUE(same(found.sum, sum)) << round << std::hexfloat << ": " << found.sum << " for " << sum;
        }
    });
}
TEST(ExactSums, OfSquaresAreThoseOfALoop) {
    at_every_width([](int) {
        integers random(24);
        for (int round = 0; round < 15000; ++round) {
            const std::vector<float> logits = row_to_add(random);
            const held_row r(logits);
            const float mean = one_of(random, {0.0f, 0.25f, -1.0f, normal(random), 2.0f, 5.5f, -infinity});
            float sum = 0.0f;
            for (const float logit : logits) {
                if (logit == -infinity) continue;
                const auto d = double(logit - mean);
                sum = float(double(sum) + exact::times(d, d));
            }
            const float found = wide::run<exact::squares_pass>(r.get(), mean);
            ASSERT_TRUE(same(found, sum))
                << round << std::hexfloat << ": " << found << " for " << sum << " about " << mean;
        }
    });
}

// ---- draws from a row

/// The token that the peer draws with this number: a running sum in doubles, in the order of ids.
struct plain_draw {
    explicit plain_draw(const std::vector<float>& row) : reached(row.size()) {
        const float maximum = *std::max_element(row.begin(), row.end());
        double running = 0.0;
        for (std::size_t i = 0; i < row.size(); ++i) reached[i] = running += double(exact::libm::exp(row[i] - maximum));
    }
    token_id operator()(double u) const {
        const double target = exact::times(reached.back(), u);
        for (std::size_t i = 0; i < reached.size(); ++i)
            if (reached[i] >= target) return token_id(i);
        return null_token;
    }
    std::vector<double> reached;
};

struct row_drawing {
    token_id token;
    double whole;  ///< for the p of all
};
row_drawing drawing_from(detail::row r, double u) {
    std::vector<float> block_maxima(r.blocks() + 16), groups((r.blocks() + 1) * 16);
    std::vector<std::uint64_t> bins(wide::buckets::count), sums(r.blocks());
    exact::full_row for_draw(r, block_maxima.data(), groups.data(), bins.data(), sums.data());
    EXPECT_TRUE(for_draw.ordinary());
    const token_id token = exact::draw_from_row(for_draw, u).token;
    return {token, exact::sum_to_a_millionth(for_draw)};
}
token_id drawn_from(detail::row r, double u) { return drawing_from(r, u).token; }

/// Numbers that fall near to the end of a token's share: an answer must be the peer's, or that it cannot be told.
TEST(ExactDraws, AreThePeersOrUndecided) {
    at_every_width([](int) {
        integers random(26);
        std::uint64_t at_random = 0, answered = 0;
        for (int round = 0; round < 300; ++round) {
            std::vector<float> logits(2 + random.below(3000));
            const auto kind = random.below(6);
            for (float& logit : logits) {
                switch (kind) {
                case 0: logit = 2.0f; break;
                case 5: logit = one_in(random, 1500) ? 19.0f : share(random); break;  // light blocks, that add up
                case 1: logit = std::round(64.0f * normal(random)) / 128.0f; break;
                case 2: logit = 3.0f * normal(random); break;
                case 3: logit = one_in(random, 100) ? 12.0f + normal(random) : normal(random); break;
                default: logit = one_in(random, 3) ? -infinity : 100.0f * share(random);
                }
            }
            logits[0] = 1.0f;
            const plain_draw peer(logits);
            held_row r(logits);
            for (int i = 0; i < 60; ++i) {
                const bool usual = i % 3 == 0;
                double u = double(random.next() >> 11) * 0x1p-53;
                if (!usual) {
                    std::size_t token = random.below(std::uint32_t(logits.size()));
                    if (one_in(random, 2)) token = std::min(token | 255, logits.size() - 1);  // the end of a block
                    const double off = double(random.between(-4, 4)) *
                                       one_of(random, {0.0, 0x1p-53, 1e-14, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6});
                    u = std::clamp(peer.reached[token] / peer.reached.back() + off, 0.0, 1.0 - 0x1p-53);
                }
                const token_id drawn = drawn_from(r.get(), u);
                at_random += usual;
                answered += usual && drawn >= 0;
                if (drawn < 0) continue;
                ASSERT_EQ(drawn, peer(u))
                    << "kind " << kind << ", " << logits.size() << " logits, " << std::hexfloat << u;
            }
        }
        EXPECT_GT(answered, at_random * 9 / 10);
    });
}

/// A hundred thousand tokens far below those that are likely, and behind them: most of what a sum that leaves them out
/// would lack, and nothing of what is summed up to a likely token.
TEST(ExactDraws, AreThePeersWhereMuchIsFarBelow) {
    at_every_width([](int) {
        integers random(27);
        for (const float far : {-20.81f, -29.99f, -30.01f}) {
            std::vector<float> logits(100000, far);
            std::fill_n(logits.begin(), 4000, -60.0f);
            std::vector<std::size_t> likely;
            for (std::size_t id = 500; id < 4000; id += 500) {
                logits[id] = likely.empty() ? 0.0f : -2.0f * share(random);
                likely.push_back(id);
            }
            const plain_draw peer(logits);
            const held_row r(logits);
            int answered = 0;
            for (int i = 0; i < 300; ++i) {
                const std::size_t token = likely[random.below(std::uint32_t(likely.size()))];
                const double off = double(random.between(-8, 8)) * one_of(random, {1e-3, 1e-5, 1e-6, 1e-7, 1e-8});
                const double u = std::clamp(peer.reached[token] / peer.reached.back() + off, 0.0, 1.0 - 0x1p-53);
                const token_id drawn = drawn_from(r.get(), u);
                answered += drawn >= 0;
                if (drawn >= 0) {
                    ASSERT_EQ(drawn, peer(u)) << far << ", " << std::hexfloat << u;
                }
            }
            EXPECT_GT(answered, 250) << far;
        }
    });
}

/// Of p the adapter says that it is llama.cpp's to 1e-6, so the whole must be. Beside one likely token are the others
/// so light that a sum of floats would lose each of them, or so far below it that a sum might leave them out.
TEST(ExactDraws, LeaveTheWholeToAMillionth) {
    at_every_width([](int) {
        integers random(28);
        for (const std::size_t size : {300u, 5000u, 100000u})
            for (const float others : {-2.0f, -8.3f, -15.0f, -16.5f, -16.7f, -17.4f, -20.7f, -20.9f, -23.0f, -29.5f,
                                       -31.0f, -86.0f, -110.0f})
                for (const float wide : {0.0f, 0.5f, 8.0f}) {
                    std::vector<float> logits(size);
                    for (float& logit : logits) logit = others - wide * share(random);
                    logits[random.below(std::uint32_t(size))] = 0.0f;
                    const double whole = plain_draw(logits).reached.back();
                    const held_row r(logits);
                    ASSERT_NEAR(drawing_from(r.get(), share(random)).whole / whole, 1.0, 1e-6)
                        << size << " tokens, " << others << " to " << others - wide;
                }
    });
}

// ---- exponentials

void expect_exponentials(const block_of_floats& b, float maximum) {
    float e[block_size];
    exact::exp_block(b.x, maximum, e);
    for (std::size_t i = 0; i < block_size; ++i)
        if (!same(e[i], std::exp(b.x[i] - maximum)))
            FAIL() << std::hexfloat << b.x[i] << " - " << maximum << ": " << e[i] << " for "
                   << std::exp(b.x[i] - maximum);
}

TEST(ExactExponentials, AreTheCLibrarys) {
    at_every_width([](int) {
        integers random(25);
        for (int round = 0; round < 8000 && !testing::Test::HasFatalFailure(); ++round) {
            block_of_floats b;
            const float maximum = one_of(random, {0.0f, 0.0f, 12.5f, 0.1f, -300.0f});
            const float range = one_of(random, {1.0f, 20.0f, 110.0f, 1e-3f});
            for (float& x : b.x) x = maximum - range * share(random);
            if (one_in(random, 10)) b.x[random.below(block_size)] = -infinity;
            if (one_in(random, 10)) b.x[random.below(block_size)] = maximum - 85.0f - 20.0f * share(random);
            expect_exponentials(b, maximum);
        }
    });
}
TEST(ExactExponentials, AreTheCLibrarysEverywhere) {
    constexpr std::uint32_t first = 0x80000000u, end = 0xC2D00000u;  // -0 to -104
    std::string what = std::to_string(end - first + 1);
    const bool all = long_run(what += " floats through exp, at every width");
    const std::uint32_t stride = all ? 1 : 1009;
    at_every_width([&](int) {
        for (std::uint64_t bits = first; bits <= end && !testing::Test::HasFatalFailure();
             bits += block_size * stride) {
            block_of_floats b;
            for (std::uint32_t i = 0; i < block_size; ++i)
                b.x[i] = std::bit_cast<float>(std::min(end, std::uint32_t(bits) + i * stride));
            expect_exponentials(b, 0.0f);
        }
    });
}

}  // namespace
}  // namespace riffle_tests::exact_rows
