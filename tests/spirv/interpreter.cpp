#include "spirv/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include <riffle/gpu/spirv/opcodes.hpp>

namespace riffle_tests {
namespace {

using riffle::gpu::spirv::built_in;
using riffle::gpu::spirv::decoration;
using riffle::gpu::spirv::op;
using riffle::gpu::spirv::storage;
using word = std::uint32_t;

/// A value of an id: a word, three of a vector or two of a structure; of a pointer, the variable and an index.
struct value {
    std::array<word, 3> words{};
    bool is_known = true;
};

/// Who has touched a word since the last barrier, and how.
struct accesses {
    std::uint64_t interval = ~std::uint64_t{0};
    word lane = 0, place = 0;
    bool by_several = false;

    bool has_other(std::uint64_t now, word by) const { return interval == now && (by_several || lane != by); }
    void note(std::uint64_t now, word by, word at) {
        by_several = interval == now && (by_several || lane != by);
        if (interval != now) place = at;
        interval = now;
        lane = by;
    }
};
struct contents {
    word bits = 0;
    bool is_written = false, is_known = true;
};
/// A word that all see.
struct cell : contents {
    accesses reads, writes, atomics;
};

struct invocation {
    std::vector<value> values;
    std::vector<contents> own;  ///< its variables, by id
    std::vector<word> calls;    ///< where to return to
    std::vector<word> results;
    word at = 0;
    bool has_ended = false;
    std::uint64_t loop_turns = 0;
};

struct variable_of {
    bool is_there = false;
    storage where{};
    word binding = 0;
    built_in meaning{};
    std::vector<cell> shared;
};

class machine {
public:
    explicit machine(const dispatch& what)
        : what_(what), words_(what.words), labels_(words_[3]), functions_(words_[3]), parameters_(words_[3]),
          variables_(words_[3]) {
        read_module();
    }

    observation run() {
        std::vector<invocation> group(what_.group_size);
        for (invocation& i : group) {
            i.own.resize(words_[3]);
            i.values.resize(words_[3]);
            for (const auto& [id, bits] : constants_) i.values[id].words[0] = bits;
            i.at = functions_[main_];
        }
        while (run_to_barrier(group)) {}
        for (const invocation& i : group) seen_.loop_turns = std::max(seen_.loop_turns, i.loop_turns);
        for (std::size_t b = 0; b < buffers_.size(); ++b)
            for (std::size_t i = 0; i < buffers_[b].size(); ++i) what_.buffers[b][i] = buffers_[b][i].bits;
        seen_.faults.assign(faults_.begin(), faults_.end());
        return seen_;
    }

private:
    // ---- the module

    op code_at(word at) const { return op(words_[at] & 0xffff); }
    word length_at(word at) const { return words_[at] >> 16; }

    void read_module() {
        std::map<word, word> elements_of_array, array_of_pointer;
        word function = 0;
        for (word at = 5; at < words_.size(); at += length_at(at)) {
            const word* const a = &words_[at + 1];
            switch (code_at(at)) {
            case op::EntryPoint: main_ = a[1]; break;
            case op::Decorate:
                if (decoration(a[1]) == decoration::BuiltIn) variables_[a[0]].meaning = built_in(a[2]);
                if (decoration(a[1]) == decoration::Binding) variables_[a[0]].binding = a[2];
                break;
            case op::TypeArray: elements_of_array[a[0]] = constants_[a[2]]; break;
            case op::TypePointer: array_of_pointer[a[0]] = a[2]; break;
            case op::ConstantTrue: constants_[a[1]] = 1; break;
            case op::ConstantFalse: constants_[a[1]] = 0; break;
            case op::Constant: constants_[a[1]] = a[2]; break;
            case op::SpecConstant: constants_[a[1]] = what_.group_size; break;
            case op::Function: functions_[function = a[1]] = at + length_at(at); break;
            case op::FunctionParameter: parameters_[function].push_back(a[1]); break;
            case op::Label: labels_[a[0]] = at; break;
            case op::Variable:
                variables_[a[1]].is_there = true;
                variables_[a[1]].where = storage(a[2]);
                if (storage(a[2]) == storage::Workgroup)
                    variables_[a[1]].shared.resize(elements_of_array[array_of_pointer[a[0]]]);
                break;
            default: break;
            }
        }
        for (std::size_t b = 0; b < buffers_.size(); ++b)
            for (const word bits : what_.buffers[b]) buffers_[b].push_back({{bits, true, true}, {}, {}, {}});
    }

