#pragma once
#include <cstddef>

#include <riffle/math/config.hpp>

// Numbers that were tuned: none of them changes a token, all of them change times. To try others, put a folder with a
// riffle/chain/tuning.hpp of its own ahead of riffle's on the compiler's path.

namespace riffle::inline RIFFLE_ABI::tuning {

/// So few logits become candidates at once: the passes over a row read whole blocks, and bounds pay on long rows only.
/// Fewer where noise is drawn, which is made in vectors for a row and token by token for candidates.
RIFFLE_LOCAL inline constexpr std::size_t short_row = 16, short_row_of_noise = 6;
/// So many tokens that a bridge leaves become candidates; more stay in the row. Measured: the cost is the same at about
/// so many.
RIFFLE_LOCAL inline constexpr std::size_t many_survivors = 2048;
/// How far under the maximum, in nats, what a stage keeps is looked for first.
RIFFLE_LOCAL inline constexpr float first_depths[] = {3.0f, 6.0f, 9.0f, 12.0f};
/// So many candidates are gathered at most when a set is searched from the likeliest down.
RIFFLE_LOCAL inline constexpr std::size_t many_of_search = 4096;

/// Of a row that is so many times as long as there are legal tokens, or longer, those are gathered: reading them one by
/// one costs less than a pass over the row.
RIFFLE_LOCAL inline constexpr std::size_t row_to_gathered = 32;

// The end of a nucleus. A candidate costs about 10 ns, a sample 5 µs, another pass over the row 0.4 ns a logit
// (measured, AVX-512).

/// So many candidates are gathered at most, where a nucleus cannot stay in the row.
RIFFLE_LOCAL inline constexpr std::size_t many_of_nucleus = 4096;
/// And where it can: so many, and one more for every so many logits of the row.
RIFFLE_LOCAL inline constexpr std::size_t few_of_nucleus = 512, row_to_few_of_nucleus = 24;
// The next parted nuclei of less than 2,000 tokens from larger ones on recorded, flat and medium rows of 8,192 to
// 262,144 logits, for p of 0.5 to 0.99.
/// A nucleus ends in the bulk where that holds more than this share of the mass, by a first look and by a closer one,
/// or so many times what is left out.
RIFFLE_LOCAL inline constexpr double share_of_bulk_at_first = 0.6, share_of_bulk = 0.25, bulk_to_rest = 2.5;
/// What the sample shows must be so many times what is left out.
RIFFLE_LOCAL inline constexpr double sampled_to_rest = 1.3;

}  // namespace riffle::tuning
