#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/raw_row.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_table.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Whether logprobs are wanted before or after the chain.
enum class logprobs_of { before, after };
RIFFLE_LOCAL inline constexpr logprobs_of before = logprobs_of::before;
RIFFLE_LOCAL inline constexpr logprobs_of after = logprobs_of::after;

/// What a chain keeps besides its stages: the history, the draw position, the scratch, the last status; and what it
/// does with them, given a table of its stages. chain_interface says what each member means to a user. (A template over
/// the machine, so that including riffle does not compile it.)
template <class Machine>
class basic_chain_state {
    using until = typename Machine::until;

public:
    basic_chain_state() noexcept = default;
    basic_chain_state(const basic_chain_state& other) noexcept { copy_from(other); }
    basic_chain_state& operator=(const basic_chain_state& other) noexcept {
        if (this != &other) copy_from(other);
        return *this;
    }
    basic_chain_state(basic_chain_state&& other) noexcept { move_from(other); }
    basic_chain_state& operator=(basic_chain_state&& other) noexcept {
        if (this == &other) return *this;
        if (storage_.borrowed()) copy_from(other);  // memory of the caller is neither given away nor left
        else move_from(other);
        return *this;
    }
    ~basic_chain_state() = default;

    // ---- from logits to token

    token_id peek(stage_table& stages, std::span<const float> logits) noexcept {
        save_after_copying(stages);
        return run(stages, logits, until::token);
    }

    /// (The room for the token comes first: under numerics::llama a step changes what stages keep.)
    token_id sample(stage_table& stages, std::span<const float> logits) noexcept {
        if (const status room = make_room(stages, 1); !room.ok()) {
            status_ = room;
            last_step_ = {};
            return last_token_ = null_token;
        }
        peek(stages, logits);
        return accept_chosen(stages);
    }

    status apply(stage_table& stages, candidates& c) noexcept {
        save_after_copying(stages);
        return apply_each(stages, c, [](std::size_t, const candidates&) noexcept {});
    }

    /// apply, with seen(i, candidates) called before every stage i and once after the last.
    template <class Seen>
    status apply_each(const stage_table& stages, candidates& c,
                      Seen seen) noexcept(noexcept(seen(std::size_t{}, std::as_const(c)))) {
        last_token_ = null_token;
        c.selected = -1;
        status_ = (stages.check)();
        const bool as_llama = stages.as_llama();
        const bool has_memory = c.size == 0 || (c.data && c.size <= largest_object / sizeof(token_data));
        if (status_.ok() && (!has_memory || !make_canonical(c, as_llama))) status_ = status_code::bad_candidates;
        if (const status memory = reserve_scratch(stages, as_llama ? (std::max)(c.size, scratch_row_) : scratch_row_);
            status_.ok() && !memory.ok())
            status_.fail(memory);
        if (!status_.ok()) return status_;
        if (!as_llama) c.sorted = std::is_sorted(c.begin(), c.end(), ranks_before);
        const context x(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            seen(i, c);
            if (const auto code = stages.narrow(i, i + 1, c, x); code != status_code::ok) {
                status_.fail(status::failed(code, stages.name(i)));
                return status_;
            }
        }
        seen(stages.size(), c);
        if (c.selected < 0 || std::size_t(c.selected) >= c.size) c.selected = -1;
        if (has_selector(stages) && c.selected < 0) status_.fail(status_code::no_legal_token);
        choice_ = {};
        if (c.selected >= 0) note_choice(c);
        return status_;
    }

    /// apply in another way, for an adapter that knows more of its candidates than their number: `run(machine, scratch,
    /// context)` has memory for a row of that many logits, works on `c`, and answers what became of it.
    template <class Run>
    status apply_by(stage_table& stages, candidates& c, Run run) noexcept {
        save_after_copying(stages);
        last_token_ = null_token;
        status_ = (stages.check)();
        if (status_.ok()) status_ = c.size > longest ? status_code::row_too_long : reserve_scratch(stages, c.size);
        if (!status_.ok()) return status_;
        const context x(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare);
        status_ = run(machine_, memory_, x);
        choice_ = {};
        if (c.selected >= 0 && std::size_t(c.selected) < c.size) note_choice(c);
        return status_;
    }

    // ---- a step of which another machine does the first stages

