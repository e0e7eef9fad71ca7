#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/wide/gather.hpp>

namespace riffle::inline RIFFLE_ABI {

template <class Stages>
class basic_cpu_machine;
class stage_list;
/// Executes plans on the processor (chain/cpu_machine.hpp).
using cpu_machine = basic_cpu_machine<stage_list>;

/// How a machine executes each pass: only what the plans of a chain have is there, and so in the program.
struct pass_handlers {
    using handler = bool (*)(cpu_machine&, const plan_step&) noexcept;
    std::array<handler, pass_count> of{};
};

/// What is settled once the types of a chain's stages are known, or when one is pushed.
struct chain_facts {
    const plan* plans = nullptr;                   ///< one for every bridge, and one for none
    const folded_passes* const* folded = nullptr;  ///< for each of those plans
    const pass_handlers* handlers = nullptr;
    numerics arithmetic = numerics::reproducible;  ///< llama: stages are run as llama.cpp runs them
    /// Sets of stages, a bit each: most have nothing to say when they are asked.
    std::uint32_t check = 0;                           ///< those with parameters that can be without meaning
    std::uint32_t narrow = 0;                          ///< those that can be the bridge
    std::uint32_t mask = 0;                            ///< those that say which tokens are legal
    std::uint32_t look_back = 0;                       ///< those with a window
    std::uint32_t learn = 0;                           ///< those that accepting changes
    std::uint32_t ask = 0;                             ///< those that say whether they take a token
    std::uint32_t keep = 0;                            ///< those that keep something in a mark
    std::uint32_t refuse = 0;                          ///< those that only find out by accepting
    std::uint32_t read_again = 0;                      ///< those of which a file of the chain has nothing
    std::uint32_t layout = detail::layout_of_nothing;  ///< of a mark; never 0
    std::size_t saved_bytes = 0;                       ///< of all of them in a mark
    std::size_t count = 0;

    /// A stage behind those that are there.
    constexpr void add(const stage_ops& s) noexcept {
        const std::uint32_t bit = std::uint32_t{1} << count++;
        if (s.check) check |= bit;
        if (s.legal) mask |= bit;
        if (s.fact.narrows != narrowing::no || s.fact.selects != selecting::no) narrow |= bit;
        if (s.window) look_back |= bit;
        if (s.accept) learn |= bit;
        if (s.can_accept) ask |= bit;
        if (s.may_refuse) refuse |= bit;
        if (s.state_in_mark > 0) keep |= bit;
        if (s.is_read_again) read_again |= bit;
        layout = detail::layout_with(layout, s.layout);
        saved_bytes += s.state_in_mark;
    }
};
/// Of a chain without stages.
RIFFLE_LOCAL inline constexpr plan plan_of_no_stages = make_plan(nullptr, 0, 0);
RIFFLE_LOCAL inline constexpr chain_facts facts_of_no_stages{.plans = &plan_of_no_stages};
static_assert(max_stages <= 32, "a set of stages has a bit for each");

/// The stages of a chain as machine and state see them, whatever kind of chain it is: a view, valid as long as the
/// chain stays where it is.
class stage_list {
public:
    using value_type = stage_ref;

    constexpr stage_list() noexcept = default;
    /// `ring` has rollback_depth + 1 places of saved_bytes each, or is nullptr where nothing is kept. `broken`, where
    /// it is not ok, says that the chain is not what it was meant to be, and every step answers it; nullptr is ok.
    constexpr stage_list(const stage_ref* first, std::size_t count, const chain_facts& of, std::byte* ring,
                         const status* broken = nullptr) noexcept
        : first_(first), count_(count), facts_(&of), ring_(ring), broken_(broken) {}

    std::size_t size() const noexcept { return count_; }
    const stage_ref& operator[](std::size_t i) const noexcept { return first_[i]; }
    const facts& fact(std::size_t i) const noexcept { return first_[i].ops->fact; }
    const char* name(std::size_t i) const noexcept { return first_[i].ops->name; }
    numerics arithmetic() const noexcept { return facts_->arithmetic; }
    /// Whether stages are run as llama.cpp runs them: on candidates whose logits stay as they are, in the order they
    /// have (exact/form.hpp).
    bool is_exact() const noexcept { return arithmetic() == numerics::llama; }
    bool has_selector() const noexcept { return count_ > 0 && fact(count_ - 1).selects != selecting::no; }

    // ---- what its parameters say

