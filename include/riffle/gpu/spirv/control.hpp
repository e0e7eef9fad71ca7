#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <riffle/gpu/spirv/memory.hpp>
#include <riffle/math/config.hpp>

// Structured control flow. Bodies are functions without arguments that write instructions; loops keep what they count
// in variables, so no phi is ever needed.

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// Waits for all invocations of the work group, and shows each what the others wrote to shared arrays. Only where all
/// of them pass.
constexpr void barrier(assembler& code) noexcept {
    const std::uint32_t group = code.constant(scalar::integer, std::uint32_t(scope::Workgroup)),
                        order = code.constant(scalar::integer, acquire_release | workgroup_memory);
    code.barrier(group, order);
}
/// All invocations of the work group have come here, and each sees what the others wrote to shared memory and buffers.
constexpr void buffer_barrier(assembler& code) noexcept {
    const std::uint32_t group = code.constant(scalar::integer, std::uint32_t(scope::Workgroup)),
                        order = code.constant(scalar::integer, acquire_release | workgroup_memory | uniform_memory);
    code.barrier(group, order);
}

/// Index of the invocation in its work group.
constexpr u32 invocation_index(assembler& code) noexcept {
    const std::uint32_t input = code.input(built_in::LocalInvocationIndex, code.type(scalar::integer));
    return {code, code.emit_scalar(op::Load, scalar::integer, input)};
}
namespace detail {
/// In portable modules what a branch with barriers behind it depends on becomes a word of shared memory, which one
/// invocation has written. `at`: where the branch was written, of which the word at the distance is its operand;
/// `barriers`: how many there were then.
template <class Asked>
constexpr void make_uniform(assembler& code, std::size_t at, std::size_t distance, std::uint32_t barriers,
                            const Asked& asked) noexcept {
    if (!code.options().portable || code.barriers() == barriers) return;
    code.insert(at, distance, [&] {
        const place<u32> direction(code, code.shared_direction());
        barrier(code);  // all have read what was told before
        const std::uint32_t is_first = (invocation_index(code) == 0u).id(code), yes = code.new_id(),
                            end = code.new_id();
        code.branch_to_next(is_first, yes, end, end);
        if constexpr (Asked::type == scalar::boolean) direction.store(blend(asked, u32(1u), u32(0u)));
        else direction.store(asked);
        code.branch_to_next(end, end);
        barrier(code);
        const u32 told = direction.load();
        if constexpr (Asked::type == scalar::boolean) return (told != 0u).id(code);
        else return told.id(code);
    });
}
}  // namespace detail

/// then() where the condition holds. One that is known already costs nothing.
template <class Then>
constexpr void if_(assembler& code, const boolean& condition, Then then) noexcept {
    if (condition.is_constant()) {
        if (condition.bits()) then();
        return;
    }
    const std::uint32_t asked = condition.id(code), yes = code.new_id(), end = code.new_id(),
                        barriers = code.barriers();
    const std::size_t at = code.written();
    code.branch_to_next(asked, yes, end, end);
    then();
    code.branch_to_next(end, end);
    detail::make_uniform(code, at, 4, barriers, condition);
}

template <class Then, class Else>
constexpr void if_(assembler& code, const boolean& condition, Then then, Else otherwise) noexcept {
    if (condition.is_constant()) {
        if (condition.bits()) then();
        else otherwise();
        return;
    }
    const std::uint32_t asked = condition.id(code), yes = code.new_id(), no = code.new_id(), end = code.new_id(),
                        barriers = code.barriers();
    const std::size_t at = code.written();
    code.branch_to_next(asked, yes, no, end);
    then();
    code.branch_to_next(end, no);
    otherwise();
    code.branch_to_next(end, end);
    detail::make_uniform(code, at, 4, barriers, condition);
}

/// body(i) where the selector is i, for the numbers i that have a bit in a set.
template <class Body>
constexpr void switch_(assembler& code, const u32& selector, std::uint32_t set, Body body) noexcept {
    const std::uint32_t asked = selector.id(code), end = code.new_id(), first = code.next_id(),
                        barriers = code.barriers();
    const std::size_t at = code.written();
    code.begin_switch(asked, set, end);
    std::uint32_t label = first;
    for (std::uint32_t i = 0; i < 32; ++i) {
        if (!(set >> i & 1)) continue;
        code.label(label++);
        body(i);
        code.emit_only(op::Branch, end);
    }
    code.label(end);
    detail::make_uniform(code, at, 4, barriers, selector);
}

