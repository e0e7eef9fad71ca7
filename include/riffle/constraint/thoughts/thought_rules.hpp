#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/streaming/utf8_stream.hpp>
#include <riffle/constraint/thoughts/reasoning_budget.hpp>
#include <riffle/constraint/thoughts/thought_state.hpp>
#include <riffle/constraint/triggers/firing_tokens.hpp>
#include <riffle/constraint/triggers/trigger_automaton.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

inline bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
inline text without_space_ahead(text of) noexcept {
    while (!of.empty() && is_space(of[0])) of = of.part(1);
    return of;
}
inline text without_space(text of) noexcept {
    of = without_space_ahead(of);
    while (!of.empty() && is_space(of[of.size() - 1])) of = of.part(0, of.size() - 1);
    return of;
}

/// Tags, limits, and the tokens that end thoughts: what copies of a budgeted matcher share.
template <class Automaton>
class basic_thought_rules : public shared_object {
public:
    enum : std::uint32_t { unlimited = ~0u };
    /// So many tokens of white space may follow the end of thoughts, none of them within what is constrained.
    enum : std::uint32_t { most_space = 4 };

    reasoning_budget budget;
    Automaton begins, ends;
    std::vector<token_id> forced;  ///< message and end
    std::size_t first_of_end = 0;  ///< of `forced`: where the end's own tokens begin
    std::vector<token_id> spaces;  ///< tokens of white space alone, ascending
    shared_pointer<const trie_data> trie;
    firing_tokens<Automaton> beginning, ending;  ///< the tokens in which thoughts begin, and end
    struct token_list : shared_object {
        growing_array<token_id> tokens;
    };
    mutable kept_by_key<token_list> beginnings;  ///< each_beginning, by the state of the tags

    /// False, and why, where there is no end, or no way to write it.
    template <class Tokenise>
    bool build(const reasoning_budget& of, const vocabulary_trie& words, Tokenise tokenise, parse_problem& why) {
        budget = of;
        trie = words.data();
        if (!build_tags(of.begins, begins, why) || !build_tags(of.ends, ends, why)) return false;
        if (of.ends.empty()) {
            why.sentence = "thoughts have no end";
            return false;
        }
        beginning.build(begins, *trie);
        ending.build(ends, *trie);
        find_spaces();
        return spell_end(words, tokenise, why);
    }
    thought_state begin() const noexcept {
        thought_state s;
        if (budget.starts_inside) begin_thoughts(s);
        s.has_begun = 1;
        return s;
    }

    /// Whether a state can be one of these tags. (One of a stored mark, or of a file, may be of others.)
    bool knows(const thought_state& s) const noexcept {
        return (s.is_inside() ? ends : begins).has_words_of({s.tag});
    }

