#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <riffle/chain/narrow_verb.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/chain/stage_table.hpp>
#include <riffle/chain/stage_type.hpp>
#include <riffle/core/id_check.hpp>
#include <riffle/core/policies.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/fold.hpp>
#include <riffle/wide/gather.hpp>
#include <riffle/wide/law.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/preimage.hpp>
#include <riffle/wide/rewrite.hpp>

namespace riffle::inline RIFFLE_ABI {

namespace detail {

template <class S>
constexpr const char* name_of() {
    if constexpr (requires { S::name; }) return S::name;
    else return "stage";
}

/// Has token ids among its parameters.
template <class S>
concept has_ids = requires(const S& s, const id_check& known) { s.check_ids(known); };

/// The number of a drawing stage's stream.
template <class S>
constexpr std::uint8_t kind_of() {
    if constexpr (has_built_in_facts<S> && requires { S::kind; }) return S::kind;
    else return stream_kind::user;
}

/// A debug build tries a user's claim to be monotone at each step, at neighbouring floats between -24 and 24.
template <class S>
bool falls_somewhere(const S& s) noexcept {
    const bound_map<S> map(s);
    float previous = illegal_logit;
    for (int i = -64; i <= 64; ++i) {
        const float x = float(i) * 0.37f;
        const float points[] = {x, from_ordered_key(ordered_key(canonical(x)) + 1)};
        for (const float point : points) {
            const float y = map(lanes<1>(canonical(point)))[0];
            if (y < previous) return true;
            previous = y;
        }
    }
    return false;
}

}  // namespace detail

/// The table of stages that are types: plans and folded passes are settled while compiling.
template <class Policies, class... Stages>
class typed_table final : public stage_table {
public:
    static constexpr std::size_t count = sizeof...(Stages);
    static constexpr bool as_peer = Policies::arithmetic == numerics::llama;
    RIFFLE_LOCAL static constexpr std::array<const char*, count> names{detail::name_of<Stages>()...};
    RIFFLE_LOCAL static constexpr std::array<facts, count> fact_table{facts_of<Stages>()...};
    RIFFLE_LOCAL static constexpr std::array<plan, count + 1> plans = [] {
        std::array<plan, count + 1> all{};
        for (std::size_t b = 0; b <= count; ++b)
            all[b] = as_peer ? make_llama_plan(count) : make_plan(fact_table.data(), count, b);
        return all;
    }();
    static constexpr bool plans_have(pass op) noexcept {
        for (const plan& p : plans)
            if (p.has(op)) return true;
        return false;
    }
    // What no stage of the chain needs is not compiled: most chains need a few of the answers below.
    static constexpr bool any_narrows_by(narrowing a, narrowing b = narrowing::no, narrowing c = narrowing::no) {
        for (const facts& f : fact_table)
            if (f.narrows != narrowing::no && (f.narrows == a || f.narrows == b || f.narrows == c)) return true;
        return false;
    }
    static constexpr std::uint8_t parts_of_laws = [] {
        std::uint8_t parts = 0;
        for (const facts& f : fact_table) parts |= f.law_parts;
        return parts;
    }();
    static constexpr bool any_draws = (facts_of<Stages>().draws || ...);
    static constexpr bool any_adjusts = (facts_of<Stages>().adjusts || ...);
    static constexpr bool any_chooses = ((has_state<Stages> && facts_of<Stages>().selects != selecting::no) || ...);
    static constexpr bool any_has_a_law = (detail::has_law_of_its_own<Stages> || ...);
    static constexpr bool any_has_ids = (detail::has_ids<Stages> || ...);
    static constexpr bool any_has_window = (has_window<Stages> || ...);
    static constexpr bool any_map_is_pending = [] {
        for (std::size_t b = 0; b < count; ++b)
            if (plans[b].has(pass::max) && plans[b].pending < b) return true;
        return false;
    }();

