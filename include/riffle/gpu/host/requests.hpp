#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <riffle/chain/open_step.hpp>
#include <riffle/chain/stage_functions.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/core/edit_list.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/host/stage_request.hpp>
#include <riffle/wide/gather.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Writes the requests of the rows of a dispatch: a part of the same length for each row at the front, then edits and
/// masks as they come. The memory is the caller's, and may be a mapped buffer: words are written in no order that
/// matters, and none is read back. Where a chain edits, the edits are sorted in memory that is kept: nothing is
/// allocated once warm.
///
/// How many words they take: layout.words a row, for every mask (vocabulary + 31) / 32, for every edited id
/// words_per_edit, and words_per_change for each of its changes. All are ahead of the device's reading: the memory is
/// not written to again until the device is done with it.
class requests {
public:
    /// Begins anew: for `rows` rows of `vocabulary` logits each, in `words`, by the layout of the chains'
    /// chain_on_device. A row whose request is not added, or cannot be, asks for nothing: its result is not to be used.
    /// `most_edited_ids`: of all rows together, for which the dispatch has room (kernel_buffers::saved), and which the
    /// driver makes (kernel::most_edited_ids).
    void begin(std::span<std::uint32_t> words, const request_layout& layout, std::size_t rows, std::size_t vocabulary,
               std::size_t most_edited_ids = ~std::size_t{0}) noexcept {
        words_ = words;
        layout_ = layout;
        rows_ = rows;
        vocabulary_ = vocabulary;
        used_ = saturating::product(layout.words, rows);
        edited_ids_ = 0;
        most_edited_ids_ = most_edited_ids;
        std::fill_n(words_.begin(), (std::min)(used_, words_.size()), 0u);
    }
    /// How many rows begin was given.
    std::size_t rows() const noexcept { return rows_; }
    /// Logits of each row.
    std::size_t vocabulary() const noexcept { return vocabulary_; }
    /// Words written so far, of all rows.
    std::size_t words() const noexcept { return used_; }
    /// How many ids are edited so far, in all rows.
    std::size_t edited_ids() const noexcept { return edited_ids_; }

    /// The request of a row that the chain's first stages are to work on in its present state; `on` is its
    /// chain_on_device. It holds the draws of the chain's next token, so a chain has one row under way at a time, from
    /// here to `finish`.
    ///
    /// False where there is no room for it or its edits, a token is changed more than most_changes_of_a_token times,
    /// a stage has what no request says (xtc's exempt tokens; of masks, those that leave all tokens), the row is not
    /// among those that were begun, the chain's last_status() is not ok, no number of the greatest logits will do for a
    /// chain under llama_exact, or `on` is not of this chain: the row asks for nothing then, takes no room, and must be
    /// sampled by the chain itself. A microsecond or so, and some nanoseconds for each word of a mask and each edit.
    template <class OnDevice, class Chain>
    [[nodiscard]] bool add(const OnDevice& on, Chain& chain, std::size_t row) noexcept {
        if (row >= rows_ || saturating::product(layout_.words, rows_) > words_.size()) return false;
        std::uint32_t* const request = words_.data() + row * layout_.words;
        const std::size_t used = used_, edited_ids = edited_ids_;
        if (on.is_of(chain) && can_leave_out(on, chain) && write(on, chain, request)) return true;
        used_ = used;
        edited_ids_ = edited_ids;
        std::fill_n(request, layout_.words, 0u);
        return false;
    }

private:
    template <class OnDevice, class Chain>
    static bool can_leave_out(const OnDevice& on, const Chain& chain) noexcept {
        if constexpr (requires { on.superset_of(chain); }) return on.superset_of(chain).size > 0;
        else return true;
    }

