#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/core/text.hpp>

// What is made of automata over characters: products, smaller ones, those of words.

namespace riffle::inline RIFFLE_ABI::detail {

/// The automaton of all texts.
template <class Automaton = character_automaton>
Automaton automaton_of_all() {
    Automaton made;
    made.add_state(1);
    made.add_arc(0, first_surrogate - 1, 0);
    made.add_arc(last_surrogate + 1, greatest_code_point, 0);
    return made;
}

/// Without the states from which no text of the language can be finished.
template <class Automaton>
Automaton without_dead_ends(const Automaton& of) {
    const std::size_t size = of.size();
    std::vector<std::vector<std::uint32_t>> into(size);
    std::vector<std::uint32_t> left;
    std::vector<std::uint8_t> is_live(size);
    for (std::uint32_t s = 0; s < size; ++s) {
        for (const auto& a : of.arcs(s))
            if (into[a.to].empty() || into[a.to].back() != s) into[a.to].push_back(s);
        if (of.label(s) == 0) continue;
        is_live[s] = 1;
        left.push_back(s);
    }
    while (!left.empty()) {
        const std::uint32_t s = left.back();
        left.pop_back();
        for (const std::uint32_t from : into[s])
            if (!std::exchange(is_live[from], std::uint8_t{1})) left.push_back(from);
    }
    Automaton made;
    if (size == 0 || !is_live[Automaton::start]) return made;
    std::vector<std::uint32_t> number(size);
    std::uint32_t count = 0;
    for (std::uint32_t s = 0; s < size; ++s)
        if (is_live[s]) number[s] = count++;
    for (std::uint32_t s = 0; s < size; ++s) {
        if (!is_live[s]) continue;
        made.add_state(of.label(s));
        for (const auto& a : of.arcs(s))
            if (is_live[a.to]) made.add_arc(a.first, a.last, number[a.to]);
    }
    return made;
}

/// The automaton of as few states as can be, by parting states that differ until none do (Moore, "Gedanken-experiments
/// on sequential machines", 1956). Of more than `most` states it stays as it is: this takes rounds as many as the
/// longest chain, each over all states.
template <class Automaton>
Automaton minimized(const Automaton& of, std::size_t most = 128) {
    const std::size_t size = of.size();
    if (size <= 1 || size > most) return of;
    std::vector<std::uint32_t> part(size), next(size), key;
    std::size_t parts = 0;
    for (;;) {
        list_numbers numbers;
        for (std::uint32_t s = 0; s < size; ++s) {
            key.assign({std::uint32_t(of.label(s)), part[s]});
            for (const auto& a : of.arcs(s)) {
                const bool goes_on = key.size() > 2 && key.back() == part[a.to] && key[key.size() - 2] + 1 == a.first;
                if (goes_on) key[key.size() - 2] = a.last;
                else key.insert(key.end(), {a.first, a.last, part[a.to]});
            }
            next[s] = numbers.number_of(key);
        }
        part.swap(next);
        if (numbers.count() == parts) break;
        parts = numbers.count();
    }
    if (parts == size) return of;
    // Parts are numbered as their first states come, so the start's is the first.
    std::vector<std::uint32_t> first_of(parts, Automaton::none);
    for (std::uint32_t s = std::uint32_t(size); s-- > 0;) first_of[part[s]] = s;
    Automaton made;
    for (std::size_t p = 0; p < parts; ++p) {
        made.add_state(of.label(first_of[p]));
        for (const auto& a : of.arcs(first_of[p])) made.add_arc(a.first, a.last, part[a.to]);
    }
    return made;
}

/// Several automata, read together. `required`: bits of those that must not fail, or no text goes on.
/// label_of(bits) is the label of a text by the bits of those whose language it is in. False where there are more
/// states than `most`.
template <class Automaton, class LabelOf>
bool combine(const std::vector<const Automaton*>& of, std::uint64_t required, LabelOf label_of, std::size_t most,
             Automaton& into) {
    const std::size_t count = of.size();
    std::vector<std::uint32_t> now(count), next(count);
    std::vector<std::size_t> place(count);
    const auto fails = [&](const std::vector<std::uint32_t>& states) {
        for (std::size_t i = 0; i < count; ++i)
            if (states[i] == Automaton::none && (required >> i & 1) != 0) return true;
        return false;
    };
    list_numbers numbers;
    for (std::size_t i = 0; i < count; ++i)
        now[i] = of[i]->empty() ? std::uint32_t{Automaton::none} : std::uint32_t{Automaton::start};
    into = {};
    if (fails(now)) return true;
    numbers.number_of(now);
    for (std::size_t s = 0; s < numbers.count(); ++s) {
        if (numbers.count() > most) return false;
        now = numbers[s];
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (now[i] != Automaton::none && of[i]->label(now[i]) != 0) bits |= std::uint64_t{1} << i;
        into.add_state(label_of(bits));
        std::fill(place.begin(), place.end(), 0);
        for (code_point at = 0; at <= greatest_code_point;) {  // from one end of an arc to the next
            code_point last = at < first_surrogate ? first_surrogate - 1 : greatest_code_point;
            for (std::size_t i = 0; i < count; ++i) {
                next[i] = Automaton::none;
                if (now[i] == Automaton::none) continue;
                const auto arcs = of[i]->arcs(now[i]);
                while (place[i] < arcs.size() && arcs[place[i]].last < at) ++place[i];
                if (place[i] == arcs.size()) continue;
                const auto& a = arcs[place[i]];
                if (a.first > at) last = (std::min)(last, a.first - 1);
                else {
                    next[i] = a.to;
                    last = (std::min)(last, a.last);
                }
            }
            if (!fails(next)) into.add_arc(at, last, numbers.number_of(next));
            at = last + 1 == first_surrogate ? last_surrogate + 1 : last + 1;
        }
    }
    into = without_dead_ends(into);
    return true;
}

/// The automaton of some words; each has its label.
template <class Automaton = character_automaton>
Automaton automaton_of_words(const std::vector<std::pair<std::u32string, std::uint32_t>>& words) {
    struct node {
        std::vector<std::pair<code_point, std::uint32_t>> next;
        std::uint32_t label = 0;
    };
    std::vector<node> nodes(1);
    for (const auto& [characters, label] : words) {
        std::uint32_t at = 0;
        for (const char32_t c : characters) {
            const auto known =
                std::find_if(nodes[at].next.begin(), nodes[at].next.end(), [&](const auto& n) { return n.first == c; });
            if (known != nodes[at].next.end()) {
                at = known->second;
                continue;
            }
            const auto made = std::uint32_t(nodes.size());
            nodes[at].next.push_back({c, made});
            nodes.emplace_back();
            at = made;
        }
        nodes[at].label = label;
    }
    Automaton made;
    for (node& n : nodes) {
        std::sort(n.next.begin(), n.next.end());
        made.add_state(n.label);
        for (const auto& [c, to] : n.next) made.add_arc(c, c, to);
    }
    return words.empty() ? Automaton() : made;
}

/// The characters of a text in UTF-8; false where it is none.
inline bool decode_all(text of, std::u32string& into) {
    into.clear();
    while (!of.empty()) {
        const decoded_character c = decode_utf8(of);
        if (c.length == 0) return false;
        into += char32_t(c.value);
        of = of.part(c.length);
    }
    return true;
}

}  // namespace riffle::detail
