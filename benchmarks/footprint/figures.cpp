// Bytes that chains take: what stages keep, the chain object, scratch, and the deepest stack of a sample.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "../rows.hpp"

namespace {

using namespace riffle;

template <class Policies, class S>
constexpr std::size_t kept_bytes() {
    using kept = typename detail::stage_state<Policies, S>::type;
    return std::is_empty_v<kept> ? 0 : sizeof(kept);
}
template <class S>
void print_stage() {
    std::printf("| `%s` | %zu | %zu | %zu |\n", S::name, sizeof(S), kept_bytes<reproducible, S>(),
                kept_bytes<llama_exact, S>());
}
template <class... S>
void print_stages() {
    std::printf("| stage | its parameters | kept by a chain | kept under `llama_exact` |\n|---|---|---|---|\n");
    (print_stage<S>(), ...);
}

/// How many bytes of stack work(argument) takes: a thread on a painted stack, less what a thread takes that does
/// nothing.
std::size_t deepest(void* (*work)(void*), void* argument) {
    constexpr std::size_t size = std::size_t{1} << 20;
    constexpr unsigned char paint = 0xA5;
    auto* const memory = static_cast<unsigned char*>(std::aligned_alloc(4096, size));
    std::memset(memory, paint, size);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, memory, size);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, argument) != 0) std::abort();
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
    std::size_t untouched = 0;
    while (untouched < size && memory[untouched] == paint) ++untouched;
    std::free(memory);
    return size - untouched;
}

template <class Chain>
struct sampling {
    Chain chain;
    std::vector<float> row;
    static void* run(void* self) {
        auto& s = *static_cast<sampling*>(self);
        if (s.chain.sample(s.row) == null_token) std::abort();
        return nullptr;
    }
};
template <class Chain>
void print_chain(const char* name, const Chain& chain) {
    constexpr std::size_t size = 128256;
    const std::size_t idle = deepest([](void*) -> void* { return nullptr; }, nullptr);
    std::size_t stack = 0;
    for (const auto& row : {rows::medium(size, 1), rows::flat(size, 1), rows::all_equal(size, 1)})
        for (const int width : {4, 8, 16}) {
            if (!wide::force_width(width)) continue;
            sampling<Chain> s{chain, row};
            (void)s.chain.sample(s.row);  // what is looked up once a process is not a sample's
            stack = std::max(stack, deepest(sampling<Chain>::run, &s) - idle);
        }
    wide::force_width(0);
    std::printf("| %s | %zu | %.1f | %zu | %zu | %zu |\n", name, sizeof(Chain), double(stack) / 1024.0,
                chain.scratch_bytes(32000) / 1024, chain.scratch_bytes(128256) / 1024,
                chain.scratch_bytes(262144) / 1024);
}

}  // namespace

int main() {
    print_stages<greedy, dist, gumbel, top_k, top_p, min_p, typical, temperature, dynamic_temperature, xtc, top_n_sigma,
                 mirostat, mirostat_v2, penalties, dry, adaptive_p, logit_bias, soft_cap, mask, phrase_ban>();
    std::printf("\n| chain | the object, bytes | stack of a sample, KiB | scratch at V = 32,000, KiB | at 128,256 | at "
                "262,144 |\n"
                "|---|---|---|---|---|---|\n");
    print_chain("penalties \\| top_k \\| top_p \\| min_p \\| temperature \\| dist",
                chain(penalties{64, 1.1f}, top_k{40}, top_p{0.95f}, min_p{0.05f}, temperature{0.8f}, dist{42}));
    print_chain("the same, `llama_exact`", chain<llama_exact>(penalties{64, 1.1f}, top_k{40}, top_p{0.95f},
                                                              min_p{0.05f}, temperature{0.8f}, dist{42}));
    print_chain("temperature \\| dist", chain(temperature{0.8f}, dist{42}));
    print_chain("temperature \\| top_p \\| dist", chain(temperature{1.5f}, top_p{0.95f}, dist{42}));
    print_chain("typical \\| dist", chain(typical{0.9f}, dist{42}));
    print_chain("mirostat_v2", chain(mirostat_v2{}));
}
