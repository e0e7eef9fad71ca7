// The interpreter by itself, on modules put together word by word: vectors, arrays, phi and switches, several work
// groups, lockstep, and what it counts.

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "spirv/interpreter.hpp"
#include "spirv/raw_module.hpp"

namespace riffle_tests::spirv_interpreter_runs {
namespace {

using interpreting::code;
using interpreting::extended_code;
using interpreting::input;
using storage = interpreting::storage_class;
using word = std::uint32_t;
using words = std::vector<word>;

constexpr word acquire = 0x42, release = 0x44, both = 0x48;  // each of buffers

std::string text_of(const observation& seen) {
    std::string all;
    for (const std::string& fault : seen.faults) all += fault + "\n";
    return all;
}
bool tells(const std::string& faults, const char* of) { return faults.find(of) != std::string::npos; }
word bits(float x) { return std::bit_cast<word>(x); }
float real(word x) { return std::bit_cast<float>(x); }
std::int32_t whole(word x) { return std::bit_cast<std::int32_t>(x); }

observation run(const raw_module& module, words& buffer, word group_size = 1) {
    const words all = module.words();
    return observe({.words = all, .group_size = group_size, .buffers = {buffer}});
}

// ---- instructions

enum class kind { integer, real, boolean };

/// What an instruction makes of words of its operands, one component; the operands' type, and the result's.
struct instruction_case {
    code what;
    kind operands, result;
    word (*expected)(word x, word y);
    bool has_one_operand = false;
    extended_code extended{};
};
const instruction_case cases[] = {
    {code::IAdd, kind::integer, kind::integer, [](word x, word y) { return x + y; }},
    {code::ISub, kind::integer, kind::integer, [](word x, word y) { return x - y; }},
    {code::IMul, kind::integer, kind::integer, [](word x, word y) { return x * y; }},
    {code::SNegate, kind::integer, kind::integer, [](word x, word) { return ~x + 1; }, true},
    {code::Not, kind::integer, kind::integer, [](word x, word) { return x ^ 0xffffffff; }, true},
    {code::BitwiseAnd, kind::integer, kind::integer, [](word x, word y) { return x & y; }},
    {code::BitwiseOr, kind::integer, kind::integer, [](word x, word y) { return x | y; }},
    {code::BitwiseXor, kind::integer, kind::integer, [](word x, word y) { return x ^ y; }},
    {code::IEqual, kind::integer, kind::boolean, [](word x, word y) { return word(x == y); }},
    {code::INotEqual, kind::integer, kind::boolean, [](word x, word y) { return word(x != y); }},
    {code::ULessThan, kind::integer, kind::boolean, [](word x, word y) { return word(x < y); }},
    {code::UGreaterThanEqual, kind::integer, kind::boolean, [](word x, word y) { return word(x >= y); }},
    {code::SLessThan, kind::integer, kind::boolean, [](word x, word y) { return word(whole(x) < whole(y)); }},
    {code::SLessThanEqual, kind::integer, kind::boolean, [](word x, word y) { return word(whole(x) <= whole(y)); }},
    {code::SGreaterThan, kind::integer, kind::boolean, [](word x, word y) { return word(whole(x) > whole(y)); }},
    {code::SGreaterThanEqual, kind::integer, kind::boolean, [](word x, word y) { return word(whole(x) >= whole(y)); }},
    {code::BitCount, kind::integer, kind::integer,
     [](word x, word) {
         word count = 0;
         for (; x; x >>= 1) count += x & 1;
         return count;
     },
     true},
    {code::ConvertUToF, kind::integer, kind::real, [](word x, word) { return bits(float(x)); }, true},
    {code::ConvertSToF, kind::integer, kind::real, [](word x, word) { return bits(float(whole(x))); }, true},
    {code::FAdd, kind::real, kind::real, [](word x, word y) { return bits(real(x) + real(y)); }},
    {code::FSub, kind::real, kind::real, [](word x, word y) { return bits(real(x) - real(y)); }},
    {code::FMul, kind::real, kind::real, [](word x, word y) { return bits(real(x) * real(y)); }},
    {code::FDiv, kind::real, kind::real, [](word x, word y) { return bits(real(x) / real(y)); }},
    {code::FNegate, kind::real, kind::real, [](word x, word) { return x ^ 0x80000000u; }, true},
    {code::FOrdEqual, kind::real, kind::boolean, [](word x, word y) { return word(real(x) == real(y)); }},
    {code::FOrdNotEqual, kind::real, kind::boolean,
     [](word x, word y) { return word(!std::isunordered(real(x), real(y)) && real(x) != real(y)); }},
    {code::FUnordEqual, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isunordered(real(x), real(y)) || real(x) == real(y)); }},
    {code::FUnordNotEqual, kind::real, kind::boolean, [](word x, word y) { return word(real(x) != real(y)); }},
    {code::FOrdLessThan, kind::real, kind::boolean, [](word x, word y) { return word(std::isless(real(x), real(y))); }},
    {code::FUnordLessThan, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isunordered(real(x), real(y)) || real(x) < real(y)); }},
    {code::FUnordGreaterThan, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isunordered(real(x), real(y)) || real(x) > real(y)); }},
    {code::FUnordLessThanEqual, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isunordered(real(x), real(y)) || real(x) <= real(y)); }},
    {code::FUnordGreaterThanEqual, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isunordered(real(x), real(y)) || real(x) >= real(y)); }},
    {code::FOrdGreaterThanEqual, kind::real, kind::boolean,
     [](word x, word y) { return word(std::isgreaterequal(real(x), real(y))); }},
    {code::ExtInst, kind::integer, kind::integer, [](word x, word y) { return x < y ? x : y; }, false,
     extended_code::UMin},
    {code::ExtInst, kind::integer, kind::integer, [](word x, word y) { return x < y ? y : x; }, false,
     extended_code::UMax},
    {code::ExtInst, kind::real, kind::real, [](word x, word y) { return real(x) < real(y) ? y : x; }, false,
     extended_code::FMax},
    {code::ExtInst, kind::integer, kind::integer, [](word x, word y) { return whole(x) < whole(y) ? x : y; }, false,
     extended_code::SMin},
    {code::ExtInst, kind::integer, kind::integer, [](word x, word y) { return whole(x) < whole(y) ? y : x; }, false,
     extended_code::SMax},
    {code::ExtInst, kind::integer, kind::integer,
     [](word x, word) {
         for (word bit = 0; bit < 32; ++bit)
             if (x >> bit & 1) return bit;
         return ~0u;
     },
     true, extended_code::FindILsb},
    {code::ExtInst, kind::integer, kind::integer,
     [](word x, word) {
         for (word bit = 32; bit-- > 0;)
             if (x >> bit & 1) return bit;
         return ~0u;
     },
     true, extended_code::FindUMsb},
};

