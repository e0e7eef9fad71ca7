#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/mask_storage.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/recent_places.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/triggers/firing_tokens.hpp>
#include <riffle/constraint/triggers/inner_matcher.hpp>
#include <riffle/constraint/triggers/trigger_automaton.hpp>
#include <riffle/constraint/triggers/trigger_data.hpp>
#include <riffle/constraint/triggers/triggers.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A constraint that sleeps while a model writes free text, and that a word, a pattern or a token wakes ("lazy
/// grammars"): a tool call in the middle of talk.
///
///     triggered call(grammar_matcher(*tool, trie), triggers{.words = {"<tool_call>"}}, after_constraint::rearm);
///     auto c = constrain{call} | top_k{40} | dist{.seed = 1};
///
/// Triggers are found in the bytes of the text, in the middle of tokens, too: `call>{"` ends the trigger and begins the
/// constrained text. A token whose rest the constraint refuses is not legal, so no text gets stuck behind a trigger. (A
/// matcher without accept_bytes, as trie_matcher, begins with a token: no legal token goes on behind a trigger.) A
/// constraint ends at the end of a token; tagged_text, which is one grammar, has tokens that go on there.
///
/// Where the constraint is complete but could go on, a token of free text ends it, unless `then` is `once`.
///
/// Nothing throws; check() says what is wrong with the triggers (why(): with which), or with the constraint. A call
/// that fails changes nothing. Behind a token that ends generation nothing is legal. Copies go on by themselves and
/// share what was found. Making one walks the vocabulary once (some milliseconds for 150,000 tokens). Cost of a token
/// of free text: its bytes, whatever has come before; a state in the middle of a trigger is looked at once. (The file is
/// long because what is legal, what is taken and what is taken back are one machine.)
template <token_matcher Matcher>
class triggered {
public:
    /// How many tokens can be taken back.
    static constexpr std::size_t rollback_depth = 128;

    /// Of a matcher that stands at the beginning, and knows its vocabulary.
    triggered(Matcher constraint, const triggers& by, after_constraint then = after_constraint::once) noexcept
        requires requires(const Matcher& m) {
            { m.trie() } -> std::convertible_to<const vocabulary_trie&>;
        }
        : triggered(vocabulary_trie(constraint.trie()), std::move(constraint), by, then) {}
    /// Of any matcher that stands at the beginning.
    triggered(const vocabulary_trie& trie, Matcher constraint, const triggers& by,
              after_constraint then = after_constraint::once) noexcept
        : inner_(std::move(constraint)), after_(then) {
        problem_ = (trie.check)();
        if (problem_.ok()) problem_ = build(trie, by);
        begin();
    }

    /// The constraint that is triggered.
    const Matcher& constraint() const noexcept { return inner_; }
    /// Whether it is awake.
    bool is_awake() const noexcept { return doing() == activity::constrained; }
    /// What is wrong with the triggers: `where` is the one. Nothing in it where nothing is. Throws std::bad_alloc.
    parse_problem why() const { return why_ ? why_->problem : parse_problem(); }

    // ---- what a chain asks

