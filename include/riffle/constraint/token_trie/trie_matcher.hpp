#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/constraint/token_trie/trie_exits.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a trie_matcher is doing.
enum class trie_status : std::uint8_t {
    inactive,  ///< no descriptor is selected: every token passes
    active,    ///< inside of a value
    done,      ///< a value is there: every token passes
    expired,   ///< no value was complete in time: every token passes
    violated,  ///< another token came, which was let through (foreign_token::release): every token passes
};

/// What becomes of a token that is none of the trie's.
enum class foreign_token : std::uint8_t {
    refuse,   ///< it is not accepted, and nothing changes
    release,  ///< it is accepted, and the trie constrains no more
};

/// How a trie_matcher goes on, and ends.
struct trie_matcher_options {
    /// So many tokens may be accepted without a value being there, up to 65,534; with the next one it is `expired`. A
    /// net for callers that forget it. 0: no limit.
    std::uint16_t most_tokens = 500;
    foreign_token on_foreign_token = foreign_token::refuse;  ///< what becomes of a token that is none of the trie's
    /// The value is the whole text: step::finished says when it is there. (Where a longer value begins with it, with
    /// the token that ends it: see set_exits.)
    bool ends_text = false;
};

/// What a trie_matcher has seen since it was made: for reports.
struct trie_counters {
    std::uint64_t visited = 0;  ///< tokens accepted inside of values
    std::uint64_t forced = 0;   ///< of these, those that were the only legal ones: they need no evaluation of their own
    double skipped = 0;         ///< sum over `visited` of the share of the vocabulary that was not legal
    double skipped_squared = 0;  ///< sum of its squares

    /// The mean share of the vocabulary that was not legal; 0 where no token was accepted.
    double skip_ratio_mean() const noexcept { return visited ? skipped / double(visited) : 0.0; }
    /// Its standard deviation, over all tokens accepted.
    double skip_ratio_deviation() const noexcept {
        const double mean = skip_ratio_mean();
        const double variance = visited ? skipped_squared / double(visited) - mean * mean : 0.0;
        return variance > 0 ? std::sqrt(variance) : 0.0;
    }
};

/// Where a text stands in a token_trie: one value of the selected descriptor is written, and after that every token
/// passes. For the stage `constrain`, and for guided.
///
///     trie_matcher action(*trie);                  // a trie of one descriptor: it is selected
///     auto c = constrain{action} | top_k{40} | dist{.seed = 1};
///     ...
///     get<constrain<trie_matcher>>(c).matcher.leaf();  // which value it was
///
/// With greedy behind it, it takes the most likely token in each step (mode 0 of a payload's sampler); with a chain
/// that draws, it draws among those of the trie (mode 1). For the most likely value as a whole see score_choices.
///
/// Where a value is the beginning of a longer one (REPLY, REPLY_THREAD), the tokens of the longer one are legal, and
/// those that may follow the value: any, unless set_exits names them. A token that does not go on ends the value:
/// leaf() is the shorter one, and consumed() says that the token was not part of it.
///
/// A token that is not legal is refused, and changes nothing (or see foreign_token). Where the legal tokens have no
/// logit above -inf the chain says no_legal_token; clear() lets it go on. Nothing throws, and no call allocates but
/// set_exits. Copies go on by themselves, and share the trie. A mark is all of it, in 8 bytes, but for the counters.
/// Each call costs O(log children), legal() nothing.
template <class Trie>
class basic_trie_matcher {
    using data_type = std::remove_cvref_t<decltype(*std::declval<const Trie&>().data())>;
    using node_id = typename data_type::node_id;

public:
    /// A mark is all that it knows, so rollback goes back behind reset().
    static constexpr bool marks_are_whole = true;

    /// Without a trie: every token passes.
    basic_trie_matcher() noexcept = default;
    /// At the beginning of a value, where the trie has one descriptor; else inactive until select().
    explicit basic_trie_matcher(const Trie& trie, const trie_matcher_options& options = {}) noexcept
        : trie_(trie), options_(options) {
        if (trie.size() == 1) (void)(select)(0);
    }

    // ---- which value comes next