/// A vector of four of these is the first operand, one of the next four the second one.
constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
const words integers{0, 1, 0x80000000u, 0xffffffffu, 1, 1, 7, 0x7fffffffu};
const words reals{bits(1.5f), bits(-0.0f),    bits(nan),  bits(-3.25f),
                  bits(2.5f), bits(infinity), bits(0.5f), bits(-3.25f)};

TEST(Interpreter, RunsInstructionsComponentByComponent) {
    for (const instruction_case& c : cases) {
        raw_module m;
        const std::array scalars{m.integer, m.real, m.boolean};
        const word four_words = m.declare(code::TypeVector, m.integer, 4u);
        const auto of_four = [&](kind k) {
            return k == kind::integer ? four_words : m.declare(code::TypeVector, scalars[std::size_t(k)], 4u);
        };
        const word buffer = m.buffer(0, four_words, 16), operands = of_four(c.operands), result = of_four(c.result);
        const auto operand = [&](word index) {
            const word loaded = m.load(four_words, m.element(four_words, buffer, m.constant(index)));
            return c.operands == kind::integer ? loaded : m.give(code::Bitcast, operands, loaded);
        };
        const word x = operand(0), y = operand(1);
        word made = 0;
        if (c.what == code::ExtInst)
            made = c.has_one_operand ? m.give(c.what, result, 0u, word(c.extended), x)
                                     : m.give(c.what, result, 0u, word(c.extended), x, y);
        else made = c.has_one_operand ? m.give(c.what, result, x) : m.give(c.what, result, x, y);
        if (c.result == kind::boolean) {
            const word one = m.constant(1), zero = m.constant(0);
            made = m.give(code::Select, four_words, made,
                          m.constant_of(code::ConstantComposite, four_words, one, one, one, one),
                          m.constant_of(code::ConstantComposite, four_words, zero, zero, zero, zero));
        } else if (c.result == kind::real) {
            made = m.give(code::Bitcast, four_words, made);
        }
        m.store(m.element(four_words, buffer, m.constant(2)), made);
        words memory = c.operands == kind::real ? reals : integers;
        memory.resize(12);
        EXPECT_EQ(text_of(run(m, memory)), "") << word(c.what);
        for (std::size_t i = 0; i < 4; ++i) {
            const word expected = c.expected(memory[i], memory[4 + i]);
            const bool is_nan = c.result == kind::real && std::isnan(real(expected));
            EXPECT_TRUE(is_nan ? std::isnan(real(memory[8 + i])) : memory[8 + i] == expected)
                << word(c.what) << " " << word(c.extended) << ", component " << i << ": " << memory[8 + i];
        }
    }
}

