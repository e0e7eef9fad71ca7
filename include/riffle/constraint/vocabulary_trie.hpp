#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {
/// The tokens of a model by the bytes of their texts: what a grammar's masks are made with. Made once for a model;
/// immutable, and copies share it, also with the matchers that use it. It owns what it needs of the vocabulary.
///
/// Tokens without a text, or with one that begins with NUL, are never legal in a text. Control tokens are legal where a
/// grammar refers to them (`<[12]>`, `<|im_start|>`), never by the bytes of their names. Tokens that end generation are
/// legal where the text is complete. Rows of logits may be longer than the vocabulary: what is beyond it is not legal.
///
/// 151,936 tokens take some 25 ms and 10 MB, 32,000 some 4 ms and 1.4 MB. Each set of characters that a grammar has a
/// loop over (`[a-z]*`) adds a table of its own, which the first matcher makes (some 4.5 and 0.9 ms); 32 are kept at
/// most.
template <class Vocabulary>
class basic_vocabulary_trie {
    using data_type = detail::basic_trie_data<Vocabulary>;

public:
    /// Of no vocabulary.
    basic_vocabulary_trie() noexcept = default;
    /// Copies what it needs; check() says whether that worked.
    explicit basic_vocabulary_trie(const Vocabulary& from) noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<data_type> made(new (std::nothrow) data_type());
            if (made) made->read(from);
            data_ = detail::shared_pointer<const data_type>(made.get());
        }
        RIFFLE_CATCH { data_ = {}; }
        is_out_of_memory_ = !data_;
    }

    /// Whether it can be used. Else: invalid_parameter without a vocabulary, and where that has more than 16,777,214
    /// tokens, or so many bytes that no other token shares; out_of_memory.
    status(check)() const noexcept {
        if (is_out_of_memory_) return status_code::out_of_memory;
        if (!data_)
            return status::invalid("vocabulary_trie", "tokens", 0, "are none: it was made without a vocabulary");
        if (!data_->fits())
            return status::invalid("vocabulary_trie", "tokens", double(size()), "are too many, or have texts too long");
        return {};
    }
    /// Tokens of the vocabulary.
    std::size_t size() const noexcept { return data_ ? data_->size() : 0; }
    /// The bytes of a token, control tokens' names included; empty for an id outside. Valid as long as a copy of the
    /// trie is.
    text piece(token_id id) const noexcept { return data_ ? data_->piece(id) : text(); }
    /// Of the texts of all tokens and of what they are: a grammar's masks fit models of one fingerprint.
    std::uint64_t fingerprint() const noexcept { return data_ ? data_->fingerprint() : 0; }

    /// For riffle's own use.
    const detail::shared_pointer<const data_type>& data() const noexcept { return data_; }

private:
    detail::shared_pointer<const data_type> data_;
    bool is_out_of_memory_ = false;
};
using vocabulary_trie = basic_vocabulary_trie<vocabulary>;

}  // namespace riffle
