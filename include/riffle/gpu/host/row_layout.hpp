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
/// Rows of floats, which are written to where the chain edits, and restored; or of 16-bit floats.
inline constexpr std::uint32_t logits = 0;
inline constexpr std::uint32_t requests = 1;  ///< one a row, then edits and masks
inline constexpr std::uint32_t results = 2;
/// Scratch: a word for every edited id where the chain edits, then shared_part_words a row where several work groups
/// share one; all 0 then ahead of a row's dispatches and behind them. Where 16-bit logits are edited, the rows as
/// floats (copied_row_words each) in place of the former, and nothing is asked of what was there.
inline constexpr std::uint32_t saved = 3;
}  // namespace binding

/// The longest row that modules are made for, in tokens.
inline constexpr std::uint32_t most_tokens_a_row = 1u << 22;
/// Invocations of a work group: a power of two between these.
inline constexpr std::uint32_t least_invocations = 64, most_invocations = 1024;
/// The shared memory that a work group of so many invocations needs, in bytes, whatever the chain.
constexpr std::uint32_t most_shared_bytes(std::uint32_t invocations) noexcept { return 12288 + 16 * invocations; }

/// What is told of a row where the device chooses its token: that alone, which takes the least passes over the row; the
/// tokens too that the stages left, without p; or these with their p. Where the processor goes on it is told of the
/// tokens, whatever is wanted.
enum class wanted : std::uint32_t { token, tokens, tokens_and_p };

/// What a dispatch is for, where several work groups share a row: all of it, or what the next one waits for.
enum class dispatch_phase : std::uint32_t {
    whole,     ///< all that was not done by another
    edits,     ///< ahead of all others: logits are changed, by one group a row, or copied and changed, by all
    greatest,  ///< the greatest logit, where the masses beside it are shared, too
};

/// The push constants: one dispatch, a work group along the first dimension for each of its rows.
struct dispatch_constants {
    std::uint32_t vocabulary = 0;   ///< logits of a row
    std::uint32_t row_stride = 0;   ///< logits from one row to the next
    std::uint32_t first_row = 0;    ///< whose request and result the first work group has
    std::uint32_t first_logit = 0;  ///< how many logits lie ahead of its row
    std::uint32_t room = 0;         ///< for so many tokens in a result
    wanted wants = wanted::tokens_and_p;
    // For modules whose rows may have several groups; others do not look at them.
    std::uint32_t groups = 1;  ///< of a row: work groups along the second dimension
    dispatch_phase phase = dispatch_phase::whole;
    std::uint32_t parts_at = 0;  ///< the word of the scratch from which on rows have their parts
};

/// How many words of the scratch a row takes that is copied as floats.
constexpr std::size_t copied_row_words(std::size_t vocabulary) noexcept {
    return saturating::rounded_up(vocabulary, 4);
}

/// The dispatches that rows take, one after the other with a barrier for shader writes between them: of a module for
/// several groups where rows have so many, and so many ids of them are edited altogether.
struct dispatch_steps {
    std::array<dispatch_phase, 3> phases{};
    std::uint32_t count = 0;
    constexpr void add(dispatch_phase phase) noexcept { phases[count++] = phase; }
};
constexpr dispatch_steps steps_of(const device_plan& plan, std::uint32_t groups, std::size_t edited_ids,
                                  logit_format logits = logit_format::float32) noexcept {
    dispatch_steps steps;
    if (groups > 1 && plan.edits && (edited_ids > 0 || is_copied(plan, logits))) steps.add(dispatch_phase::edits);
    if (groups > 1 && plan.sharing == row_sharing::masses) steps.add(dispatch_phase::greatest);
    steps.add(dispatch_phase::whole);
    return steps;
}
/// The work groups along the second dimension of such a dispatch.
constexpr std::uint32_t groups_in(dispatch_phase phase, std::uint32_t groups, bool copies = false) noexcept {
    return phase == dispatch_phase::edits && !copies ? 1 : groups;
}

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

// ---- the parts of work groups that share a row, in the scratch

namespace part_word {
inline constexpr std::uint32_t ticket = 0;  ///< how many groups are done
inline constexpr std::uint32_t raw = 1;     ///< the greatest raw key (kernels/greatest_search.hpp)
inline constexpr std::uint32_t range = 2;   ///< the complement of the least that is the greatest of a strip
inline constexpr std::uint32_t is_odd = 3;
inline constexpr std::uint32_t seen = 4;          ///< bits of row_state
inline constexpr std::uint32_t maxima = 8;        ///< the greatest of parts of the row
inline constexpr std::uint32_t masses = 8 + 512;  ///< of 1,024 bins, two words each; or what groups draw by noise
}  // namespace part_word
inline constexpr std::uint32_t shared_part_words = part_word::masses + 2 * 1024;

// ---- results: words of the row, then tokens as token_data: id, logit, p

namespace result_word {
inline constexpr std::uint32_t token = 0;  ///< the id, or 0xffffffff
inline constexpr std::uint32_t state = 1;  ///< bits of row_state
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