    /// use(context): what the stages may look at, where all is well. The status otherwise.
    template <class Use>
    status begin_elsewhere(stage_table& stages, Use use) noexcept {
        save_after_copying(stages);
        last_token_ = null_token;
        status_ = (stages.check)();
        if (status_.ok() && !has_selector(stages)) status_ = status_code::no_selector;
        if (status_.ok()) status_ = make_room(stages, 1);
        if (status_.ok()) status_ = reserve_scratch(stages, 1);
        if (status_.ok()) use(context(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare));
        return status_;
    }
    /// `left` is what the stages ahead of `first` have left, and `chosen` the token, where none is behind them. What
    /// was `seen` in the row is noted. Answers the token.
    token_id end_elsewhere(stage_table& stages, std::size_t first, std::span<const token_data> left, token_id chosen,
                           const status& seen) noexcept {
        last_token_ = null_token;
        choice_ = {};
        status_ = seen;
        if (!status_.ok()) return null_token;
        if (const status memory = reserve_scratch(stages, left.size() + 1); !memory.ok())
            return failed(memory);
        candidates& c = machine_.found();
        c = {memory_.tokens, left.size(), -1, false};
        std::copy(left.begin(), left.end(), c.data);
        if (first < stages.size()) {
            const context x(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare);
            if (const auto code = stages.narrow(first, stages.size(), c, x); code != status_code::ok)
                return failed(code);
        } else {
            for (std::size_t i = 0; i < c.size; ++i)
                if (c[i].id == chosen) c.selected = std::int64_t(i);
            if (c.selected < 0 && chosen >= 0) {  // there was no room for it among those that were told
                c.data[c.size] = {chosen, illegal_logit, 0.0f};
                c.selected = std::int64_t(c.size++);
            }
        }
        const bool is_legal = c.selected >= 0 && std::size_t(c.selected) < c.size &&
                              (first == stages.size() || c[std::size_t(c.selected)].logit > illegal_logit);
        if (!is_legal) return failed(status_code::no_legal_token);
        note_choice(c);
        return last_token_ = c[std::size_t(c.selected)].id;
    }
    /// The same where `left` are the greatest logits of the row and no stage has run: `all_of_them` is a superset_run
    /// (chain/superset.hpp). False, and nothing done, where they are not enough.
    template <class Run>
    bool end_on_superset(stage_table& stages, const Run& all_of_them, std::span<const token_data> left,
                         token_id& token) noexcept {
        last_token_ = token = null_token;
        choice_ = {};
        status_ = reserve_scratch(stages, left.size() + 1);
        if (!status_.ok()) return true;
        candidates& c = machine_.found();
        c = {memory_.tokens, left.size(), -1, false};
        std::copy(left.begin(), left.end(), c.data);
        const context x(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare);
        bool enough = false;
        status_ = all_of_them.run(c, memory_.copies, x, enough);
        if (!enough) return false;
        if (!status_.ok()) return true;
        if (!(c[std::size_t(c.selected)].logit > illegal_logit)) {
            status_.fail(status_code::no_legal_token);
            return true;
        }
        note_choice(c);
        last_token_ = token = c[std::size_t(c.selected)].id;
        return true;
    }
    /// Accepts what the last step chose, as sample does. Where there is no memory to accept it, it is not given out.
    token_id accept_chosen(stage_table& stages) noexcept {
        const token_id token = last_token_;
        last_step_ = {};
        if (token == null_token) return token;
        const std::size_t written = tokens_.written();
        const step s = accept(stages, token);
        if (!s.state.ok()) status_.fail(s.state);
        if (tokens_.written() == written) last_token_ = null_token;
        return last_token_;
    }

    // ---- what has been chosen

    step accept(stage_table& stages, token_id token) noexcept {
        if (const status room = make_room(stages, 1); !room.ok()) return last_step_ = {room};
        return take(stages, token, true);
    }
    status prompt(stage_table& stages, std::span<const token_id> tokens) noexcept {
        if (const status room = make_room(stages, tokens.size()); !room.ok()) return room;
        for (const token_id token : tokens)
            if (const step s = take(stages, token, false); !s.state.ok()) return s.state;
        return {};
    }
    void reset(stage_table& stages) noexcept {
        tokens_.clear();
        at_.position = at_.attempt = 0;
        choice_ = {};
        stages.reset();
        forget_saved_states();
        save_as_llama(stages);
        last_step_ = {};
        status_ = {};
    }
    void retry() noexcept { ++at_.attempt; }
    /// Another sequence of the same seeds. llama.cpp's forms begin streams of their own there, which states of before
    /// know nothing of.
    void fork(stage_table& stages, std::uint16_t sequence) noexcept {
        at_.sequence = sequence;
        stages.fork(sequence);
        if (!stages.as_llama()) return;
        forget_saved_states();
        save(stages);
    }

