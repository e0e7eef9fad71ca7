// Vectors of four words, and what else kernels are made of beyond single words: run by the interpreter, held to C++.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/spirv/control.hpp>
#include <riffle/gpu/spirv/vectors.hpp>
#include <riffle/gpu/spirv/wide_integers.hpp>

#include "reference/rows.hpp"
#include "spirv/interpreter.hpp"

namespace riffle_tests::spirv_vectors {
namespace {

using namespace riffle::gpu::spirv;

constexpr std::uint32_t lanes = 64;

/// `write(code, lane)` stores `many` words a lane in binding 1; binding 0 holds `in`.
template <class Write>
std::vector<std::uint32_t> run(std::vector<std::uint32_t> in, std::uint32_t many, Write write) {
    assembler code;
    const buffer<u32, access::read> words(code, 0);
    const buffer<u32x4, access::read> vectors(code, 0);
    const buffer<u32> out(code, 1);
    write(code, words, vectors, out, invocation_index(code));
    code.finish();
    std::vector<std::uint32_t> module(code.size()), found(many * lanes);
    code.write(module.data());
    const observation seen = observe({.words = module, .buffers = {in, found}});
    EXPECT_EQ(seen.faults, std::vector<std::string>());
    return found;
}
std::vector<std::uint32_t> random_words(std::size_t count) {
    riffle_tests::random_integers random(7);
    std::vector<std::uint32_t> all(count);
    for (std::uint32_t& word : all) word = std::uint32_t(random.next() >> (random.below(2) * 31));
    return all;
}

TEST(Vectors, AreFourWordsOfABuffer) {
    const auto in = random_words(8 * lanes);
    const auto found = run(in, 4, [](assembler&, const auto&, const auto& vectors, const auto& out, const u32& lane) {
        const u32x4 v = vectors[lane * 2u + 1u];
        for (std::uint32_t i = 0; i < 4; ++i) {
            const u32 component = v[i];
            out[lane * 4u + i] = component;
        }
    });
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(found[4 * lane + i], in[8 * lane + 4 + i]);
}

TEST(Vectors, HaveOperatorsThatTakeOneComponentAfterTheOther) {
    const auto in = random_words(8 * lanes);
    const auto found =
        run(in, 16, [](assembler& code, const auto&, const auto& vectors, const auto& out, const u32& lane) {
            const u32x4 a = vectors[lane * 2u], b = vectors[lane * 2u + 1u];
            const u32x4 twice(code, a[0]), turned(code, a[3], a[2], a[1], a[0]);
            const std::array<u32x4, 4> all{a ^ b, greater_of(a, twice), lesser_of(a, b), greater_of_signed(turned, b)};
            for (std::uint32_t v = 0; v < 4; ++v)
                for (std::uint32_t i = 0; i < 4; ++i) {
                    const u32 component = all[v][i];
                    out[lane * 16u + (4 * v + i)] = component;
                }
        });
    const auto greater_signed = [](std::uint32_t x, std::uint32_t y) {
        return std::uint32_t(std::max(std::int32_t(x), std::int32_t(y)));
    };
    for (std::uint32_t lane = 0; lane < lanes; ++lane)
        for (std::uint32_t i = 0; i < 4; ++i) {
            const std::uint32_t* const a = &in[8 * lane];
            const std::uint32_t b = in[8 * lane + 4 + i];
            const std::array<std::uint32_t, 4> expected{a[i] ^ b, std::max(a[i], a[0]), std::min(a[i], b),
                                                        greater_signed(a[3 - i], b)};
            for (std::uint32_t v = 0; v < 4; ++v) EXPECT_EQ(found[16 * lane + 4 * v + i], expected[v]) << v;
        }
}

TEST(Vectors, KnowTheirGreatestAndLeast) {
    const auto in = random_words(4 * lanes);
    const auto found = run(in, 3, [](assembler&, const auto&, const auto& vectors, const auto& out, const u32& lane) {
        const u32x4 v = vectors[lane];
        const u32 greatest = greatest_in(v), least = least_in(v), as_signed = greatest_signed_in(v);
        out[lane * 3u] = greatest;
        out[lane * 3u + 1u] = least;
        out[lane * 3u + 2u] = as_signed;
    });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const auto first = in.begin() + 4 * lane, end = first + 4;
        EXPECT_EQ(found[3 * lane], *std::max_element(first, end));
        EXPECT_EQ(found[3 * lane + 1], *std::min_element(first, end));
        EXPECT_EQ(found[3 * lane + 2],
                  *std::max_element(first, end, [](auto a, auto b) { return std::int32_t(a) < std::int32_t(b); }));
    }
}

TEST(Vectors, AreKeptInVariables) {
    const auto in = random_words(8 * lanes);
    const auto found =
        run(in, 1, [](assembler& code, const auto&, const auto& vectors, const auto& out, const u32& lane) {
            variable<u32x4> kept(code, vectors[lane * 2u]);
            variable<u32> sum(code, u32(0u));
            for_(code, u32(0u), u32(2u), u32(1u), [&](const u32&) {
                const u32x4 now = kept;
                sum = sum * 3u + now[2];
                kept = vectors[lane * 2u + 1u];
            });
            out[lane] = sum.load();
        });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) EXPECT_EQ(found[lane], in[8 * lane + 2] * 3 + in[8 * lane + 6]);
}

