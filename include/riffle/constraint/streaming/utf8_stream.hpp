#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/streaming/output_text.hpp>
#include <riffle/constraint/streaming/token_texts.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What becomes of bytes that are not UTF-8.
enum class invalid_bytes : std::uint8_t {
    /// One U+FFFD for each longest beginning of a character, and for each other byte (WHATWG Encoding, 4.1; Unicode
    /// 16, 3.9.6, "maximal subparts").
    replace,
    keep,  ///< as they are
    drop,
};

namespace detail {

/// Which byte may come next inside of a character (WHATWG Encoding, 8.1.1: UTF-8 decoder). A held_character is the
/// beginning of one: 0 to 3 bytes.
class held_character {
public:
    std::size_t size() const noexcept { return count_; }
    /// The bytes so far; valid until they change.
    text bytes() const noexcept { return {bytes_, count_}; }
    void clear() noexcept { count_ = 0; }
    /// Takes a byte that goes on with it, or begins one; false where it cannot.
    bool take(std::uint8_t byte) noexcept {
        if (count_ == 0 ? !begins(byte) : !goes_on(byte)) return false;
        bytes_[count_++] = char(byte);
        return true;
    }
    /// Whether it is a whole character.
    bool is_whole() const noexcept { return count_ > 0 && count_ == length(); }

    /// In 26 bits: for marks.
    std::uint32_t packed() const noexcept {
        std::uint32_t all = count_;
        for (std::size_t i = 0; i < count_; ++i) all |= std::uint32_t(std::uint8_t(bytes_[i])) << (2 + 8 * i);
        return all;
    }
    /// (What is no beginning of a character may come from a mark that was stored: that is none.)
    void unpack(std::uint32_t all) noexcept {
        count_ = std::uint8_t(all & 3);
        for (std::size_t i = 0; i < count_; ++i) bytes_[i] = char(all >> (2 + 8 * i) & 0xFF);
        if (count_ > 0 && (!begins(std::uint8_t(bytes_[0])) || count_ >= length())) clear();
    }

private:
    static bool begins(std::uint8_t byte) noexcept { return byte < 0x80 || (byte >= 0xC2 && byte <= 0xF4); }
    std::size_t length() const noexcept {
        const auto first = std::uint8_t(bytes_[0]);
        return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    }
    /// No overlong forms, no surrogates, nothing above 10FFFF: the second byte says so.
    bool goes_on(std::uint8_t byte) const noexcept {
        const auto first = std::uint8_t(bytes_[0]);
        std::uint8_t least = 0x80, most = 0xBF;
        if (count_ == 1) {
            if (first == 0xE0) least = 0xA0;
            if (first == 0xED) most = 0x9F;
            if (first == 0xF0) least = 0x90;
            if (first == 0xF4) most = 0x8F;
        }
        return byte >= least && byte <= most;
    }

    char bytes_[4] = {};
    std::uint8_t count_ = 0;
};

}  // namespace detail

/// Tokens as text, whole characters at a time: bytes of a character that is not whole yet are held back, three at most.
/// What comes out is UTF-8, whatever tokens come (but with invalid_bytes::keep, which lets any bytes through).
///
///     utf8_stream out(words);
///     for (...) print(out.push(token));   // a view, valid until the next call; often empty
///     print(out.flush());                 // what an end in the middle of a character leaves
///
/// A token that is not shown (token_text_options) and one that the vocabulary lacks are empty texts. Nothing throws;
/// where there is no memory a push does nothing, and check() says so until the next one. Memory grows to three times
/// the longest token, and is used again. O(bytes of the token).
class utf8_stream {
public:
    /// What was given out, and what is held: 16 bytes.
    struct place {
        std::uint64_t given_out = 0;  ///< bytes
        std::uint32_t held = 0;       ///< the beginning of a character
        bool is_first = false;        ///< no bytes have come
        /// Whether both are one place.
        friend bool operator==(const place&, const place&) = default;
    };

    /// For bytes alone.
    explicit utf8_stream(invalid_bytes policy = invalid_bytes::replace) noexcept : policy_(policy) {}
    /// `words` must outlive it.
    explicit utf8_stream(const vocabulary& words, const token_text_options& options = {},
                         invalid_bytes policy = invalid_bytes::replace) noexcept
        : tokens_(&words, options), policy_(policy) {}

    /// The text that a token makes certain.
    text push(token_id token) noexcept { return push_bytes(tokens_.of(token)); }
    /// The text that some more bytes make certain.
    text push_bytes(const text& bytes) noexcept {
        const text more = tokens_.behind_blank(bytes);
        if (!begin(more.size())) return "";
        tokens_.note(bytes.size());
        for (const char byte : more) take(std::uint8_t(byte));
        return end();
    }
    /// The end of the text: what is held, as bytes that are not UTF-8.
    text flush() noexcept {
        if (!begin(0)) return "";
        give_up_held();
        return end();
    }
    /// How many bytes have been given out: after a rollback so many of them still count.
    std::uint64_t given_out() const noexcept { return given_out_; }
    /// Bytes that are held, 0 to 3.
    std::size_t held() const noexcept { return held_.size(); }
    /// out_of_memory where the last call did nothing.
    status(check)() const noexcept { return is_out_of_memory_ ? status(status_code::out_of_memory) : status(); }

    /// For another text.
    void reset() noexcept {
        held_.clear();
        tokens_.reset();
        given_out_ = 0;
        is_out_of_memory_ = false;
    }
    /// Where it stands.
    place mark() const noexcept { return {given_out_, held_.packed(), tokens_.is_first()}; }
    /// Back to a mark of this stream or of a copy, however long ago: given_out() says how much of the text is left.
    void rollback(const place& to) noexcept {
        given_out_ = to.given_out;
        held_.unpack(to.held);
        tokens_.set_first(to.is_first);
        is_out_of_memory_ = false;
    }

private:
    bool begin(std::size_t more) noexcept {
        is_out_of_memory_ = !out_.begin(3 * (more + 3));  // a replacement has three bytes
        return !is_out_of_memory_;
    }
    text end() noexcept {
        given_out_ += out_.whole().size();
        return out_.whole();
    }
    void take(std::uint8_t byte) noexcept {
        if (!held_.take(byte)) {
            const bool was_inside = held_.size() > 0;
            give_up_held();
            if (!was_inside || !held_.take(byte)) return give_up({reinterpret_cast<const char*>(&byte), 1});
        }
        if (!held_.is_whole()) return;
        out_.add(held_.bytes());
        held_.clear();
    }
    void give_up_held() noexcept {
        if (held_.size() > 0) give_up(held_.bytes());
        held_.clear();
    }
    void give_up(const text& bytes) noexcept {
        if (policy_ == invalid_bytes::replace) out_.add("\xEF\xBF\xBD");
        if (policy_ == invalid_bytes::keep) out_.add(bytes);
    }

    detail::token_texts tokens_;
    detail::held_character held_;
    detail::output_text out_;
    std::uint64_t given_out_ = 0;
    invalid_bytes policy_ = invalid_bytes::replace;
    bool is_out_of_memory_ = false;
};

}  // namespace riffle
