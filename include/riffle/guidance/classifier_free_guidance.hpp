#pragma once
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/combine.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Classifier-free guidance: from the row for a prompt and the row for another one (empty, or negative), the row that
/// leans towards the first: log p_other + scale · (log p_prompt - log p_other). (Sanchez et al. 2023, arXiv 2306.17806;
/// transformers' UnbatchedClassifierFreeGuidance.) Two rows in, one row out, ahead of a chain:
///
///     classifier_free_guidance{.scale = 1.5f}.combine(with_prompt, without_prompt, row);
///     token_id t = chain.sample(row);
///
/// `scale` 1 = the first row's distribution, 0 the other's, above 1 leans; within ±1e6, else an error. What the first
/// row forbids stays forbidden; what only the other forbids is as likely as the first says. Logits more than 1e6 under
/// the greatest count as that.
struct classifier_free_guidance {
    float scale = 1.5f;  ///< 1 is the prompt's row, 0 the other one, above 1 leans; within ±1e6

    static constexpr const char* name = "classifier_free_guidance";  ///< in statuses

    /// `out` has the size of both rows and may be one of them. empty_row or invalid_parameter where there is nothing to
    /// do, no_legal_token where the first row has none: all of `out` is illegal then. O(V): three reads of each row.
    status combine(std::span<const float> prompt, std::span<const float> other, std::span<float> out) const noexcept {
        if (const status s = (check)(); !s.ok()) return wide::combine_nothing(out, s);
        if (const status s = wide::sizes_agree(name, prompt, other, out); !s.ok()) return wide::combine_nothing(out, s);
        const float greatest = wide::greatest_of(prompt), other_greatest = wide::greatest_of(other);
        if (!(greatest > illegal_logit))
            return wide::combine_nothing(out, status::failed(status_code::no_legal_token, name));
        const bool alone = !(other_greatest > illegal_logit);
        wide::combine(prompt, other, out,
                      lean{greatest, wide::log_mass(prompt, greatest), alone ? 0.0f : other_greatest,
                           alone ? 0.0f : wide::log_mass(other, other_greatest), flushed(scale)});
        return {};
    }
    /// Whether scale has a meaning; combine asks it too.
    status(check)() const noexcept {
        if (!(absolute(lanes<1>(scale))[0] <= 1e6f))
            return status::invalid(name, "scale", double(scale), "is not a number between -1e6 and 1e6");
        return {};
    }

private:
    struct lean {
        float greatest, log_mass, other_greatest, other_log_mass, scale;
        template <class V>
        RIFFLE_INLINE V operator()(const V& l, const V& other) const noexcept {
            const V p = log_probability(l, greatest, log_mass);
            const V q = log_probability(other, other_greatest, other_log_mass);
            const V leaning = q + V(scale) * (p - q);
            return blend(l > V(illegal_logit), blend(other > V(illegal_logit), leaning, p), V(illegal_logit));
        }
        template <class V>
        static RIFFLE_INLINE V log_probability(const V& l, float of_greatest, float of_mass) noexcept {
            return greater_of(l - V(of_greatest), V(-1e6f)) - V(of_mass);
        }
    };
};

}  // namespace riffle