    /// The first parameter without meaning, or ok.
    status(check)() const noexcept {
        if (broken_ && !broken_->ok()) return *broken_;
        for (std::uint32_t left = facts_->check; left != 0; left &= left - 1)
            if (const status s = (first_in(left).ops->check)(first_in(left)); !s.ok()) return s;
        return {};
    }
    /// The first id that a stage names and no vocabulary of that size has, or value that nobody means; or ok.
    status check_at_setup(std::size_t vocabulary_size) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (first_[i].ops->check_at_setup)
                if (const status s = first_[i].ops->check_at_setup(first_[i], id_check(vocabulary_size)); !s.ok())
                    return s;
        return {};
    }
    /// The longest window into the history; -1 = all of it.
    std::int32_t window() const noexcept {
        std::int32_t longest = 0;
        for (std::uint32_t left = facts_->look_back; left != 0; left &= left - 1)
            if (const auto w = first_in(left).ops->window(first_in(left)); longest >= 0 && (w < 0 || w > longest))
                longest = w;
        return longest;
    }
    /// Bytes that the stages need in context::spare() for that many candidates.
    std::size_t spare_bytes(std::size_t candidates) const noexcept {
        std::size_t most = 0;
        for (std::size_t i = 0; is_exact() && i < count_; ++i)
            if (first_[i].ops->spare_bytes) most = (std::max)(most, first_[i].ops->spare_bytes(first_[i], candidates));
        return most;
    }

    // ---- plans

    bool has_masks() const noexcept { return facts_->mask != 0; }
    /// What the stages that mask leave legal in a step, for whoever runs it: one for each stage, with a count.
    void look_at_legal(const context& x, std::size_t row_size, legal_tokens* of_stages) const noexcept {
        for (std::uint32_t left = facts_->mask; left != 0; left &= left - 1)
            of_stages[place_of(left)] = counted(first_in(left).ops->legal(first_in(left), x), row_size);
    }
    /// The first stage from `first` on that narrows a row of this size at present, else the selector, else size().
    /// `legal` is what look_at_legal found; without it, stages that mask are asked as if nothing had been accepted.
    std::size_t bridge(std::size_t row_size, std::size_t first, const legal_tokens* legal = nullptr) const noexcept {
        const auto from_first = std::uint32_t(~std::uint64_t{0} << first);
        for (std::uint32_t left = facts_->narrow & from_first; left != 0; left &= left - 1) {
            const stage_ref& s = first_in(left);
            if (s.ops->fact.selects != selecting::no ||
                (s.ops->legal ? leaves_few(s, legal ? &legal[place_of(left)] : nullptr, row_size)
                              : s.ops->narrows_now(s)))
                return place_of(left);
        }
        return count_;
    }
    const plan& plan_for(std::size_t bridge) const noexcept { return facts_->plans[bridge]; }
    const folded_passes& passes_for(std::size_t bridge) const noexcept { return *facts_->folded[bridge]; }
    const pass_handlers& handlers() const noexcept { return *facts_->handlers; }
    /// Whether a row becomes candidates at once, and the narrow verbs do the rest.
    bool is_short(std::size_t row_size, std::size_t bridge) const noexcept {
        const bool noise = bridge < count_ && fact(bridge).selects == selecting::by_noise;
        return row_size <= (noise ? tuning::short_row_of_noise : tuning::short_row);
    }
    /// The plan that present parameters lead to, for rows of that size.
    const plan& plan_for_row(std::size_t row_size, const legal_tokens* legal = nullptr) const noexcept {
        if (is_exact()) return plan_for(count_);  // it has no other
        const std::size_t b = bridge(row_size, 0, legal);
        return plan_for(is_short(row_size, b) ? count_ : b);
    }

    // ---- candidates

    /// The narrow verbs of stages [first, last); stops at one that cannot go on. With `legal`, which look_at_legal
    /// found, stages that mask are not asked once more.
    status_code narrow(std::size_t first, std::size_t last, candidates& c, const context& x,
                       const legal_tokens* legal = nullptr) const noexcept {
        for (std::size_t i = first; i < last; ++i) {
            const stage_ref& s = first_[i];
            if (legal && s.ops->legal) detail::keep_legal(c, legal[i]);
            else if (const auto code = s.ops->narrow(s, c, x); code != status_code::ok) return code;
        }
        return status_code::ok;
    }

    /// Gives candidates the logits of the distribution that a selector draws by.
    void prepare(std::size_t selector, candidates& c) const noexcept {
        if (first_[selector].ops->prepare) first_[selector].ops->prepare(first_[selector], c);
    }

    // ---- what stages keep from token to token

