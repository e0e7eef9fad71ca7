#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include <riffle/gpu/spirv/module_options.hpp>
#include <riffle/gpu/spirv/opcodes.hpp>
#include <riffle/gpu/spirv/word_stream.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// Puts a module together: one compute shader, its types, constants, variables and functions. It works while the C++
/// compiler runs and in a program alike. What writes to it are values (values.hpp), memory (memory.hpp) and control
/// flow (control.hpp), which keep to the order that SPIR-V wants; words come out at the end.
///
/// The size of the work group is specialization constant 0, so that one module serves every device.
class assembler {
public:
    constexpr explicit assembler(const module_options& options = {}, std::uint32_t local_size = 256) noexcept
        : options_(options) {
        add_capability(capability::Shader);
        if (options.round_to_nearest) add_capability(capability::RoundingModeRTE);
        if (options.keep_infinities) add_capability(capability::SignedZeroInfNanPreserve);
        if (options.subgroups) add_capability(capability::GroupNonUniform);
        if (options.subgroups) add_capability(capability::GroupNonUniformArithmetic);
        main_ = new_id();
        for (const scalar of : {scalar::boolean, scalar::integer, scalar::real}) declare_type(of);
        if (options.portable) return;
        local_size_ = new_id();
        const std::uint32_t integer = type(scalar::integer), one = constant(scalar::integer, 1), size = new_id();
        types_.push(op::SpecConstant, integer, local_size_, local_size);
        decorate(local_size_, decoration::SpecId, 0);
        types_.push(op::SpecConstantComposite, vector_type(), size, local_size_, one, one);
        decorate(size, decoration::BuiltIn, std::uint32_t(built_in::WorkgroupSize));
    }
    assembler(const assembler&) = delete;
    assembler& operator=(const assembler&) = delete;

    constexpr const module_options& options() const noexcept { return options_; }
    constexpr std::uint32_t new_id() noexcept { return next_id_++; }
    /// What new_id answers next.
    constexpr std::uint32_t next_id() const noexcept { return next_id_; }
    /// The size of the work group; 0 where it is portable_group_size.
    constexpr std::uint32_t local_size() const noexcept { return local_size_; }
    /// A constant for an array of so many elements.
    constexpr std::uint32_t elements_a_group() noexcept {
        return local_size_ ? local_size_ : constant(scalar::integer, portable_group_size);
    }

    // ---- types and constants, each once

    constexpr std::uint32_t type(scalar of) const noexcept { return types_of_scalars_[std::size_t(of)]; }
    constexpr std::uint32_t pointer_type(storage where, scalar to) noexcept {
        std::uint32_t& id = pointers_[std::size_t(where)][std::size_t(to)];
        if (!id) id = declare_pointer(where, type(to));
        return id;
    }
    constexpr std::uint32_t void_type() noexcept {
        if (!void_) types_.push(op::TypeVoid, void_ = new_id());
        return void_;
    }
    /// Three integers.
    constexpr std::uint32_t vector_type() noexcept {
        const std::uint32_t integer = type(scalar::integer);
        if (!vector_) types_.push(op::TypeVector, vector_ = new_id(), integer, 3);
        return vector_;
    }
    /// Four integers.
    constexpr std::uint32_t four_type() noexcept {
        const std::uint32_t integer = type(scalar::integer);
        if (!four_) types_.push(op::TypeVector, four_ = new_id(), integer, 4);
        return four_;
    }
    constexpr std::uint32_t pointer_to_four(storage where) noexcept {
        std::uint32_t& id = pointers_to_four_[std::size_t(where)];
        if (!id) id = declare_pointer(where, four_type());
        return id;
    }
    /// Two integers, as what gives a wide product or a carry returns them.
    constexpr std::uint32_t pair_type() noexcept {
        const std::uint32_t integer = type(scalar::integer);
        if (!pair_) types_.push(op::TypeStruct, pair_ = new_id(), integer, integer);
        return pair_;
    }
    constexpr std::uint32_t constant(scalar of, std::uint32_t bits) noexcept {
        // A full table costs nothing but doublets, which are legal for constants.
        std::size_t at = (bits * 0x9E3779B1u >> 20 ^ std::size_t(of) * 89) % known_constants;
        for (std::size_t tried = 0; tried < 16; ++tried, at = (at + 1) % known_constants) {
            known_constant& known = known_[at];
            if (known.bits == bits && known.of == of && known.id != 0) return known.id;
            if (known.id == 0) return (known = {declare(of, bits), bits, of}).id;
        }
        return declare(of, bits);
    }

    // ---- declarations at module scope