/// A module of one invocation that stores the words of what `write` answers, ids of integers.
template <class Write>
words results_of(Write write, std::string& faults) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4);
    const std::vector<word> made = write(m);
    for (std::size_t i = 0; i < made.size(); ++i) m.store(m.element(m.integer, buffer, m.constant(word(i))), made[i]);
    words memory(made.size());
    faults = text_of(run(m, memory));
    return memory;
}
word pair_of_words(raw_module& m, word low, word high, word& type) {
    type = m.declare(code::TypeVector, m.integer, 2u);
    return m.give(code::CompositeConstruct, type, m.constant(low), m.constant(high));
}

TEST(Interpreter, MovesWords) {
    std::string faults;
    const words found = results_of(
        [](raw_module& m) {
            word two = 0;
            const word three = m.declare(code::TypeVector, m.integer, 3u),
                       four = m.declare(code::TypeVector, m.integer, 4u);
            const word pair = pair_of_words(m, 10, 11, two);
            const word triple = m.give(code::CompositeConstruct, three, pair, m.constant(12));
            const word shuffled = m.give(code::VectorShuffle, four, triple, pair, 4u, 0u, 2u, 3u);
            const word inserted = m.give(code::CompositeInsert, four, m.constant(99), shuffled, 2u);
            const word dynamic = m.give(code::VectorInsertDynamic, four, inserted, m.constant(77), m.constant(1));
            std::vector<word> made;
            for (word c = 0; c < 4; ++c) made.push_back(m.give(code::CompositeExtract, m.integer, dynamic, c));
            made.push_back(m.give(code::VectorExtractDynamic, m.integer, shuffled, m.constant(2)));
            made.push_back(m.give(code::CopyObject, m.integer, made[0]));
            const word null = m.constant_of(code::ConstantNull, four);
            made.push_back(m.give(code::CompositeExtract, m.integer, null, 3u));
            return made;
        },
        faults);
    EXPECT_EQ(faults, "");
    EXPECT_EQ(found, (words{11, 77, 99, 10, 12, 11, 0}));
}
TEST(Interpreter, KnowsWidePairsFieldsShiftsAndClamps) {
    std::string faults;
    const words found = results_of(
        [](raw_module& m) {
            word two = 0;
            const word x = pair_of_words(m, 0xffffffff, 3, two), y = pair_of_words(m, 2, 5, two);
            const word pairs = m.declare(code::TypeStruct, two, two);
            std::vector<word> made;
            for (const code what : {code::UMulExtended, code::IAddCarry, code::ISubBorrow}) {
                const word wide = m.give(what, pairs, x, y);
                for (word part = 0; part < 2; ++part)
                    for (word c = 0; c < 2; ++c)
                        made.push_back(m.give(code::CompositeExtract, m.integer, wide, part, c));
            }
            const word eight = m.constant(8), low = m.constant(0xfffffff0), high = m.constant(20);
            made.push_back(m.give(code::BitFieldUExtract, m.integer, m.constant(0x12345678), eight, eight));
            made.push_back(m.give(code::ShiftRightArithmetic, m.integer, low, m.constant(2)));
            made.push_back(
                m.give(code::ExtInst, m.integer, 0u, word(extended_code::SClamp), m.constant(0xffffff00), low, high));
            made.push_back(m.give(code::ExtInst, m.integer, 0u, word(extended_code::UClamp), low, eight, high));
            made.push_back(m.give(code::ConvertFToU, m.integer, m.constant_of(code::Constant, m.real, bits(3e9f))));
            return made;
        },
        faults);
    EXPECT_EQ(faults, "");
    EXPECT_EQ(found, (words{0xfffffffe, 15, 1, 0, 1, 8, 1, 0, 0xfffffffd, 0xfffffffe, 0, 1,  //
                            0x56, 0xfffffffc, 0xfffffff0, 20, 3000000000u}));
}
TEST(Interpreter, SelectsByOneConditionOrMany) {
    std::string faults;
    const words found = results_of(
        [](raw_module& m) {
            word two = 0;
            const word x = pair_of_words(m, 1, 2, two), y = pair_of_words(m, 3, 1, two);
            const word booleans = m.declare(code::TypeVector, m.boolean, 2u);
            const word less = m.give(code::ULessThan, booleans, x, y);
            const word any = m.give(code::Any, m.boolean, less), all = m.give(code::All, m.boolean, less);
            const word differ = m.give(code::LogicalNotEqual, m.boolean, any, all);
            std::vector<word> made;
            for (const word condition : {less, any, all, differ}) {
                const word selected = m.give(code::Select, two, condition, x, y);
                for (word c = 0; c < 2; ++c) made.push_back(m.give(code::CompositeExtract, m.integer, selected, c));
            }
            return made;
        },
        faults);
    EXPECT_EQ(faults, "");
    EXPECT_EQ(found, (words{1, 1, 1, 2, 3, 1, 1, 2}));
}
TEST(Interpreter, FindsWhatNothingSaysInVectorsToo) {
    std::string faults;
    (void)results_of(
        [](raw_module& m) {
            word two = 0;
            (void)pair_of_words(m, 0, 0, two);
            const word open = m.constant_of(code::Undef, m.integer);
            const word pair = m.give(code::CompositeConstruct, two, m.constant(1), open);
            return std::vector<word>{m.give(code::CompositeExtract, m.integer, pair, 0u)};
        },
        faults);
    EXPECT_EQ(faults, "");  // one component is known
    (void)results_of(
        [](raw_module& m) {
            const word open = m.constant_of(code::Undef, m.integer);
            const word shifted = m.give(code::ShiftRightArithmetic, m.integer, m.constant(1), m.constant(32));
            const word field = m.give(code::BitFieldUExtract, m.integer, m.constant(1), m.constant(30), m.constant(3));
            const word low = m.give(code::ExtInst, m.integer, 0u, word(extended_code::UClamp), open, open, open);
            const word empty = m.give(code::ExtInst, m.integer, 0u, word(extended_code::UClamp), m.constant(1),
                                      m.constant(2), m.constant(1));
            return std::vector<word>{open, shifted, field, low, empty};
        },
        faults);
    for (const char* fault : {"a value that nothing says is written for others", "a shift by more bits than there are",
                              "a field of more bits than there are", "a clamp to a range that is empty"})
        EXPECT_TRUE(tells(faults, fault)) << fault << "\n" << faults;
}

