#include "spirv/interpreted_module.hpp"

#include <algorithm>

namespace riffle_tests::interpreting {

namespace {

bool has_result(code what) {
    switch (what) {
    case code::Nop:
    case code::Line:
    case code::NoLine:
    case code::Store:
    case code::AtomicStore:
    case code::FunctionEnd:
    case code::ControlBarrier:
    case code::MemoryBarrier:
    case code::LoopMerge:
    case code::SelectionMerge:
    case code::Label:
    case code::Branch:
    case code::BranchConditional:
    case code::Switch:
    case code::Kill:
    case code::Return:
    case code::ReturnValue:
    case code::Unreachable: return false;
    default: return true;
    }
}

struct raw_instruction {
    code what;
    word place, operands;  ///< its first word, and how many follow
};
template <class Visit>
void for_each(std::span<const word> words, Visit visit) {
    constexpr word head = 5;
    for (word at = head; at < words.size(); at += std::max(words[at] >> 16, 1u))
        visit(raw_instruction{code(words[at] & 0xffff), at, (words[at] >> 16) - 1}, &words[at] + 1);
}

}  // namespace

program::program(std::span<const word> words, word group_size) {
    const word bound = words[3];
    types_.resize(bound);
    decorations_.resize(bound);
    places_.resize(bound);
    types_of_values_.resize(bound);
    variables_of_pointers_.resize(bound);
    labels.resize(bound);
    functions.resize(bound);
    parameters.resize(bound);
    values.push_back({0, false});
    variables.emplace_back();  // that of ids which are no pointers
    bool is_in_function = false;
    for_each(words, [&](const raw_instruction& i, const word* a) {
        if (i.what == code::EntryPoint) main_ = a[1];
        if (i.what == code::Decorate) decorate(a, i.operands);
        if (i.what == code::MemberDecorate) decorate_member(a);
        is_in_function |= i.what == code::Function;
        if (i.what == code::Function) function_ = a[1];
        else if (i.what == code::FunctionParameter) parameters[function_].push_back(new_value(a[1], a[0]));
        else if (i.what == code::Variable) declare_variable(a, i.operands);
        else if (is_in_function && has_result(i.what)) (void)new_value(a[1], a[0]);
        else if (!is_in_function) declare_type(i.what, a, i.operands);
        if (!is_in_function) declare_constant(i.what, a, i.operands, group_size);
        if (i.what == code::Undef)
            for (word c = 0; c < places_[a[1]].words; ++c) set(a[1], c, {0, false});
    });
    is_in_function = false;
    for_each(words, [&](const raw_instruction& i, const word* a) {
        is_in_function |= i.what == code::Function;
        if (is_in_function) decode(i.what, a, i.operands, i.place);
    });
    start = functions[main_];
}

// ---- what stands ahead of the functions

void program::decorate(const word* a, word length) {
    decorations& of = decorations_[a[0]];
    const word number = length > 2 ? a[2] : 0;
    switch (decorated(a[1])) {
    case decorated::SpecId:
        of.has_spec_id = true;
        of.spec_id = number;
        break;
    case decorated::ArrayStride: of.stride = number / 4; break;
    case decorated::BuiltIn: of.meaning = number; break;
    case decorated::Binding: of.binding = number; break;
    default: break;
    }
}
void program::decorate_member(const word* a) {
    if (decorated(a[2]) != decorated::Offset) return;
    auto& offsets = decorations_[a[0]].offsets;
    offsets.resize(std::max<std::size_t>(offsets.size(), a[1] + 1));
    offsets[a[1]] = a[3] / 4;
}

void program::declare_type(code what, const word* a, word length) {
    type made{.kind = what};
    switch (what) {
    case code::TypeVoid: break;
    case code::TypeBool:
    case code::TypeInt:
    case code::TypeFloat: made.words = 1; break;
    case code::TypeVector:
        made.element = a[1];
        made.length = made.words = a[2];
        made.stride = 1;
        break;
    case code::TypeArray:
    case code::TypeRuntimeArray:
        made.element = a[1];
        made.length = what == code::TypeArray ? values[places_[a[2]].at].bits : 0;
        made.stride = decorations_[a[0]].stride ? decorations_[a[0]].stride : types_[a[1]].words;
        made.words = made.length * made.stride;
        break;
    case code::TypeStruct:
        for (word m = 1; m < length; ++m) {
            made.members.push_back(a[m]);
            made.offsets.push_back(made.words);
            made.words += types_[a[m]].words;
        }
        if (!decorations_[a[0]].offsets.empty()) made.offsets = decorations_[a[0]].offsets;
        break;
    case code::TypePointer:
        made.element = a[2];
        made.words = 1;
        break;
    default: return;
    }
    types_[a[0]] = made;
}

operand program::new_value(word id, word type_id) {
    if (id >= places_.size() || type_id >= types_.size()) return {};
    types_of_values_[id] = type_id;
    places_[id] = {word(values.size()), types_[type_id].words};
    values.resize(values.size() + types_[type_id].words);
    return places_[id];
}

void program::declare_constant(code what, const word* a, word length, word group_size) {
    switch (what) {
    case code::Undef:
    case code::ConstantNull:
    case code::ConstantFalse:
    case code::SpecConstantFalse: (void)new_value(a[1], a[0]); break;
    case code::ConstantTrue:
    case code::SpecConstantTrue:
        (void)new_value(a[1], a[0]);
        set(a[1], 0, {1});
        break;
    case code::Constant:
    case code::SpecConstant: {
        (void)new_value(a[1], a[0]);
        const bool is_group_size = decorations_[a[1]].has_spec_id && decorations_[a[1]].spec_id == 0;
        set(a[1], 0, {is_group_size ? group_size : a[2]});
        break;
    }
    case code::ConstantComposite:
    case code::SpecConstantComposite: {
        (void)new_value(a[1], a[0]);
        word component = 0;
        for (word part = 2; part < length; ++part)
            for (word c = 0; c < places_[a[part]].words; ++c) set(a[1], component++, values[places_[a[part]].at + c]);
        break;
    }
    default: break;
    }
}

void program::declare_variable(const word* a, word length) {
    const type& pointed_to = types_[types_[a[0]].element];
    variable made{.where = storage_class(a[2]),
                  .binding = decorations_[a[1]].binding,
                  .meaning = input(decorations_[a[1]].meaning),
                  .words = pointed_to.words,
                  .initial = length > 3 ? places_[a[3]].at : 0};
    word* const next = made.where == storage_class::Workgroup                                          ? &shared_words
                       : made.where == storage_class::Private || made.where == storage_class::Function ? &own_words
                                                                                                       : nullptr;
    if (next) {
        made.at = *next;
        *next += made.words;
    }
    (void)new_value(a[1], a[0]);  // as a pointer it leads to the first word
    variables_of_pointers_[a[1]] = word(variables.size());
    variables.push_back(made);
}

// ---- functions

void program::decode(code what, const word* a, word length, word place) {
    instruction i{.code = what, .place = place, .block = block_, .first = word(operands.size())};
    const auto take = [&](word from, word end) {
        for (word o = from; o < end; ++o) operands.push_back(place_of(a[o]));
    };
    if (has_result(what) && what != code::Function) i.result = place_of(a[1]);
    switch (what) {
    case code::Function: functions[a[1]] = word(instructions.size()); return;
    case code::Label: labels[block_ = a[0]] = word(instructions.size()); return;
    case code::Nop:
    case code::Line:
    case code::NoLine:
    case code::Undef:
    case code::LoopMerge:
    case code::SelectionMerge:
    case code::FunctionParameter:
    case code::FunctionEnd: return;
    case code::Variable: i.variable = variables_of_pointers_[a[1]]; break;
    case code::Branch: i.literal = a[0]; break;
    case code::BranchConditional: operands.insert(operands.end(), {place_of(a[0]), {a[1], 0}, {a[2], 0}}); break;
    case code::Switch:  // behind the label of all other numbers, labels with their numbers
        operands.insert(operands.end(), {place_of(a[0]), {a[1], 0}});
        for (word o = 2; o + 1 < length; o += 2) operands.push_back({a[o + 1], a[o]});
        break;
    case code::Phi:  // values with the label that they come from
        for (word o = 2; o + 1 < length; o += 2) operands.push_back({place_of(a[o]).at, a[o + 1]});
        break;
    case code::ReturnValue:
    case code::ControlBarrier:
    case code::MemoryBarrier: take(0, length); break;
    case code::FunctionCall:
        i.literal = a[2];
        take(3, length);
        break;
    case code::AccessChain:
    case code::InBoundsAccessChain: decode_chain(i, a, length); break;
    case code::Store:
    case code::AtomicStore:
        i.variable = variables_of_pointers_[a[0]];
        take(0, what == code::Store ? 2 : length);
        break;
    case code::Load:
        i.variable = variables_of_pointers_[a[2]];
        take(2, 3);
        break;
    case code::AtomicLoad:
    case code::AtomicExchange:
    case code::AtomicIAdd:
    case code::AtomicISub:
    case code::AtomicUMin:
    case code::AtomicUMax:
    case code::AtomicAnd:
    case code::AtomicOr:
        i.variable = variables_of_pointers_[a[2]];
        take(2, length);
        break;
    case code::ExtInst:
        i.literal = a[3];
        take(4, length);
        break;
    case code::GroupNonUniformElect: break;
    case code::GroupNonUniformUMax:
        i.literal = a[3];  // 0: of all, which is what riffle asks for
        take(4, length);
        break;
    case code::CopyObject:
    case code::Bitcast:
    case code::CompositeConstruct:
    case code::CompositeExtract:
    case code::CompositeInsert:
    case code::VectorShuffle: decode_move(i, a, length); break;
    default:
        if (has_result(what)) take(2, length);
        break;
    }
    if (i.code != code::AccessChain) i.count = word(operands.size()) - i.first;
    instructions.push_back(i);
}

void program::decode_chain(instruction& i, const word* a, word length) {
    i.code = code::AccessChain;
    i.variable = variables_of_pointers_[a[1]] = variables_of_pointers_[a[2]];
    // The pointer is a step of its own, so that chains of chains need nothing else.
    i.first = word(steps.size());
    steps.push_back({place_of(a[2]).at, 1, 0});
    word inside = types_[types_of_values_[a[2]]].element;
    for (word o = 3; o < length; ++o) {
        const type& of = types_[inside];
        if (of.kind == code::TypeStruct) {
            const word member = values[place_of(a[o]).at].bits;
            i.literal += of.offsets[member];
            inside = of.members[member];
        } else {
            steps.push_back({place_of(a[o]).at, of.stride, of.length});
            inside = of.element;
        }
    }
    i.count = word(steps.size()) - i.first;
}

void program::add_words(operand of) {
    for (word c = 0; c < of.words; ++c) operands.push_back({of.at + c, 1});
}

operand program::part_of(operand whole, word type_id, std::span<const word> indexes) const {
    for (const word index : indexes) {
        const type& of = types_[type_id];
        if (of.kind == code::TypeStruct) {
            for (word m = 0; m < index; ++m) whole.at += types_[of.members[m]].words;
            type_id = of.members[index];
        } else {
            whole.at += index * types_[of.element].words;
            type_id = of.element;
        }
    }
    return {whole.at, types_[type_id].words};
}

void program::decode_move(instruction& i, const word* a, word length) {
    switch (i.code) {
    case code::CompositeExtract: add_words(part_of(place_of(a[2]), types_of_values_[a[2]], {a + 3, length - 3})); break;
    case code::CompositeInsert: {
        const operand whole = place_of(a[3]), object = place_of(a[2]);
        const operand part = part_of(whole, types_of_values_[a[3]], {a + 4, length - 4});
        add_words({whole.at, part.at - whole.at});
        add_words(object);
        add_words({part.at + part.words, whole.at + whole.words - part.at - part.words});
        break;
    }
    case code::VectorShuffle:
        for (word o = 4; o < length; ++o) {
            const operand first = place_of(a[2]), second = place_of(a[3]);
            constexpr word nothing = 0xffffffff;
            operands.push_back({a[o] == nothing      ? 0
                                : a[o] < first.words ? first.at + a[o]
                                                     : second.at + a[o] - first.words});
        }
        break;
    default:
        if (i.code == code::CopyObject) variables_of_pointers_[a[1]] = variables_of_pointers_[a[2]];
        for (word o = 2; o < length; ++o) add_words(place_of(a[o]));
        break;
    }
    i.code = code::CopyObject;
}

}  // namespace riffle_tests::interpreting
