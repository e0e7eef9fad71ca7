#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/chain/chain_file.hpp>
#include <riffle/chain/chain_history.hpp>
#include <riffle/chain/chain_memory.hpp>
#include <riffle/chain/cpu_machine.hpp>
#include <riffle/chain/greatest_of_row.hpp>
#include <riffle/chain/logprobs.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/core/status.hpp>

namespace riffle::inline RIFFLE_ABI {

template <class Chain>
class open_step;
template <class Chain>
class scratch_loan;

/// What a chain keeps besides its stages: what it has accepted, its memory, the machine, the last status; and what it
/// does with them, given a list of its stages. chain_interface says what each member means to a user. As long as that
/// has members: each is some lines here, and what needs more has a file of its own (chain_history, chain_file,
/// chain_memory). (A template over the machine, so that including riffle does not compile it.)
template <class Machine>
class basic_chain_state {
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
        if (memory_.is_borrowed()) copy_from(other);  // memory of the caller is neither given away nor left
        else move_from(other);
        return *this;
    }
    ~basic_chain_state() = default;

    // ---- from logits to token

    token_id peek(const stage_list& stages, const logit_row& logits) noexcept {
        history_.save_after_copying(stages);
        return run(stages, logits, run_to::token);
    }
    /// (The room for the token comes first: under numerics::llama a step changes what stages keep.)
    token_id sample(const stage_list& stages, const logit_row& logits) noexcept {
        if (const status room = make_room(stages, 1); !room.ok()) {
            status_ = room;
            last_step_ = {};
            return last_token_ = null_token;
        }
        peek(stages, logits);
        return accept_chosen(stages);
    }
    /// The law that the selector would draw by.
    typename Machine::weighed_law weigh(const stage_list& stages, const logit_row& logits) noexcept {
        using law = typename Machine::weighed_law;
        if (!find_law(stages, logits, run_to::token)) return law();
        if (machine_.law().is_of_row()) return law(machine_.law().of_row(stages));
        machine_.law().sort_by_id();
        const candidates& c = machine_.found();
        return law({reinterpret_cast<const weighed_token*>(c.data), c.size}, machine_.law().total());
    }
    status apply(const stage_list& stages, candidates& c) noexcept {
        history_.save_after_copying(stages);
        return apply_each(stages, c, [](std::size_t, const candidates&) noexcept {});
    }
    /// apply, with seen(i, candidates) called before every stage i and once after the last.
    template <class Seen>
    status apply_each(const stage_list& stages, candidates& c,
                      Seen seen) noexcept(noexcept(seen(std::size_t{}, std::as_const(c)))) {
        last_token_ = null_token;
        machine_.law().forget();
        c.selected = -1;
        status_ = (stages.check)();
        const bool is_exact = stages.is_exact();
        const bool has_memory = c.size == 0 || (c.data && c.size <= largest_object / sizeof(token_data));
        if (status_.ok() && (!has_memory || !make_canonical(c, is_exact))) status_ = status_code::bad_candidates;
        const std::size_t row_size = is_exact ? (std::max)(c.size, memory_.row_size()) : memory_.row_size();
        if (const status found = reserve_scratch(stages, row_size); status_.ok() && !found.ok()) status_.fail(found);
        if (!status_.ok()) return status_;
        if (!is_exact) c.sorted = std::is_sorted(c.begin(), c.end(), ranks_before);
        const context x = now();
        for (std::size_t i = 0; i < stages.size(); ++i) {
            seen(i, c);
            if (const auto code = stages.narrow(i, i + 1, c, x); code != status_code::ok) {
                status_.fail(status::failed(code, stages.name(i)));
                return status_;
            }
        }
        seen(stages.size(), c);
        if (!c.has_selected()) c.selected = -1;
        if (stages.has_selector() && c.selected < 0) status_.fail(status_code::no_legal_token);
        history_.note_choice({});
        if (c.selected >= 0) note_choice(c);
        return status_;
    }

    // ---- what has been chosen