    /// Takes a token. Where the text `is_free` a tag begins thoughts wherever it lies in the first `free` bytes, and
    /// behind thoughts that end in the token; else only ahead of all other text.
    thought_step read(token_id token, thought_state& s, std::size_t free, bool is_free) const noexcept {
        thought_step r;
        text left = shown(token);
        const bool is_name = trie->is_control(token);
        if (s.doing() == thinking::forcing) {
            if (++s.tokens_left >= forced.size()) end_thoughts(s), r.ends = true;
            return r;
        }
        if (!s.is_inside()) {
            s.tokens_left = 0;
            s.set(thinking::outside);
            if (is_free) s.may_open = 0;
            if (is_free && left.empty()) return r;
            if (!(is_free ? begins_within(left, free, is_name, s, r) : begins_ahead(token, left, s, r))) return r;
        }
        while (!goes_on_thinking(left, is_name, s, r)) {
            if (left.empty()) break;
            s.set(thinking::outside);
            s.may_open = 0;
            if (!is_free || !begins_within(left, left.size(), is_name, s, r)) {
                r.say(left);
                return r;
            }
        }
        if (r.parts > 0) r.say({});
        return r;
    }
    /// Whether a token begins a tag, or goes on with it, and holds nothing else but white space ahead of it; and what
    /// of it lies behind the tag.
    bool goes_on_opening(token_id token, std::uint32_t& tag, text& behind) const noexcept {
        behind = shown(token);
        if (trie->ends_text(token) || (!trie->is_read_by_bytes(token) && !trie->is_control(token))) return false;
        if (tag == 0) behind = without_space_ahead(behind);
        while (!behind.empty()) {
            const std::uint32_t longer = begins.step({tag}, behind[0]).of_words;
            if (begins.depth({longer}) != begins.depth({tag}) + 1) return false;
            tag = longer;
            behind = behind.part(1);
            if (begins.has_fired({tag})) return behind.empty() || !trie->is_control(token);
        }
        return true;
    }
    /// Calls visit(token) for each token in which thoughts begin in the middle of free text, and that holds more than
    /// the tag.
    template <class Visit>
    void each_beginning(std::uint32_t tag, Visit visit) const noexcept {
        const auto& tree = trie->tree();
        const auto visit_node = [&](std::size_t node, const auto& fired) {
            const std::size_t last = node + tree.nodes[node].size();
            const bool holds_more = tree.nodes[node].depth() + begins.depth({tag}) > begins.length_at(fired);
            for (std::uint32_t t = tree.first_of[node]; t < tree.first_of[last]; ++t)
                if (holds_more || trie->piece(tree.tokens[t]).size() > tree.nodes[node].depth()) visit(tree.tokens[t]);
        };
        beginning.each_firing({tag}, visit_node, [&](token_id token, std::size_t, const auto&) { visit(token); });
        for (const auto& d : tree.duplicates) {
            std::uint32_t at = tag;
            (void)read_tag(begins, false, trie->piece(d.token), at);
            if (begins.has_fired({at})) visit(d.token);
        }
    }
    /// Whether a token of thoughts ends them, and has more behind that.
    bool ends_and_goes_on(token_id token, const thought_state& s) const noexcept {
        std::uint32_t tag = s.tag;
        return !read_tag(ends, trie->is_control(token), shown(token), tag).empty() && ends.has_fired({tag});
    }
    /// The end of thoughts is written from here on, or as soon as a character is whole.
    void force(thought_state& s) const noexcept {
        s.set((s.held & 3) == 0 ? thinking::forcing : thinking::waiting_for_character);
        if (s.doing() == thinking::forcing) begin_forcing(s);
    }
    /// The end of thoughts is written from here on, even if no character is whole.
    void force_at_once(thought_state& s) const noexcept {
        s.set(thinking::forcing);
        begin_forcing(s);
    }
    /// The bytes of a token, or its name; none for one that ends generation.
    text shown(token_id token) const noexcept {
        const bool is_there = !trie->ends_text(token) && (trie->is_read_by_bytes(token) || trie->is_control(token));
        return is_there ? trie->piece(token) : text();
    }
    /// Reads a control token's name as a whole: a tag may end with it, not inside of it.
    static text read_tag(const Automaton& tags, bool is_name, const text& bytes, std::uint32_t& tag) noexcept {
        typename Automaton::state at{tag};
        std::size_t read = 0;
        while (read < bytes.size()) {
            at = tags.step(at, bytes[read++]);
            if (tags.has_fired(at)) break;
        }
        if (is_name && read < bytes.size()) at = {};
        tag = at.of_words;
        return bytes.part(read);
    }

private:
    static bool build_tags(const std::vector<std::string>& tags, Automaton& into, parse_problem& why) {
        std::vector<std::string> trimmed;
        for (const std::string& tag : tags) {
            const text core = without_space(tag);
            trimmed.emplace_back(core.data(), core.size());
            if (!core.empty()) continue;
            why.sentence = "a tag of thoughts is empty";
            return false;
        }
        return into.build(trimmed, {}, why);
    }
    void find_spaces() {
        for (std::size_t i = 0; i < trie->size(); ++i) {
            const auto token = token_id(i);
            const text bytes = trie->piece(token);
            if (trie->is_read_by_bytes(token) && bytes.size() <= 8 && without_space_ahead(bytes).empty())
                spaces.push_back(token);
        }
    }
    /// A token that is the tag as a whole is taken for it: the model knows the end by that token.
    template <class Tokenise>
    bool spell_end(const vocabulary_trie& words, Tokenise tokenise, parse_problem& why) {
        const text whole = budget.ends[0], core = without_space(whole);
        const auto lead = std::size_t(core.data() - whole.data());
        const std::string ahead = budget.message + std::string(whole.data(), lead);
        const text tail = whole.part(lead + core.size());
        bool is_spelt = spell(words, tokenise, ahead);
        first_of_end = forced.size();
        if (const token_id tag = token_of(core); tag != null_token) forced.push_back(tag);
        else is_spelt = spell(words, tokenise, std::string(core.data(), core.size())) && is_spelt;
        is_spelt = spell(words, tokenise, std::string(tail.data(), tail.size())) && is_spelt;
        if (!is_spelt) why.sentence = "no tokens spell the end of the thoughts, or the message ahead of it";
        return is_spelt;
    }
    template <class Tokenise>
    bool spell(const vocabulary_trie& words, Tokenise& tokenise, const std::string& bytes) {
        if (bytes.empty()) return true;
        const std::vector<token_id> spelt = spelling_of(words, tokenise, bytes);
        forced.insert(forced.end(), spelt.begin(), spelt.end());
        return !spelt.empty();
    }
    token_id token_of(const text& whole) const noexcept {
        for (std::size_t i = 0; i < trie->size(); ++i) {
            const auto token = token_id(i);
            if (trie->piece(token) == whole && !trie->ends_text(token)) return token;
        }
        return null_token;
    }

