#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/captures/capture.hpp>
#include <riffle/constraint/captures/text_log.hpp>
#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/frame_table.hpp>
#include <riffle/constraint/numbering.hpp>
#include <riffle/constraint/token_references.hpp>
#include <riffle/constraint/trie_data.hpp>
#include <riffle/constraint/walks.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Reads a whole text along a grammar's automaton and remembers where the rules lie that are captured. Rules that begin
/// at one place are read once for all of their callers (Scott and Johnstone, "GLL parsing", 2010): a text that can be
/// read in many ways costs the square of its length at worst, an ordinary one its length. Of several ways in which a
/// text can be read the first found counts, which is the same each time.
template <class Automaton, class Rules>
class capture_finder {
public:
    capture_finder(const Automaton& of, const Rules& rules, const trie_data& trie, const token_references& references)
        : of_(of), rules_(rules), trie_(trie), references_(references) {}

    /// The captures of what a matcher has taken, in the order in which they begin; none where there are too many ways.
    std::vector<capture> find(std::span<const std::uint32_t> log) {
        calls_.push_back({of_.root, 0, {{byte_automaton::accepting, none, {}, none}}, {}});
        first_call_ = 1;
        go_on({of_.rules[of_.root].start, 0, none});
        settle();
        for (std::size_t i = 0; i < log.size() && work_ < most_work; ++i) read(log, i);
        return work_ < most_work ? result() : std::vector<capture>();
    }

private:
    enum : std::uint32_t { none = ~0u };
    enum : std::size_t { most_work = 8'000'000 };  ///< some 30 bytes each at worst

    /// One way to have read the text: at a node of a call, with what was captured in that call.
    struct way {
        std::uint32_t node, call, captured;
    };
    struct caller_of {
        std::uint32_t returns_to, call;
        walk_progress walked;
        std::uint32_t captured;  ///< up to the call, within its caller
    };
    /// A rule that was called at a place.
    struct call_at {
        std::uint32_t rule;
        std::size_t place;
        std::vector<caller_of> callers;
        std::vector<std::uint32_t> ended;  ///< with what was captured, each time that it has ended at that place
    };
    /// Captures one behind the other: a list of lists.
    struct list {
        std::uint32_t ahead, behind;  ///< none
        std::uint32_t rule;           ///< of one that was captured; none
        std::size_t begin, end;
    };

    std::uint32_t joined(std::uint32_t ahead, std::uint32_t behind) {
        if (ahead == none) return behind;
        if (behind == none) return ahead;
        lists_.push_back({ahead, behind, none, 0, 0});
        return std::uint32_t(lists_.size() - 1);
    }
    /// A capture, and those within it.
    std::uint32_t captured_with(std::uint32_t rule, std::size_t begin, std::uint32_t within) {
        lists_.push_back({none, within, rule, begin, place_});
        return std::uint32_t(lists_.size() - 1);
    }

    // ---- what is read

    void read(std::span<const std::uint32_t> log, std::size_t i) {
        const std::uint32_t entry = log[i];
        if (entry == text_log::no_bytes) return;
        if (entry & text_log::byte) return read_bytes(char(entry & 0xFF));
        const auto token = token_id(entry);
        if (trie_.ends_text(token) && !leads_on_by_token(token)) return;
        // A token is read by its bytes, and as a whole where the grammar names it: both ways go on together behind it.
        std::vector<way> whole;
        for (const way& w : ways_)
            for (const token_edge& e : of_.token_edges_of(w.node))
                if (references_.is_meant(e, token)) whole.push_back({e.to, w.call, w.captured});
        if (trie_.is_read_by_bytes(token)) {
            for (const char byte : trie_.piece(token)) read_bytes(byte);
        } else {
            ways_.clear();
            names_.push_back({place_, trie_.piece(token).size()});
            place_ += trie_.piece(token).size();
            bytes_.append(trie_.piece(token).data(), trie_.piece(token).size());
            forget_place();
        }
        for (const way& w : whole) go_on(w);
        settle();
    }
    bool leads_on_by_token(token_id token) const {
        for (const way& w : ways_)
            for (const token_edge& e : of_.token_edges_of(w.node))
                if (references_.is_meant(e, token)) return true;
        return false;
    }
    void read_bytes(char byte) {
        std::vector<way> earlier;
        earlier.swap(ways_);
        bytes_ += byte;
        ++place_;
        forget_place();
        const auto b = std::uint8_t(byte);
        for (const way& w : earlier)
            for (const byte_edge& e : of_.edges_of(w.node))
                if (e.first <= b && b <= e.last) go_on({e.to, w.call, w.captured});
        settle();
    }
    void forget_place() {
        seen_ = {};
        called_ = {};
        first_call_ = calls_.size();
    }

    // ---- what follows without anything being read

