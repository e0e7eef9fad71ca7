#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/text.hpp>
#include <riffle/settings/reader/option_name.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What is read from the text behind an option's `=`.
enum class option_value : std::uint8_t {
    usual,         ///< what its parameter is: a number or a whole number. Nothing, where it has no parameter
    yes_or_no,     ///< 1, true, on, enabled; 0, false, off, disabled: llama.cpp's words. Named alone it is yes
    seed,          ///< a whole number from 0 on; -1 or random
    order,         ///< names of samplers, with `,` or `;` between them; or default
    letters,       ///< letters of samplers
    biases,        ///< token+bias and token-bias, with `,` between them; -inf bans
    tokens,        ///< ids, with `,` between them
    grammar_text,  ///< a grammar, as it stands up to the next `;`
    schema_text,   ///< a JSON schema, as it stands up to the next `;`
    breaker,       ///< a text, in which `\n`, `\t`, `\r`, `\\` and `\xHH` are escapes; or none
    elsewhere,     ///< no setting of a chain, though llama.cpp has it among them: `meaning` says where to look
};

/// One option: everything that settings know of a name. In names case does not matter, `-` is `_`, and the dashes of a
/// command line may stand ahead.
struct option {
    const char* names[6] = {};  ///< the one that llama.cpp's parameter has, where it has one, and aliases
    sampler_kind sampler = sampler_kind::none;           ///< whom a mention puts into the chain
    bool names_sampler = false;                          ///< the names are the sampler's: alone, and in an order
    char letter = 0;                                     ///< of the sampler, in llama.cpp; 0 for none
    option_value value = option_value::usual;            ///< what it is given
    float sampling_parameters::*number = nullptr;        ///< its parameter, or
    std::int32_t sampling_parameters::*whole = nullptr;  ///< a whole one
    const char* model_key = nullptr;  ///< behind general.sampling. in a model's file, where llama.cpp looks for it
    const char* meaning = "";         ///< in a few words

    /// Whether one of its names is this, in either case, with - or _, and with dashes ahead or none.
    bool is_called(const text& written) const noexcept {
        const text name = detail::without_dashes(written);
        for (const char* known : names)
            if (known && detail::same_word(name, known)) return true;
        return false;
    }
};

