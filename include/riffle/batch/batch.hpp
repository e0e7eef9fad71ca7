#pragma once
#include <atomic>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>

#include <riffle/core/logit_rows.hpp>
#include <riffle/batch/scratch_pool.hpp>
#include <riffle/chain/open_step.hpp>
#include <riffle/core/logit_rows.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::inline in_riffle_batch_hpp {

/// The executor that needs no threads: runs task(0), task(1), ... task(n - 1) one after the other.
struct one_after_the_other {
    /// Runs all of them on this thread, task(0) first.
    template <class Task>
    void operator()(std::size_t n, const Task& task) const noexcept {
        for (std::size_t i = 0; i < n; ++i) task(i);
    }
};

/// Samples many rows, each with a chain of its own: its own stages, parameters, history, draw position and seeds.
///
///     std::vector<decltype(chain)> sequences;                 // or pointers to chains, any_pipelines, ...
///     riffle::batch batch;                                    // keep it: it keeps the memory
///     batch.sample(sequences, logits, tokens, on_my_threads);
///
/// Row i goes with the i-th sequence, so a server that decodes some of its sequences passes pointers to those. A token
/// depends on its row and its chain alone: not on the executor, the order, or what else is in the batch. Sequences made
/// as copies of one chain draw the same numbers; chain.fork(id) makes independent ones.
///
/// Chains need no scratch of their own here: as much is kept as rows were ever sampled at once, and lent. So
/// survivors() of a sequence is empty after a batch; last_status(), last_step() and everything that is not scratch are
/// the chain's own. A chain that was given storage (use_storage) uses that.
///
/// An executor is any callable as executor(n, task): it calls task(i) once for each i below n, on any threads, in any
/// order, and returns when all are done. task does not throw. A sequence must not stand twice in a batch, and a batch
/// is used by one caller at a time.
class batch {
public:
    /// Samples and accepts: tokens[i] is sequence i's, null_token where it has none (its last_status() says why). The
    /// answer is ok, or the status of the first sequence that has none, or what is wrong with the arguments; then
    /// nothing was sampled, and all tokens are null_token. (But where the executor left tasks out: those that were run
    /// are sampled and accepted.) After the first call of a kind no memory is allocated.
    template <class Sequences, class Executor = one_after_the_other>
    status sample(Sequences&& sequences, const logit_rows& rows, std::span<token_id> tokens, Executor&& executor = {}) {
        return each(sequences, rows, tokens, executor,
                    [](auto& chain, const logit_row& row) noexcept { return chain.sample(row); });
    }
    /// The tokens that sample would give, and nothing accepted.
    template <class Sequences, class Executor = one_after_the_other>
    status peek(Sequences&& sequences, const logit_rows& rows, std::span<token_id> tokens, Executor&& executor = {}) {
        return each(sequences, rows, tokens, executor,
                    [](auto& chain, const logit_row& row) noexcept { return chain.peek(row); });
    }

    /// Memory ahead of time: for batches of `rows` rows, `at_once` of which are sampled at the same time, with
    /// `scratch_bytes` each (chain.scratch_bytes(V), the most of all chains).
    status reserve(std::size_t rows, std::size_t at_once, std::size_t scratch_bytes) noexcept {
        if (const status s = scratch_.reserve(rows); !s.ok()) return s;
        for (std::size_t i = 0; i < at_once && i < rows; ++i)
            if (const status_code code = scratch_.memory(i).reserve(scratch_bytes); code != status_code::ok)
                return code;
        return {};
    }

private:
    template <class Chain>
    static Chain& chain_of(Chain& chain) noexcept {
        return chain;
    }
    template <class Chain>
    static Chain& chain_of(Chain* chain) noexcept {
        return *chain;
    }

    template <class Sequences>
    status check_sizes(Sequences& sequences, const logit_rows& rows, std::span<const token_id> tokens) const noexcept {
        const std::size_t count = std::size(sequences);
        if (rows.rows() != count)
            return status::invalid("batch", "rows", double(rows.rows()), "is not the number of sequences");
        if (tokens.size() != count)
            return status::invalid("batch", "tokens", double(tokens.size()), "is not the number of sequences");
        if (count == 0) return {};
        if (!rows.has_data() || rows.columns() == 0) return status::failed(status_code::empty_row, "batch");
        if (rows.inner_stride() != 1)
            return status::invalid("batch", "inner stride", double(rows.inner_stride()),
                                   "is not 1: the logits of a row must lie side by side");
        if (rows.stride() < rows.columns() && count > 1)
            return status::invalid("batch", "stride", double(rows.stride()), "is less than a row has logits");
        if (rows.extent() > largest_object / bytes_of(rows.format()) && count > 1)
            return status::invalid("batch", "stride", double(rows.stride()),
                                   "puts the last row beyond what memory can hold");
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(*std::begin(sequences))>>)
            for (std::size_t i = 0; i < count; ++i)
                if (std::begin(sequences)[std::ptrdiff_t(i)] == nullptr)
                    return status::invalid("batch", "sequence", double(i), "is a null pointer");
        return {};
    }

    template <class Sequences, class Executor, class Take>
    status each(Sequences& sequences, const logit_rows& rows, std::span<token_id> tokens, Executor& executor,
                Take take) {
        for (auto& token : tokens) token = null_token;
        if (status s = check_sizes(sequences, rows, tokens); !s.ok()) return s;
        if (status s = scratch_.reserve(rows.rows()); !s.ok()) return s;
        const auto first = std::begin(sequences);
        std::atomic<std::size_t> done{0};
        executor(tokens.size(), [&](std::size_t i) noexcept {
            if (i >= tokens.size()) return;
            auto& chain = chain_of(first[std::ptrdiff_t(i)]);
            detail::scratch_pool::place& place = scratch_.take();
            {
                const scratch_loan lent(chain, place.memory);
                tokens[i] = take(chain, rows[i]);
            }
            detail::scratch_pool::give_back(place);
            done.fetch_add(1, std::memory_order_relaxed);
        });
        if (done.load() != tokens.size())
            return status::invalid("batch", "tasks run", double(done.load()), "is not the number of sequences");
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (tokens[i] == null_token) return chain_of(first[std::ptrdiff_t(i)]).last_status();
        return {};
    }

    detail::scratch_pool scratch_;
};

}  // namespace riffle
