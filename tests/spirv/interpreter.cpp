#include "spirv/interpreter.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "spirv/interpreted_arithmetic.hpp"
#include "spirv/interpreted_memory.hpp"
#include "spirv/interpreted_module.hpp"

namespace riffle_tests {
namespace interpreting {
namespace {

struct invocation {
    word at = 0;              ///< the next instruction
    std::vector<word> calls;  ///< the instructions that called the functions it is in
    bool has_ended = false;
    std::uint64_t loop_turns = 0;
};

/// Invocations that run in lockstep.
struct subgroup {
    word first_lane = 0;
    std::vector<invocation> lanes;
    lane_values values = {};
    std::vector<contents> own = {};  ///< the lanes of a word stand together
};

struct work_group {
    word index = 0;
    std::array<word, 3> id{};
    std::vector<subgroup> subgroups = {};
    std::vector<cell> shared = {};
    word shared_interval = 0, buffer_interval = 0;
    bool has_ended = false;
};

class machine {
public:
    explicit machine(const dispatch& what)
        : what_(what), faults_(what.words), program_(what.words, what.group_size), runs_(program_.instructions.size()),
          clocks_(what.groups[0] * what.groups[1], what.buffers) {
        for (std::size_t b = 0; b < buffers_.size(); ++b) {
            buffers_[b].resize(what.buffers[b].size());
            for (std::size_t i = 0; i < buffers_[b].size(); ++i)
                static_cast<contents&>(buffers_[b][i]) = {what.buffers[b][i], true, true};
        }
    }

    observation run() {
        std::vector<word> order(what_.groups[0] * what_.groups[1]);
        std::iota(order.begin(), order.end(), 0u);
        if (what_.order == group_order::descending) std::reverse(order.begin(), order.end());
        if (what_.order == group_order::interleaved) run_in_turn(order);
        else
            for (const word index : order) run_in_turn({index});
        for (std::size_t b = 0; b < buffers_.size(); ++b)
            for (std::size_t i = 0; i < buffers_[b].size(); ++i) what_.buffers[b][i] = buffers_[b][i].bits;
        return {faults_.texts(), loop_turns_, count(program_, runs_, width(), barriers_)};
    }

private:
    // ---- work groups

    word width() const { return std::max(what_.subgroup, 1u); }

    void run_in_turn(const std::vector<word>& indexes) {
        std::vector<work_group> groups;
        for (const word index : indexes) groups.push_back(new_group(index));
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (work_group& group : groups) {
                if (!group.has_ended) group.has_ended = !run_to_barrier(group);
                goes_on |= !group.has_ended;
            }
        }
        for (const work_group& group : groups)
            for (const subgroup& s : group.subgroups)
                for (const invocation& i : s.lanes) loop_turns_ = std::max(loop_turns_, i.loop_turns);
    }
    work_group new_group(word index) {
        work_group group{.index = index, .id = {index % what_.groups[0], index / what_.groups[0], 0}};
        group.shared.resize(program_.shared_words);
        group.shared_interval = next_interval_++;
        group.buffer_interval = next_interval_++;
        for (word lane = 0; lane < what_.group_size; lane += width()) group.subgroups.push_back(new_subgroup(lane));
        return group;
    }
    subgroup new_subgroup(word first_lane) const {
        const word lanes = std::min(width(), what_.group_size - first_lane);
        subgroup made{.first_lane = first_lane, .lanes = std::vector<invocation>(lanes)};
        for (invocation& i : made.lanes) i.at = program_.start;
        made.values.width = lanes;
        made.values.all.reserve(program_.values.size() * lanes);
        for (const value& first : program_.values) made.values.all.insert(made.values.all.end(), lanes, first);
        made.own.resize(std::size_t{program_.own_words} * lanes);
        for (const variable& v : program_.variables)
            if (v.where == storage_class::Private)
                for (word lane = 0; lane < lanes; ++lane) begin(made, v, lane);
        return made;
    }
    /// Gives a variable of the invocation its first value, or none.
    void begin(subgroup& s, const variable& v, word lane) const {
        for (word w = 0; w < v.words; ++w) {
            const value first = program_.values[v.initial ? v.initial + w : 0];
            own_word(s, v.at + w, lane) = {first.bits, v.initial != 0, first.is_known};
        }
    }
    static contents& own_word(subgroup& s, word at, word lane) {
        return s.own[std::size_t{at} * s.values.width + lane];
    }

