#pragma once
// Random chains of llama.cpp's samplers, the same on both sides, and random rows for them; shared by the comparisons
// with the real libllama.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <llama.h>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>
#include <riffle/samplers/parts/dry_breakers.hpp>

#include "llama/chain_of_forms.hpp"
#include "llama/small_vocabulary.hpp"
#include "reference/variants.hpp"

namespace riffle_tests {

using namespace riffle;

// ---- the peer's side

struct free_sampler {
    void operator()(llama_sampler* s) const { llama_sampler_free(s); }
};
using peer = std::unique_ptr<llama_sampler, free_sampler>;

inline peer empty_peer() {
    auto parameters = llama_sampler_chain_default_params();
    parameters.no_perf = true;
    return peer(llama_sampler_chain_init(parameters));
}

/// A vocabulary as both sides see it, and dry samplers with strings of it as breakers, which
/// cost too much to make one a chain.
class model {
public:
    struct breaking {
        dry spec;
        peer sampler;
    };

    static const model& get() {
        static const model one;
        return one;
    }
    const llama_vocab* peers() const { return peers_; }
    const vocabulary& ours() const { return ours_; }
    /// Tokens that make a difference: those of breakers, those that end, and some that begin others.
    const std::vector<token_id>& interesting() const { return interesting_; }
    const std::vector<breaking>& breakers() const { return breakers_; }

private:
    model() {
        llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
        auto parameters = llama_model_default_params();
        parameters.vocab_only = true;
        const char* const named = std::getenv("RIFFLE_LLAMA_MODEL");
        const std::string path =
            named ? named : testing::TempDir() + "riffle-small-vocabulary-" + std::to_string(getpid()) + ".gguf";
        if (!named) write_small_vocabulary(path);
        model_.reset(llama_model_load_from_file(path.c_str(), parameters));
        if (!named) std::remove(path.c_str());
        if (!model_) {
            std::fprintf(stderr, "libllama cannot load the vocabulary of %s\n", path.c_str());
            std::abort();
        }
        peers_ = llama_model_get_vocab(model_.get());
        ours_ = llama::vocabulary_of(peers_);
        drops_first_space_ = llama::drops_first_space(peers_, ours_);
        for (const auto& strings : std::vector<std::vector<const char*>>{{"\n", ":", "\"", "*"},
                                                                         {"the"},
                                                                         {" a"},
                                                                         {"and the"},
                                                                         {"e "},
                                                                         {"", "ing", "\n\n"},
                                                                         {"th", "Lord,"},
                                                                         {"e the", "e the king", "e the king of"}})
            for (int variant = 0; variant < 3; ++variant) add_breakers(strings, variant);
        for (token_id id = 0; id < token_id(ours_.size()); id += id < 400 ? 1 : 257) interesting_.push_back(id);
    }
    void add_breakers(std::vector<const char*> strings, int variant) {
        dry spec;
        spec.multiplier = variant == 1 ? -0.5f : 0.8f;
        spec.base = variant == 2 ? 1.0f : 1.75f;
        spec.allowed_length = 1 + variant;
        spec.last_n = variant == 1 ? 17 : 64;
        std::vector<text> texts(strings.begin(), strings.end());
        spec.breakers = dry_breakers(ours_, std::span<const text>(texts), drops_first_space_);
        for (const auto& sequence : spec.breakers)
            if (interesting_.size() < 400 || sequence.size() > 2)
                interesting_.insert(interesting_.end(), sequence.begin(), sequence.end());
        peer sampler(llama_sampler_init_dry(peers_, spec.multiplier, spec.base, spec.allowed_length, spec.last_n,
                                            strings.data(), strings.size()));
        breakers_.push_back({spec, std::move(sampler)});
    }

    struct free_model {
        void operator()(llama_model* m) const { llama_model_free(m); }
    };
    std::unique_ptr<llama_model, free_model> model_;
    const llama_vocab* peers_ = nullptr;
    vocabulary ours_;
    bool drops_first_space_ = false;
    std::vector<token_id> interesting_;
    std::vector<breaking> breakers_;
};

// ---- what is random

class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}
    std::size_t below(std::size_t n) { return std::size_t(random_() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }
    std::uint32_t word() { return std::uint32_t(random_()); }
    /// In [least, most).
    double real(double least, double most) { return least + (most - least) * double(random_() >> 11) * 0x1p-53; }
    float number(double least, double most) { return float(real(least, most)); }
    std::size_t log_uniform(std::size_t most) { return std::size_t(std::exp(real(0.0, std::log(double(most) + 1.0)))); }
    float normal() { return normal_(random_); }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return values.begin()[below(values.size())];
    }

private:
    std::mt19937_64 random_;
    std::normal_distribution<float> normal_;
};