    // ---- the work group

    /// All invocations to the same barrier, or to the end; false where there is no going on.
    bool run_to_barrier(std::vector<invocation>& group) {
        std::set<word> places;
        for (word n = 0; n < group.size(); ++n) {
            lane_ = what_.backwards ? word(group.size()) - 1 - n : n;
            invocation& i = group[lane_];
            if (!i.has_ended) run_invocation(i);
            places.insert(i.has_ended ? 0 : i.at);
        }
        if (places.size() > 1) fault("a barrier that not all invocations come to", *places.rbegin());
        for (const invocation& i : group)
            if (i.calls != group[0].calls) fault("a barrier that invocations come to by different ways", i.at);
        if (places.size() > 1 || *places.begin() == 0) return false;
        const word at = *places.begin(), order = constants_[words_[at + 3]];
        if (order & 0x100) ++shared_interval_;  // WorkgroupMemory
        if (order & 0x40) ++buffer_interval_;   // UniformMemory, which stands for storage buffers too
        for (invocation& i : group) i.at += length_at(at);
        return true;
    }

    void run_invocation(invocation& i) {
        constexpr std::uint64_t too_many = 10'000'000;
        while (!i.has_ended && code_at(i.at) != op::ControlBarrier) {
            const word at = i.at;
            i.at += length_at(at);
            step(i, at);
            if (i.loop_turns > too_many) {
                fault("a loop that does not end", at);
                i.has_ended = true;
            }
        }
    }

    // ---- memory

    bool is_own(word variable) const {
        const storage s = variables_[variable].where;
        return s == storage::Private || s == storage::Function;
    }
    std::uint64_t interval(word variable) const {
        return variables_[variable].where == storage::Workgroup ? shared_interval_ : buffer_interval_;
    }
    /// nullptr where there is none.
    cell* cell_at(const value& pointer, word at) {
        if (!pointer.is_known) fault("an address that nothing says", at);
        const word variable = pointer.words[0], index = pointer.words[1];
        auto& cells = variables_[variable].where == storage::Workgroup ? variables_[variable].shared
                                                                       : buffers_[variables_[variable].binding];
        if (index < cells.size()) return &cells[index];
        fault("an address out of bounds", at);
        return nullptr;
    }
    value pointer_of(const invocation& i, word id) const {
        return variables_[id].is_there ? value{{id, 0, 0}, true} : i.values[id];
    }

