#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include <riffle/core/candidates.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/row.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/wide/gather.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_grammar, of every stage that constrains: what is not legal becomes -inf, and stays where it is.
template <class Spec>
    requires(facts_of<Spec>().constrains)
struct form<Spec> {
    static status_code apply(const Spec& spec, candidates& c, form_context&) noexcept {
        const legal_tokens legal = spec.legal_now();
        for (auto& token : c)
            if (!legal.contains(token.id)) token.logit = illegal_logit;
        return status_code::ok;
    }
    static row_answer apply_to_row(const Spec& spec, full_row& r, candidates&, const context&) noexcept {
        const legal_tokens legal = spec.legal_now();
        if (legal.are_all) return row_answer::stays;
        if (legal.ids.empty()) wide::hide_illegal(r.changed(), legal.words);
        else hide_all_but(r.changed(), legal.ids);
        return row_answer::stays;
    }

private:
    static void hide_all_but(detail::row& r, std::span<const token_id> ids) noexcept {
        auto next = ids.begin();
        for (std::size_t b = 0; b < r.blocks(); ++b) {
            const auto first = token_id(b * block_size);
            const auto first_of_block = next = std::lower_bound(next, ids.end(), first);
            while (next != ids.end() && std::size_t(*next - first) < block_size) ++next;
            if (first_of_block == next) r.hide(b);
            else hide_between(r.own(b), first, {first_of_block, next});
        }
    }
    static void hide_between(float* block, token_id first, std::span<const token_id> ids) noexcept {
        std::size_t hidden = 0;
        for (const token_id id : ids) {
            const auto place = std::size_t(id - first);
            std::fill(block + hidden, block + place, illegal_logit);
            hidden = place + 1;
        }
        std::fill(block + hidden, block + block_size, illegal_logit);
    }
};

}  // namespace riffle::exact
