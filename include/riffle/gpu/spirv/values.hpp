#pragma once
#include <bit>
#include <cstdint>

#include <riffle/gpu/spirv/assembler.hpp>
#include <riffle/math/config.hpp>
#include <riffle/math/lanes.hpp>
#include <riffle/math/ordered.hpp>

// Values of a shader, as C++ sees them: f32, i32, u32 and boolean. What is done to them becomes instructions. They have
// the operators and functions of the lane type (math/lanes.hpp), so maths that is written over a value type is emitted
// as it stands.
//
// A value that was made of a number is a constant until it meets another: constants among themselves are computed by
// the compiler, rounded as the device would, and no instruction is written.

namespace riffle::inline RIFFLE_ABI::gpu::spirv {

using riffle::select;  // maps find it where their values come from

class boolean;
class i32;
class u32;
class f32;

namespace detail {
struct inside;
}

/// What the value types have in common: an id of an assembler's module, or the bits of a constant.
template <scalar Of>
class operand {
public:
    static constexpr scalar type = Of;
    static constexpr std::uint32_t bytes = 4;
    static constexpr bool has_atomics = Of == scalar::integer;
    /// The ids of the type, and of pointers to it.
    static constexpr std::uint32_t type_in(assembler& code) noexcept { return code.type(Of); }
    static constexpr std::uint32_t pointer_in(assembler& code, storage where) noexcept {
        return code.pointer_type(where, Of);
    }
    constexpr operand(assembler& code, std::uint32_t id) noexcept : code_(&code), word_(id) {}
    /// The value that a pointer points to.
    template <class T>
    static constexpr T load(assembler& code, std::uint32_t pointer) noexcept {
        return {code, code.emit_scalar(op::Load, Of, pointer)};
    }

    constexpr bool is_constant() const noexcept { return code_ == nullptr; }
    /// The bits of a constant.
    constexpr std::uint32_t bits() const noexcept { return word_; }
    /// The assembler that a value lives in; nullptr for a constant.
    constexpr assembler* code() const noexcept { return code_; }
    constexpr std::uint32_t id(assembler& code) const noexcept {
        return !code_ ? code.constant(Of, word_) : word_ >= code.first_of_function() ? word_ : of_any_function(code);
    }

protected:
    constexpr explicit operand(std::uint32_t bits) noexcept : word_(bits) {}

private:
    constexpr std::uint32_t of_any_function(assembler& code) const noexcept {
        return word_ == code.local_size() ? word_ : code.value_of_another_function();
    }
    friend detail::inside;
    assembler* code_ = nullptr;
    std::uint32_t word_;
};

namespace detail {

/// What the functions below see of values. Compilers limit how many statements they run, so all this has few.
struct inside {
    template <class A, class B>
    static constexpr bool all_constant(const A& a, const B& b) noexcept {
        return !a.code_ && !b.code_;
    }
    template <class A>
    static constexpr assembler& assembler_of(const A& a) noexcept {
        return *a.code_;
    }
    template <class A, class B>
    static constexpr assembler& assembler_of(const A& a, const B& b) noexcept {
        return *(a.code_ ? a.code_ : b.code_);
    }
    template <class A, class B, class C>
    static constexpr assembler& assembler_of(const A& a, const B& b, const C& c) noexcept {
        return *(a.code_ ? a.code_ : b.code_ ? b.code_ : c.code_);
    }
};
/// One instruction over values. (Each id has a name, so that all compilers ask for them in this order.)
template <class Result, class A>
constexpr Result emit_value(op code, const A& a) noexcept {
    assembler& to = inside::assembler_of(a);
    return {to, to.emit_scalar(code, Result::type, a.id(to))};
}
template <class Result, class A, class B>
constexpr Result emit_value(op code, const A& a, const B& b) noexcept {
    assembler& to = inside::assembler_of(a, b);
    const std::uint32_t a_id = a.id(to), b_id = b.id(to);
    return {to, to.emit_scalar(code, Result::type, a_id, b_id)};
}
template <class Result, class A, class B, class C>
constexpr Result emit_value(op code, const A& a, const B& b, const C& c) noexcept {
    assembler& to = inside::assembler_of(a, b, c);
    const std::uint32_t a_id = a.id(to), b_id = b.id(to), c_id = c.id(to);
    return {to, to.emit_scalar(code, Result::type, a_id, b_id, c_id)};
}
constexpr f32 emit_arithmetic(op code, const f32& a, const f32& b) noexcept;

}  // namespace detail

/// The answer of a comparison.
class boolean : public operand<scalar::boolean> {
public:
    using operand::operand;
    constexpr boolean(bool value) noexcept : operand(std::uint32_t(value)) {}

