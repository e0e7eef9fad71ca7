#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <riffle/chain/stage_contract.hpp>
#include <riffle/chain/stage_ops.hpp>
#include <riffle/chain/stage_state.hpp>
#include <riffle/chain/stage_type.hpp>
#include <riffle/chain/stage_verbs.hpp>
#include <riffle/chain/superset_facts.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/fused_maps.hpp>
#include <riffle/wide/mass.hpp>
#include <riffle/wide/pick.hpp>
#include <riffle/wide/rewrite.hpp>
#include <riffle/wide/softmax.hpp>

// The functions of a stage's table, and the table: as long as there are things to ask of a stage, a line or two each.

namespace riffle::inline RIFFLE_ABI::detail {

template <class S>
constexpr const char* name_of() {
    if constexpr (requires { S::name; }) return S::name;
    else return "stage";
}

/// The number of a drawing stage's stream.
template <class S>
constexpr std::uint8_t kind_of() {
    if constexpr (has_built_in_facts<S> && requires { S::kind; }) return S::kind;
    else return stream_kind::user;
}

/// Has token ids among its parameters.
template <class S>
concept checks_at_setup = requires(const S& s, const id_check& known) { s.check_at_setup(known); };

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

/// The edits of a stage of type S (not under numerics::llama): in a row, or in a list for a machine that has the row
/// elsewhere.
template <class S, class Row>
void edit_few(const stage_ref& s, Row& r, const context& x) noexcept {
    const S& spec = *static_cast<const S*>(s.spec);
    if constexpr (has_state<S> && requires(const state_of<S>& kept) { spec.change(r, x, kept); }) {
        spec.change(r, x, *static_cast<const state_of<S>*>(s.state));
    } else if constexpr (requires { spec.change(r, x); }) {
        spec.change(r, x);
    } else {
        for (const auto& entry : spec.edits()) r.edit(entry.token, logit_edit::adding(flushed(entry.bias)));
    }
}

/// What is wrong with a stage's parameters.
template <class S>
status checked(const S& stage) noexcept {
    if constexpr (requires { (stage.check)(); }) return (stage.check)();
    else return {};
}

/// What stage S answers in chains with these policies.
template <class Policies, class S>
struct stage_functions {
    using kept = stage_state<Policies, S>;
    static constexpr facts fact = facts_of<S>();
    static constexpr bool proves_monotone = RIFFLE_DEBUG && !has_built_in_facts<S> && fact.monotone;
    static constexpr bool has_check = proves_monotone || requires(const S& s) { (s.check)(); };

    static const S& spec(const stage_ref& s) noexcept { return *static_cast<const S*>(s.spec); }
    static S& spec_to_change(const stage_ref& s) noexcept { return *static_cast<S*>(s.spec); }
    static typename kept::type& state_to_change(const stage_ref& s) noexcept {
        return *static_cast<typename kept::type*>(s.state);
    }
    static const typename kept::type& state(const stage_ref& s) noexcept { return state_to_change(s); }

    static status(check)(const stage_ref& s) noexcept {
        const status of_parameters = checked(spec(s));
        if constexpr (proves_monotone)
            if (of_parameters.ok() && falls_somewhere(spec(s)))
                return status::failed(status_code::not_monotone, name_of<S>());
        return of_parameters;
    }
    static status check_at_setup(const stage_ref& s, const id_check& known) noexcept {
        return spec(s).check_at_setup(known);
    }
    static std::int32_t window(const stage_ref& s) noexcept { return spec(s).window(); }
    static byte_set expected_bytes(const stage_ref& s) noexcept { return spec(s).expected_bytes(); }
    static status_code narrow(const stage_ref& s, candidates& c, const context& x) noexcept {
        if constexpr (fact.needs_sorted) c.sort();
        if constexpr (fact.needs_p) c.normalise();
        if constexpr (fact.draws) narrow_by(spec(s), state(s), c, x, random(s, x.at()));
        else narrow_by(spec(s), state(s), c, x, draws(0, {}, 0));
        if constexpr (!fact.keeps_sorted) c.sorted = false;
        return status_code::ok;
    }