    /// The next value is one of that descriptor's, and begins with the next token. invalid_parameter where there is no
    /// such descriptor, or none of its leaves has tokens; then nothing changes.
    template <std::integral Number>
    riffle::status(select)(Number descriptor) noexcept {
        if (descriptor < 0 || trie_.leaf_count(std::size_t(descriptor)) == 0)
            return riffle::status::invalid("trie_matcher", "descriptor", double(descriptor), "is not there, or empty");
        selected_ = std::uint32_t(descriptor) + 1;
        begin();
        return {};
    }
    /// By its path, exactly as the payload has it.
    riffle::status(select)(const text& path) noexcept {
        const std::int32_t found = trie_.find(path);
        if (found < 0)
            return riffle::status::invalid("trie_matcher", "descriptor", double(found), "is none: no such path");
        return (select)(found);
    }
    /// By its path, as a C string.
    riffle::status(select)(const char* path) noexcept { return (select)(text(path)); }
    /// Every token passes until the next select().
    void clear() noexcept {
        selected_ = 0;
        status_ = trie_status::inactive;
        node_ = 0;
        age_ = 0;
        consumed_ = false;
    }
    /// Which tokens may follow a value that a longer one begins with: the first ones of what comes after it, or where
    /// the value ends the text those that end generation. Ids below 0 are left out. None: any token may.
    /// invalid_parameter where they and such values are so many that their lists would take more than 16 MiB,
    /// out_of_memory: nothing has changed. Costs exits times such values.
    riffle::status set_exits(std::span<const token_id> tokens) noexcept {
        if (trie_.size() == 0) return {};
        RIFFLE_TRY {
            detail::shared_pointer<detail::trie_exits> made(new detail::trie_exits());
            if (!made->build(*trie_.data(), tokens))
                return riffle::status::invalid("trie_matcher", "exits", double(tokens.size()), "are too many");
            if (made->empty()) exits_ = {};
            else exits_ = detail::shared_pointer<const detail::trie_exits>(made.get());
        }
        RIFFLE_CATCH { return status_code::out_of_memory; }
        return {};
    }

    // ---- how far it is

    /// What it is doing.
    trie_status status() const noexcept { return status_; }
    /// The selected descriptor; -1: none.
    std::int32_t descriptor() const noexcept { return std::int32_t(selected_) - 1; }
    /// The leaf that was written, by its number in the descriptor; -1 where the status is not `done`.
    std::int32_t leaf() const noexcept {
        return status_ == trie_status::done ? std::int32_t(trie_.data()->leaf(node_)) : -1;
    }
    /// Its name; empty where there is none.
    text leaf_name() const noexcept {
        return leaf() >= 0 ? trie_.leaf_name(selected_ - 1, std::size_t(leaf())) : text();
    }
    /// Whether the last token was part of a value.
    bool consumed() const noexcept { return consumed_; }
    /// Whether a value is there, or may end here.
    bool is_complete() const noexcept {
        return status_ == trie_status::done || (status_ == trie_status::active && may_end());
    }
    /// Whether a value is there, and none is written any more.
    bool is_finished() const noexcept { return status_ == trie_status::done; }
    /// What it has seen.
    const trie_counters& counters() const noexcept { return counters_; }
    /// The trie that it was made with.
    const Trie& trie() const noexcept { return trie_; }

    // ---- what a chain asks

    /// The legal tokens: all of them where nothing is constrained.
    legal_tokens legal() const noexcept {
        if (status_ != trie_status::active) return legal_tokens::all();
        if (!may_end()) return legal_tokens::of_ids(trie_.data()->children(node_));
        return exits_ ? legal_tokens::of_ids(exits_->beside(node_)) : legal_tokens::all();
    }
    /// Whether accept would take it.
    bool allows(token_id token) const noexcept {
        if (token < 0) return false;
        return status_ != trie_status::active || options_.on_foreign_token == foreign_token::release ||
               goes_on(token) || (may_end() && is_exit(token));
    }
    /// Why accept would refuse it.
    riffle::status can_accept(token_id token) const noexcept {
        if (allows(token)) return {};
        return riffle::status::invalid("trie_matcher", "token", double(token), "does not go on with any value",
                                       status_code::stage_failed);
    }
    /// Takes a token. step::finished: with ends_text, that the value is there.
    step accept(token_id token) noexcept {
        const riffle::status can = can_accept(token);
        if (!can.ok()) return step::refusal(can);
        if (status_ != trie_status::active) {
            consumed_ = false;
            return {};
        }
        step taken;
        consumed_ = goes_on(token);
        if (consumed_) go_on(token);
        else status_ = may_end() ? trie_status::done : trie_status::violated;
        taken.finished = options_.ends_text && status_ == trie_status::done;
        return taken;
    }
    /// Whether every token passes.
    bool passes_free_text() const noexcept { return status_ != trie_status::active; }
    /// How many bytes of a token are no value's: all or none.
    std::size_t free_text_of(token_id, const text& bytes) const noexcept {
        return passes_free_text() ? bytes.size() : 0;
    }
    /// Bytes in the middle of a token: refused within a value.
    riffle::status accept_bytes(const text&) noexcept {
        if (!passes_free_text()) return riffle::status::failed(status_code::stage_failed, "trie_matcher");
        consumed_ = false;
        return {};
    }
    /// To the beginning of a value of the selected descriptor.
    void reset() noexcept {
        if (selected_ != 0) begin();
        else clear();
    }