    friend constexpr boolean operator&(const boolean& a, const boolean& b) noexcept {
        if (a.is_constant()) return a.bits() ? b : a;
        if (b.is_constant()) return b.bits() ? a : b;
        return detail::emit_value<boolean>(op::LogicalAnd, a, b);
    }
    friend constexpr boolean operator|(const boolean& a, const boolean& b) noexcept {
        if (a.is_constant()) return a.bits() ? a : b;
        if (b.is_constant()) return b.bits() ? b : a;
        return detail::emit_value<boolean>(op::LogicalOr, a, b);
    }
    friend constexpr boolean operator!(const boolean& a) noexcept {
        if (a.is_constant()) return boolean(a.bits() == 0);
        return detail::emit_value<boolean>(op::LogicalNot, a);
    }
    /// Masks of lanes are turned around like this.
    friend constexpr boolean operator~(const boolean& a) noexcept { return !a; }
};

/// 32 bits that count as an unsigned integer; sums and products wrap.
class u32 : public operand<scalar::integer> {
public:
    using operand::operand;
    constexpr u32(std::uint32_t value = 0) noexcept : operand(value) {}
    /// The bits of a signed integer, read as an unsigned one.
    constexpr explicit u32(const operand& bits) noexcept : operand(bits) {}

    friend constexpr u32 operator+(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() + b.bits()) : detail::emit_value<u32>(op::IAdd, a, b);
    }
    friend constexpr u32 operator-(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() - b.bits()) : detail::emit_value<u32>(op::ISub, a, b);
    }
    friend constexpr u32 operator*(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() * b.bits()) : detail::emit_value<u32>(op::IMul, a, b);
    }
    /// By anything but 0.
    friend constexpr u32 operator/(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() / b.bits()) : detail::emit_value<u32>(op::UDiv, a, b);
    }
    friend constexpr u32 operator%(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() % b.bits()) : detail::emit_value<u32>(op::UMod, a, b);
    }
    friend constexpr u32 operator&(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() & b.bits())
                                                  : detail::emit_value<u32>(op::BitwiseAnd, a, b);
    }
    friend constexpr u32 operator|(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() | b.bits())
                                                  : detail::emit_value<u32>(op::BitwiseOr, a, b);
    }
    friend constexpr u32 operator^(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? u32(a.bits() ^ b.bits())
                                                  : detail::emit_value<u32>(op::BitwiseXor, a, b);
    }
    friend constexpr u32 operator~(const u32& a) noexcept {
        if (a.is_constant()) return ~a.bits();
        return detail::emit_value<u32>(op::Not, a);
    }
    /// By less than 32.
    friend constexpr u32 operator<<(const u32& a, const u32& count) noexcept {
        return detail::inside::all_constant(a, count) ? u32(a.bits() << count.bits())
                                                      : detail::emit_value<u32>(op::ShiftLeftLogical, a, count);
    }
    friend constexpr u32 operator>>(const u32& a, const u32& count) noexcept {
        return detail::inside::all_constant(a, count) ? u32(a.bits() >> count.bits())
                                                      : detail::emit_value<u32>(op::ShiftRightLogical, a, count);
    }
    friend constexpr boolean operator==(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.bits() == b.bits())
                                                  : detail::emit_value<boolean>(op::IEqual, a, b);
    }
    friend constexpr boolean operator!=(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.bits() != b.bits())
                                                  : detail::emit_value<boolean>(op::INotEqual, a, b);
    }
    friend constexpr boolean operator<(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.bits() < b.bits())
                                                  : detail::emit_value<boolean>(op::ULessThan, a, b);
    }
    friend constexpr boolean operator<=(const u32& a, const u32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.bits() <= b.bits())
                                                  : detail::emit_value<boolean>(op::ULessThanEqual, a, b);
    }
    friend constexpr boolean operator>(const u32& a, const u32& b) noexcept { return b < a; }
    friend constexpr boolean operator>=(const u32& a, const u32& b) noexcept { return b <= a; }
    friend constexpr u32 blend(const boolean& condition, const u32& yes, const u32& no) noexcept {
        if (condition.is_constant()) return condition.bits() ? yes : no;
        return detail::emit_value<u32>(op::Select, condition, yes, no);
    }
    friend constexpr u32 greater_of(const u32& a, const u32& b) noexcept {
        if (detail::inside::all_constant(a, b)) return a.bits() < b.bits() ? b : a;
        return emit_extended(extended::UMax, a, b);
    }
    friend constexpr u32 lesser_of(const u32& a, const u32& b) noexcept {
        if (detail::inside::all_constant(a, b)) return b.bits() < a.bits() ? b : a;
        return emit_extended(extended::UMin, a, b);
    }
    /// The greater as signed integers.
    friend constexpr u32 greater_of_signed(const u32& a, const u32& b) noexcept {
        if (detail::inside::all_constant(a, b)) return std::int32_t(a.bits()) < std::int32_t(b.bits()) ? b : a;
        return emit_extended(extended::SMax, a, b);
    }

