#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/streaming/stop_strings.hpp>
#include <riffle/constraint/streaming/token_texts.hpp>
#include <riffle/constraint/streaming/utf8_stream.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a text_stream shows a text.
struct text_stream_options {
    token_text_options tokens = {};                  ///< which bytes of tokens belong to it
    invalid_bytes invalid = invalid_bytes::replace;  ///< what becomes of bytes that are not UTF-8
    stop_text stop = stop_text::left_out;            ///< what becomes of a stop string
};

/// Tokens as text for a reader: a utf8_stream, and behind it stop_strings. What comes out are whole characters that
/// nothing takes back (but with invalid_bytes::keep, which lets any bytes through). Stop strings have to be UTF-8, or
/// no text would have them: check() says so, and nothing comes out.
///
///     text_stream out(words, {"\nUser:"});
///     while (!out.stopped()) print(out.push(token));
///     print(out.flush());
///
/// Nothing throws; see the two for what holds. A push does all of it, or where there is no memory nothing.
template <class Stops>
class basic_text_stream {
public:
    /// Of both: 40 bytes.
    struct place {
        utf8_stream::place characters;  ///< of the stream of characters
        typename Stops::place strings;  ///< of the stop strings
        /// Whether both are one place.
        friend bool operator==(const place&, const place&) = default;
    };

    /// Without stop strings. `words` must outlive it.
    explicit basic_text_stream(const vocabulary& words) noexcept : basic_text_stream(words, {}) {}
    /// `words` must outlive it.
    basic_text_stream(const vocabulary& words, std::initializer_list<text> stops,
                      const text_stream_options& options = {}) noexcept
        : characters_(words, options.tokens, options.invalid), strings_(stops, options.stop),
          problem_(problem_of(stops, options)) {}
    /// Of a std::vector<std::string>, or whatever else holds texts. `words` must outlive it.
    template <class Texts>
    basic_text_stream(const vocabulary& words, const Texts& stops, const text_stream_options& options = {}) noexcept
        : characters_(words, options.tokens, options.invalid), strings_(stops, options.stop),
          problem_(problem_of(stops, options)) {}

    /// The text that a token makes certain; valid until the next call.
    text push(token_id token) noexcept {
        if (stopped() || !problem_.ok()) return "";
        const place earlier = mark();
        return checked(earlier, strings_.push_bytes(characters_.push(token)));
    }
    /// The end of the text: what is held.
    text flush() noexcept {
        if (stopped() || !problem_.ok()) return "";
        const place earlier = mark();
        return checked(earlier, strings_.flush(characters_.flush()));
    }
    /// Whether a stop string has come.
    bool stopped() const noexcept { return strings_.stopped(); }
    /// Which, by its number in the list; -1: none.
    std::int32_t which() const noexcept { return strings_.which(); }
    /// How many bytes have been given out.
    std::uint64_t given_out() const noexcept { return strings_.given_out(); }
    /// out_of_memory where the last call did nothing, or there was none for the strings; invalid_parameter where one of
    /// them is not UTF-8.
    status(check)() const noexcept {
        if (!problem_.ok()) return problem_;
        return is_out_of_memory_ ? status(status_code::out_of_memory) : (strings_.check)();
    }
    /// For another text.
    void reset() noexcept {
        characters_.reset();
        strings_.reset();
        is_out_of_memory_ = false;
    }
    /// Where it stands.
    place mark() const noexcept { return {characters_.mark(), strings_.mark()}; }
    /// Back to a mark of this or of a copy, however long ago: given_out() says how much of the text is left.
    void rollback(const place& to) noexcept {
        characters_.rollback(to.characters);
        strings_.rollback(to.strings);
        is_out_of_memory_ = false;
    }

private:
    /// All of it or nothing.
    text checked(const place& earlier, const text& shown) noexcept {
        const bool failed = !(characters_.check)().ok() || !(strings_.check)().ok();
        if (!failed) {
            is_out_of_memory_ = false;
            return shown;
        }
        rollback(earlier);
        is_out_of_memory_ = true;
        return "";
    }
    template <class Texts>
    static status problem_of(const Texts& stops, const text_stream_options& options) noexcept {
        if (options.invalid == invalid_bytes::keep) return {};
        double number = 0;
        for (const auto& one : stops) {
            if (!detail::is_utf8(text(one)))
                return status::invalid("text_stream", "stop string", number, "is not UTF-8");
            ++number;
        }
        return {};
    }

    utf8_stream characters_;
    Stops strings_;
    status problem_;
    bool is_out_of_memory_ = false;
};
using text_stream = basic_text_stream<stop_strings>;

}  // namespace riffle
