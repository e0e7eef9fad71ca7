// The assembler on its own: the order of a module, each type and constant once, constants computed among themselves,
// and what it says to a value that is used out of its function.

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/spirv/control.hpp>
#include <riffle/gpu/spirv/words_of.hpp>
#include <riffle/riffle.hpp>

namespace riffle_tests::spirv_assembler {
namespace {

using namespace riffle::gpu::spirv;

struct instruction {
    op code;
    std::vector<std::uint32_t> operands;
};

template <class Words>
std::vector<instruction> instructions_of(const Words& words) {
    std::vector<instruction> all;
    for (std::size_t i = 5; i < words.size();) {
        const std::size_t length = words[i] >> 16;
        all.push_back({op(words[i] & 0xffff), {words.begin() + long(i) + 1, words.begin() + long(i + length)}});
        i += length;
    }
    return all;
}
std::size_t count(const std::vector<instruction>& all, op code) {
    return std::size_t(std::count_if(all.begin(), all.end(), [=](const auto& i) { return i.code == code; }));
}
std::vector<std::uint32_t> finished(assembler& code) {
    code.finish();
    EXPECT_TRUE(code.complete());
    std::vector<std::uint32_t> words(code.size());
    code.write(words.data());
    return words;
}

/// out[i] = a function of in[i].
struct small_shader {
    static constexpr void build(assembler& code) {
        buffer<u32, access::read> in(code, 0);
        buffer<u32> out(code, 1);
        const u32 size = push_constant<u32>(code);
        const integer_function<1> cube(code, [](const u32& x) { return x * x * x; });
        for_(code, invocation_index(code), size, group_size(code), [&](const u32& i) { out[i] = cube(in[i]) + 7u; });
    }
};

TEST(Assembler, WritesTheHeaderThatVulkanWants) {
    constexpr auto& words = words_of<small_shader>;
    static_assert(words[0] == magic_number && words[1] == version && words[4] == 0);
    std::uint32_t greatest = 0;
    for (const auto& i : instructions_of(words))
        if (i.code == op::Label) greatest = std::max(greatest, i.operands[0]);
    EXPECT_LT(greatest, words[3]);  // the bound
}

TEST(Assembler, InstructionsEndWithTheModule) {
    constexpr auto& words = words_of<small_shader>;
    std::size_t at = 5;
    while (at < words.size()) {
        ASSERT_GT(words[at] >> 16, 0u);
        at += words[at] >> 16;
    }
    EXPECT_EQ(at, words.size());
}

TEST(Assembler, KeepsTheOrderOfSections) {
    const auto section = [](op code) {
        switch (code) {
        case op::Capability: return 0;
        case op::Extension: return 1;
        case op::ExtInstImport: return 2;
        case op::MemoryModel: return 3;
        case op::EntryPoint: return 4;
        case op::ExecutionMode: return 5;
        case op::Decorate:
        case op::MemberDecorate: return 6;
        default: return code >= op::Function ? 8 : 7;
        }
    };
    int before = 0;
    bool in_functions = false;
    for (const auto& i : instructions_of(words_of<small_shader>)) {
        in_functions |= i.code == op::Function;
        const int now = in_functions ? 8 : section(i.code == op::Variable ? op::TypePointer : i.code);
        EXPECT_LE(before, now) << int(i.code);
        before = now;
    }
}

TEST(Assembler, RunsTheSameInAProgram) {
    assembler code;
    small_shader::build(code);
    const auto made = finished(code);
    // g++ may evaluate operands in another order then: as many words, of the same instructions.
    auto now = instructions_of(made), then = instructions_of(words_of<small_shader>);
    ASSERT_EQ(made.size(), words_of<small_shader>.size());
    const auto by_code = [](const instruction& a, const instruction& b) { return a.code < b.code; };
    std::sort(now.begin(), now.end(), by_code);
    std::sort(then.begin(), then.end(), by_code);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i].code, then[i].code);
}

