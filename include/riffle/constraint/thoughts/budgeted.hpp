#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <riffle/constraint/constrain.hpp>
#include <riffle/constraint/forced_tokens.hpp>
#include <riffle/constraint/mask_storage.hpp>
#include <riffle/constraint/no_constraint.hpp>
#include <riffle/constraint/recent_places.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/thoughts/opening_tokens.hpp>
#include <riffle/constraint/thoughts/thought_rules.hpp>
#include <riffle/constraint/thoughts/thought_tags.hpp>
#include <riffle/constraint/triggers/inner_matcher.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// A model's thoughts within a budget, and beside them a constraint for what it says aloud, which sleeps while it
/// thinks.
///
///     const thought_tags tags(trie, reasoning_budget{.tokens = 500, .message = "\nI have to answer now.\n"});
///     auto c = constrain{budgeted(tags, grammar_matcher(*answer, trie))} |
///              soft_landing{.tags = tags, .anywhere = false} | dist{.seed = 1};
///
/// Thoughts begin with a tag, at the beginning of the constrained text or behind other thoughts; where the constraint
/// lets any text pass (as `triggered` does while it waits), anywhere. Once the budget is spent, and a character is
/// whole (by the bytes of all tokens, not of the last one; one that is broken is not waited for), the message and the
/// end are the only legal tokens: forced_run has them, to be evaluated in one batch. Thoughts may also end by
/// themselves. White space behind the end, four tokens at most, is nobody's; then the constraint is asked again, at the
/// beginning of its text if thoughts began there, whatever of the tag it took for its own. A token in which thoughts
/// end and which goes on in a way that the constraint refuses is not legal. Nothing in the thoughts triggers anything,
/// and no trigger is found across them.
///
/// Nothing throws; check() says what is wrong with the tags, or outside of thoughts with the constraint. A call that
/// fails changes nothing. Copies go on by themselves. The matcher's mark stands for 24 bytes of its own, and the
/// constraint's mark. Cost of a token: its bytes, and outside of thoughts the constraint's. (The file is long because
/// what is legal, what is taken and what is taken back are one machine.)
template <token_matcher Matcher = no_constraint>
class budgeted {
public:
    /// How many tokens can be taken back.
    static constexpr std::size_t rollback_depth = 128;

    /// Of a matcher that stands at the beginning.
    explicit budgeted(thought_tags tags, Matcher constraint = Matcher()) noexcept
        : tags_(std::move(tags)), inner_(std::move(constraint)) {
        RIFFLE_TRY { masks_ = detail::shared_pointer<masks>(new masks()); }
        RIFFLE_CATCH {}  // check() says so
        begin();
    }

    /// The constraint outside of thoughts.
    const Matcher& constraint() const noexcept { return inner_; }
    /// Whether the model is within thoughts, the end that the budget forces included.
    bool is_thinking() const noexcept { return places_.now().thoughts.is_inside(); }
    /// Whether the end of thoughts is being written, since the budget is spent.
    bool is_forcing() const noexcept { return doing() == detail::thinking::forcing; }
    /// Tokens that are left of the budget within thoughts; -1: no limit, or outside.
    std::int64_t tokens_left() const noexcept {
        const detail::thought_state& s = places_.now().thoughts;
        const bool counts = doing() == detail::thinking::counting && s.tokens_left != detail::thought_rules::unlimited;
        return counts ? std::int64_t{s.tokens_left} : -1;
    }
    /// Ends the thoughts, as if the budget were spent; false outside of them, or where they end already. That is no
    /// token, so going back to where it was done does not undo it: only to an earlier mark does.
    bool end_thoughts() noexcept {
        if (doing() != detail::thinking::counting) return false;
        place now = places_.now();
        rules().force(now.thoughts);
        places_.change(now);
        return true;
    }

    // ---- what a chain asks

