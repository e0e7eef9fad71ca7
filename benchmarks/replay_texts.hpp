#pragma once
// Texts that are known beforehand, as tokens: what a drafter would have guessed of them can be counted without a model.
//
// RIFFLE_VOCABULARIES names a folder with qwen2.rvcb, whose tokens they are split into then; without it each word,
// digit and mark is a token.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

#include "grammar_texts.hpp"
#include "rows.hpp"
#include "vocabularies.hpp"

namespace replay_texts {

using riffle::token_id;

/// What a model is given, and what it answers.
struct replayed_text {
    std::string name;
    std::vector<token_id> prompt, answer;
};

// ---- tokens

/// The size of the piece that a text begins with, as the tokenisers of the time split it ahead of their merges: a word
/// with what stands ahead of it, a digit, marks, white space.
inline std::size_t piece_size(std::string_view text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    const auto is_mark = [&](char c) { return !is_letter(c) && !is_digit(c) && !is_space(c); };
    const auto end_of = [&](std::size_t from, auto is_kind) {
        while (from < text.size() && is_kind(text[from])) ++from;
        return from;
    };
    const std::size_t ahead = !is_letter(text[0]) && !is_digit(text[0]) && text[0] != '\n' ? 1 : 0;
    if (const std::size_t end = end_of(ahead, is_letter); end > ahead) return end;
    if (is_digit(text[0])) return 1;
    const std::size_t marks = text[0] == ' ' ? 1 : 0;
    if (const std::size_t end = end_of(marks, is_mark); end > marks)
        return end_of(end, [](char c) { return c == '\n'; });
    const std::size_t spaces = end_of(0, is_space), last_line = text.substr(0, spaces).rfind('\n');
    if (last_line != std::string_view::npos) return last_line + 1;
    return spaces > 1 && spaces < text.size() ? spaces - 1 : spaces;
}

/// Splits texts: a piece into its longest tokens from the left, or, without a vocabulary, numbered as it comes.
class tokeniser {
public:
    tokeniser() {
        const char* const folder = std::getenv("RIFFLE_VOCABULARIES");
        riffle::vocabulary words;
        has_vocabulary_ = folder && vocabularies::read_vocabulary(std::string(folder) + "/qwen2.rvcb", words);
        for (token_id id = 0; has_vocabulary_ && std::size_t(id) < words.size(); ++id) {
            const riffle::text piece = words.piece(id);
            by_text_.try_emplace(std::string(piece.data(), piece.size()), id);
        }
    }
    bool has_vocabulary() const { return has_vocabulary_; }

    std::vector<token_id> split(std::string_view text) {
        std::vector<token_id> tokens;
        while (!text.empty()) {
            std::string_view piece = text.substr(0, piece_size(text));
            text.remove_prefix(piece.size());
            while (!piece.empty()) piece.remove_prefix(add_longest(piece, tokens));
        }
        return tokens;
    }

private:
    /// Answers how many bytes it has.
    std::size_t add_longest(std::string_view piece, std::vector<token_id>& to) {
        if (!has_vocabulary_) by_text_.try_emplace(std::string(piece), token_id(by_text_.size()));
        std::size_t size = piece.size();
        auto found = by_text_.find(std::string(piece));
        while (found == by_text_.end() && size > 1) found = by_text_.find(std::string(piece.substr(0, --size)));
        require(found != by_text_.end(), "a vocabulary without some byte");
        to.push_back(found->second);
        return size;
    }

    std::unordered_map<std::string, token_id> by_text_;
    bool has_vocabulary_ = false;
};

// ---- code, and what is left of it when it is edited

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
/// Headers of this project, in the order of their names, one behind the other until they are so long.
inline std::string code_of(const std::filesystem::path& folder, std::size_t size) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".hpp") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::string code;
    for (std::size_t i = 0; i < paths.size() && code.size() < size; ++i) code += read_file(paths[i]);
    return code.substr(0, size);
}

