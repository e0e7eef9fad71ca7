#include <riffle/gpu/kernels/emit.hpp>
#include <riffle/riffle.hpp>

#include "spirv/modules.hpp"

namespace riffle_tests {
namespace {

using namespace riffle;

/// A user's elementwise stages that the compiler can run.
struct leaning {
    static constexpr bool monotone = true;
    float slope = 0.5f;
    std::array<float, 1> parameters() const noexcept { return {slope}; }
    template <class V>
    static constexpr V map(const V& logit, const std::array<V, 1>& p) noexcept {
        return select(logit > V(0.0f), logit, logit * p[0]);
    }
};

struct dividing {
    template <class V>
    static constexpr V map(const V& logit) noexcept {
        return logit / (V(1.0f) + absolute(logit) / V(30.0f));
    }
};

template <class... Stages>
constexpr named_module module_of(const char* name) {
    return {name, gpu::spirv_v<pipeline<reproducible, Stages...>>};
}

/// Constants, and at once: what is instantiated at the end of a file only comes too late.
constexpr named_module all[] = {
    module_of<greedy>("greedy"),
    module_of<dist>("dist"),
    module_of<gumbel>("gumbel"),
    module_of<temperature, dist>("temperature, dist"),
    module_of<soft_cap, gumbel>("soft_cap, gumbel"),
    module_of<top_k, greedy>("top_k, greedy"),
    module_of<top_k, temperature, dist>("top_k, temperature, dist"),
    module_of<top_p, dist>("top_p, dist"),
    module_of<min_p, temperature, dist>("min_p, temperature, dist"),
    module_of<top_n_sigma, temperature, dist>("top_n_sigma, temperature, dist"),
    module_of<epsilon_cutoff, dist>("epsilon_cutoff, dist"),
    module_of<eta_cutoff, dist>("eta_cutoff, dist"),
    module_of<quadratic, min_p, dist>("quadratic, min_p, dist"),
    module_of<xtc, dist>("xtc, dist"),
    module_of<mask, top_k, dist>("mask, top_k, dist"),
    module_of<logit_bias, top_k, dist>("logit_bias, top_k, dist"),
    module_of<leaning, top_k, dist>("a user's map, top_k, dist"),
    module_of<dividing, dist>("a user's map that divides, dist"),
    module_of<typical, dist>("typical, dist"),
    module_of<top_a, dist>("top_a, dist"),
    module_of<min_p, dynamic_temperature, dist>("min_p, then dynamic_temperature and dist on the processor"),
    module_of<top_k, top_p, min_p, temperature, dist>("top_k, top_p, min_p, temperature, dist"),
    module_of<penalties, dry, top_n_sigma, top_k, mirostat>("penalties, dry, top_n_sigma, top_k, then mirostat"),
    {"fast: top_p, temperature, dist", gpu::spirv_v<pipeline<fast, top_p, temperature, dist>>},
    module_of<penalties, dry, top_k, top_p, min_p, xtc, temperature, dist>(
        "penalties, dry, top_k, top_p, min_p, xtc, temperature, dist"),
};

}  // namespace

std::span<const named_module> compiled_modules() { return all; }

}  // namespace riffle_tests
