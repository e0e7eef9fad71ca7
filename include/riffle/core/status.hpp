#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What can be wrong. Nothing on the way from logits to token throws, aborts or loses state; it answers one of these.
enum class status_code : std::uint8_t {
    ok,
    empty_row,          ///< the row has no logits
    row_too_long,       ///< more logits than a token_id can index
    no_legal_token,     ///< every logit is -inf or NaN, or a mask left none
    invalid_parameter,  ///< a stage has a parameter without meaning; the sentence names stage, field and value
    not_monotone,       ///< a stage claims a monotone map, and a debug build caught it falling
    bad_candidates,     ///< candidates with a size but no data, or with an id below 0
    mark_unknown,       ///< rollback to a mark ahead, behind other tokens, or of other stages
    rewind_too_far,     ///< rollback or rewind by more than 128 tokens, or past the start
    out_of_memory,      ///< the heap gave no scratch
    no_selector,        ///< a token was asked of a chain without a selector
    not_a_token,        ///< accept or prompt was given an id below 0; the sentence names it
    storage_overlaps,   ///< the storage the caller gave overlaps the one in use
    storage_too_small,  ///< the storage the caller gave is below scratch_bytes(V)
    chain_malformed,    ///< stages put together at run time as no chain may have them; the sentence says why
    stage_failed,       ///< a stage refused the token, or reported a failure of its own
    stage_stuck,        ///< a stage could not go back, so the chain did not either
    dead_end,           ///< a text has to follow that no token can spell; the sentence names a byte of it
    row_lost,           ///< what a graph left was not enough, and its row is not there any more: the token may differ
};

/// A sentence of at most 159 characters that owns its text.
class sentence {
public:
    /// With a 0 at its end; valid as long as the sentence lives.
    const char* c_str() const noexcept { return text_; }
    /// As std::string_view, or another view that is made from a C string.
    template <class View>
        requires(std::is_class_v<View> && std::is_trivially_copyable_v<View> &&
                 std::constructible_from<View, const char*>)
    operator View() const noexcept {
        return View(static_cast<const char*>(text_));
    }
    /// For whoever writes it: `capacity` bytes, a 0 at the end included.
    char* data() noexcept { return text_; }
    static constexpr std::size_t capacity = 160;  ///< in bytes, of which the last is a 0

private:
    char text_[capacity] = {};
};

/// What became of a call: a code, what was seen in the row, and for a bad parameter which one. A few words, no
/// allocation.
class status {
public:
    constexpr status() noexcept = default;
    /// A code with no stage and no parameter to name.
    constexpr status(status_code code) noexcept : code_(code) {}
    /// A parameter without meaning, or an argument of a call, which has a code of its own: `stage: field = value rule`.
    /// The texts must outlive the status (literals do).
    static constexpr status invalid(const char* stage, const char* field, double value, const char* rule,
                                    status_code code = status_code::invalid_parameter) noexcept {
        status s(code);
        s.stage_ = stage;
        s.field_ = field;
        s.value_ = value;
        s.rule_ = rule;
        return s;
    }
    /// A failure of a named stage that has no parameter to blame.
    static constexpr status failed(status_code code, const char* stage) noexcept {
        status s(code);
        s.stage_ = stage;
        return s;
    }

    /// What went wrong, for a switch; message() says more.
    constexpr status_code code() const noexcept { return code_; }
    /// Whether nothing did.
    constexpr bool ok() const noexcept { return code_ == status_code::ok; }
    /// Whether nothing went wrong, for `if (s)`.
    constexpr explicit operator bool() const noexcept { return ok(); }
    /// The row held a NaN, which counted as -inf. The token is good all the same. One that a mask hides may go unseen.
    constexpr bool saw_nan() const noexcept { return saw_nan_; }
    /// The row held a +inf, which counted as the greatest float. The token is good all the same. One that a mask hides
    /// may go unseen.
    constexpr bool saw_infinity() const noexcept { return saw_infinity_; }
    /// Another reason; what was seen in the row stays noted.
    constexpr void fail(const status& reason) noexcept {
        const bool nan = saw_nan_, infinity = saw_infinity_;
        *this = reason;
        saw_nan_ |= nan;
        saw_infinity_ |= infinity;
    }
    /// For machines and stages that meet a NaN.
    constexpr void note_nan() noexcept { saw_nan_ = true; }
    /// For machines and stages that meet a +inf.
    constexpr void note_infinity() noexcept { saw_infinity_ = true; }