// ---- memory

/// One buffer as words and as vectors of four.
struct two_views : raw_module {
    const word four = declare(code::TypeVector, integer, 4u);
    const word as_words = buffer(0, integer, 4), as_vectors = buffer(0, four, 16);
};
TEST(Interpreter, SeesABufferAsWordsAndAsVectors) {
    two_views m;
    const word vector = m.load(m.four, m.element(m.four, m.as_vectors, m.constant(1)));
    m.store(m.element(m.four, m.as_vectors, m.constant(0)), vector);
    const word third =
        m.chain(storage::StorageBuffer, m.integer, m.as_vectors, m.constant(0), m.constant(1), m.constant(2));
    const word both_ways = m.give(code::IAdd, m.integer, m.load(m.integer, third),
                                  m.load(m.integer, m.element(m.integer, m.as_words, m.constant(7))));
    m.store(m.element(m.integer, m.as_words, m.constant(1)), both_ways);
    words memory{0, 0, 0, 0, 5, 6, 7, 8};
    EXPECT_EQ(text_of(run(m, memory)), "");
    EXPECT_EQ(memory, (words{5, 15, 7, 8, 5, 6, 7, 8}));
}
TEST(Interpreter, FindsRacesOfVectorsWithWords) {
    two_views m;
    m.store(m.element(m.integer, m.as_words, m.lane()), m.constant(1));
    m.store(
        m.element(m.integer, m.as_words, m.give(code::IAdd, m.integer, m.lane(), m.constant(4))),
        m.give(code::CompositeExtract, m.integer, m.load(m.four, m.element(m.four, m.as_vectors, m.constant(0))), 3u));
    words memory(8);
    const std::string faults = text_of(run(m, memory, 4));
    EXPECT_TRUE(tells(faults, "race: a read of what another has written")) << faults;
    EXPECT_TRUE(tells(faults, "race: a write to what another has read")) << faults;
}
TEST(Interpreter, FindsVectorsThatAreNotAllThere) {
    two_views m;
    const word vector = m.load(m.four, m.element(m.four, m.as_vectors, m.constant(1)));
    m.store(m.element(m.four, m.as_vectors, m.constant(0)), vector);
    words memory(7);
    EXPECT_TRUE(tells(text_of(run(m, memory)), "an address out of bounds"));
}
TEST(Interpreter, KeepsArraysAndVectorsOfAnInvocation) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4), four = m.declare(code::TypeVector, m.integer, 4u);
    const word array = m.declare(code::TypeArray, m.integer, m.constant(3));
    const word seven = m.constant(7);
    const word vectors = m.declare(code::TypeArray, four, m.constant(2));
    const word numbers = m.variable(storage::Private, array), wide = m.variable(storage::Function, vectors);
    const word begun = m.variable(storage::Private, m.integer, seven);
    const word lane = m.lane(), index = m.give(code::UMod, m.integer, lane, m.constant(3));
    m.store(m.chain(storage::Private, m.integer, numbers, index), lane);
    const word vector = m.give(code::CompositeConstruct, four, lane, seven, lane, seven);
    m.store(m.chain(storage::Function, four, wide, m.constant(1)), vector);
    m.store(m.chain(storage::Function, m.integer, wide, m.constant(1), index), m.constant(100));
    const word first = m.load(m.integer, m.chain(storage::Private, m.integer, numbers, index));
    const word second = m.load(m.integer, m.chain(storage::Function, m.integer, wide, m.constant(1), index));
    const word third = m.load(m.integer, begun);
    const word sum = m.give(code::IAdd, m.integer, first, m.give(code::IAdd, m.integer, second, third));
    m.store(m.element(m.integer, buffer, lane), sum);
    words memory(5);
    EXPECT_EQ(text_of(run(m, memory, 5)), "");
    for (word i = 0; i < 5; ++i) EXPECT_EQ(memory[i], i + 107);

    const word never = m.load(m.integer, m.chain(storage::Private, m.integer, numbers, m.constant(2)));
    m.store(m.element(m.integer, buffer, lane), never);
    const word outside = m.load(m.integer, m.chain(storage::Private, m.integer, numbers, m.constant(3)));
    m.store(m.element(m.integer, buffer, lane), outside);
    const std::string faults = text_of(run(m, memory, 1));
    EXPECT_TRUE(tells(faults, "a word that was never written")) << faults;
    EXPECT_TRUE(tells(faults, "an address out of bounds")) << faults;
}
TEST(Interpreter, RunsAtomics) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4), device = m.constant(1), relaxed = m.constant(0);
    const auto at = [&](word index) { return m.element(m.integer, buffer, m.constant(index)); };
    const auto keep = [&](word index, word what) { m.store(at(index), what); };
    m.only(code::AtomicStore, at(0), device, relaxed, m.constant(6));
    keep(1, m.give(code::AtomicExchange, m.integer, at(0), device, relaxed, m.constant(12)));
    keep(2, m.give(code::AtomicISub, m.integer, at(0), device, relaxed, m.constant(5)));
    keep(3, m.give(code::AtomicAnd, m.integer, at(0), device, relaxed, m.constant(3)));
    keep(4, m.give(code::AtomicUMin, m.integer, at(0), device, relaxed, m.constant(2)));
    keep(5, m.give(code::AtomicUMax, m.integer, at(0), device, relaxed, m.constant(9)));
    keep(6, m.give(code::AtomicOr, m.integer, at(0), device, relaxed, m.constant(4)));
    keep(7, m.give(code::AtomicIAdd, m.integer, at(0), device, relaxed, m.constant(1)));
    keep(8, m.give(code::AtomicLoad, m.integer, at(0), device, relaxed));
    words memory(9);
    EXPECT_EQ(text_of(run(m, memory)), "");
    EXPECT_EQ(memory, (words{14, 6, 12, 7, 3, 2, 9, 13, 14}));
}
TEST(Interpreter, SetsTheGroupSizeAlone) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4);
    const word other = m.constant_of(code::SpecConstant, m.integer, 33u),
               size = m.constant_of(code::SpecConstant, m.integer, 64u);
    m.decorate(other, 1, 5);
    m.decorate(size, 1, 0);
    m.store(m.element(m.integer, buffer, m.constant(0)), other);
    m.store(m.element(m.integer, buffer, m.constant(1)), size);
    words memory(2);
    EXPECT_EQ(text_of(run(m, memory, 1)), "");
    EXPECT_EQ(memory, (words{33, 1}));
}

