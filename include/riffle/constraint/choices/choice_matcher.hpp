#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint/choices/choice_data.hpp>
#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/longest_pieces.hpp>
#include <riffle/constraint/matcher_status.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_tree.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a choice_matcher ends a choice.
struct choice_options {
    /// What follows every choice, and ends it: `"` in JSON. Empty: a token that ends generation does.
    text end = {};
    /// Tokens may go on behind the end, with anything: `"}` may come where the end is `"`. For choices in the middle of
    /// a text; bytes_past_end() says how much of a token lies there.
    bool runs_past_end = false;
};

/// One of some texts, by its number: in every tokenisation, with choices that can be switched off and on at any time.
/// For the stage `constrain`, for guided, and for score_choices, which looks at whole choices.
///
///     choice_matcher action(trie, {"trade", "follow", "attack", "flee"});
///     action.enable(2, false);                       // not now
///     auto c = constrain{action} | greedy{};
///     ...
///     get<constrain<choice_matcher>>(c).matcher.chosen();     // 0, 1 or 3
///
/// Token by token the first token decides much: it has the probability of all choices that begin with it, and those
/// that follow cannot give it back. score_choices compares whole choices; its docstring has an example where they
/// disagree.
///
/// Nothing throws. Copies go on by themselves: they share the texts, and what is switched, until one of them changes it
/// (then it needs memory: enable and set_bias answer a status). Once a choice is there, only a token that ends
/// generation is legal. Equal texts are one choice in what is legal; chosen() is the first of them that is enabled. The
/// legal tokens of a place are found by walking the vocabulary's tree of bytes along the choices: O(legal tokens, and
/// bytes that are tried), and kept for the place. (The file is long because all that is asked of it is such a walk.)
template <class Trie>
class basic_choice_matcher {
    using data_type = detail::choice_data;
    using tree_type = detail::token_tree;

public:
    enum : std::int32_t { none = -1 };
    /// A mark is all that it knows of the text, so rollback goes back behind reset().
    static constexpr bool marks_are_whole = true;

    /// Of no choices: no token is legal, and check() says so.
    basic_choice_matcher() noexcept = default;
    /// score_choices takes each in the longest tokens, from the left.
    basic_choice_matcher(const Trie& trie, std::initializer_list<text> names,
                         const choice_options& options = {}) noexcept {
        build(trie, names, options, detail::longest_pieces(trie));
    }
    /// Of a std::vector<std::string>, or whatever else holds texts.
    template <class Names>
    basic_choice_matcher(const Trie& trie, const Names& names, const choice_options& options = {}) noexcept {
        build(trie, names, options, detail::longest_pieces(trie));
    }
    /// score_choices takes each in the tokens in which the model's own tokeniser spells it, which is what the model met
    /// in training: `tokenise(text)` gives a list of ids, as vocabulary::tokenise does. (In the longest tokens where
    /// that spells something else.)
    template <class Names, class Tokenise>
        requires(!std::is_same_v<Tokenise, choice_options>)
    basic_choice_matcher(const Trie& trie, const Names& names, Tokenise tokenise,
                         const choice_options& options = {}) noexcept {
        build(trie, names, options, tokenise);
    }

    // ---- the choices

