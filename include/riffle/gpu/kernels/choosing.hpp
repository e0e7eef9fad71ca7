#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/gpu/kernels/measuring.hpp>
#include <riffle/math/config.hpp>
#include <riffle/math/philox.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Selectors: which of the tokens that are left is the one.
class choosing {
public:
    constexpr choosing(work_group& of, row_tokens& row, survivors& few, measuring& all) noexcept
        : token(of.code, u32(no_token)), key(of.code, u32(0u)), group_(of), code_(of.code), row_(row), few_(few),
          all_(all), segment_low_(code_, segments), segment_high_(code_, segments), group_low_(code_, scan_groups),
          group_high_(code_, scan_groups), published_(code_) {}

    static constexpr std::uint32_t no_token = 0xffffffffu;
    variable<u32> token, key;  ///< the one, and its key

    /// The first in rank: of the greatest keys that the invocations have met, that with the lowest id.
    constexpr void first(const u32& best_of_invocation, const u32& best_id_of_invocation) noexcept {
        key = row_.greatest.load();
        token = group_.least(blend(best_of_invocation == key, best_id_of_invocation, u32(no_token)));
    }

    /// The greatest logit plus noise keyed by the token, the lowest id among equals.
    constexpr void by_noise() noexcept {
        using spirv::i32;
        std::array<private_variable<u32>, noise_parameters> parameters;
        for (std::uint32_t w = 0; w < parameters.size(); ++w) {
            parameters[w].declare(code_);
            parameters[w] = row_.stage_request(stage_word::parameters + w);
        }
        private_variable<u32> best(code_, u32(0u)), best_id(code_, u32(no_token)), best_key(code_, u32(0u));
        all_.for_each([&](const u32& of, const u32& id) {
            std::array<i32, noise_parameters> w;
            for (std::size_t j = 0; j < w.size(); ++j) w[j] = i32(parameters[j].load());
            const auto words = philox_rounds<i32>({i32(id), w[0], w[1], w[2]}, std::array<i32, 2>{w[3], w[4]});
            const u32 noisy = key_of(logit_of(of) + gumbel_noise_of<f32>(words[0]));
            const u32 score = blend(of == 0u, u32(0u), noisy);
            const boolean better = ranks_before(score, id, best, best_id);
            best = blend(better, score, best.load());
            best_id = blend(better, id, best_id.load());
            best_key = blend(better, of, best_key.load());
        });
        const u32 score = group_.greatest(best);
        const boolean is_best = (best == score) & (score != 0u);
        const u32 id = group_.least(blend(is_best, best_id.load(), u32(no_token)));
        key = group_.greatest(blend(is_best & (best_id == id), best_key.load(), u32(0u)));
        token = id;
    }

    /// Inverse CDF in ascending id, by 64 random bits. all_.mass is the mass of all behind it.
    constexpr void by_mass() noexcept {
        const u32 low = row_.stage_request(stage_word::low);
        const word_pair random{low, row_.stage_request(stage_word::high)};
        spirv::if_(
            code_, few_.are_listed(), [&] { from_few(random); }, [&] { from_row(random); });
    }

private:
    static constexpr std::uint32_t segments = 32, scan_groups = 32;

    constexpr void from_few(const word_pair& random) noexcept {
        const u32 weight = row_.weight(few_.key);
        few_.show(weight);
        spirv::private_pair sum(code_, {0u, 0u}), before(code_, {0u, 0u});
        few_.for_each([&](const u32&, const u32& id, const u32& w) {
            sum.add(spirv::wide(w));
            before.add(spirv::wide(blend(id < few_.id, w, u32(0u))));
        });
        all_.mass = sum.load();
        const word_pair target = all_.numbers.multiply_high(random, sum), ahead = before;
        const boolean is_it = (ahead <= target) & (target < ahead + spirv::wide(weight));
        published_ = group_.begin_exchange();
        spirv::if_(code_, is_it, [&] { publish(few_.id, few_.key); });
        receive();
    }