TEST(Assembler, HasEachTypeAndConstantOnce) {
    assembler code;
    buffer<u32> out(code, 0);
    for (int i = 0; i < 5; ++i) out[u32(3u)] = u32(as_bits(f32(1.5f) * f32::from_bits(u32(out[u32(3u)]))));
    const auto all = instructions_of(finished(code));
    EXPECT_EQ(count(all, op::TypeFloat), 1u);
    EXPECT_EQ(count(all, op::TypeInt), 1u);
    std::vector<std::uint32_t> seen;
    for (const auto& i : all)
        if (i.code == op::Constant) seen.push_back(i.operands[2]);
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(Assembler, SaysWhatABufferIsUsedFor) {
    const auto with = [](buffer_use use, decoration what) {
        assembler code;
        const buffer<u32> one(code, 0, use);
        std::size_t found = 0;
        for (const auto& i : instructions_of(finished(code)))
            found += i.code == op::MemberDecorate && i.operands[2] == std::uint32_t(what);
        return found;
    };
    for (const buffer_use use : {buffer_use::read, buffer_use::write, buffer_use::exchange}) {
        EXPECT_EQ(with(use, decoration::NonWritable), use == buffer_use::read ? 1u : 0u);
        EXPECT_EQ(with(use, decoration::Coherent), use == buffer_use::exchange ? 1u : 0u);
    }
}

TEST(Assembler, ComputesConstantsAmongThemselves) {
    static_assert((u32(6u) * u32(7u)).bits() == 42);
    static_assert((u32(1u) - u32(2u)).bits() == 0xffffffffu);
    static_assert((f32(0.1f) + f32(0.2f)).value() == 0.1f + 0.2f);
    static_assert((f32(3.0f) > f32(2.0f)).bits() == 1);
    static_assert(select(boolean(false), u32(1u), u32(2u)).bits() == 2);
    static_assert(as_bits(f32(1.0f)).bits() == 0x3f800000u);
    static_assert(truncate(f32(-3.7f)).bits() == std::uint32_t(-3));
    static_assert(multiply_wide(u32(0xffffffffu), u32(0xffffffffu)).high.bits() == 0xfffffffeu);
    static_assert(add_with_carry(u32(0xffffffffu), u32(1u)).high.bits() == 1);
    assembler code;
    const u32 value(code, code.emit_scalar(op::IAdd, scalar::integer, u32(1u).id(code), u32(2u).id(code)));
    EXPECT_FALSE((value + u32(1u)).is_constant());
    EXPECT_EQ(count(instructions_of(finished(code)), op::IAdd), 2u);
}

TEST(Assembler, TakesTheBranchThatIsKnown) {
    assembler code;
    buffer<u32> out(code, 0);
    if_(
        code, boolean(false), [&] { out[u32(0u)] = 1u; }, [&] { out[u32(1u)] = 2u; });
    const auto all = instructions_of(finished(code));
    EXPECT_EQ(count(all, op::BranchConditional), 0u);
    EXPECT_EQ(count(all, op::Store), 1u);
}

TEST(Assembler, MarksArithmeticThatMayNotBeContracted) {
    for (const bool precise : {true, false}) {
        assembler code(module_options{.precise = precise});
        buffer<u32> out(code, 0);
        const f32 x = f32::from_bits(u32(out[u32(0u)]));
        out[u32(1u)] = u32(as_bits(x * x + x - f32(1.0f)));
        const auto all = instructions_of(finished(code));
        const auto marked = std::count_if(all.begin(), all.end(), [](const instruction& i) {
            return i.code == op::Decorate && i.operands[1] == std::uint32_t(decoration::NoContraction);
        });
        EXPECT_EQ(marked, precise ? 3 : 0);
    }
}

TEST(Assembler, DemandsWhatItWasAskedFor) {
    assembler code(module_options{.round_to_nearest = true, .keep_infinities = true});
    const auto all = instructions_of(finished(code));
    EXPECT_EQ(count(all, op::Extension), 1u);
    EXPECT_EQ(count(all, op::ExecutionMode), 3u);
    EXPECT_EQ(count(all, op::Capability), 3u);
}

TEST(Assembler, KnowsAValueOfAnotherFunction) {
    assembler code;
    buffer<u32> out(code, 0);
    const u32 outside = out[u32(0u)];
    const integer_function<1> wrong(code, [&](const u32& x) { return x + outside; });
    out[u32(1u)] = wrong(outside);
    code.finish();
    EXPECT_FALSE(code.complete());
}

TEST(Assembler, CopiesElementsAndVariablesByTheirValues) {
    assembler code;
    buffer<u32> out(code, 0);
    shared<u32> array(code);
    variable<u32> a(code, u32(1u)), b(code, u32(2u));
    out[u32(0u)] = out[u32(1u)];
    array[u32(0u)] = array[u32(1u)];
    a = b;
    const auto all = instructions_of(finished(code));
    EXPECT_EQ(count(all, op::Load), 3u);
    EXPECT_EQ(count(all, op::Store), 5u);
}

TEST(Assembler, PushConstantsLieOneAfterTheOther) {
    assembler code;
    buffer<u32> out(code, 0);
    const u32 first = push_constant<u32>(code);
    const f32 second = push_constant<f32>(code);
    out[first] = u32(as_bits(second));
    std::vector<std::uint32_t> offsets;
    for (const auto& i : instructions_of(finished(code)))
        if (i.code == op::MemberDecorate && i.operands[2] == std::uint32_t(decoration::Offset))
            offsets.push_back(i.operands[3]);
    EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 0, 4}));  // of the buffer, and two
}

}  // namespace
}  // namespace riffle_tests::spirv_assembler
