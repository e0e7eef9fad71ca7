// riffle beside llama.cpp in one process, on the same rows: microseconds a sample (medians) of llama.cpp's own chain
// with the fill that llama_sampler_sample does, and of the same chain on the row under numerics::llama with its share
// of replays, numerics::reproducible and numerics::fast. First alternating step by step, each on a row that was just
// written; then in turns of eight rows, with warm caches. Then step by step as one llama_sampler in llama.cpp's place,
// fill included. Every token of llama_exact is compared with llama.cpp's.
//
//     compare_llama [V] [steps] [file of recorded rows]
//
// Recorded rows are float16, V to a row. Needs libllama 0.7.0: benchmarks/compare/table runs it in a root of Debian
// unstable.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <llama.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <riffle/llama.hpp>

#include "../rows.hpp"
#include "peer.hpp"
#include "turns.hpp"

namespace {

using namespace riffle;
using namespace compared;

/// llama.cpp's chain, with the array of candidates that its llama_sampler_sample fills from the context's logits.
class peer_chain {
public:
    peer_chain() : chain_(llama_sampler_chain_init(llama_sampler_chain_default_params())) {}
    peer_chain(const peer_chain&) = delete;
    peer_chain& operator=(const peer_chain&) = delete;
    ~peer_chain() { llama_sampler_free(chain_); }
    void add(llama_sampler* s) { llama_sampler_chain_add(chain_, s); }