private:
    static constexpr u32 emit_extended(extended which, const u32& a, const u32& b) noexcept {
        assembler& to = detail::inside::assembler_of(a, b);
        const std::uint32_t a_id = a.id(to), b_id = b.id(to);
        return {to, to.emit_extended(which, type_in(to), a_id, b_id)};
    }
};

/// 32 bits that count as a signed integer; sums and products wrap. The `ints` of f32.
class i32 : public operand<scalar::integer> {
public:
    using operand::operand;
    constexpr i32(std::int32_t value = 0) noexcept : operand(std::uint32_t(value)) {}
    /// The bits of an unsigned integer, read as a signed one.
    constexpr explicit i32(const u32& bits) noexcept : operand(bits) {}

    friend constexpr i32 operator+(const i32& a, const i32& b) noexcept { return i32(u32(a) + u32(b)); }
    friend constexpr i32 operator-(const i32& a, const i32& b) noexcept { return i32(u32(a) - u32(b)); }
    friend constexpr i32 operator&(const i32& a, const i32& b) noexcept { return i32(u32(a) & u32(b)); }
    friend constexpr i32 operator|(const i32& a, const i32& b) noexcept { return i32(u32(a) | u32(b)); }
    friend constexpr i32 operator^(const i32& a, const i32& b) noexcept { return i32(u32(a) ^ u32(b)); }
    friend constexpr i32 operator~(const i32& a) noexcept { return i32(~u32(a)); }
    friend constexpr i32 operator<<(const i32& a, int count) noexcept { return i32(u32(a) << std::uint32_t(count)); }
    friend constexpr i32 shift_right_logical(const i32& a, int count) noexcept {
        return i32(u32(a) >> std::uint32_t(count));
    }
    friend constexpr i32 multiply_low(const i32& a, const i32& b) noexcept { return i32(u32(a) * u32(b)); }
    friend constexpr i32 multiply_low(const i32& a, std::uint32_t factor) noexcept { return i32(u32(a) * u32(factor)); }
    /// The upper half of the unsigned product.
    friend constexpr i32 multiply_high(const i32& a, std::uint32_t factor) noexcept;
    friend constexpr boolean operator==(const i32& a, const i32& b) noexcept { return u32(a) == u32(b); }
    friend constexpr boolean operator!=(const i32& a, const i32& b) noexcept { return u32(a) != u32(b); }
    friend constexpr boolean operator<(const i32& a, const i32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(std::int32_t(a.bits()) < std::int32_t(b.bits()))
                                                  : detail::emit_value<boolean>(op::SLessThan, a, b);
    }
    friend constexpr i32 blend(const boolean& condition, const i32& yes, const i32& no) noexcept {
        return i32(blend(condition, u32(yes), u32(no)));
    }
};

/// A float.
class f32 : public operand<scalar::real> {
public:
    using operand::operand;
    using ints = i32;
    constexpr f32(float value = 0.0f) noexcept : operand(std::bit_cast<std::uint32_t>(value)) {}

    /// Of a constant.
    constexpr float value() const noexcept { return std::bit_cast<float>(bits()); }

