#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The memory of a chain: its scratch, and how much of its history it keeps. On the heap, or in storage of the caller,
/// which it never leaves. (A template, so that including riffle does not compile it.)
template <class Stages>
class basic_chain_memory {
public:
    /// The longest row, and the most tokens: what a token_id can count.
    static constexpr std::size_t longest = std::size_t((std::numeric_limits<token_id>::max)());

    const detail::scratch& in_use() const noexcept { return scratch_; }
    /// Logits of the longest row that it has room for.
    std::size_t row_size() const noexcept { return row_size_; }
    /// Whether it is memory of the caller.
    bool is_borrowed() const noexcept { return storage_.borrowed(); }
    status_code missing() const noexcept {
        return storage_.borrowed() ? status_code::storage_too_small : status_code::out_of_memory;
    }

    /// How far the stages look back; -1 = everything, and so is a window that no text fills: nobody asks for its memory
    /// ahead of time.
    static std::int32_t window(const Stages& stages) noexcept {
        constexpr std::int32_t longest_window = 1 << 20;
        const std::int32_t asked = stages.window();
        return asked > longest_window ? -1 : asked;
    }

    /// Memory for `count` more tokens, as far as a stage or a rollback looks back on them; where there is none nothing
    /// has changed. Accepting that many then allocates nothing. (A stage is asked how far it looks back only where the
    /// ring is full: for some that takes as long as a step.)
    status make_room(const Stages& stages, history& tokens, std::size_t count) noexcept {
        if (tokens.lost()) return missing();
        const std::size_t has = tokens.capacity();
        const std::size_t needed = saturating::sum(tokens.remembered(), count);
        if (needed <= has) return {};
        const std::size_t all = window(stages) < 0 ? uncountable : history_capacity(window_tokens(stages, 0));
        if (all <= has) return {};
        const std::size_t wanted = (std::max)(needed, has > 0 ? 2 * has : first_capacity(stages));
        return reserve_history(tokens, (std::min)(all, wanted)) ? status() : missing();
    }
    status reserve(const Stages& stages, history& tokens, std::size_t row_size, std::size_t count) noexcept {
        if (row_size > longest) return status_code::row_too_long;
        if (count > longest || tokens.lost()) return missing();
        // The scratch first: with a history for which there is no scratch no row could be sampled any more.
        const std::size_t wanted = history_capacity(window_tokens(stages, count));
        if (const status s = reserve_scratch(stages, tokens, row_size, wanted); !s.ok()) return s;
        return reserve_history(tokens, wanted) ? status() : missing();
    }
    /// Scratch for rows of that many logits and what is remembered now.
    status reserve_scratch(const Stages& stages, history& tokens, std::size_t row_size) noexcept {
        if (tokens.lost() || !reserve_history(tokens, first_capacity(stages))) return missing();
        return reserve_scratch(stages, tokens, row_size, tokens.capacity());
    }
    std::size_t bytes(const Stages& stages, const history& tokens, std::size_t row_size,
                      std::size_t count) const noexcept {
        if (row_size > longest || count > longest) return uncountable;
        const std::size_t kept = kept_tokens(stages, tokens, count);
        const std::size_t of_history = saturating::sum(storage::alignment, aligned(history::bytes(kept)));
        return saturating::sum(of_history, scratch::bytes(row_size, kept, stages.spare_bytes(row_size)));
    }
    status use(const Stages& stages, history& tokens, std::span<std::byte> memory, std::size_t row_size,
               std::size_t count) noexcept {
        const std::size_t needed = bytes(stages, tokens, row_size, count);
        if (needed > largest_object || memory.size() < needed) return status_code::storage_too_small;
        if (tokens.overlaps(memory.data(), memory.size()) || storage_.overlaps(memory))
            return status_code::storage_overlaps;
        const std::size_t kept = kept_tokens(stages, tokens, count);
        const auto misaligned = reinterpret_cast<std::uintptr_t>(memory.data()) % storage::alignment;
        memory = memory.subspan(misaligned ? storage::alignment - misaligned : 0);
        tokens.use(memory.data(), kept);
        storage_.use(memory.subspan(aligned(history::bytes(kept))));
        forget();
        return reserve_scratch(stages, tokens, row_size);
    }
    /// Takes another scratch for its own; false for one that lives in storage of the caller, which keeps that.
    bool trade(storage& other) noexcept {
        if (storage_.borrowed()) return false;
        storage_.trade(other);
        forget();
        return true;
    }
    void take(basic_chain_memory& other) noexcept {
        storage_ = static_cast<storage&&>(other.storage_);
        forget();
        other.forget();
    }
    /// Whether the scratch is another one than when this was asked last.
    bool was_carved() noexcept { return std::exchange(was_carved_, false); }
    /// The next step carves it anew.
    void forget() noexcept {
        was_carved_ = true;
        row_size_ = window_ = 0;
        scratch_ = {};
    }

private:
    static constexpr std::size_t aligned(std::size_t bytes) noexcept {
        return saturating::rounded_up(bytes, storage::alignment);
    }
    /// A window, rollback_depth tokens behind it, and one entry that carries the hash of all before.
    static constexpr std::size_t history_capacity(std::size_t window) noexcept { return window + rollback_depth + 1; }
    /// The stages' window, or more tokens where a caller says so.
    static std::size_t window_tokens(const Stages& stages, std::size_t count) noexcept {
        return (std::max)(std::size_t((std::max)(window(stages), 0)), count);
    }
    static std::size_t kept_tokens(const Stages& stages, const history& tokens, std::size_t count) noexcept {
        return (std::max)(history_capacity(window_tokens(stages, count)), tokens.capacity());
    }
    /// Longer windows, and endless ones, get their memory as the text grows.
    RIFFLE_LOCAL static constexpr std::size_t first_window = 4096;
    static std::size_t first_capacity(const Stages& stages) noexcept {
        return history_capacity((std::min)(window_tokens(stages, 0), first_window));
    }
    bool reserve_history(history& tokens, std::size_t capacity) noexcept {
        return capacity <= tokens.capacity() || (!storage_.borrowed() && tokens.reserve(capacity));
    }
    /// For a history of at least `kept` tokens.
    status reserve_scratch(const Stages& stages, history& tokens, std::size_t row_size, std::size_t kept) noexcept {
        if (row_size <= row_size_ && kept <= window_ &&
            stages.spare_bytes(row_size_) <= scratch_.spare.size())  // parameters may have grown
            return {};
        return grow(stages, tokens, row_size, kept);
    }
    RIFFLE_NOINLINE status grow(const Stages& stages, history& tokens, std::size_t row_size,
                                std::size_t kept) noexcept {
        kept = (std::max)(kept, tokens.capacity());
        row_size = (std::max)(row_size, row_size_);
        const std::size_t spare = stages.spare_bytes(row_size);
        if (const auto code = storage_.reserve(scratch::bytes(row_size, kept, spare)); code != status_code::ok)
            return code;
        forget();
        scratch_ = scratch::in(storage_.data(), row_size, kept, spare);
        row_size_ = row_size;
        window_ = kept;
        return {};
    }

    storage storage_;
    detail::scratch scratch_;
    std::size_t row_size_ = 0, window_ = 0;
    bool was_carved_ = false;
};

}  // namespace riffle::detail
