#pragma once
#include <algorithm>
#include <cstddef>

#include <riffle/core/candidates.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/row.hpp>
#include <riffle/exact/exp_block.hpp>
#include <riffle/exact/float_sums.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/sort.hpp>
#include <riffle/exact/workspace.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// The first `count` tokens of a row as llama.cpp's bucket sort leaves them, sorted no further than somebody asks, and
/// the sum of exp(logit - maximum) that its softmax takes of them in that order, in floats.
class sorted_row {
public:
    /// Whether llama.cpp sorts so many of these, and none but by buckets.
    static bool serves(full_row& r, std::size_t count) noexcept {
        return count > longest_heap_sort && r.ordinary() && r.maximum() < 1e8f;  // greater ones: see logit_buckets::of
    }

    /// Tokens are written to `tokens`, which has room for all of the row. exists() is false without memory.
    sorted_row(full_row& r, std::size_t count, token_data* tokens, const context& x) noexcept
        : maximum_(r.maximum()), count_(count), tokens_(tokens) {
        memory_.use(x.spare());
        order_ = sorting_room::of(memory_, r.size()).order;
        if (!order_) return;
        const detail::row& logits = r.logits();
        buckets_.fill([&logits](std::size_t id) noexcept { return logits.logit(id); }, r.size(), count, order_);
    }
    bool exists() const noexcept { return order_ != nullptr; }

    const token_data& operator[](std::size_t i) const noexcept { return tokens_[i]; }
    /// How many are there so far, and whether those are all.
    std::size_t size() const noexcept { return size_; }
    bool complete() const noexcept { return size_ == count_; }
    /// Of as many as were added up so far.
    float sum() const noexcept { return sum_; }

    /// The next few more, at least one, with p = exp(logit - maximum) / divisor. Not for a complete one.
    void extend(float divisor = 1.0f) noexcept {
        std::size_t next = size_;
        while (next == size_) next = buckets_.sort_next();  // buckets may be empty
        exponentiate(size_, next, [&](std::size_t i, std::size_t n, const float* e) noexcept {
            for (std::size_t j = 0; j < n; ++j)
                tokens_[i + j] = {token_id(order_[i + j].place), order_[i + j].key, e[j] / divisor};
        });
        size_ = next;
    }
    /// The sum of all `count`, whether they are there or not: which of two equal ones comes first does not show in it.
    float sum_of_all() noexcept {
        while (summed_ < count_ && !negligible_)
            exponentiate(summed_, buckets_.sort_next_logits(), [](std::size_t, std::size_t, const float*) noexcept {});
        return sum_;
    }

private:
    /// exp of the logits from first to last, a block at a time: sees(i, n, e). They are added up, if they were not yet.
    template <class Sees>
    void exponentiate(std::size_t first, std::size_t last, Sees sees) noexcept {
        float x[block_size], e[block_size];
        for (std::size_t i = first; i < last; i += block_size) {
            const std::size_t n = (std::min)(block_size, last - i);
            for (std::size_t j = 0; j < block_size; ++j) x[j] = order_[i + (std::min)(j, n - 1)].key;
            exp_block(x, maximum_, e);
            sees(i, n, static_cast<const float*>(e));
            if (i < summed_) continue;
            for (std::size_t j = n; j < block_size; ++j) e[j] = 0.0f;
            sum_ = add_block(sum_, e, 1.001f * e[0]);
            summed_ = i + n;
            negligible_ = 1.001f * e[n - 1] < sum_ * 0x1p-26f;  // and so are those behind it: less than half a unit
        }
    }

    float maximum_, sum_ = 0.0f;
    std::size_t count_, size_ = 0, summed_ = 0;
    bool negligible_ = false;
    token_data* tokens_;
    workspace memory_;
    ranked* order_ = nullptr;
    logit_buckets buckets_;
};

}  // namespace riffle::exact