    // ---- going back

    checkpoint mark(const stage_table& stages) const noexcept {
        checkpoint m;
        m.line = tokens_.line();
        m.layout = stages.layout();
        m.tokens = tokens_.written();
        m.position = at_.position;
        m.attempt = at_.attempt;
        stages.save(m.stages);
        return m;
    }
    status rollback(stage_table& stages, const checkpoint& m) noexcept {
        if (m.layout != stages.layout() || m.tokens > tokens_.written()) return status_code::mark_unknown;
        const std::size_t back = tokens_.written() - m.tokens;
        if (!tokens_.can_pop(back, window(stages))) return status_code::rewind_too_far;
        if (m.line != (m.tokens == 0 ? 0 : tokens_.recent(back).line)) return status_code::mark_unknown;
        for (std::size_t i = 0; i < back; ++i) tokens_.pop();
        at_.position = m.position;
        at_.attempt = m.attempt;
        stages.restore(m.stages);
        save_as_llama(stages);  // what the ring holds of this position may be another line's
        choice_ = {};
        last_step_ = {};
        return {};
    }
    status rewind(stage_table& stages, std::size_t count) noexcept {
        if (count == 0) return {};
        if (count > at_.position || count > rollback_depth) return status_code::rewind_too_far;
        std::size_t back = 0;
        for (std::size_t generated = 0; generated < count; ++back) {
            if (back >= tokens_.remembered()) return status_code::rewind_too_far;
            generated += tokens_.recent(back).generated;
        }
        const std::uint32_t target = at_.position - std::uint32_t(count);
        if (!tokens_.can_pop(back, window(stages))) return status_code::rewind_too_far;
        const auto* ring = stages.ring();
        if (ring && (target < saved_from_ || saved_to_ - target > stage_table::saved_states))
            return status_code::rewind_too_far;
        for (std::size_t i = 0; i < back; ++i) tokens_.pop();
        at_.position = target;
        at_.attempt = 0;
        if (ring) stages.restore(ring[target % stage_table::saved_states]);
        choice_ = {};
        last_step_ = {};
        return {};
    }

    /// States saved so far do not fit the stages any more: rewind does not go behind this point.
    void forget_saved_states() noexcept { saved_from_ = saved_to_ = at_.position; }
    /// llama.cpp's forms change when they are applied, so what they are at a position is saved as soon as the position
    /// is reached; others change when a token is accepted, and are saved before that.
    void save_as_llama(stage_table& stages) noexcept {
        if (stages.as_llama()) save(stages);
    }

    // ---- looking closer

    std::span<const token_data> survivors() noexcept {
        if (last_token_ == null_token) return {};
        candidates& c = machine_.found();
        normalise(c);
        return {c.data, c.size};
    }
    std::span<const token_data> distribution(stage_table& stages, std::span<const float> logits) noexcept {
        look_closer(stages, logits);
        last_token_ = null_token;
        if (!status_.ok()) return {};
        candidates& c = machine_.found();
        if (stages.as_llama() && has_drawn_by_law(stages, c)) c.selected = -1;
        if (c.selected >= 0) {  // the selector has no law but its choice
            c.data[0] = c[std::size_t(c.selected)];
            c.size = 1;
        }
        c.keep_legal();
        if (c.empty()) status_.fail(status_code::no_legal_token);
        normalise(c);
        return {c.data, c.size};
    }
    std::span<const token_logprob> logprobs(stage_table& stages, std::span<const float> logits, std::size_t n,
                                            logprobs_of which) noexcept {
        if (which == logprobs_of::before) {
            const raw_row<> raw((std::max<std::size_t>)(n, 1));
            run(raw, raw.plan_for(0), logits, until::selector);
        } else {
            distribution(stages, logits);
        }
        if (!status_.ok()) return {};
        candidates& c = machine_.found();
        const std::size_t best = c.greatest();
        if (best == c.size) return {};
        const float maximum = c[best].logit;
        return to_logprobs(c, n, maximum, which == logprobs_of::before ? machine_.total_mass() : c.mass(maximum));
    }