    void load(invocation& i, word at, const word* a) {
        value& result = i.values[a[1]];
        const value pointer = pointer_of(i, a[2]);
        const variable_of& variable = variables_[pointer.words[0]];
        if (variable.where == storage::Input) {
            result = {{variable.meaning == built_in::LocalInvocationIndex ? lane_ : 0, 0, 0}, true};
            return;
        }
        if (variable.where == storage::PushConstant) {
            result = {{what_.push_constants[pointer.words[1]], 0, 0}, true};
            return;
        }
        cell* const c = is_own(pointer.words[0]) ? nullptr : cell_at(pointer, at);
        const contents* const from = is_own(pointer.words[0]) ? &i.own[pointer.words[0]] : c;
        result = {{from ? from->bits : 0, 0, 0}, from && from->is_written && from->is_known};
        if (from && !from->is_written) fault("a word that was never written", at);
        if (!c) return;
        const std::uint64_t now = interval(pointer.words[0]);
        if (c->writes.has_other(now, lane_)) race("a read of what another has written", c->writes.place, at);
        if (c->atomics.has_other(now, lane_)) race("a read of what others change", c->atomics.place, at);
        c->reads.note(now, lane_, at);
    }
    void store(invocation& i, word at, const word* a) {
        const value pointer = pointer_of(i, a[0]);
        const value what = i.values[a[1]];
        cell* const c = is_own(pointer.words[0]) ? nullptr : cell_at(pointer, at);
        contents* const to = is_own(pointer.words[0]) ? &i.own[pointer.words[0]] : c;
        if (to) *to = {what.words[0], true, what.is_known};
        if (!c) return;
        if (!c->is_known) fault("a value that nothing says is written for others", at);
        const std::uint64_t now = interval(pointer.words[0]);
        if (c->writes.has_other(now, lane_)) race("two that write", c->writes.place, at);
        if (c->reads.has_other(now, lane_)) race("a write to what another has read", c->reads.place, at);
        if (c->atomics.has_other(now, lane_)) race("a write to what others change", c->atomics.place, at);
        c->writes.note(now, lane_, at);
    }
    void change(invocation& i, word at, const word* a) {
        const value pointer = pointer_of(i, a[2]), operand = i.values[a[5]];
        cell* const c = cell_at(pointer, at);
        if (!c) return;
        if (!c->is_written || !c->is_known || !operand.is_known) fault("an atomic of a value that nothing says", at);
        const std::uint64_t now = interval(pointer.words[0]);
        if (c->writes.has_other(now, lane_)) race("a change of what another has written", c->writes.place, at);
        if (c->reads.has_other(now, lane_)) race("a change of what another has read", c->reads.place, at);
        c->atomics.note(now, lane_, at);
        i.values[a[1]] = {{c->bits, 0, 0}, true};
        const word x = c->bits, y = operand.words[0];
        switch (code_at(at)) {
        case op::AtomicIAdd: c->bits = x + y; break;
        case op::AtomicUMin: c->bits = std::min(x, y); break;
        case op::AtomicUMax: c->bits = std::max(x, y); break;
        default: c->bits = x | y; break;
        }
    }

    // ---- instructions

    static float real(word bits) { return std::bit_cast<float>(bits); }
    static word bits(float x) { return std::bit_cast<word>(x); }
    static std::int32_t whole(word x) { return std::bit_cast<std::int32_t>(x); }

