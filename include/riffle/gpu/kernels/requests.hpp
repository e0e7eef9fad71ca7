#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/stage_table.hpp>
#include <riffle/chain/superset.hpp>
#include <riffle/core/edit_list.hpp>
#include <riffle/gpu/kernels/device_plan.hpp>
#include <riffle/gpu/kernels/row_layout.hpp>
#include <riffle/gpu/kernels/stage_request.hpp>

namespace riffle::gpu {

/// Writes the requests of the rows of a dispatch: a part of the same length for each row at the front, then edits and
/// masks as they come. The memory is the caller's, and may be a mapped buffer: every word is written once, in no order
/// that matters, and none is read back.
class requests {
public:
    /// For `rows` rows, in `words`.
    void begin(std::span<std::uint32_t> words, const request_layout& layout, std::size_t rows) noexcept {
        words_ = words;
        layout_ = layout;
        used_ = std::size_t{layout.words} * rows;
        saved_ = 0;
    }
    /// Words written so far, and how many ids are edited.
    std::size_t words() const noexcept { return used_; }
    std::size_t edited_ids() const noexcept { return saved_; }

    /// The request of a row that the chain's first stages are to work on in its present state; `on` is its
    /// chain_on_device. False where there is no room for it, or the chain's status is not ok.
    template <class OnDevice, class Chain>
    bool add(const OnDevice& on, Chain& chain, std::size_t row, std::size_t vocabulary) noexcept {
        if ((row + 1) * layout_.words > words_.size() || used_ > words_.size()) return false;
        std::uint32_t* const request = words_.data() + row * layout_.words;
        auto&& stages = chain.table();
        bool fits = true;
        const status s = chain.state().begin_elsewhere(stages, [&](const context& x) {
            fits = write_edits(stages, on.plan, x, vocabulary, request);
            on.for_each_stage(chain, [&](const auto& stage, std::size_t i) {
                std::uint32_t* const words = request + layout_.stage(i);
                write_stage_request(stage, stages.random(i, x.at()), words);
                if constexpr (requires { stage.legal_words(); })
                    fits = fits && write_mask(stage.legal_words(), vocabulary, words);
            });
        });
        return s.ok() && fits;
    }

private:
    bool write_mask(std::span<const std::uint32_t> mask, std::size_t vocabulary, std::uint32_t* words) noexcept {
        const std::size_t count = (std::min)(mask.size(), (vocabulary + 31) / 32);
        if (!has_room(count)) return false;
        words[stage_word::low] = count ? std::uint32_t(used_) : 0;
        words[stage_word::high] = std::uint32_t(count);
        std::copy_n(mask.data(), count, words_.data() + used_);
        used_ += count;
        return true;
    }

    bool write_edits(const stage_table& stages, const device_plan& plan, const context& x, std::size_t vocabulary,
                     std::uint32_t* request) noexcept {
        request[request_word::edits_at] = request[request_word::edits] = request[request_word::saved_at] = 0;
        if (!plan.edits) return true;
        edits_.clear();
        for (std::size_t i = 0; i < plan.stages; ++i)
            if (stages.fact(i).edits) stages.edit(i, edits_, x);
        // Those of one token beside each other, in their order.
        std::sort(edits_.begin(), edits_.end(), [](const edit_list::entry& a, const edit_list::entry& b) {
            return a.token < b.token || (a.token == b.token && a.order < b.order);
        });
        std::span<const edit_list::entry> all(edits_.begin(), edits_.end());
        while (!all.empty() && std::size_t(all.back().token) >= vocabulary) all = all.first(all.size() - 1);
        std::size_t ids = 0;
        for (std::size_t i = 0; i < all.size(); ++i) ids += i == 0 || all[i].token != all[i - 1].token;
        const std::size_t words = ids * words_per_edit + all.size() * words_per_change;
        if (!edits_.complete() || !has_room(words)) return false;
        request[request_word::edits_at] = std::uint32_t(used_);
        request[request_word::edits] = std::uint32_t(ids);
        request[request_word::saved_at] = std::uint32_t(saved_);

        std::uint32_t* edit = words_.data() + used_;
        std::size_t change_at = used_ + ids * words_per_edit;
        for (std::size_t i = 0; i < all.size(); edit += words_per_edit) {
            std::size_t end = i;
            while (end < all.size() && all[end].token == all[i].token) ++end;
            edit[0] = std::uint32_t(all[i].token);
            edit[1] = std::uint32_t(change_at);
            edit[2] = std::uint32_t(end - i);
            for (; i < end; ++i, change_at += words_per_change) {
                const auto numbers = all[i].change.numbers();
                for (std::size_t n = 0; n < numbers.size(); ++n)
                    words_[change_at + n] = std::bit_cast<std::uint32_t>(numbers[n]);
            }
        }
        used_ += words;
        saved_ += ids;
        return true;
    }
    bool has_room(std::size_t count) const noexcept { return used_ + count <= words_.size(); }

    std::span<std::uint32_t> words_;
    request_layout layout_{std::span<const device_stage>()};
    std::size_t used_ = 0, saved_ = 0;
    edit_list edits_;
};

/// What came of a row: as the kernel wrote it.
struct row_outcome {
    token_id token = null_token;
    std::uint32_t state = 0;  ///< bits of row_state
    std::uint32_t kept = 0;
    std::span<const token_data> tokens;  ///< as many of those that were left as there was room for
};
inline row_outcome outcome_of(const std::uint32_t* result, std::size_t room) noexcept {
    row_outcome o;
    o.token = token_id(result[result_word::token]);
    o.state = result[result_word::state];
    o.kept = result[result_word::kept];
    const std::size_t count = (std::min)(std::size_t{result[result_word::tokens]}, room);
    o.tokens = {reinterpret_cast<const token_data*>(result + result_word::count), count};
    return o;
}

/// Ends the chain's step with what came of its row: the stages that the device left run now, and the token is the one
/// that the chain would have chosen; accept is still to follow (chain.state().accept_chosen). False, with the chain as
/// it was, where the outcome does not have all that it takes: then the chain must be given the row itself.
template <class OnDevice, class Chain>
bool finish(const OnDevice& on, Chain& chain, const row_outcome& o, token_id& token) noexcept {
    if (!on.plan.chooses_token() && (o.state & row_state::more_tokens)) return false;
    status seen;
    if (o.state & row_state::saw_nan) seen.note_nan();
    if (o.state & row_state::saw_infinity) seen.note_infinity();
    if (o.state & row_state::nothing_legal) seen.fail(status_code::no_legal_token);
    auto&& stages = chain.table();
    if constexpr (requires { on.superset_of(chain); }) {
        const superset set = on.superset_of(chain);
        if (set.size == 0 || o.state != 0) return false;  // llama.cpp's stages meet NaN and infinities as they are
        return chain.state().end_on_superset(stages, superset_run(stages, set.bridge), o.tokens, token);
    } else {
        token = chain.state().end_elsewhere(stages, on.plan.stages, o.tokens, o.token, seen);
        return true;
    }
}

}  // namespace riffle::gpu
