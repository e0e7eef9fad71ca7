#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/constraint/byte_automaton.hpp>
#include <riffle/constraint/frame_table.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/key_set.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// One way in which a text can have been read so far: at a node that reads something next, in a frame.
struct configuration {
    std::uint32_t node, frame;

    std::uint64_t key() const noexcept { return std::uint64_t{node} << 32 | frame; }
    friend bool operator==(const configuration&, const configuration&) = default;
    friend bool operator<(const configuration& a, const configuration& b) noexcept { return a.key() < b.key(); }
};

/// Where a text leads, all steps taken that read nothing: the configurations behind a byte or a token.
///
/// Two phases, so that a frame is complete before anything refers to it. First what the byte has led to: rules end and
/// their callers go on. Then the rules that are called, in an order in which all callers of a rule come before it (left
/// recursion is refused). A called rule that can match the empty text was skipped by its callers already, so no rule
/// ends in this phase.
template <class Automaton>
class basic_state_closure {
public:
    enum class outcome : std::uint8_t { good, too_large, no_memory };

    basic_state_closure(const Automaton& of, frame_table& frames, std::uint32_t most) noexcept
        : of_(of), frames_(frames), most_(most) {}

    void begin() noexcept {
        found_.clear();
        pending_.clear();
        left_.clear();
        seen_.clear();
        is_accepting_ = met_unknown_ = false;
        work_ = 0;
        outcome_ = outcome::good;
    }
    void add(configuration at) noexcept {
        if (!left_.push(at)) outcome_ = outcome::no_memory;
    }
    outcome run() noexcept {
        is_predicting_ = false;
        visit_all();
        return predict_all();
    }
    /// Where a text begins.
    outcome run_from_root() noexcept {
        begin();
        is_predicting_ = true;
        is_accepting_ = of_.rules[of_.root].is_nullable;
        add({of_.rules[of_.root].start, frame_table::outermost});
        visit_all();
        return predict_all();
    }
    /// Gives its memory back; the next run takes new.
    void release() noexcept {
        found_.release();
        left_.release();
        pending_.release();
        callers_.release();
        seen_.release();
    }
    /// In order, each once.
    const growing_array<configuration>& found() const noexcept { return found_; }
    /// Whether the text may end here.
    bool is_accepting() const noexcept { return is_accepting_; }
    /// Whether what follows lies in a frame that is hidden: nothing of this can be used.
    bool met_unknown() const noexcept { return met_unknown_; }

private:
    struct pending {
        std::uint32_t order, rule;
        caller by;
        bool operator<(const pending& other) const noexcept { return order > other.order; }  // the least first
    };
    enum : std::size_t { steps_of_configuration = 16 };
    enum : std::uint32_t { frame_itself = ~0u };  // beside a frame: that all of its callers went on

    void fail() noexcept { outcome_ = outcome::no_memory; }
    bool is_new(std::uint64_t key) noexcept {
        const auto added = seen_.add(key);
        if (added == key_set<std::uint64_t>::outcome::no_memory) fail();
        return added == key_set<std::uint64_t>::outcome::added;
    }
    /// Bounds the steps, and not only what is found: a text that can be read in very many ways may take many steps that
    /// all lead to a few configurations.
    void work() noexcept {
        if (++work_ / steps_of_configuration >= most_) outcome_ = outcome::too_large;
    }
    void go_on(std::uint32_t node, std::uint32_t frame) noexcept {
        work();
        if (!left_.push({node, frame})) fail();
    }
    void call(std::uint32_t rule, const caller& by) noexcept {
        work();
        if (!pending_.push({of_.rules[rule].order, rule, by})) return fail();
        std::push_heap(pending_.begin(), pending_.end());
    }

    void visit_all() noexcept {
        while (!left_.empty() && outcome_ == outcome::good) {
            const configuration c = left_.back();
            left_.pop();
            if (is_new(c.key())) visit(c);
        }
    }
    void visit(configuration c) noexcept {
        if (c.node < byte_automaton::first_of_rules) {
            (c.node == byte_automaton::accepting ? is_accepting_ : met_unknown_) = true;
            return;
        }
        const automaton_node& node = of_.nodes[c.node];
        if (of_.reads_something(c.node)) find(c);
        for (const std::uint32_t to : of_.steps_of(c.node)) go_on(to, c.frame);
        if (node.calls()) call_from(node, c.frame);
        if (node.walks()) walk_on(c.node, c.frame, of_.walk_of(c.node).begin());
        if (node.ends_rule && !is_predicting_) end_rule_in(c.frame);
    }
    void find(configuration c) noexcept {
        if (found_.size() >= most_) outcome_ = outcome::too_large;
        else if (!found_.push(c)) fail();
    }
    void call_from(const automaton_node& node, std::uint32_t frame) noexcept {
        const auto rule = std::uint32_t(node.called);
        if (of_.nodes[node.returns_to].is_tail) {  // whoever called goes on behind the call
            for (std::size_t i = 0; i < frames_.callers(frame).size(); ++i) call(rule, frames_.callers(frame)[i]);
        } else {
            call(rule, {node.returns_to, frame});
        }
        if (of_.rules[rule].is_nullable) go_on(node.returns_to, frame);
    }
    /// At a node of a walk that has come so far.
    void walk_on(std::uint32_t at, std::uint32_t frame, const walk_progress& so_far) noexcept {
        const automaton_node& node = of_.nodes[at];
        const walk& bounds = of_.walk_of(at);
        if (node.may_end_walk && bounds.may_end(so_far)) go_on(node.returns_to, frame);
        for (const walk_arc& arc : of_.arcs_of(at)) {
            walk_progress next = so_far;
            if (bounds.take(next, arc.bit) && of_.can_be_ended(arc.to, next)) call(arc.rule, {arc.to, frame, next});
        }
    }
    void end_rule_in(std::uint32_t frame) noexcept {
        if (!is_new(configuration{frame_itself, frame}.key())) return;
        for (std::size_t i = 0; i < frames_.callers(frame).size(); ++i) {
            const caller c = frames_.callers(frame)[i];
            if (of_.nodes[c.returns_to].walks()) walk_on(c.returns_to, c.frame, c.walked);
            else go_on(c.returns_to, c.frame);
        }
    }
    outcome predict_all() noexcept {
        is_predicting_ = true;
        while (!pending_.empty() && outcome_ == outcome::good) predict();
        std::sort(found_.begin(), found_.end());
        return outcome_;
    }
    /// The rule that comes first, called by all its callers.
    void predict() noexcept {
        const std::uint32_t rule = pending_[0].rule;
        callers_.clear();
        while (!pending_.empty() && pending_[0].rule == rule) {
            if (!callers_.push(pending_[0].by)) return fail();
            std::pop_heap(pending_.begin(), pending_.end());
            pending_.pop();
        }
        frames_.settle(callers_);
        const std::uint32_t frame = frames_.intern({callers_.data(), callers_.size()});
        if (frame == frame_table::no_memory) return fail();
        go_on(of_.rules[rule].start, frame);
        visit_all();
    }

    const Automaton& of_;
    frame_table& frames_;
    std::uint32_t most_;
    growing_array<configuration> found_, left_;
    growing_array<pending> pending_;
    growing_array<caller> callers_;
    key_set<std::uint64_t> seen_;
    std::size_t work_ = 0;
    bool is_predicting_ = false, is_accepting_ = false, met_unknown_ = false;
    outcome outcome_ = outcome::good;
};
using state_closure = basic_state_closure<byte_automaton>;

}  // namespace riffle::detail
