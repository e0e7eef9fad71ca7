#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/parts/free_text.hpp>
#include <riffle/constraint/parts/grammar_assembly.hpp>
#include <riffle/constraint/parts/sequences.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/word_automaton.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What begins or ends a tag: a text, or a token that has no text of its own.
class tag_mark {
public:
    /// None.
    tag_mark() = default;
    /// A text in UTF-8, in whatever tokens the model writes it.
    tag_mark(const char* bytes) : bytes_(bytes ? bytes : "") {}
    /// Of a std::string.
    tag_mark(std::string bytes) : bytes_(std::move(bytes)) {}
    /// A token by its id; see control_token.
    explicit tag_mark(token_id id) : is_token_(true), id_(id) {}
    /// The name of a control token.
    static tag_mark named(std::string name) {
        tag_mark mark(std::move(name));
        mark.is_token_ = true;
        return mark;
    }

    /// Whether it is a token.
    bool is_token() const noexcept { return is_token_; }
    /// Whether it is none, or a text without bytes.
    bool empty() const noexcept { return !is_token_ && bytes_.empty(); }
    /// The text, or the name of a token that has one.
    const std::string& bytes() const noexcept { return bytes_; }
    /// The token; null_token where it is known by its name.
    token_id id() const noexcept { return id_; }

private:
    std::string bytes_;
    bool is_token_ = false;
    token_id id_ = null_token;
};
/// A tag's beginning or end that is one control token, by its name: `control_token("<|tool_call|>")`.
inline tag_mark control_token(std::string name) { return tag_mark::named(std::move(name)); }
/// By its id.
inline tag_mark control_token(token_id id) { return tag_mark(id); }

/// Something that free text may turn into, and then it goes on: a tool call, a thought.
struct tag {
    tag_mark begin;        ///< it has come, and the tag is there
    grammar content = {};  ///< not set: free text up to the end
    tag_mark end = {};     ///< none: the content says itself where it ends
    bool counts = true;    ///< towards at_least and at_most; false for thoughts beside calls
};

/// How many tags a text has.
struct tagged_text_options {
    std::uint32_t at_least = 0;         ///< tags that count
    std::uint32_t at_most = unlimited;  ///< from then on their beginnings cannot be written
    /// Others may come behind a tag that counts, with free text between them. Else the text ends with the first one.
    bool parallel = true;
};

namespace detail {

/// Puts tagged texts together.
template <class Assembly>
class tagged_text_writer {
public:
    tagged_text_writer(Assembly& assembly, const std::vector<tag>& tags) : assembly_(assembly), tags_(tags) {
        for (const tag& t : tags) inside_.push_back(inside_of(t));
        read_begins();
    }
    expression_id write(const tagged_text_options& options) {
        if (tags_.empty()) assembly_.fail("there are no tags");
        const std::uint32_t most = options.parallel ? options.at_most : (std::min)(options.at_most, std::uint32_t{1});
        if (most < options.at_least) assembly_.fail("a tagged text has a maximum of tags below its minimum");
        if (options.at_least == 0 && most == unlimited) return graph_of(begins::all_over);
        if (most == 0) return graph_of(begins::uncounted);
        const expression_id one = graph_of(begins::once);
        if (!options.parallel) return options.at_least > 0 ? one : either(graph_of(begins::uncounted), one);
        auto& rules = assembly_.rules();
        const expression_id all = rules.add_repetition(one, options.at_least, most);
        return sequence_of({all, graph_of(begins::uncounted)});
    }

private:
    /// What the tags in a graph of free text lead to: it goes on behind all of them; those that count end it; or they
    /// cannot be written, and the others go on.
    enum class begins : std::uint8_t { all_over, once, uncounted };
    using words = word_automaton<code_point>;

