#pragma once
#include <cstdint>
#include <llama.h>
#include <utility>

#include <riffle/chain/pipeline.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/exact/form.hpp>
#include <riffle/llama/held_sampler.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

/// A llama_sampler in a riffle chain: as `stage`, or where it selects, as `selector`.
template <bool Selects>
class basic_stage {
public:
    static constexpr const char* name = "llama::stage";  ///< in statuses, plans and reports
    static constexpr bool selects = Selects;             ///< whether it chooses the token, and so comes last

    /// Owns the sampler from now on.
    explicit basic_stage(llama_sampler* sampler) noexcept : held_(sampler) {}

    /// The sampler itself, for llama.cpp's functions that look at it.
    const llama_sampler* sampler() const noexcept { return held_.get(); }

    /// invalid_parameter where there is no sampler, or one without apply, which does nothing.
    status(check)() const noexcept {
        const llama_sampler* const s = held_.get();
        if (!s) return status::invalid(name, "sampler", 0, "is no sampler, or one that cannot be cloned");
        if (!s->iface->apply) return status::invalid(name, "apply", 0, "is missing, so the sampler does nothing");
        return {};
    }
    /// What llama_sampler_apply does with the candidates; nothing where there are none.
    void apply(candidates& c) const noexcept { apply_as_it_is(c); }
    /// Applies the sampler and says what came of it: for chains that run llama.cpp's samplers.
    status_code apply_as_it_is(candidates& c) const noexcept {
        if (c.empty()) return status_code::no_legal_token;  // where llama.cpp's own abort
        return held_.apply(c) ? status_code::ok : status_code::stage_failed;
    }
    /// Whether every grammar in it takes the token.
    status can_accept(token_id token) const noexcept { return held_.can_accept(token) ? status() : refusal(); }
    /// Tells the sampler of a token: stage_failed where it refuses, and then it is as it was.
    step accept(token_id token) noexcept {
        step s;
        if (!held_.accept(token)) s.state = refusal();
        return s;
    }
    /// llama_sampler_reset. Marks of before mean nothing any more.
    void reset() noexcept {
        if (held_.get()) held_.reset();
    }
    /// How many tokens the sampler has accepted since reset().
    std::uint64_t mark() const noexcept { return held_.accepted(); }
    /// False, and nothing done, where no clone is as old as that.
    bool rollback(std::uint64_t accepted) noexcept { return held_.rollback(accepted); }

private:
    status refusal() const noexcept {
        return status::failed(status_code::stage_failed, held_.get() ? detail::plain_name(held_.get()) : name);
    }
    detail::held_sampler held_;
};

/// A llama_sampler as a stage of a riffle chain: llama.cpp's grammar, say, or one of your own.
///
///     auto chain = riffle::llama::stage{llama_sampler_init_grammar(vocab, text, "root")} | top_k{40} | dist{};
///
/// The stage owns the sampler (llama_sampler_free), copying it clones it, and going back up to 128 tokens works, which
/// llama.cpp's samplers have no way for (clones are kept; one that draws is cloned with every token). A sampler that
/// only works on candidates costs 12 bytes for every token where it stands ahead of the first stage that narrows;
/// behind that stage next to nothing. A token that a grammar cannot take is refused: accept's step says stage_failed,
/// and the grammar is as it was. (Where llama.cpp throws for other reasons, exceptions have to be on.) A prompt is for
/// every stage, so a grammar that must not see it belongs outside: see guided. check() names a sampler that is missing.
using stage = basic_stage<false>;
/// A llama_sampler that selects (a llama.cpp chain that ends in dist, say) as the last stage of a riffle chain.
using selector = basic_stage<true>;

using riffle::operator|;  // between two of these

}  // namespace riffle::llama

namespace riffle::inline RIFFLE_ABI::exact {

/// Under numerics::llama nothing is done to the candidates but what the sampler does.
template <bool Selects>
struct form<llama::basic_stage<Selects>> {
    using stage = llama::basic_stage<Selects>;  ///< what the form is of
    /// no_legal_token where there are no candidates, stage_failed where the sampler throws.
    static status_code apply(const stage& s, candidates& c, form_context&) noexcept { return s.apply_as_it_is(c); }
    /// Tells the sampler of a token: stage_failed where it refuses, and then it is as it was.
    template <class Kept>
    static step accept(stage& s, Kept&, token_id token) noexcept {
        return s.accept(token);
    }
};

}  // namespace riffle::exact
