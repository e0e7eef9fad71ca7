#pragma once
#include <limits>

#include <riffle/exact/form.hpp>
#include <riffle/exact/softmax.hpp>
#include <riffle/samplers/infill.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_infill, for fill-in-the-middle behind top-k and top-p: ends the text when that is likely, counts
/// tokens that begin others with them, and drops unlikely ones. Only p is merged, not the logit, so a following dist
/// does not see it. O(candidates^2), as llama.cpp. Needs a vocabulary.
template <>
struct form<infill> {
    static status_code apply(const infill& spec, candidates& c, form_context& x) noexcept {
        if (!spec.vocab) return status_code::invalid_parameter;
        const vocabulary& v = *spec.vocab;
        if (const auto failure = sorted_softmax(c, x.memory); failure != status_code::ok) return failure;
        if (keep_ends(v, c)) return status_code::ok;
        merge_prefixes(v, c);

        const outcome likeliest = drop_unlikely(v, 0.2f, c);
        if (likeliest.texts == 0) return end_of_turn(v, c);
        for (auto& token : c) token.p /= likeliest.mass;
        const outcome left = drop_unlikely(v, float(1.0 / double(likeliest.texts + 1)), c);
        for (auto& token : c) token.p /= left.mass;
        return status_code::ok;
    }

private:
    /// Whether ending is likelier than going on, by a rule of thumb; then only tokens that end are left.
    static bool keep_ends(const vocabulary& v, candidates& c) noexcept {
        float texts = 0.0f, ends = 0.0f;
        for (const auto& token : c) (v.ends_generation(token.id) ? ends : texts) += token.p;
        if (!(times(times(3.0f, ends), float(c.size)) > texts)) return false;
        float mass = 0.0f;
        std::size_t kept = 0;
        for (const auto& token : c) {
            if (!v.ends_generation(token.id)) continue;
            mass += token.p;
            c[kept++] = token;
        }
        c.size = kept;
        for (auto& token : c) token.p /= mass;
        return true;
    }

    /// What a reader is shown of a token.
    static text shown(const vocabulary& v, token_id id) noexcept {
        return v.is(id, token_role::control) ? text() : v.piece(id);
    }
    static void merge_prefixes(const vocabulary& v, candidates& c) noexcept {
        constexpr float illegal = -std::numeric_limits<float>::infinity();
        for (std::size_t i = 0; i < c.size; ++i) {
            const text head = shown(v, c[i].id);
            if (head.empty()) continue;
            for (std::size_t j = 0; j < c.size && c[i].logit != illegal; ++j) {
                if (i == j || c[j].logit == illegal || !shown(v, c[j].id).starts_with(head)) continue;
                const bool into_head = !(c[j].p > c[i].p);
                token_data &to = c[into_head ? i : j], &from = c[into_head ? j : i];
                to.p += from.p;
                from.p = 0.0f;
                from.logit = illegal;
            }
        }
    }

    struct outcome {
        std::size_t texts = 0;  ///< tokens left that do not end the text
        float mass = 0.0f;
    };
    static outcome drop_unlikely(const vocabulary& v, float least, candidates& c) noexcept {
        outcome left;
        std::size_t kept = 0;
        for (const auto& token : c) {
            const bool ends = v.ends_generation(token.id);
            if (token.p < least && !ends) continue;
            left.texts += !ends;
            left.mass += token.p;
            c[kept++] = token;
        }
        c.size = kept;
        return left;
    }
    static status_code end_of_turn(const vocabulary& v, candidates& c) noexcept {
        const token_id end = v.end_of_turn != null_token ? v.end_of_turn : v.end_of_sequence;
        if (end == null_token) return status_code::no_legal_token;
        c.size = 1;
        c[0].id = end;
        c[0].logit = 1.0f;
        return status_code::ok;
    }
};

}  // namespace riffle::exact
