#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/choice.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/edit_list.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/law.hpp>
#include <riffle/core/llama_form.hpp>
#include <riffle/core/row.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/llama_row.hpp>
#include <riffle/wide/moments.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a machine may ask of a chain's stages: the door between the two. A machine knows plans and passes, never a
/// sampler. A chain whose types are known and one put together at run time both answer, so one machine serves both. The
/// calls are a dozen a step; everything that touches logits in number lies behind a single one of them.
class stage_table {
public:
    virtual std::size_t size() const noexcept = 0;
    /// Whether stages are run as llama.cpp runs them: on candidates whose logits stay as they are, in the order they
    /// have.
    virtual bool as_llama() const noexcept = 0;
    /// Bytes that the stages need in context::spare() for candidates of that number and such a window.
    virtual std::size_t spare_bytes(std::size_t row_size) const noexcept = 0;
    virtual const char* name(std::size_t i) const noexcept = 0;
    virtual const facts& fact(std::size_t i) const noexcept = 0;
    virtual const plan& plan_for(std::size_t bridge) const noexcept = 0;
    /// The first parameter without meaning, or ok.
    virtual status (check)() const noexcept = 0;
    /// The first id that a stage names and no vocabulary of that size has, or ok.
    virtual status check_ids(std::size_t vocabulary_size) const noexcept = 0;
    /// The first stage from `first` on that narrows a row of this size at present, else the selector, else size().
    virtual std::size_t bridge(std::size_t row_size, std::size_t first) const noexcept = 0;
    /// So few logits become candidates at once, and the narrow verbs do the rest: the passes over a row read whole
    /// blocks, and bounds pay on long rows only. Noise is made in vectors for a row, token by token for candidates.
    static constexpr std::size_t short_row = 16, short_row_of_noise = 6;
    bool is_short(std::size_t row_size, std::size_t bridge) const noexcept {
        const bool noise = bridge < size() && fact(bridge).selects == selecting::by_noise;
        return row_size <= (noise ? short_row_of_noise : short_row);
    }
    /// The plan that present parameters lead to, for rows of that size.
    const plan& plan_for_row(std::size_t row_size) const noexcept {
        const std::size_t b = bridge(row_size, 0);
        return plan_for(is_short(row_size, b) ? size() : b);
    }
    /// The longest window into the history; -1 = all of it.
    virtual std::int32_t window() const noexcept = 0;

    // What the bridge asks of the passes.
    virtual std::size_t rank(std::size_t i) const noexcept = 0;
    virtual std::size_t keeps_at_least(std::size_t i) const noexcept = 0;
    virtual float cut(std::size_t i, float maximum, const moments& m) const noexcept = 0;
    virtual std::uint64_t target(std::size_t i, std::uint64_t total, const context& x) const noexcept = 0;
    virtual float cut(std::size_t i, const law& of_row) const noexcept = 0;
    /// Keeps what a searching stage keeps, given all candidates from `floor` up; false, and nothing done, when those
    /// are not enough to tell.
    virtual bool keep(std::size_t i, candidates& c, const law& of_row, float floor) const noexcept = 0;
    /// How many to keep, given the first in rank; may put those in order.
    virtual std::size_t rank(std::size_t i, const law& of_row, candidates& head) const noexcept = 0;
    virtual std::span<const std::uint32_t> legal_words(std::size_t i) const noexcept = 0;
    virtual draws random(std::size_t i, const draw_position& at) const noexcept = 0;

    // Overlays.
    virtual void edit(std::size_t i, row& r, const context& x) const noexcept = 0;
    /// The same written down, for a machine that has the row elsewhere; false for a stage that is asked for every
    /// token.
    virtual bool edit(std::size_t i, edit_list& edits, const context& x) const noexcept = 0;
    virtual void rewrite(std::size_t i, row& r) const noexcept = 0;
    /// Whether a stage that adjusts has anything to do; and its doing, given the row's block maxima and maximum.
    virtual bool adjusts_now(std::size_t i, const context& x) const noexcept = 0;
    virtual void adjust(std::size_t i, row& r, const float* peaks, float maximum) const noexcept = 0;