enum class kind {
    logit_bias,
    penalties,
    dry,
    top_n_sigma,
    top_k,
    typical,
    top_p,
    min_p,
    xtc,
    temperature,
    dynamic_temperature,
    infill,
    greedy,
    dist,
    mirostat,
    mirostat_v2,
    adaptive_p,
};

/// The same chain on both sides.
struct both {
    using exact_chain = basic_dynamic_chain<llama_exact>;
    struct stage {
        std::function<void(chain_of_forms&)> add;
        std::function<bool(exact_chain&)> push;  ///< false where a parameter has no meaning
        llama_sampler* sampler;                  ///< owned by `peers`
    };
    std::vector<stage> stages;
    peer peers = empty_peer();
    std::string description;
    bool clones_alike = true;  ///< no adaptive_p, whose clone starts anew
    bool has_infill = false;
    std::size_t candidates = 1;
    token_id ids = 1;  ///< all are below

    template <class Spec>
    void add(Spec spec, llama_sampler* sampler, std::initializer_list<double> parameters) {
        std::ostringstream words;
        words.precision(9);
        words << (description.empty() ? "" : " | ") << Spec::name << '(';
        for (const double& p : parameters) words << (&p == parameters.begin() ? "" : ", ") << p;
        description += words.str() + ')';
        stages.push_back({[=](chain_of_forms& forms) { forms.add(spec); },
                          [=](exact_chain& chain) { return chain.push(spec).ok(); }, sampler});
        llama_sampler_chain_add(peers.get(), sampler);
    }
};

inline void add_dry(both& b, dice& d) {
    if (d.one_in(2)) {
        const auto& all = model::get().breakers();
        const auto& made = all[d.below(all.size())];
        return b.add(made.spec, llama_sampler_clone(made.sampler.get()), {double(&made - all.data())});
    }
    dry s;
    s.multiplier = d.one_of({0.0f, 0.8f, 1.0f, -1.0f, 1e30f, d.number(0, 5)});
    s.base = d.one_of({1.75f, 1.0f, 1.0000005f, 1.1f, 0.9f, 1e10f, d.number(1, 4)});
    s.allowed_length = d.one_of({2, 0, 1, 3, -2, int(d.below(20))});
    s.last_n = d.one_of({64, 0, -1, 1, 10, 300, int(d.below(100))});
    b.add(s, llama_sampler_init_dry(nullptr, s.multiplier, s.base, s.allowed_length, s.last_n, nullptr, 0),
          {s.multiplier, s.base, double(s.allowed_length), double(s.last_n)});
}

