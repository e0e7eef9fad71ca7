#include "session.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <riffle/explain.hpp>
#include <riffle/settings.hpp>

#include "../quickstart/blanks.hpp"
#include "../quickstart/held_coins.hpp"
#include "../quickstart/sample_text.hpp"
#include "base64.hpp"
#include "settings_text.hpp"
#include "shown_text.hpp"
#include "step_report.hpp"

namespace visualiser {
namespace {

using riffle::token_id;

constexpr std::size_t tokens_by_default = 4096;
constexpr std::size_t most_tokens = std::size_t{1} << 20;  // of a row: four times as many as any model has today
constexpr std::size_t most_bytes = std::size_t{16} << 20;  // of a text to learn from
constexpr std::size_t most_draws = 100'000;
constexpr std::size_t most_steps = 1000;

json problem(std::string_view sentence) { return {{"problem", sentence}}; }

/// Tokens were to change, and a stage of the chain names some that are no longer there.
json does_not_fit(const std::string& wrong) {
    return problem(fmt::format("{}. This stage does not fit the new tokens: switch it off, then try again.", wrong));
}

std::string_view text_in(const json& request, const char* member) {
    const auto found = request.find(member);
    return found != request.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>()) : "";
}

/// A whole number from `least` to `most`.
std::size_t count_in(const json& request, const char* member, std::size_t otherwise, std::size_t least,
                     std::size_t most) {
    const auto found = request.find(member);
    if (found == request.end() || !found->is_number()) return otherwise;
    const double number = found->get<double>();
    return number >= double(least) ? std::size_t(std::min(number, double(most))) : least;
}

bool is_said(const json& request, const char* member) {
    const auto found = request.find(member);
    return found != request.end() && found->is_boolean() && found->get<bool>();
}

/// The beginning of a text, up to a character's end.
std::string_view beginning_of(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0u) == 0x80) --most;
    return text.substr(0, most);
}

/// The texts of the first `count` tokens, or of all there are.
riffle::vocabulary first_of(const riffle::vocabulary& texts, std::size_t count) {
    riffle::vocabulary first;
    for (riffle::token_id id = 0; std::size_t(id) < count && texts.contains(id); ++id) first.add(texts.piece(id));
    return first;
}

/// Bytes, which arrive as a text whose characters they are: JSON has no others.
std::string bytes_in(const std::string& characters) {
    std::string bytes;
    for (std::size_t i = 0; i < characters.size(); ++i) {
        const auto lead = static_cast<unsigned char>(characters[i]);
        const bool is_pair = lead >= 0xC2 && lead <= 0xC3 && i + 1 < characters.size();
        bytes += is_pair ? char((lead & 3u) << 6 | (static_cast<unsigned char>(characters[++i]) & 0x3Fu)) : char(lead);
    }
    return bytes;
}

/// The logits of a row as a file holds it: little-endian, float32 or float16.
std::vector<float> decoded_row(const std::string& bytes, bool is_half) {
    const std::size_t width = is_half ? 2 : 4;
    std::vector<float> row(bytes.size() / width);
    for (std::size_t i = 0; i < row.size(); ++i) {
        std::uint32_t bits = 0;
        for (std::size_t byte = 0; byte < width; ++byte)
            bits |= std::uint32_t{static_cast<unsigned char>(bytes[i * width + byte])} << 8 * byte;
        row[i] = is_half ? float(riffle::float16{std::uint16_t(bits)}) : std::bit_cast<float>(bits);
    }
    return row;
}

}  // namespace

session::session() { use(default_stages()); }

std::string session::answer_to(const std::string& request) {
    return answer(json::parse(request, nullptr, false)).dump(-1, ' ', false, json::error_handler_t::replace);
}