inline bool is_of_name(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Code, and which share of its lines an edit has changed.
struct edited_code {
    std::string text;
    double share = 0.0;
};
/// Other names for some of the names; and one line in `lines_to_change` is left out, has another ahead of it, or has
/// another last name.
struct code_edit {
    std::vector<std::pair<std::string, std::string>> renames;
    std::size_t lines_to_change = 0;

    edited_code apply(const std::string& code) const {
        const std::vector<std::string> words = grammar_texts::made_words(1000, 7);
        edited_code edited;
        std::size_t lines = 0, changed = 0, number = 0, word = 0;
        const auto next_word = [&] { return words[word++ % words.size()]; };
        for (std::size_t at = 0; at < code.size(); ++lines) {
            const std::size_t end = (std::min)(code.find('\n', at), code.size() - 1) + 1;
            const std::string line = code.substr(at, end - at);
            std::string made = renamed(line);
            at = end;
            if (line.size() > 1 && ++number % lines_to_change == 0) {
                const std::size_t way = number / lines_to_change % 3;
                if (way == 0) made.clear();
                else if (way == 1) made = "// " + next_word() + " " + next_word() + " " + next_word() + "\n" + made;
                else made = with_another_name(made, next_word());
            }
            changed += made != line;
            edited.text += made;
        }
        edited.share = double(changed) / double(lines);
        return edited;
    }

private:
    std::string renamed(const std::string& line) const {
        std::string result;
        for (std::size_t at = 0; at < line.size();) {
            std::size_t end = at;
            while (end < line.size() && is_of_name(line[end])) ++end;
            std::string name = line.substr(at, (std::max)(end, at + 1) - at);
            at += name.size();
            for (const auto& [from, to] : renames)
                if (name == from) name = to;
            result += name;
        }
        return result;
    }
    static std::string with_another_name(std::string line, const std::string& name) {
        std::size_t end = line.size();
        while (end > 0 && !is_of_name(line[end - 1])) --end;
        std::size_t begin = end;
        while (begin > 0 && is_of_name(line[begin - 1])) --begin;
        return line.replace(begin, end - begin, name);
    }
};

// ---- records

/// People, with the same keys and other values: a record on a line, or each key on its own.
inline std::string json_records(std::size_t count, bool is_indented) {
    constexpr const char* names[] = {"Alice", "Omar",  "Grace", "Ivan",   "Maria", "Kenji",  "Fatima", "Peter",
                                     "Chloe", "David", "Nina",  "Samuel", "Laura", "Victor", "Helen",  "Jacob"};
    constexpr const char* families[] = {"Smith", "Garcia", "Miller", "Tanaka", "Brown", "Rossi", "Cohen",  "Walker",
                                        "Young", "Martin", "Baker",  "Novak",  "Lopez", "Clark", "Hughes", "Fischer"};
    constexpr const char* cities[] = {"Berlin", "London", "Paris", "Rome", "Madrid", "Vienna", "Oslo", "Lisbon"};
    rows::generator random(5);
    const auto any_of = [&](const auto& list) { return std::string(list[random.next() % std::size(list)]); };
    const auto quoted = [](const std::string& of) { return "\"" + of + "\""; };
    const auto number = [&](std::uint64_t from, std::uint64_t below) {
        return std::to_string(from + random.next() % (below - from));
    };
    const auto in_lower_case = [](std::string of) {
        of[0] = char(of[0] - 'A' + 'a');
        return of;
    };
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = any_of(names), family = any_of(families);
        const std::string address = in_lower_case(name) + "." + in_lower_case(family) + "@example.com";
        const std::string day = "20" + number(10, 25) + "-0" + number(1, 10) + "-" + number(10, 29);
        const std::string balance = number(0, 10000) + "." + number(10, 100);
        const std::pair<const char*, std::string> fields[] = {{"id", std::to_string(1000 + i)},
                                                              {"name", quoted(name + " " + family)},
                                                              {"email", quoted(address)},
                                                              {"age", number(20, 80)},
                                                              {"city", quoted(any_of(cities))},
                                                              {"balance", balance},
                                                              {"is_active", random.next() % 2 ? "true" : "false"},
                                                              {"joined", quoted(day)}};
        text += is_indented ? "  {\n" : "{";
        for (std::size_t f = 0; f < std::size(fields); ++f) {
            text += is_indented ? "    " : f > 0 ? " " : "";
            text += quoted(fields[f].first) + ": " + fields[f].second + (f + 1 < std::size(fields) ? "," : "");
            text += is_indented ? "\n" : "";
        }
        text += is_indented ? (i + 1 < count ? "  },\n" : "  }\n") : "}\n";
    }
    return is_indented ? "[\n" + text + "]\n" : text;
}

// ---- prose

/// Perl's manual of its messages, where it is installed.
inline std::string messages_of_perl() {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/share/perl", error))
        if (const std::string text = read_file(entry.path() / "pod/perldiag.pod"); !text.empty()) return text;
    return {};
}

// ---- all of them

/// Its beginning is the prompt.
inline replayed_text continued(std::string name, const std::vector<token_id>& tokens) {
    const auto end_of_prompt = tokens.begin() + std::ptrdiff_t((std::min)(tokens.size(), std::size_t{200}));
    return {std::move(name), {tokens.begin(), end_of_prompt}, {end_of_prompt, tokens.end()}};
}
inline std::vector<replayed_text> all(tokeniser& split, const std::filesystem::path& sources) {
    const std::string code = code_of(sources / "chain", 100'000);
    const code_edit edits[] = {{{{"scratch", "workspace"}}, 60},
                               {{{"scratch", "workspace"}, {"history", "past"}, {"status", "outcome"}}, 30},
                               {{{"scratch", "workspace"}, {"row", "logits"}, {"stages", "steps"}}, 25},
                               {{{"scratch", "workspace"},
                                 {"row", "logits"},
                                 {"stages", "steps"},
                                 {"token", "word"},
                                 {"noexcept", "throw()"},
                                 {"candidates", "choices"},
                                 {"size", "length"},
                                 {"begin", "first"},
                                 {"status", "outcome"},
                                 {"std", "stl"}},
                                8}};
    std::vector<replayed_text> texts;
    for (const code_edit& edit : edits) {
        const edited_code made = edit.apply(code);
        char name[64];
        std::snprintf(name, sizeof name, "code, %.0f %% of lines changed", 100 * made.share);
        texts.push_back({name, split.split(code), split.split(made.text)});
    }
    const std::vector<token_id> question = split.split("Two hundred records as JSON, please.\n");
    texts.push_back({"JSON records, indented", question, split.split(json_records(200, true))});
    texts.push_back({"JSON records, a line each", question, split.split(json_records(200, false))});
    const std::pair<const char*, std::string> proses[] = {
        {"prose: the GPL", read_file("/usr/share/common-licenses/GPL-3")}, {"prose: perldiag", messages_of_perl()}};
    for (const auto& [name, text] : proses) {
        if (text.empty()) std::fprintf(stderr, "no \"%s\", since this machine has no such file\n", name);
        else texts.push_back(continued(name, split.split(text)));
    }
    return texts;
}

}  // namespace replay_texts