    static void edit(const stage_ref& s, detail::row& r, const context& x) noexcept {
        if constexpr (fact.edits) {
            edit_few<S>(s, r, x);
        } else {
            for (std::size_t id = 0; id < r.size(); ++id)
                r.edit(token_id(id), [&](float logit) { return biased(logit, spec(s).bias(token_id(id))); });
        }
    }
    static void rewrite(const stage_ref& s, detail::row& r) noexcept { wide::rewrite(r, fused_maps<S>(spec(s))); }
    static float map(const stage_ref& s, float logit) noexcept { return fused_maps<S>(spec(s)).one(logit); }
    static bool adjusts_now(const stage_ref& s, const draw_position& at) noexcept {
        if constexpr (requires { spec(s).adjusts_now(random(s, at)); }) return spec(s).adjusts_now(random(s, at));
        else if constexpr (requires { spec(s).adjusts_now(); }) return spec(s).adjusts_now();
        else return true;
    }
    static void adjust(const stage_ref& s, detail::row& r, const float* block_maxima, float maximum) noexcept {
        const float cut = wide::raw_cut((std::max)(maximum - mass_range, -greatest_logit));
        const softmax_statistics of_row =
            wide::find_softmax<fact.softmax_parts>(r, block_maxima, cut, -greatest_logit, fused_maps<>{}, maximum);
        if constexpr (has_measured_map<S>) wide::rewrite(r, bound_map<S>(spec(s), of_row));
        else spec(s).adjust(r, block_maxima, of_row);
    }

    static bool narrows_now(const stage_ref& s) noexcept { return spec(s).narrows_now(); }
    static std::size_t rank(const stage_ref& s) noexcept { return spec(s).rank(); }
    static std::size_t keeps_at_least(const stage_ref& s) noexcept { return spec(s).keeps_at_least(); }
    static float cut(const stage_ref& s, float maximum, const moments& m) noexcept {
        if constexpr (cuts_by_deviation<S>) return spec(s).cut(maximum, m);
        else return canonical(spec(s).cut(maximum));
    }
    static std::uint64_t target(const stage_ref& s, std::uint64_t total, const context& x) noexcept {
        if constexpr (cuts_by_mass_and_context<S>) return spec(s).target(total, x);
        else return spec(s).target(total);
    }
    static float cut_by_softmax(const stage_ref& s, const softmax_statistics& of_row) noexcept {
        if constexpr (cuts_by_likelihood_and_state<S>) return spec(s).cut(of_row, state(s));
        else return spec(s).cut(of_row);
    }
    static bool keep(const stage_ref& s, candidates& c, const softmax_statistics& of_row, float floor) noexcept {
        return spec(s).keep(c, of_row, floor);
    }
    static std::size_t rank_of_head(const stage_ref& s, const softmax_statistics& of_row, candidates& head) noexcept {
        return spec(s).rank(of_row, head, state(s));
    }
    static legal_tokens legal(const stage_ref& s, const context& x) noexcept { return legal_of(spec(s), state(s), x); }

    static draws random(const stage_ref& s, const draw_position& at) noexcept {
        std::uint64_t seed = 0;
        if constexpr (requires { std::uint64_t(spec(s).seed); }) seed = std::uint64_t(spec(s).seed);
        return {seed, at, stream_of(kind_of<S>(), s.occurrence)};
    }
    static void prepare(const stage_ref& s, candidates& c) noexcept {
        if constexpr (prepares_by_state<S>) spec(s).prepare(c, state(s));
        else spec(s).prepare(c);
    }
    static void choose(const stage_ref& s, candidates& c, const context& x) noexcept {
        spec(s).choose(c, random(s, x.at()), state(s));
    }
    static std::uint64_t weigh(const stage_ref& s, candidates& c, softmax_statistics& of_all) noexcept {
        of_all = softmax_of(c);
        return spec(s).weigh(c, of_all, state(s));
    }
    static token_data shaped(const stage_ref& s, const softmax_statistics& of_all, token_id token,
                             float logit) noexcept {
        const auto shape = spec(s).shape(of_all, state(s));
        return {token, shape(lanes<1>(logit))[0], shape.probability(lanes<1>(logit))[0]};
    }
    /// The maps of a row, and behind them what the selector makes of the logits.
    template <class Maps>
    static auto reshaped_behind(const stage_ref& s, const Maps& maps, const softmax_statistics& of_row) noexcept {
        return wide::reshaped(maps, spec(s).shape(of_row, state(s)));
    }
    static wide::shaped_mass shaped_mass(const stage_ref& s, const detail::row& r, const float* block_maxima,
                                         const softmax_statistics& of_row, std::uint64_t* masses) noexcept {
        return wide::find_shaped_mass(r, block_maxima, reshaped_behind(s, fused_maps<>{}, of_row), masses);
    }
    static void weigh_shaped(const stage_ref& s, const softmax_statistics& of_row, const float* logits,
                             std::size_t count, float maximum, std::uint32_t* weights) noexcept {
        wide::weigh_logits(logits, count, reshaped_behind(s, fused_maps<>{}, of_row), maximum, weights);
    }