json session::answer(const json& request) {
    struct door {
        std::string_view name;
        json (session::*open)(const json&);
    };
    static constexpr std::array doors{
        door{"catalogue", &session::catalogue},
        door{"learn", &session::learn},
        door{"tokens", &session::tokens},
        door{"row", &session::row},
        door{"sparse_row", &session::sparse_row},
        door{"chain", &session::chain},
        door{"set", &session::set},
        door{"read_settings", &session::read_settings},
        door{"write_settings", &session::write_settings},
        door{"step", &session::step},
        door{"draw", &session::draw},
        door{"go_on", &session::go_on},
        door{"go_back", &session::go_back},
        door{"begin", &session::begin},
    };
    if (!request.is_object()) return problem("a request is a JSON object with a member \"do\"");
    for (const door& each : doors)
        if (each.name == text_in(request, "do")) return (this->*each.open)(request);
    return problem(fmt::format("nobody answers '{}'", text_in(request, "do")));
}

// ---- where logits come from -----------------------------------------------------------------------------------------

json session::catalogue(const json&) {
    return {{"stages", written_catalogue()}, {"chain", written_stages(stages_)}, {"most_tokens", most_tokens}};
}

json session::learn(const json& request) {
    const std::string sample = request.contains("text") ? std::string() : quickstart::sample_text();
    const std::string_view given = request.contains("text") ? text_in(request, "text") : sample;
    const std::string text = quickstart::fold_blanks(beginning_of(given, most_bytes));
    if (text.find_first_not_of(" \n") == text.npos) return problem("the text holds nothing to learn from");
    const std::size_t size =
        count_in(request, "tokens", tokens_by_default, quickstart::byte_pairs::least, quickstart::byte_pairs::greatest);
    auto learnt = std::make_unique<language_model>(text, size);
    riffle::vocabulary words;
    for (std::size_t id = 0; id < learnt->tokens().size(); ++id)
        words.add(riffle::text(learnt->tokens()[token_id(id)]));
    const std::size_t count = words.size();
    if (const std::string wrong = begin_over(std::move(words), count); !wrong.empty()) return does_not_fit(wrong);
    model_ = std::move(learnt);
    renew_row();
    json answered = {{"bytes", text.size()}, {"tokens", shown_texts(around_->words)}};
    if (given.size() > most_bytes)
        answered["notes"] = {fmt::format("The text is longer than {} MB; its end was left out.", most_bytes >> 20)};
    return answered;
}

json session::tokens(const json& request) {
    const auto pieces = request.find("pieces");
    if (pieces == request.end() || !pieces->is_array()) return problem("expected a list of the tokens' texts");
    if (pieces->size() > most_tokens) return problem(fmt::format("more than {} tokens", most_tokens));
    riffle::vocabulary words;
    for (const json& each : *pieces) {
        const std::string piece = each.is_string() ? bytes_in(each.get_ref<const std::string&>()) : std::string();
        words.add({piece.data(), piece.size()});
    }
    const std::size_t count = words.size();
    if (const std::string wrong = begin_over(std::move(words), count); !wrong.empty()) return does_not_fit(wrong);
    model_.reset();
    row_.clear();
    ranking_.clear();
    return {{"tokens", shown_texts(around_->words)}};
}

json session::row(const json& request) {
    const bool is_half = text_in(request, "type") == "float16";
    const std::optional<std::string> bytes = decoded_base64(text_in(request, "data"));
    if (!bytes || bytes->empty() || bytes->size() % (is_half ? 2 : 4) != 0)
        return problem("expected a whole number of logits in base64");
    if (bytes->size() / (is_half ? 2 : 4) > most_tokens)
        return problem(fmt::format("more than {} logits", most_tokens));
    return look_at_own(decoded_row(*bytes, is_half), is_said(request, "begin"));
}

json session::sparse_row(const json& request) {
    const auto listed = request.find("logprobs");
    if (listed == request.end() || !listed->is_array())
        return problem("expected a list of tokens and log-probabilities");
    std::vector<float> row;
    for (const json& each : *listed) {
        if (!each.is_array() || each.size() != 2 || !each[0].is_number_integer() || !each[1].is_number())
            return problem("expected pairs of a token and its log-probability");
        const double token = each[0].get<double>();
        if (token < 0 || token >= double(most_tokens)) return problem(fmt::format("a token of id {}", token));
        if (std::size_t(token) >= row.size()) row.resize(std::size_t(token) + 1, riffle::illegal_logit);
        row[std::size_t(token)] = each[1].get<float>();
    }
    if (row.empty()) return problem("the list of tokens is empty");
    // tokens that have texts are there, though nothing is said of them at this place
    if (!model_ && row.size() < texts_.size()) row.resize(texts_.size(), riffle::illegal_logit);
    return look_at_own(std::move(row), is_said(request, "begin"));
}

