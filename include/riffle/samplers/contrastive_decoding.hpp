#pragma once
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/samplers/guidance.hpp>
#include <riffle/wide/combine.hpp>

namespace riffle {

/// Contrastive decoding: from the rows of a strong model and a weak one, what the strong one knows better: expert · l -
/// amateur · a over the tokens that the expert finds at least alpha times as likely as its best; the others become
/// illegal. (Li et al. 2022, arXiv 2210.15097: weights 1 and 1. O'Brien and Lewis 2023, arXiv 2309.09117, on logits:
/// weights 1 + beta and beta, with beta = 0.5, the default here.) Two rows in, one row out, ahead of a chain.
///
/// `alpha` in (0, 1], usual 0.1; <= 0 = all tokens; both weights finite. Rows need no normalising: a constant added to
/// either adds one to the result, which no law shows. What the expert forbids stays forbidden; where only the amateur
/// forbids, it counts as the greatest contrast: expert · l plus 100.
struct contrastive_decoding {
    float alpha = 0.1f;
    float expert = 1.5f;
    float amateur = 0.5f;

    static constexpr const char* name = "contrastive_decoding";

    /// `out` has the size of both rows and may be one of them. empty_row or invalid_parameter where there is nothing to
    /// do, no_legal_token where the expert has none; `out` is then as it was. O(V): two reads of the expert's row, one
    /// of the amateur's.
    status combine(std::span<const float> expert_row, std::span<const float> amateur_row,
                   std::span<float> out) const noexcept {
        if (const status s = check(); !s.ok()) return s;
        if (const status s = classifier_free_guidance::sizes_agree(name, expert_row, amateur_row, out); !s.ok())
            return s;
        const float greatest = wide::greatest_of(expert_row);
        if (!(greatest > illegal_logit)) return status::failed(status_code::no_legal_token, name);
        const float cut = flushed(alpha) > 0.0f ? (lanes<1>(greatest) + log(lanes<1>(alpha)))[0] : -greatest_logit;
        wide::combine(expert_row, amateur_row, out, contrast{(std::min)(cut, greatest), expert, amateur});
        return {};
    }
    status check() const noexcept {
        if (alpha != alpha) return status::invalid(name, "alpha", double(alpha), "is not a number");
        if (!(absolute(lanes<1>(expert))[0] <= greatest_logit))
            return status::invalid(name, "expert", double(expert), "is not a finite number");
        if (!(absolute(lanes<1>(amateur))[0] <= greatest_logit))
            return status::invalid(name, "amateur", double(amateur), "is not a finite number");
        return {};
    }

private:
    struct contrast {
        float cut, expert, amateur;
        template <class V>
        RIFFLE_INLINE V operator()(const V& l, const V& a) const noexcept {
            const V strong = V(expert) * l;
            const V contrasted = select(a > V(illegal_logit), strong - V(amateur) * a, strong + V(100.0f));
            return select(l >= V(cut), contrasted, V(illegal_logit));
        }
    };
};

}  // namespace riffle