    // The maps that are pending at `bridge`, on single logits: mapped, all of a list, and the least raw logit whose
    // mapped value reaches a target (known does).
    virtual float map(std::size_t bridge, float logit) const noexcept = 0;
    virtual void map(std::size_t bridge, std::span<token_data> tokens) const noexcept = 0;
    virtual float preimage(std::size_t bridge, float target, float known) const noexcept = 0;

    // Passes over the row with those maps folded in.
    virtual std::uint64_t mass(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                               std::uint64_t* masses) const noexcept = 0;
    /// The same for a bridge that keeps a share of the mass; `masses` become those of the logits that reach the band.
    virtual wide::split_mass mass(std::size_t bridge, const row& r, const float* peaks, float cut,
                                  const wide::band& raw, float maximum, std::uint64_t* masses,
                                  wide::band_tokens& tokens) const noexcept = 0;
    virtual void mass_by_bucket(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                                const wide::buckets& by, std::uint64_t* bins) const noexcept = 0;
    virtual law find_law(std::size_t bridge, const row& r, const float* peaks, float cut, float legal_cut,
                         float maximum) const noexcept = 0;
    virtual moments find_moments(std::size_t bridge, const row& r, const float* peaks,
                                 float maximum) const noexcept = 0;
    virtual wide::picked pick_by_mass(std::size_t bridge, const row& r, const std::uint64_t* masses,
                                      std::uint64_t target, float maximum) const noexcept = 0;
    virtual token_id pick_by_noise(std::size_t bridge, const row& r, const float* peaks, float maximum,
                                   const draws& noise) const noexcept = 0;
    /// The token, its logit in the law that the stage makes, and its p in the one it met.
    virtual token_data pick_by_shape(std::size_t bridge, const row& r, const float* peaks, const law& of_row,
                                     std::uint64_t* masses, const draws& random) const noexcept = 0;

    /// The narrow verbs of stages [first, last), in order; what kept one from being run.
    virtual status_code narrow(std::size_t first, std::size_t last, candidates& c, const context& x) const noexcept = 0;
    /// Under numerics::llama: whether one stage has a form for a row in which all tokens are there, and that form.
    virtual bool takes_row(std::size_t i) const noexcept = 0;
    virtual exact::row_answer apply_to_row(std::size_t i, wide::llama_row& r, candidates& found,
                                           const context& x) const noexcept = 0;
    /// A selector's verb in two parts: what it does to the law before it draws, and the draw.
    virtual void prepare(std::size_t i, candidates& c) const noexcept = 0;
    virtual void choose(std::size_t i, candidates& c, const context& x) const noexcept = 0;

    // What stages keep from token to token. `last` is what was chosen before a generated
    // token, nullptr for a prompt's; `tokens` has the token already.
    using saved_state = std::array<std::byte, checkpoint::stage_bytes>;
    static constexpr std::size_t saved_states = rollback_depth + 1;  ///< at so many positions, the present one included
    virtual step accept(token_id token, const choice* last, const history& tokens) noexcept = 0;
    virtual void reset() noexcept = 0;
    /// The generators that stages keep become those of another sequence.
    virtual void fork(std::uint16_t sequence) noexcept = 0;
    /// A hash of the types of the stages, so that the mark of another chain is told apart; never 0.
    virtual std::uint32_t layout() const noexcept = 0;
    virtual void save(saved_state& to) const noexcept = 0;
    virtual void restore(const saved_state& from) noexcept = 0;
    /// The ring of saved_states in which a chain whose stages keep state saves it at each token, for rewind; nullptr
    /// where none does.
    virtual saved_state* ring() noexcept = 0;

protected:
    ~stage_table() = default;
};

}  // namespace riffle