    token_id sample(const std::vector<float>& logits) {
        all_.resize(logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i) all_[i] = {token_id(i), logits[i], 0.0f};
        llama_token_data_array a{all_.data(), all_.size(), -1, false};
        llama_sampler_apply(chain_, &a);
        const token_id token = a.data[a.selected].id;
        llama_sampler_accept(chain_, token);
        return token;
    }

private:
    llama_sampler* chain_;
    std::vector<llama_token_data> all_;
};

/// What a reproducible chain is to reach where V = 128,256 and lanes are of 512 bits: so many times llama.cpp's speed
/// on these rows, and on medium and flat ones no more than so many floors of a maximum, or of a maximum and a mass.
struct target {
    double factor = 0.0;
    const char* rows = "medium";
    double max_floors = 0.0;
    double mass_floors_medium = 0.0, mass_floors_flat = 0.0;
};

/// "11.6×", beside what is asked for.
std::string times_faster(double value, double asked) {
    char text[64];
    if (asked > 1.0) std::snprintf(text, sizeof text, "%.1f× (of %.0f×)", value, asked);
    else std::snprintf(text, sizeof text, "%.1f×", value);
    return std::string(text) + (value < asked ? " **missed**" : "");
}
std::string floors_taken(double value, double most) {
    char text[64];
    if (most > 0.0) std::snprintf(text, sizeof text, "%.2f (of %.2f)", value, most);
    else std::snprintf(text, sizeof text, "%.2f", value);
    return std::string(text) + (most > 0.0 && value > most ? " **missed**" : "");
}

template <class... Stages>
void add_peers(peer_chain& peer, const Stages&... stages) {
    (peer.add(peer_of(stages)), ...);
}

/// How those that are compared follow each other.
enum class follow { step_by_step, in_turns_of_eight };

/// Microseconds of the same stages under each numerics, beside llama.cpp's at the time.
struct times_of_chain {
    double peer_of_exact, exact, peer_of_own, own, peer_of_fast, fast, max_floor, mass_floor;
    double replays;
    int differing;
};
template <class... Stages>
times_of_chain measure(follow how, const row_set& rows, int steps, const Stages&... stages) {
    auto exact = chain<llama_exact>(stages...);
    auto own = chain<reproducible>(stages...);
    auto quick = chain<fast>(stages...);
    max_floor max;
    mass_floor mass(rows);
    times_of_chain found{};
    if (how == follow::in_turns_of_eight) {
        peer_chain peer;
        add_peers(peer, stages...);
        const auto all = take_turns(rows, steps, peer, exact, own, quick, max, mass);
        const auto [p, e, o, f, max_takes, mass_takes] = all.microseconds;
        found = {p, e, p, o, p, f, max_takes, mass_takes, 0.0, all.differing};
    } else {  // each beside a chain of llama.cpp's own
        const auto beside_peer = [&](auto& one, double& of_peer, double& of_one) {
            peer_chain peer;
            add_peers(peer, stages...);
            const auto both = alternate(rows, steps, peer, one);
            of_peer = both.microseconds[0];
            of_one = both.microseconds[1];
            return both.differing;
        };
        double unused = 0.0;
        found.differing = beside_peer(exact, found.peer_of_exact, found.exact);
        beside_peer(own, found.peer_of_own, found.own);
        beside_peer(quick, found.peer_of_fast, found.fast);
        beside_peer(max, unused, found.max_floor);
        beside_peer(mass, unused, found.mass_floor);
    }
    const auto replays = exact.replays();
    found.replays = double(replays.replays) / double(replays.rows);
    return found;
}

class on_rows {
public:
    on_rows(follow how, const std::vector<measured_rows>& kinds, int steps) : how_(how), kinds_(kinds), steps_(steps) {
        std::printf(
            "\n%s:\n\n| rows | chain | llama.cpp µs | llama_exact µs | faster by | replays | reproducible µs | faster "
            "by | "
            "max "
            "floors | max + mass floors | fast µs | faster by |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            how == follow::step_by_step ? "Alternating step by step, each on a row that was just written"
                                        : "In turns of eight rows, with warm caches");
    }
    template <class... Stages>
    void compare(const char* name, const target& asked, const Stages&... stages) const {
        for (const auto& of : kinds_) {
            const auto t = measure(how_, of.rows, steps_, stages...);
            std::printf("| %s | %s | %.0f | %.1f | %s | %.0f %% | %.1f | %s | %s | %s | %.1f | %s |%s\n",
                        of.kind.c_str(), name, t.peer_of_own, t.exact,
                        times_faster(t.peer_of_exact / t.exact, 1.0 / 1.15).c_str(), 100.0 * t.replays, t.own,
                        times_faster(t.peer_of_own / t.own, of.kind == asked.rows ? asked.factor : 1.0).c_str(),
                        floors_taken(t.own / t.max_floor, most_max_floors(of.kind, asked)).c_str(),
                        floors_taken(t.own / (t.max_floor + t.mass_floor), most_mass_floors(of.kind, asked)).c_str(),
                        t.fast, times_faster(t.peer_of_fast / t.fast, 1.0).c_str(),
                        t.differing ? (" " + std::to_string(t.differing) + " TOKENS DIFFER").c_str() : "");
            std::fflush(stdout);
        }
    }

private:
    // The floors that are asked for are those of warm rows; 0 = none.
    double most_max_floors(const std::string& kind, const target& asked) const {
        return how_ == follow::in_turns_of_eight && kind == "medium" ? asked.max_floors : 0.0;
    }
    double most_mass_floors(const std::string& kind, const target& asked) const {
        if (how_ != follow::in_turns_of_eight) return 0.0;
        return kind == "medium" ? asked.mass_floors_medium : kind == "flat" ? asked.mass_floors_flat : 0.0;
    }

    follow how_;
    const std::vector<measured_rows>& kinds_;
    int steps_;
};

/// Alternating step by step, too.
class as_llama_sampler {
public:
    as_llama_sampler(const std::vector<measured_rows>& kinds, int steps) : kinds_(kinds), steps_(steps) {
        std::printf("\nAs one llama_sampler, alternating step by step:\n\n| rows | chain | llama.cpp µs | llama_exact as "
                    "llama_sampler µs | faster by | reproducible as llama_sampler µs | faster by "
                    "|\n|---|---|---|---|---|---|---|\n");
    }
    template <class... Stages>
    void compare(const char* name, const target&, const Stages&... stages) const {
        for (const auto& of : kinds_) {
            if (of.kind != "medium" && of.kind != "flat") continue;
            const auto exact = beside_peer(of.rows, chain<llama_exact>(stages...), stages...);
            const auto own = beside_peer(of.rows, chain<reproducible>(stages...), stages...);
            const auto [peer, e] = exact.microseconds;
            const auto [peer_of_own, o] = own.microseconds;
            std::printf("| %s | %s | %.0f | %.0f | %.1f× | %.0f | %.1f× |%s\n", of.kind.c_str(), name, peer, e, peer / e,
                        o, peer_of_own / o,
                        exact.differing ? (" " + std::to_string(exact.differing) + " TOKENS DIFFER").c_str() : "");
            std::fflush(stdout);
        }
    }

private:
    template <class Chain, class... Stages>
    times<2> beside_peer(const row_set& rows, Chain own, const Stages&... stages) const {
        peer_chain peer, adapted;
        add_peers(peer, stages...);
        adapted.add(llama::make_sampler(std::move(own)));
        return alternate(rows, steps_, peer, adapted);
    }