    const step& accept(const stage_list& stages, token_id token) noexcept {
        machine_.law().forget();
        if (const status room = make_room(stages, 1); !room.ok()) last_step_ = step::refusal(room);
        else history_.accept(stages, token, token_origin::generated, last_step_);
        return last_step_;
    }
    /// Accepts a token as if the last law had given it: llama.cpp's forms, which change as they choose, choose it.
    const step& accept_choice(const stage_list& stages, token_id token) noexcept {
        auto& law = machine_.law();
        if (const last_choice choice = law.exists() ? law.choice_of(stages, token) : last_choice();
            choice.token == token && token >= 0) {
            if (stages.is_exact()) {
                if (const status room = make_room(stages, 1); !room.ok()) return last_step_ = step::refusal(room);
                choose(stages, token);
            }
            history_.note_choice(choice);
        }
        return accept(stages, token);
    }
    /// Accepts what the last step chose. Where there is no memory to accept it, or a stage refuses it, it is not given
    /// out.
    token_id accept_chosen(const stage_list& stages) noexcept {
        const token_id token = last_token_;
        last_step_ = {};
        if (token == null_token) return token;
        accept(stages, token);
        if (!last_step_.state.ok()) status_.fail(last_step_.state);
        if (last_step_.refused) last_token_ = null_token;
        return last_token_;
    }
    status prompt(const stage_list& stages, std::span<const token_id> tokens) noexcept {
        if (const status room = make_room(stages, tokens.size()); !room.ok()) return room;
        machine_.law().forget();
        for (const token_id token : tokens) {
            history_.accept(stages, token, token_origin::prompt, last_step_);
            if (!last_step_.state.ok()) return last_step_.state;
        }
        return {};
    }
    void reset(const stage_list& stages) noexcept {
        history_.reset(stages);
        machine_.law().forget();
        last_step_ = {};
        status_ = {};
    }
    void retry() noexcept { history_.retry(); }
    std::uint32_t attempt() const noexcept { return history_.at().attempt; }
    void go_back_to(std::uint32_t attempt) noexcept { history_.go_back_to(attempt); }
    void fork(const stage_list& stages, std::uint16_t sequence) noexcept { history_.fork(stages, sequence); }
    /// A token that was accepted elsewhere is missing here: no step can be right until reset, and each says so.
    void lose_history() noexcept {
        history_.tokens().lose();
        last_token_ = null_token;
    }
    /// Stages have been pushed: what was saved of others does not fit them.
    void note_new_stages(const stage_list& stages) noexcept {
        history_.forget_saved_states();
        history_.save_as_exact(stages);
    }

    // ---- going back

    checkpoint mark(const stage_list& stages) const noexcept { return history_.mark(stages); }
    status rollback(const stage_list& stages, const checkpoint& m) noexcept {
        return gone_back(history_.rollback(stages, m, memory::window(stages)));
    }
    status rewind(const stage_list& stages, std::size_t count) noexcept {
        if (count == 0) return {};  // and last_step() stays
        return gone_back(history_.rewind(stages, count, memory::window(stages)));
    }

    // ---- from one run of a program to the next

    std::size_t saved_bytes(const stage_list& stages) const noexcept { return file_of(stages).bytes(); }
    status save(const stage_list& stages, std::byte* to, std::size_t size) const noexcept {
        if (history_.tokens().lost()) return memory_.missing();
        const auto file = file_of(stages);
        if (const status s = file.all_are_named(); !s.ok()) return s;
        if (size < file.bytes())
            return status::invalid("save", "bytes", double(size), "are less than saved_bytes()",
                                   status_code::storage_too_small);
        file.write(to);
        return {};
    }
    status load(const stage_list& stages, const detail::bytes_of_file& from) noexcept {
        detail::chain_file<stage_list> file(stages, history_);
        if (const status s = file.all_are_named(); !s.ok()) return s;
        const status read = file.read(from, [&](std::size_t tokens) { return make_room(stages, tokens); });
        if (!read.ok()) return read;
        machine_.law().forget();
        last_step_ = {};
        last_token_ = null_token;
        return {};
    }
    status forget(const stage_list& stages, std::size_t first, std::size_t count) noexcept {
        const std::size_t written = history_.tokens().written();
        if (first > written || count > written - first)
            return status::invalid("forget", "count", double(count), "are more tokens than the text has from there on");
        if (count == 0) return {};
        machine_.law().forget();
        history_.shift(stages, first, count);
        return {};
    }

