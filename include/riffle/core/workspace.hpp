#pragma once
#include <bit>
#include <cstddef>
#include <span>

#include <riffle/core/storage.hpp>
#include <riffle/core/token.hpp>

namespace riffle::exact {

/// Memory that one sampler at a time uses within its apply: carries nothing from one call to the next, so a copy starts
/// empty. It grows to what was asked for most and then allocates no more; or it stays in memory of the caller.
class workspace {
public:
    /// Room for `count` objects, aligned to 64 bytes; null when there is no memory. What room() gave before is lost.
    template <class T>
    [[nodiscard]] T* room(std::size_t count) noexcept {
        return reserve(count * sizeof(T)).ok() ? reinterpret_cast<T*>(bytes_.data()) : nullptr;
    }
    /// At least that many bytes. Grows by doubling: the candidates that reach a sampler are more in one step than in
    /// another.
    status reserve(std::size_t bytes) noexcept {
        if (bytes == 0) bytes = 1;
        if (!bytes_.borrowed() && bytes > bytes_.size() && bytes < 2 * bytes_.size()) bytes = 2 * bytes_.size();
        return bytes_.reserve(bytes);
    }
    /// From now on these bytes, aligned by the caller to storage::alignment; they must outlive their use.
    void use(std::span<std::byte> bytes) noexcept { bytes_.use(bytes); }

    /// What any sampler needs at most: for candidates, for the tokens that it looks back, and for biases.
    static constexpr std::size_t bytes_for(std::size_t candidates, std::size_t window, std::size_t biases) noexcept {
        const std::size_t sorting = candidates * (sizeof(token_data) + 2 * sizeof(float));
        const std::size_t looking_back = window * 2 * sizeof(token_id) + table_slots(window) * slot_bytes;
        const std::size_t looking_up = table_slots(biases) * slot_bytes;
        const std::size_t larger = sorting > looking_back ? sorting : looking_back;
        return larger > looking_up ? larger : looking_up;
    }

    /// Slots of a token_table for that many tokens: half full at most.
    static constexpr std::size_t table_slots(std::size_t tokens) noexcept { return std::bit_ceil(2 * tokens + 1); }
    static constexpr std::size_t slot_bytes = 12;

private:
    storage bytes_;
};

/// A value for each of some tokens: an open-addressed table in memory of the workspace.
template <class Value>
class token_table {
public:
    struct slot {
        token_id token;
        Value value;
        bool used;
    };
    static_assert(sizeof(slot) <= workspace::slot_bytes);

    token_table() noexcept = default;
    /// `slots` holds workspace::table_slots(tokens that will be entered).
    token_table(slot* slots, std::size_t size) noexcept : slots_(slots), size_(size) {
        for (std::size_t i = 0; i < size; ++i) slots[i] = {0, Value{}, false};
    }

    /// The value of a token, entered with a value if it is new.
    Value& enter(token_id token, Value value) noexcept {
        slot& s = slot_of(token);
        if (!s.used) s = {token, value, true};
        return s.value;
    }
    /// The value of a token; null for one that was not entered.
    const Value* find(token_id token) const noexcept {
        if (size_ == 0) return nullptr;
        const slot& s = slot_of(token);
        return s.used ? &s.value : nullptr;
    }

    /// Calls visit(token, value) for every token that was entered.
    template <class Visit>
    void each(Visit visit) const noexcept {
        for (std::size_t i = 0; i < size_; ++i)
            if (slots_[i].used) visit(slots_[i].token, slots_[i].value);
    }

private:
    slot& slot_of(token_id token) const noexcept {
        std::size_t i = (std::uint32_t(token) * 0x9E3779B9u) >> 7 & (size_ - 1);
        while (slots_[i].used && slots_[i].token != token) i = (i + 1) & (size_ - 1);
        return slots_[i];
    }
    slot* slots_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace riffle::exact