// ---- the way through the program

/// Fibonacci's numbers: each phi has to see what the other was.
TEST(Interpreter, RunsPhi) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4), zero = m.constant(0), one = m.constant(1), lane = m.lane();
    const word before = m.new_id(), loop = m.new_id(), end = m.new_id();
    const word first = m.new_id(), second = m.new_id(), count = m.new_id();
    m.only(code::Branch, before);
    m.only(code::Label, before);
    m.only(code::Branch, loop);
    m.only(code::Label, loop);
    const word sum = m.new_id(), next = m.new_id(), goes_on = m.new_id();
    m.only(code::Phi, m.integer, first, zero, before, second, loop);
    m.only(code::Phi, m.integer, second, one, before, sum, loop);
    m.only(code::Phi, m.integer, count, zero, before, next, loop);
    m.only(code::IAdd, m.integer, sum, first, second);
    m.only(code::IAdd, m.integer, next, count, one);
    m.only(code::ULessThan, m.boolean, goes_on, count, lane);
    m.only(code::LoopMerge, end, loop, 0u);
    m.only(code::BranchConditional, goes_on, loop, end);
    m.only(code::Label, end);
    m.store(m.element(m.integer, buffer, lane), first);
    const words module = m.words();
    for (const word subgroup : {0u, 3u, 32u}) {
        words memory(8);
        EXPECT_EQ(text_of(observe({.words = module, .group_size = 8, .buffers = {memory}, .subgroup = subgroup})), "");
        EXPECT_EQ(memory, (words{0, 1, 1, 2, 3, 5, 8, 13}));
    }
}
TEST(Interpreter, RunsSwitches) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4), lane = m.lane();
    const word one = m.new_id(), three = m.new_id(), other = m.new_id(), end = m.new_id();
    m.only(code::SelectionMerge, end, 0u);
    m.only(code::Switch, lane, other, 1u, one, 3u, three);
    for (const auto& [label, number] : {std::array{one, 10u}, std::array{three, 30u}, std::array{other, 99u}}) {
        m.only(code::Label, label);
        m.store(m.element(m.integer, buffer, lane), m.constant(number));
        m.only(code::Branch, end);
    }
    m.only(code::Label, end);
    words memory(4);
    EXPECT_EQ(text_of(run(m, memory, 4)), "");
    EXPECT_EQ(memory, (words{99, 10, 99, 30}));
}
TEST(Interpreter, FindsPlacesThatNoInvocationMayComeTo) {
    for (const code what : {code::Kill, code::Unreachable}) {
        raw_module m;
        m.only(what);
        words memory(1);
        EXPECT_TRUE(tells(text_of(run(m, memory)), "a place that no invocation may come to"));
    }
}

