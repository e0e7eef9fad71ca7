#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
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

/// Whether a stage does nothing with its present parameters.
template <class S>
bool does_nothing(const S& s) noexcept {
    if constexpr (!has_built_in_facts<S>) return false;
    else if constexpr (facts_of<S>().narrows == narrowing::no || facts_of<S>().maps || facts_of<S>().adjusts)
        return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return false;
}
inline bool does_nothing(const penalties& s) noexcept { return s.off(); }
inline bool does_nothing(const dry& s) noexcept { return s.off(); }
inline bool does_nothing(const xtc& s) noexcept { return s.probability <= 0.0f || s.threshold > 0.5f; }

/// Whether, behind this stage, a token outside a set of the greatest logits is still no greater than the least of the
/// set was: it maps all alike and monotonely, only lowers, or does nothing.
template <class S>
bool keeps_below(const S& s) noexcept {
    if (does_nothing(s)) return true;
    if constexpr (!riffle::stage<S>) return false;
    else if constexpr (!facts_of<S>().maps || !facts_of<S>().monotone) return false;
    else if constexpr (requires { s.narrows_now(); }) return !s.narrows_now();
    else return true;
}
inline bool keeps_below(const penalties& s) noexcept {
    return s.off() || (s.repeat >= 1.0f && s.frequency >= 0.0f && s.presence >= 0.0f);
}
inline bool keeps_below(const dry& s) noexcept { return s.off() || s.multiplier >= 0.0f; }
/// One entry a token: of several llama.cpp adds all where the token stands at the index of its id, else the first.
inline bool keeps_below(const logit_bias& s) noexcept {
    for (auto entry = s.biases.begin(); entry != s.biases.end(); ++entry) {
        const auto same = [&](const logit_bias_entry& other) { return other.token == entry->token; };
        if (!(entry->bias <= 0.0f) || std::any_of(s.biases.begin(), entry, same)) return false;
    }
    return true;
}
inline bool keeps_below(const dynamic_temperature& s) noexcept { return !(s.range > 0.0f) && s.t > 0.0f; }

/// How many of the greatest logits a stage that narrows should be given: what it keeps and a margin; 0 for a stage for
/// which no number will do.
template <class S>
std::size_t superset_for(const S&) noexcept {
    return 0;
}
inline std::size_t superset_for(const top_k& s) noexcept { return s.k > 0 ? std::size_t(s.k) + 8 : 0; }
/// What survives min_p on most rows, twice over.
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
    bool is_threshold = false;
    visit_stages(chain, [&](std::size_t i, const auto& stage) {
        found = {i, superset_for(stage)};
        is_threshold = std::is_same_v<std::remove_cvref_t<decltype(stage)>, min_p>;
        return found.size == 0 && keeps_below(stage);
    });
    // Of a threshold more may survive than the array holds that comes back: one of them has to be the choice.
    decltype(auto) stages = chain.table();
    return is_threshold && !has_selector(stages) ? superset() : found;
}

// ---- the chain on such a set

/// What the graph of a context does for a chain, and what the chain has to know of it.
struct offloading {
    bool on_backend = false;        ///< the context took the front over
    bool met_on_processor = false;  ///< llama.cpp has just run the front on its processor, so nothing was left out
    bool serves = false;            ///< the graph that was built last does anything for the chain
    bool narrows = false;           ///< what comes back is fewer than a row
    std::size_t verbatim = 0;       ///< stages that it runs whole, under `fast`
    superset set;
    std::int64_t row_size = 0;
    std::vector<ggml_tensor*> rows;  ///< one an output
    /// A whole row; false where it is not there. (A pointer, so that nothing here asks for ggml's functions.)
    bool (*fetch)(ggml_tensor*, float*, std::size_t) noexcept = nullptr;
};

/// The stages of a chain on a superset of what the first that narrows can keep.
template <class Chain>
class on_superset {
public:
    on_superset(Chain& chain, const offloading& graph) : chain_(chain), stages_(chain.table()), graph_(graph) {}

    /// What is left stands where the candidates stood.
    status apply(candidates& c) noexcept {
        if (const status s = chain_.reserve(std::size_t(graph_.row_size)); !s.ok()) return s;
        bool enough = false, found = false;
        status s = chain_.state().apply_by(stages_, c, [&](machine&, const scratch& memory, const context& x) noexcept {
            return run_on_set(c, memory, x, enough);
        });
        if (enough || !s.ok()) return finished(s, c);
        s = chain_.state().apply_by(stages_, c, [&](machine& on, const scratch& memory, const context& x) noexcept {
            found = fetch_row(c, memory.copies);
            return found ? run_on_row(on, memory, x, c) : status();
        });
        if (found) return finished(s, c);
        s = detail::apply(chain_, c);
        if (s.ok()) chain_.state().set_status(status_code::row_lost);
        return s;
    }

private:
    /// An id that no token has: accepted ones are not below 0, and named ones have been checked.
    static constexpr token_id nobody = null_token - 1;

