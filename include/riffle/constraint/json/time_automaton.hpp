#pragma once
#include <cstdint>

#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the automaton of RFC 3339's full-time (section 5.6). A leap second, `:60`, stands only where it is 23:59 in
/// UTC, so the hour and the minute ahead of it say which offset must follow: some 11,000 states, most of which remember
/// a time or an offset.
template <class Automaton>
class time_automaton {
public:
    /// Behind the states that an automaton has.
    explicit time_automaton(Automaton& into) : into_(into), first_(std::uint32_t(into.size())) { write(); }

private:
    enum : std::uint32_t { times = 1440 };
    /// Where the states of a kind begin; behind them, in brackets, what each of them remembers.
    enum place : std::uint32_t {
        hour_tens = 1,                       // [0 to 2]
        hour = hour_tens + 3,                // [hour]
        hour_colon = hour + 24,              // [hour]
        minute_tens = hour_colon + 24,       // [hour, tens]
        minute = minute_tens + 144,          // [time]
        minute_colon = minute + times,       // [time]
        leap_tens = minute_colon + times,    // [time]
        leap = leap_tens + times,            // [time]
        leap_point = leap + times,           // [time]
        leap_fraction = leap_point + times,  // [time]
        left_5 = leap_fraction + times,      // [offset]: hh:mm must follow
        left_4 = left_5 + times,             // [last digit of the hour, minute]
        left_3 = left_4 + 600,               // [minute]: the colon must follow
        left_2 = left_3 + 60,                // [minute]
        left_1 = left_2 + 60,                // [last digit of the minute]
        second_tens = left_1 + 10,
        second = second_tens + 1,
        point = second + 1,
        fraction = point + 1,
        sign = fraction + 1,
        offset_tens_below_2 = sign + 1,
        offset_tens_2 = offset_tens_below_2 + 1,
        offset_hour = offset_tens_2 + 1,
        offset_colon = offset_hour + 1,
        offset_minute_tens = offset_colon + 1,
        end = offset_minute_tens + 1,
    };

    void state(bool is_end = false) { into_.add_state(is_end); }
    void arc(char from, char to, std::uint32_t target) {
        into_.add_arc(code_point(std::uint8_t(from)), code_point(std::uint8_t(to)), first_ + target);
    }
    void arc(char c, std::uint32_t target) { arc(c, c, target); }
    static char digit(std::uint32_t d) noexcept { return char('0' + d); }

    void write() {
        state();
        arc('0', hour_tens);
        arc('1', hour_tens + 1);
        arc('2', hour_tens + 2);
        for (std::uint32_t tens = 0; tens < 3; ++tens) {
            state();
            for (std::uint32_t d = 0; d < (tens == 2 ? 4u : 10u); ++d) arc(digit(d), hour + 10 * tens + d);
        }
        for (std::uint32_t h = 0; h < 24; ++h) state(), arc(':', hour_colon + h);
        for (std::uint32_t h = 0; h < 24; ++h) {
            state();
            for (std::uint32_t d = 0; d < 6; ++d) arc(digit(d), minute_tens + 6 * h + d);
        }
        for (std::uint32_t t = 0; t < 144; ++t) {
            state();
            for (std::uint32_t d = 0; d < 10; ++d) arc(digit(d), minute + 10 * t + d);
        }
        for (std::uint32_t t = 0; t < times; ++t) state(), arc(':', minute_colon + t);
        for (std::uint32_t t = 0; t < times; ++t) state(), arc('0', '5', second_tens), arc('6', leap_tens + t);
        for (std::uint32_t t = 0; t < times; ++t) state(), arc('0', leap + t);
        for (std::uint32_t t = 0; t < times; ++t) write_behind_leap_second(t, leap_point + t, 0);
        for (std::uint32_t t = 0; t < times; ++t) state(), arc('0', '9', leap_fraction + t);
        for (std::uint32_t t = 0; t < times; ++t) write_behind_leap_second(t, 0, leap_fraction + t);
        write_offset_that_must_follow();
        write_other_seconds();
    }
    /// The local time less the offset is 23:59.
    void write_behind_leap_second(std::uint32_t t, std::uint32_t at_point, std::uint32_t at_digit) {
        const std::uint32_t ahead = (t + 1) % times;  // of UTC, in minutes
        state();
        arc('+', left_5 + ahead);
        arc('-', left_5 + (times - ahead) % times);
        if (at_point != 0) arc('.', at_point);
        if (at_digit != 0) arc('0', '9', at_digit);
        if (ahead != 0) return;
        arc('Z', end);
        arc('z', end);
    }
    void write_offset_that_must_follow() {
        for (std::uint32_t t = 0; t < times; ++t) state(), arc(digit(t / 600), left_4 + t / 60 % 10 * 60 + t % 60);
        for (std::uint32_t i = 0; i < 600; ++i) state(), arc(digit(i / 60), left_3 + i % 60);
        for (std::uint32_t m = 0; m < 60; ++m) state(), arc(':', left_2 + m);
        for (std::uint32_t m = 0; m < 60; ++m) state(), arc(digit(m / 10), left_1 + m % 10);
        for (std::uint32_t d = 0; d < 10; ++d) state(), arc(digit(d), end);
    }
    void write_other_seconds() {
        state(), arc('0', '9', second);
        for (const bool has_fraction : {false, true}) {  // second, then point and fraction
            if (has_fraction) state(), arc('0', '9', fraction);
            state();
            arc('+', sign);
            arc('-', sign);
            if (has_fraction) arc('0', '9', fraction);
            else arc('.', point);
            arc('Z', end);
            arc('z', end);
        }
        state(), arc('0', '1', offset_tens_below_2), arc('2', offset_tens_2);
        state(), arc('0', '9', offset_hour);
        state(), arc('0', '3', offset_hour);
        state(), arc(':', offset_colon);
        state(), arc('0', '5', offset_minute_tens);
        state(), arc('0', '9', end);
        state(true);
    }

    Automaton& into_;
    std::uint32_t first_;
};

/// The automaton of full-time; with that of full-date, of date-time: a date, T, a time.
template <class Automaton>
Automaton automaton_of_time() {
    Automaton made;
    time_automaton<Automaton> written(made);
    return made;
}
template <class Automaton>
Automaton automaton_of_date_time(const Automaton& date) {
    Automaton made;
    for (std::uint32_t s = 0; s < date.size(); ++s) {
        made.add_state();
        for (const auto& a : date.arcs(s)) made.add_arc(a.first, a.last, a.to);
        if (date.label(s) == 0) continue;
        made.add_arc('T', 'T', std::uint32_t(date.size()));
        made.add_arc('t', 't', std::uint32_t(date.size()));
    }
    time_automaton<Automaton> written(made);
    return made;
}

}  // namespace riffle::detail