    /// Whether a token can be chosen: what is wrong with the triggers, or while the constraint is awake its check().
    status(check)() const noexcept {
        if (!problem_.ok()) return problem_;
        if (doing() == activity::ended) return status::failed(status_code::no_legal_token, "triggered");
        if (is_awake() && !can_leave()) return detail::check_of(inner_);
        const bool needs_mask = doing() == activity::waiting || (is_awake() && after_ == after_constraint::rearm);
        return needs_mask && !find_mask() ? status(status_code::out_of_memory) : status();
    }
    /// The legal tokens. Valid until the next call.
    legal_tokens legal() const noexcept {
        if (!problem_.ok() || doing() == activity::ended) return legal_tokens::of_ids({});
        if (doing() == activity::free) return legal_tokens::all();
        if (is_awake() && !can_leave()) return legal_tokens_of(inner_);
        if (is_awake() && after_ == after_constraint::free) return legal_tokens::all();
        if (is_awake()) return legal_where_it_may_end();
        const detail::all_but_few* const mask = find_mask();
        return mask ? mask->legal() : legal_tokens::of_ids({});
    }
    /// Whether accept would take it.
    bool allows(token_id token) const noexcept {
        if (!problem_.ok() || doing() == activity::ended || !is_token(token)) return false;
        if (is_awake() && inner_.allows(token)) return true;
        if (is_awake() && !can_leave()) return false;
        const place at = place_of_free_text();
        return at.doing == activity::free || is_legal_behind(at.state, token);
    }
    /// Why accept would refuse it.
    status can_accept(token_id token) const noexcept {
        if (allows(token)) return {};
        return problem_.ok() ? status::failed(status_code::stage_failed, "triggered") : problem_;
    }
    /// Takes a token. step::finished: the constraint's text is complete and `then` is `once`, or this was the end.
    step accept(token_id token) noexcept {
        if (!problem_.ok()) return step::refusal(problem_);
        if (doing() == activity::ended || !is_token(token)) return step::refusal(can_accept(token));
        if (is_awake() && (inner_.allows(token) || !can_leave())) return accept_inside(token);
        place next = place_of_free_text();
        step taken;
        taken.finished = data_->trie->ends_text(token);
        if (taken.finished) next.doing = activity::ended;
        if (next.doing == activity::waiting) {
            const status fired =
                is_trigger(token) ? wake_behind_token(token, inner_) : read(data_->bytes_of(token), next);
            if (!fired.ok()) return step::refusal(fired);
            if (is_trigger(token)) awaken(next);
            taken.finished = leave_where_finished(next);
        }
        push(next);
        return taken;
    }
    /// Takes some bytes, all of them or none; they count as one token.
    status accept_bytes(const text& bytes) noexcept { return accept_parts({&bytes, 1}); }
    /// Takes bytes in parts, with something between them across which no trigger is looked for (thoughts); all of them
    /// or none, and only the last may wake the constraint. They count as one token. Within a constraint that is not
    /// complete there is but one part.
    status accept_parts(std::span<const text> parts) noexcept {
        if (!problem_.ok()) return problem_;
        if (is_awake() && parts.size() == 1) {
            const status inside = detail::accept_bytes_of(inner_, parts[0]);
            if (inside.ok()) return accepted_bytes(places_.now());
            if (!can_leave()) return inside;
        }
        if (!passes_free_text()) return status::failed(status_code::stage_failed, "triggered");
        place next = place_of_free_text();
        for (std::size_t i = 0; i < parts.size() && next.doing == activity::waiting; ++i) {
            const bool is_last = i + 1 == parts.size();
            if (i > 0) next.state = {};
            if (!is_last && fires(parts[i], next.state)) return status::failed(status_code::stage_failed, "triggered");
            if (const status fired = read(parts[i], next); !fired.ok()) return fired;
        }
        return accepted_bytes(next);
    }
    /// Whether free text may come.
    bool passes_free_text() const noexcept {
        return problem_.ok() && doing() != activity::ended && (!is_awake() || can_leave());
    }
    /// How many bytes of a token are free text: those ahead of the one with which a trigger is complete.
    std::size_t free_text_of(token_id token, const text& bytes) const noexcept {
        if (!passes_free_text() || (is_awake() && inner_.allows(token))) return 0;
        place at = place_of_free_text();
        if (at.doing == activity::free) return bytes.size();
        if (is_trigger(token)) return 0;
        const std::size_t read = bytes.size() - data_->read_to_firing(bytes, at.state).size();
        return data_->automaton.has_fired(at.state) ? read - 1 : read;
    }
    /// To the beginning of another text: marks of before mean nothing any more.
    void reset() noexcept {
        inner_.reset();
        begin();
    }
    /// Begins another text that counts as one token: rollback goes back behind it.
    status restart() noexcept {
        if (!problem_.ok()) return problem_;
        const status begun = detail::begin_again(inner_);
        if (!begun.ok()) return begun;
        push({.begun = places_.now().begun + 1});
        return {};
    }
    /// How many tokens have come since the beginning.
    std::uint64_t mark() const noexcept { return places_.mark(); }
    /// Back to a mark. mark_unknown: it lies ahead of here; rewind_too_far: it lies more than 128 tokens back, or ahead
    /// of a trigger, where the constraint cannot go back behind its beginning (see token_matcher).
    status rollback(std::uint64_t mark) noexcept {
        status can = places_.can_go_to(mark);
        if (!can.ok()) return can;
        const place& to = places_.at(mark);
        const bool lies_behind = detail::goes_back_behind_beginnings<Matcher> || to.begun == places_.now().begun;
        if (!lies_behind || !bool(inner_.rollback(to.inner))) return status_code::rewind_too_far;
        places_.go_to(mark);
        return can;
    }

    /// Whether the text may end here: always, but within a constraint that is not complete.
    bool is_complete() const noexcept { return !is_awake() || detail::is_complete(inner_); }
    /// Whether nothing but an end may follow, or it came.
    bool is_finished() const noexcept {
        return doing() == activity::ended ||
               (is_awake() && after_ == after_constraint::once && detail::is_finished(inner_));
    }
    /// The tokens that must follow: those of the constraint while it is awake.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        return is_awake() && !can_leave() ? detail::forced_run_of(inner_, into) : 0;
    }