/// Begins a text of these tokens, of which a row has so many logits. Answers what is wrong with the chain for them, and
/// nothing has changed then.
std::string session::begin_over(riffle::vocabulary texts, std::size_t row_size) {
    auto around = std::make_unique<surroundings>();
    around->words = first_of(texts, row_size);
    around->trie = riffle::vocabulary_trie(around->words);
    around->row_size = row_size;
    riffle::dynamic_chain made;
    if (std::string wrong = make_chain(made, stages_, *around, {}); !wrong.empty()) return wrong;
    chain_ = std::move(made);
    around_ = std::move(around);
    texts_ = std::move(texts);
    text_ = {};
    return {};
}

/// A row of another length begins a text, as does the first of a file. The texts of the page's own tokens are not its;
/// texts that came without a model may be, the first of them where they are more than its logits.
json session::look_at_own(std::vector<float> row, bool is_first) {
    if (model_ || is_first || row.size() != around_->row_size) {
        riffle::vocabulary texts = model_ ? riffle::vocabulary() : texts_;
        if (const std::string wrong = begin_over(std::move(texts), row.size()); !wrong.empty())
            return does_not_fit(wrong);
        model_.reset();
    }
    look_at(std::move(row));
    json answered = {{"size", row_.size()}, {"texts", around_->words.size()}};
    answered.update(written_text());
    return answered;
}

void session::look_at(std::vector<float> row) {
    row_ = std::move(row);
    riffle::dynamic_chain untouched;
    const auto ranked = untouched.logprobs(row_, row_.size(), riffle::before);
    ranking_.assign(ranked.begin(), ranked.end());
}

/// The model's logits for the text so far; a row of the user's own stays.
void session::renew_row() {
    if (!model_) return;
    std::vector<float> row(model_->tokens().size());
    model_->logits(text_.all(), row);
    look_at(std::move(row));
}

// ---- the chain ------------------------------------------------------------------------------------------------------

/// A chain of these stages from now on, behind the text so far. Answers what is wrong with them, and nothing has
/// changed then.
std::string session::use(std::vector<chosen_stage> stages) {
    std::string wrong = make_chain(chain_, stages, *around_, text_);
    if (wrong.empty()) stages_ = std::move(stages);
    return wrong;
}

json session::chain(const json& request) {
    std::vector<chosen_stage> chosen;
    std::string wrong = read_stages(chosen, request);
    if (wrong.empty()) wrong = use(std::move(chosen));
    return wrong.empty() ? json{{"chain", written_stages(stages_)}} : problem(wrong);
}

/// Changes one value, in the chain as it stands where that can be done, so that what stages have learnt stays.
json session::set(const json& request) {
    const std::size_t at = count_in(request, "stage", stages_.size(), 0, stages_.size());
    const auto value = request.find("value");
    if (at == stages_.size() || value == request.end()) return problem("expected a stage, a parameter and a value");
    std::vector<chosen_stage> changed = stages_;
    chosen_stage& stage = changed[at];
    const auto& all = stage.entry->parameters;
    const auto parameter = std::find_if(all.begin(), all.end(),
                                        [&](const auto& each) { return each.name == text_in(request, "parameter"); });
    if (parameter == all.end()) return problem(fmt::format("{} has no such parameter", stage.entry->name));

    stage.values[parameter->name] = *value;
    riffle::dynamic_chain apart;  // for a stage that is off
    std::string wrong;
    void* const in_chain =
        stage.is_on && parameter->write ? stage.entry->find(chain_, place_in_chain(stages_, at)) : nullptr;
    if (in_chain) wrong = parameter->write(in_chain, *value, *around_);
    else if (stage.is_on) wrong = use(changed);
    else wrong = stage.entry->push(apart, *stage.entry, stage.values, *around_);
    if (!wrong.empty()) return problem(wrong);
    if (!is_written(parameter->shown_as)) stage.values[parameter->name] = numbers_of(stage)[parameter->name];
    stages_ = std::move(changed);
    return {{"value", stages_[at].values[parameter->name]}};
}