// ---- several work groups

TEST(Interpreter, TellsGroupsWhichTheyAre) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4), three = m.declare(code::TypeVector, m.integer, 3u);
    const word id = m.load(three, m.input(input::WorkgroupId, three)),
               many = m.load(three, m.input(input::NumWorkgroups, three));
    const auto part = [&](word of, word c) { return m.give(code::CompositeExtract, m.integer, of, c); };
    const word row = m.give(code::IMul, m.integer, part(id, 1), part(many, 0));
    const word index = m.give(code::IAdd, m.integer, row, part(id, 0));
    const word both_sizes = m.give(code::IMul, m.integer, part(many, 1), m.constant(100));
    m.store(m.element(m.integer, buffer, index), m.give(code::IAdd, m.integer, both_sizes, index));
    const words module = m.words();
    for (const group_order order : {group_order::ascending, group_order::descending, group_order::interleaved}) {
        words memory(6);
        EXPECT_EQ(
            text_of(observe({.words = module, .group_size = 1, .buffers = {memory}, .groups = {3, 2}, .order = order})),
            "");
        EXPECT_EQ(memory, (words{200, 201, 202, 203, 204, 205}));
    }
}

/// Every group writes a word; the one that comes last to a counter adds up what all wrote.
struct sum_by_the_last {
    word semantics = both;
    bool has_barrier_before = true, has_barrier_behind = true;

