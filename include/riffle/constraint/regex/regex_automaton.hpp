#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/regex/automaton_operations.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/constraint/regex/regex_reader.hpp>
#include <riffle/constraint/regex/regex_syntax.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a text must be to a regular expression.
enum class regex_match : std::uint8_t {
    whole,      ///< all of it is matched
    beginning,  ///< a beginning of it is
    search,     ///< some part of it is, as JSON Schema's `pattern` has it
};

/// Makes the automaton of a regular expression: of the texts that it matches. First a nondeterministic one (Thompson,
/// "Regular expression search algorithm", 1968), then the sets of its nodes. What ^, $ and \b ask of the place is
/// decided when the next character is known. A look-ahead makes the rest of the pattern an intersection. (One file,
/// though long: the second automaton is made of the first one's nodes, of which nobody else should know.)
template <class Regex, class Automaton = character_automaton>
class regex_automaton {
public:
    explicit regex_automaton(const Regex& of, std::size_t most_states = 4096) : regex_(of), most_states_(most_states) {}

    /// False where there is a problem: too many states, or a look-ahead in a place where it is no intersection.
    bool make(regex_match match, Automaton& into) {
        const auto& root = regex_.at(regex_.root);
        if (root.kind != regex_kind::alternatives) return make_of(sequence_of(regex_.root), 0, match, into);
        if (!has_look_ahead(regex_.root)) return make_of({regex_.root}, 0, match, into);
        std::vector<Automaton> each(root.count);
        std::vector<const Automaton*> all;
        for (std::size_t i = 0; i < root.count; ++i) {
            if (!make_of(sequence_of(regex_.part(root, i)), 0, match, each[i])) return false;
            all.push_back(&each[i]);
        }
        return join(
            all, 0, [](std::uint64_t bits) { return std::uint32_t(bits != 0); }, into);
    }
    const char* problem() const noexcept { return problem_; }

private:
    using node_id = typename Regex::node_id;
    using items = std::vector<node_id>;
    enum : std::size_t { most_nodes = 1 << 16 };

    bool fail(const char* sentence) noexcept {
        problem_ = sentence;
        return false;
    }
    bool fail_too_large() noexcept { return fail("its automaton has more states than the limit allows"); }
    items sequence_of(node_id id) const {
        const auto& n = regex_.at(id);
        if (n.kind != regex_kind::sequence) return {id};
        items all;
        for (std::size_t i = 0; i < n.count; ++i) all.push_back(regex_.part(n, i));
        return all;
    }
    static bool is_look_ahead(regex_kind kind) noexcept {
        return kind == regex_kind::ahead || kind == regex_kind::not_ahead;
    }
    bool has_look_ahead(node_id id) const noexcept {
        const auto& n = regex_.at(id);
        if (n.kind == regex_kind::characters) return false;
        if (is_look_ahead(n.kind)) return true;
        for (std::size_t i = 0; i < n.count; ++i)
            if (has_look_ahead(regex_.part(n, i))) return true;
        return false;
    }
    bool asks_what_is_before(node_id id) const noexcept {
        const auto& n = regex_.at(id);
        if (n.kind == regex_kind::characters || n.kind == regex_kind::text_end) return false;
        if (n.kind == regex_kind::text_begin || n.kind == regex_kind::word_boundary ||
            n.kind == regex_kind::not_word_boundary)
            return true;
        for (std::size_t i = 0; i < n.count; ++i)
            if (asks_what_is_before(regex_.part(n, i))) return true;
        return false;
    }
    template <class LabelOf>
    bool join(const std::vector<const Automaton*>& all, std::uint64_t required, LabelOf label_of, Automaton& into) {
        if (!combine(all, required, label_of, most_states_, into)) return fail_too_large();
        into = minimized(into);
        return true;
    }

    // ---- look-ahead: what follows it, and ends with the text, is in two languages at once

