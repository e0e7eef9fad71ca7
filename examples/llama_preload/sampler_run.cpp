#include "sampler_run.hpp"

#include <algorithm>
#include <utility>

#include "facade.hpp"
#include "function_table.hpp"
#include "llama_library.hpp"
#include "report.hpp"

namespace preload {
namespace {

sampler_run& run_of(const llama_sampler* s) { return *static_cast<sampler_run*>(s->ctx); }

const char* name(const llama_sampler*) { return "riffle"; }
void accept(llama_sampler* s, llama_token token) { run_of(s).accept(token); }
void apply(llama_sampler* s, llama_token_data_array* array) { run_of(s).apply(array); }
void reset(llama_sampler* s) { run_of(s).reset(); }
llama_sampler* clone(const llama_sampler* s) { return sampler_run::as_sampler(run_of(s).clone()); }
void free_run(llama_sampler* s) { delete &run_of(s); }
void copy_state(const llama_sampler* from, llama_sampler* to) { run_of(to).copy_state(run_of(from)); }

constexpr llama_sampler_i run_functions() {
    llama_sampler_i i{};
    i.name = name;
    i.accept = accept;
    i.apply = apply;
    i.reset = reset;
    i.clone = clone;
    i.free = free_run;
    i.copy_state = copy_state;
    return i;
}
constinit function_table functions{run_functions(), {}};

/// What riffle has not done as llama.cpp would: there were ids below 0.
bool is_refused(const llama_sampler* engine) {
    return riffle::llama::chain_of<exact_chain>(engine)->last_status().code() == riffle::status_code::bad_candidates;
}

}  // namespace

sampler_run::~sampler_run() {
    for (llama_sampler* each : samplers_) llama_sampler_free(each);
}

llama_sampler* sampler_run::as_sampler(std::unique_ptr<sampler_run> run) {
    return llama_sampler_init(&functions.known, run.release());
}
sampler_run* sampler_run::in(const llama_sampler* sampler) {
    return sampler && sampler->iface == &functions.known ? &run_of(sampler) : nullptr;
}

// --- which samplers --------------------------------------------------------------------------------------------------

bool sampler_run::append(llama_sampler* facade) {
    if (!pushed_) pushed_ = chain_of_links();
    const sampler_link& link = link_of(facade);
    if (link.setup().has_stage()) link.setup().push(*pushed_, link.seed());
    if (!pushed_->last_status().ok()) {
        is_full_ = true;
        forget_engine();
        return false;
    }
    engine_.reset();
    set_run(facade, this);
    samplers_.push_back(facade);
    return true;
}

llama_sampler* sampler_run::remove(std::size_t i) {
    if (is_used_) dissolve();
    forget_engine();
    llama_sampler* const taken = samplers_[i];
    samplers_.erase(samplers_.begin() + std::ptrdiff_t(i));
    if (!is_dissolved_) set_run(taken, nullptr);
    return taken;
}

std::vector<llama_sampler*> sampler_run::release() {
    dissolve();
    return std::exchange(samplers_, {});
}

exact_chain sampler_run::chain_of_links() const {
    exact_chain made;
    for (const llama_sampler* each : samplers_) {
        const sampler_link& link = link_of(each);
        if (link.setup().has_stage()) link.setup().push(made, link.seed());
    }
    return made;
}

void sampler_run::forget_engine() {
    pushed_.reset();
    engine_.reset();
}

/// Where one sampler does all the work, and llama.cpp's is as quick, nothing is gained by copying the candidates.
bool sampler_run::is_left_to_llama() const noexcept {
    std::size_t cheap = 0, others = 0;
    for (const llama_sampler* each : samplers_) {
        const sampler_cost cost = link_of(each).setup().cost;
        if (cost == sampler_cost::not_for_riffle) return true;
        cheap += cost == sampler_cost::cheap_alone;
        others += cost == sampler_cost::usual;
    }
    return others == 0 && cheap <= 1;
}

std::int32_t sampler_run::last_n() const noexcept {
    std::int32_t most = 0;
    for (const llama_sampler* each : samplers_) most = std::max(most, link_of(each).setup().last_n);
    return most;
}

// --- what they do ----------------------------------------------------------------------------------------------------

bool sampler_run::is_at_work() {
    is_used_ = true;
    if (is_dissolved_) return false;
    if (engine_) return true;
    if (is_left_to_llama()) {
        for (const llama_sampler* each : samplers_) note_left_to_llama(each);
        return dissolve(), false;
    }
    if (!pushed_) pushed_ = chain_of_links();
    engine_.reset(riffle::llama::make_sampler(std::move(*pushed_)));
    pushed_.reset();
    if (!engine_) dissolve();
    return engine_ != nullptr;
}

void sampler_run::accept(llama_token token) {
    if (token < 0) dissolve();  // which a window of llama.cpp's has a place for
    if (is_at_work()) {
        accepted_.push(token, last_n());
        return llama_sampler_accept(engine_.get(), token);
    }
    for (llama_sampler* each : samplers_) llama_sampler_accept(each, token);
}

void sampler_run::apply(llama_token_data_array* candidates) {
    if (candidates->size == 0) dissolve();  // each sampler of llama.cpp's has its own idea of what that leaves
    if (!is_at_work()) return apply_one_by_one(candidates);
    const llama_token_data_array given = *candidates;
    const llama_token_data first = given.data[0];
    timed_step measured;
    llama_sampler_apply(engine_.get(), candidates);
    measured.is_done(*this, sampled_from::candidates);
    if (!is_refused(engine_.get())) return;
    given.data[0] = first;
    *candidates = given;
    dissolve();
    apply_one_by_one(candidates);
}
void sampler_run::apply_one_by_one(llama_token_data_array* candidates) {
    for (llama_sampler* each : samplers_) llama_sampler_apply(each, candidates);
}

llama_token sampler_run::peek(llama_context* context, std::int32_t index) {
    if (!is_at_work()) return -1;
    timed_step measured;
    const llama_token token = riffle::llama::peek<exact_chain>(engine_.get(), context, index);
    if (token >= 0) measured.is_done(*this, sampled_from::context);
    return token;
}

void sampler_run::reset() {
    is_used_ = false;
    accepted_.clear();
    bool has_new_seed = false;
    for (llama_sampler* each : samplers_) {
        if (is_dissolved_) llama_sampler_reset(each);
        else has_new_seed |= link_of(each).reset();
    }
    if (has_new_seed) forget_engine();
    else if (engine_) llama_sampler_reset(engine_.get());
}

std::unique_ptr<sampler_run> sampler_run::clone() const {
    const calling_llama their_constructors;
    auto made = std::make_unique<sampler_run>();
    for (const llama_sampler* each : samplers_) {
        made->samplers_.push_back(is_dissolved_ ? llama_sampler_clone(each) : new_facade(link_of(each).clone()));
        if (!is_dissolved_) set_run(made->samplers_.back(), made.get());
    }
    made->accepted_ = accepted_;
    made->is_used_ = is_used_;
    made->is_full_ = is_full_;
    made->is_dissolved_ = is_dissolved_;
    if (engine_) made->engine_.reset(llama_sampler_clone(engine_.get()));
    return made;
}

void sampler_run::copy_state(sampler_run& from) {
    const calling_llama their_constructors;
    if (is_dissolved_ != from.is_dissolved_) {
        dissolve();
        from.dissolve();
    }
    for (std::size_t i = 0; i < std::min(samplers_.size(), from.samplers_.size()); ++i) {
        if (is_dissolved_) RIFFLE_THEIRS(llama_sampler_copy)(from.samplers_[i], samplers_[i]);
        else link_of(samplers_[i]).copy_state(link_of(from.samplers_[i]));
    }
    accepted_ = from.accepted_;
    is_used_ = from.is_used_;
    if (from.engine_ && engine_) RIFFLE_THEIRS(llama_sampler_copy)(from.engine_.get(), engine_.get());
    else forget_engine();
    if (from.engine_ && !engine_) engine_.reset(llama_sampler_clone(from.engine_.get()));
}

// --- and what becomes of them ----------------------------------------------------------------------------------------

void sampler_run::dissolve() {
    if (is_dissolved_) return;
    if (engine_) catch_up();
    is_dissolved_ = true;
    for (llama_sampler* each : samplers_) become_theirs(each);
    forget_engine();
}

void sampler_run::catch_up() {
    note_dissolved();
    const auto stages = riffle::llama::chain_of<exact_chain>(engine_.get())->view();
    std::size_t stage = 0;
    for (const llama_sampler* each : samplers_) {
        const sampler_link& link = link_of(each);
        for (const llama_token token : accepted_.tokens()) llama_sampler_accept(link.original(), token);
        if (!link.setup().has_stage()) continue;
        if (link.setup().catch_up && !link.setup().catch_up(link.original(), stages[stage], link.seed()))
            note_begun_anew();
        ++stage;
    }
}

}  // namespace preload
