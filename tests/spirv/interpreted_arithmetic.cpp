#include "spirv/interpreted_arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace riffle_tests::interpreting {

namespace {

float real(word x) { return std::bit_cast<float>(x); }
word bits(float x) { return std::bit_cast<word>(x); }
std::int32_t whole(word x) { return std::bit_cast<std::int32_t>(x); }

/// One instruction. Functions of words get those of a component, and answer its word. A result is known where all that
/// it is made of is: one that is known does not make up for one that is not, which for some compilers is undefined
/// altogether.
class computation {
public:
    computation(const program& in, const instruction& i, lane_values& values, fault_list& faults)
        : i_(i), operands_(in.operands_of(i)), values_(values), faults_(faults) {}

    /// The specification numbers instructions of a kind one after the other.
    bool run() {
        if (i_.code >= code::ControlBarrier) return false;
        if (i_.code >= code::ShiftRightLogical) return of_bits();
        if (i_.code >= code::IEqual) return comparison();
        if (i_.code >= code::Any) return logic();
        if (i_.code >= code::SNegate) return arithmetic();
        if (i_.code >= code::ConvertFToU) return conversion();
        if (i_.code >= code::VectorExtractDynamic) return of_vectors();
        return i_.code == code::ExtInst && of_extended_set();
    }

private:
    template <class Function>
    bool one(Function f) {
        for (word c = 0; c < i_.result.words; ++c) {
            value* const result = values_.of(i_.result.at + c);
            const value* const x = component(0, c);
            for (const word lane : values_.running) result[lane] = {word(f(x[lane].bits)), x[lane].is_known};
        }
        return true;
    }
    template <class Function>
    bool two(Function f) {
        for (word c = 0; c < i_.result.words; ++c) {
            value* const result = values_.of(i_.result.at + c);
            const value *const x = component(0, c), *const y = component(1, c);
            for (const word lane : values_.running)
                result[lane] = {word(f(x[lane].bits, y[lane].bits)), x[lane].is_known && y[lane].is_known};
        }
        return true;
    }
    template <class Function>
    bool reals(Function f) {
        return two([&](word x, word y) { return f(real(x), real(y)); });
    }
    template <class Function>
    bool signed_ones(Function f) {
        return two([&](word x, word y) { return f(whole(x), whole(y)); });
    }
    /// A structure of two: the low words of the components, then their high ones.
    template <class Function>
    bool pair(Function f) {
        const word components = operands_[0].words;
        for (word c = 0; c < components; ++c) {
            value *const low = values_.of(i_.result.at + c), *const high = values_.of(i_.result.at + components + c);
            const value *const x = component(0, c), *const y = component(1, c);
            for (const word lane : values_.running) {
                const std::uint64_t both = f(std::uint64_t{x[lane].bits}, std::uint64_t{y[lane].bits});
                const bool is_known = x[lane].is_known && y[lane].is_known;
                low[lane] = {word(both), is_known};
                high[lane] = {word(both >> 32), is_known};
            }
        }
        return true;
    }
    /// f where the words may be had at all, and a fault where they may not.
    template <class May, class Function>
    bool two_if(May may, const char* otherwise, Function f) {
        for (word c = 0; c < i_.result.words; ++c)
            for (const word lane : values_.running) {
                const value x = component(0, c)[lane], y = component(1, c)[lane];
                const bool is_defined = may(x.bits, y.bits), is_known = x.is_known && y.is_known;
                if (!is_defined && y.is_known) faults_.add(otherwise, i_.place);
                values_.of(i_.result.at + c)[lane] = {is_defined ? word(f(x.bits, y.bits)) : 0, is_known && is_defined};
            }
        return true;
    }
    /// A scalar is every component.
    const value* component(std::size_t of, word c) {
        return values_.of(operands_[of].at + (operands_[of].words > 1 ? c : 0));
    }

    bool arithmetic() {
        switch (i_.code) {
        case code::FNegate: return one([](word x) { return x ^ 0x80000000u; });
        case code::SNegate: return one([](word x) { return 0u - x; });
        case code::IAdd: return two([](word x, word y) { return x + y; });
        case code::ISub: return two([](word x, word y) { return x - y; });
        case code::IMul: return two([](word x, word y) { return x * y; });
        case code::UDiv: return quotient([](word x, word y) { return x / y; });
        case code::UMod: return quotient([](word x, word y) { return x % y; });
        case code::FAdd: return reals([](float x, float y) { return bits(x + y); });
        case code::FSub: return reals([](float x, float y) { return bits(x - y); });
        case code::FMul: return reals([](float x, float y) { return bits(x * y); });
        case code::FDiv: return reals([](float x, float y) { return bits(x / y); });
        case code::IAddCarry: return pair([](std::uint64_t x, std::uint64_t y) { return x + y; });
        case code::ISubBorrow:
            return pair([](std::uint64_t x, std::uint64_t y) {
                return std::uint64_t{word(x - y)} | std::uint64_t{x < y} << 32;
            });
        case code::UMulExtended: return pair([](std::uint64_t x, std::uint64_t y) { return x * y; });
        default: return false;
        }
    }
    template <class Function>
    bool quotient(Function f) {
        return two_if([](word, word y) { return y != 0; }, "a division by nothing", f);
    }