    /// What is wrong with the tags, or outside of thoughts with the constraint; out_of_memory.
    status(check)() const noexcept {
        if (!(tags_.check)().ok()) return (tags_.check)();
        if (!masks_) return status_code::out_of_memory;
        if (places_.now().has_ended) return status::failed(status_code::no_legal_token, "budgeted");
        if (is_thinking()) return is_forcing() || find_mask() ? status() : status(status_code::out_of_memory);
        if (is_free() && !find_beginnings()) return status_code::out_of_memory;
        const status inner =
            is_in_step() ? detail::check_of(inner_) : status::failed(status_code::dead_end, "budgeted");
        return !inner.ok() && may_open() && legal().count > 0 ? status() : inner;
    }
    /// The legal tokens. Valid until the next call.
    legal_tokens legal() const noexcept {
        if (!tags_.rules() || places_.now().has_ended) return legal_tokens::of_ids({});
        if (is_forcing()) return legal_tokens::of_ids({rules().forced.data() + places_.now().thoughts.tokens_left, 1});
        if (is_thinking()) {
            const detail::all_but_few* const mask = find_mask();
            return mask ? mask->legal() : legal_tokens::of_ids({});
        }
        const legal_tokens said = is_in_step() ? legal_tokens_of(inner_) : legal_tokens::of_ids({});
        const bool is_alone =
            is_free() ? is_all_of_free_text(said) : !may_open() && doing() != detail::thinking::behind;
        return said.are_all || is_alone ? said : legal_beside(said);
    }
    /// Whether accept would take it.
    bool allows(token_id token) const noexcept {
        if (!may_come(token)) return false;
        if (is_thinking() && (is_forcing() || rules().trie->ends_text(token))) return true;
        if (is_space_behind(token)) return true;
        detail::thought_state s = places_.now().thoughts;
        const detail::thought_step read = read_token(token, s);
        if (read.touches_thoughts()) return can_say(read);
        return is_thinking() || (is_in_step() && inner_.allows(token)) || s.may_open;
    }
    /// Why accept would refuse it.
    status can_accept(token_id token) const noexcept {
        if (allows(token)) return {};
        return (tags_.check)().ok() ? status::failed(status_code::stage_failed, "budgeted") : (tags_.check)();
    }
    /// Takes a token. step::finished is the constraint's; step::rewind is 1 where a token that ends generation is to be
    /// taken back (reasoning_budget::end_of_generation_ends_thoughts).
    step accept(token_id token) noexcept {
        if (!may_come(token)) return step::refusal(can_accept(token));
        place next = places_.now();
        step taken;
        if (is_thinking() && !is_forcing() && rules().trie->ends_text(token)) return end_text(next);
        if (is_space_behind(token)) {
            ++next.thoughts.tokens_left;
            push(next);
            return taken;
        }
        const bool was_thinking = is_thinking();
        const detail::thought_step read = read_token(token, next.thoughts);
        if (read.touches_thoughts()) {
            next.begun += begins_anew(read, next.is_fresh);
            if (const status said = say(read, inner_, next.is_fresh); !said.ok()) return step::refusal(said);
            next.is_in_step = true;
            taken.finished = !next.thoughts.is_inside() && !read.says_nothing() && detail::is_finished(inner_);
        } else if (!was_thinking) {
            if (is_in_step()) taken = inner_.accept(token);
            next.is_in_step = is_in_step() && !taken.refused;
            if (!next.is_in_step && !next.thoughts.may_open)
                return taken.refused ? taken : step::refusal(can_accept(token));
            if (!next.is_in_step) taken = {};  // it goes on with the beginning of a tag
            next.is_fresh = next.is_fresh && !next.is_in_step;
        }
        push(next);
        return taken;
    }
    /// To the beginning of another text: marks of before mean nothing any more.
    void reset() noexcept {
        inner_.reset();
        mask_ = {};
        begin();
    }
    /// How many tokens have come since the beginning.
    std::uint64_t mark() const noexcept { return places_.mark(); }
    /// Back to a mark. mark_unknown: it lies ahead of here; rewind_too_far: it lies more than 128 tokens back, or ahead
    /// of thoughts where the constraint cannot go back behind its beginning (see token_matcher). Taking a token back
    /// that ended generation within thoughts ends them, where that was asked for.
    status rollback(std::uint64_t mark) noexcept {
        status can = places_.can_go_to(mark);
        if (!can.ok()) return can;
        const place to = places_.at(mark);
        const bool lies_behind = detail::goes_back_behind_beginnings<Matcher> || to.begun == places_.now().begun;
        if (!lies_behind || !bool(inner_.rollback(to.inner))) return status_code::rewind_too_far;
        places_.go_to(mark);
        mask_ = {};
        if (force_at_ == mark + 1) end_at_once();
        force_at_ = 0;
        return can;
    }
    /// Begins another text that counts as one token: rollback goes back behind it.
    status restart() noexcept {
        const status begun = detail::begin_again(inner_);
        if (!begun.ok()) return begun;
        place first = first_place();
        first.begun = places_.now().begun + 1;
        push(first);
        return begun;
    }

