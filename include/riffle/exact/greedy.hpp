#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/samplers/greedy.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_greedy: the first of the greatest logits, in the order of the array. (On no candidates llama.cpp
/// selects index 0, which does not exist.)
template <>
struct form<greedy> {
    static status_code apply(const greedy&, candidates& c, form_context&) noexcept {
        c.selected = c.empty() ? -1 : 0;
        if (c.empty()) return status_code::no_legal_token;
        for (std::size_t i = 1; i < c.size; ++i)
            if (c[i].logit > c[std::size_t(c.selected)].logit) c.selected = std::int64_t(i);
        return status_code::ok;
    }
    static row_answer apply_to_row(const greedy&, full_row& r, candidates& found, const context&) noexcept {
        if (!r.ordinary()) return row_answer::undecided;
        const float maximum = r.maximum();
        found.data[0] = {token_id(wide::first_at_least(r.logits(), r.block_maxima(), maximum)), maximum, 0.0f};
        found.size = 1;
        found.selected = 0;
        return row_answer::narrowed;
    }
};

}  // namespace riffle::exact
