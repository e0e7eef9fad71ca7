#include "chain/random_stages.hpp"

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "reference/fields.hpp"

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

any_spec random_variant(random_integers& random) {
    const std::size_t type = reference::selectors + random.below(all_variants().size() - reference::selectors);
    const auto& variants = all_variants()[type];
    return variants[random.below(variants.size())];
}

// A field of a stage, by its type.

void choose(float& field, random_integers& random) {
    constexpr float ranges[] = {0.1f, 0.5f, 1.0f, 1.2f, 4.0f, 40.0f};
    field = random_share(random, ranges[random.below(std::size(ranges))]);
}
void choose(std::int32_t& field, random_integers& random) {
    field = random_bool(random) ? random_below(random, 20) - 1 : random_below(random, 1200);
}
void choose(std::size_t& field, random_integers& random) { field = random_least(random); }
template <class Seed>
    requires(!std::is_same_v<Seed, std::size_t> && std::is_same_v<Seed, std::uint64_t>)
void choose(Seed& field, random_integers& random) {
    field = random.next();
}
void choose(bool& field, random_integers& random) { field = random_bool(random); }
void choose(token_set& field, random_integers& random) { field = random_tokens(random, 60); }
void choose(token_sequences& field, random_integers& random) {
    std::vector<std::vector<token_id>> sequences(random.below(4));
    for (auto& sequence : sequences) sequence = random_sequence(random);
    field = token_sequences(sequences);
}
void choose(std::vector<biased_sequence>& field, random_integers& random) {
    field.clear();
    for (std::size_t i = random.below(6); i > 0; --i)
        field.push_back({random_sequence(random), random_bool(random) ? illegal_logit : random.bell(4.0f)});
}
/// Texts, words of a mask and the like stay.
template <class Other>
void choose(Other&, random_integers&) {}

/// A stage with parameters that no list has.
any_spec random_parameters(random_integers& random) {
    any_spec stage = random_variant(random);
    const any_spec listed = stage;
    const bool has_meaning = std::visit(
        [&]<class S>(S& spec) {
            std::apply([&](auto&... field) { (choose(field, random), ...); }, reference::fields_of(spec));
            if constexpr (requires { (spec.check)(); }) return (spec.check)().ok();
            else return true;
        },
        stage);
    return has_meaning ? stage : listed;
}

}  // namespace

any_spec random_stage(random_integers& random) {
    return random_bool(random) ? random_parameters(random) : random_variant(random);
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