    expression_id sequence_of(const std::vector<expression_id>& parts) {
        return assembly_.add_list(expression_kind::sequence, parts);
    }
    expression_id either(expression_id a, expression_id b) {
        return assembly_.add_list(expression_kind::alternatives, {a, b});
    }
    expression_id mark_of(const tag_mark& mark) {
        if (!mark.is_token()) return assembly_.add_literal(mark.bytes());
        token_reference reference;
        reference.id = std::uint32_t(mark.id());
        reference.name = mark.bytes();
        if (mark.bytes().empty() && mark.id() < 0) assembly_.fail("a tag has a control token with an id below 0");
        return assembly_.rules().add_token(std::move(reference), false);
    }
    /// Content and end.
    expression_id inside_of(const tag& t) {
        if (t.content.data() || t.content.is_out_of_memory())
            return sequence_of({assembly_.add(t.content), mark_of(t.end)});
        if (t.end.empty()) assembly_.fail("a tag with free content has no end");
        if (!t.end.is_token()) return assembly_.add(free_text_until(text(t.end.bytes())));
        return sequence_of({assembly_.add(free_text()), mark_of(t.end)});
    }
    /// Tags that begin alike are alternatives behind one beginning.
    void read_begins() {
        std::vector<std::vector<code_point>> all;
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            const tag_mark& begin = tags_[i].begin;
            if (begin.is_token()) continue;
            std::vector<code_point> characters;
            if (begin.empty()) assembly_.fail("a tag has no beginning");
            if (!read_characters(begin.bytes(), characters)) assembly_.fail("this text is not UTF-8");
            if (characters.empty()) continue;
            const auto known = std::size_t(std::find(all.begin(), all.end(), characters) - all.begin());
            if (known == all.size()) {
                all.push_back(std::move(characters));
                behind_.emplace_back();
            }
            behind_[known].push_back(i);
        }
        words_.build(all);
        for (const auto& characters : all) {
            words::state at = words::start;
            for (std::size_t i = 0; i + 1 < characters.size(); ++i) {
                at = words_.next(at, characters[i]);
                if (words_.word_at(at) != words::none)
                    return assembly_.fail("a tag's beginning has another tag's in it, which would end it");
            }
        }
    }
    /// The last character of a beginning, and what comes behind it; of those tags that count, or of the others.
    expression_id rest_of(std::uint32_t number, code_point last, bool counts) {
        std::vector<expression_id> all;
        for (const std::size_t i : behind_[number])
            if (tags_[i].counts == counts) all.push_back(inside_[i]);
        if (all.empty()) return none;
        const expression_id inside = assembly_.add_list(expression_kind::alternatives, all);
        return sequence_of({assembly_.rules().add_characters(code_point_set({{last, last}})), inside});
    }
    expression_id graph_of(begins tags) {
        free_text_graph graph(assembly_.rules(), words_);
        const bool ends_anywhere = tags != begins::once;
        for (std::uint8_t& may_end : graph.graph().may_end) may_end = ends_anywhere;
        const std::uint32_t nodes = std::uint32_t(graph.graph().may_end.size());
        const std::uint32_t end = tags == begins::once ? graph.graph().add_node(true) : 0;
        std::vector<expression_id> counted(behind_.size(), none), others(behind_.size(), none);
        const auto add = [&](std::uint32_t from, std::uint32_t to, std::vector<expression_id>& rest,
                             std::uint32_t number, code_point last, bool counts) {
            if (rest[number] == none) rest[number] = rest_of(number, last, counts);
            if (rest[number] != none) graph.add_arc(from, rest[number], to);
        };
        const bool fits = graph.add_arcs([&](std::uint32_t from, code_point last, std::uint32_t number) {
            add(from, 0, others, number, last, false);
            if (tags != begins::uncounted) add(from, end, counted, number, last, true);
        });
        if (!fits) assembly_.fail("the beginnings of tags are more than the limit allows");
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            if (!tags_[i].begin.is_token() || (tags_[i].counts && tags == begins::uncounted)) continue;
            const expression_id whole = sequence_of({mark_of(tags_[i].begin), inside_[i]});
            for (std::uint32_t from = 0; from < nodes; ++from) graph.add_arc(from, whole, tags_[i].counts ? end : 0);
        }
        return graph.finish();
    }

    static constexpr expression_id none = ~expression_id{0};

    Assembly& assembly_;
    const std::vector<tag>& tags_;
    std::vector<expression_id> inside_;             ///< of each tag
    std::vector<std::vector<std::size_t>> behind_;  ///< of each beginning: its tags
    words words_;
};

}  // namespace detail

/// Free text that may turn into one of some tagged structures and back, as one grammar: talk with tool calls in it, and
/// thoughts between them.
///
///     grammar turn = tagged_text({
///         tag{.begin = "<think>", .end = "</think>", .counts = false},
///         tag{.begin = "<tool_call>{\"name\": \"look\", \"arguments\": ", .content = *look, .end = "}</tool_call>"},
///         tag{.begin = control_token("<|call|>"), .content = *call, .end = control_token("<|end|>")},
///     }, {.at_least = 1});
///
/// Beginnings are looked for in the text, wherever tokens begin and end: a beginning that has come is a tag, and what
/// follows has to be its content. So free text never holds one. Of beginnings that end together the longest counts;
/// tags that begin alike are told apart by their contents. Hundreds of tags cost what one does in each step: their
/// beginnings are shared, and what their contents have in common. (`triggered` is for one constraint of any kind, which
/// sleeps beside the text; here all is one grammar, which is exact where a tag ends within a token, too.)
///
/// Without tags, with an empty beginning, with one that another one has in it, or a content without a language, it has
/// no language, and problem() says so. Nothing throws. O(what the contents hold).
template <class Grammar = grammar>
Grammar tagged_text(const std::vector<tag>& tags, const tagged_text_options& options = {},
                    const grammar_limits& limits = {}) noexcept {
    return detail::assembled<Grammar>(
        limits, [&](auto& assembly) { return detail::tagged_text_writer(assembly, tags).write(options); });
}

}  // namespace riffle
