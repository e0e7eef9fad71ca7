#include "sampler_run.hpp"

#include <utility>

#include "llama_library.hpp"
#include "report.hpp"

namespace preload {
namespace {

const auto seed_of_original = [](const llama_sampler* s) {
    static const auto get = original<decltype(llama_sampler_get_seed)>("llama_sampler_get_seed");
    return get(s);
};

/// What stands behind a facade.
struct facade_state {
    sampler_link link;
    std::unique_ptr<sampler_run> alone;  ///< a run of this link only, from the first use outside of a chain on
    bool is_in_run = false;

    /// The run that does the work where the program uses the facade itself.
    sampler_run& in_use();
};

facade_state& state_of(const llama_sampler* facade) { return *static_cast<facade_state*>(facade->ctx); }

llama_sampler_i make_facade_interface();
llama_sampler_i facade_interface = make_facade_interface();

bool is_facade(const llama_sampler* sampler) { return sampler && sampler->iface == &facade_interface; }

sampler_run& facade_state::in_use() {
    if (!alone) {
        alone = std::make_unique<sampler_run>();
        alone->append(new_facade(link.clone()));
    }
    return *alone;
}

llama_sampler_i make_facade_interface() {
    llama_sampler_i i{};
    i.name = [](const llama_sampler* s) { return llama_sampler_name(state_of(s).link.original.get()); };
    i.accept = [](llama_sampler* s, llama_token token) { state_of(s).in_use().accept(token); };
    i.apply = [](llama_sampler* s, llama_token_data_array* c) { state_of(s).in_use().apply(c); };
    i.reset = [](llama_sampler* s) { state_of(s).in_use().reset(); };
    i.clone = [](const llama_sampler* s) {
        llama_sampler* const made = new_facade(state_of(s).link.clone());
        if (state_of(s).alone) state_of(made).alone = state_of(s).alone->clone();
        return made;
    };
    i.free = [](llama_sampler* s) { delete &state_of(s); };
    i.copy_state = [](const llama_sampler* from, llama_sampler* to) {
        state_of(to).alone = state_of(from).alone ? state_of(from).alone->clone() : nullptr;
    };
    return i;
}

llama_sampler_i make_run_interface() {
    static const auto in = [](const llama_sampler* s) { return static_cast<sampler_run*>(s->ctx); };
    llama_sampler_i i{};
    i.name = [](const llama_sampler*) { return "riffle"; };
    i.accept = [](llama_sampler* s, llama_token token) { in(s)->accept(token); };
    i.apply = [](llama_sampler* s, llama_token_data_array* c) { in(s)->apply(c); };
    i.reset = [](llama_sampler* s) { in(s)->reset(); };
    i.clone = [](const llama_sampler* s) { return sampler_run::as_sampler(in(s)->clone()); };
    i.free = [](llama_sampler* s) { delete in(s); };
    i.copy_state = [](const llama_sampler* from, llama_sampler* to) { in(to)->copy_state(*in(from)); };
    return i;
}
llama_sampler_i run_interface = make_run_interface();

}  // namespace

llama_sampler* new_facade(sampler_link link) {
    return llama_sampler_init(&facade_interface, new facade_state{std::move(link), nullptr});
}
bool is_unused_facade(const llama_sampler* sampler) {
    return is_facade(sampler) && !state_of(sampler).alone && !state_of(sampler).is_in_run;
}
const llama_sampler* original_of(const llama_sampler* facade) {
    return is_facade(facade) ? state_of(facade).link.original.get() : nullptr;
}

sampler_run::~sampler_run() {
    for (llama_sampler* each : facades_) llama_sampler_free(each);
}

llama_sampler* sampler_run::as_sampler(std::unique_ptr<sampler_run> run) {
    return llama_sampler_init(&run_interface, run.release());
}
sampler_run* sampler_run::in(const llama_sampler* sampler) {
    return sampler && sampler->iface == &run_interface ? static_cast<sampler_run*>(sampler->ctx) : nullptr;
}

void sampler_run::append(llama_sampler* facade) {
    state_of(facade).is_in_run = true;
    facades_.push_back(facade);
    make_engine();
}

llama_sampler* sampler_run::remove(std::size_t i) {
    llama_sampler* const taken = facades_[i];
    facades_.erase(facades_.begin() + std::ptrdiff_t(i));
    state_of(taken).is_in_run = false;
    make_engine();
    for (const llama_token token : accepted_)
        if (engine_) llama_sampler_accept(engine_.get(), token);
    return taken;
}

/// Where one sampler does all the work, and llama.cpp's is as quick, nothing is gained by copying the candidates.
bool sampler_run::is_left_to_llama() const noexcept {
    std::size_t cheap = 0, others = 0;
    for (const llama_sampler* each : facades_) {
        const sampler_cost cost = state_of(each).link.cost;
        cheap += cost == sampler_cost::cheap_alone;
        others += cost == sampler_cost::usual;
    }
    return others == 0 && cheap <= 1;
}

void sampler_run::make_engine() {
    engine_.reset();
    if (is_left_to_llama()) return;
    exact_chain made;
    for (const llama_sampler* each : facades_) {
        const sampler_link& link = state_of(each).link;
        std::uint32_t seed = link.seed;
        if (seed == LLAMA_DEFAULT_SEED) seed = seed_of_original(link.original.get());
        if (seed == LLAMA_DEFAULT_SEED) seed = std::uint32_t(riffle::random_seed());  // where llama.cpp tells nobody
        link.push(made, seed);
    }
    engine_.reset(riffle::llama::make_sampler(std::move(made)));
}

void sampler_run::accept(llama_token token) {
    accepted_.push_back(token);
    if (engine_) return llama_sampler_accept(engine_.get(), token);
    for (const llama_sampler* each : facades_) llama_sampler_accept(state_of(each).link.original.get(), token);
}

void sampler_run::apply(llama_token_data_array* candidates) {
    is_applied_ = true;
    const timed_step measured(*this, candidates->size);
    if (engine_) return llama_sampler_apply(engine_.get(), candidates);
    for (const llama_sampler* each : facades_) llama_sampler_apply(state_of(each).link.original.get(), candidates);
}

llama_token sampler_run::peek(llama_context* context, std::int32_t index) {
    if (!engine_) return -1;
    is_applied_ = true;
    const timed_step measured(*this, 0);
    return riffle::llama::peek<exact_chain>(engine_.get(), context, index);
}

void sampler_run::reset() {
    accepted_.clear();
    is_applied_ = false;
    bool has_random_seed = false;
    for (const llama_sampler* each : facades_) {
        llama_sampler_reset(state_of(each).link.original.get());
        has_random_seed |= state_of(each).link.seed == LLAMA_DEFAULT_SEED;
    }
    if (has_random_seed) make_engine();  // which draws others now, as llama.cpp's do
    else if (engine_) llama_sampler_reset(engine_.get());
}

std::unique_ptr<sampler_run> sampler_run::clone() const {
    auto made = std::make_unique<sampler_run>();
    for (const llama_sampler* each : facades_) {
        made->facades_.push_back(new_facade(state_of(each).link.clone()));
        state_of(made->facades_.back()).is_in_run = true;
    }
    made->accepted_ = accepted_;
    made->is_applied_ = is_applied_;
    if (engine_) made->engine_.reset(llama_sampler_clone(engine_.get()));
    return made;
}

void sampler_run::copy_state(const sampler_run& from) {
    accepted_ = from.accepted_;
    is_applied_ = from.is_applied_;
    const calling_llama own_constructors;
    if (from.engine_ && engine_) llama_sampler_copy(from.engine_.get(), engine_.get());
    for (std::size_t i = 0; i < facades_.size() && i < from.facades_.size(); ++i)
        llama_sampler_copy(state_of(from.facades_[i]).link.original.get(), state_of(facades_[i]).link.original.get());
}

std::vector<owned_sampler> sampler_run::originals() const {
    std::vector<owned_sampler> given;
    for (const llama_sampler* each : facades_) {
        sampler_link clone = state_of(each).link.clone();
        if (engine_)
            for (const llama_token token : accepted_) llama_sampler_accept(clone.original.get(), token);
        given.push_back(std::move(clone.original));
    }
    return given;
}

}  // namespace preload
