// What no driver here would show: races between the invocations of a work group, barriers that not all of them come to,
// and values that SPIR-V leaves open. Kernels of random chains run in an interpreter that looks for them, as do small
// shaders that have just these faults.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/host/requests.hpp>
#include <riffle/gpu/spirv/control.hpp>

#include "chain/random_stages.hpp"
#include "chain/run_time.hpp"
#include "long_run.hpp"
#include "reference/rows.hpp"
#include "spirv/interpreter.hpp"
#include "spirv/kernel_run.hpp"

namespace riffle_tests::spirv_races {
namespace {

using namespace riffle;
using gpu::spirv::assembler;
using gpu::spirv::boolean;
using gpu::spirv::buffer;
using gpu::spirv::buffer_use;
using gpu::spirv::shared;
using gpu::spirv::u32;

std::vector<std::uint32_t> words_of(assembler& code) {
    code.finish();
    std::vector<std::uint32_t> words(code.size());
    code.write(words.data());
    return words;
}
// ---- shaders with a fault

/// `write(code, numbers, out)`, where numbers are shared by 64 invocations and out is a buffer of as many words.
template <class Write>
std::string faults_of(Write write) {
    assembler code;
    const shared<u32> numbers(code, 64);
    const buffer<u32> out(code, 0, buffer_use::exchange);
    write(code, numbers, out);
    const auto words = words_of(code);
    std::vector<std::uint32_t> buffer_words(64);
    std::string all;
    for (const bool backwards : {false, true})
        all += text_of(observe({.words = words, .buffers = {buffer_words}, .backwards = backwards}));
    return all;
}
bool tells(const std::string& faults, const char* of) { return faults.find(of) != std::string::npos; }

TEST(Interpreter, FindsNothingWhereBarriersAre) {
    const auto faults = faults_of([](assembler& code, const shared<u32>& numbers, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        numbers[lane] = lane;
        gpu::spirv::barrier(code);
        const u32 other = numbers[63u - lane];
        out[lane] = other;
        gpu::spirv::buffer_barrier(code);
        const u32 next = out[(lane + 1u) & 63u];
        gpu::spirv::barrier(code);
        numbers[lane] = next;
    });
    EXPECT_EQ(faults, "");
}
TEST(Interpreter, ComputesWhatTheShaderSays) {
    assembler code;
    const buffer<u32> out(code, 0);
    const shared<u32> sum(code, 1);
    const u32 lane = gpu::spirv::invocation_index(code);
    gpu::spirv::if_(code, lane == 0u, [&] { sum[u32(0u)] = 0u; });
    gpu::spirv::barrier(code);
    gpu::spirv::for_(code, u32(0u), lane, u32(1u), [&](const u32&) { sum[u32(0u)].add(1u); });
    gpu::spirv::barrier(code);
    const u32 all = sum[u32(0u)];
    out[lane] = all * 2u + lane;
    const auto words = words_of(code);
    std::vector<std::uint32_t> found(64);
    const observation seen = observe({.words = words, .buffers = {found}});
    EXPECT_EQ(text_of(seen), "");
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(found[i], 63u * 64u + i);
    EXPECT_EQ(seen.loop_turns, 63u);
}
TEST(Interpreter, FindsRaces) {
    const auto read_too_early = faults_of([](assembler& code, const shared<u32>& numbers, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        numbers[lane] = lane;
        const u32 other = numbers[63u - lane];
        out[lane] = other;
    });
    EXPECT_TRUE(tells(read_too_early, "race: a read of what another has written")) << read_too_early;
    EXPECT_TRUE(tells(read_too_early, "race: a write to what another has read")) << read_too_early;
    const auto two_write = faults_of([](assembler& code, const shared<u32>&, const buffer<u32>& out) {
        out[u32(0u)] = gpu::spirv::invocation_index(code);
    });
    EXPECT_TRUE(tells(two_write, "race: two that write")) << two_write;
    const auto read_while_they_add = faults_of([](assembler& code, const shared<u32>& numbers, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        numbers[lane] = 0u;
        gpu::spirv::barrier(code);
        numbers[u32(5u)].add(1u);
        const u32 sum = numbers[u32(5u)];
        out[lane] = sum;
    });
    EXPECT_TRUE(tells(read_while_they_add, "race: a read of what others change")) << read_while_they_add;
    // A barrier for shared memory is none for buffers.
    const auto wrong_barrier = faults_of([](assembler& code, const shared<u32>&, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        out[lane] = lane;
        gpu::spirv::barrier(code);
        const u32 other = out[63u - lane];
        gpu::spirv::buffer_barrier(code);
        out[lane] = other;
    });
    EXPECT_TRUE(tells(wrong_barrier, "race: a read of what another has written")) << wrong_barrier;
}
TEST(Interpreter, FindsBarriersThatNotAllComeTo) {
    const auto faults = faults_of([](assembler& code, const shared<u32>&, const buffer<u32>&) {
        const u32 lane = gpu::spirv::invocation_index(code);
        gpu::spirv::if_(code, lane < 32u, [&] { gpu::spirv::barrier(code); });
    });
    EXPECT_TRUE(tells(faults, "a barrier that not all invocations come to")) << faults;
}
TEST(Interpreter, FindsWhatIsLeftOpen) {
    const auto unwritten = faults_of([](assembler& code, const shared<u32>& numbers, const buffer<u32>& out) {
        const u32 number = numbers[gpu::spirv::invocation_index(code)];
        gpu::spirv::if_(code, number != 0u, [&] { out[gpu::spirv::invocation_index(code)] = 1u; });
    });
    EXPECT_TRUE(tells(unwritten, "a word that was never written")) << unwritten;
    EXPECT_TRUE(tells(unwritten, "a branch on a value that nothing says")) << unwritten;
    const auto shift = faults_of([](assembler& code, const shared<u32>&, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        out[lane] = 1u << lane;
    });
    EXPECT_TRUE(tells(shift, "a shift by more bits than there are")) << shift;
    const auto outside = faults_of([](assembler& code, const shared<u32>& numbers, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        numbers[lane + 1u] = 0u;
        out[lane + 1u] = 0u;
    });
    EXPECT_TRUE(tells(outside, "an address out of bounds")) << outside;
    const auto division = faults_of([](assembler& code, const shared<u32>&, const buffer<u32>& out) {
        const u32 lane = gpu::spirv::invocation_index(code);
        out[lane] = 5u / lane;
    });
    EXPECT_TRUE(tells(division, "a division by nothing")) << division;
}

// ---- kernels

dynamic_chain random_chain(random_integers& random) {
    dynamic_chain chain;
    const auto push = [&](const auto& stage) { std::visit([&](const auto& s) { (void)chain.push(s); }, stage); };
    for (std::size_t i = 1 + random.below(7); i > 0; --i) push(random_stage(random));
    push(random_selector(random));
    (void)chain.prompt(short_prompt);
    return chain;
}

void expect_no_faults(std::uint64_t seed, std::size_t count, bool is_exact) {
    constexpr std::array<std::size_t, 9> sizes{1, 2, 31, 63, 64, 65, 129, 300, 1000};
    random_integers random(seed);
    for (std::size_t n = 0; n < count;) {
        dynamic_chain chain = random_chain(random);
        const bool is_portable = random.below(4) == 0;
        kernel_run kernel(chain, {.module = {.precise = is_exact, .subgroups = !is_exact, .portable = is_portable}});
        if (!kernel.on().plan.is_useful()) continue;
        for (int rows = 0; rows < 3; ++rows, ++n) {
            const shape s = all_shapes[random.below(all_shapes.size())];
            const auto row = make_row(s, sizes[random.below(sizes.size())], random.next());
            const std::uint32_t other_size = 64u << random.below(2);
            const std::uint32_t group_size = is_portable ? gpu::spirv::portable_group_size : other_size;
            const auto wants = gpu::wanted(random.below(3));
            const auto first = std::uint32_t(random.below(8));
            const kernel_run::way how{.group_size = group_size, .wants = wants, .first = first};
            ASSERT_EQ(kernel.faults(row, is_exact, how), "")
                << name_of(s) << " " << row.size() << ", chain " << n << ", group of " << group_size << ":"
                << names_of(chain) << ", behind " << first << " words";
        }
    }
}
TEST(Races, RandomChainsHaveNone) {
    expect_no_faults(1, how_many(150, 5000, "kernels of random chains, interpreted"), true);
}
TEST(Races, NorWhereTheDeviceMayContract) { expect_no_faults(2, how_many(60, 2000, "the same under fast"), false); }

/// A token that a stage has chosen, and that a later one bans, is not told.
TEST(Races, WhereNothingIsLegalNoTokenIsTold) {
    dynamic_chain chain;
    (void)chain.push(temperature{0.0f});
    (void)chain.push(mask{std::vector<std::uint32_t>(30, 0xfffffffeu)});
    (void)chain.push(epsilon_cutoff{0.001f});
    (void)chain.push(dist{.seed = 3});
    kernel_run kernel(chain, {});
    EXPECT_EQ(kernel.faults(std::vector<float>(777, 1.0f), true, {}), "");
}

/// A chain that has a kernel's every pass, and those of them that it takes at random.
dynamic_chain chain_of_all_passes(random_integers& random) {
    const auto one_of = [&](auto... values) {
        const std::array all{values...};
        return all[random.below(all.size())];
    };
    dynamic_chain chain;
    (void)chain.push(penalties{.repeat = 1.3f});
    (void)chain.push(top_n_sigma{.n = one_of(0.0f, 1.0f, 3.0f)});
    (void)chain.push(typical{.p = one_of(1.0f, 0.9f, 0.99f)});
    (void)chain.push(top_k{.k = one_of(0, 3, 60, 200, 900)});
    (void)chain.push(top_p{.p = one_of(1.0f, 0.9f, 0.99f)});
    (void)chain.push(xtc{.probability = one_of(0.0f, 1.0f), .threshold = 0.01f});
    (void)chain.push(dist{.seed = random.next()});
    (void)chain.prompt(short_prompt);
    return chain;
}
/// Without any one of its barriers a kernel has races, and they do not go unnoticed. (But for three: the one ahead of
/// edits, which end with another, and two of a bound by rank, for which no stage of this chain asks.)
TEST(Races, AMissingBarrierIsNoticed) {
    random_integers random(3);
    dynamic_chain chain = chain_of_all_passes(random);
    kernel_run kernel(chain, {});
    ASSERT_TRUE(kernel.on().plan.chooses_token());
    const std::vector<std::uint32_t> words(kernel.on().words().begin(), kernel.on().words().end());
    std::size_t barriers = 0, unnoticed = 0;
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
        if ((words[at] & 0xffff) != std::uint32_t(gpu::spirv::op::ControlBarrier)) continue;
        ++barriers;
        auto without = words;
        constexpr std::uint32_t nothing = 0x10000;  // OpNop
        std::fill_n(without.begin() + long(at), 4, nothing);
        kernel.use(without);
        bool has_races = false;
        for (int tries = 0; tries < 25 && !has_races; ++tries) {
            chain = chain_of_all_passes(random);
            const shape s = all_shapes[random.below(all_shapes.size())];
            const auto row = make_row(s, 300 + random.below(500), random.next());
            has_races = tells(kernel.faults(row, true, {}), "race: ");
        }
        unnoticed += !has_races;
    }
    EXPECT_EQ(barriers, 25u);
    EXPECT_LE(unnoticed, 3u);
}

}  // namespace
}  // namespace riffle_tests::spirv_races