    bool of_extended_set() {
        switch (extended_code(i_.literal)) {
        case extended_code::Exp: return one([](word x) { return bits(std::exp(real(x))); });
        case extended_code::Log: return one([](word x) { return bits(std::log(real(x))); });
        case extended_code::UMin: return two([](word x, word y) { return std::min(x, y); });
        case extended_code::SMin: return signed_ones([](std::int32_t x, std::int32_t y) { return std::min(x, y); });
        case extended_code::FMax: return reals([](float x, float y) { return bits(x < y ? y : x); });
        case extended_code::UMax: return two([](word x, word y) { return std::max(x, y); });
        case extended_code::SMax: return signed_ones([](std::int32_t x, std::int32_t y) { return std::max(x, y); });
        case extended_code::UClamp: return clamp([](word x) { return x; });
        case extended_code::SClamp: return clamp(whole);
        case extended_code::FindILsb: return one([](word x) { return x ? std::countr_zero(x) : -1; });
        case extended_code::FindUMsb: return one([](word x) { return 31 - std::countl_zero(x); });
        default: return false;
        }
    }
    template <class As>
    bool clamp(As as) {
        for (word c = 0; c < i_.result.words; ++c)
            for (const word lane : values_.running) {
                const value x = component(0, c)[lane], low = component(1, c)[lane], high = component(2, c)[lane];
                const bool are_known = x.is_known && low.is_known && high.is_known;
                const bool is_defined = as(low.bits) <= as(high.bits);
                if (!is_defined && are_known) faults_.add("a clamp to a range that is empty", i_.place);
                const word above = as(x.bits) < as(low.bits) ? low.bits : x.bits;
                values_.of(i_.result.at + c)[lane] = {as(above) > as(high.bits) ? high.bits : above,
                                                      are_known && is_defined};
            }
        return true;
    }

    bool comparison() {
        switch (i_.code) {
        case code::IEqual: return two([](word x, word y) { return x == y; });
        case code::INotEqual: return two([](word x, word y) { return x != y; });
        case code::UGreaterThan: return two([](word x, word y) { return x > y; });
        case code::UGreaterThanEqual: return two([](word x, word y) { return x >= y; });
        case code::ULessThan: return two([](word x, word y) { return x < y; });
        case code::ULessThanEqual: return two([](word x, word y) { return x <= y; });
        case code::SGreaterThan: return signed_ones([](std::int32_t x, std::int32_t y) { return x > y; });
        case code::SGreaterThanEqual: return signed_ones([](std::int32_t x, std::int32_t y) { return x >= y; });
        case code::SLessThan: return signed_ones([](std::int32_t x, std::int32_t y) { return x < y; });
        case code::SLessThanEqual: return signed_ones([](std::int32_t x, std::int32_t y) { return x <= y; });
        // Ordered ones are false where either is NaN, unordered ones true.
        case code::FOrdEqual: return reals([](float x, float y) { return x == y; });
        case code::FOrdNotEqual: return reals([](float x, float y) { return x < y || x > y; });
        case code::FOrdLessThan: return reals([](float x, float y) { return x < y; });
        case code::FOrdGreaterThan: return reals([](float x, float y) { return x > y; });
        case code::FOrdLessThanEqual: return reals([](float x, float y) { return x <= y; });
        case code::FOrdGreaterThanEqual: return reals([](float x, float y) { return x >= y; });
        case code::FUnordEqual: return reals([](float x, float y) { return !(x < y || x > y); });
        case code::FUnordNotEqual: return reals([](float x, float y) { return x != y; });
        case code::FUnordLessThan: return reals([](float x, float y) { return !(x >= y); });
        case code::FUnordGreaterThan: return reals([](float x, float y) { return !(x <= y); });
        case code::FUnordLessThanEqual: return reals([](float x, float y) { return !(x > y); });
        case code::FUnordGreaterThanEqual: return reals([](float x, float y) { return !(x < y); });
        default: return false;
        }
    }

    bool logic() {
        switch (i_.code) {
        case code::LogicalEqual: return two([](word x, word y) { return x == y; });
        case code::LogicalNotEqual: return two([](word x, word y) { return x != y; });
        case code::LogicalOr: return two([](word x, word y) { return x | y; });
        case code::LogicalAnd: return two([](word x, word y) { return x & y; });
        case code::LogicalNot: return one([](word x) { return !x; });
        case code::Any: return reduce([](word x, word y) { return x | y; });
        case code::All: return reduce([](word x, word y) { return x & y; });
        case code::Select: return select();
        default: return false;
        }
    }
    template <class Function>
    bool reduce(Function f) {
        for (const word lane : values_.running) {
            value all = component(0, 0)[lane];
            for (word c = 1; c < operands_[0].words; ++c) {
                const value next = component(0, c)[lane];
                all = {f(all.bits, next.bits), all.is_known && next.is_known};
            }
            values_.of(i_.result.at)[lane] = all;
        }
        return true;
    }
    bool select() {
        for (word c = 0; c < i_.result.words; ++c) {
            value* const result = values_.of(i_.result.at + c);
            const value *const condition = component(0, c), *const yes = component(1, c), *const no = component(2, c);
            for (const word lane : values_.running) {
                const value chosen = condition[lane].bits ? yes[lane] : no[lane];
                result[lane] = {chosen.bits, condition[lane].is_known && chosen.is_known};
            }
        }
        return true;
    }

