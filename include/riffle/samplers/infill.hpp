#pragma once
#include <cstdint>

#include <riffle/core/facts.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// For filling in the middle of a text (G. Gerganov, llama.cpp#9896): ends the text where the tokens that end it are
/// likely together, else keeps what is likely enough.
///
/// 1. Where 3 · n · (mass of the ending tokens) exceeds the mass of the others, n being the number of candidates, only
///    the ending ones stay.
/// 2. Of two candidates one of whose texts begins the other's, the likelier takes over the mass of the other, its logit
///    too. (llama.cpp changes p alone, which its dist ignores; numerics::llama repeats that.)
/// 3. Others than ending ones stay when they hold a fifth of the mass, and then, m being how many do, when they hold
///    1 / (m + 1) of what is left. Where none does, the ending candidates stay alone, or, where there are none, the
///    first in rank. (llama.cpp then chooses the end of the turn, or of the sequence, even if it was no candidate or
///    was masked; numerics::llama repeats that, and has no token where the vocabulary names neither.)
///
/// `vocab` must be given, and outlive the chain. Looks at the 1,024 first in rank: put it behind top_k and top_p, as
/// llama.cpp's own examples do. Candidates: O(n²) comparisons of four bytes, and of texts that share those.
struct infill {
    const vocabulary* vocab = nullptr;  ///< texts, and which tokens end; must be given, and outlive the chain

    static constexpr const char* name = "infill";
    static constexpr facts fact{.applies = true, .keeps_sorted = true};

    void apply(candidates& c) const noexcept {
        c.keep_greatest(most);
        c.sort();
        if (c.empty() || vocab == nullptr) return;
        const float maximum = c[0].logit;
        c.weigh(maximum);
        if (ends_here(c)) return c.keep_if([&](const token_data& token) { return ends(token); });
        merge(c, maximum);
        c.sorted = false;
        const token_data first = c[c.greatest()];
        keep_likely(c);
        if (c.empty()) keep_only(c, first);
        c.sort();
    }

    status(check)() const noexcept {
        return vocab ? status() : status::invalid(name, "vocab", 0.0, "is no vocabulary");
    }

private:
    RIFFLE_LOCAL static constexpr std::size_t most = 1024;

    /// There was a candidate, so its memory is there. (Not inlined: g++ 12 takes the copy for a pointer to it.)
    RIFFLE_NOINLINE static void keep_only(candidates& c, const token_data& token) noexcept {
        c.data[0] = token;
        c.size = 1;
    }
    static std::uint64_t weight(const token_data& token) noexcept { return candidates::weight(token); }
    bool ends(const token_data& token) const noexcept { return vocab->ends_generation(token.id); }

    bool ends_here(const candidates& c) const noexcept {
        std::uint64_t ending = 0, others = 0;
        for (const auto& token : c) (ends(token) ? ending : others) += weight(token);
        return 3 * c.size * ending > others;
    }
    text shown(const token_data& token) const noexcept {
        return vocab->is(token.id, token_role::control) ? text() : vocab->piece(token.id);
    }
    /// The first four bytes of a text, 0 where it has fewer; `mask` has ones for those that it has.
    static std::uint32_t beginning(const text& of, std::uint32_t& mask) noexcept {
        std::uint32_t bytes = mask = 0;
        for (std::size_t i = 0; i < 4 && i < of.size(); ++i) {
            bytes |= std::uint32_t{static_cast<unsigned char>(of.data()[i])} << 8 * i;
            mask |= std::uint32_t{0xff} << 8 * i;
        }
        return bytes;
    }
    void merge(candidates& c, float maximum) const noexcept {
        // Nearly all pairs of texts differ within four bytes, which are compared in a quarter of the time.
        std::uint32_t beginnings[most], mask = 0;
        for (std::size_t i = 0; i < c.size; ++i) beginnings[i] = beginning(shown(c[i]), mask);
        for (std::size_t i = 0; i < c.size; ++i) {
            const text head = shown(c[i]);
            if (head.empty()) continue;
            const std::uint32_t bytes = beginning(head, mask);
            for (std::size_t j = 0; j < c.size && c[i].logit > illegal_logit; ++j) {
                if (((beginnings[j] ^ bytes) & mask) != 0) continue;
                if (i != j && c[j].logit > illegal_logit && shown(c[j]).starts_with(head)) merge(c[i], c[j], maximum);
            }
        }
    }
    /// The likelier takes over the mass of the other.
    static void merge(token_data& first, token_data& second, float maximum) noexcept {
        const bool second_wins = weight(second) > weight(first);
        token_data &to = second_wins ? second : first, &from = second_wins ? first : second;
        const std::uint64_t sum = weight(to) + weight(from);
        to.p = std::bit_cast<float>(std::uint32_t((std::min)(sum, std::uint64_t{0xffffffffu})));
        from.p = 0.0f;
        from.logit = illegal_logit;
        const float share = float(double(sum) * 0x1p-30);
        if (sum > 0) to.logit = canonical((lanes<1>(maximum) + log(lanes<1>(share)))[0]);
    }
    void keep_likely(candidates& c) const noexcept {
        const std::uint64_t total = mass(c);
        keep(c, [&](const token_data& token) { return weight(token) * 5 >= total; });
        std::uint64_t others = 0;
        for (const auto& token : c) others += !ends(token);
        if (others == 0) return;
        const std::uint64_t rest = mass(c);
        keep(c, [&](const token_data& token) { return weight(token) * (others + 1) >= rest; });
    }
    static std::uint64_t mass(const candidates& c) noexcept {
        std::uint64_t sum = 0;
        for (const auto& token : c) sum += weight(token);
        return sum;
    }
    template <class IsLikely>
    void keep(candidates& c, IsLikely is_likely) const noexcept {
        c.keep_if(
            [&](const token_data& token) { return token.logit > illegal_logit && (ends(token) || is_likely(token)); });
    }
};

}  // namespace riffle