    /// All invocations to the same barrier, or to the end; false where there is no going on.
    bool run_to_barrier(work_group& group) {
        group_ = &group;
        const auto run_one = [&](subgroup& s) { run(s); };
        if (what_.backwards) std::for_each(group.subgroups.rbegin(), group.subgroups.rend(), run_one);
        else std::for_each(group.subgroups.begin(), group.subgroups.end(), run_one);
        constexpr word end = ~0u;
        std::set<word> places;
        bool by_one_way = true;
        const invocation& first = group.subgroups[0].lanes[0];
        for (const subgroup& s : group.subgroups)
            for (const invocation& i : s.lanes) {
                places.insert(i.has_ended ? end : i.at);
                by_one_way &= i.calls == first.calls;
            }
        const word at = *places.begin();
        if (at == end) return false;
        const instruction& barrier = program_.instructions[at];
        if (places.size() > 1) faults_.add("a barrier that not all invocations come to", barrier.place);
        if (!by_one_way) faults_.add("a barrier that invocations come to by different ways", barrier.place);
        if (places.size() > 1) return false;
        pass(group, barrier);
        return true;
    }
    void pass(work_group& group, const instruction& barrier) {
        const word order = constant(program_.operands_of(barrier)[2]);
        if (order & semantics::workgroup_memory) group.shared_interval = next_interval_++;
        if (order & semantics::uniform_memory) {
            group.buffer_interval = next_interval_++;
            clocks_.barrier(group.index);
        }
        ++barriers_;
        runs_of& runs = runs_[word(&barrier - program_.instructions.data())];
        runs.invocations += what_.group_size;
        runs.subgroups += group.subgroups.size();
        for (subgroup& s : group.subgroups)
            for (invocation& i : s.lanes) ++i.at;
    }
    word constant(const operand& of) const { return program_.values[of.at].bits; }

    // ---- subgroups

    void run(subgroup& s) {
        subgroup_ = &s;
        while (choose()) {
            word at = s.lanes[running()[0]].at;
            for (; step(program_.instructions[at], runs_[at]); ++at)
                if (program_.instructions[at + 1].code == code::ControlBarrier) {
                    for (const word lane : running()) s.lanes[lane].at = at + 1;
                    break;
                }
        }
    }
    std::vector<word>& running() { return subgroup_->values.running; }
    /// Those that run next; false where all have ended, or are at a barrier.
    bool choose() {
        running().clear();
        const invocation* chosen = nullptr;
        const auto is_same = [&](const invocation& i) {
            return i.at == chosen->at && i.calls.size() == chosen->calls.size();
        };
        for (const invocation& i : subgroup_->lanes) {
            if (i.has_ended || program_.instructions[i.at].code == code::ControlBarrier) continue;
            if (!chosen || i.calls.size() > chosen->calls.size() ||
                (i.calls.size() == chosen->calls.size() && i.at < chosen->at))
                chosen = &i;
        }
        if (!chosen) return false;
        for (word lane = 0; lane < subgroup_->lanes.size(); ++lane)
            if (!subgroup_->lanes[lane].has_ended && is_same(subgroup_->lanes[lane])) running().push_back(lane);
        if (what_.backwards) std::reverse(running().begin(), running().end());
        return true;
    }
    /// Whether the running lanes go on together to the instruction that follows.
    bool step(const instruction& i, runs_of& runs) {
        runs.invocations += running().size();
        ++runs.subgroups;
        if (compute(program_, i, subgroup_->values, faults_) || memory(i) || of_subgroup(i)) return true;
        for (const word lane : running()) move(i, subgroup_->lanes[lane], lane);
        return false;
    }

    bool of_subgroup(const instruction& i) {
        value* const result = subgroup_->values.of(i.result.at);
        switch (i.code) {
        case code::GroupNonUniformElect: {
            const word elected = *std::min_element(running().begin(), running().end());
            for (const word lane : running()) result[lane] = {lane == elected};
            return true;
        }
        case code::GroupNonUniformUMax: {
            const value* const x = subgroup_->values.of(program_.operands_of(i)[0].at);
            value greatest{0, true};
            for (const word lane : running())
                greatest = {std::max(greatest.bits, x[lane].bits), greatest.is_known && x[lane].is_known};
            for (const word lane : running()) result[lane] = greatest;
            return true;
        }
        default: return false;
        }
    }