    /// Whether the text may end here: outside of thoughts, where the constraint's may.
    bool is_complete() const noexcept { return !is_thinking() && is_in_step() && detail::is_complete(inner_); }
    /// Whether nothing but an end may follow, or it came.
    bool is_finished() const noexcept {
        return places_.now().has_ended || (!is_thinking() && is_in_step() && detail::is_finished(inner_));
    }
    /// Writes the tokens that must follow: the rest of the end that the budget forces, or outside of thoughts the
    /// constraint's, where no thoughts may begin; answers how many.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        if (!tags_.rules() || places_.now().has_ended) return 0;
        if (is_forcing()) {
            const std::span<const token_id> left =
                std::span<const token_id>(rules().forced).subspan(places_.now().thoughts.tokens_left);
            const std::size_t count = (std::min)(left.size(), into.size());
            std::copy_n(left.begin(), count, into.begin());
            return count;
        }
        const bool is_constraint_alone =
            !is_thinking() && is_in_step() && !may_open() && doing() != detail::thinking::behind;
        return is_constraint_alone ? detail::forced_run_of(inner_, into) : 0;
    }

private:
    struct place {
        detail::thought_state thoughts;
        std::uint64_t inner = 0;  ///< its mark
        std::uint32_t begun = 0;  ///< how often its text has begun anew
        /// Outside: the constraint has taken all of the text, and not only the tag's beginning.
        bool is_in_step = true;
        bool is_fresh = true;    ///< the constraint has taken nothing yet
        bool has_ended = false;  ///< a token has ended generation within thoughts
    };
    using token_list = detail::thought_rules::token_list;
    /// Of thoughts ahead of the constraint's text, by the state of the tags. Copies share them; other constraints with
    /// these tags have others.
    struct masks : detail::shared_object, detail::kept_by_key<detail::all_but_few> {};

    const detail::thought_rules& rules() const noexcept { return *tags_.rules(); }
    detail::thinking doing() const noexcept { return places_.now().thoughts.doing(); }
    place first_place() const noexcept {
        place first;
        if (tags_.rules()) first.thoughts = rules().begin();
        return first;
    }
    void begin() noexcept {
        place first = first_place();
        first.inner = inner_.mark();
        places_.begin(first);
        force_at_ = 0;
    }
    void push(place next) noexcept {
        next.inner = inner_.mark();
        places_.push(next);
        if (force_at_ != 0 && places_.mark() > force_at_) force_at_ = 0;
    }
    /// A token that ends generation has come within thoughts.
    step end_text(place next) noexcept {
        step taken;
        if (rules().budget.end_of_generation_ends_thoughts) {
            taken.rewind = 1;
            force_at_ = places_.mark() + 1;
        } else {
            taken.finished = next.has_ended = true;
        }
        push(next);
        return taken;
    }
    void end_at_once() noexcept {
        place now = places_.now();
        if (!now.thoughts.is_inside() || now.thoughts.doing() == detail::thinking::forcing) return;
        rules().force_at_once(now.thoughts);
        places_.change(now);
    }

    // ---- tokens in which thoughts begin or end

    /// Whether a token is one, and nothing else is forced.
    bool may_come(token_id token) const noexcept {
        if (!tags_.rules() || places_.now().has_ended) return false;
        if (token < 0 || std::size_t(token) >= rules().trie->size()) return false;
        return !is_forcing() || token == rules().forced[places_.now().thoughts.tokens_left];
    }
    /// Whether the constraint lets any text pass, in which thoughts may begin anywhere.
    bool is_free() const noexcept { return is_in_step() && detail::passes_free_text(inner_); }
    detail::thought_step read_token(token_id token, detail::thought_state& s) const noexcept {
        const bool free = is_free();
        const std::size_t bytes =
            free && !s.is_inside() ? detail::free_text_of(inner_, token, rules().shown(token)) : 0;
        return rules().read(token, s, bytes, free);
    }
    /// Tells the constraint what of a token is not thought: parts of free text, or behind thoughts the beginning of its
    /// text, where it has taken the tag's beginning for its own.
    status say(const detail::thought_step& read, Matcher& constraint, bool& is_fresh) const noexcept {
        if (read.is_too_long) return status::failed(status_code::stage_failed, "budgeted");
        if (is_free()) {
            is_fresh = is_fresh && read.says_nothing();
            const bool has_heard_nothing = is_fresh || read.parts == 0;
            return has_heard_nothing ? status() : detail::accept_parts_of(constraint, read.all_said());
        }
        const text behind = read.parts > 0 ? read.said[read.parts - 1] : text();
        const bool is_anew = begins_anew(read, is_fresh);
        is_fresh = behind.empty() && (is_anew || is_fresh);
        if (is_anew) return detail::begin_again_with(constraint, behind, {});
        return behind.empty() ? status() : detail::accept_bytes_of(constraint, behind);
    }
    bool begins_anew(const detail::thought_step& read, bool is_fresh) const noexcept {
        return read.begins && !is_fresh && !is_free();
    }
    bool can_say(const detail::thought_step& read) const noexcept {
        if (read.says_nothing() && !read.is_too_long) return true;
        Matcher probe = inner_;
        bool is_fresh = places_.now().is_fresh;
        return say(read, probe, is_fresh).ok();
    }

    // ---- outside of thoughts

    bool may_open() const noexcept { return !is_thinking() && places_.now().thoughts.may_open; }
    bool is_in_step() const noexcept { return places_.now().is_in_step; }
    bool is_space_behind(token_id token) const noexcept {
        return doing() == detail::thinking::behind &&
               places_.now().thoughts.tokens_left < detail::thought_rules::most_space &&
               std::binary_search(rules().spaces.begin(), rules().spaces.end(), token);
    }
    /// What the constraint says, white space behind thoughts, and beginnings of a tag; but a token in which thoughts
    /// begin is asked for by itself.
    legal_tokens legal_beside(const legal_tokens& said) const noexcept {
        const std::size_t size = rules().trie->size();
        auto& words = own_.words;
        words.clear();
        if (!words.resize((size + 31) / 32, 0)) return legal_tokens::of_ids({});
        std::size_t count = 0;
        const auto set = [&](token_id token, bool is_legal) {
            std::uint32_t& held = words[std::size_t(token) / 32];
            const std::uint32_t bit = 1u << (std::uint32_t(token) % 32);
            if (((held & bit) != 0) == is_legal) return;
            count += is_legal ? 1 : std::size_t(-1);
            held ^= bit;
        };
        said.each(size, [&](std::size_t id) { set(token_id(id), true); });
        if (doing() == detail::thinking::behind &&
            places_.now().thoughts.tokens_left < detail::thought_rules::most_space)
            for (const token_id token : rules().spaces) set(token, true);
        if (may_open() && !is_free())
            each_opening(rules(), places_.now().thoughts.tag, [&](token_id token) { set(token, allows(token)); });
        if (const token_list* const beginnings = is_free() ? find_beginnings() : nullptr)
            for (const token_id token : beginnings->tokens) set(token, allows(token));
        return legal_tokens::of_words({words.data(), words.size()}, count);
    }
    /// Whether the constraint's own tokens are the legal ones, where it lets any text pass: they are, but where a token
    /// in which thoughts begin goes on as it could not, or as it alone could.
    bool is_all_of_free_text(const legal_tokens& said) const noexcept {
        const token_list* const beginnings = find_beginnings();
        if (said.are_all || !beginnings) return true;
        for (const token_id token : beginnings->tokens)
            if (said.contains(token) != allows(token)) return false;
        if (doing() != detail::thinking::behind) return true;
        return std::all_of(rules().spaces.begin(), rules().spaces.end(),
                           [&](token_id token) { return said.contains(token) == allows(token); });
    }
    /// The tokens in which thoughts begin in the middle of free text, and that hold more than the tag.
    const token_list* find_beginnings() const noexcept {
        const std::uint32_t tag = places_.now().thoughts.tag;
        if (beginnings_ && beginnings_of_ == tag) return beginnings_.get();
        beginnings_ = rules().beginnings.find(tag);
        beginnings_of_ = tag;
        if (beginnings_) return beginnings_.get();
        RIFFLE_TRY {
            detail::shared_pointer<token_list> made(new token_list());
            bool has_room = true;
            rules().each_beginning(tag, [&](token_id token) { has_room &= made->tokens.push(token); });
            if (!has_room) return nullptr;
            beginnings_ = detail::shared_pointer<const token_list>(made.get());
            rules().beginnings.keep(tag, beginnings_);
        }
        RIFFLE_CATCH {}  // check() says so
        return beginnings_.get();
    }
    // ---- within thoughts

    /// All tokens but those that end the thoughts and go on as the constraint cannot.
    const detail::all_but_few* find_mask() const noexcept {
        const place& now = places_.now();
        const std::uint64_t key = now.thoughts.tag;
        if (mask_ && mask_key_ == key && mask_is_of_ == now.inner) return mask_.get();
        mask_ = now.is_fresh && masks_ ? masks_->find(key) : detail::shared_pointer<const detail::all_but_few>();
        mask_key_ = key;
        mask_is_of_ = now.inner;
        if (!mask_) make_mask(now);
        return mask_.get();
    }
    void make_mask(const place& now) const noexcept {
        RIFFLE_TRY {
            detail::shared_pointer<detail::all_but_few> made(new detail::all_but_few());
            bool has_room = true;
            const auto check_token = [&](token_id token, std::size_t, const auto&) {
                if (rules().ends_and_goes_on(token, now.thoughts) && !allows(token))
                    has_room &= made->hidden.push(token);
            };
            const auto& tree = rules().trie->tree();
            rules().ending.each_firing(
                {now.thoughts.tag},
                [&](std::size_t node, const auto& fired) {
                    const std::uint32_t end = tree.first_of[node + tree.nodes[node].size()];
                    for (std::uint32_t t = tree.first_of[node]; t < end; ++t)
                        check_token(tree.tokens[t], tree.nodes[node].depth(), fired);
                },
                check_token);
            made->hide_duplicates(tree, has_room, [](token_id) { return true; });
            if (!has_room || !made->finish(rules().trie->size())) return;
            mask_ = detail::shared_pointer<const detail::all_but_few>(made.get());
            if (now.is_fresh && masks_) masks_->keep(now.thoughts.tag, mask_);
        }
        RIFFLE_CATCH {}  // check() says so
    }

    thought_tags tags_;
    Matcher inner_;
    detail::recent_places<place> places_;
    detail::shared_pointer<masks> masks_;
    std::uint64_t force_at_ = 0;  ///< a token that ends generation was taken as so many-th, and is to be taken back
    mutable detail::shared_pointer<const detail::all_but_few> mask_;
    mutable std::uint64_t mask_key_ = 0, mask_is_of_ = 0;
    mutable detail::shared_pointer<const token_list> beginnings_;
    mutable std::uint32_t beginnings_of_ = 0;  ///< which state of the tags
    mutable detail::mask_storage own_;
};
template <class Matcher>
budgeted(thought_tags, Matcher) -> budgeted<Matcher>;
budgeted RIFFLE_NOTHING(thought_tags)->budgeted<no_constraint>;

}  // namespace riffle
