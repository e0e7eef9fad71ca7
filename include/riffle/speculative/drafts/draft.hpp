#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafts/draft_laws.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Tokens that somebody proposes to follow the text, one behind the other: what a verifier accepts a part of. Each is
/// proposed for certain, or was drawn from a law, which verifiers by rejection have to know. It keeps its memory, so
/// that nothing is allocated once it was as long. Copying allocates; where there is no memory, the copy is empty.
class draft {
public:
    /// Empty.
    draft() noexcept = default;
    /// Copies tokens and laws.
    draft(const draft& other) noexcept { copy(other); }
    /// Copies tokens and laws; the memory stays where it is enough.
    draft& operator=(const draft& other) noexcept {
        if (this != &other) copy(other);
        return *this;
    }
    /// Takes the memory along.
    draft(draft&&) noexcept = default;
    /// Takes the memory along.
    draft& operator=(draft&&) noexcept = default;
    ~draft() = default;

    /// Of no tokens; the memory stays.
    void clear() noexcept {
        tokens_.clear();
        places_.clear();
        laws_.clear();
    }
    /// Proposes a token for certain, behind those that are there. False, and nothing changed, for an id below 0, and
    /// where there is no memory.
    bool push(token_id token) noexcept {
        if (token < 0) return false;
        return add(token, {laws_.size(), 0, 1, 1});
    }
    /// Proposes a token that was drawn from `law`, each token of it once, in any order; those that are not in it have
    /// probability 0. It is normalised here. False, and nothing changed, for a law with an id below 0, a NaN, an
    /// infinite or negative p, a token twice, or without the drafted token (as the empty one is), and where there is no
    /// memory. O(law) where ids ascend, and a sort where they do not.
    bool push(token_id token, std::span<const token_probability> law) noexcept {
        detail::draft_laws::place made;
        return token >= 0 && laws_.push(token, law, made) && add_drawn(token, made);
    }
    /// Proposes a token that was drawn from the law that a chain's weigh() gave, in its integers, so that nothing is
    /// rounded. As push otherwise. (draft_from does it all.)
    template <class Weighed>
    bool push_weighed(token_id token, const Weighed& law) noexcept {
        detail::draft_laws::place made;
        return token >= 0 && laws_.push_weighed(token, law, made) && add_drawn(token, made);
    }
    /// Keeps the first `size` tokens, all where there are fewer.
    void shorten(std::size_t size) noexcept {
        if (size >= tokens_.size()) return;
        laws_.shorten(places_[size]);
        tokens_.shorten(size);
        places_.shorten(size);
    }

    /// How many tokens it has.
    std::size_t size() const noexcept { return tokens_.size(); }
    /// Whether it has none.
    bool empty() const noexcept { return tokens_.empty(); }
    /// The token at a place below size, which is not checked.
    token_id operator[](std::size_t i) const noexcept { return tokens_[i]; }
    /// All of them. Valid until it is changed.
    std::span<const token_id> tokens() const noexcept { return tokens_.part(0, tokens_.size()); }
    /// The law that token i was drawn from, normalised, in the order in which it was pushed; empty for a token proposed
    /// for certain. Valid until the draft is changed.
    std::span<const token_probability> law(std::size_t i) const noexcept { return laws_.given(places_[i]); }

    /// Makes room, so that pushing allocates nothing: for so many tokens, and so many entries of all their laws. False
    /// where there is no memory.
    [[nodiscard]] bool reserve(std::size_t tokens, std::size_t entries_of_laws = 0) noexcept {
        return tokens_.reserve(tokens) && places_.reserve(tokens) && laws_.reserve(entries_of_laws);
    }
    /// For verifiers: the law of token i in integers.
    detail::draft_law weights(std::size_t i) const noexcept { return laws_.weights(places_[i]); }

private:
    bool add_drawn(token_id token, const detail::draft_laws::place& made) noexcept {
        if (add(token, made)) return true;
        laws_.shorten(made);
        return false;
    }
    bool add(token_id token, const detail::draft_laws::place& made) noexcept {
        if (!tokens_.push(token)) return false;
        if (places_.push(made)) return true;
        tokens_.pop();
        return false;
    }
    void copy(const draft& other) noexcept {
        clear();
        if (!tokens_.append(other.tokens_.data(), other.tokens_.size()) ||
            !places_.append(other.places_.data(), other.places_.size()) || !laws_.assign(other.laws_))
            clear();
    }

    detail::growing_array<token_id> tokens_;
    detail::growing_array<detail::draft_laws::place> places_;
    detail::draft_laws laws_;
};

}  // namespace riffle
