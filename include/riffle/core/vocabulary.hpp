#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a token is.
enum class token_role : std::uint8_t {
    text = 0,
    control = 1,            ///< no text of its own when shown to a reader, but a name: <|im_start|>
    end_of_generation = 2,  ///< the model says that it is done
};
constexpr token_role operator|(token_role a, token_role b) noexcept {
    return token_role(std::uint8_t(a) | std::uint8_t(b));
}
constexpr token_role operator&(token_role a, token_role b) noexcept {
    return token_role(std::uint8_t(a) & std::uint8_t(b));
}

/// The texts of a model's tokens and what they are: for stages that look at text (dry's string breakers, infill,
/// phrase_ban). Filled once, in the order of ids; stages keep a pointer to it, so it must outlive their chains.
///
///     vocabulary v;
///     v.add("hello");
///     v.add("</s>", token_role::end_of_generation | token_role::control);
///
/// Functions that allocate throw what std::vector throws, and then nothing has changed; reading never does. (A
/// template, so that including riffle does not compile it.)
template <class Id>
class basic_vocabulary {
public:
    /// How a model splits text into tokens, where the caller has its tokeniser: writes at most `capacity` ids to `out`
    /// and answers how many. `model` is what was given beside it.
    using tokeniser = std::size_t (*)(const void* model, text words, Id* out, std::size_t capacity);

    basic_vocabulary() = default;
    /// Copies every text; the tokeniser and its model are shared.
    basic_vocabulary(const basic_vocabulary&) = default;
    /// Takes the texts of the other one.
    basic_vocabulary(basic_vocabulary&&) noexcept = default;
    /// All or nothing, where memory runs out.
    basic_vocabulary& operator=(const basic_vocabulary& other) { return *this = basic_vocabulary(other); }
    /// Takes the texts of the other one, and drops its own.
    basic_vocabulary& operator=(basic_vocabulary&&) noexcept = default;
    ~basic_vocabulary() = default;

    /// The next token: its bytes and what it is.
    Id add(text piece, token_role role = token_role::text) {
        if (ends_.size() == ends_.capacity()) ends_.reserve(2 * ends_.size() + 16);
        if (roles_.size() == roles_.capacity()) roles_.reserve(2 * roles_.size() + 16);
        const std::size_t first = bytes_.size();
        bytes_.resize(first + piece.size());  // the last that may throw: nothing is half added
        for (std::size_t i = 0; i < piece.size(); ++i) bytes_[first + i] = piece[i];
        ends_.push_back(bytes_.size());
        roles_.push_back(role);
        return Id(ends_.size() - 1);
    }
    /// How many tokens it has; the next one gets this id.
    std::size_t size() const noexcept { return ends_.size(); }
    /// Whether it has a token of that id.
    bool contains(Id id) const noexcept { return id >= 0 && std::size_t(id) < size(); }

    /// The bytes of a token, control tokens' names included; none for an id outside.
    text piece(Id id) const noexcept {
        if (!contains(id)) return {};
        const std::size_t first = id == 0 ? 0 : ends_[std::size_t(id) - 1];
        return {bytes_.data() + first, ends_[std::size_t(id)] - first};
    }
    /// Whether a token has one of these roles. False for token_role::text, which is none, and for an id outside.
    bool is(Id id, token_role role) const noexcept {
        return contains(id) && (roles_[std::size_t(id)] & role) != token_role::text;
    }
    /// Whether the model says by that token that it is done.
    bool ends_generation(Id id) const noexcept { return is(id, token_role::end_of_generation); }

    /// The token that ends a turn: what infill falls back to under numerics::llama. null_token = none was named.
    Id end_of_turn = null_token;
    /// The token that ends a sequence: what infill falls back to under numerics::llama where no end_of_turn was named.
    /// null_token = none was.
    Id end_of_sequence = null_token;

    /// Splits text with the model's own tokeniser, where one was given; else into the longest pieces, from the left,
    /// skipping bytes that no piece begins with. The first `most` tokens.
    std::vector<Id> tokenise(text words, std::size_t most = 64) const {
        if (tokenise_) {
            std::vector<Id> found((std::min)(most, words.size() + 64));  // no model makes many more than bytes
            const std::size_t count = tokenise_(model_, words, found.data(), found.size());
            found.resize((std::min)(count, found.size()));
            return found;
        }
        std::vector<Id> found;
        while (!words.empty() && found.size() < most) {
            Id longest = null_token;
            for (Id id = 0; std::size_t(id) < size(); ++id)
                if (!piece(id).empty() && words.starts_with(piece(id)) && !is(id, token_role::control) &&
                    (longest < 0 || piece(id).size() > piece(longest).size()))
                    longest = id;
            if (longest >= 0) found.push_back(longest);
            words = words.part(longest >= 0 ? piece(longest).size() : 1);
        }
        return found;
    }
    /// Gives tokenise the model's own tokeniser, and what to call it with, which must outlive its use; nullptr takes it
    /// away.
    void use_tokeniser(tokeniser with, const void* model) noexcept {
        tokenise_ = with;
        model_ = model;
    }

private:
    std::vector<char> bytes_;
    std::vector<std::size_t> ends_;
    std::vector<token_role> roles_;
    tokeniser tokenise_ = nullptr;
    const void* model_ = nullptr;
};
using vocabulary = basic_vocabulary<token_id>;

}  // namespace riffle
