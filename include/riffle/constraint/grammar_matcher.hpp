#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <riffle/constraint/captures/capture.hpp>
#include <riffle/constraint/captures/capture_finder.hpp>
#include <riffle/constraint/captures/text_log.hpp>
#include <riffle/constraint/grammar.hpp>
#include <riffle/constraint/grammar_limits.hpp>
#include <riffle/constraint/lazy_automaton.hpp>
#include <riffle/constraint/matcher_status.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/state_id.hpp>
#include <riffle/constraint/state_path.hpp>
#include <riffle/constraint/token_automaton.hpp>
#include <riffle/constraint/token_mask.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/constraint/words_of_few.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Where a text stands in a grammar: which tokens may come next, and what a token leads to.
///
///     vocabulary_trie trie(words);                       // once for a model
///     parsed<grammar> g = parse_gbnf(source);
///     grammar_matcher m(*g, trie);
///     if (m.allows(token)) m.accept(token);
///
/// What was once worked out for a grammar and a vocabulary is kept, and shared by all their matchers on any number of
/// threads: a mask costs microseconds the first time and a load after that. A copy is a clone of some 700 bytes that
/// goes on by itself. One matcher is used by one thread at a time, as a chain is: a call that changes nothing a caller
/// can see may move it to fresh caches.
///
/// A call that fails changes nothing. Nothing throws, but for the functions that give out a std::string or a
/// std::vector.
template <class Grammar>
class basic_grammar_matcher {
public:
    /// How many tokens can be taken back.
    static constexpr std::size_t rollback_depth = detail::state_path::rollback_depth;

    /// Without a grammar: no token is legal, and check() says so.
    basic_grammar_matcher() noexcept = default;
    /// At the beginning of a text. check() says what is wrong: a default grammar, a token that the grammar names and
    /// the vocabulary lacks, no memory.
    basic_grammar_matcher(const Grammar& language, const vocabulary_trie& trie) noexcept : basic_grammar_matcher() {
        if (!language) {
            if (language.data()) problem_ = status::invalid("constrain", "grammar", 0, "has a problem: see problem()");
            return;
        }
        problem_ = (trie.check)();
        if (problem_.ok()) problem_ = begin(language, trie);
    }
    /// A copy goes on by itself from where this one stands. What was moved from is a copy too, and can be used.
    basic_grammar_matcher(const basic_grammar_matcher&) noexcept = default;
    /// Stands where the other one does, over its grammar and vocabulary.
    basic_grammar_matcher& operator=(const basic_grammar_matcher&) noexcept = default;
    ~basic_grammar_matcher() = default;

    /// Whether a token can be chosen. Else: no_legal_token once the text has ended, or where it is complete and the
    /// vocabulary has no token that ends it; dead_end where no token can spell what may come next (the sentence names a
    /// byte that none begins with, or one that none goes on from as it should); or what is wrong with the matcher
    /// itself. Makes the mask.
    status(check)() const noexcept {
        if (!problem_.ok()) return problem_;
        if (now() == ended) return status::failed(status_code::no_legal_token, "constrain");
        detail::automaton_error why{};
        const detail::token_mask* const legal = mask(why);
        if (!legal) return status_of(why);
        if (legal->count() > 0) return {};
        if (is_complete()) return status::failed(status_code::no_legal_token, "constrain");  // there is no token for it
        return detail::dead_end_status(expected_bytes(), tokens_->trie()->first_bytes());
    }

    // ---- what is legal

