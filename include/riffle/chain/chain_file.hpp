#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <riffle/chain/chain_history.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/numbers_in_bytes.hpp>
#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>

// A chain in bytes, without its parameters: numbers of 32 bits (core/numbers_in_bytes.hpp),
//
//     magic (2 numbers), version, bytes of the whole file (2, the lower half first)
//     layout: a hash of the stages' names, of what they keep and of their order
//     position, attempt and sequence of the draws; how often the text was shifted
//     tokens of the text (2), how many of the newest are here, from which length on all was seen of it,
//     the hash of none (2)
//     of each of these, the oldest first: its token, with the highest bit where it was generated; its hash (2)
//     what the stages keep in a mark, all of them together
//     the first position whose state is here, for rewind, and how many are; those states
//     of each stage that keeps more than that: how many numbers, and those
//     checksum

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes what a chain has accepted and what its stages keep, and reads it again. (A template, as chain_history is.)
template <class Stages>
class chain_file {
    using chain_history = basic_chain_history<Stages>;

public:
    chain_file(const Stages& stages, chain_history& of) noexcept : stages_(stages), of_(of) {}

    std::size_t bytes() const noexcept {
        std::size_t numbers =
            head_numbers + 3 * of_.tokens_.remembered() + numbers_of_state() * (1 + saved_states()) + 3;
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (stages_[i].ops->write) numbers += 1 + stages_[i].ops->numbers_beside_mark(stages_[i]);
        return 4 * numbers;
    }
    /// Into bytes() bytes.
    void write(std::byte* to) const noexcept {
        const history& tokens = of_.tokens_;
        file_writer out(to);
        for (const std::uint32_t number : magic) out.put(number);
        out.put(version);
        out.put_both(bytes());
        out.put(stages_.layout());
        out.put(of_.at_.position);
        out.put(of_.at_.attempt);
        out.put(of_.at_.sequence);
        out.put(of_.times_shifted_);
        out.put_both(tokens.written());
        out.put(std::uint32_t(tokens.remembered()));
        out.put(tokens.whole_from() == uncountable ? never : std::uint32_t(tokens.whole_from()));
        out.put_both(tokens.hash_of_none());
        for (std::size_t back = tokens.remembered(); back-- > 0;) {
            const history::entry& one = tokens.recent(back);
            out.put(std::uint32_t(one.token) | (one.generated ? generated_bit : 0));
            out.put_both(one.prefix_hash);
        }
        state_bytes state{};
        stages_.save(state.data());
        write_state(state.data(), out);
        out.put(first_saved());
        out.put(std::uint32_t(saved_states()));
        for (std::size_t i = 0; i < saved_states(); ++i) {
            const std::uint32_t position = first_saved() + std::uint32_t(i);
            // (llama.cpp's forms save theirs as they reach it, but copies of them begin anew.)
            const bool is_present = stages_.is_exact() && position == of_.at_.position;
            write_state(is_present ? state.data() : stages_.saved_at(position), out);
        }
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const stage_ref& s = stages_[i];
            if (!s.ops->write) continue;
            out.put(std::uint32_t(s.ops->numbers_beside_mark(s)));
            s.ops->write(s, out);
        }
        out.put(out.checksum());
    }

    /// Reads a file; make_room(count) makes room for so many tokens, beside those of the present text. Where that is
    /// refused nothing has changed.
    template <class MakeRoom>
    status read(const bytes_of_file& file, MakeRoom make_room) noexcept {
        contents found;
        if (const status s = find(file, found); !s.ok()) return s;
        const std::size_t present = of_.tokens_.remembered();
        if (const status room = make_room(found.remembered - (std::min)(found.remembered, present)); !room.ok())
            return room;
        if (const status s = read_again(found); !s.ok()) return s;
        take(found);
        return {};
    }
    /// A stage without a name is known by none; ok where all have one.
    status all_are_named() const noexcept {
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (!stages_[i].ops->is_named)
                return status::invalid("save", "stage", double(i), "has no name, by which a file could know it again");
        return {};
    }

