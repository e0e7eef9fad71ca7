#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/chain/chain_interface.hpp>
#include <riffle/chain/chain_rules.hpp>
#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_type.hpp>
#include <riffle/chain/typed_table.hpp>

namespace riffle::inline RIFFLE_ABI {

/// One stage behind a pointer: a table of its own, of one stage.
class any_stage {
public:
    virtual ~any_stage() = default;
    [[nodiscard]] virtual any_stage* clone() const = 0;
    /// `earlier` stages of the same kind stand ahead of it.
    virtual void place(std::uint8_t earlier) noexcept = 0;
    virtual stage_table& table() noexcept = 0;
    virtual std::uint8_t kind() const noexcept = 0;
    virtual std::size_t saved_bytes() const noexcept = 0;
    /// Whether what is accepted changes it, and whether it has a window.
    virtual bool learns() const noexcept = 0;
    virtual bool looks_back() const noexcept = 0;
    /// Its type, to be compared with type_of<S>() (chain/stage_type.hpp).
    virtual const detail::stage_type& type() const noexcept = 0;
};

template <class Policies, class S>
class any_stage_of final : public any_stage {
    static_assert(detail::chain_is_well_formed<Policies, S>());

public:
    explicit any_stage_of(S stage) noexcept(std::is_nothrow_move_constructible_v<S>)
        : stage_(std::move(stage)), kept_(typed_table<Policies, S>::begin(stage_)), table_(stage_, kept_, nullptr) {}
    any_stage_of(const any_stage_of& other)
        : stage_(other.stage_), kept_(other.kept_), table_(stage_, kept_, nullptr, other.earlier_),
          earlier_(other.earlier_) {}
    any_stage_of& operator=(const any_stage_of&) = delete;

