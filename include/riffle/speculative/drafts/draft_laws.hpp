#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_weight.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A token and its probability.
struct token_probability {
    token_id token;  ///< the index of its logit in a row
    float p;         ///< from 0 to 1
};

namespace detail {

/// The law that a drafted token was drawn from, in integers: weight / total is the probability of a token, 0 that of
/// those that are not listed. A view.
struct draft_law {
    std::span<const token_weight> weights;  ///< by ascending token; empty where the token is proposed for certain
    std::uint64_t total = 1;
    std::uint64_t of_drafted = 1;  ///< the weight of the drafted token

    bool is_certain() const noexcept { return weights.empty(); }
};

/// The laws of drafted tokens, one after the other: as they were given, normalised, for users; and in integers, for
/// verifiers. Keeps its memory.
class draft_laws {
public:
    /// Where the law of one token lies.
    struct place {
        std::size_t first = 0, count = 0;
        std::uint64_t total = 1, of_drafted = 1;
    };

    void clear() noexcept {
        given_.clear();
        weights_.clear();
    }
    /// Forgets a law and those behind it.
    void shorten(const place& first_to_go) noexcept {
        given_.shorten(first_to_go.first);
        weights_.shorten(first_to_go.first);
    }
    std::span<const token_probability> given(const place& at) const noexcept { return given_.part(at.first, at.count); }
    draft_law weights(const place& at) const noexcept {
        return {weights_.part(at.first, at.count), at.total, at.of_drafted};
    }
    std::size_t size() const noexcept { return weights_.size(); }
    std::size_t bytes() const noexcept { return given_.bytes() + weights_.bytes(); }
    [[nodiscard]] bool reserve(std::size_t entries) noexcept {
        return given_.reserve(entries) && weights_.reserve(entries);
    }
    /// Other laws, as they are.
    [[nodiscard]] bool assign(const draft_laws& other) noexcept {
        clear();
        return given_.append(other.given_.data(), other.given_.size()) &&
               weights_.append(other.weights_.data(), other.weights_.size());
    }

    /// Takes a law given in floats. False, and nothing has changed, for a law that is none: an id below 0, a NaN, an
    /// infinite or negative p, a token twice, the drafted token missing or of no probability; or without memory.
    [[nodiscard]] bool push(token_id drafted, std::span<const token_probability> law, place& made) noexcept {
        double sum = 0.0;
        bool ascends = true;
        for (std::size_t i = 0; i < law.size(); ++i) {
            if (law[i].token < 0 || !(law[i].p >= 0.0f) || law[i].p > greatest_p) return false;
            if (i > 0) ascends &= law[i - 1].token < law[i].token;
            sum += double(law[i].p);
        }
        if (!(sum > 0.0)) return false;
        made = {weights_.size(), law.size(), 0, 0};
        if (!given_.append(law.data(), law.size()) || !push_weights(law, sum, made)) return undo(made);
        for (auto& one : given_of(made)) one.p = float(double(one.p) / sum);
        return finish(drafted, ascends, made);
    }
    /// Takes a chain's law (chain/weighed.hpp), in its integers.
    template <class Weighed>
    [[nodiscard]] bool push_weighed(token_id drafted, const Weighed& law, place& made) noexcept {
        made = {weights_.size(), 0, law.total(), 0};
        bool has_memory = true;
        law.each([&](token_id token, std::uint64_t weight) noexcept {
            const auto p = float(double(weight) / double(law.total()));
            has_memory = has_memory && given_.push({token, p}) && weights_.push({token, weight});
            ++made.count;
        });
        return has_memory ? finish(drafted, true, made) : undo(made);
    }

private:
    static constexpr float greatest_p = 3.40282347e38f;
    /// The sum of a law's weights is about this. Every float that is not tiny beside the sum is an integer then.
    static constexpr double unit = 0x1p53;

    std::span<token_probability> given_of(const place& at) noexcept { return {given_.data() + at.first, at.count}; }
    bool undo(const place& made) noexcept {
        shorten(made);
        return false;
    }
    bool push_weights(std::span<const token_probability> law, double sum, place& made) noexcept {
        for (const auto& one : law) {
            const auto weight = std::uint64_t(double(one.p) / sum * unit);
            const std::uint64_t whole = one.p > 0.0f && weight == 0 ? 1 : weight;
            made.total += whole;
            if (!weights_.push({one.token, whole})) return false;
        }
        return true;
    }
    bool finish(token_id drafted, bool ascends, place& made) noexcept {
        token_weight* const first = weights_.data() + made.first;
        token_weight* const last = first + made.count;
        const auto by_token = [](const token_weight& a, const token_weight& b) { return a.token < b.token; };
        if (!ascends) std::sort(first, last, by_token);
        for (const token_weight* at = first; at + 1 < last; ++at)
            if (at[0].token == at[1].token) return undo(made);
        const token_weight* const found = std::lower_bound(first, last, token_weight{drafted, 0}, by_token);
        if (found == last || found->token != drafted || found->weight == 0) return undo(made);
        made.of_drafted = found->weight;
        return true;
    }

    growing_array<token_probability> given_;
    growing_array<token_weight> weights_;
};

}  // namespace detail
}  // namespace riffle