    /// An input of the shader that the device fills in.
    constexpr std::uint32_t input(built_in which, std::uint32_t of_type) noexcept {
        for (std::size_t i = 0; i < inputs_; ++i)
            if (input_kinds_[i] == which) return input_ids_[i];
        const std::uint32_t id = declare_variable(storage::Input, declare_pointer(storage::Input, of_type));
        decorate(id, decoration::BuiltIn, std::uint32_t(which));
        input_kinds_[inputs_] = which;
        input_ids_[inputs_++] = id;
        return id;
    }
    /// A variable of every invocation that all functions see.
    constexpr std::uint32_t private_variable(scalar of) noexcept {
        return declare_variable(storage::Private, pointer_type(storage::Private, of));
    }
    /// An array that a work group shares; its length is the id of a constant.
    constexpr std::uint32_t shared_array(scalar of, std::uint32_t length) noexcept {
        const std::uint32_t element = type(of), array = new_id();
        types_.push(op::TypeArray, array, element, length);
        return declare_variable(storage::Workgroup, declare_pointer(storage::Workgroup, array));
    }
    /// So many arrays of that length.
    constexpr std::uint32_t shared_arrays(scalar of, std::uint32_t count, std::uint32_t length) noexcept {
        const std::uint32_t element = type(of), number = constant(scalar::integer, count);
        const std::uint32_t array = new_id(), all = new_id();
        types_.push(op::TypeArray, array, element, length);
        types_.push(op::TypeArray, all, array, number);
        return declare_variable(storage::Workgroup, declare_pointer(storage::Workgroup, all));
    }
    /// A storage buffer: a block that holds one array without an end, of elements of so many bytes, in set 0.
    constexpr std::uint32_t storage_buffer(std::uint32_t element, std::uint32_t bytes, std::uint32_t binding,
                                           buffer_use use) noexcept {
        const std::uint32_t array = new_id(), block = new_id();
        types_.push(op::TypeRuntimeArray, array, element);
        decorate(array, decoration::ArrayStride, bytes);
        types_.push(op::TypeStruct, block, array);
        decorate(block, decoration::Block);
        decorate_member(block, 0, decoration::Offset, 0);
        if (use == buffer_use::read) decorations_.push(op::MemberDecorate, block, 0, decoration::NonWritable);
        if (use == buffer_use::exchange) decorations_.push(op::MemberDecorate, block, 0, decoration::Coherent);
        const std::uint32_t id =
            declare_variable(storage::StorageBuffer, declare_pointer(storage::StorageBuffer, block));
        decorate(id, decoration::DescriptorSet, 0);
        decorate(id, decoration::Binding, binding);
        // Two buffers of one binding are two ways to see it, and what is written by one is read by the other.
        if (use == buffer_use::exchange) decorate(id, decoration::Aliased);
        return id;
    }
    /// The next word of the push constants: the block, and its place in it.
    constexpr std::uint32_t push_constants() noexcept {
        if (!push_constants_) push_constants_ = new_id();
        return push_constants_;
    }
    constexpr std::uint32_t next_push_constant(scalar of) noexcept {
        push_constant_types_[pushed_] = type(of);
        return pushed_++;
    }

    // ---- instructions of the function that is being written

