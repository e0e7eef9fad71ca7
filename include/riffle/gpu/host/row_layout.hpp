#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/gpu/host/device_plan.hpp>

// How a row's request and its results lie in their buffers, in 32-bit words: what the processor writes and the kernel
// reads, and the other way round.

namespace riffle::inline RIFFLE_ABI::gpu {

/// The bindings of descriptor set 0.
namespace binding {
inline constexpr std::uint32_t logits = 0;    ///< rows of floats; written to where the chain edits, and restored
inline constexpr std::uint32_t requests = 1;  ///< one a row, then edits and masks
inline constexpr std::uint32_t results = 2;
inline constexpr std::uint32_t saved = 3;  ///< scratch, only where the chain edits: a word for every edited id
}  // namespace binding

/// What is told of a row where the device chooses its token: that alone, which takes the least passes over the row; the
/// tokens too that the stages left, without p; or these with their p. Where the processor goes on it is told of the
/// tokens, whatever is wanted.
enum class wanted : std::uint32_t { token, tokens, tokens_and_p };

/// The push constants: one dispatch, a work group for each of its rows.
struct dispatch_constants {
    std::uint32_t vocabulary = 0;   ///< logits of a row
    std::uint32_t row_stride = 0;   ///< words from one row of logits to the next
    std::uint32_t first_row = 0;    ///< whose request and result the first work group has
    std::uint32_t first_logit = 0;  ///< the word at which its row of logits begins
    std::uint32_t room = 0;         ///< for so many tokens in a result
    wanted wants = wanted::tokens_and_p;
};

// ---- requests: words of the row, then those of each stage

namespace request_word {
inline constexpr std::uint32_t edits_at = 0;  ///< where in the request buffer the edited ids are
inline constexpr std::uint32_t edits = 1;     ///< how many
inline constexpr std::uint32_t saved_at = 2;  ///< where in the scratch their logits may be kept
inline constexpr std::uint32_t count = 3;
}  // namespace request_word

/// The words of a stage. Its parameters are floats; a selector that draws by noise has integers there.
namespace stage_word {
inline constexpr std::uint32_t active = 0;  ///< 0: nothing to do in this row; 2: a map that keeps the first in rank
inline constexpr std::uint32_t least = 1;   ///< so many are kept at least; k of a rank
inline constexpr std::uint32_t low = 2;     ///< a share of the mass or 64 random bits; where the words of a mask are
inline constexpr std::uint32_t high = 3;    ///< their upper half; how many words a mask has
inline constexpr std::uint32_t parameters = 4;
}  // namespace stage_word

/// An edited id: the id, where its changes begin in the request buffer, and how many. A change: the numbers of a
/// logit_edit.
inline constexpr std::uint32_t words_per_edit = 3, words_per_change = 4;

struct request_layout {
    std::uint32_t words_per_stage = stage_word::parameters;
    std::uint32_t words = 0;  ///< of a row

    constexpr explicit request_layout(std::span<const device_stage> stages) noexcept {
        std::size_t most = 0;
        for (const device_stage& s : stages) most = s.parameters > most ? s.parameters : most;
        words_per_stage += std::uint32_t(most);
        words = request_word::count + words_per_stage * std::uint32_t(stages.size());
    }
    constexpr std::uint32_t stage(std::size_t i) const noexcept {
        return request_word::count + words_per_stage * std::uint32_t(i);
    }
};

// ---- results: words of the row, then tokens as token_data: id, logit, p

namespace result_word {
inline constexpr std::uint32_t token = 0;   ///< the id, or 0xffffffff
inline constexpr std::uint32_t state = 1;   ///< bits of row_state
/// How many tokens the stages left; 1 where none narrowed, or the token alone is wanted.
inline constexpr std::uint32_t kept = 2;
inline constexpr std::uint32_t tokens = 3;  ///< how many of them follow
inline constexpr std::uint32_t count = 4;
}  // namespace result_word
inline constexpr std::uint32_t words_per_token = 3;
static_assert(sizeof(token_data) == words_per_token * sizeof(std::uint32_t));
constexpr std::size_t result_words(std::size_t tokens) noexcept {
    return saturating::sum(result_word::count, saturating::product(tokens, words_per_token));
}

/// Bits of result_word::state.
namespace row_state {
inline constexpr std::uint32_t saw_nan = 1;       ///< a NaN in the row, counted as -inf
inline constexpr std::uint32_t saw_infinity = 2;  ///< a +inf, counted as the greatest float
inline constexpr std::uint32_t nothing_legal = 4;
inline constexpr std::uint32_t more_tokens = 8;  ///< more were left than found room
}  // namespace row_state

/// What the bits of a logit, as it came, add to it.
constexpr spirv::u32 seen_in(const spirv::u32& bits) noexcept {
    const spirv::boolean is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    const spirv::boolean is_infinite = bits == 0x7f800000u;
    const spirv::u32 nan = blend(is_nan, spirv::u32(row_state::saw_nan), spirv::u32(0u));
    return nan | blend(is_infinite, spirv::u32(row_state::saw_infinity), spirv::u32(0u));
}

}  // namespace riffle::gpu