    const std::vector<measured_rows>& kinds_;
    int steps_;
};

/// The chains of the design's list, and one with a stage that needs a candidate for every token.
template <class Comparison>
void compare_chains(const Comparison& with) {
    with.compare("top_k 40 \\| top_p .95 \\| min_p .05 \\| temperature .8 \\| dist", {.factor = 11, .max_floors = 1.8},
                 top_k{40}, top_p{0.95f}, min_p{0.05f}, temperature{0.8f}, dist{1});
    with.compare("llama.cpp's default chain, penalties 64 1.1", {.factor = 35}, penalties{64, 1.1f}, top_n_sigma{-1.0f},
                 top_k{40}, typical{1.0f}, top_p{0.95f}, min_p{0.05f}, xtc{0.0f}, dynamic_temperature{0.8f}, dist{1});
    with.compare("temperature .8 \\| dist", {.factor = 25, .mass_floors_medium = 1.0, .mass_floors_flat = 1.25},
                 temperature{0.8f}, dist{1});
    with.compare("min_p .05 \\| temperature .8 \\| dist", {.factor = 20, .max_floors = 1.5}, min_p{0.05f},
                 temperature{0.8f}, dist{1});
    with.compare("top_p .95 \\| temperature .8 \\| dist", {.factor = 25}, top_p{0.95f}, temperature{0.8f}, dist{1});
    with.compare("temperature 1.5 \\| top_p .95 \\| dist", {.factor = 60, .rows = "flat"}, temperature{1.5f},
                 top_p{0.95f}, dist{1});
    with.compare("top_n_sigma 1 \\| temperature .8 \\| dist", {.factor = 50, .max_floors = 3.5}, top_n_sigma{1.0f},
                 temperature{0.8f}, dist{1});
    with.compare("typical .9 \\| dist", {.factor = 100}, typical{0.9f}, dist{1});
    with.compare("mirostat_v2", {.factor = 100}, mirostat_v2{});
    with.compare("min_p .05 \\| adaptive_p .5", {.factor = 20, .max_floors = 1.5}, min_p{0.05f}, adaptive_p{0.5f});
    with.compare("top_k 1000 \\| dist", {.factor = 10}, top_k{1000}, dist{1});
    with.compare("a user's apply \\| top_k 40 \\| dist", {}, prefer_even{}, top_k{40}, dist{1});
}

/// How the floors grow: both in microseconds.
void print_floors(const measured_rows& of, int steps) {
    max_floor max;
    mass_floor mass(of.rows);
    const auto found = take_turns(of.rows, steps, max, mass);
    std::printf("| %s | %.1f | %.1f |\n", of.kind.c_str(), found.microseconds[0], found.microseconds[1]);
}

}  // namespace

int main(int count, char** words) {
    const std::size_t size = count > 1 ? std::size_t(std::atoll(words[1])) : 128256;
    const int steps = count > 2 ? std::atoi(words[2]) : 200;
    std::vector<measured_rows> kinds;
    const auto add = [&](const char* kind, row_set rows) { kinds.push_back({kind, std::move(rows)}); };
    for (const auto& [name, make] : rows::of_models) add(name, rows::eight(make, size));
    if (count > 3) add("recorded", rows::recorded(words[3], size));
    if (count > 3 && kinds.back().rows.empty()) {
        std::fprintf(stderr, "%s holds no row of %zu logits as float16.\n", words[3], size);
        return 1;
    }
    for (const auto& [name, make] : rows::feared) add(name, rows::eight(make, size));

    std::printf("V = %zu\n\n| rows | floor: a maximum µs | floor: a sum of masses µs |\n|---|---|---|\n", size);
    for (const auto& of : kinds) print_floors(of, steps);
    compare_chains(on_rows(follow::step_by_step, kinds, steps));
    compare_chains(on_rows(follow::in_turns_of_eight, kinds, steps));
    compare_chains(as_llama_sampler(kinds, steps));
}