    void go_on(const way& w) { left_.push_back(w); }
    void settle() {
        // The way that was found first is followed first.
        std::reverse(left_.begin(), left_.end());
        while (!left_.empty() && ++work_ < most_work) {
            const way w = left_.back();
            left_.pop_back();
            const std::size_t known = seen_.count();
            seen_.number_of({w.node, w.call});
            if (seen_.count() > known) visit(w);
        }
        left_.clear();
    }
    void visit(const way& w) {
        if (w.node == byte_automaton::accepting) {
            accepted_ = w.captured;
            accepted_at_ = place_;
            has_accepted_ = true;
            return;
        }
        const automaton_node& node = of_.nodes[w.node];
        if (of_.reads_something(w.node)) ways_.push_back(w);
        const std::size_t earlier = left_.size();
        for (const std::uint32_t to : of_.steps_of(w.node)) go_on({to, w.call, w.captured});
        if (node.calls()) call(std::uint32_t(node.called), {node.returns_to, w.call, {}, w.captured});
        if (node.walks()) walk_on(w, of_.walk_of(w.node).begin());
        if (node.ends_rule) end(w);
        std::reverse(left_.begin() + std::ptrdiff_t(earlier), left_.end());
    }
    void walk_on(const way& at, const walk_progress& so_far) {
        const automaton_node& node = of_.nodes[at.node];
        const walk& bounds = of_.walk_of(at.node);
        for (const walk_arc& arc : of_.arcs_of(at.node)) {
            walk_progress next = so_far;
            if (bounds.take(next, arc.bit) && of_.can_be_ended(arc.to, next))
                call(arc.rule, {arc.to, at.call, next, at.captured});
        }
        if (node.may_end_walk && bounds.may_end(so_far)) go_on({node.returns_to, at.call, at.captured});
    }
    void call(std::uint32_t rule, const caller_of& by) {
        ++work_;
        const std::uint32_t number = called_.number_of({rule});
        const std::size_t at = first_call_ + number;
        if (at == calls_.size()) {
            calls_.push_back({rule, place_, {by}, {}});
            go_on({of_.rules[rule].start, std::uint32_t(at), none});
            return;
        }
        for (const caller_of& known : calls_[at].callers)
            if (known.returns_to == by.returns_to && known.call == by.call && known.walked == by.walked) return;
        calls_[at].callers.push_back(by);
        const std::vector<std::uint32_t> ended = calls_[at].ended;
        for (const std::uint32_t captured : ended) return_to(by, calls_[at], captured);
    }
    void end(const way& w) {
        const std::vector<caller_of> callers = calls_[w.call].callers;
        if (calls_[w.call].place == place_) calls_[w.call].ended.push_back(w.captured);
        for (const caller_of& by : callers) return_to(by, calls_[w.call], w.captured);
    }
    void return_to(const caller_of& by, const call_at& from, std::uint32_t captured) {
        ++work_;
        const std::uint32_t rule = of_.rules[from.rule].captured;
        if (rule != none) captured = captured_with(rule, from.place, captured);
        const way to{by.returns_to, by.call, joined(by.captured, captured)};
        if (by.returns_to >= byte_automaton::first_of_rules && of_.nodes[by.returns_to].walks()) walk_on(to, by.walked);
        else go_on(to);
    }

    // ---- what was captured

    std::vector<capture> result() {
        std::vector<capture> all;
        if (has_accepted_ && accepted_at_ == place_) write(accepted_, all);
        else if (!ways_.empty()) write_open(ways_[0], all);
        return all;
    }
    void add(std::uint32_t rule, std::size_t begin, std::size_t end, bool is_whole, std::vector<capture>& to) const {
        capture made;
        made.name = rules_.rules[rule].capture;
        made.begin = begin;
        made.is_whole = is_whole;
        std::size_t from = begin;
        for (const auto& [at, size] : names_) {
            if (at < from || at >= end) continue;
            made.bytes.append(bytes_, from, at - from);
            from = at + size;
        }
        made.bytes.append(bytes_, from, end - from);
        to.push_back(std::move(made));
    }
    void write(std::uint32_t captured, std::vector<capture>& to) const {
        std::vector<std::uint32_t> left;
        if (captured != none) left.push_back(captured);
        while (!left.empty()) {
            const list& l = lists_[left.back()];
            left.pop_back();
            if (l.rule != none) add(l.rule, l.begin, l.end, true, to);
            if (l.behind != none) left.push_back(l.behind);
            if (l.ahead != none) left.push_back(l.ahead);
        }
    }
    /// What was captured up to here on one way, and what is open.
    void write_open(const way& at, std::vector<capture>& to) const {
        struct level {
            std::uint32_t call, captured;
        };
        std::vector<level> levels;
        for (level l{at.call, at.captured};; l = {calls_[l.call].callers[0].call, calls_[l.call].callers[0].captured}) {
            levels.push_back(l);
            if (calls_[l.call].callers[0].call == none) break;
        }
        for (std::size_t i = levels.size(); i-- > 0;) {
            const call_at& call = calls_[levels[i].call];
            const std::uint32_t rule = of_.rules[call.rule].captured;
            if (rule != none) add(rule, call.place, place_, false, to);
            write(levels[i].captured, to);
        }
    }

    const Automaton& of_;
    const Rules& rules_;
    const trie_data& trie_;
    const token_references& references_;

    std::vector<way> ways_, left_;
    std::vector<call_at> calls_;
    std::vector<list> lists_;
    list_numbers seen_, called_;
    std::size_t first_call_ = 0, place_ = 0, work_ = 0;
    std::string bytes_;
    std::vector<std::pair<std::size_t, std::size_t>> names_;  ///< places of control tokens' names, and their sizes
    std::uint32_t accepted_ = none;
    std::size_t accepted_at_ = 0;
    bool has_accepted_ = false;
};

}  // namespace riffle::detail