/// While condition() holds: body(), then next().
template <class Condition, class Body, class Next>
constexpr void while_(assembler& code, Condition condition, Body body, Next next) noexcept {
    const std::uint32_t head = code.new_id(), test = code.new_id(), inside = code.new_id(), again = code.new_id(),
                        end = code.new_id();
    code.branch_to_next(head, head);
    code.emit_only(op::LoopMerge, end, again, dont_unroll);
    code.branch_to_next(test, test);
    const boolean goes_on(condition());
    const std::uint32_t asked = goes_on.id(code), barriers = code.barriers();
    const std::size_t at = code.written();
    code.emit_only(op::BranchConditional, asked, inside, end);
    code.label(inside);
    body();
    code.branch_to_next(again, again);
    next();
    code.branch_to_next(head, end);
    detail::make_uniform(code, at, 1, barriers, goes_on);
}

/// body(i) for i = first, first + step, ... below `end`. (first + step must not pass 2^32.)
template <class Body>
constexpr void for_(assembler& code, const u32& first, const u32& end, const u32& step, Body body) noexcept {
    variable<u32> i(code, first);
    while_(
        code, [&] { return i < end; }, [&] { body(i.load()); }, [&] { i = i + step; });
}

/// The greatest of what the active invocations of a subgroup hold, and whether this is the one that may speak for them.
/// Only where the module allows subgroups.
constexpr u32 subgroup_greatest(assembler& code, const u32& value) noexcept {
    const std::uint32_t by = code.constant(scalar::integer, std::uint32_t(scope::Subgroup)), operand = value.id(code);
    constexpr std::uint32_t reduce = 0;
    return {code, code.emit_scalar(op::GroupNonUniformUMax, scalar::integer, by, reduce, operand)};
}
constexpr boolean is_elected(assembler& code) noexcept {
    const std::uint32_t by = code.constant(scalar::integer, std::uint32_t(scope::Subgroup));
    return {code, code.emit_scalar(op::GroupNonUniformElect, scalar::boolean, by)};
}

/// The index of the work group, along one of three dimensions.
constexpr u32 group(assembler& code, std::uint32_t dimension = 0) noexcept {
    const std::uint32_t vector = code.vector_type(), input = code.input(built_in::WorkgroupId, vector),
                        loaded = code.emit_of_type(op::Load, vector, input);
    return {code, code.emit_scalar(op::CompositeExtract, scalar::integer, loaded, dimension)};
}
/// How many invocations a work group has.
constexpr u32 group_size(assembler& code) noexcept {
    return code.local_size() ? u32(code, code.local_size()) : u32(portable_group_size);
}

/// A function of N integers that returns one; it sees private variables, buffers and shared arrays, and no other value
/// of what stands around it. Calling it writes a call.
template <std::size_t N>
class integer_function {
public:
    /// To be assigned before use.
    constexpr integer_function() noexcept = default;
    constexpr bool is_written() const noexcept { return code_ != nullptr; }
    template <class Body>
    constexpr integer_function(assembler& code, Body body) noexcept
        : code_(&code), id_(code.integer_function<N>([&](const std::array<std::uint32_t, N>& arguments) {
              return write(code, body, arguments, std::make_index_sequence<N>());
          })) {}
    template <std::convertible_to<u32>... Arguments>
        requires(sizeof...(Arguments) == N)
    constexpr u32 operator()(const Arguments&... arguments) const noexcept {
        const std::array<std::uint32_t, N> given{static_cast<u32>(arguments).id(*code_)...};
        return call(given, std::make_index_sequence<N>());
    }

private:
    template <class Body, std::size_t... At>
    static constexpr std::uint32_t write(assembler& code, Body& body, const std::array<std::uint32_t, N>& arguments,
                                         std::index_sequence<At...>) noexcept {
        return u32(body(u32(code, arguments[At])...)).id(code);
    }
    template <std::size_t... At>
    constexpr u32 call(const std::array<std::uint32_t, N>& given, std::index_sequence<At...>) const noexcept {
        return {*code_, code_->call(id_, given[At]...)};
    }

    assembler* code_ = nullptr;
    std::uint32_t id_ = 0;
};

}  // namespace riffle::gpu::spirv
