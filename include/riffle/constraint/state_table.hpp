#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/numbers_by_hash.hpp>
#include <riffle/constraint/state_closure.hpp>
#include <riffle/constraint/state_id.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

class token_mask;

/// Where a text can be read on: a set of configurations, each such set once.
struct text_state {
    const configuration* first = nullptr;
    std::uint32_t count = 0;
    bool is_accepting = false;  ///< the text may end here
    enum : std::uint16_t { loop_not_known = 0xFFFF, no_loop = 0xFFFE };
    std::atomic<std::uint16_t> loop{loop_not_known};  ///< its widest loop over a set: slice << 8 | characters
    std::atomic<std::uint8_t> depth{0};               ///< levels of frames that its mask is known to depend on
    std::atomic<const token_mask*> mask{nullptr};     ///< nullptr: not made yet

    std::span<const configuration> configurations() const noexcept { return {first, count}; }
};

/// The states of an automaton that is built as it is used, and for each of them and each class of bytes the next one.
/// States are found and added by one thread at a time; what is there can be read by all meanwhile, since it never
/// moves: a number is read only after it was published in a row, or handed over by a lock.
template <class State>
class basic_state_table {
public:
    enum : std::size_t { states_of_chunk = 64 };

    explicit basic_state_table(std::uint32_t classes) noexcept : classes_(classes) {}
    basic_state_table(const basic_state_table&) = delete;
    basic_state_table& operator=(const basic_state_table&) = delete;
    ~basic_state_table() {
        for (std::size_t i = 0; chunks_ && i < chunks_of(most_); ++i)
            ::operator delete(chunks_[i].load(std::memory_order_relaxed));
        ::operator delete(static_cast<void*>(chunks_));
        for (std::byte* const block : blocks_) ::operator delete(block);
    }
    /// For so many states, and no more than fit into so many bytes; false without memory.
    bool begin(std::size_t most, std::size_t most_bytes) noexcept {
        most_ = (std::min)(most, (most_bytes / bytes_of_chunk() + 2) * states_of_chunk);
        const std::size_t count = chunks_of(most_);
        chunks_ = static_cast<std::atomic<std::byte*>*>(::operator new(count * sizeof *chunks_, std::nothrow));
        for (std::size_t i = 0; chunks_ && i < count; ++i)
            ::new (static_cast<void*>(chunks_ + i)) std::atomic<std::byte*>(nullptr);
        return chunks_ != nullptr;
    }

    // ---- by any thread

    const State& at(state_id s) const noexcept { return state_in(chunk_of(s), s); }
    State& at(state_id s) noexcept { return state_in(chunk_of(s), s); }
    /// The next states, one for each class of bytes.
    std::atomic<state_id>* row(state_id s) noexcept {
        std::byte* const rows = chunk_of(s) + states_of_chunk * sizeof(State);
        return reinterpret_cast<std::atomic<state_id>*>(rows) + place_in_chunk(s) * classes_;
    }

    // ---- by one thread at a time