    bool make_of(const items& of, std::size_t first, regex_match match, Automaton& into) {
        std::size_t place = first;
        while (place < of.size() && !is_look_ahead(regex_.at(of[place]).kind)) ++place;
        nodes_.clear();
        if (place == of.size()) return make_rest(of, first, place, match, nullptr, into);

        const auto& look = regex_.at(of[place]);
        const auto is_begin = [&](node_id id) { return regex_.at(id).kind == regex_kind::text_begin; };
        const bool is_at_begin =
            first == 0 && place > 0 && std::all_of(of.begin(), of.begin() + std::ptrdiff_t(place), is_begin);
        if (!is_at_begin && std::any_of(of.begin() + std::ptrdiff_t(place), of.end(),
                                        [&](node_id id) { return asks_what_is_before(id); }))
            return fail(
                "^ and \\b are not supported behind a look-ahead, unless that follows the ^ of the whole pattern");
        Automaton looked_at, rest, behind;
        if (!make_of(of, place + 1, match == regex_match::whole ? match : regex_match::beginning, rest)) return false;
        if (!make_of(sequence_of(regex_.part(look, 0)), 0, regex_match::beginning, looked_at)) return false;
        const std::uint64_t wanted = look.kind == regex_kind::ahead ? 3 : 2;
        const auto label_of = [&](std::uint64_t bits) { return std::uint32_t(bits == wanted); };
        if (!join({&looked_at, &rest}, wanted, label_of, behind)) return false;
        nodes_.clear();
        return make_rest(of, first, place, match, &behind, into);
    }
    /// The items between two places, and then a text of `behind`, or any, or none.
    bool make_rest(const items& of, std::size_t first, std::size_t last, regex_match match, const Automaton* behind,
                   Automaton& into) {
        const std::uint32_t end = add({node::accepts, 0, 0, 0});
        std::uint32_t next = end;
        all_ = none;
        if (behind) {
            if (!add_automaton(*behind, end, next)) return fail_too_large();
        } else if (match != regex_match::whole) {
            next = all_ = add_all(end);
        }
        for (std::size_t i = last; i-- > first;)
            if (!add_regex(of[i], next, next)) return false;
        if (match == regex_match::search) next = add_all(next);
        return determine(next, into);
    }

    // ---- the nondeterministic automaton, made from its end

    struct node {
        enum kind : std::uint8_t { reads, splits, asserts, accepts };
        kind is;
        std::uint32_t what;  ///< the set that it reads; the kind of what it asserts
        std::uint32_t next, other;
    };
    enum : std::uint32_t { none = ~0u };

    std::uint32_t add(const node& n) {
        nodes_.push_back(n);
        return std::uint32_t(nodes_.size() - 1);
    }
    std::uint32_t set_of_all() {
        if (all_set_ == none) {
            all_set_ = std::uint32_t(regex_.sets.size() + own_sets_.size());
            own_sets_.push_back(code_point_set().inverted());
        }
        return all_set_;
    }
    const code_point_set& set(std::uint32_t number) const noexcept {
        return number < regex_.sets.size() ? regex_.sets[number] : own_sets_[number - regex_.sets.size()];
    }
    /// Any characters, and then `next`.
    std::uint32_t add_all(std::uint32_t next) {
        const std::uint32_t split = add({node::splits, 0, next, none});
        const std::uint32_t reads = add({node::reads, set_of_all(), split, 0});
        nodes_[split].other = reads;
        return split;
    }
    bool add_automaton(const Automaton& of, std::uint32_t end, std::uint32_t& made) {
        made = add({node::splits, 0, none, none});
        std::vector<std::uint32_t> first(of.size());
        for (auto& f : first) f = add({node::splits, 0, none, none});
        for (std::uint32_t s = 0; s < of.size(); ++s) {
            std::uint32_t at = first[s];
            const auto go_on = [&](std::uint32_t to) {
                const std::uint32_t more = add({node::splits, 0, none, none});
                nodes_[at].next = to;
                nodes_[at].other = more;
                at = more;
            };
            if (of.label(s) != 0) go_on(end);
            for (const auto& a : of.arcs(s)) {
                const auto number = std::uint32_t(regex_.sets.size() + own_sets_.size());
                own_sets_.push_back(code_point_set({{a.first, a.last}}));
                go_on(add({node::reads, number, first[a.to], 0}));
            }
            if (nodes_.size() > most_nodes) return false;
        }
        nodes_[made].next = of.empty() ? std::uint32_t{none} : first[0];
        return true;
    }
    /// A part of the expression, and then `next`.
    bool add_regex(node_id id, std::uint32_t next, std::uint32_t& made) {
        if (nodes_.size() > most_nodes) return fail_too_large();
        const auto n = regex_.at(id);
        switch (n.kind) {
        case regex_kind::characters: made = add({node::reads, n.first, next, 0}); return true;
        case regex_kind::sequence:
            made = next;
            for (std::size_t i = n.count; i-- > 0;)
                if (!add_regex(regex_.part(n, i), made, made)) return false;
            return true;
        case regex_kind::alternatives: {
            std::uint32_t others = none;
            for (std::size_t i = n.count; i-- > 0;) {
                std::uint32_t one;
                if (!add_regex(regex_.part(n, i), next, one)) return false;
                others = add({node::splits, 0, one, others});
            }
            made = others;
            return true;
        }
        case regex_kind::repetition: return add_repetition(n, next, made);
        case regex_kind::text_begin:
        case regex_kind::text_end:
        case regex_kind::word_boundary:
        case regex_kind::not_word_boundary: made = add({node::asserts, std::uint32_t(n.kind), next, 0}); return true;
        case regex_kind::ahead:
        case regex_kind::not_ahead: break;
        }
        return fail("look-ahead is supported only outside of groups that are repeated or have alternatives");
    }
    bool add_repetition(const typename Regex::node& n, std::uint32_t next, std::uint32_t& made) {
        const node_id part = regex_.part(n, 0);
        made = next;
        if (n.most == Regex::unlimited) {
            made = add({node::splits, 0, next, none});
            std::uint32_t again;
            const std::uint32_t split = made;
            if (!add_regex(part, split, again)) return false;
            nodes_[split].other = again;
        } else {
            for (std::uint32_t i = n.least; i < n.most; ++i) {
                std::uint32_t once;
                if (!add_regex(part, made, once)) return false;
                made = add({node::splits, 0, once, next});
            }
        }
        for (std::uint32_t i = 0; i < n.least; ++i)
            if (!add_regex(part, made, made)) return false;
        return true;
    }