    std::string faults(group_order order) const {
        constexpr word groups = 3;
        raw_module m;
        const word buffer = m.buffer(0, m.integer, 4), three = m.declare(code::TypeVector, m.integer, 3u);
        const word ticket = m.variable(storage::Workgroup, m.integer);
        const word group =
            m.give(code::CompositeExtract, m.integer, m.load(three, m.input(input::WorkgroupId, three)), 0u);
        const auto at = [&](word index) { return m.element(m.integer, buffer, m.constant(index)); };
        const auto only_where = [&](word condition, auto then) {
            const word yes = m.new_id(), end = m.new_id();
            m.only(code::SelectionMerge, end, 0u);
            m.only(code::BranchConditional, condition, yes, end);
            m.only(code::Label, yes);
            then();
            m.only(code::Branch, end);
            m.only(code::Label, end);
        };
        const word lane = m.lane(), is_second = m.give(code::IEqual, m.boolean, lane, m.constant(1));
        only_where(is_second, [&] { m.store(m.element(m.integer, buffer, group), m.constant(5)); });
        if (has_barrier_before) m.barrier();
        const word is_first = m.give(code::IEqual, m.boolean, lane, m.constant(0));
        only_where(is_first, [&] {
            const word found =
                m.give(code::AtomicIAdd, m.integer, at(groups), m.constant(1), m.constant(semantics), m.constant(1));
            m.store(ticket, found);
        });
        const word behind =
            m.constant(has_barrier_behind ? 0x148 : 0x108);  // of buffers too, or of shared memory alone
        m.only(code::ControlBarrier, m.constant(2), m.constant(2), behind);
        const word is_last = m.give(code::IEqual, m.boolean, m.load(m.integer, ticket), m.constant(groups - 1));
        only_where(m.give(code::LogicalAnd, m.boolean, is_last, is_second), [&] {
            word sum = m.load(m.integer, at(0));
            for (word g = 1; g < groups; ++g) sum = m.give(code::IAdd, m.integer, sum, m.load(m.integer, at(g)));
            m.store(at(groups + 1), sum);
        });
        words memory(groups + 2);
        const words module = m.words();
        const observation seen =
            observe({.words = module, .group_size = 2, .buffers = {memory}, .groups = {groups, 1}, .order = order});
        EXPECT_EQ(memory[groups + 1], 15u);
        return text_of(seen);
    }
};
TEST(Interpreter, FindsRacesOfWorkGroups) {
    for (const group_order order : {group_order::ascending, group_order::descending, group_order::interleaved}) {
        EXPECT_EQ(sum_by_the_last{}.faults(order), "");
        const sum_by_the_last wrong[] = {{.semantics = 0},
                                         {.semantics = acquire},
                                         {.semantics = release},
                                         {.has_barrier_before = false},
                                         {.has_barrier_behind = false}};
        for (const sum_by_the_last& one : wrong) {
            const std::string faults = one.faults(order);
            EXPECT_TRUE(tells(faults, "race: a read of what another group has written")) << faults;
        }
    }
}
TEST(Interpreter, FindsGroupsThatWriteToOneWord) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4);
    m.store(m.element(m.integer, buffer, m.constant(0)), m.constant(1));
    const words module = m.words();
    words memory(1);
    EXPECT_EQ(text_of(observe({.words = module, .group_size = 1, .buffers = {memory}})), "");
    EXPECT_TRUE(tells(text_of(observe({.words = module, .group_size = 1, .buffers = {memory}, .groups = {2, 1}})),
                      "race: two groups that write"));
}
TEST(Interpreter, FindsStoresAmongOtherGroupsAtomics) {
    raw_module m;
    const word buffer = m.buffer(0, m.integer, 4);
    const word at = m.element(m.integer, buffer, m.constant(0));
    (void)m.give(code::AtomicIAdd, m.integer, at, m.constant(1), m.constant(0), m.constant(1));
    m.store(at, m.constant(1));
    const words module = m.words();
    words memory(1);
    const std::string faults =
        text_of(observe({.words = module, .group_size = 1, .buffers = {memory}, .groups = {2, 1}}));
    EXPECT_TRUE(tells(faults, "race: a change of what another group has written")) << faults;
    EXPECT_TRUE(tells(faults, "race: a write to what other groups change")) << faults;
}

