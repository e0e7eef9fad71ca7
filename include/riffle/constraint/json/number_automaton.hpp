#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/json/decimal.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a number must be.
template <class Decimal>
struct basic_number_set {
    struct bound {
        Decimal at;
        bool is_exclusive = false;
        friend bool operator==(const bound&, const bound&) = default;
    };
    struct divisor {
        Decimal of;
        bool is_none = false;  ///< the number must be no multiple of it
        friend bool operator==(const divisor&, const divisor&) = default;
    };
    bool has_integers = true, has_fractions = true;
    std::vector<bound> least, most;
    std::vector<divisor> divisors;
    std::vector<Decimal> excluded;

    friend bool operator==(const basic_number_set&, const basic_number_set&) = default;
    bool is_bounded() const noexcept {
        return !least.empty() || !most.empty() || !divisors.empty() || !excluded.empty() || !has_integers;
    }
};
using number_set = basic_number_set<decimal>;

/// Makes the automaton of the numbers of a set, in JSON's notation: digits are compared with the digits of the bounds
/// as they come, and rests are carried along for the divisors, so that bounds of any size hold exactly. No zero has a
/// sign; an exponent comes only where nothing bounds the number.
template <class Set, class Automaton = character_automaton>
class number_automaton {
public:
    /// `most_digits`: ahead of the point, and behind it; more where the bounds ask for more. Without `counts` there is
    /// no such limit, and fewer states: whoever reads may count.
    number_automaton(const Set& of, std::uint32_t most_digits, bool counts = true)
        : of_(of), counts_(counts), most_ahead_(counts ? most_digits : 1), most_behind_(counts ? most_digits : 1) {
        for (const auto& b : of.least) add_comparison(b.at, !b.at.is_negative);
        for (const auto& b : of.most) add_comparison(b.at, b.at.is_negative);
        for (const auto& e : of.excluded) add_comparison(e, false);
        for (const auto& d : of.divisors) most_behind_ = (std::max)(most_behind_, std::uint32_t(d.of.digits_behind()));
    }
    /// False where there are more states than `most`.
    bool make(std::size_t most, Automaton& into) {
        into = {};
        if (!of_.is_bounded() && counts_) {
            write_plain(into);
            return true;
        }
        place at, to;
        numbers_.number_of(packed(at));
        for (std::size_t i = 0; i < numbers_.count(); ++i) {
            if (numbers_.count() > most) return false;
            unpack(numbers_[i], at);
            into.add_state(may_end(at));
            for (const char c : {'+', '-', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'E', 'e'}) {
                to = at;
                if (!read(to, c)) continue;
                const auto code = code_point(std::uint8_t(c));
                into.add_arc(code, code, numbers_.number_of(packed(to)));
            }
        }
        into = minimized(without_dead_ends(into));
        return true;
    }

private:
    enum phase : std::uint32_t {
        at_begin,
        behind_sign,
        at_zero,
        in_integer,
        at_point,
        in_fraction,
        at_exponent,
        behind_exponent_sign,
        in_exponent
    };
    enum : std::uint32_t { equal, below, above };
    enum : std::uint32_t { most_exponent_digits = 2 };

    /// Where a number stands that has been read so far.
    struct place {
        std::uint32_t phase = at_begin;
        bool is_negative = false, is_nonzero = false, has_fraction = false;
        std::uint32_t digits = 0;           ///< of the part that is read now
        std::vector<std::uint32_t> orders;  ///< of its digits and those of what it is compared with
        std::vector<std::uint32_t> rests;   ///< of the divisors
        std::vector<std::uint32_t> zeros;   ///< that came last, as far as a divisor wants them
    };

    /// `is_far`: the number must have as many digits as this at least.
    void add_comparison(const decimal& with, bool is_far) {
        compared_.push_back(with);
        if ((is_far || !counts_) && with.digits_ahead() > std::int64_t(most_ahead_))
            most_ahead_ = std::uint32_t(with.digits_ahead());
        most_behind_ = (std::max<std::uint32_t>)(most_behind_, std::uint32_t(with.digits_behind()));
    }

    const std::vector<std::uint32_t>& packed(const place& p) {
        const std::uint32_t marks =
            std::uint32_t(p.is_negative) | std::uint32_t(p.is_nonzero) << 1 | std::uint32_t(p.has_fraction) << 2;
        key_.assign({p.phase, marks, p.digits});
        for (std::size_t i = 0; i < compared_.size(); ++i)
            key_.push_back(i < p.orders.size() ? p.orders[i] : std::uint32_t{equal});
        for (std::size_t i = 0; i < of_.divisors.size(); ++i) {
            key_.push_back(i < p.rests.size() ? p.rests[i] : 0);
            key_.push_back(i < p.zeros.size() ? p.zeros[i] : 0);
        }
        return key_;
    }
    void unpack(const std::vector<std::uint32_t>& key, place& p) const {
        p.phase = key[0];
        p.is_negative = (key[1] & 1) != 0;
        p.is_nonzero = (key[1] & 2) != 0;
        p.has_fraction = (key[1] & 4) != 0;
        p.digits = key[2];
        const auto orders = key.begin() + 3, divisors = orders + std::ptrdiff_t(compared_.size());
        p.orders.assign(orders, divisors);
        p.rests.clear();
        p.zeros.clear();
        for (auto i = divisors; i != key.end(); i += 2) {
            p.rests.push_back(i[0]);
            p.zeros.push_back(i[1]);
        }
    }

