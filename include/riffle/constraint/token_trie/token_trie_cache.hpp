#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <riffle/constraint/brief_lock.hpp>
#include <riffle/constraint/mixed_hash.hpp>
#include <riffle/constraint/parsed.hpp>
#include <riffle/constraint/token_trie/parse_token_trie.hpp>
#include <riffle/constraint/token_trie/token_trie.hpp>
#include <riffle/core/text.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/vocabulary.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How much a cache of tries keeps.
struct token_trie_cache_options {
    std::size_t entries = 128;     ///< payloads
    std::size_t bytes = 16 << 20;  ///< of payloads, names and nodes
};

namespace detail {

/// For a cache that one thread at a time uses.
struct no_mutex {
    void lock() noexcept {}
    void unlock() noexcept {}
};

template <class Mutex>
class hold_of {
public:
    explicit hold_of(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    hold_of(const hold_of&) = delete;
    hold_of& operator=(const hold_of&) = delete;
    ~hold_of() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

/// Of 32 bytes at a time, in four parts that do not wait for each other.
inline std::uint64_t hash_of_bytes(const text& of) noexcept {
    std::uint64_t parts[4] = {1, 2, 3, of.size()};
    std::size_t i = 0;
    for (; i + 32 <= of.size(); i += 32)
        for (std::size_t p = 0; p < 4; ++p) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, of.data() + i + 8 * p, 8);
            parts[p] = mixed(parts[p], eight);
        }
    std::uint64_t hash = mixed(mixed(parts[0], parts[1]), mixed(parts[2], parts[3]));
    for (; i < of.size(); ++i) hash = mixed(hash, std::uint8_t(of[i]));
    return hash;
}

}  // namespace detail

/// Keeps the tries of payloads that come again, as those of one action set do with every request: the same bytes give
/// the same trie (==), in less than a microsecond. Payloads that differ in order or spaces alone share one trie, too.
///
///     token_trie_cache cache(words);                     // one for a model; whoever owns it, no global
///     parsed<token_trie> trie = cache.parse(payload);
///
/// Payloads that cannot be read are not kept. What was used least recently goes first, where there are more entries or
/// bytes than the options allow; tries in use stay with those that use them. One thread at a time: see
/// shared_token_trie_cache.
template <class Mutex>
class basic_token_trie_cache {
public:
    /// For a vocabulary of so many tokens. The options are those of parse_token_trie.
    explicit basic_token_trie_cache(std::int32_t vocabulary_size, const token_trie_options& reading = {},
                                    const token_trie_cache_options& most = {})
        : size_(vocabulary_size), reading_(reading), most_(most),
          model_id_(reading.model_id.data(), reading.model_id.size()) {}
    /// For a vocabulary whose control tokens, and those that end generation, are refused. It need not outlive this.
    explicit basic_token_trie_cache(const vocabulary& words, const token_trie_options& reading = {},
                                    const token_trie_cache_options& most = {})
        : basic_token_trie_cache(std::int32_t(words.size()), reading, most) {
        if (reading.allow_special) return;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words.is(token_id(i), token_role::control | token_role::end_of_generation))
                special_.push_back(token_id(i));
    }
    basic_token_trie_cache(const basic_token_trie_cache&) = delete;
    basic_token_trie_cache& operator=(const basic_token_trie_cache&) = delete;
    ~basic_token_trie_cache() = default;

    /// What parse_token_trie gives for the payload; from the cache where it is there. Nothing throws.
    parsed<token_trie> parse(const text& payload) noexcept {
        return detail::read_in_memory<token_trie>([&] {
            const std::uint64_t hash = detail::hash_of_bytes(payload);
            {
                const detail::hold_of<Mutex> hold(mutex_);
                if (entry* const known = find(hash, payload)) {
                    known->used = ++clock_;
                    ++hits_;
                    return known->trie;
                }
            }
            parsed<token_trie> read = read_anew(payload);
            if (!read) return read;
            RIFFLE_TRY { return keep(hash, payload, read); }
            RIFFLE_CATCH { return read; }  // no memory to keep it
        });
    }
    /// Payloads that are kept.
    std::size_t size() const noexcept {
        const detail::hold_of<Mutex> hold(mutex_);
        return entries_.size();
    }
    /// Bytes that are kept.
    std::size_t bytes() const noexcept {
        const detail::hold_of<Mutex> hold(mutex_);
        return bytes_;
    }
    /// How often a payload was there already.
    std::uint64_t hits() const noexcept {
        const detail::hold_of<Mutex> hold(mutex_);
        return hits_;
    }
    /// Forgets all of them.
    void clear() noexcept {
        const detail::hold_of<Mutex> hold(mutex_);
        entries_.clear();
        bytes_ = 0;
    }

private:
    struct entry {
        std::uint64_t hash, used;
        std::string payload;
        parsed<token_trie> trie;
        std::size_t bytes;
    };

    entry* find(std::uint64_t hash, const text& payload) noexcept {
        for (entry& e : entries_)
            if (e.hash == hash && text(e.payload) == payload) return &e;
        return nullptr;
    }
    parsed<token_trie> read_anew(const text& payload) const {
        token_trie_options reading = reading_;
        reading.model_id = text(model_id_);
        const auto is_special = [this](token_id token) {
            return std::binary_search(special_.begin(), special_.end(), token);
        };
        return detail::read_payload<detail::token_trie_data>(payload, size_, is_special, reading);
    }
    parsed<token_trie> keep(std::uint64_t hash, const text& payload, const parsed<token_trie>& read) {
        const detail::hold_of<Mutex> hold(mutex_);
        if (entry* const known = find(hash, payload)) return known->trie;  // another thread was first
        parsed<token_trie> kept = read;
        for (const entry& e : entries_)
            if (are_alike(*e.trie->data(), *read->data())) {
                kept = parsed<token_trie>(*e.trie, read.warnings());
                break;
            }
        std::size_t bytes = sizeof(entry) + payload.size() + read->data()->bytes();
        for (const parse_problem& odd : read.warnings()) bytes += sizeof odd + odd.where.size() + odd.sentence.size();
        if (bytes > most_.bytes || most_.entries == 0) return kept;
        entries_.reserve(entries_.size() + 1);
        entry made{hash, ++clock_, std::string(payload.data(), payload.size()), kept, bytes};
        while (entries_.size() >= most_.entries || bytes_ + bytes > most_.bytes) drop_one();
        entries_.push_back(std::move(made));
        bytes_ += bytes;
        return kept;
    }
    void drop_one() noexcept {
        const auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                             [](const entry& a, const entry& b) { return a.used < b.used; });
        bytes_ -= oldest->bytes;
        std::swap(*oldest, entries_.back());
        entries_.pop_back();
    }

    mutable Mutex mutex_;
    std::int32_t size_;
    token_trie_options reading_;
    token_trie_cache_options most_;
    std::string model_id_;
    std::vector<token_id> special_;
    std::vector<entry> entries_;
    std::size_t bytes_ = 0;
    std::uint64_t clock_ = 0, hits_ = 0;
};
/// For one thread at a time.
using token_trie_cache = basic_token_trie_cache<detail::no_mutex>;
/// For any number of threads: what is read lies outside of the lock.
using shared_token_trie_cache = basic_token_trie_cache<detail::brief_lock>;

}  // namespace riffle