    const status& finished(const status& s, candidates& c) noexcept {
        if (s.ok() && has_selector(stages_) && !stages_.as_llama()) c.normalise();
        return s;
    }
    status run_on_set(candidates& c, const scratch& memory, const context& x, bool& enough) noexcept {
        candidates part{memory.tokens, c.size, -1, false};
        std::copy(c.begin(), c.end(), part.begin());
        if (!make_canonical(part)) return {};
        std::sort(part.begin(), part.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
        // What a token outside can come to at most, since nothing ahead of the bridge meets it but maps.
        const auto least =
            std::min_element(part.begin(), part.end(), [](auto& a, auto& b) { return a.logit < b.logit; });
        part.data[part.size++] = {nobody, least->logit, 0.0f};
        const std::size_t bridge = graph_.set.bridge;
        if (const auto code = stages_.narrow(0, bridge, part, x); code != status_code::ok) return code;
        const float bound = part.data[part.size - 1].logit;
        float* const before = memory.copies;
        for (std::size_t i = 0; i < part.size; ++i) before[i] = part[i].logit;
        const std::span<const float> all(before, part.size);
        if (stages_.narrow(bridge, bridge + 1, part, x) != status_code::ok) return {};
        enough = is_certain(part, all, bound);
        if (!enough) return {};
        const status rest = narrow_from(stages_, bridge + 1, part, x);
        write_over(part, c);
        return rest;
    }
    /// False where one is NaN: what the graph has made of such a row is open.
    bool make_canonical(const candidates& part) const noexcept {
        for (auto& token : part) {
            if (token.logit != token.logit) return false;
            if (!stages_.as_llama()) token.logit = canonical(token.logit);
        }
        return true;
    }
    /// The greatest that a token outside can be has fallen, and everything that was kept is greater. (Where it was
    /// sorted as llama.cpp sorts, no two of it are equal, nor one of it and one that fell: their order would depend on
    /// all others.)
    bool is_certain(const candidates& kept, std::span<const float> before, float bound) const noexcept {
        if (kept.empty()) return false;
        float least = kept[0].logit;
        for (const auto& token : kept) {
            if (token.id == nobody) return false;
            least = (std::min)(least, token.logit);
        }
        if (!(least > bound)) return false;
        if (!stages_.as_llama() || !kept.sorted) return true;
        for (std::size_t i = 1; i < kept.size; ++i)
            if (kept[i].logit == kept[i - 1].logit) return false;
        return std::size_t(std::count_if(before.begin(), before.end(), [=](float l) { return l >= least; })) ==
               kept.size;
    }
    /// Into the array that the candidates came in. There may be more than it holds when the row was fetched: then the
    /// greatest of them, and what was selected.
    void write_over(candidates& found, candidates& c) noexcept {
        const bool selects = found.selected >= 0 && std::size_t(found.selected) < found.size;
        const token_data chosen = selects ? found[std::size_t(found.selected)] : token_data{null_token, 0.0f, 0.0f};
        if (found.size > c.size) {
            found.sort_first(c.size);
            found.size = c.size;
            found.sorted = true;
        }
        std::copy(found.begin(), found.end(), c.begin());
        c.size = found.size;
        c.sorted = found.sorted;
        c.selected = -1;
        for (std::size_t i = 0; selects && c.selected < 0 && i < c.size; ++i)
            if (c[i].id == chosen.id) c.selected = std::int64_t(i);
        if (selects && c.selected < 0) {
            c[c.size - 1] = chosen;
            c.selected = std::int64_t(c.size) - 1;
        }
    }

    /// The row of the graph that the candidates were taken from.
    bool fetch_row(const candidates& c, float* to) const noexcept {
        const auto size = std::size_t(graph_.row_size);
        const auto is_of_row = [&](const token_data& token) {
            return token.id >= 0 && std::size_t(token.id) < size &&
                   std::bit_cast<std::uint32_t>(to[token.id]) == std::bit_cast<std::uint32_t>(token.logit);
        };
        for (ggml_tensor* const row : graph_.rows)
            if (graph_.fetch(row, to, size) && std::all_of(c.begin(), c.end(), is_of_row)) return true;
        return false;
    }
    status run_on_row(machine& on, const scratch& memory, const context& x, candidates& c) noexcept {
        const auto size = std::size_t(graph_.row_size);
        const plan& p = stages_.plan_for(stages_.bridge(size));
        const auto end = has_selector(stages_) ? machine::until::token : machine::until::selector;
        on.run(stages_, p, memory, x, {memory.copies, size}, end);
        if (!on.state().ok()) return on.state();
        candidates& found = on.found();
        if (stages_.as_llama())  // the machine has forgotten what comes behind top_k
            found.sorted =
                std::is_sorted(found.begin(), found.end(), [](auto& a, auto& b) { return a.logit > b.logit; });
        write_over(found, c);
        return on.state();
    }

    Chain& chain_;
    decltype(std::declval<Chain&>().table()) stages_;
    const offloading& graph_;
};

}  // namespace riffle::llama::detail