    // ---- numbers that nothing bounds: the states one behind the other, which is quick

    void write_plain(Automaton& into) const {
        const std::uint32_t d = most_ahead_, f = of_.has_fractions ? most_behind_ : 0;
        // Places of: the sign, 0, digits, and where there are fractions the point, digits; the exponent; and behind -0
        // its point and zeros, behind which something must come.
        const std::uint32_t sign = 1, zero = 2, integer = 3, point = integer + d, fraction = point + 1;
        const std::uint32_t exponent = fraction + f, minus_zero = exponent + 4, zeros = minus_zero + 2;
        const auto arc = [&](char first, char last, std::uint32_t to) {
            into.add_arc(code_point(std::uint8_t(first)), code_point(std::uint8_t(last)), to);
        };
        const auto add_exponent = [&] {
            arc('E', 'E', exponent);
            arc('e', 'e', exponent);
        };
        into.add_state();
        arc('-', '-', sign);
        arc('0', '0', zero);
        arc('1', '9', integer);
        into.add_state();  // the sign
        if (f > 0) arc('0', '0', minus_zero);
        arc('1', '9', integer);
        for (std::uint32_t i = 0; i <= d; ++i) {  // 0, then digits
            into.add_state(1);
            if (f > 0) arc('.', '.', point);
            if (i > 0 && i < d) arc('0', '9', integer + i);
            if (of_.has_fractions) add_exponent();
        }
        if (f == 0 && !of_.has_fractions) return;
        into.add_state();  // the point
        if (f > 0) arc('0', '9', fraction);
        for (std::uint32_t i = 1; i <= f; ++i) {
            into.add_state(1);
            if (i < f) arc('0', '9', fraction + i);
            add_exponent();
        }
        into.add_state();  // e
        arc('+', '+', exponent + 1);
        arc('-', '-', exponent + 1);
        arc('0', '9', exponent + 2);
        into.add_state();  // its sign
        arc('0', '9', exponent + 2);
        into.add_state(1);
        arc('0', '9', exponent + 3);
        into.add_state(1);
        if (f == 0) return;
        into.add_state();  // -0
        arc('.', '.', minus_zero + 1);
        for (std::uint32_t i = 0; i < f; ++i) {  // -0. and so many zeros
            into.add_state();
            if (i + 1 < f) arc('0', '0', zeros + i);
            arc('1', '9', fraction + i);
        }
    }

    // ---- a character

    bool read(place& p, char c) const {
        if (c >= '0' && c <= '9') return read_digit(p, c - '0');
        switch (c) {
        case '-':
            if (p.phase == at_begin) {
                p.phase = behind_sign;
                p.is_negative = true;
                return true;
            }
            [[fallthrough]];
        case '+':
            if (p.phase != at_exponent) return false;
            p.phase = behind_exponent_sign;
            return true;
        case '.':
            if ((p.phase != at_zero && p.phase != in_integer) || !of_.has_fractions) return false;
            end_integer(p);
            p.phase = at_point;
            p.digits = 0;
            return true;
        default:  // an exponent
            if (p.phase != at_zero && p.phase != in_integer && p.phase != in_fraction) return false;
            if (of_.is_bounded() || !of_.has_fractions || (p.is_negative && !p.is_nonzero)) return false;
            p.phase = at_exponent;
            p.digits = 0;
            return true;
        }
    }
    bool read_digit(place& p, int digit) const {
        switch (p.phase) {
        case at_begin:
        case behind_sign: p.phase = digit == 0 ? at_zero : in_integer; break;
        case in_integer: break;
        case at_point:
        case in_fraction: p.phase = in_fraction; return read_fraction(p, digit);
        case at_exponent:
        case behind_exponent_sign:
        case in_exponent: p.phase = in_exponent; return ++p.digits <= most_exponent_digits;
        default: return false;  // 0 has no digits behind it
        }
        if (!add_digit(p, most_ahead_)) return false;
        p.is_nonzero |= digit != 0;
        for (std::size_t i = 0; i < compared_.size(); ++i) {
            const decimal& with = compared_[i];
            const std::int64_t ahead = (std::max<std::int64_t>)(1, with.digits_ahead());
            if (std::int64_t(p.digits) <= ahead) compare(p.orders[i], digit, with.digit(ahead - p.digits));
        }
        for (std::size_t i = 0; i < of_.divisors.size(); ++i) carry(p, i, digit);
        return true;
    }
    /// Where digits are not counted, one more than are compared stands for all more.
    bool add_digit(place& p, std::uint32_t most) const noexcept {
        if (counts_ && p.digits == most) return false;
        if (p.digits <= most) ++p.digits;
        return true;
    }
    static void compare(std::uint32_t& so_far, int digit, int with) noexcept {
        if (so_far == equal) so_far = digit == with ? equal : digit < with ? below : above;
    }
    /// Which of two has more digits decides, if they differ in that.
    void end_integer(place& p) const {
        for (std::size_t i = 0; i < compared_.size(); ++i) {
            const std::int64_t ahead = (std::max<std::int64_t>)(1, compared_[i].digits_ahead());
            if (std::int64_t(p.digits) != ahead) p.orders[i] = std::int64_t(p.digits) < ahead ? below : above;
        }
    }
    bool read_fraction(place& p, int digit) const {
        if (!add_digit(p, most_behind_)) return false;
        p.is_nonzero |= digit != 0;
        p.has_fraction |= digit != 0;
        for (std::size_t i = 0; i < compared_.size(); ++i)
            compare(p.orders[i], digit, compared_[i].digit(-std::int64_t(p.digits)));
        for (std::size_t i = 0; i < of_.divisors.size(); ++i) {
            const bool counts = std::int64_t(p.digits) <= of_.divisors[i].of.digits_behind();
            if (counts) carry(p, i, digit);
            else if (digit != 0) p.zeros[i] = no_multiple;
        }
        return true;
    }