    // ---- the deterministic one. A set of nodes that read, accept or assert; and, where one asserts, what came before.

    enum before : std::uint32_t { nothing, of_word, of_no_word, unimportant };
    enum class after : std::uint8_t { of_word, of_no_word, end };

    void follow(std::uint32_t from, std::vector<std::uint32_t>& to) {
        left_.assign(1, from);
        while (!left_.empty()) {
            const std::uint32_t n = left_.back();
            left_.pop_back();
            if (n == none || std::exchange(seen_[n], round_) == round_) continue;
            if (nodes_[n].is != node::splits) {
                to.push_back(n);
                continue;
            }
            left_.push_back(nodes_[n].other);
            left_.push_back(nodes_[n].next);
        }
    }
    static bool holds(regex_kind kind, before b, after a) noexcept {
        switch (kind) {
        case regex_kind::text_begin: return b == nothing;
        case regex_kind::text_end: return a == after::end;
        case regex_kind::word_boundary: return (b == of_word) != (a == after::of_word);
        default: return (b == of_word) == (a == after::of_word);
        }
    }
    /// The nodes that read or accept, once what follows is known.
    const std::vector<std::uint32_t>& resolved(const std::vector<std::uint32_t>& set, before b, after a) {
        resolved_.clear();
        ++round_;
        for (const std::uint32_t n : set) seen_[n] = round_;
        resolved_.assign(set.begin(), set.end());
        for (std::size_t i = 0; i < resolved_.size(); ++i) {
            const node& n = nodes_[resolved_[i]];
            if (n.is == node::asserts && holds(regex_kind(n.what), b, a)) follow(n.next, resolved_);
        }
        return resolved_;
    }
    /// Nodes as a key, with what came before them.
    void settle(std::vector<std::uint32_t>& set, before b) {
        const std::uint32_t any = all_ == none ? std::uint32_t{none} : nodes_[all_].other;
        if (std::find(set.begin(), set.end(), any) != set.end()) {  // any text may follow: nothing else matters
            set.clear();
            ++round_;
            follow(all_, set);
        }
        std::sort(set.begin(), set.end());
        const bool asserts =
            std::any_of(set.begin(), set.end(), [&](std::uint32_t n) { return nodes_[n].is == node::asserts; });
        set.push_back(asserts ? b : unimportant);
    }