    bool of_bits() {
        switch (i_.code) {
        case code::ShiftLeftLogical: return shift([](word x, word y) { return x << y; });
        case code::ShiftRightLogical: return shift([](word x, word y) { return x >> y; });
        case code::ShiftRightArithmetic: return shift([](word x, word y) { return whole(x) >> y; });
        case code::BitwiseOr: return two([](word x, word y) { return x | y; });
        case code::BitwiseXor: return two([](word x, word y) { return x ^ y; });
        case code::BitwiseAnd: return two([](word x, word y) { return x & y; });
        case code::Not: return one([](word x) { return ~x; });
        case code::BitCount: return one([](word x) { return std::popcount(x); });
        case code::BitFieldUExtract: return bit_field();
        default: return false;
        }
    }
    template <class Function>
    bool shift(Function f) {
        return two_if([](word, word y) { return y < 32; }, "a shift by more bits than there are", f);
    }
    bool bit_field() {
        for (word c = 0; c < i_.result.words; ++c)
            for (const word lane : values_.running) {
                const value x = component(0, c)[lane], from = component(1, 0)[lane], count = component(2, 0)[lane];
                const std::uint64_t end = std::uint64_t{from.bits} + count.bits;
                if (end > 32) faults_.add("a field of more bits than there are", i_.place);
                const std::uint64_t mask = end > 32 ? 0 : (std::uint64_t{1} << count.bits) - 1;
                const word shifted = from.bits < 32 ? x.bits >> from.bits : 0;
                values_.of(i_.result.at + c)[lane] = {word(shifted & mask),
                                                      x.is_known && from.is_known && count.is_known && end <= 32};
            }
        return true;
    }

    bool conversion() {
        switch (i_.code) {
        case code::ConvertSToF: return one([](word x) { return bits(float(whole(x))); });
        case code::ConvertUToF: return one([](word x) { return bits(float(x)); });
        case code::ConvertFToS:
            return integer([](float x) { return x >= -2147483648.0f && x < 2147483648.0f; },
                           [](float x) { return std::int32_t(x); });
        case code::ConvertFToU:
            return integer([](float x) { return x > -1.0f && x < 4294967296.0f; }, [](float x) { return word(x); });
        default: return false;
        }
    }
    template <class Fits, class Function>
    bool integer(Fits fits, Function f) {
        for (word c = 0; c < i_.result.words; ++c)
            for (const word lane : values_.running) {
                const value x = component(0, c)[lane];
                const bool is_defined = fits(real(x.bits));
                if (!is_defined && x.is_known) faults_.add("a float that no integer holds", i_.place);
                values_.of(i_.result.at + c)[lane] = {is_defined ? word(f(real(x.bits))) : 0, x.is_known && is_defined};
            }
        return true;
    }

    bool of_vectors() {
        switch (i_.code) {
        case code::CopyObject:
            for (word c = 0; c < i_.result.words; ++c) {
                value* const result = values_.of(i_.result.at + c);
                const value* const x = values_.of(operands_[c].at);
                for (const word lane : values_.running) result[lane] = x[lane];
            }
            return true;
        case code::VectorExtractDynamic:
            for (const word lane : values_.running)
                if (const value index = index_of_component(1, lane); index.is_known) {
                    values_.of(i_.result.at)[lane] = component(0, index.bits)[lane];
                } else {
                    values_.of(i_.result.at)[lane] = index;
                }
            return true;
        case code::VectorInsertDynamic:
            for (const word lane : values_.running) {
                const value index = index_of_component(2, lane), part = component(1, 0)[lane];
                for (word c = 0; c < i_.result.words; ++c) {
                    value& result = values_.of(i_.result.at + c)[lane];
                    result = component(0, c)[lane];
                    if (c == index.bits) result = part;
                    result.is_known &= index.is_known;
                }
            }
            return true;
        default: return false;
        }
    }
    value index_of_component(std::size_t of, word lane) {
        const value index = component(of, 0)[lane];
        if (index.is_known && index.bits < operands_[0].words) return index;
        faults_.add("a component that there is not", i_.place);
        return {0, false};
    }

    const instruction& i_;
    std::span<const operand> operands_;
    lane_values& values_;
    fault_list& faults_;
};

}  // namespace

bool compute(const program& in, const instruction& i, lane_values& values, fault_list& faults) {
    return computation(in, i, values, faults).run();
}

}  // namespace riffle_tests::interpreting
