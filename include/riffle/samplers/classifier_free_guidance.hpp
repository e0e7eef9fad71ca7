#pragma once
#include <span>

#include <riffle/core/status.hpp>
#include <riffle/math/elementwise.hpp>
#include <riffle/wide/combine.hpp>

namespace riffle {

/// Classifier-free guidance: from the row for a prompt and the row for another one (empty, or negative), the row that
/// leans towards the first: log p_other + scale · (log p_prompt - log p_other). (Sanchez et al. 2023, arXiv 2306.17806;
/// transformers' UnbatchedClassifierFreeGuidance.) Two rows in, one row out, ahead of a chain:
///
///     classifier_free_guidance{.scale = 1.5f}.combine(with_prompt, without_prompt, row);
///     token_id t = chain.sample(row);
///
/// `scale` 1 = the first row's law, 0 the other's, above 1 leans; it must be finite. What the first row forbids stays
/// forbidden; what only the other forbids is as likely as the first says.
struct classifier_free_guidance {
    float scale = 1.5f;

    static constexpr const char* name = "classifier_free_guidance";

    /// `out` has the size of both rows and may be one of them. empty_row or invalid_parameter where there is nothing to
    /// do, no_legal_token where the first row has none; `out` is then as it was. O(V): three reads of each row.
    status combine(std::span<const float> prompt, std::span<const float> other, std::span<float> out) const noexcept {
        if (const status s = check(); !s.ok()) return s;
        if (const status s = sizes_agree(name, prompt, other, out); !s.ok()) return s;
        const float greatest = wide::greatest_of(prompt), other_greatest = wide::greatest_of(other);
        if (!(greatest > illegal_logit)) return status::failed(status_code::no_legal_token, name);
        const bool alone = !(other_greatest > illegal_logit);
        wide::combine(
            prompt, other, out,
            lean{wide::log_sum(prompt, greatest), alone ? 0.0f : wide::log_sum(other, other_greatest), scale});
        return {};
    }
    status check() const noexcept {
        if (!(absolute(lanes<1>(scale))[0] <= greatest_logit))
            return status::invalid(name, "scale", double(scale), "is not a finite number");
        return {};
    }

    /// Two rows and a place for the third of the same size, at least one logit.
    static status sizes_agree(const char* who, std::span<const float> a, std::span<const float> b,
                              std::span<float> out) noexcept {
        if (a.empty()) return status::failed(status_code::empty_row, who);
        if (b.size() != a.size())
            return status::invalid(who, "second row's size", double(b.size()), "is not that of the first");
        if (out.size() != a.size())
            return status::invalid(who, "out's size", double(out.size()), "is not that of the rows");
        return {};
    }

private:
    struct lean {
        float log_sum, other_log_sum, scale;
        template <class V>
        RIFFLE_INLINE V operator()(const V& l, const V& other) const noexcept {
            const V p = l - V(log_sum), q = other - V(other_log_sum);
            const V leaning = q + V(scale) * (p - q);
            return select(l > V(illegal_logit), select(other > V(illegal_logit), leaning, p), V(illegal_logit));
        }
    };
};

}  // namespace riffle