private:
    static constexpr std::uint32_t magic[] = {0x66666972, 0x6843656C};  ///< "riffleCh"
    static constexpr std::uint32_t version = 1;
    static constexpr std::size_t head_numbers = 16;
    static constexpr std::uint32_t never = 0xFFFFFFFF;
    static constexpr std::uint32_t generated_bit = std::uint32_t{1} << 31;
    using state_bytes = std::array<std::byte, checkpoint::stage_bytes>;

    /// Where things lie in a file that is none of another kind.
    struct contents {
        draw_position at;
        std::uint32_t times_shifted = 0, first_saved = 0, saved_states = 0;
        std::uint64_t written = 0, hash_of_none = 0;
        std::size_t remembered = 0;
        std::size_t whole_from = 0;
        bytes_of_file tokens, state, states, beside_marks;
    };

    static status refused(const char* field, double value, const char* rule) noexcept {
        return status::invalid("load", field, value, rule);
    }
    std::size_t numbers_of_state() const noexcept { return (stages_.saved_bytes() + 3) / 4; }
    /// For rewind: the newest that the ring has.
    std::uint32_t first_saved() const noexcept {
        const std::uint32_t most = std::uint32_t(Stages::saved_states);
        const std::uint32_t from = of_.saved_to_ > most ? of_.saved_to_ - most : 0;
        return (std::max)(from, of_.saved_from_);
    }
    std::size_t saved_states() const noexcept {
        return stages_.saved_at(0) && of_.saved_to_ > first_saved() ? of_.saved_to_ - first_saved() : 0;
    }
    /// A state, in whole numbers: those that stages keep are made of such.
    void write_state(const std::byte* state, file_writer& out) const noexcept {
        for (std::size_t at = 0; at < stages_.saved_bytes(); at += 4) {
            std::uint32_t number = 0;
            std::memcpy(&number, state + at, (std::min<std::size_t>)(4, stages_.saved_bytes() - at));
            out.put(number);
        }
    }
    void read_state(const bytes_of_file& from, std::byte* state) const noexcept {
        file_reader in(from);
        for (std::size_t at = 0; at < stages_.saved_bytes(); at += 4) {
            const std::uint32_t number = in.next();
            std::memcpy(state + at, &number, (std::min<std::size_t>)(4, stages_.saved_bytes() - at));
        }
    }

    status find(const bytes_of_file& file, contents& found) const noexcept {
        if (file.size % 4 != 0 || file.size <= 4 * head_numbers)
            return refused("bytes", double(file.size), "are no whole file of a chain");
        file_reader in(file);
        for (const std::uint32_t expected : magic)
            if (const std::uint32_t number = in.next(); number != expected)
                return refused("magic number", double(number), "is that of no file of a chain");
        if (const std::uint32_t v = in.next(); v != version)
            return refused("version", double(v), v > version ? "is newer than 1, which can be read" : "is none");
        if (in.next_both() != file.size) return refused("bytes", double(file.size), "are not those the file names");
        if (!has_its_checksum(file)) return refused("checksum", double(last_number(file)), "is not that of the file");
        if (const std::uint32_t layout = in.next(); layout != stages_.layout())
            return refused("layout", double(layout), "is that of a chain of other stages");
        found.at.position = in.next();
        found.at.attempt = in.next();
        const std::uint32_t sequence = in.next();
        if (sequence > 0xFFFF) return refused("sequence", double(sequence), "is none");
        found.at.sequence = std::uint16_t(sequence);
        found.times_shifted = in.next();
        found.written = in.next_both();
        found.remembered = in.next();
        const std::uint32_t whole_from = in.next();
        found.whole_from = whole_from == never ? uncountable : whole_from;
        found.hash_of_none = in.next_both();
        return find_parts(file, found);
    }
    status find_parts(const bytes_of_file& file, contents& found) const noexcept {
        std::size_t at = head_numbers;
        const std::size_t end = file.size / 4 - 1;  // the checksum
        const auto part = [&](std::size_t numbers, bytes_of_file& to) {
            if (numbers > end - at) return false;
            to = file.part(at, numbers);
            at += numbers;
            return true;
        };
        const auto cut = [&] { return refused("bytes", double(file.size), "end too early"); };
        constexpr std::uint64_t most_tokens = 0x7FFFFFFF;
        if (found.written > most_tokens || found.remembered > found.written)
            return refused("tokens", double(found.remembered), "are more than the text has");
        if (found.remembered > end) return cut();  // three times as many may be more than a size can count
        bytes_of_file counts;
        if (!part(3 * found.remembered, found.tokens) || !part(numbers_of_state(), found.state) || !part(2, counts))
            return cut();
        file_reader of_counts(counts);
        found.first_saved = of_counts.next();
        found.saved_states = of_counts.next();
        const std::size_t most = stages_.saved_at(0) ? Stages::saved_states : 0;
        if (found.saved_states > most || found.first_saved > 0xFFFFFFFFu - found.saved_states)
            return refused("states", double(found.saved_states), "are more than a chain keeps");
        if (!part(found.saved_states * numbers_of_state(), found.states)) return cut();
        found.beside_marks = file.part(at, end - at);
        return read_beside_marks(found.beside_marks, false) ? status() : cut();
    }
    /// What stages keep beside their marks; false, and nothing changed unless it was asked for, where that is something
    /// else.
    bool read_beside_marks(const bytes_of_file& from, bool changes) const noexcept {
        file_reader in(from);
        std::size_t at = 0;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const stage_ref& s = stages_[i];
            if (!s.ops->read) continue;
            if (in.left() == 0) return false;
            const std::size_t numbers = in.next();
            if (numbers > in.left() || !s.ops->read(s, from.part(at + 1, numbers), changes)) return false;
            in.skip(numbers);
            at += numbers + 1;
        }
        return in.left() == 0;
    }
    static history::entry next_entry(file_reader& in) noexcept {
        const std::uint32_t number = in.next();
        history::entry one{};
        one.token = token_id(number & ~generated_bit);
        one.generated = (number & generated_bit) != 0;
        one.prefix_hash = in.next_both();
        return one;
    }

    /// Of stages whose marks mean nothing without the text: they have accepted it already, or do so now, where the
    /// chain is at its beginning and the file has all of it. Else refused, and they are as they were.
    status read_again(const contents& found) noexcept {
        const std::uint32_t asked = stages_.read_again();
        if (asked == 0 || stands_behind(found)) return {};
        if (of_.tokens_.written() > 0 || found.remembered != found.written || found.times_shifted > 0)
            return status::invalid(stages_[std::size_t(std::countr_zero(asked))].ops->name, "tokens",
                                   double(found.written), "have to be accepted again before this is loaded",
                                   status_code::stage_failed);
        state_bytes present{};
        stages_.save(present.data());
        for (std::uint32_t left = asked; left != 0; left &= left - 1) {
            const std::uint32_t up_to_this = asked & ~(left & (left - 1));
            const status read = read_text(stages_[std::size_t(std::countr_zero(left))], found);
            if (read.ok()) continue;
            put_back(up_to_this, present);
            return read;
        }
        return {};
    }
    /// Whether the chain has accepted the saved text, in the same way.
    bool stands_behind(const contents& found) const noexcept {
        std::uint64_t prefix_hash = found.hash_of_none;
        if (found.remembered > 0) {
            file_reader newest(found.tokens.part(3 * (found.remembered - 1), 3));
            prefix_hash = next_entry(newest).prefix_hash;
        }
        return found.written == of_.tokens_.written() && prefix_hash == of_.tokens_.prefix_hash();
    }
    /// Stages of a set, to where they stood; to their beginning where they cannot go back as far.
    void put_back(std::uint32_t set, const state_bytes& state) noexcept {
        std::size_t at = 0;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const stage_ref& s = stages_[i];
            if ((set >> i & 1) != 0 && !s.ops->restore(s, state.data() + at).ok() && s.ops->reset) s.ops->reset(s);
            at += s.ops->state_in_mark;
        }
    }
    status read_text(const stage_ref& s, const contents& found) noexcept {
        file_reader in(found.tokens);
        const last_choice nothing;
        while (in.left() > 0) {
            const history::entry one = next_entry(in);
            const auto origin = one.generated ? token_origin::generated : token_origin::prompt;
            if (s.ops->can_accept)
                if (const status refused = s.ops->can_accept(s, one.token, origin, of_.tokens_); !refused.ok())
                    return refused;
            if (!s.ops->accept) continue;
            if (const step taken = s.ops->accept(s, one.token, one.generated ? &nothing : nullptr, of_.tokens_);
                s.ops->may_refuse && !taken.state.ok())
                return taken.state;
        }
        return {};
    }
    void take(const contents& found) noexcept {
        state_bytes state{};
        read_state(found.state, state.data());
        stages_.restore(state.data(), ~stages_.read_again());
        (void)read_beside_marks(found.beside_marks, true);
        file_reader tokens(found.tokens);
        of_.tokens_.load(std::size_t(found.written), found.remembered, found.hash_of_none, found.whole_from,
                         [&] { return next_entry(tokens); });
        of_.at_ = found.at;
        of_.times_shifted_ = found.times_shifted;
        of_.choice_ = {};
        of_.copied_ = false;
        of_.saved_from_ = found.first_saved;
        of_.saved_to_ = found.first_saved + found.saved_states;
        for (std::uint32_t i = 0; i < found.saved_states; ++i)
            read_state(found.states.part(i * numbers_of_state(), numbers_of_state()),
                       stages_.saved_at(found.first_saved + i));
    }

    const Stages& stages_;
    chain_history& of_;
};

}  // namespace riffle::detail