    // ---- the way through the program

    const value& value_of(const operand& of, word lane) { return subgroup_->values.of(of.at)[lane]; }

    void move(const instruction& i, invocation& by, word lane) {
        const std::span<const operand> operands = program_.operands_of(i);
        const auto asked = [&] {
            const value& found = value_of(operands[0], lane);
            if (!found.is_known) faults_.add("a branch on a value that nothing says", i.place);
            return found.bits;
        };
        switch (i.code) {
        case code::Branch: return go_to(i.literal, i, by, lane);
        case code::BranchConditional: return go_to(operands[asked() ? 1 : 2].at, i, by, lane);
        case code::Switch: {
            const word number = asked();
            word target = operands[1].at;
            for (const operand& other : operands.subspan(2))
                if (other.words == number) target = other.at;
            return go_to(target, i, by, lane);
        }
        case code::FunctionCall: return call(i, by, lane);
        case code::Return:
        case code::ReturnValue: return go_back(i, by, lane);
        case code::Kill:
        case code::Unreachable: return end(by, "a place that no invocation may come to", i);
        default: return end(by, "an instruction that the interpreter does not know", i);
        }
    }
    void end(invocation& by, const char* why, const instruction& i) {
        faults_.add(why, i.place);
        by.has_ended = true;
    }
    void go_to(word label, const instruction& from, invocation& by, word lane) {
        constexpr std::uint64_t too_many = 1'000'000;  // by one invocation; 131,072 tokens take 256 of them some 2,500
        const word target = program_.labels[label];
        if (&program_.instructions[target] <= &from) {
            if (++by.loop_turns > too_many) {
                faults_.add("a loop that does not end", from.place);
                has_endless_loop_ = true;
            }
            if (has_endless_loop_) {  // and so have others, most likely
                by.has_ended = true;
                return;
            }
        }
        by.at = target;
        const auto is_phi = [&](word at) { return program_.instructions[at].code == code::Phi; };
        // Each of them sees what the others were before.
        chosen_.clear();
        for (word at = target; is_phi(at); ++at) chosen_.push_back(chosen_of(program_.instructions[at], from, lane));
        for (const std::vector<value>& chosen : chosen_) {
            const operand result = program_.instructions[by.at++].result;
            for (word c = 0; c < result.words; ++c) subgroup_->values.of(result.at + c)[lane] = chosen[c];
        }
    }
    std::vector<value> chosen_of(const instruction& phi, const instruction& from, word lane) {
        std::vector<value> chosen(phi.result.words, value{0, false});
        for (const operand& one : program_.operands_of(phi))
            if (one.words == from.block)  // the label that it comes from
                for (word c = 0; c < phi.result.words; ++c) chosen[c] = value_of({one.at + c}, lane);
        return chosen;
    }
    void copy(const operand& from, const operand& to, word lane) {
        for (word c = 0; c < to.words; ++c) subgroup_->values.of(to.at + c)[lane] = value_of({from.at + c}, lane);
    }
    void call(const instruction& i, invocation& by, word lane) {
        const auto& parameters = program_.parameters[i.literal];
        for (std::size_t p = 0; p < parameters.size(); ++p) copy(program_.operands_of(i)[p], parameters[p], lane);
        by.calls.push_back(word(&i - program_.instructions.data()));
        by.at = program_.functions[i.literal];
    }
    void go_back(const instruction& i, invocation& by, word lane) {
        if (by.calls.empty()) {
            by.has_ended = true;
            return;
        }
        const word caller = by.calls.back();
        if (i.code == code::ReturnValue) copy(program_.operands_of(i)[0], program_.instructions[caller].result, lane);
        by.at = caller + 1;
        by.calls.pop_back();
    }

    // ---- memory