    /// By segments of the row, then by the stretch of one invocation, then by tokens.
    constexpr void from_row(const word_pair& random) noexcept {
        // So many tokens that every segment but the last has the same whole number of tiles.
        const u32 tile = group_.size * u32(row_.at_once());
        const u32 tiles = (row_.vocabulary() + tile - 1u) / tile;
        const u32 length = (tiles + (segments - 1u)) / u32(segments) * tile;
        add_up_segments(length);
        spirv::private_pair sum(code_, {0u, 0u});
        spirv::for_(code_, u32(0u), u32(segments), u32(1u), [&](const u32& i) {
            const u32 low = segment_low_[i];
            sum.add({low, segment_high_[i]});
        });

        all_.mass = sum.load();
        spirv::private_pair left(code_, all_.numbers.multiply_high(random, sum));
        const u32 segment = pass_over(segment_low_, segment_high_, u32(0u), u32(segments), left);
        const u32 begin = segment * length;
        const u32 end = lesser_of(begin + length, row_.vocabulary());
        const u32 stretch = length / group_.size;
        const u32 invocation = find_invocation(begin, end, stretch, left);
        published_ = group_.begin_exchange();
        spirv::if_(code_, group_.invocation == invocation,
                   [&] { find_token(begin + invocation * stretch, end, left); });
        receive();
    }
    constexpr void add_up_segments(const u32& length) noexcept {
        spirv::for_(code_, group_.invocation, u32(segments), group_.size, [&](const u32& i) {
            segment_low_[i] = 0u;
            segment_high_[i] = 0u;
        });
        group_.sync();
        spirv::private_pair mine(code_);
        const auto add_up = row_.visitor([&](const u32& of, const u32&) { mine.add(spirv::wide(row_.weight(of))); });
        variable<u32> segment(code_, u32(0u)), first(code_, u32(0u));
        spirv::while_(
            code_, [&] { return first < row_.vocabulary(); },
            [&] {
                mine = {0u, 0u};
                row_.for_each(first, lesser_of(first + length, row_.vocabulary()), add_up);
                group_.add(segment_low_[segment], segment_high_[segment], mine.load());
            },
            [&] {
                first = first + length;
                segment = segment + 1u;
            });
        group_.sync();
    }
    /// Every invocation adds up a stretch of the segment; which of them holds the token.
    constexpr u32 find_invocation(const u32& begin, const u32& end, const u32& stretch,
                                  spirv::private_pair& left) noexcept {
        const u32 from = begin + group_.invocation * stretch;
        spirv::private_pair mine(code_, {0u, 0u});
        spirv::for_(code_, from, lesser_of(from + stretch, end), u32(1u),
                    [&](const u32& id) { mine.add(spirv::wide(row_.weight(row_.key(id)))); });
        few_.show_only(mine.load());
        // By groups first, since one invocation after another would take as many steps as there are.
        const u32 in_group = group_.size / u32(scan_groups);
        spirv::if_(code_, group_.invocation < u32(scan_groups), [&] {
            spirv::private_pair sum(code_, {0u, 0u});
            const u32 first = group_.invocation * in_group;
            spirv::for_(code_, first, first + in_group, u32(1u), [&](const u32& j) {
                const u32 low = few_.shown_low()[j];
                sum.add({low, few_.shown_high()[j]});
            });
            const word_pair mass = sum;
            group_low_[group_.invocation] = mass.low;
            group_high_[group_.invocation] = mass.high;
        });
        group_.sync();
        const u32 first = pass_over(group_low_, group_high_, u32(0u), u32(scan_groups), left) * in_group;
        return pass_over(few_.shown_low(), few_.shown_high(), first, first + in_group, left);
    }
    constexpr void find_token(const u32& from, const u32& end, spirv::private_pair& left) noexcept {
        variable<u32> goes_on(code_, u32(1u)), id(code_, from), last_id(code_, from), last_key(code_, u32(0u));
        spirv::while_(
            code_, [&] { return (goes_on != 0u) & (id < end); },
            [&] {
                const u32 of = row_.key(id);
                const word_pair weight = spirv::wide(row_.weight(of)), rest = left;
                spirv::if_(code_, weight.low != 0u, [&] {
                    last_id = id.load();
                    last_key = of;
                });
                spirv::if_(
                    code_, rest < weight, [&] { goes_on = 0u; },
                    [&] {
                        left = rest - weight;
                        id = id + 1u;
                    });
            },
            [] {});
        spirv::if_(code_, last_key != 0u, [&] { publish(last_id, last_key); });
    }
    /// The first of the pairs whose running sum exceeds what is left of the target; those before it are taken off. The
    /// sums of one pass always come to that of another. Under fast, where passes may differ in a last bit, what is left
    /// over in the end is the last one's that weighs anything.
    constexpr u32 pass_over(const spirv::shared<u32>& lows, const spirv::shared<u32>& highs, const u32& first,
                            const u32& end, spirv::private_pair& left) noexcept {
        variable<u32> i(code_, first), goes_on(code_, u32(1u)), last(code_, first);
        spirv::while_(
            code_, [&] { return (goes_on != 0u) & (i < end); },
            [&] {
                const u32 low = lows[i];
                const word_pair mass{low, highs[i]}, rest = left;
                spirv::if_(code_, (mass.low | mass.high) != 0u, [&] { last = i.load(); });
                spirv::if_(
                    code_, rest < mass, [&] { goes_on = 0u; },
                    [&] {
                        left = rest - mass;
                        i = i + 1u;
                    });
            },
            [] {});
        return last;
    }

    /// The invocation that holds the token tells the others.
    constexpr void publish(const u32& id, const u32& of) noexcept {
        group_.shared_word(published_).raise(id + 1u);
        group_.shared_word(published_.load() + 1u).raise(of);
    }
    constexpr void receive() noexcept {
        group_.sync();
        token = group_.shared_word(published_).load() - 1u;
        key = group_.shared_word(published_.load() + 1u).load();
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    measuring& all_;
    spirv::shared<u32> segment_low_, segment_high_, group_low_, group_high_;
    private_variable<u32> published_;  ///< where in shared memory
};

}  // namespace riffle::gpu