namespace detail::option_rows {

using p = sampling_parameters;
using v = option_value;
using enum sampler_kind;

// The samplers' names and letters are those of llama.cpp 0.7.0, common/sampling.cpp; the options' those of its
// common/arg.cpp (with one environment variable, which its preset files take too) and of llama-server's requests; the
// keys those of common/common.cpp. riffle's own are at the end.
RIFFLE_LOCAL inline constexpr option all[] = {
    // ---- the chain
    {.names = {"samplers"},
     .value = v::order,
     .model_key = "sequence",
     .meaning = "the samplers in their order, as top_k,temp; default is llama.cpp's order"},
    {.names = {"sampler_seq", "sampling_seq"},
     .value = v::letters,
     .meaning = "the samplers in their order, as llama.cpp's letters: kt is top_k,temp"},
    {.names = {"seed", "s"}, .value = v::seed, .meaning = "of all random numbers; random or -1 draws one"},
    {.names = {"min_keep"},
     .whole = &p::min_keep,
     .meaning = "tokens that each cut leaves at least; below 0 means 0, where llama.cpp would leave all"},
    {.names = {"ignore_eos"},
     .value = v::yes_or_no,
     .whole = &p::ignore_eos,
     .meaning = "bans the tokens that end generation"},
    {.names = {"logit_bias", "l"}, .value = v::biases, .meaning = "added to logits, as 15043-1,29871+2.5,7-inf"},
    {.names = {"suppress"}, .value = v::tokens, .meaning = "ids of banned tokens, as 5,7"},
    {.names = {"grammar"},
     .value = v::grammar_text,
     .meaning = "the text keeps to it: GBNF, in which \\x3B stands for ;, since that ends the setting"},
    {.names = {"json_schema", "j"},
     .value = v::schema_text,
     .meaning = "the text is a document of it, in which \\u003B stands for ;, since that ends the setting"},
    // ---- samplers
    {.names = {"penalties"},
     .sampler = penalties,
     .names_sampler = true,
     .letter = 'e',
     .meaning = "lowers the logits of tokens of the last ones"},
    {.names = {"penalty_last_n", "repeat_last_n"},
     .sampler = penalties,
     .whole = &p::penalty_last_n,
     .model_key = "penalty_last_n",
     .meaning = "tokens that penalties look back at; 0 turns them off"},
    {.names = {"penalty_repeat", "repeat_penalty", "repetition_penalty"},
     .sampler = penalties,
     .number = &p::penalty_repeat,
     .model_key = "penalty_repeat",
     .meaning = "divides positive logits, multiplies negative ones; 1 is off"},
    {.names = {"penalty_freq", "frequency_penalty"},
     .sampler = penalties,
     .number = &p::penalty_freq,
     .meaning = "subtracted once for each time the token was there; 0 is off"},
    {.names = {"penalty_present", "presence_penalty"},
     .sampler = penalties,
     .number = &p::penalty_present,
     .meaning = "subtracted if the token was there; 0 is off"},
    {.names = {"dry"},
     .sampler = dry,
     .names_sampler = true,
     .letter = 'd',
     .meaning = "lowers the logits of tokens that go on with a repetition"},
    {.names = {"dry_multiplier"},
     .sampler = dry,
     .number = &p::dry_multiplier,
     .meaning = "how much a repetition costs; 0 turns dry off"},
    {.names = {"dry_base"},
     .sampler = dry,
     .number = &p::dry_base,
     .meaning = "the penalty grows by it with each token of the repetition"},
    {.names = {"dry_allowed_length"},
     .sampler = dry,
     .whole = &p::dry_allowed_length,
     .meaning = "repetitions below this length cost nothing"},
    {.names = {"dry_penalty_last_n"},
     .sampler = dry,
     .whole = &p::dry_penalty_last_n,
     .meaning = "tokens that dry looks back at; 0 turns it off"},
    {.names = {"dry_sequence_breaker", "dry_sequence_breakers"},
     .sampler = dry,
     .value = v::breaker,
     .meaning = "a text that ends a repetition, once for each, in place of llama.cpp's; none leaves none"},
    {.names = {"top_n_sigma", "top_nsigma", "topnsigma"},
     .sampler = top_n_sigma,
     .names_sampler = true,
     .letter = 's',
     .number = &p::top_n_sigma,
     .meaning = "keeps logits within n deviations of the greatest; 0 or below is off"},
    {.names = {"top_k", "topk", "llama_arg_top_k"},
     .sampler = top_k,
     .names_sampler = true,
     .letter = 'k',
     .whole = &p::top_k,
     .model_key = "top_k",
     .meaning = "keeps the k greatest logits; 0 or below is off"},
    {.names = {"typ_p", "typical", "typical_p", "typp", "typ"},
     .sampler = typical,
     .names_sampler = true,
     .letter = 'y',
     .number = &p::typ_p,
     .meaning = "keeps the tokens whose surprise is nearest the entropy, up to mass p; 1 is off"},
    {.names = {"top_p", "topp", "nucleus"},
     .sampler = top_p,
     .names_sampler = true,
     .letter = 'p',
     .number = &p::top_p,
     .model_key = "top_p",
     .meaning = "keeps the likeliest tokens up to mass p; 1 is off"},
    {.names = {"min_p", "minp"},
     .sampler = min_p,
     .names_sampler = true,
     .letter = 'm',
     .number = &p::min_p,
     .model_key = "min_p",
     .meaning = "keeps tokens of at least p times the greatest probability; 0 is off"},
    {.names = {"xtc"},
     .sampler = xtc,
     .names_sampler = true,
     .letter = 'x',
     .meaning = "at times leaves out all likely tokens but the least likely of them"},
    {.names = {"xtc_probability"},
     .sampler = xtc,
     .number = &p::xtc_probability,
     .model_key = "xtc_probability",
     .meaning = "how often xtc leaves tokens out; 0 turns it off"},
    {.names = {"xtc_threshold"},
     .sampler = xtc,
     .number = &p::xtc_threshold,
     .model_key = "xtc_threshold",
     .meaning = "the probability from which a token is likely; above 0.5 turns xtc off"},
    {.names = {"temp", "temperature"},
     .sampler = temperature,
     .names_sampler = true,
     .letter = 't',
     .number = &p::temp,
     .model_key = "temp",
     .meaning = "divides logits; 0 or below keeps the greatest one"},
    {.names = {"dynatemp_range"},
     .sampler = temperature,
     .number = &p::dynatemp_range,
     .meaning = "how far the temperature follows the entropy, both ways; 0 is off"},
    {.names = {"dynatemp_exponent", "dynatemp_exp"},
     .sampler = temperature,
     .number = &p::dynatemp_exponent,
     .meaning = "the temperature follows the entropy, over its greatest, to this power; usual 1"},
    {.names = {"infill"},
     .sampler = infill,
     .names_sampler = true,
     .letter = 'i',
     .meaning = "for filling a gap in a text: joins tokens with a common beginning, or ends"},
    {.names = {"adaptive_p", "adaptivep"},
     .sampler = adaptive_p,
     .names_sampler = true,
     .letter = 'a',
     .meaning = "chooses tokens whose probability is near a target"},
    {.names = {"adaptive_target"},
     .sampler = adaptive_p,
     .number = &p::adaptive_target,
     .meaning = "the probability that adaptive_p looks for; below 0 is off"},
    {.names = {"adaptive_decay"},
     .sampler = adaptive_p,
     .number = &p::adaptive_decay,
     .meaning = "how much the tokens before count, from 0 to 0.99: their probabilities move adaptive_p's target"},
    {.names = {"mirostat"},
     .whole = &p::mirostat,
     .model_key = "mirostat",
     .meaning = "1 or 2: temperature and mirostat of that version alone, whatever else is named; 0 is off"},
    {.names = {"mirostat_tau", "mirostat_ent"},
     .number = &p::mirostat_tau,
     .model_key = "mirostat_tau",
     .meaning = "mirostat's target surprise, in bits"},
    {.names = {"mirostat_eta", "mirostat_lr"},
     .number = &p::mirostat_eta,
     .model_key = "mirostat_eta",
     .meaning = "mirostat's learning rate"},
    {.names = {"n_vocab"},
     .whole = &p::n_vocab,
     .meaning = "tokens of the vocabulary, for mirostat 1 where none is given"},
    // ---- llama.cpp's, of which a text makes no stage
    {.names = {"grammar_file", "json_schema_file", "jf"},
     .value = v::elsewhere,
     .meaning = "give what is in the file, as grammar or json_schema"},
    {.names = {"grammar_lazy", "grammar_triggers", "preserved_tokens"},
     .value = v::elsewhere,
     .meaning = "it says when a grammar begins: triggered(matcher, triggers) is a constraint that waits for that"},
    {.names = {"n_probs", "post_sampling_probs", "logprobs", "top_logprobs"},
     .value = v::elsewhere,
     .meaning = "ask the chain for probabilities, by logprobs()"},
    {.names = {"backend_sampling", "bs", "llama_arg_backend_sampling"},
     .value = v::elsewhere,
     .meaning = "attach what llama::make_chain makes to the context"},
    // ---- riffle's own
    {.names = {"top_a"},
     .sampler = top_a,
     .names_sampler = true,
     .number = &p::top_a,
     .meaning = "keeps tokens of at least a times the square of the greatest probability; 0 is off"},
    {.names = {"tail_free", "tfs", "tfs_z"},
     .sampler = tail_free,
     .names_sampler = true,
     .number = &p::tail_free,
     .meaning = "keeps tokens up to this share of the bends of the sorted probabilities; 1 is off"},
    {.names = {"epsilon_cutoff"},
     .sampler = epsilon_cutoff,
     .names_sampler = true,
     .number = &p::epsilon_cutoff,
     .meaning = "keeps tokens of at least this probability; 0 is off"},
    {.names = {"eta_cutoff"},
     .sampler = eta_cutoff,
     .names_sampler = true,
     .number = &p::eta_cutoff,
     .meaning = "keeps tokens of at least this probability, and of less where the entropy is high; 0 is off"},
    {.names = {"p_less"},
     .sampler = p_less,
     .names_sampler = true,
     .meaning = "keeps tokens of at least the sum of the squared probabilities"},
    {.names = {"top_h"},
     .sampler = top_h,
     .names_sampler = true,
     .number = &p::top_h,
     .meaning = "keeps the likeliest tokens up to this share of the row's entropy; above 1 is off"},
    {.names = {"min_k"},
     .sampler = min_k,
     .names_sampler = true,
     .number = &p::min_k,
     .meaning = "keeps tokens ahead of the cliff in the sorted logits, and at least this divided by their range"},
    {.names = {"quadratic", "smoothing_factor"},
     .sampler = quadratic,
     .names_sampler = true,
     .number = &p::quadratic,
     .meaning = "bends logits by the square of their distance from the greatest; 0 is off"},
    {.names = {"smoothing_curve"},
     .sampler = quadratic,
     .number = &p::smoothing_curve,
     .meaning = "above 1, quadratic is steeper far from the greatest logit"},
    {.names = {"soft_cap"},
     .sampler = soft_cap,
     .names_sampler = true,
     .number = &p::soft_cap,
     .meaning = "logits go to cap * tanh(logit / cap); 0 or below is off"},
    {.names = {"no_repeat_ngram", "no_repeat_ngram_size"},
     .sampler = no_repeat_ngram,
     .names_sampler = true,
     .whole = &p::no_repeat_ngram,
     .meaning = "bans what would complete a sequence of n tokens that was there; 0 is off"},
    {.names = {"greedy"}, .sampler = greedy, .names_sampler = true, .meaning = "chooses the greatest logit"},
    {.names = {"dist"}, .sampler = dist, .names_sampler = true, .meaning = "draws a token by its probability"},
    {.names = {"gumbel"},
     .sampler = gumbel,
     .names_sampler = true,
     .meaning = "dist's distribution, a random number for each token"},
};

}  // namespace detail::option_rows