    /// Packed 32-bit words, lowest bit first, 1 = legal: as many as the vocabulary needs, none where check() says what
    /// is wrong with the matcher, or there is no memory for them (legal_count() is not 0 then; a chain asks legal(),
    /// which needs none). Valid until the next call. O(1) in a state that was met; O(few) where few are legal.
    std::span<const std::uint32_t> legal_words() const noexcept {
        const detail::token_mask* const legal = mask();
        if (!legal && now() == ended) return words_.none(trie_.data()->word_count());
        if (!legal) return {};
        return legal->are_few() ? words_.of(*legal, trie_.data()->word_count()) : legal->words();
    }
    /// How many tokens are legal; 0 once the text has ended, and where check() says why. Makes the mask.
    std::size_t legal_count() const noexcept {
        const detail::token_mask* const legal = mask();
        return legal ? legal->count() : 0;
    }
    /// The legal tokens, ascending, where there are at most 64, or V / 64 of V tokens if that is more; else empty, and
    /// legal_words() has them. Valid until the next call. Makes the mask.
    std::span<const token_id> legal_ids() const noexcept {
        const detail::token_mask* const legal = mask();
        return legal ? legal->ids() : std::span<const token_id>();
    }
    /// The legal tokens with their number: ids where they are few, else words. Valid until the next call.
    legal_tokens legal() const noexcept {
        const detail::token_mask* const legal = mask();
        if (!legal) return legal_tokens::of_words({}, 0);
        return legal->are_few() && legal->count() > 0 ? legal_tokens::of_ids(legal->ids())
                                                      : legal_tokens::of_words(legal->words(), legal->count());
    }
    /// Whether a token may come next. No mask is made: O(its bytes).
    bool allows(token_id token) const noexcept {
        const detail::state_id to = state_after(token);
        return to >= 0 || to == ended;
    }
    /// How many bytes of a token the grammar can read from here: the place of the first one that it cannot, or all of
    /// them. 0 for tokens that are not read by their bytes (control tokens, unknown ids).
    std::size_t refused_at(token_id token) const noexcept {
        const text piece = trie_.piece(token);
        if (!tokens_ || now() < 0 || !tokens_->trie()->is_read_by_bytes(token)) return 0;
        std::size_t read = 0;
        ask_with_room([&](detail::lazy_automaton& a) {
            detail::state_id at = now();
            for (read = 0; read < piece.size(); ++read)
                if ((at = a.next(at, std::uint8_t(piece[read]))) < 0) break;
            return at;
        });
        return read;
    }
    /// The bytes that may come next. O(ways in which the text can be read).
    byte_set expected_bytes() const noexcept {
        byte_set all;
        if (now() < 0) return all;
        for (const detail::configuration& c : state().configurations())
            for (const detail::byte_edge& e : tokens_->grammar().edges_of(c.node)) all.add(e.first, e.last);
        return all;
    }
    /// Whether the text may end here.
    bool is_complete() const noexcept { return now() == ended || (now() >= 0 && state().is_accepting); }
    /// Whether nothing but an end may follow, or it came.
    bool is_finished() const noexcept {
        return now() == ended || (now() >= 0 && state().is_accepting && state().count == 0);
    }

    // ---- what has come

    /// Takes a token. step::finished says that the text is complete and nothing but an end may follow, or that this was
    /// the end. One that is not legal is refused (stage_failed). A token that ends generation, but is named by the
    /// grammar in this place, is read as the grammar has it. O(its bytes) in states that were met.
    step accept(token_id token) noexcept {
        const detail::state_id to = state_after(token);
        if (to < 0 && to != ended) return step::refusal(refusal(to));
        if (!log_.push_token(token)) return step::refusal(status_code::out_of_memory);
        path_.push(to);
        step taken;
        taken.finished = is_finished();
        return taken;
    }
    /// Whether accept would take it.
    status can_accept(token_id token) const noexcept {
        const detail::state_id to = state_after(token);
        return to >= 0 || to == ended ? status() : refusal(to);
    }
    /// Takes some bytes, all of them or none; they count as one token.
    status accept_bytes(const text& bytes) noexcept {
        if (now() < 0) return refusal(now());
        const detail::state_id to =
            ask_with_room([&](detail::lazy_automaton& a) { return tokens_->next(a, now(), bytes); });
        if (to < 0) return refusal(to);
        if (!log_.push_bytes(bytes)) return status_code::out_of_memory;
        path_.push(to);
        return {};
    }
    /// Back to the beginning, of another text perhaps: marks of before mean nothing any more.
    void reset() noexcept {
        if (problem_.ok()) (void)begin_text();  // it cannot fail: the first state is there
        log_.clear();
    }
    /// Begins another text, and takes some bytes of it, which come in two parts: all that counts as one token, and
    /// rollback goes back behind it, which it does not behind reset(). Where the bytes are refused nothing changes.
    status restart(const text& first = {}, const text& behind = {}) noexcept {
        return restart_with(
            [&](detail::lazy_automaton& a) {
                const detail::state_id to = first.empty() ? a.start() : tokens_->next(a, a.start(), first);
                return to < 0 || behind.empty() ? to : tokens_->next(a, to, behind);
            },
            [&] { return log_.push_beginning(first, behind); });
    }
    /// Begins another text with a token.
    status restart(token_id token) noexcept {
        return restart_with([&](detail::lazy_automaton& a) { return tokens_->next(a, a.start(), token); },
                            [&] { return log_.push_beginning(token); });
    }