// ---- counts

/// By hand: what each line executes.
TEST(Interpreter, CountsWhatItExecutes) {
    raw_module m;
    const word four = m.declare(code::TypeVector, m.integer, 4u), logits = m.buffer(0, four, 16),
               out = m.buffer(1, m.integer, 4);
    const word array = m.declare(code::TypeArray, m.integer, m.constant(64)),
               shared = m.variable(storage::Workgroup, array);
    const word own = m.variable(storage::Function, m.integer);
    const word lane = m.lane();                                                  // 1: a load of an input
    const word vector = m.load(four, m.element(four, logits, lane));             // 2: chain and load, of 4 words
    const word sums = m.give(code::IAdd, four, vector, vector);                  // 4
    const word one = m.give(code::CompositeExtract, m.integer, sums, 1u);        // none
    m.store(own, one);                                                           // none
    m.store(m.chain(storage::Workgroup, m.integer, shared, lane), one);          // 2
    m.barrier();                                                                 // 1
    const word half = m.give(code::ULessThan, m.boolean, lane, m.constant(16));  // 1
    const word yes = m.new_id(), no = m.new_id(), end = m.new_id();
    m.only(code::SelectionMerge, end, 0u);
    m.only(code::BranchConditional, half, yes, no);  // 1
    m.only(code::Label, yes);
    const word loaded = m.load(m.integer, m.chain(storage::Workgroup, m.integer, shared, lane));  // 2, by half of them
    m.store(m.element(m.integer, out, lane), loaded);                                             // 2, by half of them
    m.only(code::Branch, end);                                                                    // none
    m.only(code::Label, no);
    (void)m.give(code::AtomicIAdd, m.integer, m.chain(storage::Workgroup, m.integer, shared, m.constant(0)),
                 m.constant(2), m.constant(0), m.constant(1));  // 2, by the other half
    m.only(code::Branch, end);
    m.only(code::Label, end);
    const words module = m.words();
    for (const word subgroup : {0u, 32u}) {
        words memory(128), results(64);
        const executed counts =
            observe({.words = module, .group_size = 32, .buffers = {memory, results}, .subgroup = subgroup}).counts;
        EXPECT_EQ(counts.instructions, 32u * 12 + 16 * 4 + 16 * 2);
        EXPECT_EQ(counts.lockstep_instructions, subgroup ? 32u * (12 + 4 + 2) : counts.instructions);
        EXPECT_EQ(counts.logit_loads, 32u);
        EXPECT_EQ(counts.logit_words, 128u);
        EXPECT_EQ(counts.shared_stores, 32u);
        EXPECT_EQ(counts.shared_loads, 16u);
        EXPECT_EQ(counts.shared_atomics, 16u);
        EXPECT_EQ(counts.buffer_stores, 16u);
        EXPECT_EQ(counts.buffer_loads + counts.buffer_atomics, 0u);
        EXPECT_EQ(counts.barriers, 1u);
    }
}

}  // namespace
}  // namespace riffle_tests::spirv_interpreter_runs
