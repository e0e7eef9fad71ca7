// Known defects of llama.cpp's samplers, one a test: numerics::llama repeats what does not crash, since it shows in the
// tokens; numerics::reproducible gives what one would expect. Neither aborts, and neither gives out a masked token.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_exact.hpp>

#include "integers.hpp"

namespace riffle_tests::exact_peer_defects {
namespace {

using namespace riffle;
using tokens_of = std::vector<token_id>;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// What a chain leaves of candidates.
struct left {
    std::vector<token_data> tokens;
    token_id chosen = null_token;
    status state;

    std::size_t illegal() const {
        return std::size_t(
            std::count_if(tokens.begin(), tokens.end(), [](const token_data& t) { return !(t.logit > -infinity); }));
    }
    tokens_of sorted_ids() const {
        tokens_of ids;
        for (const auto& token : tokens) ids.push_back(token.id);
        std::sort(ids.begin(), ids.end());
        return ids;
    }
};
template <class Chain>
left apply_to(Chain& c, std::vector<token_data> tokens) {
    candidates of{tokens.data(), tokens.size(), -1, false};
    left l;
    l.state = c.apply(of);
    l.tokens.assign(of.begin(), of.end());
    if (of.selected >= 0) l.chosen = of[std::size_t(of.selected)].id;
    return l;
}
std::vector<token_data> in_order(const std::vector<float>& row) {
    std::vector<token_data> tokens;
    for (const float logit : row) tokens.push_back({token_id(tokens.size()), logit, 0.0f});
    return tokens;
}
template <class Chain>
left apply_to(Chain& c, const std::vector<float>& row) {
    return apply_to(c, in_order(row));
}
std::vector<float> normal_row(std::size_t size, std::uint64_t seed) {
    integers random(seed);
    std::vector<float> row(size);
    for (float& logit : row) logit = random.real(-2, 2) + random.real(-2, 2) + random.real(-2, 2);
    return row;
}

/// visit(make), make<...>(stages) being chain<policies>(stages) with either policies.
template <class Visit>
void in_both_modes(Visit visit) {
    {
        SCOPED_TRACE("reproducible");
        visit([](auto... stages) { return chain<reproducible>(stages...); });
    }
    {
        SCOPED_TRACE("llama");
        visit([](auto... stages) { return chain<llama_exact>(stages...); });
    }
}

TEST(PeerDefects, TypicalAmongMaskedTokens) {
    // -p log p is NaN for p = 0: every score is then NaN, and the order without meaning.
    const auto stages = [](auto p) {
        return chain<decltype(p)>(top_n_sigma{.n = 1.0f}, top_k{.k = 100}, typical{.p = 0.9f});
    };
    auto sane = stages(reproducible{});
    auto as_peer = stages(llama_exact{});
    int with_illegal = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto row = normal_row(400, seed);
        const left ours = apply_to(sane, row), peers = apply_to(as_peer, row);
        EXPECT_EQ(ours.illegal(), 0u);
        with_illegal += peers.illegal() > 0;

        // The same as over what is legal alone.
        auto cut = chain(top_n_sigma{.n = 1.0f});
        auto rest = chain(top_k{.k = 100}, typical{.p = 0.9f});
        EXPECT_EQ(ours.sorted_ids(), apply_to(rest, apply_to(cut, row).tokens).sorted_ids());
    }
    EXPECT_GT(with_illegal, 40);
    auto draws = chain<llama_exact>(top_n_sigma{.n = 1.0f}, top_k{.k = 100}, typical{.p = 0.9f}, dist{.seed = 1});
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const auto row = normal_row(400, seed);
        const token_id token = draws.sample(row);
        EXPECT_TRUE(token == null_token || row[std::size_t(token)] > 0.0f) << seed;  // n sigma is about 3 of 8
    }
}

TEST(PeerDefects, AdaptivePForgetsWhenItIsCloned) {
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f, -1.0f, -2.0f};
    const auto future = [&](auto& c) {
        tokens_of tokens;
        for (int i = 0; i < 40; ++i) tokens.push_back(c.sample(row));
        return tokens;
    };
    const adaptive_p spec{.target = 0.3f, .decay = 0.9f, .seed = 7};
    auto sane = chain(spec);
    auto as_peer = chain<llama_exact>(spec);
    for (int i = 0; i < 4; ++i) (void)sane.sample(row), (void)as_peer.sample(row);
    auto sane_copy = sane;
    auto clone = as_peer;
    EXPECT_EQ(future(sane_copy), future(sane));
    EXPECT_NE(future(clone), future(as_peer));
    // Accepting on a copy what the original drew crashes the peer.
    in_both_modes([&](auto make) {
        auto c = make(spec);
        const token_id token = c.peek(row);
        auto copy = c;
        EXPECT_TRUE(copy.accept(token).state.ok());
        EXPECT_NE(copy.sample(row), null_token);
    });
}