/// Every option there is: what texts are read by, and what a program can print to its users.
RIFFLE_LOCAL inline constexpr std::span<const option> known_options{detail::option_rows::all};

/// The option of a name; nullptr where nobody knows it.
inline const option* option_called(const text& name) noexcept {
    for (const option& known : known_options)
        if (known.is_called(name)) return &known;
    return nullptr;
}

namespace detail {

/// The sampler of a letter in llama.cpp's --sampling-seq; sampler_kind::none where no sampler has it.
inline sampler_kind sampler_of_letter(char letter) noexcept {
    for (const option& known : known_options)
        if (letter != 0 && known.letter == letter) return known.sampler;
    return sampler_kind::none;
}

}  // namespace detail

/// Of the options that `wanted` takes, the name that is nearest to an unknown one, where a third of its letters or less
/// are wrong; nullptr where none is. Takes less than 0.1 ms.
template <class Wanted>
const char* nearest_name(const text& written, Wanted wanted) noexcept {
    const text name = detail::without_dashes(written);
    std::size_t least = (name.size() + 1) / 3 + 1;
    const char* nearest = nullptr;
    for (const option& known : known_options) {
        if (!wanted(known)) continue;
        for (const char* other : known.names) {
            if (!other) continue;
            const std::size_t distance = detail::edit_distance(name, other);
            if (distance >= least) continue;
            least = distance;
            nearest = other;
        }
    }
    return nearest;
}

}  // namespace riffle
