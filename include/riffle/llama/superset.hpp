#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/chain/pipeline.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/llama/apply.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/dry.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/penalties.hpp>
#include <riffle/samplers/soft_cap.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_n_sigma.hpp>
#include <riffle/samplers/top_p.hpp>
#include <riffle/samplers/typical.hpp>
#include <riffle/samplers/xtc.hpp>

// Where a chain's token must be the promised one, the backend only leaves tokens out, and the chain runs again on those
// that come back: more of the greatest logits than its first narrowing stage can keep. Whether they were enough shows
// once that stage has run; where they were not (ties at the cut, a wide threshold) the whole row is fetched.

namespace riffle::llama::detail {

// ---- the stages of a chain by their types

/// Calls visit(i, spec) for every stage of a chain, in order, until it answers false. Stages whose type cannot be told
/// (in an any_pipeline, or a user's own in a dynamic_chain) are visited as unknown_stage.
struct unknown_stage {};
template <class P, class... Stages, class Visit>
void visit_stages(const pipeline<P, Stages...>& chain, Visit visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (void)(visit(I, std::get<I>(chain.stages())) && ...);
    }(std::index_sequence_for<Stages...>());
}
template <class Policies, class Visit>
void visit_stages(const basic_dynamic_chain<Policies>& chain, Visit visit) {
    auto& stages = const_cast<basic_dynamic_chain<Policies>&>(chain);  // only looked at
    bool more = true;
    const auto visit_as = [&]<class S>(std::size_t i, std::type_identity<S>) {
        const S* const stage = stages.template get_if<S>(i);
        if (stage) more = visit(i, *stage);
        return stage != nullptr;
    };
    for (std::size_t i = 0; more && i < chain.table().size(); ++i) {
        const bool known =
            [&]<class... Known>(std::tuple<Known...>*) {
                return (visit_as(i, std::type_identity<Known>()) || ...);
            }(static_cast<std::tuple<logit_bias, penalties, dry, top_n_sigma, top_k, typical, top_p, min_p, xtc,
                                     temperature, dynamic_temperature, soft_cap, dist, greedy>*>(nullptr));
        if (!known) more = visit(i, unknown_stage());
    }
}
template <class Chain, class Visit>
void visit_stages(const Chain&, Visit visit) {
    visit(std::size_t{0}, unknown_stage());
}

// ---- which sets are large enough

/// Whether, behind this stage, a token outside a set of the greatest logits is still no greater than the least of the
/// set was: it maps all alike and monotonely, only lowers, or does nothing.
template <class S>
bool keeps_below(const S& s) noexcept {
    if constexpr (riffle::stage<S>) {
        constexpr facts f = facts_of<S>();
        if constexpr (f.selects != selecting::no || f.adjusts || f.edits || f.dense_edits || f.applies) return false;
        else if constexpr (f.narrows != narrowing::no && has_built_in_facts<S>) {
            if constexpr (requires { s.narrows_now(); }) return !s.narrows_now() && (!f.maps || f.monotone);
            else return false;
        } else return f.maps && f.monotone;
    } else {
        return false;
    }
}
inline bool keeps_below(const penalties& s) noexcept {
    return s.off() || (s.repeat >= 1.0f && s.frequency >= 0.0f && s.presence >= 0.0f);
}
inline bool keeps_below(const dry& s) noexcept { return s.off() || s.multiplier >= 0.0f; }
inline bool keeps_below(const logit_bias& s) noexcept {
    return std::all_of(s.biases.begin(), s.biases.end(), [](const auto& entry) { return entry.bias <= 0.0f; });
}
inline bool keeps_below(const xtc& s) noexcept { return s.probability <= 0.0f || s.threshold > 0.5f; }
inline bool keeps_below(const dynamic_temperature& s) noexcept { return !(s.range > 0.0f) && s.t > 0.0f; }

/// How many of the greatest logits a stage that narrows should be given: what it keeps and a margin; 0 for a stage for
/// which no number will do.
template <class S>
std::size_t superset_for(const S&) noexcept {
    return 0;
}
inline std::size_t superset_for(const top_k& s) noexcept { return s.k > 0 ? std::size_t(s.k) + 8 : 0; }
/// What survives min_p on most rows, a few times over.
inline std::size_t superset_for(const min_p& s) noexcept {
    return s.p > 0.0f ? (std::max)(s.min_keep + 8, std::size_t{240}) : 0;
}

/// The first stage that narrows, and how many logits it is to be given; 0 when the chain cannot be helped.
struct superset {
    std::size_t bridge = 0, size = 0;
};
template <class Chain>
superset superset_of(const Chain& chain) {
    superset found;
    visit_stages(chain, [&](std::size_t i, const auto& stage) {
        found = {i, superset_for(stage)};
        return found.size == 0 && keeps_below(stage);
    });
    return found;
}

// ---- the chain on such a set

