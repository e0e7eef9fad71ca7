#include "stage_catalogue.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "stage_values.hpp"

namespace visualiser {
namespace {

// ---- parameters -----------------------------------------------------------------------------------------------------

template <class T>
struct member_of;
template <class Stage, class Value>
struct member_of<Value Stage::*> {
    using stage = Stage;
};

/// A parameter that is a member of the stage.
template <auto Member>
parameter member(parameter described) {
    using stage = typename member_of<decltype(Member)>::stage;
    described.read = [](const void* of) { return written_value(static_cast<const stage*>(of)->*Member); };
    described.write = [](void* of, const json& value, const surroundings& around) {
        return read_value(static_cast<stage*>(of)->*Member, value, around);
    };
    return described;
}
template <auto Member>
parameter slider(const char* name, double least, double greatest, double step, const char* setting,
                 const char* meaning) {
    return member<Member>({name, control::slider, least, greatest, step, setting, meaning});
}
template <auto Member>
parameter seed(const char* setting = "") {
    return member<Member>({"seed", control::seed, 0, 0, 0, setting, "of the random numbers"});
}
template <auto Member>
parameter yes_or_no(const char* name, const char* meaning) {
    return member<Member>({name, control::yes_or_no, 0, 1, 1, "", meaning});
}
template <auto Member>
parameter list(const char* name, const char* meaning, const char* setting = "",
               decltype(parameter::in_settings) in_settings = nullptr) {
    return member<Member>({name, control::list, 0, 0, 0, setting, meaning, in_settings});
}
template <auto Member>
parameter min_keep(const char* setting = "min_keep") {
    return member<Member>(
        {"min_keep", control::slider, 0, 20, 1, setting, "tokens that it leaves at least", min_keep_setting});
}

// ---- stages ---------------------------------------------------------------------------------------------------------

/// What a stage needs of its surroundings before it has a meaning.
template <class Stage>
void surround(Stage& stage, const surroundings& around) {
    if constexpr (requires { stage.vocab; }) stage.vocab = &around.words;
    if constexpr (requires { stage.n_vocab; }) stage.n_vocab = std::int32_t(around.row_size);
}

template <class Stage>
std::string push_stage(riffle::dynamic_chain& chain, const stage_entry& entry, const json& values,
                       const surroundings& around) {
    Stage stage;
    surround(stage, around);
    for (const parameter& each : entry.parameters) {
        const auto given = values.find(each.name);
        if (given == values.end()) continue;
        if (const std::string wrong = each.write(&stage, *given, around); !wrong.empty())
            return fmt::format("{}: {}: {}", entry.name, each.name, wrong);
    }
    const riffle::status pushed = chain.push(std::move(stage));
    // a parameter without meaning is the next step's to name: the stage is there
    return pushed == riffle::status_code::invalid_parameter ? "" : pushed.ok() ? "" : pushed.message().c_str();
}

template <class Stage>
stage_entry stage(const char* name, const char* group, const char* meaning, std::vector<parameter> parameters,
                  const char* setting = "") {
    return {name,
            group,
            meaning,
            std::move(parameters),
            setting,
            push_stage<Stage>,
            [](riffle::dynamic_chain& chain, std::size_t i) -> void* { return chain.get_if<Stage>(i); }};
}

using constraint = riffle::constrain<riffle::grammar_matcher>;

/// A grammar is read when the chain is made.
std::string push_grammar(riffle::dynamic_chain& chain, const stage_entry& entry, const json& values,
                         const surroundings& around) {
    const auto given = values.find("grammar");
    const std::string source = given != values.end() && given->is_string() ? given->get<std::string>() : "";
    const riffle::parsed<riffle::grammar> read = riffle::parse_gbnf(riffle::text(source));
    if (!read) return fmt::format("{}: {}", entry.name, read.problem().message().c_str());
    const riffle::status pushed = chain.push(constraint{riffle::grammar_matcher(*read, around.trie)});
    return pushed.ok() ? "" : pushed.message().c_str();
}

std::vector<stage_entry> every_stage() {
    using namespace riffle;
    return {
        // ---- select
        stage<greedy>("greedy", "select", "the greatest logit, the lowest id among equals", {}, "greedy"),
        stage<dist>("dist", "select", "draws by probability", {seed<&dist::seed>("seed")}),
        stage<gumbel>("gumbel", "select", "draws by probability, with noise for each token",
                      {seed<&gumbel::seed>("seed")}, "gumbel"),
        stage<skew>("skew", "select", "draws towards likelier (below 0) or less likely (above 0) tokens",
                    {slider<&skew::amount>("amount", -4, 4, 0.05, "", "0 draws as dist does"), seed<&skew::seed>()}),
        stage<mirostat>("mirostat", "select", "keeps the surprise of the text near a target, by Zipf's law and top-k",
                        {slider<&mirostat::tau>("tau", 0, 10, 0.05, "mirostat_tau", "target surprise, in bits"),
                         slider<&mirostat::eta>("eta", 0, 1, 0.01, "mirostat_eta", "learning rate"),
                         slider<&mirostat::m>("m", 2, 200, 1, "", "tokens that Zipf's law is fitted to"),
                         seed<&mirostat::seed>("seed")},
                        "mirostat=1"),
        stage<mirostat_v2>("mirostat_v2", "select", "keeps the surprise of the text near a target, by a bound on it",
                           {slider<&mirostat_v2::tau>("tau", 0, 10, 0.05, "mirostat_tau", "target surprise, in bits"),
                            slider<&mirostat_v2::eta>("eta", 0, 1, 0.01, "mirostat_eta", "learning rate"),
                            seed<&mirostat_v2::seed>("seed")},
                           "mirostat=2"),
        stage<adaptive_p>(
            "adaptive_p", "select", "prefers tokens whose probability is near a target",
            {slider<&adaptive_p::target>("target", -1, 1, 0.01, "adaptive_target",
                                         "that probability; below 0 draws as dist does"),
             slider<&adaptive_p::decay>("decay", 0, 0.99, 0.01, "adaptive_decay", "weight of the tokens before"),
             seed<&adaptive_p::seed>("seed")},
            "adaptive_p"),
        // ---- shape
        stage<temperature>("temperature", "shape", "divides the logits",
                           {slider<&temperature::t>("t", 0, 3, 0.01, "temp", "0 or below keeps the first; 1 is off")}),
        stage<dynamic_temperature>(
            "dynamic_temperature", "shape", "a temperature that follows the entropy",
            {slider<&dynamic_temperature::t>("t", 0, 3, 0.01, "temp", "in the middle of its range"),
             slider<&dynamic_temperature::range>("range", 0, 3, 0.01, "dynatemp_range",
                                                 "both ways; 0 or below: as temperature"),
             slider<&dynamic_temperature::exponent>("exponent", 0.1, 4, 0.05, "dynatemp_exponent",
                                                    "of the share of the greatest entropy")}),
        stage<soft_cap>("soft_cap", "shape", "cap · tanh(logit / cap)",
                        {slider<&soft_cap::cap>("cap", 0, 60, 0.5, "soft_cap", "0 or below is off")}),
        stage<quadratic>("quadratic", "shape", "bends logits by the square of their distance from the greatest",
                         {slider<&quadratic::factor>("factor", 0, 5, 0.01, "quadratic", "0 or below is off"),
                          slider<&quadratic::curve>("curve", 0.1, 5, 0.05, "smoothing_curve",
                                                    "above 1 steeper far from the greatest")}),
        // ---- truncate
        stage<top_k>("top_k", "truncate", "the k greatest",
                     {slider<&top_k::k>("k", 0, 1000, 0, "top_k", "0 or below is off")}),
        stage<top_p>(
            "top_p", "truncate", "the nucleus: the likeliest tokens up to a mass",
            {slider<&top_p::p>("p", 0, 1, 0.005, "top_p", "that mass; 1 is off"), min_keep<&top_p::min_keep>()}),
        stage<factual_nucleus>(
            "factual_nucleus", "truncate", "a nucleus that tightens within a sentence",
            {slider<&factual_nucleus::p>("p", 0, 1, 0.005, "", "mass at the beginning of a sentence"),
             slider<&factual_nucleus::decay>("decay", 0, 1, 0.01, "", "of that mass with every token"),
             slider<&factual_nucleus::p_min>("p_min", 0, 1, 0.005, "", "mass at the least"),
             list<&factual_nucleus::resets>("resets", "tokens that end a sentence"),
             min_keep<&factual_nucleus::min_keep>("")}),
        stage<min_p>("min_p", "truncate", "tokens at least p times as likely as the likeliest",
                     {slider<&min_p::p>("p", 0, 1, 0.005, "min_p", "0 or below is off"), min_keep<&min_p::min_keep>()}),
        stage<typical>(
            "typical", "truncate", "tokens whose surprise is nearest to the entropy, up to a mass",
            {slider<&typical::p>("p", 0, 1, 0.005, "typ_p", "that mass; 1 is off"), min_keep<&typical::min_keep>()}),
        stage<top_n_sigma>("top_n_sigma", "truncate", "logits within n deviations of the greatest",
                           {slider<&top_n_sigma::n>("n", 0, 5, 0.01, "top_n_sigma", "0 or below is off")}),
        stage<top_a>("top_a", "truncate", "tokens of at least a times the square of the greatest probability",
                     {slider<&top_a::a>("a", 0, 1, 0.005, "top_a", "0 or below is off")}),
        stage<tail_free>(
            "tail_free", "truncate", "cuts where the sorted probabilities stop bending",
            {slider<&tail_free::z>("z", 0, 1, 0.005, "tail_free", "share of the bends; 1 is off"),
             min_keep<&tail_free::min_keep>(),
             yes_or_no<&tail_free::centred>("centred", "keeps one token more, as text-generation-webui does")}),
        stage<epsilon_cutoff>("epsilon_cutoff", "truncate", "tokens of at least a probability",
                              {slider<&epsilon_cutoff::epsilon>("epsilon", 0, 0.1, 0.0001, "epsilon_cutoff",
                                                                "that probability; 0 or below is off"),
                               min_keep<&epsilon_cutoff::min_keep>()}),
        stage<eta_cutoff>("eta_cutoff", "truncate", "tokens of at least a probability, lower where the entropy is high",
                          {slider<&eta_cutoff::epsilon>("epsilon", 0, 0.1, 0.0001, "eta_cutoff",
                                                        "that probability; 0 or below is off"),
                           min_keep<&eta_cutoff::min_keep>()}),
        stage<p_less>("p_less", "truncate", "tokens at least as likely as two draws are to agree",
                      {yes_or_no<&p_less::normalised>("normalised", "a lower bound, 0 for equal tokens")}, "p_less"),
        stage<top_h>("top_h", "truncate", "the likeliest tokens up to a share of the entropy",
                     {slider<&top_h::alpha>("alpha", 0, 1.5, 0.01, "top_h", "that share; above 1 is off"),
                      min_keep<&top_h::min_keep>(),
                      yes_or_no<&top_h::renormalised>("renormalised", "measured as a distribution of its own")}),
        stage<min_k>("min_k", "truncate", "cuts at the cliff of the sorted logits",
                     {slider<&min_k::tau>("tau", 0, 10, 0.05, "min_k",
                                          "keeps at least this divided by the range of the logits")}),
        stage<xtc>("xtc", "truncate", "now and then leaves out all likely tokens but the least likely of them",
                   {slider<&xtc::probability>("probability", 0, 1, 0.01, "xtc_probability",
                                              "how often it leaves tokens out; 0 is off"),
                    slider<&xtc::threshold>("threshold", 0, 0.5, 0.005, "xtc_threshold",
                                            "the probability from which a token is likely"),
                    min_keep<&xtc::min_keep>(), seed<&xtc::seed>("seed"),
                    list<&xtc::exempt>("exempt", "tokens that are never left out")}),
        stage<infill>("infill", "truncate", "ends or goes on when filling in a gap", {}, "infill"),
        // ---- penalise, ban, bias
        stage<logit_bias>(
            "logit_bias", "penalise", "adds to the logits of some tokens",
            {list<&logit_bias::biases>("biases", "tokens and what is added; false bans", "logit_bias", bias_setting)}),
        stage<penalties>(
            "penalties", "penalise", "lowers the logits of recent tokens",
            {slider<&penalties::last_n>("last_n", -1, 512, 1, "penalty_last_n", "tokens looked back at; -1 for all"),
             slider<&penalties::repeat>("repeat", 0.5, 2, 0.01, "penalty_repeat", "divides; 1 is off"),
             slider<&penalties::frequency>("frequency", -2, 2, 0.01, "penalty_freq",
                                           "taken off once for each time; 0 is off"),
             slider<&penalties::presence>("presence", -2, 2, 0.01, "penalty_present", "taken off once; 0 is off"),
             list<&penalties::exempt>("exempt", "tokens that are never penalised")}),
        stage<dry>(
            "dry", "penalise", "lowers the logits of tokens that go on with a repetition",
            {slider<&dry::multiplier>("multiplier", 0, 5, 0.05, "dry_multiplier", "of the penalty; 0 is off"),
             slider<&dry::base>("base", 1, 4, 0.05, "dry_base", "it grows by this with each token repeated"),
             slider<&dry::allowed_length>("allowed_length", 0, 20, 1, "dry_allowed_length",
                                          "repetitions below this cost nothing"),
             slider<&dry::last_n>("last_n", -1, 512, 1, "dry_penalty_last_n", "tokens looked back at; -1 for all"),
             list<&dry::breakers>("breakers", "texts, or lists of tokens, that end a repetition",
                                  "dry_sequence_breaker", breaker_setting)}),
        stage<no_repeat_ngram>(
            "no_repeat_ngram", "penalise", "no sequence of n tokens twice",
            {slider<&no_repeat_ngram::n>("n", 0, 10, 1, "no_repeat_ngram", "0 or below is off"),
             slider<&no_repeat_ngram::last_n>("last_n", -1, 512, 1, "", "tokens looked back at; -1 for all")}),
        stage<banned_sequences>("banned_sequences", "penalise", "bans sequences of tokens",
                                {list<&banned_sequences::sequences>("sequences", "texts, or lists of tokens")}),
        stage<phrase_ban>("phrase_ban", "penalise", "bans phrases, however they are cut into tokens",
                          {list<&phrase_ban::phrases>("phrases", "texts, in upper or lower case")}),
        stage<mask>("mask", "penalise", "only tokens whose bit is set", {list<&mask::words>("words", "those tokens")}),
        stage<allowed_tokens>("allowed_tokens", "penalise", "only these tokens",
                              {list<&allowed_tokens::tokens>("tokens", "which")}),
        stage<min_tokens>("min_tokens", "penalise", "no end before so many tokens",
                          {slider<&min_tokens::count>("count", 0, 200, 1, "", "0 or below is off"),
                           list<&min_tokens::ends>("ends", "tokens that end a text")}),
        stage<length_penalty>("length_penalty", "penalise", "the end likelier with every token",
                              {slider<&length_penalty::start>("start", 0, 200, 1, "", "tokens before it begins"),
                               slider<&length_penalty::factor>("factor", 0.5, 2, 0.01, "", "1 is off"),
                               list<&length_penalty::ends>("ends", "tokens that end a text")}),
        stage<encoder_repetition>("encoder_repetition", "penalise", "favours the tokens of a source",
                                  {slider<&encoder_repetition::penalty>("penalty", 0.5, 2, 0.01, "", "1 is off"),
                                   list<&encoder_repetition::tokens>("tokens", "of the source")}),
        // ---- constrain
        {"constrain",
         "constrain",
         "only tokens that a grammar takes next",
         {{"grammar", control::grammar, 0, 0, 0, "grammar", "GBNF, llama.cpp's notation", grammar_setting}},
         "",
         push_grammar,
         [](riffle::dynamic_chain& chain, std::size_t i) -> void* { return chain.get_if<constraint>(i); }},
    };
}

const char* name_of(control shown_as) {
    switch (shown_as) {
    case control::slider: return "slider";
    case control::yes_or_no: return "switch";
    case control::seed: return "seed";
    case control::list: return "list";
    case control::grammar: return "grammar";
    }
    return "";
}

json written_parameter(const parameter& each, const json& defaults) {
    return {{"name", each.name},
            {"control", name_of(each.shown_as)},
            {"least", each.least},
            {"greatest", each.greatest},
            {"step", each.step},
            {"meaning", each.meaning},
            {"default", defaults.at(each.name)}};
}

}  // namespace

bool stage_entry::has_setting() const {
    return *setting ||
           std::any_of(parameters.begin(), parameters.end(), [](const parameter& each) { return *each.setting != 0; });
}

std::span<const stage_entry> catalogue() {
    static const std::vector<stage_entry> all = every_stage();
    return all;
}

const stage_entry* entry_called(std::string_view name) {
    for (const stage_entry& each : catalogue())
        if (each.name == name) return &each;
    return nullptr;
}

json values_of(const stage_entry& entry, riffle::dynamic_chain& chain, std::size_t i) {
    json values = json::object();
    const void* of = entry.find(chain, i);
    for (const parameter& each : entry.parameters) values[each.name] = of && each.read ? each.read(of) : json("");
    return values;
}

json written_catalogue() {
    json all = json::array();
    for (const stage_entry& each : catalogue()) {
        riffle::dynamic_chain made;
        each.push(made, each, json::object(), {});
        const json defaults = values_of(each, made, 0);
        json parameters = json::array();
        for (const parameter& of : each.parameters) parameters.push_back(written_parameter(of, defaults));
        all.push_back(
            {{"name", each.name}, {"group", each.group}, {"meaning", each.meaning}, {"parameters", parameters}});
    }
    return all;
}

}  // namespace visualiser