    /// An instruction with a result of a scalar type.
    template <class... Operands>
    constexpr std::uint32_t emit_scalar(op code, scalar of, Operands... operands) noexcept {
        return body_.push(code, types_of_scalars_[std::size_t(of)], next_id_, operands...), next_id_++;
    }
    template <class... Operands>
    constexpr std::uint32_t emit_of_type(op code, std::uint32_t result_type, Operands... operands) noexcept {
        return body_.push(code, result_type, next_id_, operands...), next_id_++;
    }
    /// An instruction without a result.
    template <class... Operands>
    constexpr void emit_only(op code, Operands... operands) noexcept {
        body_.push(code, operands...);
    }
    /// Float arithmetic: never part of a fused operation, where that was asked for.
    template <class... Operands>
    constexpr std::uint32_t emit_arithmetic(op code, Operands... operands) noexcept {
        const std::uint32_t id = emit_scalar(code, scalar::real, operands...);
        if (options_.precise) decorate(id, decoration::NoContraction);
        return id;
    }
    template <class... Operands>
    constexpr std::uint32_t emit_extended(extended which, std::uint32_t result_type, Operands... operands) noexcept {
        if (!extended_set_) extended_set_ = new_id();
        return emit_of_type(op::ExtInst, result_type, extended_set_, which, operands...);
    }
    /// A variable of the function that is being written; `pointer`: the type of a pointer to it.
    constexpr std::uint32_t local_variable(std::uint32_t pointer) noexcept {
        const std::uint32_t id = new_id();
        locals_.push(op::Variable, pointer, id, storage::Function);
        return id;
    }
    constexpr void label(std::uint32_t id) noexcept {
        ++block_;
        body_.push(op::Label, id);
    }
    /// A branch to where `yes` is written next, or else to `no`; both come to `end`.
    constexpr void branch_to_next(std::uint32_t asked, std::uint32_t yes, std::uint32_t no,
                                  std::uint32_t end) noexcept {
        ++block_;
        body_.push(3u << 16 | std::uint32_t(op::SelectionMerge), end, 0u,  // in one go
                   4u << 16 | std::uint32_t(op::BranchConditional), asked, yes, no, 2u << 16 | std::uint32_t(op::Label),
                   yes);
    }
    /// A branch by a number: to the next of new ids, in their order, for each number in a set, else to `end`.
    constexpr void begin_switch(std::uint32_t asked, std::uint32_t set, std::uint32_t end) noexcept {
        std::uint32_t numbers = 0;
        for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) ++numbers;
        body_.push(3u << 16 | std::uint32_t(op::SelectionMerge), end, 0u);
        body_.push((3u + 2u * numbers) << 16 | std::uint32_t(op::Switch), asked, end);
        for (std::uint32_t i = 0; i < 32; ++i)
            if (set >> i & 1) body_.push(i, new_id());
    }
    /// The end of a block, from which another one goes on that is written next.
    constexpr void branch_to_next(std::uint32_t from, std::uint32_t next) noexcept {
        ++block_;
        body_.push(2u << 16 | std::uint32_t(op::Branch), from, 2u << 16 | std::uint32_t(op::Label), next);
    }

    // ---- barriers, and what leads to them

    /// How many there were so far, and in portable modules calls of functions that have some.
    constexpr std::uint32_t barriers() const noexcept { return barriers_; }
    constexpr void barrier(std::uint32_t scope, std::uint32_t semantics) noexcept {
        ++barriers_;
        emit_only(op::ControlBarrier, scope, scope, semantics);
    }
    /// Words of the function that is being written, so far.
    constexpr std::size_t written() const noexcept { return body_.size(); }
    /// Writes something behind the first words of the function, as if it had been written then; it answers an id, by
    /// which the word at a distance behind it is replaced.
    template <class Insert>
    constexpr void insert(std::size_t at, std::size_t distance, Insert write) noexcept {
        word_stream rest = body_.cut_off(at);
        rest.set(distance, write());
        body_.push(rest);
    }
    /// A word that the work group shares, by which one invocation tells the others where they go.
    constexpr std::uint32_t shared_direction() noexcept {
        if (!direction_)
            direction_ = declare_variable(storage::Workgroup, pointer_type(storage::Workgroup, scalar::integer));
        return direction_;
    }

    /// Calls a function that was written.
    template <class... Arguments>
    constexpr std::uint32_t call(std::uint32_t function, Arguments... arguments) noexcept {
        ++block_;  // it may change variables
        for (std::size_t i = 0; i < with_barriers_.size(); ++i) barriers_ += with_barriers_[i] == function;
        return emit_scalar(op::FunctionCall, scalar::integer, function, arguments...);
    }

    /// The value that a variable of the invocation has, where that is known of the block that is being written; else 0.
    constexpr std::uint32_t remembered(std::uint32_t pointer) const noexcept {
        const known_value& known = known_values_[pointer % known_variables];
        return known.pointer == pointer && known.block == block_ ? known.value : 0;
    }
    constexpr void remember(std::uint32_t pointer, std::uint32_t value) noexcept {
        known_values_[pointer % known_variables] = {pointer, value, block_};
    }

    /// Writes a function of N integers that returns one; body(ids of the arguments) answers the id of the result. What
    /// was being written goes on behind it. Returns the function's id, for op::FunctionCall.
    template <std::size_t N, class Body>
    constexpr std::uint32_t integer_function(Body body) noexcept {
        static_assert(N >= 1 && N <= most_arguments);
        word_stream outer_body, outer_locals;
        std::swap(body_, outer_body);
        std::swap(locals_, outer_locals);
        ++block_;
        const std::uint32_t outer_first = first_of_function_;
        const std::uint32_t integer = type(scalar::integer), function = first_of_function_ = new_id();
        std::array<std::uint32_t, N> arguments{};
        for (std::uint32_t& argument : arguments) argument = new_id();
        std::uint32_t& function_type = integer_functions_[N];
        if (!function_type) {
            function_type = new_id();
            std::array<std::uint32_t, N> types{};
            types.fill(integer);
            std::apply([&](auto... each) { types_.push(op::TypeFunction, function_type, integer, each...); }, types);
        }
        const std::uint32_t barriers = barriers_, result = body(arguments);
        if (options_.portable && barriers_ != barriers) with_barriers_.push(function);
        barriers_ = barriers;
        emit_only(op::ReturnValue, result);
        functions_.push(op::Function, integer, function, 0, function_type);
        for (const std::uint32_t argument : arguments) functions_.push(op::FunctionParameter, integer, argument);
        close_function();
        std::swap(body_, outer_body);
        std::swap(locals_, outer_locals);
        first_of_function_ = outer_first;
        ++block_;
        return function;
    }
    /// The function that divides floats (division.hpp); 0 until it has been written.
    constexpr std::uint32_t& division() noexcept { return division_; }
    /// Values of the function around the one that is being written have lesser ids, and cannot be used in it.
    constexpr std::uint32_t first_of_function() const noexcept { return first_of_function_; }
    /// A mistake of whoever writes the shader. While compiling it ends there, with this function's name.
    std::uint32_t value_of_another_function() noexcept {
        well_formed_ = false;
        return 0;
    }

    /// Ends the shader; nothing may be written behind it.
    constexpr void finish() noexcept {
        emit_only(op::Return);
        const std::uint32_t nothing = void_type(), function = new_id();
        types_.push(op::TypeFunction, function, nothing);
        // The main function stays where it was written: it is the longest, and need not be copied.
        functions_.push(op::Function, nothing, main_, 0, function);
        functions_.push(op::Label, new_id());
        functions_.push(locals_);
        emit_only(op::FunctionEnd);
        if (push_constants_) declare_push_constants();
        write_head();
    }

    // ---- the words

    /// Whether there is a module: the heap gave memory for all words, and no value was used out of its function.
    constexpr bool complete() const noexcept {
        return well_formed_ && head_.complete() && decorations_.complete() && types_.complete() &&
               functions_.complete() && body_.complete() && with_barriers_.complete();
    }
    constexpr std::size_t size() const noexcept {
        return head_.size() + decorations_.size() + types_.size() + functions_.size() + body_.size();
    }
    /// `words` holds size() of them.
    constexpr void write(std::uint32_t* words) const noexcept {
        for (const auto* part : {&head_, &decorations_, &types_, &functions_, &body_}) {
            part->write(words);
            words += part->size();
        }
    }

