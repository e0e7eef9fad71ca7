#include "chain/random_stages.hpp"

#include <cstddef>
#include <vector>

namespace riffle_tests {
namespace {

using namespace riffle;
using reference::any_spec;

/// Between 0 and `most`, in steps of 1 / 1024.
float random_share(random_integers& random, float most) { return float(random.below(1025)) * (most / 1024.0f); }
bool random_bool(random_integers& random) { return random.below(2) == 1; }
std::int32_t random_below(random_integers& random, std::size_t bound) { return std::int32_t(random.below(bound)); }
/// Mostly none, else a few.
std::size_t random_least(random_integers& random) { return random_bool(random) ? 0 : random.below(12); }

token_set random_tokens(random_integers& random, std::size_t most) {
    token_set all;
    for (std::size_t i = random.below(most + 1); i > 0; --i) all.add(random_below(random, 1100));
    return all;
}
std::vector<token_id> random_sequence(random_integers& random) {
    std::vector<token_id> tokens(random.below(4));
    for (token_id& token : tokens)
        token = random_bool(random) ? short_prompt[random.below(8)] : random_below(random, 9);
    return tokens;
}

/// A stage with parameters that no list has.
any_spec random_parameters(random_integers& random) {
    switch (random.below(29)) {
    case 0: return temperature{random_share(random, 4.0f) + 0.01f};
    case 1: return soft_cap{random_share(random, 40.0f)};
    case 2: return top_k{random_below(random, 1200)};
    case 3: return top_p{random_share(random, 1.0f), random_least(random)};
    case 4: return min_p{random_share(random, 1.0f), random_least(random)};
    case 5: return top_n_sigma{random_share(random, 4.0f)};
    case 6: return typical{random_share(random, 1.0f), random_least(random)};
    case 7: return epsilon_cutoff{random_share(random, 0.1f), random_least(random)};
    case 8: return eta_cutoff{random_share(random, 0.1f), random_least(random)};
    case 9: return top_a{random_share(random, 1.0f)};
    case 10: return p_less{random_bool(random)};
    case 11: return min_k{random_share(random, 30.0f)};
    case 12: return top_h{random_share(random, 1.2f), random_least(random), random_bool(random)};
    case 13: return tail_free{random_share(random, 1.0f), random_least(random), random_bool(random)};
    case 14:
        return dynamic_temperature{random_share(random, 2.0f), random_share(random, 2.0f), random_share(random, 3.0f)};
    case 15: return quadratic{random_share(random, 0.6f), random_share(random, 4.0f)};
    case 16: return xtc{random_share(random, 1.2f), random_share(random, 0.3f), random_least(random), random.next()};
    case 17: {
        std::vector<std::vector<token_id>> breakers(random.below(4));
        for (auto& breaker : breakers) breaker = random_sequence(random);
        return dry{random_share(random, 3.0f), 1.0f + random_share(random, 2.0f), random_below(random, 5),
                   random_below(random, 20) - 1, token_sequences(breakers)};
    }
    case 18: return no_repeat_ngram{random_below(random, 5), random_below(random, 20) - 1};
    case 19: {
        banned_sequences banned;
        for (std::size_t i = random.below(6); i > 0; --i)
            banned.sequences.push_back(
                {random_sequence(random), random_bool(random) ? illegal_logit : random.bell(4.0f)});
        return banned;
    }
    case 20: return allowed_tokens{random_tokens(random, 60)};
    case 21: return min_tokens{random_below(random, 4), random_tokens(random, 60)};
    case 22:
        return length_penalty{random_below(random, 3), random_share(random, 2.0f) + 0.01f, random_tokens(random, 60)};
    case 23: return encoder_repetition{random_share(random, 2.0f) + 0.01f, random_tokens(random, 60)};
    case 24:
        return factual_nucleus{random_share(random, 1.1f), random_share(random, 1.0f), random_share(random, 0.5f),
                               random_tokens(random, 20), random_least(random)};
    default: {
        const std::size_t type = reference::selectors + random.below(all_variants().size() - reference::selectors);
        const auto& variants = all_variants()[type];
        return variants[random.below(variants.size())];
    }
    }
}

}  // namespace

any_spec random_stage(random_integers& random) {
    if (random_bool(random)) return random_parameters(random);
    const std::size_t type = reference::selectors + random.below(all_variants().size() - reference::selectors);
    const auto& variants = all_variants()[type];
    return variants[random.below(variants.size())];
}
any_spec random_selector(random_integers& random) {
    switch (random.below(10)) {
    case 0: return greedy{};
    case 1: return gumbel{random.next()};
    case 2: return skew{random.bell(1.0f), random.next()};
    case 3:
        return mirostat{random_share(random, 8.0f), random_share(random, 1.0f), 2 + random_below(random, 150),
                        1 + random_below(random, 1200), random.next()};
    case 4: return mirostat_v2{random_share(random, 8.0f), random_share(random, 1.0f), random.next()};
    case 5: return adaptive_p{random_share(random, 1.0f), random_share(random, 1.0f), random.next()};
    case 6: {
        const auto& variants = all_variants()[random.below(reference::selectors)];
        return variants[random.below(variants.size())];
    }
    default: return dist{random.next()};
    }
}

}  // namespace riffle_tests