    template <class S>
    using keeper = detail::keeper<Policies, S>;
    static constexpr bool keeps_state = (false || ... || keeper<Stages>::changes);
    static constexpr bool any_resets = (false || ... || (keeper<Stages>::changes || has_reset<Stages>));
    using kept_states = std::tuple<typename keeper<Stages>::type...>;
    /// What the chain keeps for these stages, at the beginning.
    static kept_states begin(const std::tuple<Stages...>& stages) noexcept {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return kept_states(keeper<Stages>::begin(std::get<Index>(stages))...);
        }(std::index_sequence_for<Stages...>());
    }

    /// `earlier` stages of the same kind stand ahead of these in a greater chain.
    typed_table(std::tuple<Stages...>& stages, kept_states& kept, saved_state* ring, std::uint8_t earlier = 0) noexcept
        : stages_(stages), kept_(kept), ring_(ring), earlier_(earlier) {}

    void place(std::uint8_t earlier) noexcept { earlier_ = earlier; }

    std::size_t size() const noexcept override { return count; }
    bool as_llama() const noexcept override { return as_peer; }
    std::size_t spare_bytes(std::size_t row_size) const noexcept override {
        std::size_t bytes = 0;
        if constexpr (as_peer) {
            std::size_t biases = 0;
            each([&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.edits(); }) biases = (std::max)(biases, std::size(stage.edits()));
            });
            bytes = exact::workspace::bytes_for(row_size, biases);
        }
        return bytes;
    }
    const char* name(std::size_t i) const noexcept override {
        return names[i];
    }
    const facts& fact(std::size_t i) const noexcept override { return fact_table[i]; }
    const plan& plan_for(std::size_t bridge) const noexcept override { return plans[bridge]; }

    status (check)() const noexcept override {
        status s;
        each([&]<std::size_t Index>(const auto& stage) {
            if (!s.ok()) return;
            s = detail::checked<Policies>(stage);
#if RIFFLE_DEBUG
            using S = std::tuple_element_t<Index, std::tuple<Stages...>>;
            if constexpr (!has_built_in_facts<S> && fact_table[Index].monotone)
                if (detail::falls_somewhere(stage)) s = status::failed(status_code::not_monotone, detail::name_of<S>());
#endif
        });
        return s;
    }
    status check_ids([[maybe_unused]] std::size_t vocabulary_size) const noexcept override {
        status s;
        if constexpr (any_has_ids)
            each([&]<std::size_t Index>(const auto& stage) {
                if constexpr (detail::has_ids<std::tuple_element_t<Index, std::tuple<Stages...>>>)
                    if (s.ok()) s = stage.check_ids(id_check(vocabulary_size));
            });
        return s;
    }

    std::size_t bridge(std::size_t row_size, std::size_t first) const noexcept override {
        std::size_t found = count;
        each([&]<std::size_t Index>(const auto& stage) {
            if (Index < first || found != count) return;
            if constexpr (fact_table[Index].selects != selecting::no) found = Index;
            else if constexpr (fact_table[Index].narrows == narrowing::legal)
                found = few_legal(stage.legal_words(), row_size) ? Index : count;
            else if constexpr (fact_table[Index].narrows != narrowing::no) found = stage.narrows_now() ? Index : count;
        });
        return found;
    }
    std::int32_t window() const noexcept override {
        std::int32_t longest = 0;
        if constexpr (any_has_window)
            each([&]<std::size_t>(const auto& stage) {
                using S = std::remove_cvref_t<decltype(stage)>;
                if constexpr (has_window<S>) {
                    const std::int32_t w = stage.window();
                    if (detail::runs_as_llama<Policies, S> && w < 0) return;  // off, in the peer
                    if (longest >= 0 && (w < 0 || w > longest)) longest = w;
                }
            });
        return longest;
    }

    std::size_t rank(std::size_t i) const noexcept override {
        std::size_t r = 0;
        if constexpr (any_narrows_by(narrowing::rank, narrowing::head))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.rank(); }) r = stage.rank();
            });
        return r;
    }
    std::size_t keeps_at_least(std::size_t i) const noexcept override {
        std::size_t n = 1;
        if constexpr (any_narrows_by(narrowing::threshold, narrowing::mass, narrowing::likelihood))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.keeps_at_least(); }) n = stage.keeps_at_least();
            });
        return n;
    }
    float cut(std::size_t i, float maximum, const moments& m) const noexcept override {
        float c = maximum;
        if constexpr (any_narrows_by(narrowing::threshold, narrowing::deviation))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.cut(maximum, m); }) c = stage.cut(maximum, m);
                else if constexpr (requires { stage.cut(maximum); }) c = canonical(stage.cut(maximum));
            });
        return c;
    }
    std::uint64_t target(std::size_t i, std::uint64_t total, const context& x) const noexcept override {
        std::uint64_t t = total;
        if constexpr (any_narrows_by(narrowing::mass))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.target(total, x); }) t = stage.target(total, x);
                else if constexpr (requires { stage.target(total); }) t = stage.target(total);
            });
        return t;
    }
    float cut(std::size_t i, const law& of_row) const noexcept override {
        float c = of_row.maximum;
        if constexpr (any_narrows_by(narrowing::likelihood))
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (requires { stage.cut(of_row, kept<Index>()); }) c = stage.cut(of_row, kept<Index>());
                else if constexpr (requires { stage.cut(of_row); }) c = stage.cut(of_row);
            });
        return c;
    }
    bool keep(std::size_t i, candidates& c, const law& of_row, float floor) const noexcept override {
        bool enough = true;
        if constexpr (any_narrows_by(narrowing::searched))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.keep(c, of_row, floor); }) enough = stage.keep(c, of_row, floor);
            });
        return enough;
    }
    std::size_t rank(std::size_t i, const law& of_row, candidates& head) const noexcept override {
        std::size_t r = 0;
        if constexpr (any_narrows_by(narrowing::head))
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (requires { stage.rank(of_row, head, kept<Index>()); })
                    r = stage.rank(of_row, head, kept<Index>());
            });
        return r;
    }
    std::span<const std::uint32_t> legal_words(std::size_t i) const noexcept override {
        std::span<const std::uint32_t> words;
        if constexpr (any_narrows_by(narrowing::legal))
            at(i, [&]<std::size_t>(const auto& stage) {
                if constexpr (requires { stage.legal_words(); }) words = stage.legal_words();
            });
        return words;
    }
    draws random(std::size_t i, const draw_position& position) const noexcept override {
        draws d(0, position, 0);
        if constexpr (any_draws)
            at(i, [&]<std::size_t Index>(const auto&) {
                if constexpr (fact_table[Index].draws) d = random_of<Index>(position);
            });
        return d;
    }

    void edit(std::size_t i, row& r, const context& x) const noexcept override {
        constexpr bool edits = ((facts_of<Stages>().edits || facts_of<Stages>().dense_edits) || ...);
        if constexpr (edits)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (fact_table[Index].edits) {
                    edit_few<Index>(r, x);
                } else if constexpr (requires { stage.bias(token_id{}); }) {
                    for (std::size_t id = 0; id < r.size(); ++id)
                        r.edit(token_id(id),
                               [&](float logit) { return detail::biased(logit, stage.bias(token_id(id))); });
                }
            });
    }
    bool edit(std::size_t i, edit_list& edits, const context& x) const noexcept override {
        if constexpr ((facts_of<Stages>().edits || ...))
            at(i, [&]<std::size_t Index>(const auto&) {
                if constexpr (fact_table[Index].edits) edit_few<Index>(edits, x);
            });
        return !fact_table[i].dense_edits;
    }
    void rewrite(std::size_t i, row& r) const noexcept override {
        if constexpr (count == 1 || plans_have(pass::rewrite))
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (fact_table[Index].maps)
                    wide::rewrite(r, fold<std::tuple_element_t<Index, std::tuple<Stages...>>>(stage));
            });
    }

    bool adjusts_now(std::size_t i, const context& x) const noexcept override {
        bool now = true;
        if constexpr (any_adjusts)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (requires(const draws& d) { stage.adjusts_now(d); })
                    now = stage.adjusts_now(random_of<Index>(x.at()));
                else if constexpr (requires { stage.adjusts_now(); }) now = stage.adjusts_now();
            });
        return now;
    }
    void adjust(std::size_t i, row& r, const float* peaks, float maximum) const noexcept override {
        if constexpr (any_adjusts)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (fact_table[Index].adjusts) {
                    const float cut = wide::raw_cut((std::max)(maximum - mass_range, -greatest_logit));
                    const law of_row =
                        wide::find_law<fact_table[Index].law_parts>(r, peaks, cut, -greatest_logit, fold<>{}, maximum);
                    if constexpr (has_measured_map<std::remove_cvref_t<decltype(stage)>>)
                        wide::rewrite(r, bound_map(stage, of_row));
                    else stage.adjust(r, peaks, of_row);
                }
            });
    }

    float map(std::size_t bridge, float logit) const noexcept override {
        with_pending_maps(bridge, [&](const auto& maps) { logit = maps.one(logit); });
        return logit;
    }
    void map(std::size_t bridge, std::span<token_data> tokens) const noexcept override {
        candidates c{tokens.data(), tokens.size(), -1, false};
        with_pending_maps(bridge, [&](const auto& maps) { c.map_logits(maps); });
    }
    float preimage(std::size_t bridge, float target, float known) const noexcept override {
        with_pending_maps(bridge, [&](const auto& maps) {
            known = wide::preimage([&](float l) { return maps.one(l); }, target, known);
        });
        return known;
    }

    std::uint64_t mass(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                       std::uint64_t* masses) const noexcept override {
        constexpr bool is_fast = Policies::arithmetic == numerics::fast;
        std::uint64_t total = 0;
        with_maps<pass::mass>(
            bridge, [&](const auto& maps) { total = wide::find_mass<is_fast>(r, peaks, cut, maps, maximum, masses); });
        return total;
    }
    wide::split_mass mass(std::size_t bridge, const row& r, const float* peaks, float cut, const wide::band& raw,
                          float maximum, std::uint64_t* masses, wide::band_tokens& tokens) const noexcept override {
        wide::split_mass sums;
        with_maps<pass::histogram>(bridge, [&](const auto& maps) {
            sums = wide::find_split_mass(r, peaks, cut, raw, maps, maximum, masses, tokens);
        });
        return sums;
    }
    void mass_by_bucket(std::size_t bridge, const row& r, const float* peaks, float cut, float maximum,
                        const wide::buckets& by, std::uint64_t* bins) const noexcept override {
        with_maps<pass::histogram>(
            bridge, [&](const auto& maps) { wide::mass_by_bucket(r, peaks, cut, maps, by, maximum, bins); });
    }
    law find_law(std::size_t bridge, const row& r, const float* peaks, float cut, float legal_cut,
                 float maximum) const noexcept override {
        law l;
        with_maps<pass::law>(bridge, [&](const auto& maps) {
            l = wide::find_law<parts_of_laws>(r, peaks, cut, legal_cut, maps, maximum);
        });
        return l;
    }
    moments find_moments(std::size_t bridge, const row& r, const float* peaks, float maximum) const noexcept override {
        moments m;
        with_maps<pass::moments>(bridge, [&](const auto& maps) { m = wide::find_moments(r, peaks, maps, maximum); });
        return m;
    }
    wide::picked pick_by_mass(std::size_t bridge, const row& r, const std::uint64_t* masses, std::uint64_t target,
                              float maximum) const noexcept override {
        wide::picked p{null_token, 0};
        with_maps<pass::pick, selecting::by_mass>(
            bridge, [&](const auto& maps) { p = wide::pick_by_mass(r, masses, target, maps, maximum); });
        return p;
    }
    token_id pick_by_noise(std::size_t bridge, const row& r, const float* peaks, float maximum,
                           const draws& noise) const noexcept override {
        token_id id = null_token;
        with_maps<pass::pick, selecting::by_noise>(
            bridge, [&](const auto& maps) { id = wide::pick_by_noise(r, peaks, maps, maximum, noise); });
        return id;
    }

    token_data pick_by_shape(std::size_t bridge, const row& r, const float* peaks, const law& of_row,
                             std::uint64_t* masses, const draws& random) const noexcept override {
        token_data chosen{null_token, 0.0f, 0.0f};
        if constexpr (!as_peer && ((facts_of<Stages>().selects == selecting::by_shape) || ...))
            with_maps<pass::pick, selecting::by_shape>(bridge, [&](const auto& maps) {
                constexpr std::size_t Index = count - 1;  // a selector is the last
                const auto shape = std::get<Index>(stages_).shape(of_row, kept<Index>());
                chosen = wide::pick_by_shape(r, peaks, maps, shape, masses, random);
            });
        return chosen;
    }

    status_code narrow(std::size_t first, std::size_t last, candidates& c, const context& x) const noexcept override {
        status_code failure = status_code::ok;
        each([&]<std::size_t Index>(const auto& stage) {
            if (Index < first || Index >= last || failure != status_code::ok) return;
            if constexpr (detail::runs_as_llama<Policies, std::remove_cvref_t<decltype(stage)>>) {
                failure = detail::narrow_as_llama(stage, std::get<Index>(kept_), c, x);
            } else {
                if constexpr (as_peer) {  // another form may have made NaN, and left its flag standing
                    wide::make_candidates_canonical(c);
                    c.sorted = c.sorted && std::is_sorted(c.begin(), c.end(), ranks_before);
                }
                if constexpr (fact_table[Index].needs_sorted) c.sort();
                if constexpr (fact_table[Index].needs_p) c.normalise();
                if constexpr (fact_table[Index].draws)
                    detail::narrow_by(stage, kept<Index>(), c, x, random_of<Index>(x.at()));
                else detail::narrow_by(stage, kept<Index>(), c, x, draws(0, {}, 0));
                if constexpr (!fact_table[Index].keeps_sorted) c.sorted = false;
            }
        });
        return failure;
    }

    bool takes_row(std::size_t i) const noexcept override {
        bool takes = false;
        if constexpr (as_peer)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                takes = requires { &exact::form<std::remove_cvref_t<decltype(stage)>>::apply_to_row; };
            });
        return takes;
    }
    exact::row_answer apply_to_row(std::size_t i, wide::llama_row& r, candidates& found,
                                   const context& x) const noexcept override {
        auto answer = exact::row_answer::undecided;
        if constexpr (as_peer)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                using form = exact::form<std::remove_cvref_t<decltype(stage)>>;
                if constexpr (requires { form::apply_to_row(stage, std::get<Index>(kept_), r, found, x); })
                    answer = form::apply_to_row(stage, std::get<Index>(kept_), r, found, x);
                else if constexpr (requires { form::apply_to_row(stage, r, found, x); })
                    answer = form::apply_to_row(stage, r, found, x);
            });
        return answer;
    }
    void prepare(std::size_t i, candidates& c) const noexcept override {
        if constexpr (any_chooses || any_has_a_law)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (requires { stage.prepare(c, kept<Index>()); }) stage.prepare(c, kept<Index>());
                else if constexpr (requires { stage.prepare(c); }) stage.prepare(c);
            });
    }
    void choose(std::size_t i, candidates& c, const context& x) const noexcept override {
        if constexpr (any_chooses)
            at(i, [&]<std::size_t Index>(const auto& stage) {
                if constexpr (requires(const draws& d) { stage.choose(c, d, kept<Index>()); })
                    stage.choose(c, random_of<Index>(x.at()), kept<Index>());
            });
    }

    step accept(token_id token, const choice* last, const history& tokens) noexcept override {
        step all;
        if constexpr (keeps_state)
            each([&]<std::size_t Index>(auto& stage) {
                using S = std::remove_reference_t<decltype(stage)>;
                if constexpr (detail::runs_as_llama<Policies, S>) {
                    if constexpr (requires { all = exact::form<S>::accept(stage, std::get<Index>(kept_), token); })
                        all.join(exact::form<S>::accept(stage, std::get<Index>(kept_), token));
                    else if constexpr (requires { exact::form<S>::accept(stage, std::get<Index>(kept_), token); })
                        exact::form<S>::accept(stage, std::get<Index>(kept_), token);
                } else if constexpr (has_built_in_facts<S> && has_state<S>) {
                    if constexpr (requires { stage.accept(std::get<Index>(kept_), token, last, tokens); })
                        all.join(stage.accept(std::get<Index>(kept_), token, last, tokens));
                    else all.join(stage.accept(std::get<Index>(kept_), token, last));
                } else if constexpr (has_accept<S>) {
                    if constexpr (std::is_same_v<decltype(stage.accept(token)), step>) {
                        all.join(stage.accept(token));
                    } else {
                        stage.accept(token);
                    }
                }
            });
        return all;
    }
    void reset() noexcept override {
        if constexpr (any_resets)
            each([&]<std::size_t Index>(auto& stage) {
                keeper<std::remove_reference_t<decltype(stage)>>::reset(stage, std::get<Index>(kept_));
            });
    }
    void fork([[maybe_unused]] std::uint16_t sequence) noexcept override {
        if constexpr (as_peer)  // riffle's own streams are told apart by the draw's position
            each([&]<std::size_t Index>(auto& stage) {
                keeper<std::remove_reference_t<decltype(stage)>>::fork(stage, std::get<Index>(kept_), sequence);
            });
    }
    std::uint32_t layout() const noexcept override {
        std::uint32_t hash = detail::no_types;
        ((hash = detail::with_type(hash, detail::type_of<Stages>())), ...);
        return hash;
    }
    void save(saved_state& to) const noexcept override {
        std::size_t used = 0;
        if constexpr (keeps_state)
            each([&]<std::size_t Index>(const auto& stage) {
                using S = std::remove_cvref_t<decltype(stage)>;
                if constexpr (keeper<S>::saved > 0) {
                    keeper<S>::save(stage, kept<Index>(), to.data() + used);
                    used += keeper<S>::saved;
                }
            });
    }
    void restore(const saved_state& from) noexcept override {
        std::size_t used = 0;
        if constexpr (keeps_state)
            each([&]<std::size_t Index>(auto& stage) {
                using S = std::remove_cvref_t<decltype(stage)>;
                if constexpr (keeper<S>::saved > 0) {
                    keeper<S>::restore(stage, std::get<Index>(kept_), from.data() + used);
                    used += keeper<S>::saved;
                }
            });
    }
    saved_state* ring() noexcept override { return ring_; }