    /// Whether the status has that code, whatever else it says.
    friend constexpr bool operator==(const status& a, status_code b) noexcept { return a.code_ == b; }

    /// The status in words.
    sentence message() const noexcept {
        sentence s;
        if (*rule_)
            std::snprintf(s.data(), sentence::capacity, "%s: %s = %s %s", stage_, field_, printed(value_).digits,
                          rule_);
        else std::snprintf(s.data(), sentence::capacity, "%s%s%s", stage_, *stage_ ? ": " : "", text(code_));
        return s;
    }

private:
    struct number {
        char digits[32] = "nan";  // a NaN has a sign, which printf would show
    };
    /// A number as printf prints it, but with a decimal point, whatever the locale has in its place. (By hand, since
    /// std::to_chars is not in every standard library of C++20, and costs each program its tables.)
    static number printed(double value) noexcept {
        number result;
        if (value != value) return result;
        char by_locale[32];
        std::snprintf(by_locale, sizeof by_locale, "%.*g", digits_of(value), value);
        const auto is_no_decimal_sign = [](char c) {
            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+';
        };
        std::size_t size = 0;
        for (const char* c = by_locale; *c; ++c) {
            if (is_no_decimal_sign(*c)) result.digits[size++] = *c;
            else if (is_no_decimal_sign(c[1])) result.digits[size++] = '.';  // the last byte of the locale's sign
        }
        result.digits[size] = '\0';
        return result;
    }
    /// All of a token id, and six of a parameter in float.
    static constexpr int digits_of(double value) noexcept {
        return value > -1e10 && value < 1e10 && value == double(std::int64_t(value)) ? 10 : 6;
    }
    static constexpr const char* text(status_code code) noexcept {
        switch (code) {
        case status_code::ok: return "ok";
        case status_code::empty_row: return "the row has no logits";
        case status_code::row_too_long: return "the row has more logits than a token id can index";
        case status_code::no_legal_token: return "no legal token is left: every logit is -inf, NaN or masked";
        case status_code::invalid_parameter: return "a parameter has no meaning";
        case status_code::not_monotone: return "the map is claimed to be monotone, but falls";
        case status_code::bad_candidates: return "the candidates have no data, or an id below 0";
        case status_code::mark_unknown: return "the mark lies ahead, behind other tokens, or is of other stages";
        case status_code::rewind_too_far: return "more than 128 tokens back, or past the start";
        case status_code::out_of_memory: return "the heap gave no memory for scratch";
        case status_code::no_selector: return "the chain has no selector, so it chooses no token";
        case status_code::not_a_token: return "an id below 0 is no token";
        case status_code::storage_overlaps: return "the storage overlaps the one in use";
        case status_code::storage_too_small: return "the storage is smaller than scratch_bytes(V)";
        case status_code::chain_malformed:
            return "the stages cannot be put together in this order";
        case status_code::stage_failed: return "a stage failed, or refused the token";
        case status_code::stage_stuck: return "cannot go back as far, so the chain stays where it is";
        case status_code::dead_end: return "what has to follow no token can spell";
        case status_code::row_lost:
            return "the row of the graph is not there any more, so the token may not be the one";
        }
        return "unknown status";
    }

    const char* stage_ = "";
    const char* field_ = "";
    const char* rule_ = "";
    double value_ = 0.0;
    status_code code_ = status_code::ok;
    bool saw_nan_ = false, saw_infinity_ = false;
};

/// What accepting a token led to.
struct step {
    status state{};         ///< whether every stage took the token, and learnt from it what it should
    int rewind = 0;         ///< a stage asks to take back this many tokens (a banned phrase was completed)
    bool finished = false;  ///< a stage says that the text is complete
    bool refused = false;   ///< the token was not taken, and `state` says why. Nothing has changed; but where that
                            ///< is stage_stuck, a stage that had taken it could not go back

    /// What a stage or a chain answers to a token that it does not take, and why.
    static constexpr step refusal(const status& why) noexcept {
        step s;
        s.state = why;
        s.refused = true;
        return s;
    }
    /// What several stages said together: the first failure, the longest rewind, the end if any says so.
    constexpr void join(const step& other) noexcept {
        if (state.ok()) state = other.state;
        if (other.rewind > rewind) rewind = other.rewind;
        finished |= other.finished;
        refused |= other.refused;
    }
};

}  // namespace riffle