    /// False where the instruction does nothing with memory.
    bool memory(const instruction& i) {
        switch (i.code) {
        case code::MemoryBarrier: return true;
        case code::Variable:
            for (const word lane : running()) begin(*subgroup_, program_.variables[i.variable], lane);
            return true;
        case code::AccessChain:
            for (const word lane : running()) subgroup_->values.of(i.result.at)[lane] = follow(i, lane);
            return true;
        case code::Load: return load(i), true;
        case code::Store: return store(i), true;
        case code::AtomicLoad:
        case code::AtomicStore:
        case code::AtomicExchange:
        case code::AtomicIAdd:
        case code::AtomicISub:
        case code::AtomicUMin:
        case code::AtomicUMax:
        case code::AtomicAnd:
        case code::AtomicOr:
            for (const word lane : running()) change(i, lane);
            return true;
        default: return false;
        }
    }
    static constexpr word nowhere = ~0u;
    value follow(const instruction& i, word lane) {
        std::uint64_t place = i.literal;
        bool is_known = true;
        for (const chain_step& step : std::span(program_.steps).subspan(i.first, i.count)) {
            const value index = value_of({step.index}, lane);
            is_known &= index.is_known;
            if (step.length && index.bits >= step.length) return {nowhere, is_known};
            place += std::uint64_t{index.bits} * step.stride;
        }
        return {place < nowhere ? word(place) : nowhere, is_known};
    }
    /// The words that a pointer leads to are within their variable, or buffer.
    bool is_inside(const instruction& i, const value& pointer, word words, std::size_t size) {
        if (!pointer.is_known) faults_.add("an address that nothing says", i.place);
        if (std::uint64_t{pointer.bits} + words <= size) return true;
        faults_.add("an address out of bounds", i.place);
        return false;
    }
    static bool is_own(const variable& v) {
        return v.where == storage_class::Private || v.where == storage_class::Function;
    }
    /// The cells of a pointer that others see; nullptr where there are none.
    cell* cells_at(const instruction& i, const value& pointer, word words) {
        const variable& v = program_.variables[i.variable];
        if (v.where == storage_class::Workgroup)
            return is_inside(i, pointer, words, v.words) ? &group_->shared[v.at + pointer.bits] : nullptr;
        if (v.where != storage_class::StorageBuffer || v.binding >= buffers_.size()) {
            faults_.add("memory that the interpreter does not know", i.place);
            return nullptr;
        }
        auto& cells = buffers_[v.binding];
        return is_inside(i, pointer, words, cells.size()) ? &cells[pointer.bits] : nullptr;
    }
    void note_touch(const instruction& i, cell& c, word index, word lane, touch how) {
        const variable& v = program_.variables[i.variable];
        const bool is_shared = v.where == storage_class::Workgroup;
        const word interval = is_shared ? group_->shared_interval : group_->buffer_interval;
        note(c, how, {interval, subgroup_->first_lane + lane, i.place}, faults_);
        if (!is_shared && clocks_.are_several()) clocks_.note(group_->index, v.binding, index, how, i.place, faults_);
    }
    value seen_in(const instruction& i, const contents& from) {
        if (!from.is_written) faults_.add("a word that was never written", i.place);
        return {from.bits, from.is_written && from.is_known};
    }

    void load(const instruction& i) {
        const variable& v = program_.variables[i.variable];
        const operand from = program_.operands_of(i)[0];
        const word words = i.result.words;
        for (const word lane : running()) {
            const value pointer = value_of(from, lane);
            const auto result = [&](word c) -> value& { return subgroup_->values.of(i.result.at + c)[lane]; };
            if (v.where == storage_class::Input) {
                for (word c = 0; c < words; ++c) result(c) = input_word(i, v, pointer.bits + c, lane);
            } else if (v.where == storage_class::PushConstant) {
                const bool is_there = is_inside(i, pointer, words, what_.push_constants.size());
                for (word c = 0; c < words; ++c)
                    result(c) = is_there ? value{what_.push_constants[pointer.bits + c]} : value{0, false};
            } else if (is_own(v)) {
                const bool is_there = is_inside(i, pointer, words, v.words);
                for (word c = 0; c < words; ++c)
                    result(c) =
                        is_there ? seen_in(i, own_word(*subgroup_, v.at + pointer.bits + c, lane)) : value{0, false};
            } else {
                cell* const cells = cells_at(i, pointer, words);
                for (word c = 0; c < words; ++c) {
                    result(c) = cells ? seen_in(i, cells[c]) : value{0, false};
                    if (cells) note_touch(i, cells[c], pointer.bits + c, lane, touch::read);
                }
            }
        }
    }
    value input_word(const instruction& i, const variable& v, word component, word lane) {
        const word index = subgroup_->first_lane + lane;
        switch (v.meaning) {
        case input::LocalInvocationIndex: return {index};
        case input::LocalInvocationId: return {component == 0 ? index : 0};
        case input::WorkgroupId: return {component < 3 ? group_->id[component] : 0};
        case input::NumWorkgroups: return {component < 2 ? what_.groups[component] : 1};
        case input::GlobalInvocationId:
            return {component == 0  ? group_->id[0] * what_.group_size + index
                    : component < 3 ? group_->id[component]
                                    : 0};
        }
        faults_.add("an input that the interpreter does not know", i.place);
        return {0, false};
    }

