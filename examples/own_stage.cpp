// Stages of your own, one by each verb. None of them inherits, registers or allocates anything.
#include <array>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

using riffle::candidates;
using riffle::draws;
using riffle::logit_bias_entry;
using riffle::token_id;

// [begin:map]
/// A map: elementwise, so it runs in the wide phase at the full width of the processor, folded into the pass that reads
/// the row. Monotone, so cuts can be moved past it.
struct sharpen {
    float strength = 0.1f;
    static constexpr const char* name = "sharpen";
    static constexpr bool monotone = true;

    std::array<float, 1> parameters() const noexcept { return {1.0f + strength}; }
    template <class V>
    static V map(const V& logit, const std::array<V, 1>& p) noexcept {
        return logit * p[0];
    }
};
// [end:map]

// [begin:apply]
/// The narrow verb: anything that can be done to a list of candidates. Put it behind a stage that narrows.
struct drop_every_second {
    static constexpr const char* name = "drop_every_second";

    void apply(candidates& c) const noexcept {
        c.sort();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < c.size; i += 2) c[kept++] = c[i];
        c.size = kept;
    }
};
// [end:apply]

/// A selector of one's own: the narrow verb with random numbers, which sets `selected`. A coin is tossed between the
/// two best. The numbers are a function of seed, position and chain, so asking again gives the same answer.
struct coin_toss {
    std::uint64_t seed = 0;
    static constexpr const char* name = "coin_toss";
    static constexpr bool selects = true;
    static constexpr bool needs_sorted = true;

    void apply(candidates& c, const draws& random) const noexcept {
        if (c.empty()) return;
        c.selected = c.size > 1 && (random.bits() >> 63) ? 1 : 0;
    }
};

/// Edits: a bias on a few ids. Only the blocks of the row that hold them are copied.
struct no_digits {
    std::vector<logit_bias_entry> bans;
    static constexpr const char* name = "no_digits";

    std::span<const logit_bias_entry> edits() const noexcept { return bans; }
};

/// A bias asked for every token: easy to write, one call a token.
struct prefer_low_ids {
    static constexpr const char* name = "prefer_low_ids";

    float bias(token_id id) const noexcept { return -1e-4f * float(id); }
};

/// State: accept is the only place where it changes, and reset begins anew. This one ends the text after so many
/// tokens.
struct length_limit {
    token_id end = 0;
    int limit = 100;
    int used = 0;
    static constexpr const char* name = "length_limit";

    void apply(candidates& c) const noexcept {
        if (used >= limit) c.keep_if([this](const riffle::token_data& t) { return t.id == end; });
    }
    riffle::step accept(token_id) noexcept {
        ++used;
        return {.finished = used > limit};
    }
    void reset() noexcept { used = 0; }
};

int main() {
    using namespace riffle;
    std::vector<float> logits(10000);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = float((i * 7919) % 1000) * 0.01f;

    auto mapped = chain(sharpen{.strength = 0.2f}, top_k{.k = 20}, drop_every_second{}, dist{.seed = 1});
    const token_id token = mapped.sample(logits);
    std::printf("A map and a verb on candidates of our own; the plan says where they run:\n\n%s\n"
                "lanes: %d, token: %d, of %zu survivors\n\n",
                explain(mapped).c_str(), wide::width(), token, mapped.survivors().size());

    if (token < 0 || mapped.survivors().size() != 10) return 1;

    auto tossed =
        chain(no_digits{{{999, -INFINITY}, {1999, -INFINITY}}}, prefer_low_ids{}, top_k{.k = 5}, coin_toss{.seed = 7});
    std::printf("Edits, biases and a selector of our own:\n\n%s\ntokens:", explain(tossed).c_str());
    for (int i = 0; i < 6; ++i) {
        const token_id side = tossed.sample(logits);
        std::printf(" %d", side);
        if (side < 0 || side == 999 || side == 1999) return 1;
    }

    // ahead of everything, so a candidate for every token
    auto short_text = chain(length_limit{.end = 0, .limit = 3}, greedy{});
    std::printf("\nuntil the limit:");
    int written = 0;
    while (!short_text.last_step().finished && written < 10) {
        std::printf(" %d", short_text.sample(logits));
        ++written;
    }
    std::printf("\n");
    return written == 4 ? 0 : 1;
}
