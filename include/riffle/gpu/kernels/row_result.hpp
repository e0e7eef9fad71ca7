#pragma once
#include <cstddef>

#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/exact_numbers.hpp>
#include <riffle/gpu/kernels/measuring.hpp>
#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// What becomes of a row: the token, what was seen, and those that were left, with their logits, and their p where the
/// device chooses among them.
class row_result {
public:
    /// `room` for so many tokens, of which those are told that are wanted (enum wanted).
    constexpr row_result(work_group& of, row_tokens& row, survivors& few, measuring& all, const device_plan& plan,
                         const u32& room, const u32& wants) noexcept
        : group_(of), code_(of.code), row_(row), few_(few), all_(all), chooses_(plan.chooses_token()),
          is_raw_(plan.is_superset()),
          wants_tokens_(chooses_ ? wants != u32(std::uint32_t(wanted::token)) : boolean(true)),
          wants_p_(code_, blend(wants == u32(std::uint32_t(wanted::tokens_and_p)), u32(1u), u32(0u))),
          results_(code_, binding::results), room_(code_, room), tokens_at_(code_), kept_(code_, u32(0u)),
          written_(code_, u32(0u)) {}

    /// `has_any`: whether a token was left. `narrowed`: whether a stage has dropped some. Where the device chooses and
    /// p is wanted, the mass of all must have been measured.
    constexpr void write(const boolean& has_any, const boolean& narrowed, const u32& token, const u32& key) noexcept {
        const u32 at = row_.vectors.row() * (room_ * u32(words_per_token) + u32(result_word::count));
        tokens_at_ = at + u32(result_word::count);
        spirv::if_(code_, has_any, [&] {
            spirv::if_(
                code_, wants_tokens_,
                [&] {
                    spirv::if_(
                        code_, few_.are_listed(), [&] { write_few(); },
                        [&] {
                            if (!chooses_) return write_row();
                            spirv::if_(
                                code_, narrowed, [&] { write_row(); }, [&] { write_chosen(token, key); });
                        });
                },
                [&] { kept_ = 1u; });
        });
        const u32 all_seen = group_.any_bits(row_.seen);
        group_.once([&] {
            const u32 none = blend(kept_ == 0u, u32(row_state::nothing_legal), u32(0u));
            const boolean has_more = wants_tokens_ & (written_ < kept_);
            const u32 more = blend(has_more, u32(row_state::more_tokens), u32(0u));
            const u32 kept = kept_, written = written_, state = all_seen | none | more;
            results_[at + u32(result_word::token)] = token;
            results_[at + u32(result_word::state)] = state;
            results_[at + u32(result_word::kept)] = kept;
            results_[at + u32(result_word::tokens)] = written;
        });
    }

private:
    /// In the order of ranks.
    constexpr void write_few() noexcept {
        variable<u32> rank(code_, u32(0u));
        kept_ = 1u;
        if (few_.can_be_several()) {
            few_.rank(few_.key, u32(1u));
            rank = few_.before().low;
            kept_ = few_.all().low;
        }
        const boolean is_there = few_.key != 0u;
        written_ = lesser_of(kept_, room_);
        spirv::if_(code_, is_there & (rank < room_), [&] { write_token(rank, few_.id, few_.key); });
    }
    /// In no order, since they come from all over the row; as many as find room.
    constexpr void write_row() noexcept {
        private_variable<u32> place(code_, group_.begin_exchange());
        const auto tell = row_.visitor([&](const u32& key, const u32& id) {
            spirv::if_(code_, key != 0u, [&] {
                const u32 index = group_.shared_word(place).add(1u);
                spirv::if_(code_, index < room_, [&] { write_token(index, id, key); });
            });
        });
        row_.for_each(tell, {.expects_few = true});
        group_.sync();
        kept_ = group_.shared_word(place).load();
        written_ = lesser_of(kept_, room_);
    }
    /// Nothing has narrowed: the token that was chosen.
    constexpr void write_chosen(const u32& token, const u32& key) noexcept {
        kept_ = 1u;
        written_ = lesser_of(u32(1u), room_);
        spirv::if_(code_, (written_ != 0u) & (group_.invocation == 0u), [&] { write_token(u32(0u), token, key); });
    }

    constexpr void write_token(const u32& index, const u32& id, const u32& key) noexcept {
        const u32 at = tokens_at_ + index * u32(words_per_token);
        const u32 logit = is_raw_ ? row_.vectors.logit_bits(id) : u32(as_bits(logit_of(key)));
        const u32 p = chooses_ ? share(key) : u32(0u);
        results_[at] = id;
        results_[at + 1u] = logit;
        results_[at + 2u] = p;
    }
    /// The bits of p.
    constexpr u32 share(const u32& key) noexcept {
        if (!share_.is_written())
            share_ = spirv::integer_function<1>(code_, [&](const u32& of) {
                private_variable<f32> p(code_, f32(0.0f));
                spirv::if_(code_, wants_p_ != 0u, [&] {
                    const u32 weight = row_.weight(of);
                    spirv::if_(code_, weight != 0u, [&] { p = all_.numbers.to_share(weight, all_.mass); });
                });
                return u32(as_bits(p.load()));
            });
        return share_(key);
    }

    work_group& group_;
    assembler& code_;
    row_tokens& row_;
    survivors& few_;
    measuring& all_;
    bool chooses_;  ///< the device, and not the processor
    bool is_raw_;   ///< logits are told as they came
    boolean wants_tokens_;
    private_variable<u32> wants_p_;
    spirv::buffer<u32> results_;
    private_variable<u32> room_, tokens_at_;
    variable<u32> kept_, written_;
    spirv::integer_function<1> share_;
};

}  // namespace riffle::gpu
