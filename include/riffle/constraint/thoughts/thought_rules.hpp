#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/growing_array.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/streaming/utf8_stream.hpp>
#include <riffle/constraint/thoughts/reasoning_budget.hpp>
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

/// What a model is doing as far as its thoughts are concerned.
enum class thinking : std::uint8_t {
    outside,
    counting,               ///< within thoughts
    waiting_for_character,  ///< the budget is spent, and a character is not whole yet
    forcing,                ///< the end of the thoughts is being written
    behind,                 ///< the end has come; white space may follow that is nobody's
};

/// How far a model's thoughts are: 24 bytes, which is all that a mark keeps of them.
struct thought_state {
    std::uint64_t deadline = 0;  ///< in milliseconds of the clock; 0: none
    std::uint32_t tag = 0;  ///< state of the automaton of tags: those that begin thoughts, within those that end them
    std::uint32_t tokens_left = 0;  ///< within thoughts; forcing: how many were written; behind: tokens of white space
    std::uint32_t bytes_left = 0;   ///< within thoughts
    std::uint32_t held : 26 = 0;    ///< within thoughts: the beginning of a character
    std::uint32_t doing_number : 3 = 0;
    std::uint32_t has_begun : 1 = 0;  ///< for who cannot make the first one by thought_rules::begin

    thinking doing() const noexcept { return thinking(doing_number); }
    void set(thinking what) noexcept { doing_number = std::uint32_t(what) & 7; }
    bool is_inside() const noexcept {
        return doing() == thinking::counting || doing() == thinking::waiting_for_character ||
               doing() == thinking::forcing;
    }
};
static_assert(sizeof(thought_state) == 24);

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
    firing_tokens<Automaton> ending;  ///< the tokens in which thoughts end

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

    /// Takes a token that is legal; answers what of its bytes lies behind thoughts, where they end in it. `ended`: they
    /// do, and those bytes are for what comes after. A token outside of thoughts is looked at for tags alone, where
    /// `may_begin`.
    text read(token_id token, thought_state& s, bool may_begin, bool& ended) const noexcept {
        text bytes = shown(token);
        ended = false;
        if (s.doing() == thinking::forcing) {
            if (++s.tokens_left >= forced.size()) end_thoughts(s), ended = true;
            return {};
        }
        if (!s.is_inside()) {
            if (s.doing() == thinking::behind) s.tokens_left = 0, s.set(thinking::outside);
            if (!may_begin) s.tag = 0;
            if (!may_begin) return {};
            const text rest = read_tag(begins, trie->is_control(token), bytes, s.tag);
            if (!begins.has_fired({s.tag})) return {};
            bytes = rest;
            begin_thoughts(s);
            if (s.doing() != thinking::counting) return {};
            if (bytes.empty()) return {};
        }
        const text behind = read_tag(ends, trie->is_control(token), bytes, s.tag);
        if (ends.has_fired({s.tag})) {
            end_thoughts(s);
            ended = true;
            return without_space_ahead(behind);
        }
        count(bytes, s);
        return {};
    }
    /// Whether a token of thoughts ends them, and what of its bytes lies behind that.
    bool ends_in(token_id token, const thought_state& s, text& behind) const noexcept {
        std::uint32_t tag = s.tag;
        const text bytes = shown(token);
        behind = without_space_ahead(read_tag(ends, trie->is_control(token), bytes, tag));
        return ends.has_fired({tag});
    }
    /// The end of thoughts is written from here on, or as soon as a character is whole.
    void force(thought_state& s) const noexcept {
        s.set((s.held & 3) == 0 ? thinking::forcing : thinking::waiting_for_character);
        if (s.doing() == thinking::forcing) begin_forcing(s);
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
    void begin_thoughts(thought_state& s) const noexcept {
        s = {};
        s.set(thinking::counting);
        s.tokens_left = limited(budget.tokens);
        s.bytes_left = limited(budget.bytes);
        if (budget.milliseconds >= 0) s.deadline = now() + std::uint64_t(budget.milliseconds) + 1;
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
    void count(const text& bytes, thought_state& s) const noexcept {
        held_character held;
        held.unpack(s.held);
        for (const char byte : bytes) {
            if (!held.take(std::uint8_t(byte))) {  // not UTF-8: a new beginning
                held.clear();
                (void)held.take(std::uint8_t(byte));
            }
            if (held.is_whole()) held.clear();
        }
        s.held = held.packed() & 0x3FFFFFF;
        if (s.tokens_left != unlimited && s.tokens_left > 0) --s.tokens_left;
        if (s.bytes_left != unlimited) s.bytes_left -= (std::min)(s.bytes_left, std::uint32_t(bytes.size()));
        const bool is_spent = s.tokens_left == 0 || s.bytes_left == 0 || (s.deadline != 0 && now() + 1 >= s.deadline);
        if (is_spent || s.doing() == thinking::waiting_for_character) force(s);
    }
};
using thought_rules = basic_thought_rules<trigger_automaton>;

}  // namespace riffle::detail