private:
    enum class activity : std::uint8_t { waiting, constrained, free, ended };
    using automaton_state = detail::trigger_automaton::state;
    using read_bytes = detail::trigger_data::read_bytes;
    struct place {
        activity doing = activity::waiting;
        automaton_state state = {};
        std::uint64_t inner = 0;  ///< its mark
        std::uint32_t begun = 0;  ///< how often the constraint has begun
    };
    struct shared_problem : detail::shared_object {
        parse_problem problem;
    };
    status build(const vocabulary_trie& trie, const triggers& by) noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<detail::trigger_data> made(new detail::trigger_data());
            detail::shared_pointer<shared_problem> why(new shared_problem());
            if (by.words.empty() && by.patterns.empty() && by.tokens.empty())
                return refuse(why, "there are no triggers");
            if (by.begins == constraint_begins::with_the_trigger && !by.patterns.empty())
                return refuse(why, "a constraint cannot begin with a pattern's match, only behind it");
            for (const token_id token : by.tokens)
                if (token < 0 || std::size_t(token) >= trie.data()->size())
                    return refuse(why, "the vocabulary has no such token as a trigger");
            if (!made->automaton.build(by.words, by.patterns, why->problem)) return refuse(why, nullptr);
            made->tokens = by.tokens;
            std::sort(made->tokens.begin(), made->tokens.end());
            made->words = by.words;
            made->trie = trie.data();
            made->begins_with_trigger = by.begins == constraint_begins::with_the_trigger;
            made->firing.build(made->automaton, *made->trie);
            data_ = detail::shared_pointer<const detail::trigger_data>(made.get());
        }
        RIFFLE_CATCH { return status_code::out_of_memory; }
        return detail::check_of(inner_);
    }
    status refuse(const detail::shared_pointer<shared_problem>& why, const char* sentence) {
        if (sentence) why->problem.sentence = sentence;
        why_ = detail::shared_pointer<const shared_problem>(why.get());
        return status::invalid("triggered", "triggers", 0, "cannot be used: see why()");
    }
    void begin() noexcept { places_.begin({.inner = inner_.mark()}); }
    void push(place next) noexcept {
        next.inner = inner_.mark();
        places_.push(next);
    }
    activity doing() const noexcept { return places_.now().doing; }
    bool is_token(token_id token) const noexcept { return token >= 0 && std::size_t(token) < data_->trie->size(); }
    /// Whether the constraint is complete, and free text may follow.
    bool can_leave() const noexcept {
        return is_awake() && after_ != after_constraint::once && detail::is_complete(inner_);
    }
    /// Where free text is read from: behind the constraint, where that is awake.
    place place_of_free_text() const noexcept {
        place at = places_.now();
        if (is_awake()) leave(at);
        return at;
    }
    void leave(place& from) const noexcept {
        from.doing = after_ == after_constraint::free ? activity::free : activity::waiting;
        from.state = {};
    }
    /// Whether that was the end of the text.
    bool leave_where_finished(place& at) const noexcept {
        if (at.doing != activity::constrained || !detail::is_finished(inner_)) return false;
        if (after_ == after_constraint::once) return true;
        leave(at);
        return false;
    }
    step accept_inside(token_id token) noexcept {
        step taken = inner_.accept(token);
        if (taken.refused) return taken;
        place next = places_.now();
        const bool is_over = taken.finished || detail::is_finished(inner_);
        taken.finished = data_->trie->ends_text(token) || (is_over && after_ == after_constraint::once);
        if (data_->trie->ends_text(token)) next.doing = activity::ended;
        else if (is_over && after_ != after_constraint::once) leave(next);
        push(next);
        return taken;
    }

    status accepted_bytes(place next) noexcept {
        leave_where_finished(next);
        push(next);
        return {};
    }

    // ---- free text

    bool fires(const text& bytes, automaton_state from) const noexcept {
        data_->read_to_firing(bytes, from);
        return data_->automaton.has_fired(from);
    }
    bool is_trigger(token_id token) const noexcept {
        return std::binary_search(data_->tokens.begin(), data_->tokens.end(), token);
    }
    /// Reads some bytes, and wakes the constraint where a trigger is complete in them. Where it refuses what lies
    /// behind that nothing has changed.
    status read(const read_bytes& of, place& at) noexcept {
        const text rest = data_->read_to_firing(of, at.state);
        if (!data_->automaton.has_fired(at.state)) return {};
        const status woken = wake(inner_, at.state, rest);
        if (!woken.ok()) return woken;
        awaken(at);
        return {};
    }
    static void awaken(place& at) noexcept {
        at.doing = activity::constrained;
        ++at.begun;
    }
    status wake_behind_token(token_id token, Matcher& constraint) const noexcept {
        return data_->begins_with_trigger ? detail::begin_again_with(constraint, token)
                                          : detail::begin_again(constraint);
    }
    /// The constraint, from its beginning: the trigger that ended in a state, where it begins with that, and the rest
    /// of a token.
    status wake(Matcher& constraint, const automaton_state& fired, const text& rest) const noexcept {
        const text trigger = data_->begins_with_trigger ? text(data_->words[data_->automaton.word_at(fired)]) : text();
        return detail::begin_again_with(constraint, trigger, rest);
    }
    /// Whether a token of free text is legal: it does not wake the constraint in a way that this refuses.
    bool is_legal_behind(automaton_state state, token_id token) const noexcept {
        if (data_->trie->ends_text(token)) return true;
        if (is_trigger(token)) {
            if (!data_->begins_with_trigger) return true;
            Matcher probe = inner_;
            return wake_behind_token(token, probe).ok();
        }
        const text rest = data_->read_to_firing(data_->bytes_of(token), state);
        if (!data_->automaton.has_fired(state)) return true;
        if (rest.empty() && !data_->begins_with_trigger) return true;
        Matcher probe = inner_;
        return wake(probe, state, rest).ok();
    }

    // ---- masks of free text

    /// Of the present state, or of the beginning where the constraint may end.
    const detail::all_but_few* find_mask() const noexcept {
        const automaton_state state = place_of_free_text().state;
        const std::uint64_t key = state.key();
        if (mask_ && mask_key_ == key) return mask_.get();
        mask_ = data_->masks.find(key);
        mask_key_ = key;
        if (!mask_) make_mask(state);
        return mask_.get();
    }
    void make_mask(const automaton_state& state) const noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<detail::all_but_few> made(new detail::all_but_few());
            bool has_room = true;
            Matcher probe = inner_;
            const auto check_token = [&](token_id token, std::size_t read, const automaton_state& fired) {
                const text bytes = data_->trie->piece(token);
                if (is_trigger(token)) return;  // as a whole
                if (read == bytes.size() && !data_->begins_with_trigger) return;
                if (!wake(probe, fired, bytes.part(read)).ok()) has_room &= made->hidden.push(token);
            };
            data_->firing.each_firing(
                state,
                [&](std::size_t node, const automaton_state& fired) {
                    const auto& tree = data_->trie->tree();
                    const std::size_t read = tree.nodes[node].depth();
                    const std::uint32_t end = tree.first_of[node + tree.nodes[node].size()];
                    for (std::uint32_t t = tree.first_of[node]; t < end; ++t) check_token(tree.tokens[t], read, fired);
                },
                check_token);
            add_other_hidden(state, *made, has_room);
            if (!has_room || !made->finish(data_->trie->size())) return;
            mask_ = detail::shared_pointer<const detail::all_but_few>(made.get());
            data_->masks.keep(state.key(), mask_);
        }
        RIFFLE_CATCH {}  // check() says so
    }
    /// Tokens of one text as another, those that have only names, and triggers.
    void add_other_hidden(const automaton_state& state, detail::all_but_few& made, bool& has_room) const {
        made.hide_duplicates(data_->trie->tree(), has_room, [this](token_id token) { return !is_trigger(token); });
        for (const token_id token : data_->trie->control_tokens())
            if (!is_legal_behind(state, token)) has_room &= made.hidden.push(token);
        for (const token_id token : data_->tokens)
            if (!data_->trie->is_control(token) && !is_legal_behind(state, token)) has_room &= made.hidden.push(token);
    }
    /// Those of free text, and those with which the constraint goes on.
    legal_tokens legal_where_it_may_end() const noexcept {
        const detail::all_but_few* const mask = find_mask();
        if (!mask) return legal_tokens::of_ids({});
        legal_tokens outside = mask->legal();
        if (outside.are_all) return outside;
        auto& words = own_.words;
        words.clear();
        if (!words.append(outside.words.data(), outside.words.size())) return legal_tokens::of_ids({});
        std::size_t count = outside.count;
        for (const token_id token : mask->hidden) {
            if (!inner_.allows(token)) continue;
            words[std::size_t(token) / 32] |= 1u << (std::uint32_t(token) % 32);
            ++count;
        }
        return legal_tokens::of_words({words.data(), words.size()}, count);
    }

    Matcher inner_;
    detail::shared_pointer<const detail::trigger_data> data_;
    detail::shared_pointer<const shared_problem> why_;
    detail::recent_places<place> places_;
    after_constraint after_ = after_constraint::once;
    status problem_;
    mutable detail::shared_pointer<const detail::all_but_few> mask_;
    mutable std::uint64_t mask_key_ = 0;
    mutable detail::mask_storage own_;
};
template <class Matcher>
triggered(Matcher, triggers, after_constraint) -> triggered<Matcher>;
template <class Matcher>
triggered(Matcher, triggers) -> triggered<Matcher>;

}  // namespace riffle