    const status& last_status() const noexcept { return status_; }
    void set_status(const status& s) noexcept { status_ = s; }
    const step& last_step() const noexcept { return last_step_; }
    const Machine& machine() const noexcept { return machine_; }
    const draw_position& position() const noexcept { return at_; }
    const history& tokens() const noexcept { return tokens_; }

    // ---- memory

    /// Memory for `count` more tokens, as far as a stage or a rollback looks back on them; where there is none nothing
    /// has changed. Accepting as many then asks for none. (A stage is asked how far it looks back only where the ring
    /// is full: for some that takes as long as a step.)
    status make_room(const stage_table& stages, std::size_t count) noexcept {
        if (tokens_.lost()) return no_memory();
        const std::size_t has = tokens_.capacity();
        const std::size_t needed = saturating::sum(tokens_.remembered(), count);
        if (needed <= has) return {};
        const std::size_t all = window(stages) < 0 ? uncountable : history_capacity(window_tokens(stages, 0));
        if (all <= has) return {};
        const std::size_t wanted = (std::max)(needed, has > 0 ? 2 * has : first_capacity(stages));
        return reserve_history((std::min)(all, wanted)) ? status() : no_memory();
    }
    /// A token that was accepted elsewhere is missing here: no step can be right until reset, and each says so.
    void lose_history() noexcept {
        tokens_.lose();
        last_token_ = null_token;
    }
    status reserve(const stage_table& stages, std::size_t row_size, std::size_t tokens) noexcept {
        if (row_size > longest) return status_code::row_too_long;
        if (tokens > longest || tokens_.lost()) return no_memory();
        // The scratch first: with a history for which there is no scratch no row could be sampled any more.
        const std::size_t wanted = history_capacity(window_tokens(stages, tokens));
        if (const status s = reserve_scratch(stages, row_size, wanted); !s.ok()) return s;
        return reserve_history(wanted) ? status() : no_memory();
    }
    std::size_t scratch_bytes(const stage_table& stages, std::size_t row_size, std::size_t tokens) const noexcept {
        if (row_size > longest || tokens > longest) return uncountable;
        const std::size_t kept = (std::max)(history_capacity(window_tokens(stages, tokens)), tokens_.capacity());
        const std::size_t of_history = saturating::sum(storage::alignment, aligned(history::bytes(kept)));
        return saturating::sum(of_history, scratch::bytes(row_size, kept, stages.spare_bytes(row_size)));
    }
    /// Takes another scratch for its own, and what the last step materialised is gone. A chain that was given storage
    /// keeps that.
    void trade_scratch(storage& other) noexcept {
        if (storage_.borrowed()) return;
        storage_.trade(other);
        forget_scratch();
    }
    /// Whether it lives in memory of the caller.
    bool has_storage() const noexcept { return storage_.borrowed(); }
    status use_storage(const stage_table& stages, std::span<std::byte> bytes, std::size_t row_size,
                       std::size_t tokens) noexcept {
        const std::size_t needed = scratch_bytes(stages, row_size, tokens);
        if (needed > largest_object || bytes.size() < needed) return status_code::storage_too_small;
        if (tokens_.overlaps(bytes.data(), bytes.size()) || storage_.overlaps(bytes))
            return status_code::storage_overlaps;
        const std::size_t kept = (std::max)(history_capacity(window_tokens(stages, tokens)), tokens_.capacity());
        const auto misaligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % storage::alignment;
        bytes = bytes.subspan(misaligned ? storage::alignment - misaligned : 0);
        tokens_.use(bytes.data(), kept);
        storage_.use(bytes.subspan(aligned(history::bytes(kept))));
        forget_scratch();
        return reserve_scratch(stages, row_size);
    }

private:
    void save(stage_table& stages) noexcept {
        if (auto* ring = stages.ring()) {
            stages.save(ring[at_.position % stage_table::saved_states]);
            saved_to_ = (std::max)(saved_to_, at_.position + 1);
        }
    }
    /// A copy may stand elsewhere than the original did: llama.cpp's clone of adaptive_p draws from the beginning
    /// again.
    void save_after_copying(stage_table& stages) noexcept {
        if (std::exchange(copied_, false)) save_as_llama(stages);
    }
    /// Up to what the selector would choose from. llama.cpp's forms draw and learn on the way: that is taken back.
    void look_closer(stage_table& stages, std::span<const float> logits) noexcept {
        stage_table::saved_state state{};
        if (stages.as_llama()) stages.save(state);
        run(stages, logits, until::selector);
        if (stages.as_llama()) stages.restore(state);
    }
    token_id failed(const status& why) noexcept {
        status_.fail(why);
        return null_token;
    }
    token_id run(const stage_table& stages, std::span<const float> logits, until end) noexcept {
        last_token_ = null_token;
        status_ = (stages.check)();
        if (status_.ok() && end == until::token && !has_selector(stages)) status_ = status_code::no_selector;
        if (!status_.ok()) return null_token;
        return run(stages, stages.plan_for_row(logits.size()), logits, end);
    }
    token_id run(const stage_table& stages, const plan& p, std::span<const float> logits, until end) noexcept {
        last_token_ = null_token;
        if (logits.empty()) status_ = status_code::empty_row;
        else if (logits.size() > longest) status_ = status_code::row_too_long;
        else status_ = reserve_scratch(stages, logits.size());
        if (!status_.ok()) return null_token;
        const context x(tokens_, at_, memory_.counted, memory_.lengths, memory_.spare);
        last_token_ = machine_.run(stages, p, memory_, x, logits, end);
        status_ = machine_.state();
        if (end == until::token) choice_ = {};
        if (last_token_ != null_token) note_choice(machine_.found());
        return last_token_;
    }