inline void add_stage(both& b, kind which, dice& d) {
    const float p =
        d.one_of({0.0f, 0.05f, 0.5f, 0.9f, 0.95f, 0.999f, 1.0f, 1.5f, -1.0f, d.number(0, 1), d.number(0, 1)});
    const std::size_t min_keep = d.one_of<std::size_t>({0, 0, 1, 2, 10, 1000, d.below(40)});
    const std::uint32_t seed = d.one_of<std::uint32_t>({0, 1, 42, d.word(), d.word()});
    const float t = d.one_of({0.8f, 1.0f, 0.0f, -1.0f, 0.1f, 1.5f, 1e-30f, 1e30f, d.number(0, 3), d.number(0, 3)});
    const float tau = d.one_of({5.0f, 0.0f, 1.0f, 100.0f, -1.0f, d.number(0, 10)});
    const float eta = d.one_of({0.1f, 0.0f, 1.0f, -0.1f, d.number(0, 1)});
    switch (which) {
    case kind::logit_bias: {
        logit_bias s;
        std::vector<llama_logit_bias> biases;
        for (std::size_t i = d.below(d.one_of<std::size_t>({2, 20})); i > 0; --i) {
            const auto id = token_id(d.below(std::size_t(b.ids))) - (d.one_in(20) ? 3 : 0);
            for (int times = d.one_in(4) ? 3 : 1; times > 0; --times)
                biases.push_back({id, d.one_of({-infinity, 10.0f, 1e38f, d.number(-5, 5), d.number(-5, 5)})});
        }
        for (const auto& entry : biases) s.biases.push_back({entry.token, entry.bias});
        return b.add(s, llama_sampler_init_logit_bias(b.ids, std::int32_t(biases.size()), biases.data()),
                     {double(biases.size())});
    }
    case kind::penalties: {
        penalties s;
        s.last_n = d.one_of({64, 0, -1, 1, 300, int(d.below(100))});
        s.repeat = d.one_of({1.0f, 1.1f, 0.5f, 1e-30f, 1e30f, d.number(0.1, 3)});
        s.frequency = d.one_of({0.0f, 0.5f, -0.5f, 1e38f, d.number(-2, 2)});
        s.presence = d.one_of({0.0f, 0.5f, -0.5f, d.number(-2, 2)});
        return b.add(s, llama_sampler_init_penalties(b.ids, s.last_n, s.repeat, s.frequency, s.presence),
                     {double(s.last_n), s.repeat, s.frequency, s.presence});
    }
    case kind::dry: return add_dry(b, d);
    case kind::top_n_sigma: {
        const float n = d.one_of({1.0f, 0.0f, -1.0f, 2.0f, 1e38f, infinity, d.number(0, 4)});
        return b.add(top_n_sigma{.n = n}, llama_sampler_init_top_n_sigma(n), {n});
    }
    case kind::top_k: {
        const auto k = std::int32_t(d.one_of<std::size_t>({40, 0, 1, 2, 127, 128, 129, 300, d.log_uniform(20000)}));
        return b.add(top_k{.k = k}, llama_sampler_init_top_k(k), {double(k)});
    }
    case kind::typical:
        return b.add(typical{.p = p, .min_keep = min_keep}, llama_sampler_init_typical(p, min_keep),
                     {p, double(min_keep)});
    case kind::top_p:
        return b.add(top_p{.p = p, .min_keep = min_keep}, llama_sampler_init_top_p(p, min_keep), {p, double(min_keep)});
    case kind::min_p:
        return b.add(min_p{.p = p, .min_keep = min_keep}, llama_sampler_init_min_p(p, min_keep), {p, double(min_keep)});
    case kind::xtc: {
        const float drawn = exact::mersenne_twister(seed).canonical_float();  // equality fires
        const float probability = d.one_of({p, p, 0.5f, drawn});
        const float threshold = d.one_of({0.1f, 0.0f, 0.5f, 0.6f, 0.01f, 0.0001f, d.number(0, 0.5)});
        return b.add(xtc{.probability = probability, .threshold = threshold, .min_keep = min_keep, .seed = seed},
                     llama_sampler_init_xtc(probability, threshold, min_keep, seed),
                     {probability, threshold, double(min_keep), double(seed)});
    }
    case kind::temperature: return b.add(temperature{.t = t}, llama_sampler_init_temp(t), {t});
    case kind::dynamic_temperature: {
        const float range = d.one_of({0.0f, 0.5f, 1.0f, 5.0f, -1.0f, d.number(0, 2)});
        const float exponent = d.one_of({1.0f, 0.0f, 2.0f, -1.0f, d.number(0, 4)});
        return b.add(dynamic_temperature{.t = t, .range = range, .exponent = exponent},
                     llama_sampler_init_temp_ext(t, range, exponent), {t, range, exponent});
    }
    case kind::infill:
        return b.add(infill{.vocab = &model::get().ours()}, llama_sampler_init_infill(model::get().peers()), {});
    case kind::greedy: return b.add(greedy{}, llama_sampler_init_greedy(), {});
    case kind::dist: return b.add(dist{.seed = seed}, llama_sampler_init_dist(seed), {double(seed)});
    case kind::mirostat: {
        const std::int32_t m = d.one_of({100, 1, 2, 0, 10});
        const std::int32_t n_vocab = d.one_of({b.ids, 32000, 0, 1});
        return b.add(mirostat{.tau = tau, .eta = eta, .m = m, .n_vocab = n_vocab, .seed = seed},
                     llama_sampler_init_mirostat(n_vocab, seed, tau, eta, m),
                     {tau, eta, double(m), double(n_vocab), double(seed)});
    }
    case kind::mirostat_v2:
        return b.add(mirostat_v2{.tau = tau, .eta = eta, .seed = seed}, llama_sampler_init_mirostat_v2(seed, tau, eta),
                     {tau, eta, double(seed)});
    case kind::adaptive_p: {
        const float target = d.one_of({-1.0f, 0.0f, 0.3f, 0.5f, 1.0f, 2.0f, d.number(0, 1)});
        const float decay = d.one_of({0.9f, 0.0f, 0.99f, 1.0f, -1.0f, d.number(0, 1)});
        return b.add(adaptive_p{.target = target, .decay = decay, .seed = seed},
                     llama_sampler_init_adaptive_p(target, decay, seed), {target, decay, double(seed)});
    }
    }
}

inline both random_chain(dice& d) {
    both b;
    b.candidates = d.log_uniform(151936);
    std::vector<kind> kinds;
    const int selector = int(kind::greedy) + int(d.below(6));  // one more than there are: none
    const std::size_t stages = 1 + d.below(8);
    while (kinds.size() < stages) kinds.push_back(kind(d.below(std::size_t(kind::greedy))));
    if (selector <= int(kind::adaptive_p)) kinds.back() = kind(selector);
    for (auto& k : kinds) {
        if (k == kind::infill && b.candidates > 200) k = kind::temperature;
        b.has_infill |= k == kind::infill;
    }
    b.ids = d.one_in(4) ? token_id(b.candidates) : token_id(b.candidates + d.below(2 * b.candidates));
    if (b.has_infill) b.ids = token_id(model::get().ours().size());
    for (const kind k : kinds) {
        b.clones_alike &= k != kind::adaptive_p;
        add_stage(b, k, d);
    }
    return b;
}

