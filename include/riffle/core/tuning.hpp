#pragma once
#include <cstddef>

#include <riffle/math/config.hpp>

// Numbers that were tuned, of all rooms. None of them changes a token under numerics::reproducible and numerics::llama,
// all of them change times. `benchmarks/tuning NAME VALUE` measures another value beside the present one. (To build
// with other values, put a folder with a riffle/core/tuning.hpp of its own ahead of riffle's on the compiler's path.)

namespace riffle::inline RIFFLE_ABI::tuning {

// ---- rows

/// So few logits become candidates at once: the passes over a row read whole blocks, and bounds pay on long rows only.
/// Fewer where noise is drawn, which is made in vectors for a row and token by token for candidates.
RIFFLE_LOCAL inline constexpr std::size_t short_row = 16, short_row_of_noise = 6;
/// Fewer candidates of an array of llama.cpp's are worked on as they are, even where they are a row.
RIFFLE_LOCAL inline constexpr std::size_t least_row_of_candidates = 1024;
/// So many tokens that a bridge leaves become candidates; more stay in the row. Measured: the cost is the same at about
/// so many.
RIFFLE_LOCAL inline constexpr std::size_t many_survivors = 2048;
/// Of a row that is so many times as long as there are legal tokens, or longer, those are gathered: reading them one by
/// one costs less than a pass over the row.
RIFFLE_LOCAL inline constexpr std::size_t row_to_gathered = 48;
/// So many edits of a block are kept beside the row at most; for more the block is copied.
RIFFLE_LOCAL inline constexpr std::size_t edits_of_block = 16;
/// The pass for the maximum asks for a line of the block that lies so many blocks ahead, two pages: the processor
/// fetches the others itself once a page was touched. Measured: 6.6 µs for a row in the third cache, and 14 where
/// others have gone through 24 MB since; 6.9 and 19 with every line asked for.
RIFFLE_LOCAL inline constexpr std::size_t blocks_ahead = 8;

// ---- what is looked for from the greatest logit down

/// How far under the maximum, in nats, what a stage keeps is looked for first.
RIFFLE_LOCAL inline constexpr float first_depths[] = {3.0f, 6.0f, 9.0f, 12.0f};
/// So many candidates are gathered at most when a set is searched from the likeliest down.
RIFFLE_LOCAL inline constexpr std::size_t many_of_search = 4096;
/// A rank beyond those that maxima of groups can bound is found by counting in rows of so many blocks, and by a
/// histogram in longer ones: ten counts of so many blocks cost less than it.
RIFFLE_LOCAL inline constexpr std::size_t blocks_to_count = 64;
/// Buckets of a histogram of logits.
RIFFLE_LOCAL inline constexpr std::size_t buckets_of_row = 1024;

// ---- the end of a nucleus. A candidate costs about 10 ns, a sample 5 µs, another pass over the row 0.4 ns a logit
// (measured, AVX-512).

/// So many candidates are gathered at most, where a nucleus cannot stay in the row.
RIFFLE_LOCAL inline constexpr std::size_t many_of_nucleus = 4096;
/// So many where a nucleus can stay in the row, and one more for every so many logits of it.
RIFFLE_LOCAL inline constexpr std::size_t few_of_nucleus = 512, row_to_few_of_nucleus = 24;
/// A sample of a row: so many pieces of so many logits.
RIFFLE_LOCAL inline constexpr std::size_t pieces_of_sample = 256, piece_of_sample = 16;
// The numbers below were chosen to tell nuclei of less than 2,000 tokens from larger ones, on recorded, flat and medium
// rows of 8,192 to 262,144 logits, for p of 0.5 to 0.99.
/// A nucleus ends in the bulk where that holds more than this share of the mass, by a first look and by a closer one,
/// or so many times what is left out.
RIFFLE_LOCAL inline constexpr double share_of_bulk_at_first = 0.6, share_of_bulk = 0.25, bulk_to_rest = 2.5;
/// On short rows the last of them is more: so many times the share of the row that a sample reads. A first look asks
/// for so many times as much.
RIFFLE_LOCAL inline constexpr double bulk_to_sample = 48.0, caution_at_first = 1.7;
/// The bulk is taken for so many tokens a block, each as likely as the median of the blocks' maxima.
RIFFLE_LOCAL inline constexpr double bulk_of_block = 8.0;
/// What the sample shows must be so many times what is left out.
RIFFLE_LOCAL inline constexpr double sampled_to_rest = 1.3;
/// A sample whose tokens lie in so few of the upper buckets is counted again by narrower ones.
RIFFLE_LOCAL inline constexpr std::size_t few_buckets = 64;
/// A band is so wide that about the sample's size / this of the sample's tokens lie in it.
RIFFLE_LOCAL inline constexpr std::size_t sample_to_band = 24;

// ---- candidates

/// The nucleus of so many candidates at most is found by halving; that of more by sums of like weights, unless more
/// than the second number of them lie where it ends.
RIFFLE_LOCAL inline constexpr std::size_t nucleus_by_halving = 256, end_of_nucleus = 128;
/// So many that are gathered for a rank or more are cut down in their order, by their logits alone; fewer by moving
/// them.
RIFFLE_LOCAL inline constexpr std::size_t rank_in_order = 256;
/// Fewer candidates are sorted by comparing, more by their digits.
RIFFLE_LOCAL inline constexpr std::size_t sorted_by_digits = 1024;
/// Keys of fewer candidates are settled by digits of 5 bits, of more by 9, of which ids of a usual vocabulary have two.
RIFFLE_LOCAL inline constexpr std::size_t prefix_by_long_digits = 4096;
/// More candidates are put into buckets ahead of the search for a cliff (min_k), and into so many of them.
RIFFLE_LOCAL inline constexpr std::size_t cliff_in_order = 512, buckets_of_cliff = 1024;
/// Of more candidates top_h looks first whether all of them are too few, which needs no order.
RIFFLE_LOCAL inline constexpr std::size_t entropy_in_order = 1024;

// ---- machines elsewhere, and llama.cpp's ways

/// A device or graph gives min_p so many of the greatest logits at least: twice what survives on most rows.
RIFFLE_LOCAL inline constexpr std::size_t superset_of_min_p = 240;
/// llama.cpp's top_p sorts so many of the greatest logits first, and more only where those do not reach.
RIFFLE_LOCAL inline constexpr std::size_t first_of_exact_top_p = 256;

}  // namespace riffle::tuning
