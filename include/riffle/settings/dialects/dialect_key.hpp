#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/text.hpp>
#include <riffle/settings/reader/option_name.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a key of another program's settings holds, and what becomes of it.
enum class key_meaning : std::uint8_t {
    value,            ///< as it is, the value of riffle's setting
    ten_thousandths,  ///< a number in units of 1e-4
    window,           ///< a window of tokens: 0 and below mean all
    window_of_one,    ///< a window of tokens: 0 and below mean the last token
    above_0,          ///< a number that is off at 0, and in riffle below it
    seed,             ///< -1 draws one; other numbers below 0, too
    seed_above_0,     ///< 0 draws one as well
    yes,              ///< true or false
    order,            ///< names of samplers in their order
    numbered_order,   ///< KoboldCpp's numbers of samplers
    breakers,         ///< texts
    biases,           ///< tokens and what is added to their logits
    bans,             ///< ids of tokens
    gbnf,             ///< a grammar, as text in GBNF
    schema,           ///< a JSON schema, or json: any object
    format,           ///< OpenAI's response_format: a type, and perhaps a JSON schema
    structured,       ///< vLLM's structured_outputs: a JSON schema, or GBNF, by name
    lowest_t,         ///< the lowest of a temperature that follows the entropy
    highest_t,        ///< the greatest
    dynamic_t,        ///< whether the temperature follows the entropy between those two
    last_t,           ///< whether the temperature comes behind all others
    draws,            ///< whether a token is drawn, and not the likeliest taken
    server,           ///< no part of choosing a token: a length, a prompt, a stop
    elsewhere,        ///< riffle has it, but not in settings: `note` says where
    missing,          ///< riffle has it not; nothing is missing at the value `off`
};

/// A key of another program's settings: its names there, what it means, and riffle's setting for it.
struct dialect_key {
    const char* names[5] = {};
    key_meaning meaning = key_meaning::value;
    const char* setting = nullptr;  ///< riffle's name for it (settings/reader/options.hpp)
    const char* note = "";          ///< ranges and quirks there; of `elsewhere` and `missing`, what to do
    const char* off = nullptr;      ///< of `missing` and `elsewhere`: the value that asks for nothing

    bool is_called(const text& key) const noexcept {
        for (const char* name : names)
            if (name && detail::same_word(key, name)) return true;
        return false;
    }
};

/// All that is known of a program's settings.
struct dialect_table {
    std::span<const dialect_key> keys;
    std::span<const sampler_kind> order;  ///< where its settings do not say one
    /// Whether what an order does not name is left out.
    bool leaves_out_unnamed = true;
    sampling_parameters (*defaults)();  ///< what it takes where a key is missing
};

namespace detail {
/// Parameters at which riffle's own samplers do nothing: other programs' settings name them where they are on.
inline sampling_parameters own_samplers_off() {
    sampling_parameters p;
    p.quadratic = p.top_a = p.epsilon_cutoff = p.eta_cutoff = 0.0f;
    p.tail_free = 1.0f;
    p.no_repeat_ngram = 0;
    return p;
}
}  // namespace detail

}  // namespace riffle