    // ---- looking closer

    std::span<const token_data> survivors() noexcept {
        if (last_token_ == null_token) return {};
        candidates& c = machine_.found();
        detail::make_distribution(c);
        return {c.data, c.size};
    }
    std::span<const token_data> distribution(const stage_list& stages, const logit_row& logits,
                                             std::size_t n = uncountable) noexcept {
        if (!find_law(stages, logits, run_to::selector)) return {};
        const law_in_ranks law = rank_law(stages, n);
        candidates& c = machine_.found();
        detail::make_distribution(c, n, law.maximum, law.total);
        return {c.data, c.size};
    }
    std::span<const token_logprob> logprobs(const stage_list& stages, const logit_row& logits, std::size_t n,
                                            logprobs_of which) noexcept {
        law_in_ranks law;
        if (which == logprobs_of::before) {
            const detail::greatest_of_row<Machine> asked((std::max<std::size_t>)(n, 1));
            last_token_ = null_token;
            if (!take_row(asked.stages(), logits)) return {};
            run(asked.stages(), asked.to_run(), now(), logits, run_to::selector);
            if (!status_.ok()) return {};
            law.total = machine_.total_mass();
            law.maximum = greatest_logit_found();
        } else {
            if (!find_law(stages, logits, run_to::selector)) return {};
            law = rank_law(stages, n);
        }
        return detail::to_logprobs(machine_.found(), n, law.maximum, law.total);
    }

    const status& last_status() const noexcept { return status_; }
    void set_status(const status& s) noexcept { status_ = s; }
    const step& last_step() const noexcept { return last_step_; }
    const Machine& machine() const noexcept { return machine_; }
    const draw_position& position() const noexcept { return history_.at(); }
    const history& tokens() const noexcept { return history_.tokens(); }

    // ---- memory

    /// For so many more tokens (basic_chain_memory::make_room).
    status make_room(const stage_list& stages, std::size_t count) noexcept {
        return memory_.make_room(stages, history_.tokens(), count);
    }
    status reserve(const stage_list& stages, std::size_t row_size, std::size_t tokens) noexcept {
        return carved(memory_.reserve(stages, history_.tokens(), row_size, tokens));
    }
    std::size_t scratch_bytes(const stage_list& stages, std::size_t row_size, std::size_t tokens) const noexcept {
        return memory_.bytes(stages, history_.tokens(), row_size, tokens);
    }
    status use_storage(const stage_list& stages, std::span<std::byte> bytes, std::size_t row_size,
                       std::size_t tokens) noexcept {
        return carved(memory_.use(stages, history_.tokens(), bytes, row_size, tokens));
    }
    /// Whether it lives in memory of the caller.
    bool has_storage() const noexcept { return memory_.is_borrowed(); }

private:
    using memory = detail::basic_chain_memory<stage_list>;
    template <class Chain>
    friend class open_step;
    template <class Chain>
    friend class scratch_loan;

    token_id failed(const status& why) noexcept {
        status_.fail(why);
        return null_token;
    }
    detail::chain_file<stage_list> file_of(const stage_list& stages) const noexcept {
        return {stages, const_cast<basic_chain_state&>(*this).history_};  // which writing only reads
    }
    status gone_back(const status& s) noexcept {
        if (!s.ok()) return s;
        last_step_ = {};
        machine_.law().forget();
        return s;
    }
    /// After asking for scratch: where that is another, what the last step found is gone.
    status carved(const status& s) noexcept {
        if (memory_.was_carved()) forget_step();
        return s;
    }
    void forget_step() noexcept {
        machine_.forget(machine_.replays());
        last_token_ = null_token;
    }
    status reserve_scratch(const stage_list& stages, std::size_t row_size) noexcept {
        return carved(memory_.reserve_scratch(stages, history_.tokens(), row_size));
    }
    /// What stages may look at in a step, once there is scratch for it.
    context now() const noexcept {
        const detail::scratch& s = memory_.in_use();
        return {history_.tokens(), history_.at(), s.counted, s.lengths, s.spare};
    }