    static status can_accept(const stage_ref& s, token_id token, token_origin origin, const history& tokens) noexcept {
        if constexpr (asks_by_state<S>) return spec(s).can_accept(state(s), token, tokens);
        else if constexpr (asks_with_origin<S>) return spec(s).can_accept(token, origin);
        else return spec(s).can_accept(token);
    }
    /// Whether its accept answers a step, of which a failure refuses the token. (riffle's own stages take every token
    /// that they are not asked about.)
    static constexpr bool may_refuse = !has_built_in_facts<S> && answers_a_step<S>;
    static step accept(const stage_ref& s, token_id token, const last_choice* last, const history& tokens) noexcept {
        if constexpr (has_built_in_facts<S> && has_state<S>) {
            if constexpr (learns_from_history<S>) return spec(s).accept(state_to_change(s), token, last, tokens);
            else return spec(s).accept(state_to_change(s), token, last);
        } else {
            const auto take = [&] {
                if constexpr (accepts_with_origin<S>)
                    return spec_to_change(s).accept(token, last ? token_origin::generated : token_origin::prompt);
                else return spec_to_change(s).accept(token);
            };
            if constexpr (answers_a_step<S>) return take();
            else return take(), step();
        }
    }
    static void reset(const stage_ref& s) noexcept { kept::reset(spec_to_change(s), state_to_change(s)); }
    static void fork(const stage_ref& s, std::uint16_t sequence) noexcept {
        kept::fork(spec_to_change(s), state_to_change(s), sequence);
    }
    static void save(const stage_ref& s, std::byte* to) noexcept { kept::save(spec(s), state(s), to); }
    static status restore(const stage_ref& s, const std::byte* from) noexcept {
        const bool went_back = kept::restore(spec_to_change(s), state_to_change(s), from);
        return went_back ? status() : status::failed(status_code::stage_stuck, name_of<S>());
    }

    static std::size_t numbers_beside_mark(const stage_ref& s) noexcept { return state(s).numbers(); }
    static void write(const stage_ref& s, file_writer& to) noexcept { state(s).write(to); }
    static bool read(const stage_ref& s, const bytes_of_file& from, bool changes) noexcept {
        return state_to_change(s).read(from, changes);
    }