    void step(invocation& i, word at) {
        const word* const a = &words_[at + 1];
        const auto of_one = [&](auto f) {
            const value x = i.values[a[2]];
            i.values[a[1]] = {{word(f(x.words[0])), 0, 0}, x.is_known};
        };
        const auto of_two = [&](auto f) {
            const value x = i.values[a[2]], y = i.values[a[3]];
            i.values[a[1]] = {{word(f(x.words[0], y.words[0])), 0, 0}, x.is_known && y.is_known};
        };
        const auto of_reals = [&](auto f) { of_two([&](word x, word y) { return f(real(x), real(y)); }); };
        const auto pair_of = [&](auto f) {
            const value x = i.values[a[2]], y = i.values[a[3]];
            const std::uint64_t both = f(std::uint64_t{x.words[0]}, std::uint64_t{y.words[0]});
            i.values[a[1]] = {{word(both), word(both >> 32), 0}, x.is_known && y.is_known};
        };
        switch (code_at(at)) {
        case op::Nop:
        case op::Label:
        case op::LoopMerge:
        case op::SelectionMerge:
        case op::Variable: return;
        case op::Branch: return go_to(i, labels_[a[0]], at);
        case op::BranchConditional:
            if (!i.values[a[0]].is_known) fault("a branch on a value that nothing says", at);
            return go_to(i, labels_[i.values[a[0]].words[0] ? a[1] : a[2]], at);
        case op::Return: i.has_ended = true; return;
        case op::FunctionCall: return call(i, a);
        case op::ReturnValue: {
            const value result = i.values[a[0]];
            i.values[i.results.back()] = result;
            i.at = i.calls.back();
            i.results.pop_back();
            i.calls.pop_back();
            return;
        }
        case op::AccessChain: {
            // Of a shared array: the index. Of a buffer: its array, and the index. Of the push constants: the member.
            const word index = variables_[a[2]].where == storage::StorageBuffer ? a[4] : a[3];
            i.values[a[1]] = {{a[2], i.values[index].words[0], 0}, i.values[index].is_known};
            return;
        }
        case op::Load: return load(i, at, a);
        case op::Store: return store(i, at, a);
        case op::AtomicIAdd:
        case op::AtomicUMin:
        case op::AtomicUMax:
        case op::AtomicOr: return change(i, at, a);
        case op::CompositeExtract: {
            const value whole_value = i.values[a[2]];
            i.values[a[1]] = {{whole_value.words[a[3]], 0, 0}, whole_value.is_known};
            return;
        }
        case op::Select: {
            const value condition = i.values[a[2]], result = i.values[condition.words[0] ? a[3] : a[4]];
            i.values[a[1]] = {result.words, condition.is_known && result.is_known};
            return;
        }
        // One that is known does not make up for one that is not: for some compilers that is undefined altogether.
        case op::LogicalOr: return of_two([](word x, word y) { return x | y; });
        case op::LogicalAnd: return of_two([](word x, word y) { return x & y; });
        case op::LogicalNot: return of_one([](word x) { return !x; });
        case op::ConvertFToS: {
            const value x = i.values[a[2]];
            const float f = real(x.words[0]);
            const bool fits = f >= -2147483648.0f && f < 2147483648.0f;
            if (!fits && x.is_known) fault("a float that no integer holds", at);
            i.values[a[1]] = {{fits ? word(std::int32_t(f)) : 0, 0, 0}, x.is_known && fits};
            return;
        }
        case op::ConvertSToF: return of_one([](word x) { return bits(float(whole(x))); });
        case op::Bitcast: return of_one([](word x) { return x; });
        case op::FNegate: return of_one([](word x) { return x ^ 0x80000000u; });
        case op::Not: return of_one([](word x) { return ~x; });
        case op::IAdd: return of_two([](word x, word y) { return x + y; });
        case op::ISub: return of_two([](word x, word y) { return x - y; });
        case op::IMul: return of_two([](word x, word y) { return x * y; });
        case op::UDiv:
        case op::UMod:
            if (i.values[a[3]].words[0] == 0) {
                fault("a division by nothing", at);
                i.values[a[1]] = {{}, false};
                return;
            }
            return of_two([&](word x, word y) { return code_at(at) == op::UDiv ? x / y : x % y; });
        case op::FAdd: return of_reals([](float x, float y) { return bits(x + y); });
        case op::FSub: return of_reals([](float x, float y) { return bits(x - y); });
        case op::FMul: return of_reals([](float x, float y) { return bits(x * y); });
        case op::FDiv: return of_reals([](float x, float y) { return bits(x / y); });
        case op::IAddCarry: return pair_of([](std::uint64_t x, std::uint64_t y) { return x + y; });
        case op::ISubBorrow:
            return pair_of([](std::uint64_t x, std::uint64_t y) {
                return std::uint64_t{word(x - y)} | std::uint64_t{x < y} << 32;
            });
        case op::UMulExtended: return pair_of([](std::uint64_t x, std::uint64_t y) { return x * y; });
        case op::IEqual: return of_two([](word x, word y) { return x == y; });
        case op::INotEqual: return of_two([](word x, word y) { return x != y; });
        case op::UGreaterThan: return of_two([](word x, word y) { return x > y; });
        case op::UGreaterThanEqual: return of_two([](word x, word y) { return x >= y; });
        case op::ULessThan: return of_two([](word x, word y) { return x < y; });
        case op::ULessThanEqual: return of_two([](word x, word y) { return x <= y; });
        case op::SGreaterThan: return of_two([](word x, word y) { return whole(x) > whole(y); });
        case op::SLessThan: return of_two([](word x, word y) { return whole(x) < whole(y); });
        case op::FOrdEqual: return of_reals([](float x, float y) { return x == y; });
        case op::FUnordNotEqual: return of_reals([](float x, float y) { return x != y; });
        case op::FOrdLessThan: return of_reals([](float x, float y) { return x < y; });
        case op::FOrdGreaterThan: return of_reals([](float x, float y) { return x > y; });
        case op::FOrdLessThanEqual: return of_reals([](float x, float y) { return x <= y; });
        case op::FOrdGreaterThanEqual: return of_reals([](float x, float y) { return x >= y; });
        case op::ShiftLeftLogical:
        case op::ShiftRightLogical: {
            const value x = i.values[a[2]], by = i.values[a[3]];
            const bool fits = by.words[0] < 32;
            if (!fits && by.is_known) fault("a shift by more bits than there are", at);
            const word shifted = !fits                                 ? 0
                                 : code_at(at) == op::ShiftLeftLogical ? x.words[0] << by.words[0]
                                                                       : x.words[0] >> by.words[0];
            i.values[a[1]] = {{shifted, 0, 0}, x.is_known && by.is_known && fits};
            return;
        }
        case op::BitwiseOr: return of_two([](word x, word y) { return x | y; });
        case op::BitwiseXor: return of_two([](word x, word y) { return x ^ y; });
        case op::BitwiseAnd: return of_two([](word x, word y) { return x & y; });
        case op::ExtInst: {  // GLSL.std.450: Exp, or Log
            const value x = i.values[a[4]];
            const float f = real(x.words[0]);
            i.values[a[1]] = {{bits(a[3] == 27 ? std::exp(f) : std::log(f)), 0, 0}, x.is_known};
            return;
        }
        // As if a subgroup were one invocation.
        case op::GroupNonUniformElect: i.values[a[1]] = {{1, 0, 0}, true}; return;
        case op::GroupNonUniformUMax: i.values[a[1]] = i.values[a[4]]; return;
        default: fault("an instruction that the interpreter does not know", at); i.has_ended = true;
        }
    }
    void go_to(invocation& i, word target, word from) {
        i.loop_turns += target < from;
        i.at = target;
    }
    void call(invocation& i, const word* a) {
        const auto& parameters = parameters_[a[2]];
        for (std::size_t p = 0; p < parameters.size(); ++p) i.values[parameters[p]] = i.values[a[3 + p]];
        i.calls.push_back(i.at);
        i.results.push_back(a[1]);
        i.at = functions_[a[2]];
        while (code_at(i.at) == op::FunctionParameter) i.at += length_at(i.at);
    }

    // ---- what is wrong

    void fault(const char* what, word at) {
        faults_.insert(std::string(what) + ", word " + std::to_string(at) + " (instruction " +
                       std::to_string(words_[at] & 0xffff) + ")");
    }
    void race(const char* what, word before, word at) {
        faults_.insert(std::string("race: ") + what + ", words " + std::to_string(before) + " and " +
                       std::to_string(at));
    }

    const dispatch& what_;
    std::span<const word> words_;
    // By id.
    std::map<word, word> constants_;
    std::vector<word> labels_, functions_;
    std::vector<std::vector<word>> parameters_;
    std::vector<variable_of> variables_;
    word main_ = 0;

    std::array<std::vector<cell>, 4> buffers_;
    std::uint64_t shared_interval_ = 0, buffer_interval_ = 0;
    word lane_ = 0;
    observation seen_;
    std::set<std::string> faults_;
};

}  // namespace

observation observe(const dispatch& what) { return machine(what).run(); }

}  // namespace riffle_tests