    /// Whether what llama.cpp's form selected is one of several that it could have: not the greatest, and not what is
    /// left where all weights are NaN.
    static bool has_drawn_by_law(const stage_table& stages, const candidates& c) noexcept {
        if (c.selected < 0) return false;
        const selecting how = stages.fact(stages.size() - 1).selects;
        const float p = c[std::size_t(c.selected)].p;
        return (how == selecting::by_mass || how == selecting::by_shape) && p == p;
    }
    void note_choice(const candidates& c) noexcept {
        const token_data& chosen = c[std::size_t(c.selected)];
        choice_ = {chosen.id, chosen.p};
    }

    static constexpr std::size_t longest = std::size_t((std::numeric_limits<token_id>::max)());
    static bool has_selector(const stage_table& stages) noexcept {
        return stages.size() > 0 && stages.fact(stages.size() - 1).selects != selecting::no;
    }

    step take(stage_table& stages, token_id token, bool generated) noexcept {
        if (token < 0)
            return last_step_ = {status::invalid(generated ? "accept" : "prompt", "token", double(token),
                                                 "is below 0, so it is no token", status_code::not_a_token)};
        save_after_copying(stages);
        if (generated && !stages.as_llama()) save(stages);
        tokens_.push(token, generated);
        if (generated) {
            ++at_.position;
            at_.attempt = 0;
        }
        const choice last = std::exchange(choice_, {});
        last_step_ = stages.accept(token, generated ? &last : nullptr, tokens_);
        save_as_llama(stages);
        return last_step_;
    }

    status_code no_memory() const noexcept {
        return storage_.borrowed() ? status_code::storage_too_small : status_code::out_of_memory;
    }
    static constexpr std::size_t aligned(std::size_t bytes) noexcept {
        return saturating::rounded_up(bytes, storage::alignment);
    }

    /// How far the stages look back; -1 = everything, and so is a window that no text fills: nobody asks for its memory
    /// ahead of time.
    static std::int32_t window(const stage_table& stages) noexcept {
        constexpr std::int32_t longest_window = 1 << 20;
        const std::int32_t asked = stages.window();
        return asked > longest_window ? -1 : asked;
    }
    /// A window, rollback_depth tokens behind it, and one entry that carries the hash of all before.
    static constexpr std::size_t history_capacity(std::size_t window) noexcept { return window + rollback_depth + 1; }
    /// The stages' window, or more tokens where a caller says so.
    static std::size_t window_tokens(const stage_table& stages, std::size_t tokens) noexcept {
        return (std::max)(std::size_t((std::max)(window(stages), 0)), tokens);
    }
    /// Longer windows, and endless ones, get their memory as the text grows.
    RIFFLE_LOCAL static constexpr std::size_t first_window = 4096;
    static std::size_t first_capacity(const stage_table& stages) noexcept {
        return history_capacity((std::min)(window_tokens(stages, 0), first_window));
    }
    bool reserve_history(std::size_t capacity) noexcept {
        return capacity <= tokens_.capacity() || (!storage_.borrowed() && tokens_.reserve(capacity));
    }