    friend constexpr f32 operator+(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? f32(a.value() + b.value())
                                                  : detail::emit_arithmetic(op::FAdd, a, b);
    }
    friend constexpr f32 operator-(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? f32(a.value() - b.value())
                                                  : detail::emit_arithmetic(op::FSub, a, b);
    }
    friend constexpr f32 operator*(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? f32(a.value() * b.value())
                                                  : detail::emit_arithmetic(op::FMul, a, b);
    }
    friend constexpr f32 operator-(const f32& a) noexcept {
        if (a.is_constant()) return -a.value();
        return detail::emit_value<f32>(op::FNegate, a);
    }
    // No comparison may be asked of NaN, and none is asked of infinities by riffle itself.
    friend constexpr boolean operator<(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() < b.value())
                                                  : detail::emit_value<boolean>(op::FOrdLessThan, a, b);
    }
    friend constexpr boolean operator<=(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() <= b.value())
                                                  : detail::emit_value<boolean>(op::FOrdLessThanEqual, a, b);
    }
    friend constexpr boolean operator>(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() > b.value())
                                                  : detail::emit_value<boolean>(op::FOrdGreaterThan, a, b);
    }
    friend constexpr boolean operator>=(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() >= b.value())
                                                  : detail::emit_value<boolean>(op::FOrdGreaterThanEqual, a, b);
    }
    friend constexpr boolean operator==(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() == b.value())
                                                  : detail::emit_value<boolean>(op::FOrdEqual, a, b);
    }
    friend constexpr boolean operator!=(const f32& a, const f32& b) noexcept {
        return detail::inside::all_constant(a, b) ? boolean(a.value() != b.value())
                                                  : detail::emit_value<boolean>(op::FUnordNotEqual, a, b);
    }
    friend constexpr f32 blend(const boolean& condition, const f32& yes, const f32& no) noexcept {
        if (condition.is_constant()) return condition.bits() ? yes : no;
        return detail::emit_value<f32>(op::Select, condition, yes, no);
    }
    /// The greater and the lesser; b where either is NaN.
    friend constexpr f32 greater_of(const f32& a, const f32& b) noexcept { return blend(a > b, a, b); }
    friend constexpr f32 lesser_of(const f32& a, const f32& b) noexcept { return blend(a < b, a, b); }

    /// The greater of two that are no NaN.
    friend constexpr f32 greater_number_of(const f32& a, const f32& b) noexcept {
        if (detail::inside::all_constant(a, b)) return greater_of(a, b);
        assembler& to = detail::inside::assembler_of(a, b);
        const std::uint32_t a_id = a.id(to), b_id = b.id(to);
        return {to, to.emit_extended(extended::FMax, type_in(to), a_id, b_id)};
    }

    friend constexpr i32 as_bits(const f32& a) noexcept {
        if (a.is_constant()) return std::int32_t(a.bits());
        return detail::emit_value<i32>(op::Bitcast, a);
    }
    static constexpr f32 from_bits(const i32& bits) noexcept {
        if (bits.is_constant()) return std::bit_cast<float>(bits.bits());
        return detail::emit_value<f32>(op::Bitcast, bits);
    }
    static constexpr f32 from_bits(const u32& bits) noexcept { return from_bits(i32(bits)); }
    /// To the integer next to zero (|a| < 2^31), and back.
    friend constexpr i32 truncate(const f32& a) noexcept {
        if (a.is_constant()) return std::int32_t(a.value());
        return detail::emit_value<i32>(op::ConvertFToS, a);
    }
    static constexpr f32 from_int(const i32& a) noexcept {
        if (a.is_constant()) return float(std::int32_t(a.bits()));
        return detail::emit_value<f32>(op::ConvertSToF, a);
    }
};

namespace detail {
constexpr f32 emit_arithmetic(op code, const f32& a, const f32& b) noexcept {
    assembler& to = inside::assembler_of(a, b);
    const std::uint32_t a_id = a.id(to), b_id = b.id(to);
    return {to, to.emit_arithmetic(code, a_id, b_id)};
}
}  // namespace detail