private:
    static constexpr std::size_t known_constants = 1024;
    struct known_constant {
        std::uint32_t id = 0, bits = 0;
        scalar of = scalar::boolean;
    };

    constexpr void declare_type(scalar of) noexcept {
        const std::uint32_t id = types_of_scalars_[std::size_t(of)] = new_id();
        switch (of) {
        case scalar::boolean: types_.push(op::TypeBool, id); break;
        case scalar::integer: types_.push(op::TypeInt, id, 32, 0); break;
        case scalar::real: types_.push(op::TypeFloat, id, 32); break;
        }
    }
    static constexpr std::size_t known_variables = 256;
    struct known_value {
        std::uint32_t pointer = 0, value = 0, block = 0;
    };

    constexpr void add_capability(capability what) noexcept { capabilities_.push(op::Capability, what); }
    constexpr void decorate(std::uint32_t id, decoration what) noexcept { decorations_.push(op::Decorate, id, what); }
    constexpr void decorate(std::uint32_t id, decoration what, std::uint32_t value) noexcept {
        decorations_.push(op::Decorate, id, what, value);
    }
    constexpr void decorate_member(std::uint32_t id, std::uint32_t member, decoration what,
                                   std::uint32_t value) noexcept {
        decorations_.push(op::MemberDecorate, id, member, what, value);
    }
    constexpr std::uint32_t declare(scalar of, std::uint32_t bits) noexcept {
        const std::uint32_t t = type(of), id = new_id();
        if (of == scalar::boolean) types_.push(bits ? op::ConstantTrue : op::ConstantFalse, t, id);
        else types_.push(op::Constant, t, id, bits);
        return id;
    }
    constexpr std::uint32_t declare_pointer(storage where, std::uint32_t to) noexcept {
        const std::uint32_t id = new_id();
        types_.push(op::TypePointer, id, where, to);
        return id;
    }
    constexpr std::uint32_t declare_variable(storage where, std::uint32_t pointer) noexcept {
        const std::uint32_t id = new_id();
        types_.push(op::Variable, pointer, id, where);
        return id;
    }
    /// Behind op::Function and its parameters: the variables come first in the first block.
    constexpr void close_function() noexcept {
        functions_.push(op::Label, new_id());
        functions_.push(locals_);
        functions_.push(body_);
        functions_.push(op::FunctionEnd);
    }
    constexpr void declare_push_constants() noexcept {
        const std::uint32_t block = new_id();
        types_.push((pushed_ + 2) << 16 | std::uint32_t(op::TypeStruct));
        types_.push(block);
        for (std::uint32_t i = 0; i < pushed_; ++i) types_.push(push_constant_types_[i]);
        decorate(block, decoration::Block);
        for (std::uint32_t i = 0; i < pushed_; ++i) decorate_member(block, i, decoration::Offset, 4 * i);
        const std::uint32_t pointer = declare_pointer(storage::PushConstant, block);
        types_.push(op::Variable, pointer, push_constants_, storage::PushConstant);
    }
    constexpr void write_head() noexcept {
        head_.push(magic_number, version, 0u, next_id_, 0u);
        head_.push(capabilities_);
        if (options_.round_to_nearest || options_.keep_infinities)
            push_text(op::Extension, {}, "SPV_KHR_float_controls");
        if (extended_set_) push_text(op::ExtInstImport, {&extended_set_, 1}, "GLSL.std.450");
        head_.push(op::MemoryModel, 0, 1);             // logical, GLSL450
        std::array<std::uint32_t, 2> entry{5, main_};  // GLCompute
        push_text(op::EntryPoint, entry, "main", {input_ids_.data(), inputs_});
        const std::uint32_t size = options_.portable ? portable_group_size : 1;  // else WorkgroupSize rules
        head_.push(op::ExecutionMode, main_, execution_mode::LocalSize, size, 1, 1);
        if (options_.round_to_nearest) head_.push(op::ExecutionMode, main_, execution_mode::RoundingModeRTE, 32);
        if (options_.keep_infinities)
            head_.push(op::ExecutionMode, main_, execution_mode::SignedZeroInfNanPreserve, 32);
    }
    /// An instruction with a text, which ends with a zero and fills its last word with others.
    constexpr void push_text(op code, std::span<const std::uint32_t> before, const char* text,
                             std::span<const std::uint32_t> after = {}) noexcept {
        std::size_t length = 0;
        while (text[length]) ++length;
        const std::size_t words = length / 4 + 1;
        head_.push(std::uint32_t(1 + before.size() + words + after.size()) << 16 | std::uint32_t(code));
        for (const std::uint32_t operand : before) head_.push(operand);
        for (std::size_t i = 0; i < words; ++i) {
            std::uint32_t four_letters = 0;
            for (std::size_t j = 4 * i; j < 4 * i + 4 && j < length; ++j)
                four_letters |= std::uint32_t(static_cast<unsigned char>(text[j])) << (8 * (j % 4));
            head_.push(four_letters);
        }
        for (const std::uint32_t operand : after) head_.push(operand);
    }

    module_options options_;
    word_stream capabilities_, decorations_, types_, functions_;
    word_stream with_barriers_;  ///< the functions that have some, in portable modules
    word_stream locals_, body_;  ///< of the function that is being written
    word_stream head_;
    std::uint32_t next_id_ = 1;
    std::uint32_t first_of_function_ = 0;
    bool well_formed_ = true;
    std::uint32_t main_ = 0, local_size_ = 0, extended_set_ = 0, division_ = 0;
    std::uint32_t barriers_ = 0, direction_ = 0;

    // No std::array, of which every use is a call: compilers take a limited number of steps.
    std::uint32_t types_of_scalars_[scalars]{};
    std::uint32_t pointers_[13][scalars]{};
    std::array<std::uint32_t, 13> pointers_to_four_{};
    std::uint32_t void_ = 0, vector_ = 0, four_ = 0, pair_ = 0;
    static constexpr std::size_t most_arguments = 4;
    std::array<std::uint32_t, most_arguments + 1> integer_functions_{};  ///< types, by the number of arguments
    known_constant known_[known_constants]{};
    known_value known_values_[known_variables]{};
    std::uint32_t block_ = 1;  ///< counts blocks, and calls

    std::array<built_in, 4> input_kinds_{};
    std::array<std::uint32_t, 4> input_ids_{};
    std::size_t inputs_ = 0;

    std::uint32_t push_constants_ = 0, pushed_ = 0;
    std::array<std::uint32_t, 32> push_constant_types_{};  // 128 bytes, the least that Vulkan grants
};

}  // namespace riffle::gpu::spirv
