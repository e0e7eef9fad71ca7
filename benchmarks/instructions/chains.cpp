// Six chains, for counting their instructions: `chains NAME ROWS` samples eight rows of 128,256 logits, warm, in
// counted_samples(). Without arguments it lists the names. benchmarks/instructions/table has the counting done by
// valgrind, so the figures repeat; it shows processors without AVX-512.
#include <cstdio>
#include <cstring>
#include <vector>

#include <riffle/riffle.hpp>

#include "../rows.hpp"

using namespace riffle;
using row_set = std::vector<std::vector<float>>;
using counted_function = token_id (*)(void*, const row_set&);
/// What is counted: with C linkage, so that valgrind knows its name.
extern "C" [[gnu::noinline]] token_id counted_samples(counted_function f, void* chain, const row_set& rows) {
    return f(chain, rows);
}

namespace {

template <class Chain>
[[gnu::noinline]] token_id samples(Chain& chain, const row_set& rows) {
    token_id all = 0;
    for (const auto& row : rows) all ^= chain.sample(row);
    return all;
}
struct request {
    const char *name, *kind;
};
template <class... Stages>
bool sample(const request& asked, const char* name, const Stages&... stages) {
    if (!asked.name) return std::printf("%s\n", name), false;
    if (std::strcmp(asked.name, name) != 0) return false;
    const auto rows = rows::eight(std::strcmp(asked.kind, "flat") == 0 ? rows::flat : rows::medium, 128256);
    auto c = chain(stages...);
    samples(c, rows);
    const auto run = [](void* chain, const row_set& of) { return samples(*static_cast<decltype(c)*>(chain), of); };
    std::fprintf(stderr, "tokens %d\n", counted_samples(run, &c, rows));
    return true;
}

}  // namespace

int main(int count, char** words) {
    const request asked = count > 2 ? request{words[1], words[2]} : request{nullptr, nullptr};
    const bool found =
        sample(asked, "top_k 40 | top_p .95 | min_p .05 | temperature .8 | dist", top_k{40}, top_p{0.95f}, min_p{0.05f},
               temperature{0.8f}, dist{1}) ||
        sample(asked, "temperature .8 | dist", temperature{0.8f}, dist{1}) ||
        sample(asked, "min_p .05 | temperature .8 | dist", min_p{0.05f}, temperature{0.8f}, dist{1}) ||
        sample(asked, "top_p .95 | temperature .8 | dist", top_p{0.95f}, temperature{0.8f}, dist{1}) ||
        sample(asked, "top_n_sigma 1 | temperature .8 | dist", top_n_sigma{1.0f}, temperature{0.8f}, dist{1}) ||
        sample(asked, "typical .9 | dist", typical{0.9f}, dist{1});
    return asked.name && !found;
}
