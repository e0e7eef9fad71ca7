#pragma once
// Modules put together word by word, with what riffle's assembler does not write.

#include <cstdint>
#include <vector>

#include "spirv/instruction_codes.hpp"

namespace riffle_tests {

/// One compute shader. Types, constants and variables may be declared at any time before words().
class raw_module {
    // Ahead of the types, which are written to them.
    std::vector<std::uint32_t> decorations_, types_, locals_, body_;
    std::uint32_t next_id_ = 1, local_size_ = 0, lane_ = 0;

public:
    using code = interpreting::code;
    using word = interpreting::word;
    using storage = interpreting::storage_class;

    raw_module() {
        local_size_ = new_id();
        decorate(local_size_, 1, 0);  // SpecId
        push(types_, code::SpecConstant, integer, local_size_, 64u);
    }

    word new_id() { return next_id_++; }
    const word integer = declare(code::TypeInt, 32u, 0u);
    const word signed_integer = declare(code::TypeInt, 32u, 1u);
    const word real = declare(code::TypeFloat, 32u);
    const word boolean = declare(code::TypeBool);
    const word nothing = declare(code::TypeVoid);

    /// A type, without its id.
    template <class... Operands>
    word declare(code what, Operands... operands) {
        const word id = new_id();
        push(types_, what, id, operands...);
        return id;
    }
    word constant(word bits) { return constant_of(code::Constant, integer, bits); }
    template <class... Operands>
    word constant_of(code what, word type, Operands... operands) {
        const word id = new_id();
        push(types_, what, type, id, operands...);
        return id;
    }
    word variable(storage where, word type, word initial = 0) {
        const word id = new_id(), pointer = declare(code::TypePointer, word(where), type);
        auto& to = where == storage::Function ? locals_ : types_;
        if (initial) push(to, code::Variable, pointer, id, word(where), initial);
        else push(to, code::Variable, pointer, id, word(where));
        return id;
    }
    word input(interpreting::input meaning, word type) {
        const word id = variable(storage::Input, type);
        decorate(id, 11, word(meaning));  // BuiltIn
        return id;
    }
    /// A block with one array without an end.
    word buffer(word binding, word element, word stride) {
        const word array = declare(code::TypeRuntimeArray, element), block = declare(code::TypeStruct, array);
        decorate(array, 6, stride);                                    // ArrayStride
        push(decorations_, code::MemberDecorate, block, 0u, 35u, 0u);  // Offset
        const word id = variable(storage::StorageBuffer, block);
        decorate(id, 33, binding);  // Binding
        return id;
    }
    void decorate(word id, word how, word number) { push(decorations_, code::Decorate, id, how, number); }

    /// An instruction with a result, and one without.
    template <class... Operands>
    word give(code what, word type, Operands... operands) {
        const word id = new_id();
        push(body_, what, type, id, operands...);
        return id;
    }
    template <class... Operands>
    void only(code what, Operands... operands) {
        push(body_, what, operands...);
    }
    template <class... Indexes>
    word chain(storage where, word type, word from, Indexes... indexes) {
        return give(code::AccessChain, declare(code::TypePointer, word(where), type), from, indexes...);
    }
    /// An element of a buffer.
    word element(word type, word of, word index) { return chain(storage::StorageBuffer, type, of, constant(0), index); }
    word load(word type, word from) { return give(code::Load, type, from); }
    void store(word to, word what) { only(code::Store, to, what); }
    word lane() {
        if (!lane_) lane_ = input(interpreting::input::LocalInvocationIndex, integer);
        return load(integer, lane_);
    }
    /// Of the work group, that orders shared memory and buffers.
    void barrier() { only(code::ControlBarrier, constant(2), constant(2), constant(0x148)); }

    std::vector<word> words() const {
        std::vector<word> all{0x07230203, 0x00010300, 0, next_id_ + 3, 0};
        const word main = next_id_, type = next_id_ + 1, label = next_id_ + 2;
        push(all, code::EntryPoint, 5u, main, 0x6e69616du, 0u);  // GLCompute, "main"
        all.insert(all.end(), decorations_.begin(), decorations_.end());
        all.insert(all.end(), types_.begin(), types_.end());
        constexpr auto type_function = code(33);
        push(all, type_function, type, nothing);
        push(all, code::Function, nothing, main, 0u, type);
        push(all, code::Label, label);
        all.insert(all.end(), locals_.begin(), locals_.end());
        all.insert(all.end(), body_.begin(), body_.end());
        push(all, code::Return);
        push(all, code::FunctionEnd);
        return all;
    }

private:
    template <class... Operands>
    static void push(std::vector<word>& to, code what, Operands... operands) {
        to.push_back(word(sizeof...(Operands) + 1) << 16 | word(what));
        (to.push_back(word(operands)), ...);
    }
};

}  // namespace riffle_tests