    bool determine(std::uint32_t start, Automaton& into) {
        seen_.assign(nodes_.size(), 0);
        round_ = 0;
        find_classes();
        std::vector<std::uint32_t> set;
        ++round_;
        follow(start, set);
        settle(set, nothing);
        list_numbers numbers;
        numbers.number_of(set);
        into = {};
        for (std::size_t s = 0; s < numbers.count(); ++s) {
            if (numbers.count() > most_states_) return fail_too_large();
            std::vector<std::uint32_t> now = numbers[s];
            const auto b = before(now.back());
            now.pop_back();
            const auto& at_end = resolved(now, b, after::end);
            into.add_state(std::any_of(at_end.begin(), at_end.end(),
                                       [&](std::uint32_t n) { return nodes_[n].is == node::accepts; }));
            if (now.empty()) continue;
            for (std::uint32_t c = 0; c < class_count_; ++c) {
                const auto& here = resolved(now, b, is_word_[c] != 0 ? after::of_word : after::of_no_word);
                const std::vector<std::uint32_t> reading(here.begin(), here.end());
                set.clear();
                ++round_;
                for (const std::uint32_t n : reading)
                    if (nodes_[n].is == node::reads && has_class_[nodes_[n].what][c] != 0) follow(nodes_[n].next, set);
                settle(set, is_word_[c] != 0 ? of_word : of_no_word);
                to_[c] = set.size() == 1 ? std::uint32_t{none} : numbers.number_of(set);
            }
            for (const piece& p : pieces_)
                if (to_[p.of_class] != none) into.add_arc(p.first, p.last, to_[p.of_class]);
        }
        into = minimized(without_dead_ends(into));
        return true;
    }

    // ---- classes of characters that no set tells apart

    struct piece {
        code_point first, last;
        std::uint32_t of_class;
    };

    void find_classes() {
        const code_point_set words = regex_word_characters();
        std::vector<const code_point_set*> used;
        std::vector<std::uint32_t> numbers_of_used;
        bool asserts_words = false;
        std::vector<std::uint8_t> is_used(regex_.sets.size() + own_sets_.size());
        for (const node& n : nodes_) {
            if (n.is == node::asserts)
                asserts_words |= regex_kind(n.what) == regex_kind::word_boundary ||
                                 regex_kind(n.what) == regex_kind::not_word_boundary;
            if (n.is != node::reads || std::exchange(is_used[n.what], std::uint8_t{1})) continue;
            used.push_back(&set(n.what));
            numbers_of_used.push_back(n.what);
        }
        if (asserts_words) used.push_back(&words);
        std::vector<code_point> cuts{0, first_surrogate, last_surrogate + 1};
        for (const code_point_set* s : used)
            for (const auto& range : s->ranges()) {
                cuts.push_back(range.first);
                cuts.push_back(range.last + 1);
            }
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

        pieces_.clear();
        list_numbers signatures;
        std::vector<std::size_t> next(used.size());
        std::vector<std::uint32_t> signature;
        for (std::size_t i = 0; i < cuts.size() && cuts[i] <= greatest_code_point; ++i) {
            const code_point first = cuts[i];
            if (!is_character(first)) continue;
            signature.assign((used.size() + 31) / 32 + 1, 0);
            for (std::size_t u = 0; u < used.size(); ++u) {
                const auto& ranges = used[u]->ranges();
                while (next[u] < ranges.size() && ranges[next[u]].last < first) ++next[u];
                if (next[u] < ranges.size() && ranges[next[u]].first <= first) signature[u / 32] |= 1u << (u % 32);
            }
            const code_point last = i + 1 < cuts.size() ? cuts[i + 1] - 1 : code_point{greatest_code_point};
            pieces_.push_back(
                {first, (std::min<code_point>)(last, greatest_code_point), signatures.number_of(signature)});
        }
        class_count_ = std::uint32_t(signatures.count());
        to_.assign(class_count_, none);
        is_word_.assign(class_count_, 0);
        has_class_.assign(is_used.size(), {});
        for (std::size_t u = 0; u < used.size(); ++u) {
            std::vector<std::uint8_t> has(class_count_);
            for (std::uint32_t c = 0; c < class_count_; ++c) has[c] = signatures[c][u / 32] >> (u % 32) & 1;
            if (u < numbers_of_used.size()) has_class_[numbers_of_used[u]] = std::move(has);
            else is_word_ = std::move(has);
        }
    }

    const Regex& regex_;
    std::size_t most_states_;
    std::vector<node> nodes_;
    std::vector<code_point_set> own_sets_;
    std::uint32_t all_set_ = none, all_ = none;
    const char* problem_ = nullptr;

    std::vector<std::uint32_t> seen_, left_, resolved_, to_;
    std::uint32_t round_ = 0;
    std::vector<piece> pieces_;
    std::uint32_t class_count_ = 0;
    std::vector<std::vector<std::uint8_t>> has_class_;  ///< of each set that is read: which classes it has
    std::vector<std::uint8_t> is_word_;
};

}  // namespace riffle::detail
