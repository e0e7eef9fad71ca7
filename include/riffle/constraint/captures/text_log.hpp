#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/constraint/shared_pointer.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// What a matcher has taken, in the order in which it came: tokens, bytes, and beginnings of another text. Copies of a
/// matcher share it until one of them goes on.
template <class Entry>
class basic_text_log {
public:
    /// An entry is a token's id, or a byte, or a beginning; each counts as one, but of bytes that came together the
    /// last, and of a beginning with what came together with it the latter.
    enum : Entry {
        byte = 1u << 31,
        ends_bytes = 1u << 30,
        begins_text = byte | 1u << 29,
        begins_with_next = begins_text | 1,
        no_bytes = byte | ends_bytes | 256
    };

    /// Keeps nothing until this was called. False without memory.
    bool begin() noexcept {
        entries_ = shared_pointer<entries>(new (std::nothrow) entries());
        size_ = 0;
        return bool(entries_);
    }
    bool is_kept() const noexcept { return bool(entries_); }
    /// Keeps nothing any more.
    void forget() noexcept {
        entries_ = {};
        size_ = 0;
    }

    /// Nothing has come.
    void clear() noexcept { size_ = 0; }

    bool push_token(token_id token) noexcept {
        return push_all([&](auto& all) { return all.push(Entry(token)); });
    }
    bool push_bytes(const text& bytes) noexcept {
        return push_all([&](auto& all) { return add_bytes(bytes, {}, all); });
    }
    /// The beginning of another text, and some bytes.
    bool push_beginning(const text& first = {}, const text& behind = {}) noexcept {
        return push_all([&](auto& all) {
            if (first.empty() && behind.empty()) return all.push(Entry{begins_text});
            return all.push(Entry{begins_with_next}) && add_bytes(first, behind, all);
        });
    }
    /// The beginning of another text, and a token.
    bool push_beginning(token_id token) noexcept {
        return push_all([&](auto& all) { return all.push(Entry{begins_with_next}) && all.push(Entry(token)); });
    }
    /// Takes back the last so many.
    void pop(std::uint64_t count) noexcept {
        for (; count > 0 && size_ > 0; --count) {
            const bool were_bytes = is_byte(--size_);
            while (were_bytes && size_ > 0 && is_byte(size_ - 1) && !(entries_->all[size_ - 1] & ends_bytes)) --size_;
            if (size_ > 0 && entries_->all[size_ - 1] == begins_with_next) --size_;
        }
    }
    /// What has come since the last beginning.
    std::span<const Entry> last_text() const noexcept {
        if (!entries_) return {};
        std::size_t first = size_;
        while (first > 0 && (entries_->all[first - 1] & begins_text) != begins_text) --first;
        return entries_->all.part(first, size_ - first);
    }

private:
    struct entries : shared_object {
        growing_array<Entry> all;
    };

    bool is_byte(std::size_t i) const noexcept {
        const Entry e = entries_->all[i];
        return (e & byte) != 0 && (e & begins_text) != begins_text;
    }
    /// add(array) pushes some entries and answers whether there was room: all of them or none.
    template <class Add>
    bool push_all(Add add) noexcept {
        if (!entries_) return true;
        if (!make_own()) return false;
        const bool had_room = add(entries_->all);
        if (had_room) size_ = entries_->all.size();
        else entries_->all.shorten(size_);
        return had_room;
    }
    template <class Array>
    static bool add_bytes(const text& first, const text& behind, Array& all) noexcept {
        if (first.empty() && behind.empty()) return all.push(Entry{no_bytes});
        const auto push = [&](const text& bytes, bool is_last) {
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                const bool ends = is_last && i + 1 == bytes.size();
                if (!all.push(byte | std::uint8_t(bytes[i]) | (ends ? Entry{ends_bytes} : Entry{0}))) return false;
            }
            return true;
        };
        return push(first, behind.empty()) && push(behind, true);
    }
    /// Entries that nobody shares, and no more than are this one's.
    bool make_own() noexcept {
        if (!entries_->has_one_owner()) {
            shared_pointer<entries> own(new (std::nothrow) entries());
            if (!own || !own->all.append(entries_->all.data(), size_)) return false;
            entries_ = own;
        }
        entries_->all.shorten(size_);
        return true;
    }

    shared_pointer<entries> entries_;
    std::size_t size_ = 0;  ///< those of this one
};
using text_log = basic_text_log<std::uint32_t>;

}  // namespace riffle::detail