inline float extreme(dice& d) {
    return d.one_of({-infinity, 1e38f, -1e38f, infinity, 0.0f, -0.0f, 1e-40f, -1e-40f, 1e9f, -1e9f, 100.0f});
}

/// The logits of a step: mostly what models say, and what they do not.
inline std::vector<float> random_row(std::size_t size, dice& d) {
    std::vector<float> row(size);
    const std::size_t shape = d.below(8);
    const float scale = d.one_of({1.0f, 3.0f, 8.0f, 0.01f, 50.0f}), offset = d.one_of({0.0f, 0.0f, 10.0f, -30.0f});
    for (auto& logit : row) {
        switch (shape) {
        case 0: logit = offset; break;                                                  // flat
        case 1: logit = float(d.below(3)); break;                                       // tied
        case 2: logit = std::round(d.normal() * scale * 4.0f) / 4.0f; break;            // with ties
        case 3: logit = d.one_in(50) ? 15.0f + d.normal() : d.normal() - 10.0f; break;  // peaked
        default: logit = offset + scale * d.normal();                                   // normal
        }
    }
    if (d.one_in(6))
        for (const std::size_t one = 1 + d.below(9); auto& logit : row)
            if (d.below(10) < one) logit = -infinity;
    if (d.one_in(12))
        for (const std::size_t rarity = d.one_of<std::size_t>({1, 4, 50}); auto& logit : row)
            if (d.one_in(rarity)) logit = extreme(d);
    if (d.one_in(500)) std::fill(row.begin(), row.end(), d.one_of({-infinity, infinity, 0.0f}));
    return row;
}

inline std::vector<token_data> random_candidates(const both& b, dice& d, bool& sorted) {
    const std::size_t size = d.one_in(10) ? 1 + d.below(b.candidates) : b.candidates;
    const std::vector<float> row = random_row(size, d);
    std::vector<token_data> list(size);
    for (std::size_t i = 0; i < size; ++i) list[i] = {token_id(i), row[i], d.one_in(2) ? 0.0f : 0.25f};
    if (b.has_infill) {
        const auto& interesting = model::get().interesting();
        const bool ends = d.one_in(3);
        for (auto& token : list) {
            token.id = d.one_in(2) ? interesting[d.below(interesting.size())] : token_id(d.below(std::size_t(b.ids)));
            if (!ends && model::get().ours().ends_generation(token.id)) token.id = 100;
        }
        if (ends) list[d.below(size)].id = model::get().ours().end_of_sequence;
    } else if (d.one_in(8)) {
        const auto distance = token_id(d.below(std::size_t(b.ids)));
        for (auto& token : list) token.id = (token.id + distance) % b.ids;
    }
    sorted = false;
    if (d.one_in(8)) {
        for (std::size_t i = size; i > 1; --i) std::swap(list[i - 1], list[d.below(i)]);
    } else if (d.one_in(8)) {
        std::stable_sort(list.begin(), list.end(), exact::greater_logit);
        sorted = true;
    }
    return list;
}

// ---- comparing

/// The bits; one NaN is like another (its sign depends on the order of operands that a compiler chose).
inline std::uint32_t bits_of(float value) { return value != value ? 0x7FC00000u : std::bit_cast<std::uint32_t>(value); }

inline std::string difference(const candidates& ours, const llama_token_data_array& peers) {
    std::ostringstream out;
    if (ours.size != peers.size) out << "size " << ours.size << ", not " << peers.size << "; ";
    if (ours.sorted != peers.sorted) out << "sorted " << ours.sorted << ", not " << peers.sorted << "; ";
    if (ours.selected != peers.selected) out << "selected " << ours.selected << ", not " << peers.selected << "; ";
    for (std::size_t i = 0; i < ours.size && i < peers.size; ++i) {
        const token_data& a = ours[i];
        const llama_token_data& e = peers.data[i];
        if (a.id == e.id && bits_of(a.logit) == bits_of(e.logit) && bits_of(a.p) == bits_of(e.p)) continue;
        out.precision(9);
        out << "at " << i << ": (" << a.id << ", " << a.logit << ", " << a.p << "), not (" << e.id << ", " << e.logit
            << ", " << e.p << ")";
        break;
    }
    return out.str();
}

}  // namespace riffle_tests
