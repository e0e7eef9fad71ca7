// candidates' verbs against plain references: sort everything, then walk.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/core/candidates.hpp>

#include "integers.hpp"

namespace riffle_tests::core_candidates {
namespace {

using namespace riffle;
using list = std::vector<token_data>;

constexpr float inf = std::numeric_limits<float>::infinity();

bool before(const token_data& a, const token_data& b) { return a.logit != b.logit ? a.logit > b.logit : a.id < b.id; }

list in_order(list all) {
    std::erase_if(all, [](const token_data& c) { return c.logit == -inf; });
    std::sort(all.begin(), all.end(), before);
    return all;
}
std::uint64_t mass_of(const list& all, float maximum) {
    std::uint64_t total = 0;
    for (const auto& c : all) total += fixed_mass_of(c.logit - maximum);
    return total;
}

std::vector<std::pair<token_id, float>> contents(const list& all) {
    std::vector<std::pair<token_id, float>> r;
    for (const auto& c : all) r.emplace_back(c.id, c.logit);
    return r;
}
/// The same candidates in any order.
void expect_same(const candidates& found, list expected) {
    list sorted(found.begin(), found.end());
    EXPECT_TRUE(!found.sorted || std::is_sorted(sorted.begin(), sorted.end(), before));
    std::sort(sorted.begin(), sorted.end(), before);
    std::sort(expected.begin(), expected.end(), before);
    EXPECT_EQ(contents(sorted), contents(expected));
    EXPECT_EQ(found.selected, -1);
}

struct sample {
    std::string name;
    list all;
    bool sorted;
};
/// Random, tied, equal, partly illegal, with duplicate ids; shuffled and sorted.
std::vector<sample> samples() {
    std::vector<sample> r;
    integers random(11);
    for (const std::size_t size : {0u, 1u, 2u, 5u, 31u, 33u, 64u, 100u, 1000u}) {
        for (const char* family : {"random", "tied", "equal", "illegal", "all illegal", "duplicate ids", "far apart"}) {
            const std::string name = family;
            list all(size);
            for (std::size_t i = 0; i < size; ++i) {
                float logit = random.real(-12, 12);
                if (name == "tied") logit = float(random.between(-2, 2));
                if (name == "equal") logit = 1.5f;
                if (name == "illegal" && random.below(3) == 0) logit = -inf;
                if (name == "all illegal") logit = -inf;
                if (name == "far apart") logit = random.real(-40, 40) * 1e6f;
                const auto id =
                    name == "duplicate ids" ? random.below(std::uint32_t(size / 3 + 1)) : std::uint32_t(i) * 37;
                all[i] = {token_id(id), logit, 0.0f};
            }
            for (std::size_t i = size; i > 1; --i) std::swap(all[i - 1], all[random.below(std::uint32_t(i))]);
            const std::string title = name + " " + std::to_string(size);
            r.push_back({title, all, false});
            std::sort(all.begin(), all.end(), before);
            r.push_back({title + " sorted", all, true});
        }
    }
    return r;
}

/// Calls f with a fresh copy of every sample, as candidates with something selected.
template <class F>
void each_sample(F f) {
    for (const auto& s : samples()) {
        SCOPED_TRACE(s.name);
        f(s);
    }
}
candidates view(list& all, bool sorted) { return {all.data(), all.size(), all.empty() ? -1 : 0, sorted}; }

TEST(Candidates, GreatestIsTheFirstInRank) {
    each_sample([](const sample& s) {
        list all = s.all;
        const candidates c = view(all, s.sorted);
        const list order = in_order(all);
        const std::size_t best = c.greatest();
        if (order.empty()) {
            EXPECT_EQ(best, all.size());
        } else {
            ASSERT_LT(best, all.size());
            EXPECT_EQ(all[best].id, order[0].id);
            EXPECT_EQ(all[best].logit, order[0].logit);
        }
    });
}

TEST(Candidates, SortPutsThemInRank) {
    each_sample([](const sample& s) {
        list all = s.all, expected = s.all;
        candidates c = view(all, s.sorted);
        c.sort();
        std::sort(expected.begin(), expected.end(), before);
        EXPECT_TRUE(c.sorted);
        EXPECT_EQ(contents(all), contents(expected));
    });
}

TEST(Candidates, MassIsTheSumOfWeights) {
    each_sample([](const sample& s) {
        list all = s.all;
        if (in_order(all).empty()) return;
        const float maximum = in_order(all)[0].logit;
        EXPECT_EQ(view(all, s.sorted).mass(maximum), mass_of(all, maximum));
    });
}

TEST(Candidates, KeepIfAndKeepLegalKeepTheOrder) {
    each_sample([](const sample& s) {
        list all = s.all, expected = s.all;
        candidates c = view(all, s.sorted);
        c.keep_if([](const token_data& x) { return x.id % 2 == 0; });
        std::erase_if(expected, [](const token_data& x) { return x.id % 2 != 0; });
        EXPECT_EQ(contents({c.begin(), c.end()}), contents(expected));
        EXPECT_EQ(c.selected, -1);
        c.keep_legal();
        std::erase_if(expected, [](const token_data& x) { return x.logit == -inf; });
        EXPECT_EQ(contents({c.begin(), c.end()}), contents(expected));
    });
}

TEST(Candidates, KeepGreatest) {
    each_sample([](const sample& s) {
        for (const std::size_t k : {0u, 1u, 2u, 7u, 40u, 999u, 5000u}) {
            list all = s.all, expected = in_order(all);
            expected.resize(std::min(k, expected.size()));
            candidates c = view(all, s.sorted);
            c.keep_greatest(k);
            expect_same(c, expected);
        }
    });
}

TEST(Candidates, KeepGreatestOfManyInAnyOrder) {
    integers random(12);
    for (const std::string name : {"random", "tied", "equal", "illegal", "all illegal", "ascending", "descending"}) {
        list all(30000);
        for (std::size_t i = 0; i < all.size(); ++i) {
            float logit = random.real(-12, 12);
            if (name == "tied") logit = float(random.between(-2, 2));
            if (name == "equal") logit = 1.5f;
            if (name == "illegal" && random.below(3) != 0) logit = -inf;
            if (name == "all illegal") logit = -inf;
            if (name == "ascending") logit = float(i) * 0x1p-10f;
            if (name == "descending") logit = -float(i) * 0x1p-10f;
            all[i] = {token_id(i), logit, 0.0f};
        }
        for (const bool backwards : {false, true}) {
            SCOPED_TRACE(name + (backwards ? ", highest ids first" : ""));
            if (backwards) std::reverse(all.begin(), all.end());
            for (const std::size_t k : {1u, 40u, 1000u, 1618u, 1619u, 20000u}) {
                list mine = all, expected = in_order(all);
                expected.resize(std::min(k, expected.size()));
                candidates c = view(mine, false);
                c.keep_greatest(k);
                expect_same(c, expected);
            }
        }
    }
}

TEST(Candidates, KeepAbove) {
    each_sample([](const sample& s) {
        for (const float cut : {-inf, -3.0f, 0.0f, 1.5f, 2.0f, 1e30f})
            for (const std::size_t least : {0u, 1u, 3u, 50u}) {
                list all = s.all;
                const list order = in_order(all);
                std::size_t keep = 0;
                while (keep < order.size() && order[keep].logit >= cut) ++keep;
                keep = std::min(std::max(keep, least), order.size());
                candidates c = view(all, s.sorted);
                c.keep_above(cut, least);
                expect_same(c, {order.begin(), order.begin() + std::ptrdiff_t(keep)});
            }
    });
}

TEST(Candidates, KeepNucleus) {
    each_sample([](const sample& s) {
        const list order = in_order(s.all);
        const float maximum = order.empty() ? 0.0f : order[0].logit;
        const std::uint64_t total = mass_of(order, maximum);
        const std::uint64_t targets[] = {0, 1, total / 10, total / 2, total - total / 20, total - 1, total, total + 1};
        for (const std::uint64_t target : targets)
            for (const std::size_t least : {0u, 1u, 3u, 50u}) {
                list all = s.all;
                std::size_t keep = 0;
                for (std::uint64_t sum = 0; keep < order.size() && sum <= target; ++keep)
                    sum += fixed_mass_of(order[keep].logit - maximum);
                keep = std::min(std::max(keep, least), order.size());
                candidates c = view(all, s.sorted);
                c.keep_nucleus(maximum, target, least);
                expect_same(c, {order.begin(), order.begin() + std::ptrdiff_t(keep)});
            }
    });
}

TEST(Candidates, SelectByMassWalksInAscendingId) {
    integers random(12);
    each_sample([&](const sample& s) {
        const list order = in_order(s.all);
        if (order.empty()) return;
        const float maximum = order[0].logit;
        const std::uint64_t total = mass_of(order, maximum);
        list by_id = s.all;  // among equal ids the earlier in the array comes first
        std::stable_sort(by_id.begin(), by_id.end(),
                         [](const token_data& a, const token_data& b) { return a.id < b.id; });
        for (int round = 0; round < 60; ++round) {
            const std::uint64_t target = round == 0 ? 0 : round == 1 ? total - 1 : multiply_high(random.next(), total);
            std::uint64_t sum = 0;
            std::size_t expected = 0;
            while ((sum += fixed_mass_of(by_id[expected].logit - maximum)) <= target) ++expected;
            list all = s.all;
            candidates c = view(all, s.sorted);
            c.select_by_mass(maximum, target);
            ASSERT_GE(c.selected, 0);
            EXPECT_EQ(c.size, all.size());
            EXPECT_EQ(c[std::size_t(c.selected)].id, by_id[expected].id);
            EXPECT_EQ(c[std::size_t(c.selected)].logit, by_id[expected].logit);
            EXPECT_EQ(contents(all), contents(s.all)) << "nothing may move";
        }
    });
}

TEST(Candidates, SelectByMassTakesIdsOfAnyLength) {
    constexpr token_id most = std::numeric_limits<token_id>::max();
    for (const token_id id : {0, 1, 63, 64, 4095, 4096, 1 << 24, most - 1}) {
        list all{{id, 0.0f, 0.0f}, {most, 0.0f, 0.0f}};
        candidates c = view(all, false);
        c.select_by_mass(0.0f, std::uint64_t{unit_mass} - 1);
        EXPECT_EQ(c.selected, 0);
        c.select_by_mass(0.0f, std::uint64_t{unit_mass});
        EXPECT_EQ(c.selected, 1);
    }
}

TEST(Candidates, SelectByMassChoosesNothingWhereNothingWeighs) {
    list all{{0, -inf, 0.0f}, {1, -inf, 0.0f}};
    candidates c = view(all, false);
    c.select_by_mass(0.0f, 0);
    EXPECT_EQ(c.selected, -1);
    candidates none;
    none.select_by_mass(0.0f, 0);
    EXPECT_EQ(none.selected, -1);
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace riffle_tests::core_candidates
