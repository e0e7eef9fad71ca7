#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>

#include <riffle/chain/scratch.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// The k greatest logits of a row as an operation of ggml's, for graphs on the processor: riffle's own passes, which
/// take a tenth of the time that ggml_top_k takes there.
class greatest_op {
public:
    /// Memory for rows of that size; false where there is none. Before the graph is run.
    bool reserve(std::size_t row_size) noexcept {
        if (row_size <= row_size_) return true;
        if (memory_.reserve(riffle::detail::scratch::bytes(row_size, 0, 0)) != status_code::ok) return false;
        row_size_ = row_size;
        return true;
    }
    /// What ggml calls: `to` gets ids, and its source is the row. Where fewer than it has room for are legal, some that
    /// are not fill it.
    template <class Tensor>
    static void run(Tensor* to, int task, int, void* self) noexcept {
        if (task != 0) return;
        const auto* const from = to->src[0];
        static_cast<greatest_op*>(self)->find(
            {static_cast<const float*>(from->data), std::size_t(ggml_nelements(from))},
            {static_cast<std::int32_t*>(to->data), std::size_t(ggml_nelements(to))});
    }

    void find(std::span<const float> logits, std::span<std::int32_t> ids) noexcept {
        const riffle::detail::scratch memory = riffle::detail::scratch::in(memory_.data(), row_size_, 0, 0);
        riffle::detail::row r;
        r.assign(logits, memory.blocks, memory.copies);
        const float maximum = wide::find_max(r, memory.block_maxima, memory.groups).logit;
        candidates found{memory.tokens, 0, -1, false};
        if (maximum > illegal_logit) {
            const float bound =
                wide::bound_of_rank(r, memory.block_maxima, ids.size(), maximum, memory.groups, true, memory.bins);
            wide::find_greatest(r, memory.block_maxima, ids.size(), bound, unmapped{maximum}, found);
        }
        std::size_t count = 0;
        for (const token_data& token : found) ids[count++] = token.id;
        for (std::size_t id = 0; count < ids.size() && id < logits.size(); ++id)
            if (!(logits[id] > illegal_logit)) ids[count++] = std::int32_t(id);
    }

private:
    /// As the machine's pending maps, of which there are none.
    struct unmapped {
        float maximum;
        void map(std::span<token_data>) const noexcept {}
        float mapped_maximum() const noexcept { return maximum; }
        float raw_cut(float target) const noexcept { return wide::raw_cut((std::min)(target, maximum)); }
    };

    riffle::detail::storage memory_;
    std::size_t row_size_ = 0;
};

}  // namespace riffle::llama::detail
