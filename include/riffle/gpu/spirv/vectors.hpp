#pragma once
#include <cstdint>

#include <riffle/gpu/spirv/values.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

/// Four integers side by side: what one load brings of a row. An operator takes one component after the other.
class u32x4 {
public:
    static constexpr std::uint32_t bytes = 16;
    static constexpr bool has_atomics = false;
    static constexpr std::uint32_t type_in(assembler& code) noexcept { return code.four_type(); }
    static constexpr std::uint32_t pointer_in(assembler& code, storage where) noexcept {
        return code.pointer_to_four(where);
    }

    constexpr u32x4(assembler& code, std::uint32_t id) noexcept : code_(&code), id_(id) {}
    static constexpr bool is_constant() noexcept { return false; }
    /// The value that a pointer points to.
    template <class T>
    static constexpr T load(assembler& code, std::uint32_t pointer) noexcept {
        return {code, code.emit_of_type(op::Load, code.four_type(), pointer)};
    }
    /// Four times the same.
    constexpr u32x4(assembler& code, const u32& of) noexcept : code_(&code) {
        const std::uint32_t one = of.id(code);
        id_ = code.emit_of_type(op::CompositeConstruct, code.four_type(), one, one, one, one);
    }
    constexpr u32x4(assembler& code, const u32& a, const u32& b, const u32& c, const u32& d) noexcept : code_(&code) {
        const std::uint32_t first = a.id(code), second = b.id(code), third = c.id(code), fourth = d.id(code);
        id_ = code.emit_of_type(op::CompositeConstruct, code.four_type(), first, second, third, fourth);
    }
    constexpr std::uint32_t id(assembler& code) const noexcept {
        return id_ >= code.first_of_function() ? id_ : code.value_of_another_function();
    }

    /// 0 to 3.
    constexpr u32 operator[](std::uint32_t component) const noexcept {
        return {*code_, code_->emit_scalar(op::CompositeExtract, scalar::integer, id(*code_), component)};
    }
    friend constexpr u32x4 operator^(const u32x4& a, const u32x4& b) noexcept {
        assembler& to = *a.code_;
        const std::uint32_t a_id = a.id(to), b_id = b.id(to);
        return {to, to.emit_of_type(op::BitwiseXor, to.four_type(), a_id, b_id)};
    }
    friend constexpr u32x4 operator&(const u32x4& a, const u32x4& b) noexcept {
        assembler& to = *a.code_;
        const std::uint32_t a_id = a.id(to), b_id = b.id(to);
        return {to, to.emit_of_type(op::BitwiseAnd, to.four_type(), a_id, b_id)};
    }
    /// Each by its own count, below 32.
    friend constexpr u32x4 operator<<(const u32x4& a, const u32x4& counts) noexcept {
        assembler& to = *a.code_;
        const std::uint32_t a_id = a.id(to), counts_id = counts.id(to);
        return {to, to.emit_of_type(op::ShiftLeftLogical, to.four_type(), a_id, counts_id)};
    }
    /// a and b by turns: their first two components, or the last two.
    friend constexpr u32x4 first_by_turns(const u32x4& a, const u32x4& b) noexcept { return a.by_turns(b, 0); }
    friend constexpr u32x4 last_by_turns(const u32x4& a, const u32x4& b) noexcept { return a.by_turns(b, 2); }
    friend constexpr u32x4 greater_of(const u32x4& a, const u32x4& b) noexcept { return a.beside(extended::UMax, b); }
    friend constexpr u32x4 lesser_of(const u32x4& a, const u32x4& b) noexcept { return a.beside(extended::UMin, b); }
    /// As signed integers.
    friend constexpr u32x4 greater_of_signed(const u32x4& a, const u32x4& b) noexcept {
        return a.beside(extended::SMax, b);
    }

private:
    constexpr u32x4 by_turns(const u32x4& b, std::uint32_t first) const noexcept {
        assembler& to = *code_;
        const std::uint32_t a_id = id(to), b_id = b.id(to);
        return {to,
                to.emit_of_type(op::VectorShuffle, to.four_type(), a_id, b_id, first, first + 4, first + 1, first + 5)};
    }
    constexpr u32x4 beside(extended which, const u32x4& b) const noexcept {
        assembler& to = *code_;
        const std::uint32_t a_id = id(to), b_id = b.id(to);
        return {to, to.emit_extended(which, to.four_type(), a_id, b_id)};
    }

    assembler* code_;
    std::uint32_t id_ = 0;
};

/// The greatest and the least of the four.
constexpr u32 greatest_in(const u32x4& all) noexcept {
    const u32 a = all[0], b = all[1], c = all[2], d = all[3];
    const u32 first = greater_of(a, b), second = greater_of(c, d);
    return greater_of(first, second);
}
constexpr u32 least_in(const u32x4& all) noexcept {
    const u32 a = all[0], b = all[1], c = all[2], d = all[3];
    const u32 first = lesser_of(a, b), second = lesser_of(c, d);
    return lesser_of(first, second);
}
constexpr u32 greatest_signed_in(const u32x4& all) noexcept {
    const u32 a = all[0], b = all[1], c = all[2], d = all[3];
    const u32 first = greater_of_signed(a, b), second = greater_of_signed(c, d);
    return greater_of_signed(first, second);
}

}  // namespace riffle::gpu::spirv