    any_stage* clone() const override { return new (std::nothrow) any_stage_of(*this); }
    void place(std::uint8_t earlier) noexcept override {
        earlier_ = earlier;
        table_.place(earlier);
    }
    stage_table& table() noexcept override { return table_; }
    std::uint8_t kind() const noexcept override { return detail::kind_of<S>(); }
    std::size_t saved_bytes() const noexcept override { return detail::keeper<Policies, S>::saved; }
    bool learns() const noexcept override { return detail::keeper<Policies, S>::changes; }
    bool looks_back() const noexcept override { return has_window<S>; }
    const detail::stage_type& type() const noexcept override { return detail::type_of<S>(); }
    S& spec() noexcept { return std::get<0>(stage_); }

private:
    std::tuple<S> stage_;
    typename typed_table<Policies, S>::kept_states kept_;
    typed_table<Policies, S> table_;
    std::uint8_t earlier_ = 0;
};

/// The table of stages put together at run time. It has the same facts and asks the same function for its plans; maps
/// are not folded into exp but written out first, as the plan says. One virtual call a stage and pass.
template <class Policies>
class dynamic_table final : public stage_table {
    static constexpr bool as_peer = Policies::arithmetic == numerics::llama;

public:
    dynamic_table() = default;
    // delegates, so that what was pushed is freed on a throw
    dynamic_table(const dynamic_table& other) : dynamic_table() {
        for (auto* s : other.stages_) push(s->clone());
        ring_ = other.ring_;
        if (state_.ok()) state_ = other.state_;  // a stage that could not be cloned stays known
    }
    dynamic_table(dynamic_table&& other) noexcept { swap(other); }
    /// Copies first: where a stage's copy throws, nothing has changed. (Two operators and not one that takes a value:
    /// of such a one compilers would deduce that assigning a chain throws nothing.)
    dynamic_table& operator=(const dynamic_table& other) {
        dynamic_table copy(other);
        swap(copy);
        return *this;
    }
    dynamic_table& operator=(dynamic_table&& other) noexcept {
        dynamic_table taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~dynamic_table() {
        for (auto* s : stages_) delete s;
    }

    /// Appends a stage, which it owns from now on. A stage after a selector, one too many or one that keeps too much is
    /// not taken; from then on every step answers the status given here. Where this throws, nothing has changed.
    status push(any_stage* s) {
        if (s == nullptr) return state_ = status_code::out_of_memory;
        owner one{s};
        return take(&one.held, 1);
    }
    /// Takes all stages of another table as push takes one, or none.
    status append(dynamic_table more) {
        if (!more.state_.ok()) return state_ = more.state_;
        return take(more.stages_.data(), more.stages_.size());
    }
    any_stage& at(std::size_t i) noexcept { return *stages_[i]; }

    bool as_llama() const noexcept override { return as_peer; }
    std::size_t spare_bytes(std::size_t row_size) const noexcept override {
        std::size_t most = 0;
        for (std::size_t i = 0; i < size(); ++i) most = (std::max)(most, one(i).spare_bytes(row_size));
        return most;
    }

    std::size_t size() const noexcept override { return stages_.size(); }
    const char* name(std::size_t i) const noexcept override { return one(i).name(0); }
    const facts& fact(std::size_t i) const noexcept override { return facts_[i]; }
    const plan& plan_for(std::size_t bridge) const noexcept override {
        return bridge < plans_.size() ? plans_[bridge] : of_no_stages;
    }
    status (check)() const noexcept override {
        if (!state_.ok()) return state_;
        for (std::size_t i = 0; i < size(); ++i)
            if (const status s = (one(i).check)(); !s.ok()) return s;
        return {};
    }
    status check_ids(std::size_t vocabulary_size) const noexcept override {
        for (std::size_t i = 0; i < size(); ++i)
            if (const status s = one(i).check_ids(vocabulary_size); !s.ok()) return s;
        return {};
    }
    std::size_t bridge(std::size_t row_size, std::size_t first) const noexcept override {
        for (std::size_t i = first; i < size(); ++i)
            if (one(i).bridge(row_size, 0) == 0) return i;
        return size();
    }
    std::int32_t window() const noexcept override {
        std::int32_t longest = 0;
        each_of(look_back_, [&](std::size_t i) {
            if (const auto w = one(i).window(); longest >= 0 && (w < 0 || w > longest)) longest = w;
        });
        return longest;
    }
    std::size_t rank(std::size_t i) const noexcept override { return one(i).rank(0); }
    std::size_t keeps_at_least(std::size_t i) const noexcept override { return one(i).keeps_at_least(0); }
    float cut(std::size_t i, float maximum, const moments& m) const noexcept override {
        return one(i).cut(0, maximum, m);
    }
    std::uint64_t target(std::size_t i, std::uint64_t total, const context& x) const noexcept override {
        return one(i).target(0, total, x);
    }
    float cut(std::size_t i, const law& of_row) const noexcept override { return one(i).cut(0, of_row); }
    bool keep(std::size_t i, candidates& c, const law& of_row, float floor) const noexcept override {
        return one(i).keep(0, c, of_row, floor);
    }
    std::size_t rank(std::size_t i, const law& of_row, candidates& head) const noexcept override {
        return one(i).rank(0, of_row, head);
    }
    std::span<const std::uint32_t> legal_words(std::size_t i) const noexcept override { return one(i).legal_words(0); }
    draws random(std::size_t i, const draw_position& at) const noexcept override { return one(i).random(0, at); }
    void edit(std::size_t i, row& r, const context& x) const noexcept override { one(i).edit(0, r, x); }
    bool edit(std::size_t i, edit_list& edits, const context& x) const noexcept override {
        return one(i).edit(0, edits, x);
    }
    void rewrite(std::size_t i, row& r) const noexcept override { one(i).rewrite(0, r); }
    bool adjusts_now(std::size_t i, const context& x) const noexcept override { return one(i).adjusts_now(0, x); }
    void adjust(std::size_t i, row& r, const float* peaks, float maximum) const noexcept override {
        one(i).adjust(0, r, peaks, maximum);
    }

    float map(std::size_t bridge, float logit) const noexcept override {
        token_data token{0, logit, 0.0f};
        map(bridge, {&token, 1});
        return token.logit;
    }
    void map(std::size_t bridge, std::span<token_data> tokens) const noexcept override {
        const history nothing;
        const context x(nothing, {}, nullptr, nullptr);  // a map looks at nothing but its logit
        candidates c{tokens.data(), tokens.size(), -1, false};
        for (std::size_t i = plans_[bridge].pending; i < bridge; ++i)
            if (facts_[i].maps) one(i).narrow(0, 1, c, x);
    }
    float preimage(std::size_t bridge, float target, float known) const noexcept override {
        return wide::preimage([&](float l) { return map(bridge, l); }, target, known);
    }
    // Whatever these passes read has no maps pending: folding::no wrote them out.
    std::uint64_t mass(std::size_t, const row& r, const float* peaks, float cut, float maximum,
                       std::uint64_t* masses) const noexcept override {
        return wide::find_mass<Policies::arithmetic == numerics::fast>(r, peaks, cut, fold<>{}, maximum, masses);
    }
    wide::split_mass mass(std::size_t, const row& r, const float* peaks, float cut, const wide::band& raw,
                          float maximum, std::uint64_t* masses, wide::band_tokens& tokens) const noexcept override {
        return wide::find_split_mass(r, peaks, cut, raw, fold<>{}, maximum, masses, tokens);
    }
    void mass_by_bucket(std::size_t, const row& r, const float* peaks, float cut, float maximum,
                        const wide::buckets& by, std::uint64_t* bins) const noexcept override {
        wide::mass_by_bucket(r, peaks, cut, fold<>{}, by, maximum, bins);
    }
    law find_law(std::size_t, const row& r, const float* peaks, float cut, float legal_cut,
                 float maximum) const noexcept override {
        return wide::find_law(r, peaks, cut, legal_cut, fold<>{}, maximum);
    }
    moments find_moments(std::size_t, const row& r, const float* peaks, float maximum) const noexcept override {
        return wide::find_moments(r, peaks, fold<>{}, maximum);
    }
    wide::picked pick_by_mass(std::size_t, const row& r, const std::uint64_t* masses, std::uint64_t target,
                              float maximum) const noexcept override {
        return wide::pick_by_mass(r, masses, target, fold<>{}, maximum);
    }
    token_id pick_by_noise(std::size_t, const row& r, const float* peaks, float maximum,
                           const draws& noise) const noexcept override {
        return wide::pick_by_noise(r, peaks, fold<>{}, maximum, noise);
    }
    token_data pick_by_shape(std::size_t bridge, const row& r, const float* peaks, const law& of_row,
                             std::uint64_t* masses, const draws& random) const noexcept override {
        return one(bridge).pick_by_shape(0, r, peaks, of_row, masses, random);
    }
    bool takes_row(std::size_t i) const noexcept override { return one(i).takes_row(0); }
    exact::row_answer apply_to_row(std::size_t i, wide::llama_row& r, candidates& found,
                                   const context& x) const noexcept override {
        return one(i).apply_to_row(0, r, found, x);
    }
    void prepare(std::size_t i, candidates& c) const noexcept override { one(i).prepare(0, c); }
    void choose(std::size_t i, candidates& c, const context& x) const noexcept override { one(i).choose(0, c, x); }
    status_code narrow(std::size_t first, std::size_t last, candidates& c, const context& x) const noexcept override {
        for (std::size_t i = first; i < last; ++i)
            if (const auto code = one(i).narrow(0, 1, c, x); code != status_code::ok) return code;
        return status_code::ok;
    }

    step accept(token_id token, const choice* last, const history& tokens) noexcept override {
        step all;
        each_of(learn_, [&](std::size_t i) { all.join(stages_[i]->table().accept(token, last, tokens)); });
        return all;
    }
    void reset() noexcept override {
        for (auto* s : stages_) s->table().reset();
    }
    void fork(std::uint16_t sequence) noexcept override {
        for (auto* s : stages_) s->table().fork(sequence);
    }
    std::uint32_t layout() const noexcept override {
        std::uint32_t hash = detail::no_types;
        for (auto* s : stages_) hash = detail::with_type(hash, s->type());
        return hash;
    }
    void save(saved_state& to) const noexcept override {
        std::size_t used = 0;
        for (auto* s : stages_) {
            saved_state part{};
            s->table().save(part);
            std::memcpy(to.data() + used, part.data(), s->saved_bytes());
            used += s->saved_bytes();
        }
    }
    void restore(const saved_state& from) noexcept override {
        std::size_t used = 0;
        for (auto* s : stages_) {
            saved_state part{};
            std::memcpy(part.data(), from.data() + used, s->saved_bytes());
            s->table().restore(part);
            used += s->saved_bytes();
        }
    }
    saved_state* ring() noexcept override { return ring_.empty() ? nullptr : ring_.data(); }

private:
    const stage_table& one(std::size_t i) const noexcept { return stages_[i]->table(); }
    struct owner {
        any_stage* held;
        ~owner() { delete held; }
    };
    /// Leaves null pointers where it has taken stages.
    status take(any_stage** more, std::size_t count) {
        // Whatever may throw comes first: then nothing has changed.
        std::vector<facts> all_facts = facts_;
        std::size_t saved = 0;
        bool in_order = true;
        for (const auto* s : stages_) saved += s->saved_bytes();
        for (std::size_t i = 0; i < count; ++i) {
            saved += more[i]->saved_bytes();
            in_order = in_order && (all_facts.empty() || all_facts.back().selects == selecting::no);
            all_facts.push_back(more[i]->table().fact(0));
        }
        if (!in_order || all_facts.size() > max_stages || saved > checkpoint::stage_bytes)
            return state_ = status_code::chain_malformed;
        std::vector<plan> plans;
        for (std::size_t bridge = 0; bridge <= all_facts.size(); ++bridge)
            plans.push_back(as_peer ? make_llama_plan(all_facts.size())
                                    : make_plan(all_facts.data(), all_facts.size(), bridge, folding::no));
        stages_.reserve(all_facts.size());
        if (saved > 0) ring_.resize(saved_states);  // the last of these: with a ring, rewind goes another way

        for (std::size_t i = 0; i < count; ++i) {
            more[i]->place(kinds_before(*more[i]));
            learn_ |= std::uint32_t{more[i]->learns()} << stages_.size();
            look_back_ |= std::uint32_t{more[i]->looks_back()} << stages_.size();
            stages_.push_back(std::exchange(more[i], nullptr));
        }
        facts_.swap(all_facts);
        plans_.swap(plans);
        return state_;
    }
    /// How many stages of its kind, which draw, are there already.
    std::uint8_t kinds_before(const any_stage& s) const noexcept {
        std::uint8_t count = 0;
        for (auto* other : stages_)
            count = std::uint8_t(count + (other->kind() == s.kind() && other->table().fact(0).draws));
        return count;
    }
    void swap(dynamic_table& other) noexcept {
        stages_.swap(other.stages_);
        facts_.swap(other.facts_);
        plans_.swap(other.plans_);
        ring_.swap(other.ring_);
        std::swap(learn_, other.learn_);
        std::swap(look_back_, other.look_back_);
        std::swap(state_, other.state_);
    }
    /// Calls visit(i) for each stage of a set: most have nothing to do when a token is accepted.
    template <class Visit>
    static void each_of(std::uint32_t set, Visit visit) noexcept {
        for (; set != 0; set &= set - 1) visit(std::size_t(std::countr_zero(set)));
    }

    std::vector<any_stage*> stages_;
    std::vector<facts> facts_;
    std::vector<plan> plans_;
    /// Also that of a malformed or moved-from chain.
    RIFFLE_LOCAL static constexpr plan of_no_stages = make_plan(nullptr, 0, 0, folding::no);
    std::vector<saved_state> ring_;
    static_assert(max_stages <= 32);
    std::uint32_t learn_ = 0, look_back_ = 0;  ///< the stages that do, a bit each
    status state_;
};

/// A chain whose stages and order are known only at run time: the same plans, passes and tokens as the pipeline of the
/// same stages, one virtual call a stage and pass. push may allocate, and is not for the hot path.
/// (A template so that including riffle does not compile it.)
template <class Policies>
class basic_dynamic_chain : public chain_interface<basic_dynamic_chain<Policies>> {
    static_assert(detail::has_its_arithmetic<Policies>(),
                  "riffle: numerics::llama needs #include <riffle/llama_exact.hpp>");

public:
    /// Appends a stage: `d.push(top_k{.k = 40})`. A stage behind a selector, or the 33rd, makes the chain answer
    /// chain_malformed; the first parameter without meaning is named here and by every step until it has one. Where
    /// there is no memory for the stage, the chain answers out_of_memory from then on, since that stage is missing;
    /// where there is none for its lists of stages, std::bad_alloc is thrown, and it is as it was.
    template <class S>
    status push(S stage) {
        // In a statement of its own: as an argument, clang 14 frees it once more where the call throws.
        auto* const made = new (std::nothrow) any_stage_of<Policies, S>(std::move(stage));
        stages_.push(made);
        return look_at_stages();
    }
    /// Appends the stages of another chain, with what they keep but without its history. All of them, or none: none
    /// where push would refuse one, or where `more` is a chain that has refused one. Otherwise as push.
    status append(basic_dynamic_chain more) {
        stages_.append(std::move(more.stages_));
        return look_at_stages();
    }
    /// The i-th stage, nullptr when there is none or it is of another type: d.get_if<top_k>(0)->k = 50.
    template <class S>
    S* get_if(std::size_t i) noexcept {
        if (i >= stages_.size() || stages_.at(i).type() != detail::type_of<S>()) return nullptr;
        return &static_cast<any_stage_of<Policies, S>&>(stages_.at(i)).spec();
    }

    /// (A const chain's table is only asked const questions.)
    stage_table& table() const noexcept { return const_cast<dynamic_table<Policies>&>(stages_); }
    chain_state& state() noexcept { return state_; }
    const chain_state& state() const noexcept { return state_; }

private:
    status look_at_stages() noexcept {
        state_.set_status((stages_.check)());
        state_.forget_saved_states();
        state_.save_as_llama(stages_);
        return state_.last_status();
    }

    dynamic_table<Policies> stages_;
    chain_state state_;
};

/// The one with the default policies; basic_dynamic_chain<fast> and <llama_exact> are the others.
using dynamic_chain = basic_dynamic_chain<reproducible>;

}  // namespace riffle