    static bool does_nothing(const stage_ref& s) noexcept { return riffle::does_nothing(spec(s)); }
    static bool keeps_below(const stage_ref& s) noexcept { return riffle::keeps_below(spec(s)); }
    static std::size_t superset(const stage_ref& s) noexcept { return riffle::superset_for(spec(s)); }
};

/// Whether a chain's plans write the maps of its stages out, each in a pass of its own.
enum class maps_written_out : bool { no, yes };

/// What the passes over a row ask.
template <class Policies, class S, maps_written_out Written>
constexpr void add_row_functions(stage_ops& ops) {
    using functions = stage_functions<Policies, S>;
    constexpr facts f = facts_of<S>();
    if constexpr (f.edits || f.dense_edits) ops.edit = functions::edit;
    if constexpr (f.maps && Written == maps_written_out::yes) {
        ops.rewrite = functions::rewrite;
        ops.map = functions::map;
    }
    if constexpr (f.adjusts) {
        ops.adjusts_now = functions::adjusts_now;
        ops.adjust = functions::adjust;
    }
    if constexpr (f.narrows == narrowing::rank || f.narrows == narrowing::head) ops.rank = functions::rank;
    if constexpr (says_how_many_it_keeps_at_least<S>) ops.keeps_at_least = functions::keeps_at_least;
    if constexpr (f.narrows == narrowing::threshold || f.narrows == narrowing::deviation) ops.cut = functions::cut;
    if constexpr (f.narrows == narrowing::mass) ops.target = functions::target;
    if constexpr (f.narrows == narrowing::likelihood) ops.cut_by_softmax = functions::cut_by_softmax;
    if constexpr (f.narrows == narrowing::searched) ops.keep = functions::keep;
    if constexpr (f.narrows == narrowing::head) ops.rank_of_head = functions::rank_of_head;
    if constexpr (f.masks) ops.legal = functions::legal;
    if constexpr (f.selects != selecting::no && chooses<S>) ops.choose = functions::choose;
    if constexpr (f.selects == selecting::by_own_distribution) {
        ops.weigh = functions::weigh;
        ops.shaped = functions::shaped;
        ops.shaped_mass = functions::shaped_mass;
        ops.weigh_shaped = functions::weigh_shaped;
    }
}
/// What happens to its state; but for accept, where another does that.
template <class Policies, class S, bool IsAccepted = false>
constexpr void add_state_functions(stage_ops& ops) {
    using functions = stage_functions<Policies, S>;
    using kept = stage_state<Policies, S>;
    ops.state_in_mark = kept::saved;
    ops.layout = layout_of<S>(kept::saved);
    if constexpr (asks_plainly<S> || asks_with_origin<S> || asks_by_state<S>) ops.can_accept = functions::can_accept;
    if constexpr (kept::changes && !IsAccepted) ops.accept = functions::accept;
    if constexpr (kept::changes) ops.may_refuse = functions::may_refuse;
    if constexpr (kept::changes || has_reset<S>) ops.reset = functions::reset;
    if constexpr (kept::has_generator) ops.fork = functions::fork;
    if constexpr (kept::saved > 0) {
        ops.save = functions::save;
        ops.restore = functions::restore;
        ops.is_read_again = kept::is_read_again;
    }
    if constexpr (keeps_more_than_its_mark<typename kept::type>) {
        ops.numbers_beside_mark = functions::numbers_beside_mark;
        ops.write = functions::write;
        ops.read = functions::read;
    }
}
template <class Policies, class S>
constexpr void add_superset_functions(stage_ops& ops) {
    using functions = stage_functions<Policies, S>;
    ops.does_nothing = functions::does_nothing;
    ops.keeps_below = functions::keeps_below;
    if constexpr (gives_superset<S>) ops.superset = functions::superset;
}
/// What everybody asks.
template <class Policies, class S>
constexpr void add_facts(stage_ops& ops) {
    using functions = stage_functions<Policies, S>;
    constexpr facts f = facts_of<S>();
    ops.name = name_of<S>();
    ops.is_named = requires { S::name; };
    ops.fact = f;
    ops.type = type_of<S>;
    ops.kind = kind_of<S>();
    if constexpr (functions::has_check) ops.check = functions::check;
    if constexpr (checks_at_setup<S>) ops.check_at_setup = functions::check_at_setup;
    if constexpr (has_window<S>) ops.window = functions::window;
    if constexpr (expects_bytes<S>) ops.expected_bytes = functions::expected_bytes;
    if constexpr (f.narrows != narrowing::no && !f.masks) ops.narrows_now = functions::narrows_now;
    if constexpr (f.draws) ops.random = functions::random;
    if constexpr (has_distribution_of_its_own<S>) ops.prepare = functions::prepare;
}

/// Makes the table of a stage in chains with these policies. (exact/stage_functions.hpp has the one of
/// numerics::llama.)
template <class Policies>
struct stage_ops_maker;
template <class Policies>
    requires(Policies::arithmetic != numerics::llama)
struct stage_ops_maker<Policies> {
    template <class S, maps_written_out Written>
    static constexpr stage_ops make() {
        using functions = stage_functions<Policies, S>;
        stage_ops ops;
        add_facts<Policies, S>(ops);
        ops.narrow = functions::narrow;
        if constexpr (prepares_by_state<S>) ops.prepare = functions::prepare;
        add_row_functions<Policies, S, Written>(ops);
        add_state_functions<Policies, S>(ops);
        add_superset_functions<Policies, S>(ops);
        return ops;
    }
    /// What is wrong with the stage's parameters.
    template <class S>
    static status(check)(const S& stage) noexcept {
        return checked(stage);
    }
};

/// The table of stage S in chains with these policies.
template <class Policies, class S, maps_written_out Written>
RIFFLE_LOCAL inline constexpr stage_ops ops_of = stage_ops_maker<Policies>::template make<S, Written>();

}  // namespace riffle::detail