template <class Spec>
void expect_learning_from_what_nobody_accepted(const Spec& spec) {
    const auto row = normal_row(400, 3);
    auto sane = chain(spec);
    auto as_peer = chain<llama_exact>(spec);
    const std::size_t at_first = apply_to(sane, row).tokens.size();
    const std::size_t peers_at_first = apply_to(as_peer, row).tokens.size();
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(apply_to(sane, row).tokens.size(), at_first);
        EXPECT_EQ(sane.peek(row), sane.peek(row));
        (void)apply_to(as_peer, row);
    }
    EXPECT_LT(apply_to(as_peer, row).tokens.size(), peers_at_first);
    // What was accepted it learns in both.
    const auto before = sane.mark();
    (void)sane.sample(row);
    EXPECT_FALSE(sane.mark().stages == before.stages);
}
TEST(PeerDefects, MirostatLearnsFromTokensThatNobodyAccepted) {
    expect_learning_from_what_nobody_accepted(mirostat_v2{.tau = 4.0f, .eta = 0.1f, .seed = 5});
    expect_learning_from_what_nobody_accepted(mirostat{.tau = 4.0f, .eta = 0.1f, .n_vocab = 400, .seed = 5});
}
TEST(PeerDefects, MirostatOfEqualLogitsHasNoExponent) {
    // Zipf's exponent is 0, its inverse infinite, and a count that is none keeps one token; riffle's limit keeps all.
    const std::vector<float> equal(100, 0.0f);
    const mirostat spec{.tau = 5.0f, .eta = 0.0f, .n_vocab = 100, .seed = 5};
    auto sane = chain(spec);
    auto as_peer = chain<llama_exact>(spec);
    EXPECT_EQ(apply_to(sane, equal).tokens.size(), 100u);
    EXPECT_EQ(apply_to(as_peer, equal).tokens.size(), 1u);
    int changes = 0;
    token_id before = sane.sample(equal), peers = as_peer.sample(equal);
    for (int i = 0; i < 50; ++i) {
        changes += std::exchange(before, sane.sample(equal)) != before;
        EXPECT_EQ(as_peer.sample(equal), peers);
    }
    EXPECT_GT(changes, 40);
}

TEST(PeerDefects, OneCandidateMovesTheStreamOfDistAlone) {
    // The peer draws a number over a single candidate in dist, and none in mirostat and adaptive_p: what follows them
    // comes a number earlier. riffle's numbers belong to positions of the text.
    const std::vector<float> equal(256, 0.0f), single{1.0f};
    const auto second = [&](auto c, const std::vector<float>& first) {
        (void)c.sample(first);
        return c.sample(equal);
    };
    const auto expect = [&](auto spec, bool peer_draws) {
        SCOPED_TRACE(decltype(spec)::name);
        const auto sane = chain(spec);
        const auto as_peer = chain<llama_exact>(spec);
        EXPECT_EQ(second(sane, single), second(sane, equal));
        EXPECT_EQ(second(as_peer, single), peer_draws ? second(as_peer, equal) : as_peer.fork(0).sample(equal));
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        expect(dist{.seed = seed}, true);
        expect(mirostat_v2{.tau = 9.0f, .eta = 0.0f, .seed = seed}, false);
        expect(adaptive_p{.target = -1.0f, .seed = seed}, false);
    }
    // The same for mirostat's draw, by itself: how many it draws among follows from logits that move mu as well.
    exact::form<mirostat>::state state(mirostat{.seed = 3});
    token_data token{0, 1.0f, 1.0f};
    candidates one{&token, 1, -1, false};
    state.choose(one, 5.0f, 0.1f);
    EXPECT_EQ(state.random.words(), 0u);
}