    // ---- going back

    /// How many tokens have come since the beginning; accept_bytes counts as one.
    std::uint64_t mark() const noexcept { return path_.mark(); }
    /// Back to a mark. mark_unknown: it lies ahead of here; rewind_too_far: it lies more than 128 tokens before the
    /// farthest place that was reached since reset().
    status rollback(std::uint64_t mark) noexcept {
        const std::uint64_t earlier = path_.mark();
        const status gone = path_.rollback(mark);
        if (gone.ok()) log_.pop(earlier - mark);
        return gone;
    }

    // ---- what was captured

    /// The texts of the captured parts (see captured()), in the order in which they begin; those that go on at present
    /// have is_whole = false. Of several ways in which the text can be read one counts, the same each time. A matcher
    /// of a grammar with captures keeps its tokens, 4 bytes each; one of another grammar keeps nothing.
    ///
    /// Throws std::bad_alloc. Reads the whole text anew: about a microsecond a byte. Empty where it can be read in so
    /// many ways that 8 million steps do not tell.
    std::vector<capture> captures() const {
        if (!log_.is_kept() || !tokens_) return {};
        return detail::capture_finder(tokens_->grammar(), grammar_->rules, *tokens_->trie(), tokens_->references())
            .find(log_.last_text());
    }

    // ---- what is certain

    /// Writes the tokens that must follow, one after the other, as long as each is the only legal one; answers how
    /// many. An end of the text is not among them. Sampling one by one would have given them too, whatever the logits:
    /// evaluate them in one batch and accept each in the chain.
    ///
    /// Accepting uses no draw up, so the tokens after them are those that sampling one by one would have given. The
    /// exceptions are stages that learn from what they choose (mirostat, mirostat_v2, adaptive_p), which learn nothing
    /// of a token that they did not choose; and chains under numerics::llama that draw, since llama.cpp's generators
    /// use a number up for a single candidate too.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        basic_grammar_matcher ahead = *this;
        ahead.log_.forget();
        std::size_t count = 0;
        while (count < into.size() && ahead.legal_count() == 1) {
            const token_id only = ahead.legal_ids()[0];
            if (ahead.tokens_->trie()->ends_text(only) || ahead.accept(only).refused) break;  // at a limit, perhaps
            into[count++] = only;
        }
        return count;
    }
    /// As a vector of at most `most` tokens. Throws std::bad_alloc.
    std::vector<token_id> forced_run(std::size_t most = 64) const {
        std::vector<token_id> run(most);
        run.resize(forced_run(std::span<token_id>(run.data(), run.size())));
        return run;
    }
    /// The bytes that must follow, as long as each is the only one and the text may not end. A model would spell them
    /// in tokens of its own choice: see forced_tokens().
    std::string forced_bytes(std::size_t most = 4096) const {
        basic_grammar_matcher ahead = *this;
        ahead.log_.forget();
        std::string bytes;
        while (bytes.size() < most && ahead.now() >= 0 && !ahead.is_complete() && !ahead.expects_a_token()) {
            const byte_set next = ahead.expected_bytes();
            if (next.size() != 1) break;
            const char only = char(next.first());
            if (!ahead.accept_bytes({&only, 1}).ok()) break;
            bytes += only;
        }
        return bytes;
    }

    /// Whether a legal token begins with these bytes, one at least, and has more behind them. O(tokens that begin with
    /// them).
    bool goes_beyond(const text& bytes) const noexcept {
        const legal_tokens now_legal = legal();
        if (!tokens_ || now_legal.count == 0 || bytes.empty()) return false;
        const detail::token_tree& tree = tokens_->trie()->tree();
        const std::size_t at = tree.find(bytes);
        for (std::size_t i = at + 1; at < tree.nodes.size() && i < at + tree.nodes[at].size(); ++i)
            if (const std::uint32_t token = tree.nodes[i].token();
                token != detail::token_tree::no_token && now_legal.contains(token_id(token)))
                return true;
        for (const token_id token : tokens_->trie()->long_tokens())
            if (trie_.piece(token).size() > bytes.size() && trie_.piece(token).starts_with(bytes) &&
                now_legal.contains(token))
                return true;
        return false;
    }

    /// The vocabulary that it was made for.
    const vocabulary_trie& trie() const noexcept { return trie_; }