/// canonical (math/ordered.hpp). By the bits alone: a device need not compare NaN and infinities as IEEE 754 does.
constexpr f32 canonical(const f32& a) noexcept {
    if (a.is_constant()) return riffle::canonical(a.value());
    const u32 bits(as_bits(a));
    const u32 magnitude = bits & 0x7fffffffu;
    const u32 special = blend(bits == 0x7f800000u, u32(0x7f7fffffu), u32(0xff800000u));
    const u32 finite = blend(magnitude < std::uint32_t(least_magnitude), u32(0u), bits);
    return f32::from_bits(blend(magnitude >= 0x7f800000u, special, finite));
}

/// Two words, low first: a wide product, or a sum and its carry.
struct word_pair {
    u32 low, high;
};
namespace detail {
constexpr word_pair emit_pair(op code, const u32& a, const u32& b) noexcept {
    assembler& to = inside::assembler_of(a, b);
    const std::uint32_t a_id = a.id(to), b_id = b.id(to);
    const std::uint32_t pair = to.emit_of_type(code, to.pair_type(), a_id, b_id);
    const u32 low(to, to.emit_scalar(op::CompositeExtract, scalar::integer, pair, 0));
    const u32 high(to, to.emit_scalar(op::CompositeExtract, scalar::integer, pair, 1));
    return {low, high};
}
constexpr bool is_portable(const u32& a, const u32& b) noexcept { return inside::assembler_of(a, b).options().portable; }
/// The upper word of a * b, out of four products of 16 bits each.
constexpr u32 high_product(const u32& a, const u32& b) noexcept {
    const u32 a_low = a & 0xffffu, a_high = a >> 16u, b_low = b & 0xffffu, b_high = b >> 16u;
    const u32 lowest = a_low * b_low, crossed = a_high * b_low, other = a_low * b_high, highest = a_high * b_high;
    const u32 middle = (lowest >> 16u) + crossed;  // below 2^32, as (2^16 - 1)^2 + 2^16 - 1 is
    const u32 rest = (middle & 0xffffu) + other;
    return (highest + (middle >> 16u)) + (rest >> 16u);
}
}  // namespace detail
/// The 64 bits of a * b.
constexpr word_pair multiply_wide(const u32& a, const u32& b) noexcept {
    if (!detail::inside::all_constant(a, b)) {
        if (!detail::is_portable(a, b)) return detail::emit_pair(op::UMulExtended, a, b);
        const u32 low = a * b;
        return {low, detail::high_product(a, b)};
    }
    const std::uint64_t product = std::uint64_t{a.bits()} * b.bits();
    return {std::uint32_t(product), std::uint32_t(product >> 32)};
}
/// a + b, and 1 where it did not fit.
constexpr word_pair add_with_carry(const u32& a, const u32& b) noexcept {
    if (!detail::inside::all_constant(a, b)) {
        if (!detail::is_portable(a, b)) return detail::emit_pair(op::IAddCarry, a, b);
        const u32 sum = a + b;
        return {sum, blend(sum < a, u32(1u), u32(0u))};
    }
    const std::uint64_t sum = std::uint64_t{a.bits()} + b.bits();
    return {std::uint32_t(sum), std::uint32_t(sum >> 32)};
}
/// a - b, and 1 where that is below 0.
constexpr word_pair subtract_with_borrow(const u32& a, const u32& b) noexcept {
    if (!detail::inside::all_constant(a, b)) {
        if (!detail::is_portable(a, b)) return detail::emit_pair(op::ISubBorrow, a, b);
        const u32 difference = a - b;
        return {difference, blend(a < b, u32(1u), u32(0u))};
    }
    return {a.bits() - b.bits(), std::uint32_t(a.bits() < b.bits())};
}
constexpr i32 multiply_high(const i32& a, std::uint32_t factor) noexcept {
    return i32(multiply_wide(u32(a), u32(factor)).high);
}

/// exp and log as the device has them, to a few units in the last place: numerics::fast.
constexpr f32 native_exp(const f32& a) noexcept {
    assembler& to = *a.code();
    return {to, to.emit_extended(extended::Exp, f32::type_in(to), a.id(to))};
}
constexpr f32 native_log(const f32& a) noexcept {
    assembler& to = *a.code();
    return {to, to.emit_extended(extended::Log, f32::type_in(to), a.id(to))};
}

}  // namespace riffle::gpu::spirv
