#pragma once
#include <algorithm>
#include <limits>

#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/sort.hpp>
#include <riffle/samplers/min_p.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_min_p: logits of at least maximum + log(p). Sorts only when that leaves none, or fewer than
/// min_keep.
template <>
struct form<min_p> {
    static status_code apply(const min_p& spec, candidates& c, form_context& x) noexcept {
        if (!(spec.p > 0.0f) || c.empty()) return status_code::ok;
        if (!c.sorted && keep_unsorted(spec, c)) return status_code::ok;
        if (const auto failure = sort_all(c, x.memory); failure != status_code::ok) return failure;
        const float least = c[0].logit + libm::log(spec.p);
        std::size_t kept = 1;
        while (kept < c.size && !(c[kept].logit < least && kept >= spec.min_keep)) ++kept;
        c.size = kept;
        return status_code::ok;
    }

    static row_answer apply_to_row(const min_p& spec, full_row& r, candidates& found, const context&) noexcept {
        if (!(spec.p > 0.0f)) return row_answer::stays;
        if (!r.ordinary()) return row_answer::undecided;
        const float least = r.maximum() + libm::log(spec.p);
        found.size = r.find_above(least, found.data);
        return found.size == 0 || found.size < spec.min_keep ? row_answer::undecided : row_answer::narrowed;
    }

private:
    /// False, and nothing changed, when too few would be left.
    static bool keep_unsorted(const min_p& spec, candidates& c) noexcept {
        float maximum = std::numeric_limits<float>::lowest();
        for (const auto& token : c)
            if (maximum < token.logit) maximum = token.logit;
        const float least = maximum + libm::log(spec.p);
        const auto stays = [least](const token_data& token) { return token.logit >= least; };
        const auto kept = std::size_t(std::count_if(c.begin(), c.end(), stays));
        if (kept == 0 || kept < spec.min_keep) return false;
        std::copy_if(c.begin(), c.end(), c.begin(), stays);
        c.size = kept;
        return true;
    }
};

}  // namespace riffle::exact