private:
    /// Beside the states: an end has come.
    enum : detail::state_id { ended = -100 };

    status begin(const Grammar& language, const vocabulary_trie& trie) noexcept {
        RIFFLE_TRY { tokens_ = language.data()->over(trie.data()); }
        RIFFLE_CATCH { return status_code::out_of_memory; }
        grammar_ = language.data();
        trie_ = trie;
        if (!tokens_->problem().ok()) return tokens_->problem();
        if (tokens_->grammar().has_captures && !log_.begin()) return status_code::out_of_memory;
        return begin_text();
    }
    status begin_text() noexcept {
        detail::shared_pointer<detail::lazy_automaton> first;
        const detail::automaton_error why = tokens_->first(first);
        if (why != detail::automaton_error::none) return status_of(why);
        path_.begin(first);
        words_.forget();
        return {};
    }

    detail::state_id now() const noexcept { return path_.now(); }
    const detail::text_state& state() const noexcept { return path_.state(); }
    bool expects_a_token() const noexcept {
        for (const detail::configuration& c : state().configurations())
            if (!tokens_->grammar().token_edges_of(c.node).empty()) return true;
        return false;
    }

    /// Where a token leads: a state, ended, dead, or why there is no telling.
    detail::state_id state_after(token_id token) const noexcept {
        if (now() < 0) return detail::dead;
        const detail::state_id to =
            ask_with_room([&](detail::lazy_automaton& a) { return tokens_->next(a, now(), token); });
        if (to != detail::dead) return to;
        return state().is_accepting && tokens_->trie()->ends_text(token) ? detail::state_id{ended} : to;
    }
    const detail::token_mask* mask() const noexcept {
        detail::automaton_error why{};
        return mask(why);
    }
    const detail::token_mask* mask(detail::automaton_error& why) const noexcept {
        if (now() < 0) return nullptr;
        const detail::token_mask* legal = nullptr;
        why = detail::error_of(ask_with_room([&](detail::lazy_automaton& a) {
            detail::automaton_error error{};
            legal = tokens_->mask(a, now(), error);
            return detail::failed(error);
        }));
        return legal;
    }
    template <class Ask, class Log>
    status restart_with(Ask ask, Log log) noexcept {
        if (!problem_.ok()) return problem_;
        const detail::state_id to = ask_with_room(ask);
        if (to < 0) return refusal(to);
        if (!log()) return status_code::out_of_memory;
        path_.push(to);
        words_.forget();
        return {};
    }
    template <class Ask>
    detail::state_id ask_with_room(Ask ask) const noexcept {
        const detail::state_id answer = ask(path_.automaton());
        if (detail::error_of(answer) != detail::automaton_error::full) return answer;
        words_.forget();
        return path_.ask_others(*tokens_, ask);
    }

    /// Why there is no way on from here.
    status refusal(detail::state_id to) const noexcept {
        return to == ended ? status::failed(status_code::stage_failed, "constrain") : status_of(detail::error_of(to));
    }
    status status_of(detail::automaton_error why) const noexcept {
        return detail::status_of(why, tokens_ ? tokens_->limits() : grammar_limits{});
    }

    detail::shared_pointer<const detail::grammar_data> grammar_;  ///< what the others refer to
    vocabulary_trie trie_;
    detail::shared_pointer<detail::token_automaton> tokens_;
    mutable detail::state_path path_;
    mutable detail::words_of_few words_;
    detail::text_log log_;
    status problem_ = status::invalid("constrain", "grammar", 0, "is not set");
};
using grammar_matcher = basic_grammar_matcher<grammar>;

}  // namespace riffle