    template <class OnDevice, class Chain>
    bool write(const OnDevice& on, Chain& chain, std::uint32_t* request) noexcept {
        open_step step(chain, 1);
        if (!step.prepare_token().ok()) return false;
        const context x = step.past();
        bool fits = write_edits(on, chain, step.stages(), x, request);
        on.for_each_stage(chain, [&](const auto& stage, std::size_t i) {
            std::uint32_t* const words = request + layout_.stage(i);
            write_stage_request(stage, random_of(step.stages()[i], x.at()), words);
            fits = fits && is_whole_on_device(stage);
            const stage_ref& s = step.stages()[i];
            if constexpr (facts_of<std::remove_cvref_t<decltype(stage)>>().masks)
                fits = fits && write_mask(s.ops->legal(s, x), words);
        });
        return fits;
    }
    static std::size_t words_for(token_id greatest) noexcept {
        return greatest < 0 ? 0 : std::size_t(greatest) / 32 + 1;
    }
    bool write_mask(const legal_tokens& legal, std::uint32_t* words) noexcept {
        if (legal.are_all) return false;
        const std::size_t of_vocabulary = saturating::rounded_up(vocabulary_, 32) / 32;
        const std::size_t asked = legal.ids.empty() ? legal.words.size() : words_for(legal.ids.back());
        const std::size_t count = (std::min)(asked, of_vocabulary);
        if (!has_room(count)) return false;
        words[stage_word::low] = count ? std::uint32_t(used_) : 0;
        words[stage_word::high] = std::uint32_t(count);
        std::uint32_t* const mask = words_.data() + used_;
        if (legal.ids.empty()) std::copy_n(legal.words.data(), count, mask);
        else wide::write_words(legal.ids, vocabulary_, {mask, count});
        used_ += count;
        return true;
    }

    /// False for a stage of which the device does not know every parameter: xtc's exempt tokens are the processor's.
    template <class S>
    static bool is_whole_on_device(const S& stage) noexcept {
        if constexpr (facts_of<S>().adjusts && requires { stage.exempt; }) return stage.exempt.empty();
        else return true;
    }
    static draws random_of(const stage_ref& s, const draw_position& at) noexcept {
        return s.ops->random ? s.ops->random(s, at) : draws(0, at, 0);
    }

    template <class OnDevice, class Chain>
    bool write_edits(const OnDevice& on, Chain& chain, const stage_list& stages, const context& x,
                     std::uint32_t* request) noexcept {
        request[request_word::edits_at] = request[request_word::edits] = request[request_word::saved_at] = 0;
        if (!on.plan.edits) return true;
        const auto edits = collect_edits(on, chain, stages, x);
        const std::size_t ids = count_ids(edits);
        if (ids == uncountable || ids > most_edited_ids_ - edited_ids_) return false;
        const std::size_t words = ids * words_per_edit + edits.size() * words_per_change;
        if (!edits_.complete() || !has_room(words)) return false;
        request[request_word::edits_at] = std::uint32_t(used_);
        request[request_word::edits] = std::uint32_t(ids);
        request[request_word::saved_at] = std::uint32_t(edited_ids_);
        write_edit_words(edits, ids);
        used_ += words;
        edited_ids_ += ids;
        return true;
    }
    /// The edits of ids within the vocabulary: those of one token beside each other, in their order.
    template <class OnDevice, class Chain>
    std::span<const edit_list::entry> collect_edits(const OnDevice& on, Chain& chain, const stage_list& stages,
                                                    const context& x) noexcept {
        edits_.clear();
        on.for_each_stage(chain, [&](const auto& stage, std::size_t i) {
            using S = std::remove_cvref_t<decltype(stage)>;
            if constexpr (facts_of<S>().edits) riffle::detail::edit_few<S>(stages[i], edits_, x);
        });
        std::sort(edits_.begin(), edits_.end(), [](const edit_list::entry& a, const edit_list::entry& b) {
            return a.token < b.token || (a.token == b.token && a.order < b.order);
        });
        std::span<const edit_list::entry> all(edits_.begin(), edits_.end());
        while (!all.empty() && std::size_t(all.back().token) >= vocabulary_) all = all.first(all.size() - 1);
        return all;
    }
    /// How many tokens are edited; uncountable where one of them is more often than a request may say.
    static std::size_t count_ids(std::span<const edit_list::entry> edits) noexcept {
        std::size_t ids = 0, changes = 0;  // of the id
        for (std::size_t i = 0; i < edits.size(); ++i) {
            const bool is_another = i == 0 || edits[i].token != edits[i - 1].token;
            ids += is_another;
            changes = is_another ? 1 : changes + 1;
            if (changes > most_changes_of_a_token) return uncountable;
        }
        return ids;
    }
    /// A record for each id, and behind them the changes of all.
    void write_edit_words(std::span<const edit_list::entry> edits, std::size_t ids) noexcept {
        std::uint32_t* record = words_.data() + used_;
        std::size_t change_at = used_ + ids * words_per_edit;
        for (std::size_t i = 0; i < edits.size(); record += words_per_edit) {
            std::size_t end = i;
            while (end < edits.size() && edits[end].token == edits[i].token) ++end;
            record[0] = std::uint32_t(edits[i].token);
            record[1] = std::uint32_t(change_at);
            record[2] = std::uint32_t(end - i);
            for (; i < end; ++i, change_at += words_per_change) {
                const auto numbers = edits[i].change.numbers();
                for (std::size_t n = 0; n < numbers.size(); ++n)
                    words_[change_at + n] = std::bit_cast<std::uint32_t>(numbers[n]);
            }
        }
    }
    bool has_room(std::size_t count) const noexcept { return saturating::sum(used_, count) <= words_.size(); }