TEST(PeerDefects, ABiasBehindTopKLeavesTheSortedFlagStanding) {
    // The first logit counts as the maximum: it is -inf, every p is NaN, and dist takes the last candidate.
    const std::vector<float> row{3.0f, 2.0f, 1.0f, 0.0f};
    const logit_bias ban{.biases = {{0, -infinity}}};
    auto as_peer = chain<llama_exact>(top_k{.k = 4}, ban, dist{.seed = 1});
    auto sane = chain(top_k{.k = 4}, ban, dist{.seed = 1});
    int seen[4] = {};
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(as_peer.sample(row), 3);
        ++seen[sane.sample(row)];
    }
    EXPECT_EQ(seen[0], 0);
    EXPECT_GT(seen[1], seen[2]);
    EXPECT_GT(seen[2], seen[3]);
}

TEST(PeerDefects, NanIsNoLogit) {
    // The peer's greedy chooses a NaN at index 0, its sorts read out of bounds, and its dist takes the last candidate.
    const std::vector<float> first_nan{not_a_number, 1.0f, 3.0f, 2.0f};
    in_both_modes([&](auto make) {
        EXPECT_EQ(make(greedy{}).peek(first_nan), 2);
        EXPECT_EQ(make(temperature{.t = 0.0f}, dist{}).peek(first_nan), 2);
        EXPECT_EQ(make(top_k{.k = 2}, top_p{.p = 0.1f}, dist{}).peek(first_nan), 2);
        EXPECT_EQ(make(top_n_sigma{.n = 0.5f}, dist{}).peek(first_nan), 2);  // the peer's mean is NaN: it masks none
        auto c = make(dist{.seed = 2});
        for (int i = 0; i < 50; ++i) EXPECT_GT(c.sample(first_nan), 0);
        EXPECT_TRUE(c.last_status().saw_nan());
        auto all_nan = make(top_k{.k = 3}, dist{});
        EXPECT_EQ(all_nan.peek(std::vector<float>(300, not_a_number)), null_token);
        EXPECT_EQ(all_nan.last_status().code(), status_code::no_legal_token);
    });
}
TEST(PeerDefects, AllMaskedIsNoToken) {
    // The peer draws the last of them.
    const std::vector<float> masked(300, -infinity);
    in_both_modes([&](auto make) {
        const auto expect_none = [&](auto c) {
            EXPECT_EQ(c.sample(masked), null_token);
            EXPECT_EQ(c.last_status().code(), status_code::no_legal_token);
            EXPECT_EQ(c.sample(std::vector<float>{-infinity}), null_token);
        };
        expect_none(make(dist{}));
        expect_none(make(greedy{}));
        expect_none(make(top_k{.k = 40}, top_p{.p = 0.9f}, min_p{.p = 0.1f}, temperature{.t = 0.8f}, dist{}));
        expect_none(make(typical{.p = 0.5f}, dist{}));
        expect_none(make(mirostat_v2{}));
        expect_none(make(adaptive_p{.target = 0.5f}));
    });
}
TEST(PeerDefects, InfinityIsTheGreatestLogitOrTheLeast) {
    std::vector<float> row(300, 0.0f);
    row[7] = infinity;
    // dist: inf - inf is NaN, so the peer takes the last token.
    auto draw = chain(dist{.seed = 1});
    auto peers_draw = chain<llama_exact>(dist{.seed = 1});
    EXPECT_EQ(draw.sample(row), 7);
    EXPECT_EQ(peers_draw.sample(row), 299);
    EXPECT_TRUE(draw.last_status().saw_infinity());
    EXPECT_TRUE(peers_draw.last_status().saw_infinity());
    // top_k: first up to k = 128, and in the lowest bucket beyond.
    for (const std::int32_t k : {128, 129}) {
        auto cut = chain(top_k{.k = k});
        auto peers_cut = chain<llama_exact>(top_k{.k = k});
        const auto has_seven = [&](const left& l) {
            return std::any_of(l.tokens.begin(), l.tokens.end(), [](const token_data& t) { return t.id == 7; });
        };
        EXPECT_TRUE(has_seven(apply_to(cut, row)));
        EXPECT_EQ(has_seven(apply_to(peers_cut, row)), k == 128);
    }
    in_both_modes([&](auto make) { EXPECT_EQ(make(greedy{}).peek(row), 7); });
}