    /// How many there are.
    std::size_t size() const noexcept { return data_ ? data_->names.size() : 0; }
    /// The text of one; empty for a number outside.
    text name(std::size_t choice) const noexcept { return choice < size() ? text(data_->names[choice]) : text(); }
    /// Switches one off, or on again: it counts from the next token on. O(bytes of the choice). invalid_parameter for a
    /// number outside; out_of_memory: nothing has changed.
    status enable(std::size_t choice, bool on) noexcept {
        if (is_enabled(choice) == on && choice < size()) return {};
        const status can = own_switches(choice);
        if (can.ok()) switches_->enable(*data_, choice, on);
        return can;
    }
    /// Whether one is on; false for a number outside.
    bool is_enabled(std::size_t choice) const noexcept { return choice < size() && switches_->is_enabled(choice); }
    /// A logarithm that score_choices adds to what the model says of a choice as a whole: log 2 makes it twice as
    /// likely, beside the others. (Token by token it has no meaning: see the class.) invalid_parameter for a number
    /// outside, and a NaN; out_of_memory: nothing has changed.
    status set_bias(std::size_t choice, float bias) noexcept {
        if (bias != bias) return status::invalid("choice_matcher", "bias", double(bias), "is not a number");
        const status can = own_switches(choice);
        if (can.ok()) switches_->set_bias(choice, bias);
        return can;
    }
    /// The bias of one; 0 for a number outside.
    float bias(std::size_t choice) const noexcept { return choice < size() ? switches_->bias(choice) : 0.0f; }
    /// Those that can still come, the greatest bias first, of equal ones the lowest number. Throws std::bad_alloc.
    std::vector<std::size_t> most_likely_first() const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < size(); ++i)
            if (is_enabled(i) && can_come(i)) order.push_back(i);
        std::sort(order.begin(), order.end(),
                  [this](std::size_t a, std::size_t b) { return bias(a) != bias(b) ? bias(a) > bias(b) : a < b; });
        return order;
    }
    /// The choice that was made, what follows it included; -1: none yet.
    std::int32_t chosen() const noexcept {
        if (!is_finished()) return none;
        for (std::size_t i = 0; i < size(); ++i)
            if (data_->end_of[i] == node_ && is_enabled(i)) return std::int32_t(i);
        return none;  // it was switched off behind that
    }
    /// Of the last token, the bytes that lie behind the end.
    std::size_t bytes_past_end() const noexcept { return past_end_; }

    // ---- what a chain asks

    /// Whether a token can be chosen: invalid_parameter where no choice is enabled, no_legal_token where one is there
    /// and no token ends the text, dead_end where no token can spell what has to come, out_of_memory.
    status(check)() const noexcept {
        if (is_out_of_memory_) return status_code::out_of_memory;
        if (!data_)
            return status::invalid("choice_matcher", "choices", 0, "are none: it was made without a vocabulary");
        if (!switches_->has_any(node_))
            return status::invalid("choice_matcher", "choices", double(size()), "are all off, or not those that began");
        if (ended_) return status::failed(status_code::no_legal_token, "choice_matcher");
        if (find_legal().empty() && !is_memory_full_) {
            if (is_finished()) return status::failed(status_code::no_legal_token, "choice_matcher");
            return detail::dead_end_status(expected_bytes(), trie_.data()->first_bytes());
        }
        return is_memory_full_ ? status(status_code::out_of_memory) : status();
    }
    /// The legal tokens; none where check() says why. Valid until the next call.
    legal_tokens legal() const noexcept { return legal_tokens::of_ids(data_ && !ended_ ? find_legal() : no_ids()); }
    /// Whether accept would take it. O(its bytes).
    bool allows(token_id token) const noexcept {
        std::uint32_t to = node_;
        std::size_t past = 0;
        return data_ && !ended_ && (ends(token) || read(token, to, past));
    }
    /// Why accept would refuse it.
    status can_accept(token_id token) const noexcept {
        return allows(token) ? status() : status::failed(status_code::stage_failed, "choice_matcher");
    }
    /// Takes a token. step::finished: the choice is there, and nothing but an end may follow.
    step accept(token_id token) noexcept {
        if (!allows(token)) return step::refusal(can_accept(token));
        past_end_ = 0;
        std::size_t past = 0;
        if (std::uint32_t to = node_; read(token, to, past)) node_ = to, past_end_ = std::uint32_t(past);
        else ended_ = true;
        step taken;
        taken.finished = is_finished();
        return taken;
    }
    /// To the beginning of a choice; what is switched stays.
    void reset() noexcept {
        node_ = past_end_ = 0;
        ended_ = false;
    }
    /// Where it stands, in 8 bytes; what is switched is no part of it.
    std::uint64_t mark() const noexcept {
        return std::uint64_t{node_} | std::uint64_t{past_end_} << 32 | std::uint64_t{ended_} << 63;
    }
    /// Back to a mark, however long ago. mark_unknown for one that cannot be of these choices.
    status rollback(std::uint64_t mark) noexcept {
        const auto node = std::uint32_t(mark);
        if (mark != 0 && (!data_ || node >= data_->bytes.size())) return status_code::mark_unknown;
        node_ = node;
        past_end_ = std::uint32_t(mark >> 32) & 0x7FFFFFFF;
        ended_ = mark >> 63 != 0;
        return {};
    }

    /// Whether the text may end here: a choice is there.
    bool is_complete() const noexcept { return data_ && (ended_ || is_end(node_)); }
    /// Whether nothing but an end may follow, or it came.
    bool is_finished() const noexcept { return is_complete() && (ended_ || past_end_ > 0 || !goes_on(node_)); }
    /// The bytes that may come next.
    byte_set expected_bytes() const noexcept {
        byte_set all;
        if (data_ && !ended_)
            for (std::uint32_t c = data_->bytes[node_].first; c < data_->bytes[node_].first + data_->bytes[node_].count;
                 ++c)
                if (switches_->has_any(c)) all.add(data_->bytes[c].byte);
        return all;
    }
    /// Writes the tokens that must follow, one after the other, as long as each is the only legal one; answers how
    /// many. Ends of the text are not among them.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        if (!data_) return 0;
        basic_choice_matcher ahead = *this;
        std::size_t count = 0;
        while (count < into.size() && !ahead.is_complete()) {
            token_id only = null_token;
            int found = 0;
            ahead.each_legal([&](token_id token) {
                only = token;
                return ++found < 2;
            });
            if (found != 1 || ahead.accept(only).refused) break;
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

    /// For riffle's own use: what copies share; nullptr where there are no choices.
    const detail::choice_data* data() const noexcept { return data_.get(); }

private:
    /// A list of legal tokens that belongs to one matcher: a copy finds its own.
    struct found_tokens {
        detail::growing_array<token_id> ids;
        std::uint64_t of = ~std::uint64_t{0};  ///< mark
        std::uint32_t version = 0;

        found_tokens() noexcept = default;
        found_tokens(const found_tokens&) noexcept {}
        found_tokens& operator=(const found_tokens&) noexcept {
            of = ~std::uint64_t{0};
            return *this;
        }
        ~found_tokens() = default;
    };
    template <class Names, class Tokenise>
    void build(const Trie& trie, const Names& names, const choice_options& options, Tokenise tokenise) noexcept {
        const status usable = (trie.check)();
        is_out_of_memory_ = usable == status_code::out_of_memory;
        if (!usable.ok()) return;
        RIFFLE_TRY {
            detail::shared_pointer<data_type> made(new data_type());
            std::vector<std::string> texts;
            for (const auto& one : names) {
                const text name(one);
                made->names.emplace_back(name.data(), name.size());
                texts.push_back(made->names.back());
                texts.back().append(options.end.data(), options.end.size());
            }
            made->build_bytes(texts);
            const std::vector<token_id>& ends = trie.data()->ends_of_text();
            for (const std::string& whole : texts) {
                const std::vector<token_id> spelt = detail::spelling_of(trie, tokenise, whole);
                const bool is_ended_by_token = options.end.empty() && (whole.empty() || !spelt.empty());
                made->add_tokens(spelt,
                                 is_ended_by_token ? std::span<const token_id>(ends) : std::span<const token_id>());
            }
            made->end_tokens();
            detail::shared_pointer<detail::choice_switches> switches(new detail::choice_switches());
            switches->begin(*made);
            trie_ = trie;
            data_ = detail::shared_pointer<const data_type>(made.get());
            switches_ = switches;
            runs_past_end_ = options.runs_past_end;
        }
        RIFFLE_CATCH { is_out_of_memory_ = true; }
    }
    /// Switches that nobody shares.
    status own_switches(std::size_t choice) noexcept {
        if (choice >= size())
            return status::invalid("choice_matcher", "choice", double(choice),
                                   "is none of them: the number is too great");
        if (switches_->has_one_owner()) return {};
        RIFFLE_TRY {
            detail::shared_pointer<detail::choice_switches> own(new detail::choice_switches());
            own->copy(*switches_);
            switches_ = own;
        }
        RIFFLE_CATCH { return status_code::out_of_memory; }
        return {};
    }

    bool is_end(std::uint32_t node) const noexcept { return switches_->ends_at(node); }
    bool goes_on(std::uint32_t node) const noexcept {
        const auto& n = data_->bytes[node];
        for (std::uint32_t c = n.first; c < n.first + n.count; ++c)
            if (switches_->has_any(c)) return true;
        return false;
    }
    std::uint32_t step_of(std::uint32_t at, std::uint8_t byte) const noexcept {
        const std::uint32_t to = data_->child(at, byte);
        return to != data_type::none && switches_->has_any(to) ? to : std::uint32_t{data_type::none};
    }
    bool can_come(std::size_t choice) const noexcept {
        for (std::uint32_t n = data_->end_of[choice]; n != data_type::none; n = data_->bytes[n].parent)
            if (n == node_) return true;
        return false;
    }
    bool ends(token_id token) const noexcept { return is_complete() && trie_.data()->ends_text(token); }
    /// Where a token that is read by its bytes leads to: as far into a choice as it can, or behind the last end in it.
    bool read(token_id token, std::uint32_t& to, std::size_t& past) const noexcept {
        if (past_end_ > 0 || !trie_.data()->is_read_by_bytes(token)) return false;
        const text bytes = trie_.piece(token);
        std::uint32_t at = to, ended = data_type::none;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            at = step_of(at, std::uint8_t(bytes[i]));
            if (at == data_type::none) {
                if (ended == data_type::none) return false;
                to = ended;
                return true;
            }
            if (runs_past_end_ && is_end(at)) ended = at, past = bytes.size() - i - 1;
        }
        to = at;
        past = 0;
        return true;
    }

    static std::span<const token_id> no_ids() noexcept { return {}; }
    /// In ascending order; kept until something changes.
    std::span<const token_id> find_legal() const noexcept {
        const std::uint64_t at = mark();
        if (legal_.of != at || legal_.version != switches_->version()) {
            legal_.ids.clear();
            legal_.of = at;
            legal_.version = switches_->version();
            is_memory_full_ = false;
            each_legal([&](token_id token) {
                if (!legal_.ids.push(token)) is_memory_full_ = true;
                return !is_memory_full_;
            });
            if (is_memory_full_) {
                legal_.ids.clear();
                legal_.of = ~std::uint64_t{0};
            }
            std::sort(legal_.ids.begin(), legal_.ids.end());
        }
        return legal_.ids.part(0, legal_.ids.size());
    }
    /// Calls visit(token) for each, in any order, until it answers false.
    template <class Visit>
    void each_legal(Visit visit) const noexcept {
        const auto& of = *trie_.data();
        if (is_complete())
            for (const token_id token : of.ends_of_text())
                if (!visit(token)) return;
        if (past_end_ > 0) return;
        if (!walk(node_, false, 0, of.tree().nodes.size(), visit)) return;
        for (const token_id token : of.long_tokens()) {
            std::uint32_t to = node_;
            std::size_t past = 0;
            if (read(token, to, past) && !visit(token)) return;
        }
    }
    /// The tokens below some nodes of the vocabulary's tree that lie side by side; `is_past`: they may go on with
    /// anything, since a choice has ended in them. (As deep as tokens in the tree have bytes: 255.)
    template <class Visit>
    bool walk(std::uint32_t at, bool is_past, std::size_t begin, std::size_t end, Visit& visit) const noexcept {
        const tree_type& tree = trie_.data()->tree();
        for (std::size_t i = begin; i < end; i += tree.nodes[i].size()) {
            const std::uint32_t to = step_of(at, tree.nodes[i].byte());
            const std::size_t last = i + tree.nodes[i].size();
            if (to != data_type::none) {
                const bool may_go_past = is_past || (runs_past_end_ && is_end(to));
                if (!visit_node(i, visit) || !walk(to, may_go_past, i + 1, last, visit)) return false;
            } else if (is_past) {
                for (std::size_t below = i; below < last; ++below)
                    if (!visit_node(below, visit)) return false;
            }
        }
        return true;
    }
    template <class Visit>
    bool visit_node(std::size_t node, Visit& visit) const noexcept {
        const std::uint32_t token = trie_.data()->tree().nodes[node].token();
        if (token == tree_type::no_token) return true;
        if (!visit(token_id(token))) return false;
        for (const auto& d : trie_.data()->tree().duplicates)
            if (d.in_tree == token_id(token) && !visit(d.token)) return false;
        return true;
    }

    Trie trie_;
    detail::shared_pointer<const data_type> data_;
    detail::shared_pointer<detail::choice_switches> switches_;
    mutable found_tokens legal_;
    std::uint32_t node_ = 0, past_end_ = 0;
    bool ended_ = false, runs_past_end_ = false, is_out_of_memory_ = false;
    mutable bool is_memory_full_ = false;
};
using choice_matcher = basic_choice_matcher<vocabulary_trie>;

}  // namespace riffle