    std::span<std::uint32_t> words_;
    request_layout layout_{std::span<const device_stage>()};
    std::size_t rows_ = 0, vocabulary_ = 0, used_ = 0, edited_ids_ = 0, most_edited_ids_ = 0;
    edit_list edits_;
};

/// What came of a row: as the kernel wrote it. Its tokens lie where the result does.
struct row_outcome {
    token_id token = null_token;  ///< where the device chooses; null_token where nothing was legal
    std::uint32_t state = 0;      ///< bits of row_state
    std::uint32_t kept = 0;       ///< how many tokens the stages left; 1 where none narrowed
    /// As many of those as there was room for, in the order of ranks where they are few. p is 0 where the processor
    /// goes on; under llama_exact the logits are those that came.
    std::span<const token_data> tokens;
};
/// Reads the result of a row, result_words(room) words, with the room that was recorded.
inline row_outcome outcome_of(const std::uint32_t* result, std::size_t room) noexcept {
    row_outcome o;
    o.token = token_id(result[result_word::token]);
    o.state = result[result_word::state];
    o.kept = result[result_word::kept];
    const std::size_t count = (std::min)(std::size_t{result[result_word::tokens]}, room);
    o.tokens = {reinterpret_cast<const token_data*>(result + result_word::count), count};
    return o;
}

/// Ends a step of which the stages ahead of `first` were made on a device. What was `seen` in the row is noted.
template <class Chain>
token_id finish_behind(open_step<Chain>& step, std::size_t first, const row_outcome& o, status seen) noexcept {
    if (!step.ok()) return null_token;
    if (!seen.ok()) return step.finish_with_token(seen);
    candidates& c = step.hold(o.tokens);
    if (first < step.stages().size()) {
        const status_code code = step.stages().narrow(first, step.stages().size(), c, step.past());
        const bool is_selected = c.has_selected();
        if (code != status_code::ok) seen.fail(code);
        else if (!is_selected || !(c[std::size_t(c.selected)].logit > illegal_logit))
            seen.fail(status_code::no_legal_token);
        return step.finish_with_token(seen);
    }
    for (std::size_t i = 0; i < c.size; ++i)
        if (c[i].id == o.token) c.selected = std::int64_t(i);
    if (c.selected < 0 && o.token >= 0) {  // there was no room for it among those that were told
        c.data[c.size] = {o.token, illegal_logit, 0.0f};
        c.selected = std::int64_t(c.size++);
    }
    return step.finish_with_token(seen);
}

/// Ends the chain's step with what came of its row, whose request was added: the stages that the device left run now,
/// and the token is the one that the chain would have chosen, or null_token with the chain's last_status(). It is
/// not accepted yet: chain.accept(token) is still to follow. False, with the chain as it was and null_token, where the
/// outcome does not have all that it takes, or `on` is not of this chain: then the chain must be given the row itself.
/// Microseconds, more where many survivors go on.
template <class OnDevice, class Chain>
[[nodiscard]] bool finish(const OnDevice& on, Chain& chain, const row_outcome& o, token_id& token) noexcept {
    token = null_token;
    if (!on.is_of(chain)) return false;
    if (!on.plan.chooses_token() && (o.state & row_state::more_tokens)) return false;
    status seen;
    if (o.state & row_state::saw_nan) seen.note_nan();
    if (o.state & row_state::saw_infinity) seen.note_infinity();
    if (o.state & row_state::nothing_legal) seen.fail(status_code::no_legal_token);
    if constexpr (requires { on.superset_of(chain); }) {
        const superset set = on.superset_of(chain);
        if (set.size == 0 || o.state != 0) return false;  // llama.cpp's stages meet NaN and infinities as they are
        open_step step(chain, o.tokens.size() + 1);
        return superset_run(step.stages(), set.bridge).finish(step, o.tokens, token);
    } else {
        open_step step(chain, o.tokens.size() + 1);
        token = finish_behind(step, on.plan.stages, o, seen);
        return true;
    }
}

}  // namespace riffle::gpu
