#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "program.hpp"

// Chains of random samplers, used in random ways: the same ones in every run.

namespace {

class random_program {
public:
    explicit random_program(unsigned number) : random_(number) {}

    void run() {
        llama_sampler* used = chain();
        llama_sampler* other = nullptr;
        for (unsigned step = 0; step < 6; ++step) {
            const llama_token token = apply("random", used, seed(), false);
            switch (below(12)) {
            case 0: break;
            case 1: llama_sampler_reset(used); break;
            case 2: {
                llama_sampler_free(std::exchange(other, llama_sampler_clone(used)));
                std::swap(used, other);
                llama_sampler_accept(used, token);
                break;
            }
            case 3:
                if (other) llama_sampler_copy(other, used);
                break;
            case 4: llama_sampler_accept(any_of(used), token); break;
            case 5: llama_sampler_reset(any_of(used)); break;
            case 6: llama_sampler_free(llama_sampler_clone(any_of(used))); break;
            default: llama_sampler_accept(used, token);
            }
        }
        print_chain("random", used);
        llama_sampler_free(other);
        llama_sampler_free(used);
    }

private:
    std::uint32_t seed() { return std::uint32_t(random_()); }
    int below(int count) { return int(seed() % unsigned(count)); }
    template <class... T>
    float one_of(T... values) {
        const float all[] = {float(values)...};
        return all[below(int(sizeof...(values)))];
    }
    llama_sampler* any_of(llama_sampler* chain) {
        return llama_sampler_chain_get(chain, below(llama_sampler_chain_n(chain)));
    }

    llama_sampler* sampler() {
        const float p = one_of(-1, 0, 0.1, 0.5, 0.9, 0.999999, 1, 1.5);
        const std::size_t min_keep = std::size_t(one_of(0, 1, 2, 50, 100000));
        switch (below(11)) {
        case 0: return llama_sampler_init_top_k(std::int32_t(one_of(-1, 0, 1, 2, 40, 1000000)));
        case 1: return llama_sampler_init_top_p(p, min_keep);
        case 2: return llama_sampler_init_min_p(p, min_keep);
        case 3: return llama_sampler_init_typical(p, min_keep);
        case 4: return llama_sampler_init_temp(one_of(-1, 0, 0.1, 0.8, 1, 10));
        case 5: return llama_sampler_init_temp_ext(one_of(0, 0.5, 1), one_of(0, 0.3), one_of(0.5, 1, 2));
        case 6: return llama_sampler_init_xtc(p, one_of(0, 0.0001, 0.01, 0.6), min_keep, seed());
        case 7: return llama_sampler_init_top_n_sigma(one_of(-1, 0, 0.5, 1, 5));
        case 8:
        case 9:
            return llama_sampler_init_penalties(vocabulary, std::int32_t(one_of(-1, 0, 1, 64)),
                                                one_of(0, 0.5, 1, 1.1, 1.5), one_of(0, 0.2), one_of(0, 0.2));
        default: {
            const llama_logit_bias biases[] = {{below(vocabulary), 3.0f}, {below(vocabulary), -INFINITY}};
            return llama_sampler_init_logit_bias(vocabulary, 2, biases);
        }
        }
    }
    llama_sampler* chain() {
        llama_sampler* const made = new_chain();
        for (int i = 1 + below(6); i > 0; --i) llama_sampler_chain_add(made, sampler());
        if (below(5) > 0)
            llama_sampler_chain_add(made, below(4) > 0 ? llama_sampler_init_dist(seed()) : llama_sampler_init_greedy());
        for (int i = below(3) * 4; i > 0; --i) llama_sampler_accept(made, below(vocabulary));
        return made;
    }

    std::mt19937 random_;
};

}  // namespace

void use_random_chains() {
    for (unsigned number = 0; number < 300; ++number) random_program(number).run();
}
