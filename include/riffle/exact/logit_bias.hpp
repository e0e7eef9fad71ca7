#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/samplers/logit_bias.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_logit_bias: adds biases. Where a token stands at the index of its id all its biases are added;
/// elsewhere only the first of them. The sorted flag is not cleared.
template <>
struct form<logit_bias> {
    static status_code apply(const logit_bias& spec, candidates& c, form_context& x) noexcept {
        const auto in_place = [&](const logit_bias_entry& entry) {
            return entry.token >= 0 && std::size_t(entry.token) < c.size &&
                   c[std::size_t(entry.token)].id == entry.token;
        };
        std::size_t elsewhere = 0;
        for (const auto& entry : spec.biases) {
            if (in_place(entry)) c[std::size_t(entry.token)].logit += entry.bias;
            else ++elsewhere;
        }
        if (elsewhere == 0) return status_code::ok;

        const std::size_t slot_count = token_counts::slots_for(elsewhere);
        auto* const memory = x.memory.room<token_counts::slot>(slot_count);
        if (!memory) return status_code::out_of_memory;
        token_counts first(memory, slot_count);  // of each token, the place of its first bias, counted from 1
        for (std::size_t i = 0; i < spec.biases.size(); ++i)
            if (const auto& entry = spec.biases[i]; !in_place(entry) && first.count(entry.token) == 0)
                first.raise(entry.token, std::int32_t(i + 1));
        first.settle();
        for (auto& token : c)
            if (const std::int32_t place = first.count(token.id))
                token.logit += spec.biases[std::size_t(place - 1)].bias;
        return status_code::ok;
    }
    static row_answer apply_to_row(const logit_bias& spec, full_row& r, candidates&, const context&) noexcept {
        for (const auto& entry : spec.biases)
            if (float* const logit = r.at(entry.token)) *logit += entry.bias;
        return row_answer::stays;
    }
};

}  // namespace riffle::exact
