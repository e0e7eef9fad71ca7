#pragma once
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/combine.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Contrastive decoding: from the rows of a strong model and a weak one, what the strong one knows better: expert · l -
/// amateur · a over the tokens that the expert finds at least alpha times as likely as its best; the others become
/// illegal. (Li et al. 2022, arXiv 2210.15097: weights 1 and 1. O'Brien and Lewis 2023, arXiv 2309.09117, on logits:
/// weights 1 + beta and beta, with beta = 0.5, the default here.) Two rows in, one row out, ahead of a chain.
///
/// `alpha` in (0, 1], usual 0.1; <= 0 = all tokens, over 1 counts as 1, NaN is an error; both weights within ±1e6, else
/// an error. Rows need no normalising: l and a are distances under each row's greatest logit. What the expert forbids
/// stays forbidden, and 1e6 nats are as far as it goes; the amateur is asked down to 100 nats, and what it forbids
/// counts as that.
struct contrastive_decoding {
    float alpha = 0.1f;    ///< least probability kept, as a share of the expert's best; 0 or below is all
    float expert = 1.5f;   ///< weight of the strong model's logits; within ±1e6
    float amateur = 0.5f;  ///< weight of the weak model's logits, which is subtracted; within ±1e6

    static constexpr const char* name = "contrastive_decoding";  ///< in statuses

    /// `out` has the size of both rows and may be one of them. empty_row or invalid_parameter where there is nothing to
    /// do, no_legal_token where the expert has none: all of `out` is illegal then. O(V): two reads of each row.
    status combine(std::span<const float> expert_row, std::span<const float> amateur_row,
                   std::span<float> out) const noexcept {
        if (const status s = (check)(); !s.ok()) return wide::combine_nothing(out, s);
        if (const status s = wide::sizes_agree(name, expert_row, amateur_row, out); !s.ok())
            return wide::combine_nothing(out, s);
        const float greatest = wide::greatest_of(expert_row);
        if (!(greatest > illegal_logit))
            return wide::combine_nothing(out, status::failed(status_code::no_legal_token, name));
        const float cut = flushed(alpha) > 0.0f ? log(lanes<1>(alpha < 1.0f ? alpha : 1.0f))[0] : -1e6f;
        const float praised = wide::greatest_of(amateur_row);
        wide::combine(
            expert_row, amateur_row, out,
            contrast{cut, greatest, praised > illegal_logit ? praised : 0.0f, flushed(expert), flushed(amateur)});
        return {};
    }
    /// Whether alpha and the weights have a meaning; combine asks it too.
    status(check)() const noexcept {
        if (alpha != alpha) return status::invalid(name, "alpha", double(alpha), "is not a number");
        if (!(absolute(lanes<1>(expert))[0] <= 1e6f))
            return status::invalid(name, "expert", double(expert), "is not a number between -1e6 and 1e6");
        if (!(absolute(lanes<1>(amateur))[0] <= 1e6f))
            return status::invalid(name, "amateur", double(amateur), "is not a number between -1e6 and 1e6");
        return {};
    }

private:
    struct contrast {
        float cut, greatest, praised, expert, amateur;
        template <class V>
        RIFFLE_INLINE V operator()(const V& l, const V& a) const noexcept {
            const V strong = greater_of(l - V(greatest), V(-1e6f)), weak = greater_of(a - V(praised), V(-100.0f));
            const V contrasted = blend(strong >= V(cut), V(expert) * strong - V(amateur) * weak, V(illegal_logit));
            return blend(l > V(illegal_logit), contrasted, V(illegal_logit));
        }
    };
};

}  // namespace riffle
