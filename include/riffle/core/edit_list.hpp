#pragma once
#include <cstddef>
#include <cstdint>
#include <new>

#include <riffle/core/logit_edit.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What stages would do to the logits of a row that lies elsewhere: written down instead of done, in order. It keeps
/// its memory when it is cleared. Where the heap gives none, edits are lost and complete() says so.
class edit_list {
public:
    struct entry {
        token_id token;
        std::uint32_t order;  ///< so many were written down before it
        logit_edit change;
    };

    edit_list() noexcept = default;
    edit_list(const edit_list&) = delete;
    edit_list& operator=(const edit_list&) = delete;
    ~edit_list() { delete[] entries_; }

    /// As row::edit, but for an edit that is known by its numbers. Ids below 0 are ignored; those beyond the row are
    /// for whoever has the row to ignore.
    void edit(token_id token, const logit_edit& change) noexcept {
        if (token < 0) return;
        if (size_ == capacity_ && !grow()) return;
        entries_[size_] = {token, std::uint32_t(size_), change};
        ++size_;
    }
    void clear() noexcept {
        size_ = 0;
        complete_ = true;
    }
    entry* begin() noexcept { return entries_; }
    entry* end() noexcept { return entries_ + size_; }
    bool complete() const noexcept { return complete_; }

private:
    bool grow() noexcept {
        const std::size_t more = capacity_ ? 2 * capacity_ : 64;
        auto* const entries = new (std::nothrow) entry[more];
        if (!entries) return complete_ = false;
        for (std::size_t i = 0; i < size_; ++i) entries[i] = entries_[i];
        delete[] entries_;
        entries_ = entries;
        capacity_ = more;
        return true;
    }

    entry* entries_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
    bool complete_ = true;
};

}  // namespace riffle