private:
    /// A mask that leaves at most one token in 32 is worth gathering: reading that many logits one by one costs less
    /// than a pass over the row.
    static bool few_legal(std::span<const std::uint32_t> words, std::size_t row_size) noexcept {
        return wide::count_legal(words, row_size, row_size / 32 + 1) <= row_size / 32;
    }

    template <class Call>
    RIFFLE_INLINE void each(const Call& f) const noexcept {
        each_of(std::as_const(stages_), f, std::make_index_sequence<count>());
    }
    template <class Call>
    RIFFLE_INLINE void each(const Call& f) noexcept {
        each_of(stages_, f, std::make_index_sequence<count>());
    }
    template <class Call>
    RIFFLE_INLINE void at(std::size_t i, const Call& f) const noexcept {
        at_of(i, std::as_const(stages_), f, std::make_index_sequence<count>());
    }
    // No lambdas, of which a build that inlines little would keep one for each call above.
    template <class Tuple, class Call, std::size_t... Index>
    RIFFLE_INLINE static void each_of(Tuple& stages, const Call& f, std::index_sequence<Index...>) noexcept {
        (f.template operator()<Index>(std::get<Index>(stages)), ...);
    }
    template <class Tuple, class Call, std::size_t... Index>
    RIFFLE_INLINE static void at_of(std::size_t i, Tuple& stages, const Call& f,
                                    std::index_sequence<Index...>) noexcept {
        (void)((Index == i && (f.template operator()<Index>(std::get<Index>(stages)), true)) || ...);
    }

    /// The maps pending at bridge B, in order, as one fold.
    template <std::size_t B, std::size_t Index = plans[B].pending, class... Done>
    auto maps_at(const Done&... done) const noexcept {
        if constexpr (Index >= B) return fold<Done...>(done...);
        else if constexpr (fact_table[Index].maps) return maps_at<B, Index + 1>(done..., std::get<Index>(stages_));
        else return maps_at<B, Index + 1>(done...);
    }
    /// Calls f with the maps pending at `bridge`, where there are any.
    template <class Call>
    RIFFLE_INLINE void with_pending_maps(std::size_t bridge, Call f) const noexcept {
        if constexpr (any_map_is_pending)
            at(bridge, [&]<std::size_t B>(const auto&) {
                if constexpr (plans[B].has(pass::max) && plans[B].pending < B) f(maps_at<B>());
            });
    }
    /// Calls f with the maps pending at `bridge`, for bridges whose plan has the pass `Op`.
    template <pass Op, selecting How = selecting::no, class Call>
    RIFFLE_INLINE void with_maps(std::size_t bridge, Call f) const noexcept {
        if constexpr (plans_have(Op) || (plans_have(pass::draw) && (Op == pass::mass || Op == pass::pick)))
            at(bridge, [&]<std::size_t B>(const auto&) {
                constexpr bool draws = plans[B].has(pass::draw) && (Op == pass::mass || Op == pass::pick);
                if constexpr ((plans[B].has(Op) || draws) && (How == selecting::no || fact_table[B].selects == How))
                    f(maps_at<B>());
            });
    }

    /// In a row, or in a list of edits.
    template <std::size_t Index, class Row>
    void edit_few(Row& r, const context& x) const noexcept {
        const auto& stage = std::get<Index>(stages_);
        if constexpr (requires { stage.change(r, x, kept<Index>()); }) {
            stage.change(r, x, kept<Index>());
        } else if constexpr (requires { stage.change(r, x); }) {
            stage.change(r, x);
        } else if constexpr (requires { stage.edits(); }) {
            for (const auto& entry : stage.edits()) r.edit(entry.token, logit_edit::adding(flushed(entry.bias)));
        }
    }
    template <std::size_t Index>
    const auto& kept() const noexcept {
        return std::as_const(std::get<Index>(kept_));
    }
    template <std::size_t Index>
    draws random_of(const draw_position& position) const noexcept {
        using S = std::tuple_element_t<Index, std::tuple<Stages...>>;
        constexpr std::uint8_t occurrence = [] {
            constexpr std::array<std::uint8_t, count> kinds{detail::kind_of<Stages>()...};
            std::uint8_t n = 0;
            for (std::size_t j = 0; j < Index; ++j)
                n = std::uint8_t(n + (fact_table[j].draws && kinds[j] == kinds[Index]));
            return n;
        }();
        std::uint64_t seed = 0;
        if constexpr (requires(const S& s) { std::uint64_t(s.seed); })
            seed = std::uint64_t(std::get<Index>(stages_).seed);
        return {seed, position, stream_of(detail::kind_of<S>(), std::uint8_t(earlier_ + occurrence))};
    }
    std::tuple<Stages...>& stages_;
    kept_states& kept_;
    saved_state* ring_;
    std::uint8_t earlier_;
};

}  // namespace riffle