    std::uint64_t now() const noexcept {
        if (budget.clock) return std::uint64_t(budget.clock());
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        return std::uint64_t(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
    }
    static std::uint32_t limited(std::int64_t limit) noexcept {
        return limit < 0 || limit >= std::int64_t{unlimited} ? std::uint32_t{unlimited} : std::uint32_t(limit);
    }
    // ---- parts of a token

    /// Whether thoughts begin within the first bytes: what lies ahead of the tag is said, and `left` lies behind it.
    bool begins_within(text& left, std::size_t free, bool is_name, thought_state& s, thought_step& r) const noexcept {
        free = (std::min)(free, left.size());
        if (free == 0) s.tag = 0;
        const text behind = read_tag(begins, is_name, left.part(0, free), s.tag);
        if (!begins.has_fired({s.tag})) {
            if (free < left.size()) s.tag = 0;
            return false;
        }
        const std::size_t read = free - behind.size(), tag = begins.length_at({s.tag});
        r.say(left.part(0, read > tag ? read - tag : 0));
        r.begins = true;
        left = left.part(read);
        begin_thoughts(s);
        return true;
    }
    /// Whether thoughts begin with what the whole text begins with.
    bool begins_ahead(token_id token, text& left, thought_state& s, thought_step& r) const noexcept {
        std::uint32_t tag = s.tag;
        text behind;
        s.may_open = s.may_open && goes_on_opening(token, tag, behind);
        s.tag = s.may_open ? tag : 0;
        r.begins = s.may_open && begins.has_fired({tag});
        if (!r.begins) return false;
        left = behind;
        begin_thoughts(s);
        return true;
    }
    /// Whether thoughts go on up to the end of a token; else `left` lies behind them.
    bool goes_on_thinking(text& left, bool is_name, thought_state& s, thought_step& r) const noexcept {
        if (left.empty() && r.begins) return true;  // a tag is no thought
        std::uint32_t tag = s.tag;
        const text behind = read_tag(ends, is_name, left, tag);
        if (ends.has_fired({tag})) {
            end_thoughts(s);
            r.ends = true;
            left = without_space_ahead(behind);
            return false;
        }
        if (s.doing() == thinking::forcing) return true;
        s.tag = tag;
        count(left, s);
        return true;
    }
    void begin_thoughts(thought_state& s) const noexcept {
        s = {};
        s.set(thinking::counting);
        s.tokens_left = limited(budget.tokens);
        s.bytes_left = limited(budget.bytes);
        if (s.tokens_left == 0 || s.bytes_left == 0 || budget.milliseconds == 0) force(s);
    }
    void begin_forcing(thought_state& s) const noexcept {
        s.tokens_left = 0;
        if (forced.empty()) end_thoughts(s);
    }
    static void end_thoughts(thought_state& s) noexcept {
        s = {};
        s.set(thinking::behind);
    }
    /// A token of thoughts. The clock begins with the first one.
    void count(const text& bytes, thought_state& s) const noexcept {
        const bool is_broken = !hold(bytes, s);
        if (s.tokens_left != unlimited && s.tokens_left > 0) --s.tokens_left;
        if (s.bytes_left != unlimited) s.bytes_left -= (std::min)(s.bytes_left, std::uint32_t(bytes.size()));
        if (s.doing() == thinking::waiting_for_character && is_broken) return force_at_once(s);
        if (budget.milliseconds >= 0 && s.deadline == 0) s.deadline = now() + std::uint64_t(budget.milliseconds) + 1;
        const bool is_spent = s.tokens_left == 0 || s.bytes_left == 0 || (s.deadline != 0 && now() + 1 >= s.deadline);
        if (is_spent || s.doing() == thinking::waiting_for_character) force(s);
    }
    /// What has come of a character; false where one of them was not UTF-8.
    static bool hold(const text& bytes, thought_state& s) noexcept {
        held_character held;
        held.unpack(s.held);
        bool is_whole = true;
        for (const char byte : bytes) {
            if (!held.take(std::uint8_t(byte))) {  // a new beginning
                is_whole = false;
                held.clear();
                (void)held.take(std::uint8_t(byte));
            }
            if (held.is_whole()) held.clear();
        }
        s.held = held.packed() & 0x3FFFFFF;
        return is_whole;
    }
};
using thought_rules = basic_thought_rules<trigger_automaton>;

}  // namespace riffle::detail