    bool can_be_asked() const noexcept { return facts_->ask != 0; }
    /// Whether every stage that can tell takes the token next; why not, where one refuses it.
    status can_accept(token_id token, token_origin origin, const history& tokens) const noexcept {
        for (std::uint32_t left = facts_->ask; left != 0; left &= left - 1)
            if (const status s = first_in(left).ops->can_accept(first_in(left), token, origin, tokens); !s.ok())
                return s;
        return {};
    }
    /// Whether there are stages that only find out by accepting.
    bool may_refuse() const noexcept { return facts_->refuse != 0; }
    /// See stage_ops::accept. `led_to`, as it is made, becomes what all of them say; stops at one that refuses. Those
    /// that may refuse come first, and of them those that could not be asked: so the set of stages that have been given
    /// the token, which is answered, is as small as can be where one refuses.
    std::uint32_t accept(token_id token, const last_choice* last, const history& tokens, step& led_to) const noexcept {
        std::uint32_t given = 0;
        if (facts_->learn == 0) return given;  // as most chains' stages
        for (const std::uint32_t set :
             {facts_->refuse & ~facts_->ask, facts_->refuse & facts_->ask, facts_->learn & ~facts_->refuse})
            for (std::uint32_t left = set; left != 0; left &= left - 1) {
                const stage_ref& s = first_in(left);
                given |= std::uint32_t{1} << place_of(left);
                const step one = s.ops->accept(s, token, last, tokens);
                if (s.ops->may_refuse && !one.state.ok()) {
                    led_to = step::refusal(one.state);
                    return given;
                }
                led_to.join(one);
            }
        return given;
    }
    void reset() const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (first_[i].ops->reset) first_[i].ops->reset(first_[i]);
    }
    /// Their generators become those of another sequence.
    void fork(std::uint16_t sequence) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (first_[i].ops->fork) first_[i].ops->fork(first_[i], sequence);
    }
    /// A hash of the stages' names, and of sizes and versions of what they keep, so that the mark of another chain is
    /// told apart; never 0, and the same in every program.
    std::uint32_t layout() const noexcept { return facts_->layout; }
    std::size_t saved_bytes() const noexcept { return facts_->saved_bytes; }
    /// Those whose marks mean nothing without the text, a bit each.
    std::uint32_t read_again() const noexcept { return facts_->read_again; }
    /// saved_bytes() of them, at most checkpoint::stage_bytes.
    void save(std::byte* to) const noexcept {
        for (std::uint32_t left = facts_->keep; left != 0; left &= left - 1) {
            first_in(left).ops->save(first_in(left), to);
            to += first_in(left).ops->state_in_mark;
        }
    }
    /// Of every stage, or of those in a set; why, where one could not go back.
    status restore(const std::byte* from, std::uint32_t of = ~std::uint32_t{0}) const noexcept {
        status all;
        for (std::uint32_t left = facts_->keep; left != 0; left &= left - 1) {
            const bool is_asked = (of >> place_of(left) & 1) != 0;
            const status s = is_asked ? first_in(left).ops->restore(first_in(left), from) : status();
            if (all.ok()) all = s;
            from += first_in(left).ops->state_in_mark;
        }
        return all;
    }
    static constexpr std::size_t saved_states = rollback_depth + 1;  ///< at so many positions, the present one included
    /// Where a chain whose stages keep something saves it at each position, for rewind; nullptr where none does.
    std::byte* saved_at(std::uint32_t position) const noexcept {
        return ring_ ? ring_ + position % saved_states * facts_->saved_bytes : nullptr;
    }

private:
    /// So many legal tokens at most are gathered.
    static constexpr std::size_t few_of(std::size_t row_size) noexcept { return row_size / tuning::row_to_gathered; }
    /// With a count, of those that the row has: a set may have others.
    static legal_tokens counted(legal_tokens legal, std::size_t row_size) noexcept {
        if (legal.are_all) return legal;
        if (!legal.ids.empty()) return legal_tokens::of_ids(below(row_size, legal.ids));
        const std::size_t few = few_of(row_size);
        const bool has_others = legal.words.size() > (row_size + 31) / 32;
        if (legal.count == legal_tokens::unknown || (has_others && legal.count > few))
            legal.count = wide::count_legal(legal.words, row_size, few + 1);
        return legal;
    }
    static std::span<const token_id> below(std::size_t row_size, std::span<const token_id> ids) noexcept {
        std::size_t count = ids.size();
        while (count > 0 && ids[count - 1] >= 0 && std::size_t(ids[count - 1]) >= row_size) --count;
        return ids.first(count);
    }
    static bool leaves_few(const stage_ref& s, const legal_tokens* known, std::size_t row_size) noexcept {
        const history nothing;
        const legal_tokens legal =
            known ? *known : counted(s.ops->legal(s, context(nothing, {}, nullptr, nullptr)), row_size);
        return !legal.are_all && legal.count <= few_of(row_size);
    }
    static std::size_t place_of(std::uint32_t set) noexcept { return std::size_t(std::countr_zero(set)); }
    const stage_ref& first_in(std::uint32_t set) const noexcept { return first_[place_of(set)]; }

    const stage_ref* first_ = nullptr;
    std::size_t count_ = 0;
    const chain_facts* facts_ = &facts_of_no_stages;
    std::byte* ring_ = nullptr;
    const status* broken_ = nullptr;
};

}  // namespace riffle
