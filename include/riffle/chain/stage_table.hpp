#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/plan.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/row.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/moments.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle {

/// What a machine may ask of a chain's stages: the door between the two. A machine knows plans and passes, never a
/// sampler. A chain whose types are known and one put together at run time both answer, so one machine serves both. The
/// calls are a dozen a step; everything that touches logits in number lies behind a single one of them.
class stage_table {
public:
    virtual std::size_t size() const noexcept = 0;
    virtual const char* name(std::size_t i) const noexcept = 0;
    virtual const facts& fact(std::size_t i) const noexcept = 0;
    virtual const plan& plan_for(std::size_t bridge) const noexcept = 0;
    /// The first parameter without meaning, or ok.
    virtual status check() const noexcept = 0;
    /// The first stage that narrows a row of this size at present, else the selector, else size().
    virtual std::size_t bridge(std::size_t row_size) const noexcept = 0;
    /// The longest window into the history; -1 = all of it.
    virtual std::int32_t window() const noexcept = 0;

    // What the bridge asks of the passes.
    virtual std::size_t rank(std::size_t i) const noexcept = 0;
    virtual std::size_t keeps_at_least(std::size_t i) const noexcept = 0;
    virtual float cut(std::size_t i, float maximum, const moments& m) const noexcept = 0;
    virtual std::uint64_t target(std::size_t i, std::uint64_t total) const noexcept = 0;
    virtual std::span<const std::uint32_t> legal_words(std::size_t i) const noexcept = 0;
    virtual draws random(std::size_t i, const draw_position& at) const noexcept = 0;

    // Overlays.
    virtual void edit(std::size_t i, row& r, const context& x) const noexcept = 0;
    virtual void rewrite(std::size_t i, row& r) const noexcept = 0;

    // The maps that are pending at `bridge`, on single logits: mapped, all of a list, and the least raw logit whose
    // mapped value reaches a target (known does).
    virtual float map(std::size_t bridge, float logit) const noexcept = 0;
    virtual void map(std::size_t bridge, std::span<token_data> tokens) const noexcept = 0;
    virtual float preimage(std::size_t bridge, float target, float known) const noexcept = 0;

    // Passes over the row with those maps folded in.
    virtual std::uint64_t mass(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                               std::uint64_t* masses) const noexcept = 0;
    virtual void mass_by_bucket(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                                const wide::buckets& by, std::uint64_t* bins) const noexcept = 0;
    virtual moments find_moments(std::size_t bridge, const row& r, const float* peaks,
                                 float maximum) const noexcept = 0;
    virtual wide::picked pick_by_mass(std::size_t bridge, const row& r, const std::uint64_t* masses,
                                      std::uint64_t target, float maximum) const noexcept = 0;
    virtual token_id pick_by_noise(std::size_t bridge, const row& r, const float* peaks, float maximum,
                                   const draws& noise) const noexcept = 0;

    /// The narrow verbs of stages [first, last), in order.
    virtual void narrow(std::size_t first, std::size_t last, candidates& c, const context& x) const noexcept = 0;

    // What stages keep inside themselves.
    using saved_state = std::array<std::byte, checkpoint::stage_bytes>;
    virtual step accept(token_id token) noexcept = 0;
    virtual void reset() noexcept = 0;
    /// A hash of the types of the stages, so that the mark of another chain is told apart; never 0.
    virtual std::uint32_t layout() const noexcept = 0;
    virtual void save(saved_state& to) const noexcept = 0;
    virtual void restore(const saved_state& from) noexcept = 0;
    /// The ring in which a chain whose stages keep state saves it before each token, for rewind; nullptr where none
    /// does.
    virtual saved_state* ring() noexcept = 0;

protected:
    ~stage_table() = default;
};

}  // namespace riffle
