// Under numerics::llama too every selector draws by the distribution of its publication: from the row, which it may do
// in quicker ways, and from candidates. peek draws anew each time, as llama_sampler_apply does; eta = 0 holds mirostat
// still.

#include "samplers/chi_square.hpp"

#include <string>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "samplers/published_distributions.hpp"

namespace riffle_tests::exact_chi_square {
namespace {

template <class Selector>
void expect_drawn_like_llama(const Selector& selector, const std::vector<float>& row, const std::string& what) {
    const auto distribution = distribution_of_selector(selector, softmax(row));
    const std::size_t draws = row.size() < 100 ? 20000 : 3000;
    auto from_row = chain<llama_exact>(selector);
    expect_distribution(
        distribution, draws, [&](std::size_t) { return from_row.peek(row); }, what + ", row");
    auto from_candidates = chain<llama_exact>(selector);
    std::vector<token_data> memory;
    expect_distribution(
        distribution, draws,
        [&](std::size_t) {
            memory.clear();
            for (std::size_t id = 0; id < row.size(); ++id) memory.push_back({token_id(id), row[id], 0.0f});
            candidates all{memory.data(), memory.size(), -1, false};
            EXPECT_TRUE(from_candidates.apply(all).ok());
            return all.selected < 0 ? null_token : all[std::size_t(all.selected)].id;
        },
        what + ", candidates");
}
template <class Selector>
void expect_drawn_like_llama(const Selector& few, const Selector& many, const std::string& what) {
    expect_drawn_like_llama(few, zipf_row(40), what);
    expect_drawn_like_llama(few, flat_row(40), what);
    expect_drawn_like_llama(many, zipf_row(5000), what);
    expect_drawn_like_llama(many, flat_row(5000), what);
}

TEST(ChiSquareLikeLlama, Dist) { expect_drawn_like_llama(dist{.seed = 201}, dist{.seed = 202}, "dist"); }
TEST(ChiSquareLikeLlama, Mirostat) {
    for (const std::size_t size : {std::size_t{40}, std::size_t{5000}})
        for (const float tau : {2.0f, 4.5f})
            expect_drawn_like_llama(mirostat{.tau = tau, .eta = 0.0f, .n_vocab = std::int32_t(size), .seed = 203},
                                    zipf_row(size), "mirostat, tau " + std::to_string(tau));
}
TEST(ChiSquareLikeLlama, MirostatV2) {
    expect_drawn_like_llama(mirostat_v2{.tau = 2.3f, .eta = 0.0f, .seed = 204},
                            mirostat_v2{.tau = 5.2f, .eta = 0.0f, .seed = 205}, "mirostat_v2");
}
TEST(ChiSquareLikeLlama, AdaptiveP) {
    expect_drawn_like_llama(adaptive_p{.seed = 206}, adaptive_p{.seed = 207}, "adaptive_p, no target");
    expect_drawn_like_llama(adaptive_p{.target = 0.1f, .seed = 208}, adaptive_p{.target = 0.5f, .seed = 209},
                            "adaptive_p");
}
TEST(ChiSquareLikeLlama, TheCoinOfXtc) {
    const std::vector<float> row{std::log(0.5f), std::log(0.3f), std::log(0.2f)};  // fired: the first is gone
    auto c = chain<llama_exact>(xtc{.probability = 0.3f, .threshold = 0.25f, .seed = 210}, greedy{});
    expect_distribution(
        {0.3, 0.7}, 20000, [&](std::size_t) { return token_id(c.peek(row) != 0 ? 0 : 1); }, "coin");
}

}  // namespace
}  // namespace riffle_tests::exact_chi_square
