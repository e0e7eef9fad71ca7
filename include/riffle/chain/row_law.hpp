#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/folded_passes.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The law that a selector draws by, of tokens that stay in the row: block masses, and how logits become weights. A
/// view. (A template, as stage lists are, so that including riffle does not compile it.)
template <class Stage>
struct basic_row_law {
    const folded_passes* passes = nullptr;
    std::span<const Stage> maps;      ///< those that are pending, and others between them
    const Stage* selector = nullptr;  ///< where it draws from a distribution of its own, which `of_row` is for
    const row* logits = nullptr;
    const std::uint64_t* masses = nullptr;  ///< of each block
    std::uint64_t total = 0;
    float maximum = illegal_logit;  ///< the greatest mapped logit, by which weights are measured
    softmax_statistics of_row;

    wide::nucleus_bound kept;  ///< of the tokens, where others were not hidden

    /// Weights of the tokens of a block.
    void weigh_block(std::size_t b, std::uint32_t* weights) const noexcept {
        const float* const raw = logits->block(b);
        weigh(raw, block_size, weights);
        if (!kept.exists()) return;
        for (std::size_t i = 0; i < block_size; ++i)
            if (!kept.keeps(raw[i], token_id(b * block_size + i))) weights[i] = 0;
    }
    /// Weights of up to tokens_at_once tokens; 0 of those that the row has not.
    static constexpr std::size_t tokens_at_once = 64;
    void weigh_tokens(const token_id* tokens, std::size_t count, std::uint32_t* weights) const noexcept {
        float raw[tokens_at_once];
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_there = tokens[i] >= 0 && std::size_t(tokens[i]) < logits->size();
            raw[i] = is_there ? logits->logit(std::size_t(tokens[i])) : illegal_logit;
        }
        std::size_t padded = count;
        while (padded % 4 != 0) raw[padded++] = illegal_logit;
        std::uint32_t found[tokens_at_once];
        weigh(raw, padded, found);
        for (std::size_t i = 0; i < count; ++i)
            weights[i] = !kept.exists() || kept.keeps(raw[i], tokens[i]) ? found[i] : 0;
    }
    std::uint32_t weight(token_id token) const noexcept {
        std::uint32_t of_one;
        weigh_tokens(&token, 1, &of_one);
        return of_one;
    }
    /// The token up to which the weights, in ascending id, first exceed `target`, which is below the total.
    wide::picked pick(std::uint64_t target) const noexcept {
        return wide::pick_by_mass(logits->blocks(), masses, target,
                                  [this](std::size_t b, std::uint32_t* weights) { weigh_block(b, weights); });
    }

private:
    /// Weights of `count` raw logits, 0 < count, a multiple of 4.
    void weigh(const float* raw, std::size_t count, std::uint32_t* weights) const noexcept {
        if (selector) passes->weigh_shaped(maps, *selector, of_row, raw, count, maximum, weights);
        else passes->weigh_logits(maps, raw, count, maximum, weights);
    }
};
using row_law = basic_row_law<stage_ref>;

}  // namespace riffle::detail
