#pragma once
#include <riffle/core/llama_form.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/wide/llama_row.hpp>

namespace riffle::exact {

/// llama_sampler_init_logit_bias: adds biases. Where a token stands at the index of its id all its biases are added;
/// elsewhere only the first of them. The sorted flag is not cleared.
template <>
struct form<logit_bias> {
    static status_code apply(const logit_bias& spec, candidates& c, surroundings& x) noexcept {
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

        using table = token_table<float>;
        const std::size_t slots = workspace::table_slots(elsewhere);
        auto* const memory = x.memory.room<table::slot>(slots);
        if (!memory) return status_code::out_of_memory;
        table first(memory, slots);
        for (const auto& entry : spec.biases)
            if (!in_place(entry)) first.enter(entry.token, entry.bias);
        for (auto& token : c)
            if (const float* const bias = first.find(token.id)) token.logit += *bias;
        return status_code::ok;
    }
    static row_answer apply_to_row(const logit_bias& spec, wide::llama_row& r, candidates&, const context&) noexcept {
        for (const auto& entry : spec.biases)
            if (float* const logit = r.at(entry.token)) *logit += entry.bias;
        return row_answer::stays;
    }
};

}  // namespace riffle::exact
