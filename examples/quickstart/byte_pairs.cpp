#include "byte_pairs.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <utility>

namespace quickstart {
namespace {

using riffle::token_id;

/// The strings to join are learnt from this much of the text; a longer one has no others that matter.
constexpr std::size_t learnt_bytes = std::size_t{8} << 20;

/// No token crosses the border of a piece: a word with the space before it, a number, a run of signs, an end of
/// paragraph. Pieces longer than this are cut, so that no text, however odd, makes learning slow.
constexpr std::size_t longest_piece = 24;

enum class kind { letter, digit, sign };

constexpr kind kind_of(char c) noexcept {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    return letter ? kind::letter : c >= '0' && c <= '9' ? kind::digit : kind::sign;
}

/// Takes the next piece off the front of the text.
std::string_view take_piece(std::string_view& text) {
    std::size_t end = text[0] == ' ' ? 1 : 0;
    if (end < text.size() && text[end] == '\n') {
        ++end;
    } else if (end < text.size()) {
        const kind first = kind_of(text[end]);
        while (end < text.size() && end < longest_piece && text[end] != ' ' && text[end] != '\n' &&
               kind_of(text[end]) == first)
            ++end;
    }
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(end);
    return piece;
}

constexpr std::uint32_t pair_of(token_id left, token_id right) noexcept {
    return static_cast<std::uint32_t>(left) << 16 | static_cast<std::uint32_t>(right);
}

std::vector<token_id> bytes_of(std::string_view piece) {
    std::vector<token_id> tokens(piece.size());
    std::transform(piece.begin(), piece.end(), tokens.begin(), [](char c) { return static_cast<unsigned char>(c); });
    return tokens;
}

/// Replaces every `pair` in `tokens` by `joined`, from left to right.
void join(std::vector<token_id>& tokens, std::uint32_t pair, token_id joined) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++kept) {
        const bool found = i + 1 < tokens.size() && pair_of(tokens[i], tokens[i + 1]) == pair;
        tokens[kept] = found ? joined : tokens[i];
        i += found ? 2 : 1;
    }
    tokens.resize(kept);
}

/// The different pieces of a text, each with how often it occurs, and the pairs of neighbours in them.
class pair_counts {
public:
    explicit pair_counts(std::string_view text) {
        std::unordered_map<std::string_view, std::int64_t> counts;
        while (!text.empty()) ++counts[take_piece(text)];
        pieces_.reserve(counts.size());
        for (const auto& [piece, count] : counts) {
            pieces_.push_back({bytes_of(piece), count});
            add(pieces_.size() - 1, +1, [](std::uint32_t) { return true; });
        }
        for (const auto& [pair, entry] : pairs_) queue_.push({entry.count, ~pair});
    }

    /// The pair that occurs most often (the lowest ids where several do), or nothing when none occurs twice.
    std::optional<std::uint32_t> most_frequent() {
        while (!queue_.empty()) {
            const auto [count, inverted] = queue_.top();
            const std::int64_t now = pairs_[~inverted].count;
            if (now < 2 || now != count) {  // it has lost some to other pairs since it was queued
                queue_.pop();
                if (now >= 2) queue_.push({now, inverted});
                continue;
            }
            return ~inverted;
        }
        return std::nullopt;
    }

    void join_everywhere(std::uint32_t pair, token_id joined) {
        std::vector<std::uint32_t> grown;
        const std::vector<std::size_t> places = std::move(pairs_[pair].pieces);
        for (const std::size_t place : places) {
            std::vector<token_id>& tokens = pieces_[place].tokens;
            add(place, -1, [](std::uint32_t) { return false; });
            join(tokens, pair, joined);
            add(place, +1, [&](std::uint32_t changed) {
                const bool is_new = (changed >> 16) == static_cast<std::uint32_t>(joined) ||
                                    (changed & 0xffff) == static_cast<std::uint32_t>(joined);
                if (is_new) grown.push_back(changed);
                return is_new;
            });
        }
        for (const std::uint32_t changed : grown) queue_.push({pairs_[changed].count, ~changed});
    }

private:
    struct counted_piece {
        std::vector<token_id> tokens;
        std::int64_t count;
    };
    struct counted_pair {
        std::int64_t count = 0;
        std::vector<std::size_t> pieces;  // where it was once seen; it may be gone from there
    };

    /// Counts the pairs of a piece in (+1) or out (-1), and notes the place for those that `note` asks for.
    template <class Note>
    void add(std::size_t place, std::int64_t sign, Note note) {
        const counted_piece& piece = pieces_[place];
        for (std::size_t i = 0; i + 1 < piece.tokens.size(); ++i) {
            const std::uint32_t pair = pair_of(piece.tokens[i], piece.tokens[i + 1]);
            counted_pair& entry = pairs_[pair];
            entry.count += sign * piece.count;
            if (note(pair) && (entry.pieces.empty() || entry.pieces.back() != place)) entry.pieces.push_back(place);
        }
    }

    std::vector<counted_piece> pieces_;
    std::unordered_map<std::uint32_t, counted_pair> pairs_;
    std::priority_queue<std::pair<std::int64_t, std::uint32_t>> queue_;  // count, ~pair: ties go to the lowest
};

}  // namespace

byte_pairs::byte_pairs(std::string_view text, std::size_t size, progress& shown) {
    for (std::size_t byte = 0; byte < least; ++byte) strings_.emplace_back(1, static_cast<char>(byte));

    shown.update("learning tokens", 0);
    pair_counts counts(text.substr(0, learnt_bytes));
    while (strings_.size() < size) {
        const std::optional<pair> best = counts.most_frequent();
        if (!best) break;
        const auto joined = static_cast<token_id>(strings_.size());
        strings_.push_back(strings_[*best >> 16] + strings_[*best & 0xffff]);
        joined_.emplace(*best, joined);
        counts.join_everywhere(*best, joined);
        shown.update("learning tokens", static_cast<double>(strings_.size()) / static_cast<double>(size));
    }
}

std::vector<token_id> byte_pairs::encode(std::string_view text, progress& shown) const {
    std::vector<token_id> tokens;
    std::unordered_map<std::string_view, std::vector<token_id>> known;  // words repeat: cut each one once
    const auto whole = static_cast<double>(text.size());
    while (!text.empty()) {
        const std::string_view piece = take_piece(text);
        auto [found, added] = known.try_emplace(piece);
        if (added) {
            found->second = encode_piece(piece);
            shown.update("cutting the text", 1 - static_cast<double>(text.size()) / whole);
        }
        tokens.insert(tokens.end(), found->second.begin(), found->second.end());
    }
    return tokens;
}

std::vector<token_id> byte_pairs::encode_piece(std::string_view piece) const {
    std::vector<token_id> tokens = bytes_of(piece);
    for (;;) {  // in the order in which the pairs were learnt
        const auto* first = static_cast<const std::pair<const pair, token_id>*>(nullptr);
        for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
            const auto found = joined_.find(pair_of(tokens[i], tokens[i + 1]));
            if (found != joined_.end() && (first == nullptr || found->second < first->second)) first = &*found;
        }
        if (first == nullptr) return tokens;
        join(tokens, first->first, first->second);
    }
}

}  // namespace quickstart