    // ---- divisors: d · 10^e. With e below 0 the number is multiplied by 10^-e. With e above 0 its last e digits must
    // be zeros, and the rest is that of the digits before them.

    enum : std::uint32_t { no_multiple = ~0u };

    static std::uint32_t modulus(const decimal& of) noexcept {
        std::uint32_t m = 0;
        for (const char c : of.digits) m = m * 10 + std::uint32_t(c - '0');
        return m;
    }
    void carry(place& p, std::size_t i, int digit) const {
        const decimal& of = of_.divisors[i].of;
        const std::uint32_t m = modulus(of);
        if (p.zeros[i] == no_multiple) return;
        const auto append = [&](int d) { p.rests[i] = (p.rests[i] * 10 + std::uint32_t(d)) % m; };
        if (of.exponent <= 0) return append(digit);
        if (digit == 0) {
            if (std::int64_t(p.zeros[i]) < of.exponent) ++p.zeros[i];
            else append(0);
            return;
        }
        for (; p.zeros[i] > 0; --p.zeros[i]) append(0);
        append(digit);
    }
    bool is_multiple(const place& p, std::size_t i) const {
        const decimal& of = of_.divisors[i].of;
        if (p.zeros[i] == no_multiple) return false;
        if (!p.is_nonzero) return true;
        if (of.exponent > 0) return std::int64_t(p.zeros[i]) == of.exponent && p.rests[i] == 0 && !p.has_fraction;
        const std::int64_t behind = p.phase == in_fraction ? p.digits : 0;
        std::uint32_t rest = p.rests[i];
        for (std::int64_t k = behind; k < of.digits_behind(); ++k) rest = rest * 10 % modulus(of);
        return rest == 0;
    }

    // ---- the end

    bool may_end(place p) const {
        if (p.phase == in_exponent) return true;
        if (p.phase != at_zero && p.phase != in_integer && p.phase != in_fraction) return false;
        if (p.is_negative && !p.is_nonzero) return false;
        if (p.phase != in_fraction) end_integer(p);
        if (!of_.has_integers && !p.has_fraction) return false;
        for (std::size_t i = 0; i < of_.divisors.size(); ++i)
            if (is_multiple(p, i) == of_.divisors[i].is_none) return false;
        std::size_t next = 0;
        for (const auto& b : of_.least) {
            const int order = order_to(p, next++);
            if (order < 0 || (order == 0 && b.is_exclusive)) return false;
        }
        for (const auto& b : of_.most) {
            const int order = order_to(p, next++);
            if (order > 0 || (order == 0 && b.is_exclusive)) return false;
        }
        for (std::size_t i = 0; i < of_.excluded.size(); ++i)
            if (order_to(p, next++) == 0) return false;
        return true;
    }
    /// The number and what it is compared with: below 0, 0 or above.
    int order_to(const place& p, std::size_t i) const {
        const decimal& with = compared_[i];
        if (p.is_negative != with.is_negative) return p.is_negative ? -1 : with.is_zero() && !p.is_nonzero ? 0 : 1;
        std::uint32_t order = p.orders[i];
        if (order == equal && with.digits_behind() > std::int64_t(p.phase == in_fraction ? p.digits : 0))
            order = below;  // what is left of the other one is above 0, since its last digit is
        const int magnitudes = order == equal ? 0 : order == below ? -1 : 1;
        return p.is_negative ? -magnitudes : magnitudes;
    }

    const Set& of_;
    bool counts_;
    std::uint32_t most_ahead_, most_behind_;
    std::vector<decimal> compared_;
    list_numbers numbers_;
    std::vector<std::uint32_t> key_;
};

}  // namespace riffle::detail
