#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/mask_storage.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/recent_places.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/triggers/firing_tokens.hpp>
#include <riffle/constraint/triggers/inner_matcher.hpp>
#include <riffle/constraint/triggers/trigger_automaton.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Where a constraint begins that a trigger has woken.
enum class constraint_begins : std::uint8_t {
    behind,           ///< behind the trigger
    with_the_trigger  ///< the trigger is the beginning of its text; not for patterns
};

/// What free text may turn into a constrained one. The first of them whose end comes counts; of those that end together
/// the longest.
struct triggers {
    std::vector<std::string> words = {};  ///< bytes, wherever tokens begin and end
    /// ECMA-262's regular expressions, as parse_regex reads them; the first end of a match fires. They may look behind
    /// with `^` to the beginning of the text, or of what follows the last constrained part.
    std::vector<std::string> patterns = {};
    std::vector<token_id> tokens = {};                     ///< control tokens, say
    constraint_begins begins = constraint_begins::behind;  ///< where the constraint begins
};

/// What follows when a constraint that was triggered is complete, and nothing more can be written of it.
enum class after_constraint : std::uint8_t {
    once,   ///< the end of the text
    free,   ///< free text, in which nothing is triggered
    rearm,  ///< free text, in which triggers wake it again
};

namespace detail {

/// What copies of a triggered matcher share.
template <class Automaton>
class basic_trigger_data : public shared_object {
public:
    Automaton automaton;
    std::vector<token_id> tokens;  ///< ascending
    std::vector<std::string> words;
    shared_pointer<const trie_data> trie;
    firing_tokens<Automaton> firing;
    mutable kept_by_key<all_but_few> masks;
    /// Reads a token up to where a trigger is complete; answers what of its bytes comes behind that. A control token is
    /// read by its name, but is no text: a trigger may end with the name, not inside of it.
    text read_to_firing(token_id token, typename Automaton::state& at) const noexcept {
        const text bytes = trie->piece(token);
        if (!trie->is_control(token) && !trie->is_read_by_bytes(token)) return {};
        const std::size_t read = firing.read_to_firing(bytes, at);
        if (trie->is_control(token) && read < bytes.size()) at = {};
        return bytes.part(read);
    }
    bool begins_with_trigger = false;
};
using trigger_data = basic_trigger_data<trigger_automaton>;

}  // namespace detail

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
/// that fails changes nothing. Copies go on by themselves and share what was found. Making one walks the vocabulary
/// once (some milliseconds for 150,000 tokens). Cost of a token of free text: its bytes, whatever has come before; a
/// state in the middle of a trigger is looked at once.
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
    bool is_awake() const noexcept { return places_.now().doing == activity::constrained; }
    /// What is wrong with the triggers: `where` is the one. Nothing in it where nothing is. Throws std::bad_alloc.
    parse_problem why() const { return why_ ? why_->problem : parse_problem(); }

    // ---- what a chain asks

    /// Whether a token can be chosen: what is wrong with the triggers, or while the constraint is awake its check().
    status(check)() const noexcept {
        if (!problem_.ok()) return problem_;
        if (places_.now().doing == activity::constrained && !can_leave()) return detail::check_of(inner_);
        return (is_waiting() || can_leave()) && !find_mask() ? status(status_code::out_of_memory) : status();
    }
    /// The legal tokens. Valid until the next call.
    legal_tokens legal() const noexcept {
        if (!problem_.ok()) return legal_tokens::of_ids({});
        switch (places_.now().doing) {
        case activity::constrained:
            if (!can_leave()) return legal_tokens_of(inner_);
            if (after_ == after_constraint::free) return legal_tokens::all();
            return legal_where_it_may_end();
        case activity::waiting: {
            const detail::all_but_few* const mask = find_mask();
            return mask ? mask->legal() : legal_tokens::of_ids({});
        }
        case activity::free: break;
        }
        return legal_tokens::all();
    }
    /// Whether accept would take it.
    bool allows(token_id token) const noexcept {
        if (!problem_.ok()) return false;
        const place& now = places_.now();
        if (now.doing == activity::free) return true;
        if (now.doing == activity::constrained) {
            if (inner_.allows(token)) return true;
            return can_leave() && (after_ == after_constraint::free || is_legal_behind({}, token));
        }
        return is_legal_behind(now.state, token);
    }
    /// Why accept would refuse it.
    status can_accept(token_id token) const noexcept {
        if (allows(token)) return {};
        return problem_.ok() ? status::failed(status_code::stage_failed, "triggered") : problem_;
    }
    /// Takes a token. step::finished: the constraint's text is complete and `then` is `once`, or this was the end.
    step accept(token_id token) noexcept {
        if (!problem_.ok()) return step::refusal(problem_);
        place next = places_.now();
        if (next.doing == activity::constrained) {
            const bool goes_on = inner_.allows(token);
            if (goes_on || !can_leave()) return accept_inside(token);
            leave(next);
        }
        step taken;
        taken.finished = data_->trie->ends_text(token);
        const std::uint64_t earlier = inner_.mark();
        if (next.doing == activity::waiting && !taken.finished) {
            const status fired = read(token, next);
            if (!fired.ok()) {
                inner_.rollback(earlier);
                return step::refusal(fired);
            }
            if (next.doing == activity::constrained && detail::is_finished(inner_)) {
                taken.finished = after_ == after_constraint::once;
                leave(next);
            }
        }
        next.inner = inner_.mark();
        places_.push(next);
        return taken;
    }
    /// To the beginning of another text: marks of before mean nothing any more.
    void reset() noexcept {
        inner_.reset();
        begin();
    }
    /// Begins another text that counts as one token: rollback goes back behind it.
    status restart() noexcept {
        const status begun = detail::begin_again(inner_);
        if (begun.ok()) places_.push({activity::waiting, {}, inner_.mark()});
        return begun;
    }
    /// How many tokens have come since the beginning.
    std::uint64_t mark() const noexcept { return places_.mark(); }
    /// Back to a mark. mark_unknown: it lies ahead of here; rewind_too_far: it lies more than 128 tokens back.
    status rollback(std::uint64_t mark) noexcept {
        status can = places_.can_go_to(mark);
        if (can.ok() && !bool(inner_.rollback(places_.at(mark).inner))) can = status_code::rewind_too_far;
        if (can.ok()) places_.go_to(mark);
        return can;
    }

    /// Whether the text may end here: always, but within a constraint that is not complete.
    bool is_complete() const noexcept {
        return places_.now().doing != activity::constrained || detail::is_complete(inner_);
    }
    /// Whether nothing but an end may follow.
    bool is_finished() const noexcept {
        return places_.now().doing == activity::constrained && after_ == after_constraint::once &&
               detail::is_finished(inner_);
    }
    /// The tokens that must follow: those of the constraint while it is awake.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        return is_awake() && !can_leave() ? detail::forced_run_of(inner_, into) : 0;
    }