    status reserve_scratch(const stage_table& stages, std::size_t row_size) noexcept {
        if (tokens_.lost() || !reserve_history(first_capacity(stages))) return no_memory();
        return reserve_scratch(stages, row_size, tokens_.capacity());
    }
    /// The same for a history of at least `kept` tokens.
    status reserve_scratch(const stage_table& stages, std::size_t row_size, std::size_t kept) noexcept {
        if (row_size <= scratch_row_ && kept <= scratch_window_ &&
            stages.spare_bytes(scratch_row_) <= memory_.spare.size())  // parameters may have grown
            return {};
        return grow_scratch(stages, row_size, kept);
    }
    RIFFLE_NOINLINE status grow_scratch(const stage_table& stages, std::size_t row_size, std::size_t kept) noexcept {
        kept = (std::max)(kept, tokens_.capacity());
        row_size = (std::max)(row_size, scratch_row_);
        const std::size_t spare = stages.spare_bytes(row_size);
        if (const auto code = storage_.reserve(scratch::bytes(row_size, kept, spare)); code != status_code::ok)
            return code;
        forget_scratch();
        memory_ = scratch::in(storage_.data(), row_size, kept, spare);
        scratch_row_ = row_size;
        scratch_window_ = kept;
        return {};
    }

    /// llama.cpp's forms take what comes, but for NaN.
    bool make_canonical(candidates& c, bool only_nan) noexcept {
        for (auto& token : c) {
            if (token.id < 0) return false;
            if (token.logit != token.logit) status_.note_nan();
            if (token.logit > greatest_logit) status_.note_infinity();
            if (!only_nan || token.logit != token.logit) token.logit = canonical(token.logit);
        }
        return true;
    }

    static void normalise(candidates& c) noexcept {
        c.sort();
        c.selected = -1;
        c.normalise();
    }

    /// In place: eight bytes where there were twelve, so going forward overwrites nothing unread.
    static std::span<const token_logprob> to_logprobs(candidates& c, std::size_t n, float maximum,
                                                      std::uint64_t total) noexcept {
        c.keep_greatest(n);
        c.sort();
        const float log_total = log(lanes<1>(float(double(total) * 0x1p-30)))[0];
        auto* out = reinterpret_cast<std::byte*>(c.data);
        for (std::size_t i = 0; i < c.size; ++i) {
            const token_logprob entry{c[i].id, (c[i].logit - maximum) - log_total};
            std::memcpy(out + i * sizeof entry, &entry, sizeof entry);
        }
        const std::size_t size = c.size;
        c.size = 0;
        return {reinterpret_cast<const token_logprob*>(out), size};
    }

    void copy_from(const basic_chain_state& other) noexcept {
        tokens_ = other.tokens_;
        at_ = other.at_;
        saved_from_ = other.saved_from_;
        saved_to_ = other.saved_to_;
        status_ = other.status_;
        last_step_ = other.last_step_;
        choice_ = other.choice_;
        copied_ = true;
        forget_scratch();
    }
    void move_from(basic_chain_state& other) noexcept {
        tokens_ = static_cast<history&&>(other.tokens_);
        storage_ = static_cast<storage&&>(other.storage_);
        at_ = other.at_;
        saved_from_ = other.saved_from_;
        saved_to_ = other.saved_to_;
        status_ = other.status_;
        last_step_ = other.last_step_;
        choice_ = other.choice_;
        copied_ = other.copied_;
        machine_ = Machine(other.machine_.replays());
        forget_scratch();
        other.forget_scratch();
    }
    /// The next step carves it anew.
    void forget_scratch() noexcept {
        scratch_row_ = scratch_window_ = 0;
        memory_ = {};
        machine_ = Machine(machine_.replays());
        last_token_ = null_token;
    }

    history tokens_;
    draw_position at_;
    std::uint32_t saved_from_ = 0, saved_to_ = 0;  ///< positions whose states the ring has held
    bool copied_ = false;                          ///< and nothing has happened since
    storage storage_;
    scratch memory_;
    std::size_t scratch_row_ = 0, scratch_window_ = 0;
    Machine machine_;
    status status_;
    step last_step_;
    token_id last_token_ = null_token;
    choice choice_;
};

using chain_state = basic_chain_state<cpu_machine<stage_table>>;

}  // namespace riffle
