#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <riffle/core/facts.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/wide/gather.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_grammar, of every stage that constrains: what is not legal becomes -inf, and stays where it is.
template <class Spec>
    requires(facts_of<Spec>().constrains)
struct form<Spec> {
    static status_code apply(const Spec& spec, candidates& c, form_context&) noexcept {
        const std::span<const std::uint32_t> words = spec.legal_words();
        for (auto& token : c) {
            const std::size_t place = std::uint32_t(token.id) / 32;
            const bool is_legal = place < words.size() && (words[place] >> (std::uint32_t(token.id) % 32) & 1) != 0;
            if (!is_legal) token.logit = -std::numeric_limits<float>::infinity();
        }
        return status_code::ok;
    }
    static row_answer apply_to_row(const Spec& spec, full_row& r, candidates&, const context&) noexcept {
        wide::hide_illegal(r.changed(), spec.legal_words());
        return row_answer::stays;
    }
};

}  // namespace riffle::exact
