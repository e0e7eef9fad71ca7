#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/streaming/output_text.hpp>
#include <riffle/constraint/streaming/token_texts.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>
#include <riffle/core/word_automaton.hpp>

namespace riffle::inline RIFFLE_ABI {
namespace detail {

/// Strings over bytes, and for each state of their automaton the bytes that led there.
template <class Bytes>
class basic_stop_words : public shared_object {
public:
    template <class Texts>
    void build(const Texts& texts) {
        for (const auto& one : texts) {
            const text bytes(one);
            words_.emplace_back(bytes.begin(), bytes.end());
        }
        automaton_.build(words_);
        read_.resize(automaton_.size());
        for (std::size_t w = 0; w < words_.size(); ++w) {
            std::uint32_t s = word_automaton<char>::start;
            for (std::size_t i = 0; i < words_[w].size(); ++i) {
                s = automaton_.next(s, words_[w][i]);
                read_[s] = text(words_[w].data(), i + 1);
            }
        }
    }
    const word_automaton<char>& automaton() const noexcept { return automaton_; }
    /// The bytes of a state.
    text read(std::uint32_t s) const noexcept { return read_[s]; }
    std::size_t length(std::uint32_t number) const noexcept { return words_[number].size(); }

private:
    std::vector<Bytes> words_;
    word_automaton<char> automaton_;
    std::vector<text> read_;
};
using stop_words = basic_stop_words<std::vector<char>>;

}  // namespace detail

/// What stop strings do with the string itself.
enum class stop_text : std::uint8_t {
    left_out,  ///< the text ends before it
    kept,      ///< the text ends behind it
};

/// Ends a text at the first of some strings, wherever tokens begin and end: what may be the beginning of one is held
/// back until it is certain.
///
///     stop_strings out(words, {"\nUser:", "</s>"});
///     while (!out.stopped()) print(out.push(token));
///     print(out.flush());   // where generation ended without one
///
/// The string that ends first counts, of those that end together the longest. Once stopped, every push is empty.
/// Strings are bytes; empty ones are left out. Nothing throws: check() says where there was no memory, for the strings
/// or for a push, which then does nothing. O(bytes of the token), whatever has come before.
template <class Words>
class basic_stop_strings {
public:
    enum : std::int32_t { none = -1 };
    /// What was given out, and how far it is in the strings: 24 bytes.
    struct place {
        std::uint64_t given_out = 0;  ///< bytes
        std::uint32_t state = 0;      ///< of the automaton of strings
        std::int32_t which = none;    ///< the string that has come
        bool is_first = false;        ///< no bytes have come
        /// Whether both are one place.
        friend bool operator==(const place&, const place&) = default;
    };

    /// Of no strings, for bytes alone.
    basic_stop_strings() noexcept : basic_stop_strings(std::initializer_list<text>{}) {}
    /// For bytes alone.
    basic_stop_strings(std::initializer_list<text> strings, stop_text shows = stop_text::left_out) noexcept
        : shows_(shows) {
        build(strings);
    }
    /// For bytes alone; of a std::vector<std::string>, or whatever else holds texts.
    template <class Texts>
    explicit basic_stop_strings(const Texts& strings, stop_text shows = stop_text::left_out) noexcept : shows_(shows) {
        build(strings);
    }
    /// `words` must outlive it.
    basic_stop_strings(const vocabulary& words, std::initializer_list<text> strings,
                       stop_text shows = stop_text::left_out, const token_text_options& options = {}) noexcept
        : tokens_(&words, options), shows_(shows) {
        build(strings);
    }
    /// Of a std::vector<std::string>, or whatever else holds texts. `words` must outlive it.
    template <class Texts>
    basic_stop_strings(const vocabulary& words, const Texts& strings, stop_text shows = stop_text::left_out,
                       const token_text_options& options = {}) noexcept
        : tokens_(&words, options), shows_(shows) {
        build(strings);
    }

    /// The text that a token makes certain; valid until the next call.
    text push(token_id token) noexcept { return push_bytes(tokens_.of(token)); }
    /// The text that some more bytes make certain.
    text push_bytes(const text& bytes) noexcept { return give_out(bytes, false); }
    /// The end of the text, with some last bytes perhaps: what is held, too.
    text flush(const text& last_bytes = {}) noexcept { return give_out(last_bytes, true); }
    /// Whether one of the strings has come.
    bool stopped() const noexcept { return which_ != none; }
    /// Which, by its number in the list; -1: none.
    std::int32_t which() const noexcept { return which_; }
    /// What is held back.
    text held() const noexcept { return words_ && !stopped() ? words_->read(state_) : text(); }
    /// How many bytes have been given out: after a rollback so many of them still count.
    std::uint64_t given_out() const noexcept { return given_out_; }
    /// out_of_memory where there was none for the strings, or the last call did nothing.
    status(check)() const noexcept {
        return is_out_of_memory_ || !words_ ? status(status_code::out_of_memory) : status();
    }

    /// For another text.
    void reset() noexcept {
        tokens_.reset();
        rollback({0, 0, none, tokens_.is_first()});
    }
    /// Where it stands.
    place mark() const noexcept { return {given_out_, state_, which_, tokens_.is_first()}; }
    /// Back to a mark of this or of a copy, however long ago: given_out() says how much of the text is left.
    void rollback(const place& to) noexcept {
        given_out_ = to.given_out;
        state_ = to.state;
        which_ = to.which;
        tokens_.set_first(to.is_first);
        is_out_of_memory_ = false;
    }

private:
    template <class Texts>
    void build(const Texts& strings) noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<Words> made(new Words());
            made->build(strings);
            words_ = detail::shared_pointer<const Words>(made.get());
        }
        RIFFLE_CATCH { words_ = {}; }
    }
    std::int32_t word_at(std::uint32_t s) const noexcept {
        const std::uint32_t number = words_->automaton().word_at(s);
        return number == detail::word_automaton<char>::none ? std::int32_t{none} : std::int32_t(number);
    }
    text give_out(const text& bytes, bool is_end) noexcept {
        const text more = tokens_.behind_blank(bytes);
        if (stopped() || !begin(held().size() + more.size())) return "";
        tokens_.note(bytes.size());
        const text earlier = held();
        std::size_t read = 0;
        while (read < more.size() && !stopped()) {
            state_ = words_->automaton().next(state_, more[read++]);
            which_ = word_at(state_);
        }
        std::size_t certain = earlier.size() + read;
        if (stopped()) certain -= shows_ == stop_text::kept ? 0 : words_->length(std::uint32_t(which_));
        else if (is_end) state_ = 0;
        else certain -= held().size();
        out_.add(earlier.part(0, certain));
        if (certain > earlier.size()) out_.add(more.part(0, certain - earlier.size()));
        given_out_ += out_.whole().size();
        return out_.whole();
    }
    bool begin(std::size_t most) noexcept {
        is_out_of_memory_ = !words_ || !out_.begin(most);
        return !is_out_of_memory_;
    }

    detail::shared_pointer<const Words> words_;
    detail::token_texts tokens_;
    detail::output_text out_;
    std::uint64_t given_out_ = 0;
    std::uint32_t state_ = 0;
    std::int32_t which_ = none;
    stop_text shows_ = stop_text::left_out;
    bool is_out_of_memory_ = false;
};
using stop_strings = basic_stop_strings<detail::stop_words>;

}  // namespace riffle