    std::size_t size() const noexcept { return size_; }
    std::size_t bytes() const noexcept { return bytes_ + by_hash_.bytes(); }
    /// The state of some configurations, in order; an error, full or no_memory, where it cannot be added.
    state_id intern(std::span<const configuration> of, bool is_accepting) noexcept {
        const auto hash_of_state = [&](std::uint32_t s) {
            return hash_of(at(state_id(s)).configurations(), at(state_id(s)).is_accepting);
        };
        if (!by_hash_.make_room(size_, hash_of_state)) return failed(automaton_error::no_memory);
        const std::uint64_t hash = hash_of(of, is_accepting);
        const std::uint32_t known = by_hash_.find(hash, [&](std::uint32_t s) {
            const std::span<const configuration> others = at(state_id(s)).configurations();
            return at(state_id(s)).is_accepting == is_accepting &&
                   std::equal(others.begin(), others.end(), of.begin(), of.end());
        });
        if (known != numbers_by_hash::none) return state_id(known);
        const state_id made = add(of, is_accepting);
        if (made >= 0) by_hash_.add(hash, std::uint32_t(made));
        return made;
    }

private:
    static std::size_t chunks_of(std::size_t states) noexcept {
        return states / states_of_chunk + (states % states_of_chunk != 0);
    }
    std::size_t bytes_of_chunk() const noexcept {
        return states_of_chunk * (sizeof(State) + classes_ * sizeof(std::atomic<state_id>));
    }
    static std::size_t place_in_chunk(state_id s) noexcept { return std::uint32_t(s) % states_of_chunk; }
    std::byte* chunk_of(state_id s) const noexcept {
        return chunks_[std::uint32_t(s) / states_of_chunk].load(std::memory_order_acquire);
    }
    static State& state_in(std::byte* chunk, state_id s) noexcept {
        return reinterpret_cast<State*>(chunk)[place_in_chunk(s)];
    }
    static std::uint64_t hash_of(std::span<const configuration> of, bool is_accepting) noexcept {
        std::uint64_t hash = is_accepting;
        for (const configuration& c : of) hash = mixed(hash, c.key());
        return hash;
    }

    state_id add(std::span<const configuration> of, bool is_accepting) noexcept {
        if (size_ == most_) return failed(automaton_error::full);
        if (size_ % states_of_chunk == 0 && !add_chunk()) return failed(automaton_error::no_memory);
        const configuration* const kept = keep(of);
        if (!kept && !of.empty()) return failed(automaton_error::no_memory);
        const state_id made = state_id(size_++);
        State& s = at(made);
        s.first = kept;
        s.count = std::uint32_t(of.size());
        s.is_accepting = is_accepting;
        return made;
    }
    bool add_chunk() noexcept {
        std::atomic<std::byte*>& place = chunks_[size_ / states_of_chunk];
        if (place.load(std::memory_order_relaxed)) return true;  // left by an attempt that failed later
        const std::size_t cells = states_of_chunk * classes_;
        auto* const chunk = static_cast<std::byte*>(::operator new(bytes_of_chunk(), std::nothrow));
        if (!chunk) return false;
        for (std::size_t i = 0; i < states_of_chunk; ++i) ::new (chunk + i * sizeof(State)) State();
        std::byte* const rows = chunk + states_of_chunk * sizeof(State);
        for (std::size_t i = 0; i < cells; ++i)
            ::new (rows + i * sizeof(std::atomic<state_id>)) std::atomic<state_id>(not_built);
        place.store(chunk, std::memory_order_release);
        bytes_ += bytes_of_chunk();
        return true;
    }
    /// A copy that stays where it is.
    const configuration* keep(std::span<const configuration> of) noexcept {
        constexpr std::size_t block_size = 1024;
        if (of.size() > left_in_block_) {
            const std::size_t size = of.size() > block_size ? of.size() : block_size;
            auto* const block = static_cast<std::byte*>(::operator new(size * sizeof(configuration), std::nothrow));
            if (!block) return nullptr;
            if (!blocks_.push(block)) {
                ::operator delete(block);
                return nullptr;
            }
            bytes_ += size * sizeof(configuration);
            next_ = reinterpret_cast<configuration*>(block);
            left_in_block_ = size;
        }
        configuration* const kept = next_;
        for (const configuration& c : of) ::new (static_cast<void*>(next_++)) configuration(c);
        left_in_block_ -= of.size();
        return kept;
    }

    std::uint32_t classes_;
    std::size_t most_ = 0, size_ = 0, bytes_ = 0;
    std::atomic<std::byte*>* chunks_ = nullptr;
    numbers_by_hash by_hash_;
    growing_array<std::byte*> blocks_;
    configuration* next_ = nullptr;
    std::size_t left_in_block_ = 0;
};
using state_table = basic_state_table<text_state>;

}  // namespace riffle::detail