    void store(const instruction& i) {
        const variable& v = program_.variables[i.variable];
        const operand to = program_.operands_of(i)[0], from = program_.operands_of(i)[1];
        for (const word lane : running()) {
            const value pointer = value_of(to, lane);
            cell* const cells = is_own(v) ? nullptr : cells_at(i, pointer, from.words);
            if (!cells && (!is_own(v) || !is_inside(i, pointer, from.words, v.words))) continue;
            for (word c = 0; c < from.words; ++c) {
                const value what = value_of({from.at + c}, lane);
                contents& word_there = cells ? cells[c] : own_word(*subgroup_, v.at + pointer.bits + c, lane);
                word_there = {what.bits, true, what.is_known};
                if (!cells) continue;
                if (!what.is_known) faults_.add("a value that nothing says is written for others", i.place);
                note_touch(i, cells[c], pointer.bits + c, lane, touch::write);
            }
        }
    }

    void change(const instruction& i, word lane) {
        const std::span<const operand> operands = program_.operands_of(i);  // pointer, scope, semantics, value
        const value pointer = value_of(operands[0], lane);
        cell* const c = cells_at(i, pointer, 1);
        if (!c) return;
        const value given = operands.size() > 3 ? value_of(operands[3], lane) : value{};
        const bool replaces = i.code == code::AtomicStore || i.code == code::AtomicExchange;
        if (!given.is_known || (i.code != code::AtomicStore && (!c->is_written || !c->is_known)))
            faults_.add("an atomic of a value that nothing says", i.place);
        note_touch(i, *c, pointer.bits, lane, touch::atomic);
        order_groups(i, pointer.bits);
        if (i.code != code::AtomicStore) subgroup_->values.of(i.result.at)[lane] = {c->bits};
        static_cast<contents&>(*c) = {changed(i.code, c->bits, given.bits), true, replaces ? given.is_known : true};
    }
    static word changed(code by, word x, word y) {
        switch (by) {
        case code::AtomicLoad: return x;
        case code::AtomicStore:
        case code::AtomicExchange: return y;
        case code::AtomicIAdd: return x + y;
        case code::AtomicISub: return x - y;
        case code::AtomicUMin: return std::min(x, y);
        case code::AtomicUMax: return std::max(x, y);
        case code::AtomicAnd: return x & y;
        default: return x | y;
        }
    }
    /// What an atomic on a buffer says of the order of work groups.
    void order_groups(const instruction& i, word index) {
        const variable& v = program_.variables[i.variable];
        if (v.where != storage_class::StorageBuffer || !clocks_.are_several()) return;
        const word scope = constant(program_.operands_of(i)[1]), order = constant(program_.operands_of(i)[2]);
        const bool reaches_groups = (scope == semantics::device_scope || scope == semantics::queue_family_scope) &&
                                    (order & semantics::uniform_memory);
        if (i.code != code::AtomicStore && reaches_groups && (order & semantics::acquires))
            clocks_.acquire(group_->index, v.binding, index);
        if (i.code == code::AtomicStore) clocks_.forget(v.binding, index);
        if (i.code != code::AtomicLoad && reaches_groups && (order & semantics::releases))
            clocks_.release(group_->index, v.binding, index);
    }

    const dispatch& what_;
    fault_list faults_;
    program program_;
    std::vector<runs_of> runs_;
    group_clocks clocks_;
    std::array<std::vector<cell>, 4> buffers_;
    word next_interval_ = 0;
    std::uint64_t loop_turns_ = 0, barriers_ = 0;
    bool has_endless_loop_ = false;
    // What runs.
    work_group* group_ = nullptr;
    subgroup* subgroup_ = nullptr;
    std::vector<std::vector<value>> chosen_;
};

}  // namespace
}  // namespace interpreting

observation observe(const dispatch& what) { return interpreting::machine(what).run(); }

}  // namespace riffle_tests
