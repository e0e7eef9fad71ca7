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
#include "../quickstart/float16.hpp"
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
constexpr std::size_t most_draws = 100'000;
constexpr std::size_t most_steps = 1000;

json problem(std::string_view sentence) { return {{"problem", sentence}}; }

json with_problem(json answered, const std::string& sentence) {
    if (!sentence.empty()) answered["problem"] = sentence;
    return answered;
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
        row[i] = is_half ? quickstart::decode_float16(std::uint16_t(bits)) : std::bit_cast<float>(bits);
    }
    return row;
}

}  // namespace

session::session() {
    stages_ = default_stages();
    build();
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

json session::catalogue(const json&) { return {{"stages", written_catalogue()}, {"chain", written_stages(stages_)}}; }

json session::learn(const json& request) {
    const bool is_own = request.contains("text");
    const std::string text = quickstart::fold_blanks(is_own ? text_in(request, "text") : quickstart::sample_text());
    if (text.find_first_not_of(" \n") == text.npos) return problem("the text holds nothing to learn from");
    const std::size_t size =
        count_in(request, "tokens", tokens_by_default, quickstart::byte_pairs::least, quickstart::byte_pairs::greatest);
    model_.emplace(text, size);
    around_.words = {};
    for (std::size_t id = 0; id < model_->tokens().size(); ++id) {
        const std::string& piece = model_->tokens()[token_id(id)];
        around_.words.add({piece.data(), piece.size()});
    }
    begin_with(riffle::vocabulary_trie(around_.words));
    renew_row();
    return with_problem({{"bytes", text.size()}, {"tokens", shown_texts(around_.words)}}, build());
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
    model_.reset();
    around_.words = std::move(words);
    begin_with(riffle::vocabulary_trie(around_.words));
    row_.clear();
    ranking_.clear();
    return with_problem({{"tokens", shown_texts(around_.words)}}, build());
}

json session::row(const json& request) {
    const bool is_half = text_in(request, "type") == "float16";
    const std::optional<std::string> bytes = decoded_base64(text_in(request, "data"));
    if (!bytes || bytes->empty() || bytes->size() % (is_half ? 2 : 4) != 0)
        return problem("expected a whole number of logits in base64");
    if (bytes->size() / (is_half ? 2 : 4) > most_tokens)
        return problem(fmt::format("more than {} logits", most_tokens));
    return look_at_own(decoded_row(*bytes, is_half));
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
    return look_at_own(std::move(row));
}

/// A text begins, of tokens that are in place.
void session::begin_with(riffle::vocabulary_trie trie) {
    around_.trie = std::move(trie);
    around_.row_size = around_.words.size();
    prompt_.clear();
    generated_.clear();
}

/// Texts of more tokens than the row has logits are another model's.
json session::look_at_own(std::vector<float> row) {
    model_.reset();
    std::string wrong;
    if (row.size() != around_.row_size) {
        if (around_.words.size() > row.size()) around_.words = {};
        begin_with(riffle::vocabulary_trie(around_.words));
        around_.row_size = row.size();
        wrong = build();
    }
    look_at(std::move(row));
    return with_problem({{"size", row_.size()}, {"texts", around_.words.size()}}, wrong);
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
    std::vector<token_id> history(prompt_);
    history.insert(history.end(), generated_.begin(), generated_.end());
    std::vector<float> row(model_->tokens().size());
    model_->logits(history, row);
    look_at(std::move(row));
}

// ---- the chain ------------------------------------------------------------------------------------------------------

/// Makes the chain anew, and has it read the text so far. A stage that refuses a token of it, a grammar say, begins
/// where the text ends: then all of it is a prompt.
std::string session::build() {
    riffle::dynamic_chain made;
    for (const chosen_stage& each : stages_) {
        if (!each.is_on) continue;
        if (std::string wrong = each.entry->push(made, *each.entry, each.values, around_); !wrong.empty()) return wrong;
    }
    made.prompt(prompt_);
    const bool is_taken =
        std::all_of(generated_.begin(), generated_.end(), [&](token_id token) { return !made.accept(token).refused; });
    if (!is_taken) {
        made.reset();
        made.prompt(prompt_);
        made.prompt(generated_);
    }
    chain_ = std::move(made);
    return {};
}

json session::chain(const json& request) {
    std::vector<chosen_stage> chosen;
    if (const std::string wrong = read_stages(chosen, request); !wrong.empty()) return problem(wrong);
    stages_.swap(chosen);
    const std::string wrong = build();
    if (!wrong.empty()) stages_.swap(chosen);
    return wrong.empty() ? json{{"chain", written_stages(stages_)}} : problem(wrong);
}

/// Changes one value, in the chain as it stands where that can be done, so that what stages have learnt stays.
json session::set(const json& request) {
    const std::size_t at = count_in(request, "stage", stages_.size(), 0, stages_.size());
    const auto value = request.find("value");
    if (at == stages_.size() || value == request.end()) return problem("expected a stage, a parameter and a value");
    chosen_stage& stage = stages_[at];
    const auto& all = stage.entry->parameters;
    const auto parameter = std::find_if(all.begin(), all.end(),
                                        [&](const auto& each) { return each.name == text_in(request, "parameter"); });
    if (parameter == all.end()) return problem(fmt::format("{} has no such parameter", stage.entry->name));

    const json before = std::exchange(stage.values[parameter->name], *value);
    std::string wrong;
    void* in_chain = stage.is_on && parameter->write ? stage.entry->find(chain_, place_in_chain(stages_, at)) : nullptr;
    if (!in_chain) wrong = build();
    else wrong = parameter->write(in_chain, *value, around_);
    if (!wrong.empty()) stage.values[parameter->name] = before;
    else if (in_chain && parameter->read && value->is_number())
        stage.values[parameter->name] = parameter->read(in_chain);
    return with_problem(json::object(), wrong);
}

json session::read_settings(const json& request) {
    const std::string text(text_in(request, "text"));
    std::vector<chosen_stage> chosen;
    if (const std::string wrong = stages_of_settings(chosen, text, around_); !wrong.empty()) return problem(wrong);
    stages_.swap(chosen);
    const std::string wrong = build();
    if (!wrong.empty()) stages_.swap(chosen);
    return wrong.empty() ? json{{"chain", written_stages(stages_)}} : problem(wrong);
}

json session::write_settings(const json&) { return settings_of_stages(stages_, around_); }

/// The stages up to one, none of which selects, after the text so far.
riffle::dynamic_chain session::up_to(std::size_t stage) {
    riffle::dynamic_chain first;
    for (std::size_t i = 0; i <= stage && i < stages_.size(); ++i) {
        const chosen_stage& each = stages_[i];
        if (each.is_on && each.entry->group != std::string_view("select"))
            each.entry->push(first, *each.entry, each.values, around_);
    }
    first.prompt(prompt_);
    for (const token_id token : generated_) first.accept(token);
    return first;
}

// ---- one step -------------------------------------------------------------------------------------------------------

json session::step(const json& request) {
    if (row_.empty()) return problem("there is no row of logits yet");
    const std::size_t shown = count_in(request, "top", 40, 1, 1000);
    const riffle::explanation taken_apart = riffle::explain(chain_, row_);
    const step_report report{stages_, ranking_, taken_apart, around_};
    json answered = report.written(shown);
    const std::size_t stage = count_in(request, "up_to", stages_.size(), 0, stages_.size());
    if (stage < stages_.size()) {
        riffle::dynamic_chain first = up_to(stage);
        answered["top"] = report.top(shown, riffle::explain(first, row_).distribution);
    }
    return answered;
}

/// Many draws of the token at this place, by a copy of the chain that draws anew each time.
json session::draw(const json& request) {
    const std::size_t count = count_in(request, "count", 1000, 1, most_draws);
    std::vector<std::size_t> times(row_.size());
    riffle::dynamic_chain again = chain_;
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
        else generated_.push_back(token);
        const riffle::step& led_to = chain_.last_step();
        const std::size_t back = std::min(std::size_t(led_to.rewind), generated_.size());
        if (token != riffle::null_token && back > 0 && chain_.rewind(back).ok())
            generated_.resize(generated_.size() - back);
        if (token != riffle::null_token && led_to.finished) ended = "the text is complete";
        renew_row();
    }
    json answered = text_so_far();
    answered["ended"] = ended;
    return answered;
}

json session::go_back(const json&) {
    if (generated_.empty()) return problem("there is nothing to take back");
    const bool is_rewound = chain_.rewind(1).ok();
    generated_.pop_back();
    const std::string wrong = is_rewound ? std::string() : build();
    renew_row();
    return with_problem(text_so_far(), wrong);
}

json session::begin(const json& request) {
    prompt_.clear();
    if (model_) prompt_ = model_->encode(quickstart::fold_blanks(text_in(request, "text")));
    generated_.clear();
    const std::string wrong = build();
    renew_row();
    return with_problem(text_so_far(), wrong);
}

json session::text_so_far() const {
    return {{"prompt", shown_tokens(around_.words, prompt_)}, {"generated", shown_tokens(around_.words, generated_)}};
}

}  // namespace visualiser