    /// Where it stands, all of it but the counters and the exits.
    std::uint64_t mark() const noexcept {
        return std::uint64_t{node_} | std::uint64_t{selected_} << 24 | std::uint64_t(status_) << 44 |
               std::uint64_t{consumed_} << 47 | std::uint64_t{age_} << 48;
    }
    /// Back to a mark, however long ago. mark_unknown for one that is of another trie.
    riffle::status rollback(std::uint64_t mark) noexcept {
        const auto node = node_id(mark & 0xFFFFFF);
        const auto selected = std::uint32_t(mark >> 24 & 0xFFFFF);
        const auto doing = std::uint8_t(mark >> 44 & 7);
        if (selected > trie_.size() || doing > std::uint8_t(trie_status::violated)) return status_code::mark_unknown;
        if (selected != 0 && (!trie_.data()->is_node(node) || trie_.data()->descriptor_of(node) + 1 != selected))
            return status_code::mark_unknown;
        if (selected == 0 && (node != 0 || doing != 0)) return status_code::mark_unknown;
        node_ = node;
        selected_ = selected;
        status_ = trie_status(doing);
        consumed_ = (mark >> 47 & 1) != 0;
        age_ = std::uint16_t(mark >> 48);
        return {};
    }

    // ---- what is certain

    /// Writes the tokens that must follow, one after the other, as long as each is the only legal one; answers how
    /// many; none beyond trie_matcher_options::most_tokens. Evaluate them in one batch and accept each: sampling one by
    /// one would have given them too.
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        std::size_t count = 0, most = into.size();
        if (status_ != trie_status::active) return 0;
        const data_type& of = *trie_.data();
        if (options_.most_tokens != 0) most = (std::min)(most, std::size_t{most_tokens()} + 1 - age_);
        for (node_id at = node_; count < most; ++count) {
            const std::span<const token_id> next = of.children(at);
            if (next.size() != 1 || of.leaf(at) != data_type::no_leaf) break;
            into[count] = next[0];
            at = of.child(at, next[0]);
        }
        return count;
    }
    /// As a vector of at most `most` tokens. Throws std::bad_alloc.
    std::vector<token_id> forced_run(std::size_t most = 64) const {
        std::vector<token_id> run(most);
        run.resize(forced_run(std::span<token_id>(run.data(), run.size())));
        return run;
    }

private:
    void begin() noexcept {
        node_ = trie_.data()->descriptors[selected_ - 1].root;
        status_ = trie_status::active;
        age_ = 0;
        consumed_ = false;
    }
    bool may_end() const noexcept { return trie_.data()->leaf(node_) != data_type::no_leaf; }
    bool goes_on(token_id token) const noexcept { return trie_.data()->child(node_, token) != node_; }
    bool is_exit(token_id token) const noexcept { return !exits_ || exits_->has(token); }
    void go_on(token_id token) noexcept {
        const legal_tokens of_these = legal();
        count(of_these.are_all ? std::size_t(trie_.vocabulary_size()) : of_these.ids.size());
        node_ = trie_.data()->child(node_, token);
        if (age_ < 0xFFFF) ++age_;
        const bool is_last = age_ > most_tokens();
        if (may_end() && (is_last || trie_.data()->children(node_).empty())) status_ = trie_status::done;
        else if (is_last) status_ = trie_status::expired;
    }
    /// Tokens of a value that may be accepted; the next one ends it, one way or the other.
    std::uint32_t most_tokens() const noexcept {
        return options_.most_tokens == 0 ? 0xFFFFu : (std::min)(std::uint32_t{options_.most_tokens}, 0xFFFEu);
    }
    void count(std::size_t legal) noexcept {
        const double ratio = 1.0 - double(legal) / double(trie_.vocabulary_size());
        ++counters_.visited;
        counters_.forced += legal == 1;
        counters_.skipped += ratio;
        counters_.skipped_squared += ratio * ratio;
    }

    Trie trie_;
    detail::shared_pointer<const detail::trie_exits> exits_;
    trie_matcher_options options_;
    trie_counters counters_;
    node_id node_ = 0;
    std::uint32_t selected_ = 0;  ///< the descriptor, from 1; 0: none
    std::uint16_t age_ = 0;       ///< tokens of this value
    trie_status status_ = trie_status::inactive;
    bool consumed_ = false;
};
using trie_matcher = basic_trie_matcher<token_trie>;

}  // namespace riffle