json session::read_settings(const json& request) {
    const std::string text(text_in(request, "text"));
    std::vector<chosen_stage> chosen;
    std::string wrong = stages_of_settings(chosen, text, *around_);
    if (wrong.empty()) wrong = use(std::move(chosen));
    return wrong.empty() ? json{{"chain", written_stages(stages_)}} : problem(wrong);
}

json session::write_settings(const json&) { return settings_of_stages(stages_, *around_); }

// ---- one step -------------------------------------------------------------------------------------------------------

json session::step(const json& request) {
    if (row_.empty()) return problem("there is no row of logits yet");
    const std::size_t shown = count_in(request, "top", 40, 1, 1000);
    const riffle::explanation taken_apart = riffle::explain(chain_, row_);
    const step_report report{stages_, ranking_, taken_apart};
    json answered = report.written(shown);
    const std::size_t stage = count_in(request, "up_to", stages_.size(), 0, stages_.size());
    if (stage < stages_.size()) {
        const std::size_t selectors = chain_.view().has_selector() ? 1 : 0;
        const std::size_t behind = place_in_chain(stages_, stage + 1);
        const std::size_t most = chain_.view().size() - selectors;
        answered["top"] = report.top(shown, left_behind(chain_, std::min(behind, most), row_));
    }
    return answered;
}

/// Many draws of the token at this place, from the distribution that the step shows.
json session::draw(const json& request) {
    const std::size_t count = count_in(request, "count", 1000, 1, most_draws);
    std::vector<std::size_t> times(row_.size());
    riffle::dynamic_chain again = quickstart::with_held_coins(chain_, riffle::explain(chain_, row_));
    for (std::size_t i = 0; i < count; ++i) {
        again.retry();
        const token_id token = again.peek(row_);
        if (token == riffle::null_token) return problem(again.last_status().message().c_str());
        ++times[std::size_t(token)];
    }
    json counts = json::array();
    for (std::size_t id = 0; id < times.size(); ++id)
        if (times[id] > 0) counts.push_back({id, times[id]});
    return {{"count", count}, {"counts", counts}};
}

/// Chooses up to `count` tokens, and takes them back where a stage asks for that.
json session::go_on(const json& request) {
    const std::size_t count = count_in(request, "count", 1, 1, most_steps);
    std::string ended;
    for (std::size_t i = 0; i < count && ended.empty(); ++i) {
        const token_id token = chain_.sample(row_);
        if (token == riffle::null_token) ended = chain_.last_status().message().c_str();
        else text_.generated.push_back(token);
        const riffle::step& led_to = chain_.last_step();
        const std::size_t back = std::min(std::size_t(led_to.rewind), text_.generated.size());
        if (token != riffle::null_token && back > 0 && chain_.rewind(back).ok())
            text_.generated.resize(text_.generated.size() - back);
        if (token != riffle::null_token && led_to.finished) ended = "the text is complete";
        renew_row();
    }
    json answered = written_text();
    answered["ended"] = ended;
    return answered;
}

json session::go_back(const json&) {
    if (text_.generated.empty()) return problem("there is nothing to take back");
    const bool is_rewound = chain_.rewind(1).ok();
    text_.generated.pop_back();
    if (!is_rewound) make_chain(chain_, stages_, *around_, text_);
    renew_row();
    return written_text();
}

json session::begin(const json& request) {
    text_ = {};
    if (model_) text_.prompt = model_->encode(quickstart::fold_blanks(text_in(request, "text")));
    make_chain(chain_, stages_, *around_, text_);
    renew_row();
    return written_text();
}

json session::written_text() const {
    return {{"prompt", shown_tokens(around_->words, text_.prompt)},
            {"generated", shown_tokens(around_->words, text_.generated)}};
}

}  // namespace visualiser
