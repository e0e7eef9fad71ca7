#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/growing_array.hpp>
#include <riffle/core/numbers_in_bytes.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/speculative/drafters/ngram_counts.hpp>

// Counts of n-grams in bytes: numbers of 32 bits (core/numbers_in_bytes.hpp). A file of ours is
//
//     magic (2 numbers), version, bytes of the whole file (2 numbers, the lower first),
//     by ascending n-gram: its size, its tokens, how many followers; and by ascending token: follower, count
//     checksum
//
// so that equal counts are equal bytes. A file of llama.cpp (common/ngram-cache.cpp, for --lookup-cache-static and
// -dynamic), as it is written on a little-endian machine, has neither a beginning nor an end:
//
//     in any order, for each n-gram: 4 tokens, the last of them -1 where it is shorter; how many followers;
//     and in any order: follower, count

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes files of ours, and reads both kinds.
class ngram_cache_file {
public:
    static std::size_t bytes(const ngram_counts& of) noexcept {
        return 4 * (head_numbers + 2 * of.ngrams() + of.tokens() + 2 * of.size() + 1);
    }
    /// Of bytes(counts) bytes.
    static status write(const ngram_counts& counts, std::byte* to) noexcept {
        const std::span<const ngram_counts::follower> all = counts.followers();
        growing_array<std::uint32_t> order;
        if (!order.reserve(all.size())) return no_memory();
        for (std::size_t i = 0; i < all.size(); ++i) static_cast<void>(order.push(std::uint32_t(i)));
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (all[a].behind == all[b].behind) return all[a].token < all[b].token;
            return counts.ngram_of(all[a]) < counts.ngram_of(all[b]);
        });
        file_writer out(to);
        write_head(bytes(counts), out);
        for (std::size_t i = 0; i < order.size();) {
            std::size_t end = i;
            while (end < order.size() && all[order[end]].behind == all[order[i]].behind) ++end;
            write_ngram(counts.ngram_of(all[order[i]]), end - i, out);
            for (; i < end; ++i) {
                out.put(std::uint32_t(all[order[i]].token));
                out.put(all[order[i]].count);
            }
        }
        out.put(out.checksum());
        return {};
    }
    /// `made` must be empty; where the file is refused, what it holds has no meaning.
    static status read(std::span<const std::byte> from, std::size_t most, ngram_counts& made) noexcept {
        const status head = read_head(from);
        if (!head.ok()) return head;
        file_reader in({from.data(), from.size() - 4});
        for (std::size_t i = 0; i < head_numbers; ++i) in.next();
        while (in.left() > 0) {
            const std::uint32_t size = in.next();
            ngram behind = {null_token, null_token, null_token, null_token};
            if (size == 0 || size > behind.size()) return refused("size of an n-gram", size, "is not 1 to 4");
            if (size >= in.left()) return cut_short(from);
            for (std::size_t i = 0; i < size; ++i) behind[i] = token_id(in.next());
            const status result = read_followers(behind, size, in, most, made);
            if (!result.ok()) return result;
        }
        return {};
    }
    /// As read, of a file of llama.cpp.
    static status read_llama(std::span<const std::byte> from, std::size_t most, ngram_counts& made) noexcept {
        if (from.size() % 4 != 0) return cut_short(from);
        file_reader in({from.data(), from.size()});
        while (in.left() > 0) {
            ngram behind;
            if (in.left() <= behind.size()) return cut_short(from);
            for (token_id& token : behind) token = token_id(in.next());
            const status result = read_followers(behind, size_of(behind), in, most, made);
            if (!result.ok()) return result;
        }
        return {};
    }

    static status refused(const char* field, double value, const char* rule) noexcept {
        return status::invalid("ngram_cache", field, value, rule);
    }

private:
    static constexpr std::uint32_t magic[] = {0x66666972, 0x474E656C};  ///< "riffleNG"
    static constexpr std::uint32_t version = 1;
    static constexpr std::size_t head_numbers = 5;

    static status no_memory() noexcept { return status::failed(status_code::out_of_memory, "ngram_cache"); }
    static status cut_short(std::span<const std::byte> from) noexcept {
        return refused("bytes of the file", double(from.size()), "end within an n-gram");
    }
    static void write_head(std::uint64_t size, file_writer& out) noexcept {
        for (const std::uint32_t number : magic) out.put(number);
        out.put(version);
        out.put_both(size);
    }
    static void write_ngram(const ngram& tokens, std::size_t followers, file_writer& out) noexcept {
        const std::size_t size = size_of(tokens);
        out.put(std::uint32_t(size));
        for (std::size_t i = 0; i < size; ++i) out.put(std::uint32_t(tokens[i]));
        out.put(std::uint32_t(followers));
    }
    /// Whether it is a whole file of ours.
    static status read_head(std::span<const std::byte> from) noexcept {
        if (from.size() < 4 * (head_numbers + 1) || from.size() % 4 != 0)
            return refused("bytes of the file", double(from.size()), "are no whole file");
        file_reader in({from.data(), from.size()});
        for (const std::uint32_t expected : magic) {
            const std::uint32_t number = in.next();
            if (number != expected) return refused("magic number", number, "is that of no file of n-grams");
        }
        const std::uint32_t v = in.next();
        if (v != version) return refused("version", v, v > version ? "is newer than 1, which can be read" : "is none");
        const std::uint64_t size = in.next_both();
        if (size != from.size()) return refused("bytes of the file", double(from.size()), "are not those it names");
        const bool is_whole = has_its_checksum({from.data(), from.size()});
        return is_whole ? status()
                        : refused("checksum", last_number({from.data(), from.size()}), "is not that of the file");
    }
    /// The n-gram that was read, and its followers, into `made`.
    static status read_followers(const ngram& behind, std::size_t size, file_reader& in, std::size_t most,
                                 ngram_counts& made) noexcept {
        for (std::size_t i = 0; i < behind.size(); ++i)
            if (i < size || i == 0 ? behind[i] < 0 : behind[i] != null_token)
                return refused("token", behind[i], "is none of an n-gram");
        if (made.has(behind)) return refused("n-gram that begins with", behind[0], "comes twice");
        const std::uint32_t followers = in.next();
        if (followers == 0 || followers > in.left() / 2)
            return refused("followers", followers, "is not what the file can hold");
        for (std::uint32_t i = 0; i < followers; ++i) {
            const auto token = token_id(in.next());
            const std::uint32_t count = in.next();
            if (token < 0) return refused("follower", token, "is below 0");
            if (count == 0 || count > ngram_counts::most_count) return refused("count", count, "is not 1 to 2^31 - 1");
            switch (made.add(behind, token, count, most)) {
            case ngram_counts::outcome::added: break;
            case ngram_counts::outcome::was_there: return refused("follower", token, "comes twice");
            case ngram_counts::outcome::no_memory: return no_memory();
            case ngram_counts::outcome::is_full:
                return refused("most_entries", double(most), "is less than are in the file");
            }
        }
        return {};
    }
};

}  // namespace riffle::detail
