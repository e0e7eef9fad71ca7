#pragma once
// A module as the interpreter reads it: every instruction decoded once, every value and variable at a place of its own.

#include <cstdint>
#include <span>
#include <vector>

#include "spirv/instruction_codes.hpp"

namespace riffle_tests::interpreting {

/// A word that an instruction gives; nothing says what it is where it is not known.
struct value {
    word bits = 0;
    bool is_known = true;
};

/// The words of a value: the first, and how many.
struct operand {
    word at = 0, words = 1;
};
/// What an access chain adds to its pointer: index times stride; lengths of 0 have no end.
struct chain_step {
    word index = 0, stride = 0, length = 0;
};

struct instruction {
    interpreting::code code{};
    word place = 0;  ///< of its first word in the module
    operand result{0, 0};
    word variable = 0;  ///< to which its pointer leads
    word literal = 0;   ///< a function's or label's id; how far a chain goes at least; which extended instruction
    word block = 0;     ///< the label of the block that it is in
    word first = 0, count = 0;  ///< its operands, or the steps of its chain
};

struct variable {
    storage_class where{};
    word binding = 0;
    input meaning{};
    word at = 0, words = 0;  ///< where it lies among those of its storage class, or of the invocation
    word initial = 0;        ///< the place of its first value; 0 where it has none
};

/// Instructions that only move words, constructing and taking apart among them, have one operand for each word of their
/// result. Pointers are values of one word, the place in the variable that they lead to; which one that is, is known
/// ahead. Labels, merges and what has no effect are left out.
class program {
public:
    program(std::span<const word> words, word group_size);

    std::vector<instruction> instructions;
    std::vector<operand> operands;
    std::vector<chain_step> steps;
    std::vector<variable> variables;
    /// What every invocation begins with: constants, and the place 0 for what nothing says.
    std::vector<value> values;
    std::vector<word> labels, functions;           ///< first instructions, by id
    std::vector<std::vector<operand>> parameters;  ///< of functions, by id
    word start = 0;                                ///< the first instruction
    word own_words = 0, shared_words = 0;          ///< of Private and Function, and of Workgroup variables

    std::span<const operand> operands_of(const instruction& i) const { return {operands.data() + i.first, i.count}; }

private:
    struct type {
        interpreting::code kind{};
        word words = 0, element = 0, length = 0;
        word stride = 0;  ///< in words, where a decoration gives one
        std::vector<word> members = {}, offsets = {};
    };
    struct decorations {
        bool has_spec_id = false;
        word spec_id = 0, binding = 0, meaning = 0, stride = 0;
        std::vector<word> offsets;
    };

    void decorate(const word* a, word length);
    void decorate_member(const word* a);
    void declare_type(interpreting::code what, const word* a, word length);
    void declare_constant(interpreting::code what, const word* a, word length, word group_size);
    void declare_variable(const word* a, word length);
    operand new_value(word id, word type_id);
    void set(word id, word component, value to) { values[places_[id].at + component] = to; }

    void decode(interpreting::code what, const word* a, word length, word place);
    void decode_chain(instruction& i, const word* a, word length);
    void decode_move(instruction& i, const word* a, word length);
    void decode_operands(instruction& i, const word* a, word length);
    void add_words(operand of);
    /// Where the literal indexes lead in a value of the type.
    operand part_of(operand whole, word type_id, std::span<const word> indexes) const;
    operand place_of(word id) const { return places_[id]; }

    std::vector<type> types_;  ///< by id, as all below
    std::vector<decorations> decorations_;
    std::vector<operand> places_;
    std::vector<word> types_of_values_;
    std::vector<word> variables_of_pointers_;
    word main_ = 0, function_ = 0, block_ = 0;
};

}  // namespace riffle_tests::interpreting
