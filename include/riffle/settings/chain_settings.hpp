#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <riffle/riffle.hpp>
#include <riffle/settings/builder/chain_builder.hpp>
#include <riffle/settings/reader/options.hpp>
#include <riffle/settings/reader/problem_list.hpp>
#include <riffle/settings/reader/settings_reader.hpp>
#include <riffle/settings/sampling_parameters.hpp>

namespace riffle::inline RIFFLE_ABI::inline in_riffle_settings_hpp {

/// Sampling parameters, read from a text, and made into a chain.
///
///     chain_settings s;
///     if (!s.read("top_k=40;top_p=0.95;temp=0.8;seed=42")) std::puts(s.problem().c_str());
///     dynamic_chain c;
///     status made = s.build(c);
///
/// The text is a list of name=value, separated by `;`. known_options (settings/reader/options.hpp) has every name:
/// those of llama.cpp's parameters, of its options with their aliases, and of its samplers, and riffle's own. Case does
/// not matter in names, `-` and `_` are the same, and the dashes of a command line may be there: --top-k=40 is
/// top_k=40. Numbers have a decimal point under any locale.
///
/// A sampler that is named, or a parameter of one, puts that sampler into the chain, in the order in which they are
/// first mentioned: the example is top_k | top_p | temperature | dist. Where no sampler is mentioned the chain is
/// llama.cpp's default one, as it is where `samplers=default` is said. `samplers=top_k,temp` (or llama.cpp's
/// `samplers=top_k;temp`) and `sampler_seq=kt` (its letters) say the order themselves, whatever was mentioned before:
/// parameters that follow then add no sampler, names alone are appended. What is not set has llama.cpp's default value,
/// but for the seed: nothing is random unasked, so it is 0; `seed=random`, or -1, draws one. In the texts of
/// dry_sequence_breaker `\xHH` stands for `;`, and for blanks at either end.
///
/// A sampler that llama.cpp calls disabled stays in the chain and does nothing. Reading, building and assigning
/// allocate, and may throw what std::vector throws: then nothing has changed. Reading takes time and memory in
/// proportion to the text, whatever it says.
class chain_settings : public sampling_parameters {
public:
    chain_settings() = default;
    /// Copies parameters, problems and what was mentioned.
    chain_settings(const chain_settings&) = default;
    /// Takes what the other one has.
    chain_settings(chain_settings&&) noexcept = default;
    /// All or nothing, where memory runs out.
    chain_settings& operator=(const chain_settings& other) { return *this = chain_settings(other); }
    /// Takes what the other one has, and drops its own.
    chain_settings& operator=(chain_settings&&) noexcept = default;
    ~chain_settings() = default;

    /// Reads a text on top of what is set. False where something in it is unknown or malformed: problem() then says
    /// what, and nothing has changed.
    bool read(const text& settings) {
        sampling_parameters changed = *this;
        detail::settings_said said = said_;
        detail::problem_list found;
        detail::settings_reader(changed, said, found).read(settings);
        problems_ = std::move(found);
        if (problems_.size() > 0) return false;
        static_cast<sampling_parameters&>(*this) = std::move(changed);
        said_ = said;
        return true;
    }

    /// Reads an entry of a model's metadata on top of what is set, the value as llama_model_meta_val_str() writes it:
    /// what llama.cpp looks for in general.sampling.*; other keys change nothing. Numbers that it wrote are read as it
    /// reads them, under whatever locale it wrote them: `0,600000` is 0.6, and a whole number that is stored as a float
    /// is cut to its digits. Other texts meet stricter rules than there: the number has to be the whole text (it
    /// takes `40x` and ` 40` for 40, and `0.6f` for 0.6), and one out of range is refused (it lets 4294967336 wrap to
    /// 40). False where there is no number, or a sampler that nobody knows; the others of a sequence are taken.
    /// problem() then says so, behind what it said of the entries since the last text. Never adds a sampler but by the
    /// sequence.
    bool read_metadata(const text& key, const text& value) {
        const text prefix = "general.sampling.";
        if (!key.starts_with(prefix)) return true;
        chain_settings changed = *this;
        detail::settings_reader reader(changed, changed.said_, changed.problems_);
        for (const option& known : known_options)
            if (known.model_key && key.part(prefix.size()) == text(known.model_key))
                reader.read_model_value(known, value);
        const bool is_sound = changed.problems_.size() == problems_.size();
        *this = std::move(changed);
        return is_sound;
    }

    /// What was wrong with the text read last, and with the metadata since: a line for each of the first eight
    /// problems, and how many more there are; empty when nothing was. Of an unknown name it tells the nearest known
    /// one. Printable ASCII, 3,000 characters at most, in no locale's form.
    const std::string& problem() const noexcept { return problems_.sentences(); }

    /// Puts the stages into a chain, behind those it has: biases first, then the samplers, then the selector, dist
    /// where none is named. A vocabulary is needed for ignore_eos, infill, and dry's breakers where they are texts and
    /// dry is on (of which as many count as dry_breakers says); it must outlive the chain. Where it is missing,
    /// mirostat has no such version, or there is no memory (out_of_memory, or what std::vector throws), nothing is
    /// built. A parameter without meaning is built, and the chain answers with its name until it has one.
    template <class Policies>
    status build(basic_dynamic_chain<Policies>& into, const vocabulary* vocab = nullptr) const {
        return build(into, vocab, detail::no_constraint());
    }
    /// With a grammar, where one is set: `make_constraint(grammar text, vocab, chain)` puts a stage that keeps to it
    /// into an empty chain, ahead of all others, and answers a status; constrain_by_text (riffle/constraint.hpp) does.
    /// So does constrain_by_schema (riffle/json_schema.hpp), and where a JSON schema is set, its member
    /// `by_json_schema(schema text, vocab, chain)`. Where it fails nothing is built. What is set is never ignored:
    /// without this argument it is a sentence, and so are a grammar and a schema that are both set.
    template <class Policies, class Constrain>
    status build(basic_dynamic_chain<Policies>& into, const vocabulary* vocab, Constrain&& make_constraint) const {
        basic_dynamic_chain<Policies> made;
        using builder = detail::chain_builder<Policies, std::remove_reference_t<Constrain>>;
        const status built = builder{*this, made, vocab, make_constraint}.run();
        if (made.view().size() == 0) return built;
        if (made.last_status() == status_code::out_of_memory) return made.last_status();
        return into.append(std::move(made));
    }

private:
    detail::settings_said said_;
    detail::problem_list problems_;
};

}  // namespace riffle