TEST(SharedTwice, HasTwoArraysOfAsManyElementsAsInvocations) {
    const auto found = run({0}, 2, [](assembler& code, const auto&, const auto&, const auto& out, const u32& lane) {
        const shared_twice<u32> arrays(code);
        arrays(u32(0u), lane) = lane;
        arrays(u32(1u), lane) = lane + 1000u;
        barrier(code);
        const u32 other = 63u - lane;
        const u32 first = arrays(lane & 1u, other), second = arrays(u32(1u), other);
        out[lane * 2u] = first;
        out[lane * 2u + 1u] = second;
    });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        EXPECT_EQ(found[2 * lane], 63 - lane + 1000 * (lane & 1));
        EXPECT_EQ(found[2 * lane + 1], 63 - lane + 1000);
    }
}

TEST(PrivatePair, AddsWordsWithTheirCarries) {
    const auto in = random_words(16 * lanes);
    const auto found =
        run(in, 2, [](assembler& code, const auto& words, const auto&, const auto& out, const u32& lane) {
            private_pair sum(code, {0u, 0u});
            for_(code, lane * 16u, lane * 16u + 16u, u32(1u), [&](const u32& i) { sum.add(words[i].load()); });
            const word_pair all = sum;
            out[lane * 2u] = all.low;
            out[lane * 2u + 1u] = all.high;
        });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t sum = 0;
        for (std::uint32_t i = 0; i < 16; ++i) sum += in[16 * lane + i];
        EXPECT_EQ(found[2 * lane] | std::uint64_t{found[2 * lane + 1]} << 32, sum);
    }
}

TEST(Numbers, TheGreaterOfTwo) {
    const float some[] = {0.0f, 1.0f, -1.0f, 3.4e38f, -3.4e38f, 1e-30f};
    std::vector<std::uint32_t> in(2 * lanes);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::bit_cast<std::uint32_t>(some[(i * 5 + i / 6) % 6]);
    const auto found = run(in, 1, [](assembler&, const auto& words, const auto&, const auto& out, const u32& lane) {
        const f32 a = f32::from_bits(words[lane * 2u].load()), b = f32::from_bits(words[lane * 2u + 1u].load());
        out[lane] = u32(as_bits(greater_number_of(a, b)));
    });
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const auto number = [&](std::size_t i) { return std::bit_cast<float>(in[2 * lane + i]); };
        EXPECT_EQ(std::bit_cast<float>(found[lane]), std::max(number(0), number(1)));
    }
    static_assert(greater_number_of(f32(1.0f), f32(2.0f)).value() == 2.0f);
}

}  // namespace
}  // namespace riffle_tests::spirv_vectors