private:
    enum class activity : std::uint8_t { waiting, constrained, free };
    using automaton_state = detail::trigger_automaton::state;
    struct place {
        activity doing = activity::waiting;
        automaton_state state = {};
        std::uint64_t inner = 0;  ///< its mark
    };
    struct shared_problem : detail::shared_object {
        parse_problem problem;
    };
    /// Words of one matcher: a copy makes its own.
    status build(const vocabulary_trie& trie, const triggers& by) noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<detail::trigger_data> made(new detail::trigger_data());
            detail::shared_pointer<shared_problem> why(new shared_problem());
            if (by.words.empty() && by.patterns.empty() && by.tokens.empty())
                return refuse(why, "there are no triggers");
            if (by.begins == constraint_begins::with_the_trigger && !by.patterns.empty())
                return refuse(why, "a constraint cannot begin with a pattern's match, only behind it");
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
    void begin() noexcept { places_.begin({activity::waiting, {}, inner_.mark()}); }
    bool is_waiting() const noexcept { return places_.now().doing == activity::waiting; }
    /// Whether the constraint is complete, and free text may follow.
    bool can_leave() const noexcept {
        return is_awake() && after_ != after_constraint::once && detail::is_complete(inner_);
    }
    void leave(place& from) const noexcept {
        if (after_ == after_constraint::once) return;
        from.doing = after_ == after_constraint::free ? activity::free : activity::waiting;
        from.state = {};
    }
    step accept_inside(token_id token) noexcept {
        const step inner = inner_.accept(token);
        if (inner.refused) return inner;
        place next = places_.now();
        step taken;
        taken.finished = data_->trie->ends_text(token);
        if (detail::is_finished(inner_) || inner.finished) {
            taken.finished |= after_ == after_constraint::once;
            leave(next);
        }
        next.inner = inner_.mark();
        places_.push(next);
        return taken;
    }

    // ---- a token of free text

    bool is_trigger(token_id token) const noexcept {
        return std::binary_search(data_->tokens.begin(), data_->tokens.end(), token);
    }
    /// Reads a token of free text, and wakes the constraint where a trigger is complete.
    status read(token_id token, place& at) noexcept {
        if (is_trigger(token)) return wake_behind_token(token, inner_, at);
        const text rest = data_->read_to_firing(token, at.state);
        if (!data_->automaton.has_fired(at.state)) return {};
        const status woken = wake(inner_, at.state, rest);
        at.doing = activity::constrained;
        return woken;
    }
    status wake_behind_token(token_id token, Matcher& constraint, place& at) const noexcept {
        status begun = detail::begin_again(constraint);
        if (begun.ok() && data_->begins_with_trigger) begun = refusal_of(constraint.accept(token));
        at.doing = activity::constrained;
        return begun;
    }
    /// The constraint, from its beginning: the trigger that ended in a state, where it begins with that, and the rest
    /// of a token.
    status wake(Matcher& constraint, const automaton_state& fired, const text& rest) const noexcept {
        status begun = detail::begin_again(constraint);
        if (begun.ok() && data_->begins_with_trigger)
            begun = detail::accept_bytes_of(constraint, text(data_->words[data_->automaton.word_at(fired)]));
        if (begun.ok() && !rest.empty()) begun = detail::accept_bytes_of(constraint, rest);
        return begun;
    }
    static status refusal_of(const step& taken) noexcept { return taken.refused ? taken.state : status(); }
    /// Whether a token of free text is legal: it does not wake the constraint in a way that this refuses.
    bool is_legal_behind(automaton_state state, token_id token) const noexcept {
        if (data_->trie->ends_text(token)) return true;
        place at;
        if (is_trigger(token)) {
            if (!data_->begins_with_trigger) return true;
            Matcher probe = inner_;
            return wake_behind_token(token, probe, at).ok();
        }
        const text rest = data_->read_to_firing(token, state);
        if (!data_->automaton.has_fired(state)) return true;
        if (rest.empty() && !data_->begins_with_trigger) return true;
        Matcher probe = inner_;
        return wake(probe, state, rest).ok();
    }

    // ---- masks of free text

    /// Of the present state, or of the beginning where the constraint may end.
    const detail::all_but_few* find_mask() const noexcept {
        const automaton_state state = is_waiting() ? places_.now().state : automaton_state{};
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
        const std::size_t found = made.hidden.size();
        for (const auto& d : data_->trie->tree().duplicates)
            for (std::size_t i = 0; i < found; ++i)
                if (made.hidden[i] == d.in_tree && !is_trigger(d.token)) has_room &= made.hidden.push(d.token);
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
