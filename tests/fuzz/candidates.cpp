// An array of candidates with any bits: ids that repeat or are negative, logits that are no numbers, a wrong `sorted`.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/fuzz.hpp"
#include "reference/fields.hpp"
#include "reference/stages.hpp"

namespace riffle_tests::fuzz {

namespace {

using namespace riffle;

// A field of a stage, by its type.

void read(float& field, input& in) { field = in.real(); }
void read(std::int32_t& field, input& in) { field = in.whole(); }
void read(std::size_t& field, input& in) { field = in.size(); }
void read(bool& field, input& in) { field = in.byte() % 2 == 0; }
void read(token_set& field, input& in) {
    for (std::size_t ids = in.below(4); ids > 0; --ids) field.add(in.byte());
}
void read(std::vector<logit_bias_entry>& field, input& in) {
    field = {{in.whole(), in.real()}, {in.whole(), illegal_logit}};
}
void read(std::vector<biased_sequence>& field, input& in) { field = {{{in.byte(), in.byte()}, in.real()}}; }
template <class Other>
void read(Other&, input&) {}

template <std::size_t Type>
status push_stage(dynamic_chain& c, input& in) {
    std::variant_alternative_t<Type, reference::any_spec> stage;
    std::apply([&](auto&... field) { (read(field, in), ...); }, reference::fields_of(stage));
    return c.push(std::move(stage));
}
constexpr std::size_t types = std::variant_size_v<reference::any_spec>;
using push_function = status (*)(dynamic_chain&, input&);
constexpr auto push_of_type = []<std::size_t... Type>(std::index_sequence<Type...>) {
    return std::array<push_function, types>{push_stage<Type>...};
}(std::make_index_sequence<types>());

/// A chain of up to four stages with parameters of any kind, perhaps with a selector.
dynamic_chain any_chain(input& in) {
    dynamic_chain c;
    for (std::size_t stages = in.below(5); stages > 0; --stages)
        push_of_type[reference::selectors + in.below(types - reference::selectors)](c, in);
    if (const std::size_t selector = in.below(reference::selectors + 1); selector < reference::selectors)
        push_of_type[selector](c, in);
    return c;
}

/// A few different candidates over and over, so that a short input makes a long array.
std::vector<token_data> any_candidates(input& in) {
    std::vector<token_data> all(in.below(1500));
    token_data words[16];
    const std::size_t different = 1 + in.below(16);
    for (std::size_t i = 0; i < different; ++i)
        words[i] = {in.whole(), in.byte() % 2 ? in.number<float>() : in.real(), in.number<float>()};
    const bool own_ids = in.byte() % 4 != 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = words[i % different];
        if (own_ids) all[i].id = token_id(i);
    }
    return all;
}

std::map<token_id, int> ids_of(const riffle::candidates& c) {
    std::map<token_id, int> count;
    for (const token_data& t : c) ++count[t.id];
    return count;
}

}  // namespace

void candidates(input in) {
    dynamic_chain chain = any_chain(in);
    for (std::size_t n = in.below(4); n > 0; --n) chain.accept(in.whole());
    std::vector<token_data> all = any_candidates(in);
    riffle::candidates c{all.data(), all.size(), in.byte() % 2 ? -1 : in.number<std::int64_t>(), in.byte() % 4 == 0};

    const auto before = ids_of(c);
    const status s = chain.apply(c);
    must(c.data == all.data(), "candidates stay where they are");
    must(c.size <= all.size(), "there are not more candidates than before");
    for (const auto& [id, count] : ids_of(c)) {
        const auto known = before.find(id);
        must(known != before.end() && known->second >= count, "every candidate left was there before");
    }
    if (!s.ok()) return;
    must(c.selected >= -1 && c.selected < std::int64_t(c.size), "the chosen candidate is one of those left, or none");
    for (const token_data& t : c) must(!std::isnan(t.logit), "no logit is left that is not a number");
}

}  // namespace riffle_tests::fuzz