TEST(PeerDefects, NoCandidatesAreNoAbort) {
    // The peer aborts in all but the first two, and its greedy selects index 0.
    in_both_modes([](auto make) {
        const auto expect_none = [](auto c) {
            candidates none{nullptr, 0, -1, false};
            EXPECT_EQ(c.apply(none).code(), status_code::no_legal_token);
            EXPECT_EQ(none.selected, -1);
            EXPECT_EQ(none.size, 0u);
            EXPECT_EQ(c.peek({}), null_token);
            EXPECT_EQ(c.last_status().code(), status_code::empty_row);
        };
        expect_none(make(greedy{}));
        expect_none(make(dist{}));
        expect_none(make(top_p{.p = 0.5f}, dist{}));
        expect_none(make(typical{.p = 0.5f}, dist{}));
        expect_none(make(xtc{.probability = 1.0f}, dist{}));
        expect_none(make(mirostat{.n_vocab = 10}));
        expect_none(make(mirostat_v2{}));
        expect_none(make(adaptive_p{.target = 0.5f}));
        const vocabulary none_known;
        expect_none(make(infill{.vocab = &none_known}, dist{}));
    });
}

TEST(PeerDefects, DynamicTemperatureOfTinyEntropy) {
    // The temperature comes out as a denormal, logits as infinities, and every p as NaN.
    const std::vector<float> row{50.0f, -50.0f};
    const dynamic_temperature spec{.t = 0.5f, .range = 0.5f, .exponent = 1.0f};
    EXPECT_EQ(chain(spec, dist{}).peek(row), 0);
    auto as_peer = chain<llama_exact>(spec, dist{});
    EXPECT_EQ(as_peer.peek(row), null_token);  // the peer chooses the last, which is -inf
    EXPECT_EQ(as_peer.last_status().code(), status_code::no_legal_token);
    auto stage = chain<llama_exact>(spec);
    for (const auto& token : apply_to(stage, row).tokens) EXPECT_NE(token.p, token.p);
}

TEST(PeerDefects, XtcThatMayNotDropAllDropsNone) {
    // Both: not fewer are dropped where min_keep forbids all, but none.
    const std::vector<float> row{1.0f, 1.0f, 1.0f, 1.0f, -4.0f};
    in_both_modes([&](auto make) {
        auto enough = make(xtc{.probability = 1.0f, .threshold = 0.1f, .min_keep = 2, .seed = 1});
        auto too_many = make(xtc{.probability = 1.0f, .threshold = 0.1f, .min_keep = 3, .seed = 1});
        EXPECT_EQ(apply_to(enough, row).tokens.size(), 2u);
        EXPECT_EQ(apply_to(too_many, row).tokens.size(), 5u);
    });
}

