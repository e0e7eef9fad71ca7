#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "integers.hpp"

/// Grammars once more, slow and plain, and without a line of the library's: expressions, GBNF printed from them, and
/// Earley's recogniser over bytes and tokens. (Earley, "An efficient context-free parsing algorithm", 1970; what
/// matches nothing is advanced over when it is predicted, as Aycock and Horspool do.)
namespace riffle_tests::slow {

// ---- expressions

struct range_of_characters {
    std::uint32_t first = 0, last = 0;
};

struct expression {
    enum class kind { literal, one_of, rule, sequence, alternatives, repetition, token };
    enum : int { unlimited = -1 };

    kind is = kind::literal;
    std::vector<std::uint32_t> characters{};    ///< literal
    std::vector<range_of_characters> ranges{};  ///< one_of; none and negated: any
    bool negated = false;                       ///< one_of, token
    std::size_t rule = 0;
    std::int32_t token = 0;
    std::string token_name{};  ///< where the token is written by its text
    std::vector<expression> children{};
    int least = 0, most = unlimited;
};

/// The rule at place 0 is the root.
struct grammar {
    std::vector<expression> rules;
};

inline expression literal(std::vector<std::uint32_t> characters) {
    return {.is = expression::kind::literal, .characters = std::move(characters)};
}
inline expression one_of(std::vector<range_of_characters> ranges, bool negated = false) {
    return {.is = expression::kind::one_of, .ranges = std::move(ranges), .negated = negated};
}
inline expression any() { return one_of({}, true); }
inline expression rule(std::size_t index) { return {.is = expression::kind::rule, .rule = index}; }
inline expression token(std::int32_t id, bool negated = false, std::string name = {}) {
    return {.is = expression::kind::token, .negated = negated, .token = id, .token_name = std::move(name)};
}
inline expression sequence(std::vector<expression> children) {
    return {.is = expression::kind::sequence, .children = std::move(children)};
}
inline expression alternatives(std::vector<expression> children) {
    return {.is = expression::kind::alternatives, .children = std::move(children)};
}
inline expression repeated(expression what, int least, int most) {
    return {.is = expression::kind::repetition, .children = {std::move(what)}, .least = least, .most = most};
}

// ---- characters

/// Whether a class has a character. Surrogates are none.
inline bool has(const expression& one_of, std::uint32_t character) {
    if (character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) return false;
    bool found = false;
    for (const range_of_characters& r : one_of.ranges) found |= r.first <= character && character <= r.last;
    return found != one_of.negated;
}
/// Whether a class has a character of an interval: then it has the least such, which begins an interval of the class.
inline bool has_one_between(const expression& one_of, std::uint32_t first, std::uint32_t last) {
    const auto is_there = [&](std::uint32_t c) { return first <= c && c <= last && has(one_of, c); };
    bool found = is_there(first) || is_there(0xE000);
    for (const range_of_characters& r : one_of.ranges) found |= is_there(r.first) || is_there(r.last + 1);
    return found;
}

inline std::string utf8(std::uint32_t c) {
    const auto last_bits = [&](int shift) { return char(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) return {char(c)};
    if (c < 0x800) return {char(0xC0 | c >> 6), last_bits(0)};
    if (c < 0x10000) return {char(0xE0 | c >> 12), last_bits(6), last_bits(0)};
    return {char(0xF0 | c >> 18), last_bits(12), last_bits(6), last_bits(0)};
}

/// What some bytes are to a class of characters.
enum class fit { none, beginning, whole };

/// The bytes are one character of the class, or the beginning of one, or neither. At least one byte.
inline fit fit_of(const expression& one_of, const std::string& bytes) {
    const auto lead = std::uint8_t(bytes[0]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC0 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF8 ? 4
                                             : 0;
    if (length == 0 || bytes.size() > length) return fit::none;
    // The least and the greatest number that the bytes may become; what the length may hold is between the two below.
    static constexpr std::uint32_t least_of[] = {0, 0, 0x80, 0x800, 0x10000};
    static constexpr std::uint32_t greatest_of[] = {0, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF};
    std::uint32_t first = length == 1 ? lead : std::uint32_t(lead & (0xFF >> (length + 1)));
    std::uint32_t last = first;
    for (std::size_t i = 1; i < length; ++i) {
        if (i < bytes.size() && (std::uint8_t(bytes[i]) & 0xC0) != 0x80) return fit::none;
        const std::uint32_t bits = i < bytes.size() ? std::uint8_t(bytes[i]) & 0x3Fu : 0;
        first = first << 6 | bits;
        last = last << 6 | (i < bytes.size() ? bits : 0x3F);
    }
    if (first < least_of[length]) first = least_of[length];
    if (last > greatest_of[length]) last = greatest_of[length];
    if (first > last || !has_one_between(one_of, first, last)) return fit::none;
    return bytes.size() == length ? fit::whole : fit::beginning;
}

// ---- GBNF

inline std::string hexadecimal(std::uint32_t value, int digits) {
    std::string all;
    for (int i = digits - 1; i >= 0; --i) all += "0123456789ABCDEF"[value >> (4 * i) & 15];
    return all;
}
/// A character of a literal or a class, as itself where that can be.
inline std::string written(std::uint32_t c) {
    switch (c) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\\': return "\\\\";
    case '"': return "\\\"";
    case '[': return "\\[";
    case ']': return "\\]";
    case '-': return "\\-";
    case '^': return "\\x5E";
    default: break;
    }
    if (c < 0x20 || c == 0x7F) return "\\x" + hexadecimal(c, 2);
    if (c % 3 == 0 && c >= 0x80) return c < 0x10000 ? "\\u" + hexadecimal(c, 4) : "\\U" + hexadecimal(c, 8);
    return utf8(c);
}
inline std::string rule_name(std::size_t index) { return index == 0 ? "root" : "r_" + std::to_string(index); }

inline std::string gbnf_of(const expression& e) {
    std::string all;
    switch (e.is) {
    case expression::kind::literal:
        for (const std::uint32_t c : e.characters) all += written(c);
        return "\"" + all + "\"";
    case expression::kind::one_of:
        if (e.ranges.empty() && e.negated) return ".";
        for (const range_of_characters& r : e.ranges)
            all += written(r.first) + (r.last != r.first ? "-" + written(r.last) : "");
        return (e.negated ? "[^" : "[") + all + "]";
    case expression::kind::rule: return rule_name(e.rule);
    case expression::kind::token:
        return (e.negated ? "!" : "") + (e.token_name.empty() ? "<[" + std::to_string(e.token) + "]>" : e.token_name);
    case expression::kind::sequence:
        for (const expression& child : e.children) all += (all.empty() ? "" : " ") + gbnf_of(child);
        return "(" + all + ")";
    case expression::kind::alternatives:
        for (std::size_t i = 0; i < e.children.size(); ++i) all += (i > 0 ? " | " : "") + gbnf_of(e.children[i]);
        return "(" + all + ")";
    case expression::kind::repetition: {
        const std::string what = "(" + gbnf_of(e.children[0]) + ")";
        if (e.most == expression::unlimited)
            return what + (e.least == 0 ? "*" : e.least == 1 ? "+" : "{" + std::to_string(e.least) + ",}");
        if (e.least == 0 && e.most == 1) return what + "?";
        if (e.least == e.most) return what + "{" + std::to_string(e.least) + "}";
        return what + "{" + std::to_string(e.least) + "," + std::to_string(e.most) + "}";
    }
    }
    return {};
}
inline std::string gbnf_of(const grammar& g) {
    std::string all;
    for (std::size_t i = 0; i < g.rules.size(); ++i) all += rule_name(i) + " ::= " + gbnf_of(g.rules[i]) + "\n";
    return all;
}

// ---- productions

/// A grammar as productions: every expression is a symbol, and a repetition is one for each number that is left.
class productions {
public:
    struct symbol {
        enum class kind { productions, characters, token };
        kind is = kind::productions;
        std::size_t index = 0;  ///< of the symbol; of `terminals` for the others
    };
    struct production {
        std::size_t of = 0;
        std::vector<symbol> symbols;
    };

    explicit productions(const grammar& g) {
        symbols_ = 1 + g.rules.size();
        add(0, {{symbol::kind::productions, 1}});  // symbol 0 is the whole text, and 1 + i the rule i
        for (std::size_t i = 0; i < g.rules.size(); ++i) add(1 + i, {symbol_of(g.rules[i])});
        index_by_symbol();
        find_empty();
        is_left_recursive_ = begins_with_itself();  // also where it leads nowhere
        keep_what_can_end();
    }

    const std::vector<production>& all() const { return productions_; }
    const std::vector<std::size_t>& of(std::size_t s) const { return of_symbol_[s]; }
    const expression& terminal(const symbol& s) const { return terminals_[s.index]; }
    bool may_be_empty(std::size_t s) const { return may_be_empty_[s]; }
    std::size_t symbols() const { return symbols_; }
    /// No text is of the language.
    bool matches_nothing() const { return of_symbol_[0].empty(); }
    /// Some symbol begins with itself.
    bool is_left_recursive() const { return is_left_recursive_; }

private:
    void add(std::size_t of, std::vector<symbol> symbols) { productions_.push_back({of, std::move(symbols)}); }
    symbol fresh() { return {symbol::kind::productions, symbols_++}; }

    symbol terminal_of(symbol::kind is, const expression& e) {
        terminals_.push_back(e);
        return {is, terminals_.size() - 1};
    }
    symbol symbol_of(const expression& e) {
        switch (e.is) {
        case expression::kind::one_of: return terminal_of(symbol::kind::characters, e);
        case expression::kind::token: return terminal_of(symbol::kind::token, e);
        case expression::kind::rule: return {symbol::kind::productions, 1 + e.rule};
        case expression::kind::literal: {
            std::vector<symbol> symbols;
            for (const std::uint32_t c : e.characters)
                symbols.push_back(terminal_of(symbol::kind::characters, one_of({{c, c}})));
            const symbol made = fresh();
            add(made.index, std::move(symbols));
            return made;
        }
        case expression::kind::sequence: {
            std::vector<symbol> symbols;
            for (const expression& child : e.children) symbols.push_back(symbol_of(child));
            const symbol made = fresh();
            add(made.index, std::move(symbols));
            return made;
        }
        case expression::kind::alternatives: {
            const symbol made = fresh();
            for (const expression& child : e.children) {
                const symbol one = symbol_of(child);
                add(made.index, {one});
            }
            return made;
        }
        case expression::kind::repetition: return repetition_of(symbol_of(e.children[0]), e.least, e.most);
        }
        return {};
    }
    symbol repetition_of(const symbol& what, int least, int most) {
        const symbol made = fresh();
        if (least == 0) add(made.index, {});
        if (most == expression::unlimited && least == 0) add(made.index, {what, made});
        else if (most == expression::unlimited) add(made.index, {what, repetition_of(what, least - 1, most)});
        else if (most > 0) add(made.index, {what, repetition_of(what, least > 0 ? least - 1 : 0, most - 1)});
        return made;
    }

    bool begins_with_itself() const {
        for (std::size_t s = 0; s < symbols_; ++s) {
            std::vector<bool> reached(symbols_, false);
            std::vector<std::size_t> open{s};
            while (!open.empty()) {
                const std::size_t from = open.back();
                open.pop_back();
                for (const std::size_t p : of_symbol_[from])
                    for (const symbol& first : productions_[p].symbols) {
                        if (first.is != symbol::kind::productions) break;
                        if (first.index == s) return true;
                        if (!reached[first.index]) reached[first.index] = true, open.push_back(first.index);
                        if (!may_be_empty_[first.index]) break;
                    }
            }
        }
        return false;
    }
    /// Those with which a text can come to an end. (Every class has a character here, and every token a text.)
    void keep_what_can_end() {
        std::vector<bool> ends(symbols_, false);
        const auto can_end = [&](const production& p) {
            for (const symbol& s : p.symbols)
                if (s.is == symbol::kind::productions && !ends[s.index]) return false;
            return true;
        };
        for (bool more = true; more;) {
            more = false;
            for (const production& p : productions_)
                if (!ends[p.of] && can_end(p)) more = ends[p.of] = true;
        }
        std::vector<production> kept;
        for (const production& p : productions_)
            if (can_end(p)) kept.push_back(p);
        productions_ = std::move(kept);
        index_by_symbol();
    }
    void index_by_symbol() {
        of_symbol_.assign(symbols_, {});
        for (std::size_t i = 0; i < productions_.size(); ++i) of_symbol_[productions_[i].of].push_back(i);
    }
    void find_empty() {
        may_be_empty_.assign(symbols_, false);
        for (bool more = true; more;) {
            more = false;
            for (const production& p : productions_) {
                bool is_empty = true;
                for (const symbol& s : p.symbols)
                    is_empty &= s.is == symbol::kind::productions && may_be_empty_[s.index];
                if (is_empty && !may_be_empty_[p.of]) more = may_be_empty_[p.of] = true;
            }
        }
    }

    std::size_t symbols_ = 0;
    std::vector<production> productions_;
    std::vector<expression> terminals_;
    std::vector<std::vector<std::size_t>> of_symbol_;
    std::vector<bool> may_be_empty_;
    bool is_left_recursive_ = false;
};

// ---- texts

struct word {
    std::string bytes;
    bool is_control = false;
    bool is_end = false;

    bool has_text() const { return !bytes.empty() && bytes[0] != '\0'; }
    bool is_read_by_bytes() const { return has_text() && !is_control && !is_end; }
};
using words = std::vector<word>;

/// A text that grows by tokens, and every way in which a grammar may have led to it.
class text {
public:
    explicit text(const productions& of, const words& vocabulary) : of_(&of), vocabulary_(&vocabulary) {
        sets_.emplace_back();
        for (const std::size_t p : of.of(0)) add({p, 0, 0, {}});
        close();
    }

    bool is_complete() const {
        if (has_ended_) return true;
        for (const item& i : sets_.back().items)
            if (i.begun_at == 0 && of_->all()[i.production].of == 0 && is_at_end(i)) return true;
        return false;
    }
    /// Nothing but an end may follow.
    bool is_finished() const {
        if (has_ended_) return true;
        for (const item& i : sets_.back().items)
            if (!is_at_end(i) && next_of(i).is != productions::symbol::kind::productions) return false;
        return is_complete();
    }
    bool has_ended() const { return has_ended_; }
    /// Of a byte that may come next.
    bool may_follow(std::uint8_t byte) const {
        if (has_ended_) return false;
        for (const item& i : sets_.back().items)
            if (item moved; reads(i, byte, moved)) return true;
        return false;
    }
    bool may_be_a_token() const {
        if (has_ended_) return false;
        for (const item& i : sets_.back().items)
            if (!is_at_end(i) && next_of(i).is == productions::symbol::kind::token) return true;
        return false;
    }

    /// Takes some bytes, or as many of them as may follow; answers how many those are.
    std::size_t read(const std::string& bytes) {
        std::size_t read = 0;
        while (read < bytes.size() && !has_given_up_ && may_follow(std::uint8_t(bytes[read]))) {
            const std::size_t from = sets_.size() - 1;
            sets_.emplace_back();
            for (std::size_t i = 0; i < sets_[from].items.size(); ++i)
                if (item moved; reads(sets_[from].items[i], std::uint8_t(bytes[read]), moved)) add(moved);
            close();
            ++read;
        }
        return read;
    }
    /// Takes bytes, all or none.
    bool take_bytes(const std::string& bytes) {
        const std::size_t size = sets_.size();
        if (!has_ended_ && read(bytes) == bytes.size()) return true;
        sets_.resize(size);
        return false;
    }
    /// Takes a token: by its bytes, and where the grammar refers to it as a whole; else as an end. Or nothing.
    bool take(std::int32_t id) {
        if (has_ended_ || id < 0 || std::size_t(id) >= vocabulary_->size()) return false;
        const word& w = (*vocabulary_)[std::size_t(id)];
        const std::size_t from = sets_.size() - 1;
        std::vector<item> as_a_whole;
        for (const item& i : sets_[from].items)
            if (item moved; refers(i, id, moved)) as_a_whole.push_back(moved);
        if (!w.is_read_by_bytes() || !take_bytes(w.bytes)) {
            if (as_a_whole.empty()) return has_ended_ = w.is_end && is_complete();
            sets_.emplace_back();
        }
        for (const item& i : as_a_whole) add(i);
        close();
        return true;
    }
    /// Whether a token may come next.
    bool allows(std::int32_t id) {
        if (has_ended_) return false;
        const std::size_t size = sets_.size();
        const bool is_legal = take(id);
        go_back(size);
        return is_legal;
    }
    /// At which of its bytes a token fails.
    std::size_t refused_at(std::int32_t id) {
        const word& w = (*vocabulary_)[std::size_t(id)];
        if (has_ended_ || !w.is_read_by_bytes()) return 0;
        const std::size_t size = sets_.size();
        const std::size_t count = read(w.bytes);
        go_back(size);
        return count;
    }
    std::vector<std::int32_t> legal() {
        std::vector<std::int32_t> all;
        for (std::size_t i = 0; i < vocabulary_->size(); ++i)
            if (allows(std::int32_t(i))) all.push_back(std::int32_t(i));
        return all;
    }
    /// How many bytes and tokens it holds, and in how many ways its end can be read.
    std::size_t length() const { return sets_.size() - 1; }
    std::size_t ways() const { return sets_.back().items.size(); }
    /// A text was too much for the reference, which then knows nothing any more.
    bool has_given_up() const { return has_given_up_; }

private:
    /// A production, how far it has come, where in the text it began, and the bytes of a character that is not whole.
    struct item {
        std::size_t production = 0, done = 0, begun_at = 0;
        std::string partial{};

        std::uint64_t key() const {
            std::uint64_t k = partial.size();
            for (std::size_t i = 0; i < 3; ++i) k = k << 8 | (i < partial.size() ? std::uint8_t(partial[i]) : 0);
            return ((k << 12 | production) << 6 | done) << 18 | begun_at;
        }
    };
    struct set_of_items {
        std::vector<item> items;
        std::unordered_set<std::uint64_t> keys;
        std::unordered_map<std::size_t, std::vector<std::size_t>> waiting;  ///< items by the symbol that is next
        std::size_t closed = 0;
    };

    void go_back(std::size_t size) {
        sets_.resize(size);
        has_ended_ = false;
    }
    bool is_at_end(const item& i) const { return i.done == of_->all()[i.production].symbols.size(); }
    const productions::symbol& next_of(const item& i) const { return of_->all()[i.production].symbols[i.done]; }

    bool reads(const item& i, std::uint8_t byte, item& moved) const {
        if (is_at_end(i) || next_of(i).is != productions::symbol::kind::characters) return false;
        moved = i;
        moved.partial += char(byte);
        const fit how = fit_of(of_->terminal(next_of(i)), moved.partial);
        if (how == fit::whole) ++moved.done, moved.partial.clear();
        return how != fit::none;
    }
    bool refers(const item& i, std::int32_t id, item& moved) const {
        if (is_at_end(i) || next_of(i).is != productions::symbol::kind::token) return false;
        const expression& meant = of_->terminal(next_of(i));
        const word& w = (*vocabulary_)[std::size_t(id)];
        moved = i;
        ++moved.done;
        return w.has_text() && (meant.negated ? id != meant.token && !w.is_end : id == meant.token);
    }

    void add(item i) {
        if (sets_.back().keys.insert(i.key()).second) sets_.back().items.push_back(std::move(i));
    }
    void add_advanced(const item& i) {
        item moved = i;
        ++moved.done;
        add(std::move(moved));
    }
    /// What follows from the items of the last set.
    void close() {
        for (std::size_t& n = sets_.back().closed; n < sets_.back().items.size() && !has_given_up_; ++n) {
            has_given_up_ = n > 1000;
            const item i = sets_.back().items[n];
            if (!is_at_end(i)) {
                const productions::symbol s = next_of(i);
                if (s.is != productions::symbol::kind::productions) continue;
                std::vector<std::size_t>& others = sets_.back().waiting[s.index];
                others.push_back(n);
                if (others.size() == 1)
                    for (const std::size_t p : of_->of(s.index)) add({p, 0, sets_.size() - 1, {}});
                if (of_->may_be_empty(s.index)) add_advanced(i);
            } else if (i.begun_at != sets_.size() - 1) {
                const std::size_t made = of_->all()[i.production].of;
                const set_of_items& before = sets_[i.begun_at];
                const auto found = before.waiting.find(made);
                if (found == before.waiting.end()) continue;
                for (const std::size_t other : found->second) add_advanced(before.items[other]);
            }
        }
    }

    const productions* of_;
    const words* vocabulary_;
    std::vector<set_of_items> sets_;
    bool has_ended_ = false, has_given_up_ = false;
};

// ---- random ones

inline constexpr std::uint32_t alphabet[] = {'a', 'b', 0xE9, 0x65E5, 0x1F600, 0x01, ' '};

inline std::uint32_t random_character(integers& random) { return alphabet[random.below(7)]; }

class random_grammar {
public:
    random_grammar(std::uint64_t seed, const words& vocabulary) : random_(seed), vocabulary_(vocabulary) {}

    /// One that has a text, and in which nothing begins with itself.
    grammar make() {
        for (;;) {
            grammar g;
            const std::size_t rules = 1 + random_.below(12);
            const std::uint32_t tokens = random_.below(3);  // in every third grammar none
            for (rule_ = 0; rule_ < rules; ++rule_) g.rules.push_back(of_alternatives(rules, 3, tokens));
            const productions p(g);
            if (p.all().size() < 160 && !p.matches_nothing() && !p.is_left_recursive()) return g;
        }
    }

private:
    expression of_alternatives(std::size_t rules, int depth, std::uint32_t tokens) {
        std::vector<expression> all;
        const std::uint32_t count = 1 + random_.below(3);
        for (std::uint32_t i = 0; i < count; ++i) {
            std::vector<expression> items;
            const std::uint32_t size = random_.below(8) == 0 ? 0 : 1 + random_.below(3);
            for (std::uint32_t k = 0; k < size; ++k) items.push_back(of_item(rules, depth, tokens));
            all.push_back(items.empty() ? literal({}) : sequence(std::move(items)));
        }
        return all.size() == 1 ? all[0] : alternatives(std::move(all));
    }
    expression of_item(std::size_t rules, int depth, std::uint32_t tokens) {
        const std::uint32_t what = random_.below(20);
        if (what < 5) {
            std::vector<std::uint32_t> characters(random_.below(12) == 0 ? 0 : 1 + random_.below(3));
            for (std::uint32_t& c : characters) c = random_character(random_);
            return literal(std::move(characters));
        }
        if (what < 9) return of_class();
        if (what < 13) {  // mostly a later one, so that not every grammar is recursive
            const std::size_t after = rule_ + 1 < rules ? rules - rule_ - 1 : 0;
            if (after > 0 && random_.below(4) != 0) return rule(rule_ + 1 + random_.below(std::uint32_t(after)));
            return rule(random_.below(std::uint32_t(rules)));
        }
        if (what < 14 && tokens > 0) return of_token();
        if (depth == 0) return of_class();
        if (what < 16) return of_alternatives(rules, depth - 1, tokens);
        expression inner = of_item(rules, depth - 1, tokens);
        static constexpr int bounds[][2] = {{0, -1}, {1, -1}, {0, 1},  {0, 20},  {3, 12}, {9, -1},
                                            {2, 2},  {0, 9},  {1, 30}, {12, 12}, {0, 0},  {2, 3}};
        const auto& b = bounds[random_.below(12)];
        return repeated(std::move(inner), b[0], b[1]);
    }
    expression of_class() {
        switch (random_.below(6)) {
        case 0: return any();
        case 1: return one_of({{'a', 'b'}});
        case 2: return one_of({{0x80, 0x7FF}, {'b', 'b'}});
        default: break;
        }
        std::vector<range_of_characters> ranges(1 + random_.below(3));
        for (auto& r : ranges) {
            r.first = r.last = random_character(random_);
            if (random_.below(4) == 0) r.last += random_.below(40);
        }
        return one_of(std::move(ranges), random_.below(3) == 0);
    }
    expression of_token() {
        for (;;) {
            const std::uint32_t id = random_.below(std::uint32_t(vocabulary_.size()));
            const word& w = vocabulary_[id];
            if (!w.has_text()) continue;
            // The word 1 is the first control token that is called so, so its name means it.
            return token(std::int32_t(id), random_.below(3) == 0, id == 1 ? w.bytes : std::string());
        }
    }

    integers random_;
    const words& vocabulary_;
    std::size_t rule_ = 0;
};

/// Words of all kinds: whole characters and parts of some, twice the same, none, NUL ahead, a long one, control tokens,
/// also with names that are text, and ends.
inline words random_words(std::uint64_t seed, std::size_t size) {
    integers random(seed);
    words all;
    const auto add = [&](std::string bytes, bool control = false, bool end = false) {
        all.push_back({std::move(bytes), control, end});
    };
    add("</s>", true, true);
    add("<|s|>", true);
    add("");
    add(std::string("\0a", 2));
    for (const std::uint32_t c : alphabet)
        for (const char byte : utf8(c))
            if (random.below(8) != 0) add({byte});
    add(std::string(256 + random.below(60), random.below(4) == 0 ? 'a' : 'z'));
    add("a", true);
    add(random.below(2) == 0 ? "" : "b", false, true);
    add("\xC3");
    add("\xC3\xA8");
    add(std::string("a\0b", 3));
    add("\xC0\xAF");
    add("\xED\xA0\x80");
    while (all.size() < size) {
        std::string bytes;
        const std::uint32_t characters = 1 + random.below(4);
        for (std::uint32_t i = 0; i < characters; ++i) bytes += utf8(random_character(random));
        switch (random.below(8)) {
        case 0: bytes.erase(0, 1 + random.below(2)); break;
        case 1: bytes.pop_back(); break;
        case 2: bytes += char(random.below(256)); break;
        case 3: bytes = std::string(1 + random.below(14), bytes[0]); break;
        case 4: bytes = all[random.below(std::uint32_t(all.size()))].bytes; break;  // once more
        default: break;
        }
        if (bytes.size() > 300) bytes.resize(20);
        const std::uint32_t role = random.below(40);
        add(std::move(bytes), role == 0 || role == 2, role == 1 || role == 2);
    }
    return all;
}

/// A text of the language at random, as bytes or whole tokens, one part behind the other; none where it becomes long.
class random_text {
public:
    struct part {
        std::string bytes;
        std::int32_t token = -1;  ///< where a token is meant
    };

    random_text(const grammar& g, const words& vocabulary, std::uint64_t seed)
        : g_(g), vocabulary_(vocabulary), random_(seed) {}

    bool make() {
        parts.clear();
        fuel_ = 400;
        return write(g_.rules[0]);
    }
    std::vector<part> parts;

private:
    bool write(const expression& e) {
        if (--fuel_ < 0) return false;
        switch (e.is) {
        case expression::kind::literal:
            for (const std::uint32_t c : e.characters) write_bytes(utf8(c));
            return true;
        case expression::kind::one_of: return write_one_of(e);
        case expression::kind::rule: return write(g_.rules[e.rule]);
        case expression::kind::token: return write_token(e);
        case expression::kind::alternatives: return write(e.children[random_.below(std::uint32_t(e.children.size()))]);
        case expression::kind::sequence:
            for (const expression& child : e.children)
                if (!write(child)) return false;
            return true;
        case expression::kind::repetition: {
            const int most = e.most == expression::unlimited ? e.least + 4 : e.most;
            const int times = e.least + int(random_.below(std::uint32_t(most - e.least + 1)));
            for (int i = 0; i < times; ++i)
                if (!write(e.children[0])) return false;
            return true;
        }
        }
        return false;
    }
    void write_bytes(const std::string& bytes) {
        if (parts.empty() || parts.back().token >= 0) parts.emplace_back();
        parts.back().bytes += bytes;
    }
    bool write_one_of(const expression& e) {
        for (int attempt = 0; attempt < 50; ++attempt) {
            std::uint32_t c = random_character(random_);
            if (random_.below(4) == 0 && !e.ranges.empty()) c = e.ranges[0].last;
            if (attempt > 20) c = random_.below(0x300);
            if (!has(e, c)) continue;
            write_bytes(utf8(c));
            return true;
        }
        return false;
    }
    bool write_token(const expression& e) {
        std::int32_t id = e.token;
        if (e.negated) {
            id = std::int32_t(random_.below(std::uint32_t(vocabulary_.size())));
            const word& w = vocabulary_[std::size_t(id)];
            if (id == e.token || w.is_end || !w.has_text()) return false;
        }
        parts.push_back({{}, id});
        return true;
    }

    const grammar& g_;
    const words& vocabulary_;
    integers random_;
    int fuel_ = 0;
};

}  // namespace riffle_tests::slow
