#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/gpu/kernels/gumbel_noise.hpp>
#include <riffle/gpu/kernels/raw_bounds.hpp>
#include <riffle/gpu/kernels/stretch_masses.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// Selectors: which of the tokens that are left is the one.
class choosing {
public:
    constexpr choosing(work_group& of, row_tokens& row, survivors& few, measuring& all, raw_bounds& bounds,
                       stretch_masses& masses, mass_bins& bins, const row_parts& parts, bool draws_by_noise) noexcept
        : token(of.code, u32(no_token)), key(of.code, u32(0u)), group_(of), code_(of.code), row_(row), few_(few),
          all_(all), bounds_(bounds), masses_(masses), bins_(bins), parts_(parts), noise_(code_), published_(code_) {
        if (!draws_by_noise) return;
        for (auto* each : {&best_, &best_id_, &best_key_}) each->declare(code_);
        if (!parts.are_several()) return;
        is_gathered_.declare(code_);
        is_gathered_ = 0u;
    }

    static constexpr std::uint32_t no_token = 0xffffffffu;
    private_variable<u32> token, key;  ///< the one, and its key

    /// The first in rank: of those with the greatest key, that with the lowest id.
    constexpr void first() noexcept {
        private_variable<u32> least_id(code_, u32(no_token));
        const u32 earlier_bound = row_.bound;
        spirv::if_(code_, row_.is_in_front() & !few_.are_listed(),
                   [&] { row_.bound = greater_of(row_.bound.load(), bounds_.of_key(row_.greatest())); });
        all_.for_each(
            [&](const u32& of, const u32& id) {
                least_id = blend(of == row_.greatest(), lesser_of(least_id.load(), id), least_id.load());
            },
            {.expects_few = true});
        row_.bound = earlier_bound;
        key = row_.greatest();
        token = group_.least(least_id);
    }

    /// The greatest logit plus noise keyed by the token, the lowest id among equals; a key of 0 where there is no
    /// token. `is_first_pass`: none has looked at the row before.
    constexpr void by_noise(bool is_first_pass) noexcept {
        if (parts_.are_several()) spirv::if_(code_, is_gathered_ == 0u, [&] { look_for_noise(is_first_pass); });
        else look_for_noise(is_first_pass);
        find_best();
        key = best_key_.load();
        token = blend(best_ == 0u, u32(no_token), best_id_.load());
    }

    // Where several work groups share the row: the best of this one's part is told, and the best of all taken.

    constexpr void tell_part() noexcept {
        look_for_noise(true);
        find_best();
        const u32 seen_here = group_.any_bits(row_.seen);
        group_.once([&] {
            const u32 place = place_of(parts_.part()), score = best_, id = best_id_, its_key = best_key_;
            (void)parts_.told(place).exchange(score);
            (void)parts_.told(place + 1u).exchange(id);
            (void)parts_.told(place + 2u).exchange(its_key);
            (void)parts_.told(u32(part_word::seen)).set_bits(seen_here);
        });
    }
    constexpr void take_parts() noexcept {
        group_.once([&] {
            const u32 seen_there = parts_.take(u32(part_word::seen));
            row_.seen = row_.seen | seen_there;
        });
        best_ = 0u;
        spirv::if_(code_, group_.invocation < parts_.parts(), [&] {
            const u32 place = place_of(group_.invocation);
            best_ = parts_.take(place);
            best_id_ = parts_.take(place + 1u);
            best_key_ = parts_.take(place + 2u);
        });
        is_gathered_ = 1u;
    }

    /// Inverse CDF in ascending id, by 64 random bits. all_.mass is the mass of all behind it.
    constexpr void by_mass() noexcept {
        const u32 low = row_.stage_request(stage_word::low);
        const word_pair random{low, row_.stage_request(stage_word::high)};
        spirv::if_(
            code_, few_.are_listed(), [&] { from_few(random); }, [&] { from_row(random); });
    }

private:
    static constexpr float lowest_score = -greatest_logit;