    /// Up to the law that the selector would draw by; `asked_by` needs a selector for a token. llama.cpp's forms draw
    /// and learn on the way: that is taken back.
    bool find_law(const stage_list& stages, const logit_row& logits, run_to asked_by) noexcept {
        history_.save_after_copying(stages);
        std::array<std::byte, checkpoint::stage_bytes> state{};
        if (stages.is_exact()) stages.save(state.data());
        if (asked_by == run_to::token && !stages.has_selector()) {
            last_token_ = null_token;
            status_ = (stages.check)();
            if (status_.ok()) status_ = status_code::no_selector;
        } else {
            run(stages, logits, run_to::law);
        }
        if (stages.is_exact()) stages.restore(state.data());
        last_token_ = null_token;
        row_of_law_ = logits;
        if (!status_.ok()) machine_.law().forget();
        return status_.ok();
    }
    /// What logits and weights of a law are measured by.
    struct law_in_ranks {
        float maximum = illegal_logit;
        std::uint64_t total = 0;
    };
    /// Makes candidates of a law: the n first in rank at least, where there are as many.
    law_in_ranks rank_law(const stage_list& stages, std::size_t n) noexcept {
        const std::uint64_t total = machine_.law().total();
        machine_.rank_law(stages, (std::max<std::size_t>)(n, 1));
        return {greatest_logit_found(), total};
    }
    float greatest_logit_found() noexcept {
        const candidates& c = machine_.found();
        const std::size_t best = c.greatest();
        return best < c.size ? c[best].logit : illegal_logit;
    }
    /// Runs llama.cpp's forms on the row of the law once more, for them to choose this token.
    void choose(const stage_list& stages, token_id token) noexcept {
        context x = now();
        x.take(token);
        machine_.run(stages, stages.plan_for_row(row_of_law_.size()), memory_.in_use(), x, row_of_law_, run_to::token);
    }
    token_id run(const stage_list& stages, const logit_row& logits, run_to end) noexcept {
        last_token_ = null_token;
        status_ = (stages.check)();
        if (status_.ok() && end == run_to::token && !stages.has_selector()) status_ = status_code::no_selector;
        if (!status_.ok() || !take_row(stages, logits)) return null_token;
        const context x = now();
        if (!stages.is_exact()) stages.look_at_legal(x, logits.size(), memory_.in_use().legal);
        return run(stages, stages.plan_for_row(logits.size(), memory_.in_use().legal), x, logits, end);
    }
    bool take_row(const stage_list& stages, const logit_row& logits) noexcept {
        if (logits.empty()) status_ = status_code::empty_row;
        else if (logits.size() > memory::longest) status_ = status_code::row_too_long;
        else status_ = reserve_scratch(stages, logits.size());
        return status_.ok();
    }
    token_id run(const stage_list& stages, const plan& p, const context& x, const logit_row& logits,
                 run_to end) noexcept {
        last_token_ = machine_.run(stages, p, memory_.in_use(), x, logits, end);
        status_ = machine_.state();
        if (end == run_to::token) history_.note_choice({});
        if (last_token_ != null_token) note_choice(machine_.found());
        return last_token_;
    }
    void note_choice(const candidates& c) noexcept {
        const token_data& chosen = c[std::size_t(c.selected)];
        history_.note_choice({chosen.id, chosen.p});
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

    void copy_from(const basic_chain_state& other) noexcept {
        history_ = other.history_;
        history_.note_copy();
        status_ = other.status_;
        last_step_ = other.last_step_;
        memory_.forget();
        forget_step();
    }
    void move_from(basic_chain_state& other) noexcept {
        history_ = static_cast<decltype(history_)&&>(other.history_);
        memory_.take(other.memory_);
        status_ = other.status_;
        last_step_ = other.last_step_;
        machine_.forget(other.machine_.replays());
        forget_step();
        other.forget_step();
    }

    detail::basic_chain_history<stage_list> history_;
    memory memory_;
    Machine machine_;
    status status_;
    step last_step_;
    token_id last_token_ = null_token;
    logit_row row_of_law_;  ///< as long as the machine has its law
};

using chain_state = basic_chain_state<cpu_machine>;

}  // namespace riffle