/// What the graph of a context keeps for a chain, and what the chain has to know of it.
struct offloading {
    bool on_backend = false;        ///< the context took the front over
    bool met_on_processor = false;  ///< llama.cpp has just run the front on its processor, so nothing was left out
    bool narrows = false;           ///< what comes back is fewer than a row
    std::size_t verbatim = 0;       ///< stages that have been run whole, under `fast`
    superset set;
    std::int64_t row_size = 0;
    std::vector<ggml_tensor*> rows;                                       ///< one an output
    bool (*fetch)(ggml_tensor*, float*, std::size_t) noexcept = nullptr;  ///< a whole row
};

/// The stages of a chain on a superset of what the first that narrows can keep.
template <class Chain>
class on_superset {
public:
    on_superset(Chain& chain, const offloading& graph) : chain_(chain), stages_(chain.table()), graph_(graph) {}

    /// What is left may stand in the chain's own scratch.
    status apply(candidates& c) noexcept {
        if (const status s = chain_.reserve(std::size_t(graph_.row_size)); !s.ok()) return s;
        bool enough = false, found = false;
        status s = chain_.state().apply_by(stages_, c, [&](machine&, const scratch& memory, const context& x) noexcept {
            given_ = {c.data, c.size};
            return narrow(c, memory, x, enough);
        });
        if (enough || !s.ok()) return s;
        s = chain_.state().apply_by(stages_, c, [&](machine& on, const scratch& memory, const context& x) noexcept {
            found = fetch_row(memory.copies);
            return found ? run_on_row(on, memory, x, c) : status();
        });
        return found ? s : detail::apply(chain_, c);  // an array that did not come from the graph
    }

private:
    status narrow(candidates& c, const scratch& memory, const context& x, bool& enough) noexcept {
        candidates part{memory.tokens, c.size, -1, false};
        std::copy(c.begin(), c.end(), part.begin());
        for (auto& token : part) {
            if (token.logit != token.logit) return {};
            if (!stages_.as_llama()) token.logit = canonical(token.logit);
        }
        std::sort(part.begin(), part.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
        const float least = std::min_element(part.begin(), part.end(), [](const auto& a, const auto& b) {
                                return a.logit < b.logit;
                            })->logit;
        // No token has this id, so no edit meets it: what a token outside can come to at most.
        part.data[part.size++] = {(std::numeric_limits<token_id>::max)(), least, 0.0f};
        if (const auto code = stages_.narrow(0, graph_.set.bridge, part, x); code != status_code::ok) return code;
        const float bound = part.data[--part.size].logit;
        float* const before = memory.copies;
        for (std::size_t i = 0; i < part.size; ++i) before[i] = part[i].logit;
        const std::size_t size = part.size;
        if (const auto code = stages_.narrow(graph_.set.bridge, graph_.set.bridge + 1, part, x);
            code != status_code::ok)
            return {};
        enough = is_certain(part, {before, size}, bound);
        if (!enough) return {};
        const auto code = stages_.narrow(graph_.set.bridge + 1, stages_.size(), part, x);
        c = part;
        if (code != status_code::ok) return status::failed(code, "llama");
        if (has_selector(stages_) && (c.selected < 0 || std::size_t(c.selected) >= c.size))
            return status_code::no_legal_token;
        return {};
    }
    /// What was kept is greater than anything outside. (Where it was sorted as llama.cpp sorts, no two of it are equal,
    /// nor one of it and one that fell: their order would depend on all others.)
    bool is_certain(const candidates& kept, std::span<const float> before, float bound) const noexcept {
        if (kept.empty() || kept.size == before.size()) return false;
        float least = kept[0].logit;
        for (const auto& token : kept) least = (std::min)(least, token.logit);
        if (!(least > bound)) return false;
        if (!stages_.as_llama() || !kept.sorted) return true;
        for (std::size_t i = 1; i < kept.size; ++i)
            if (kept[i].logit == kept[i - 1].logit) return false;
        return std::size_t(std::count_if(before.begin(), before.end(), [=](float l) { return l >= least; })) ==
               kept.size;
    }

    /// The row of the graph that the candidates were taken from.
    bool fetch_row(float* to) const noexcept {
        const auto size = std::size_t(graph_.row_size);
        for (ggml_tensor* const row : graph_.rows) {
            if (!graph_.fetch(row, to, size)) continue;
            if (std::all_of(given_.begin(), given_.end(), [&](const token_data& token) {
                    return token.id >= 0 && std::size_t(token.id) < size &&
                           std::bit_cast<std::uint32_t>(to[token.id]) == std::bit_cast<std::uint32_t>(token.logit);
                }))
                return true;
        }
        return false;
    }
    status run_on_row(machine& on, const scratch& memory, const context& x, candidates& c) noexcept {
        const auto size = std::size_t(graph_.row_size);
        const plan& p = stages_.plan_for(stages_.bridge(size));
        const auto end = has_selector(stages_) ? machine::until::token : machine::until::selector;
        on.run(stages_, p, memory, x, {memory.copies, size}, end);
        if (on.state().ok()) c = on.found();
        return on.state();
    }

    Chain& chain_;
    decltype(std::declval<Chain&>().table()) stages_;
    const offloading& graph_;
    std::span<const token_data> given_;
};

}  // namespace riffle::llama::detail