    static constexpr u32 place_of(const u32& part) noexcept { return u32(part_word::masses) + (part << 2u); }
    /// Each invocation's best.
    constexpr void look_for_noise(bool is_first_pass) noexcept {
        if (!parts_.are_several()) return look_at_tokens_for_noise(is_first_pass);
        if (!look_.is_written())
            look_ = spirv::integer_function<1>(code_, [&](const u32&) {
                look_at_tokens_for_noise(is_first_pass);
                return u32(0u);
            });
        look_(u32(0u));
    }
    constexpr void look_at_tokens_for_noise(bool is_first_pass) noexcept {
        noise_.prepare(row_);
        best_ = 0u;
        best_id_ = u32(no_token);
        best_key_ = 0u;
        private_variable<f32> best_score(code_, f32(lowest_score));
        const auto try_token = row_.visitor([&](const u32& bits, const u32& id) {
            // Most tokens are out of it whatever their noise, and most others by the size of their random word.
            const f32 logit = f32::from_bits(bits);
            spirv::if_(code_, best_score.load() <= logit + f32(gumbel_noise::greatest), [&] {
                const u32 random = noise_.random_word(id);
                spirv::if_(code_, best_score.load() <= logit + gumbel_noise::bound_of(random), [&] {
                    const u32 score = key_of(logit + gumbel_noise::of(random));
                    spirv::if_(code_, ranks_before(score, id, best_, best_id_), [&] {
                        best_ = score;
                        best_id_ = id;
                        best_key_ = key_of(logit);
                        best_score = logit_of(score);
                    });
                });
            });
        });
        const auto look = [&](const u32& of, const u32& id) {
            spirv::if_(code_, of != 0u, [&] {
                const u32 bits(as_bits(logit_of(of)));
                try_token(bits, id);
            });
        };
        if (is_first_pass && row_.can_be_plain())
            spirv::if_(
                code_, few_.are_listed(),
                [&] {
                    const u32 its_key = few_.key;
                    look(its_key, few_.id);
                },
                [&] { row_.for_each_plain(try_token, look); });
        else all_.for_each(look, {.notes = is_first_pass});
    }
    /// The best of all invocations, which all know then.
    constexpr void find_best() noexcept {
        const u32 score = group_.greatest(best_);
        const boolean is_best = (best_ == score) & (score != 0u);
        const u32 id = group_.least(blend(is_best, best_id_.load(), u32(no_token)));
        const boolean is_it = is_best & (best_id_ == id);
        best_key_ = group_.greatest(blend(is_it, best_key_.load(), u32(0u)));
        best_ = score;
        best_id_ = id;
    }

    constexpr void from_few(const word_pair& random) noexcept {
        if (!few_.can_be_several()) {
            token = few_.id.load();
            key = row_.greatest();
            all_.mass = spirv::wide(row_.weight(key));
            return;
        }
        variable<u32> weight(code_, u32(0u));
        spirv::if_(code_, few_.key != 0u, [&] { weight = row_.weight(few_.key); });
        few_.rank_by_id(weight);
        all_.mass = few_.all();
        published_ = group_.begin_exchange();
        spirv::if_(code_, weight != 0u, [&] {
            const word_pair target = all_.numbers.multiply_high(random, all_.mass), ahead = few_.before();
            const boolean is_it = (ahead <= target) & (target < ahead + spirv::wide(weight.load()));
            spirv::if_(code_, is_it, [&] { publish(few_.id, few_.key); });
        });
        receive();
    }

    /// By stretches of the row, then by parts of one, then by tokens.
    constexpr void from_row(const word_pair& random) noexcept {
        masses_.measure();
        const u32 found = group_.begin_exchange();
        private_pair left(code_, {0u, 0u});
        group_.once([&] {
            left = all_.numbers.multiply_high(random, bins_.add_up_all());
            const u32 stretch = bins_.pass_over(left, masses_.stretches_in_a_group());
            group_.shared_word(found).raise(stretch);
        });
        group_.sync();
        all_.mass = bins_.told();
        const u32 stretch = group_.shared_word(found);
        const u32 begin = row_.vectors.begin_of(stretch), end = row_.vectors.end_of(stretch);
        const u32 tokens = masses_.measure_parts(begin, end);
        published_ = group_.begin_exchange();
        group_.once([&] {
            const u32 part = bins_.pass_over(left, masses_.parts_in_a_group());
            find_token(begin + part * tokens, end, left);
        });
        receive();
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
    raw_bounds& bounds_;
    stretch_masses& masses_;
    mass_bins& bins_;
    const row_parts& parts_;
    gumbel_noise noise_;
    spirv::integer_function<1> look_;
    private_variable<u32> best_, best_id_, best_key_;  ///< by noise
    private_variable<u32> is_gathered_;                ///< 1: they are those of all parts of the row already
    private_variable<u32> published_;                  ///< where in shared memory
};

}  // namespace riffle::gpu