TEST(PeerDefects, XtcMovesTheBeginningOfTheCandidates) {
    // So whoever holds the beginning of the array holds what was dropped.
    const xtc spec{.probability = 1.0f, .threshold = 0.1f, .seed = 1};
    const auto beginning_moves = [](auto c) {
        auto tokens = in_order({1.0f, 1.0f, 1.0f, -9.0f});
        candidates of{tokens.data(), tokens.size(), -1, false};
        EXPECT_TRUE(c.apply(of).ok());
        EXPECT_EQ(of.size, 2u);
        return of.data != tokens.data();
    };
    EXPECT_FALSE(beginning_moves(chain(spec)));
    EXPECT_TRUE(beginning_moves(chain<llama_exact>(spec)));
}
TEST(PeerDefects, MinKeepKeepsMaskedTokens) {
    const std::vector<float> row{9.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    const auto stages = [](auto p) {
        return chain<decltype(p)>(top_n_sigma{.n = 1.0f}, top_p{.p = 0.5f, .min_keep = 5});
    };
    auto sane = stages(reproducible{});
    auto as_peer = stages(llama_exact{});
    EXPECT_EQ(apply_to(sane, row).tokens.size(), 1u);
    const left peers = apply_to(as_peer, row);
    EXPECT_EQ(peers.tokens.size(), 5u);
    EXPECT_EQ(peers.illegal(), 4u);
}

TEST(PeerDefects, BiasesOfOneTokenAddUpWhereItStandsAtItsIndexOnly) {
    const logit_bias twice{.biases = {{1, 2.0f}, {1, 4.0f}}};
    const std::vector<token_data> ordered{{0, 0.0f, 0.0f}, {1, 0.0f, 0.0f}}, shuffled{{1, 0.0f, 0.0f}, {0, 0.0f, 0.0f}};
    const auto logit_of_one = [](const left& l) {
        for (const auto& token : l.tokens)
            if (token.id == 1) return token.logit;
        return not_a_number;
    };
    auto sane = chain(twice);
    auto as_peer = chain<llama_exact>(twice);
    EXPECT_EQ(logit_of_one(apply_to(sane, ordered)), 6.0f);
    EXPECT_EQ(logit_of_one(apply_to(sane, shuffled)), 6.0f);
    EXPECT_EQ(logit_of_one(apply_to(as_peer, ordered)), 6.0f);
    EXPECT_EQ(logit_of_one(apply_to(as_peer, shuffled)), 2.0f);
    auto row_of_one = chain<llama_exact>(twice, greedy{});
    EXPECT_EQ(row_of_one.peek(std::vector<float>{5.0f, 0.0f}), 1);
    auto behind = chain<llama_exact>(top_k{.k = 2}, twice, greedy{});  // 5 and 0 + 2: only the first, behind top_k
    EXPECT_EQ(behind.peek(std::vector<float>{0.0f, 5.0f}), 1);
    EXPECT_EQ(behind.peek(std::vector<float>{0.0f, -3.0f, 5.0f}), 2);
}

vocabulary words(std::initializer_list<std::string> pieces) {
    vocabulary v;
    for (const auto& piece : pieces) v.add(piece);
    return v;
}
TEST(PeerDefects, InfillMergesWhatDistDoesNotSee) {
    const vocabulary v = words({"a", "ab", "b"});
    const std::vector<float> row{std::log(0.4f), std::log(0.2f), std::log(0.4f)};  // a and ab together 0.6
    auto sane = chain(infill{.vocab = &v}, dist{});
    auto as_peer = chain<llama_exact>(infill{.vocab = &v}, dist{});
    const auto share_of_a = [&](auto& c) {
        for (const auto& token : c.distribution(row))
            if (token.id == 0) return double(token.p);
        return 0.0;
    };
    EXPECT_NEAR(share_of_a(sane), 0.6, 1e-4);
    EXPECT_NEAR(share_of_a(as_peer), 0.5, 1e-4);
}
TEST(PeerDefects, InfillTakesPiecesOfAnyLength) {
    // The peer resizes a string to a negative length beyond 512 bytes.
    const vocabulary v = words({std::string(2000, 'x'), std::string(2001, 'x'), "y"});
    in_both_modes([&](auto make) {
        auto c = make(infill{.vocab = &v}, dist{.seed = 1});
        const token_id token = c.peek(std::vector<float>{2.0f, 1.0f, 1.0f});
        EXPECT_NE(token, null_token);
        EXPECT_NE(token, 1);  // is merged into the first
    });
}
TEST(PeerDefects, InfillEndsTheTurnWithATokenThatWasNoCandidate) {
    vocabulary v;
    for (int i = 0; i < 8; ++i) v.add(std::string(1, char('a' + i)));
    v.end_of_turn = v.add("<end>", token_role::end_of_generation | token_role::control);
    std::vector<float> row(9, 0.0f);
    row[3] = 0.1f;
    row[8] = -infinity;  // masked
    EXPECT_EQ(chain(infill{.vocab = &v}, dist{}).peek(row), 3);
    EXPECT_EQ(chain<llama_exact>(infill{.vocab = &v}, dist{}).peek(row), 8);
}

TEST(PeerDefects, MinPOfOneKeepsTheGreatest) {
    // The peer's GPU form masks every token.
    const std::vector<float> row{1.0f, 3.0f, 2.0f, 3.0f};
    in_both_modes([&](auto make) {
        auto cut = make(min_p{.p = 1.0f});
        EXPECT_EQ(apply_to(cut, row).sorted_ids(), (tokens_of{1, 3}));
        EXPECT_EQ(make(min_p{.p = 1.0f}, greedy{}).peek(row), 1);
        EXPECT_NE(make(min_p{.p = 1.0f}, dist{}).peek(row), null_token);
        auto over = make(min_p{.p = 1.5f});
        EXPECT_EQ(apply_to(over, row).tokens.size(), 1u);
    });
}

TEST(PeerDefects, ATemperatureOfNothingStillDraws) {
    // dist runs behind temperature 0, so xtc and dist move on all the same.
    const std::vector<float> row{1.0f, 3.0f, 2.0f}, equal(256, 0.0f);
    auto c = chain<llama_exact>(temperature{.t = 0.0f}, dist{.seed = 0});
    EXPECT_EQ(c.sample(row), 1);
    get<temperature>(c).t = 1.0f;
    EXPECT_EQ(c.sample(equal), 216);  // the second of the stream
}

}  // namespace
}  // namespace riffle_tests::exact_peer_defects
