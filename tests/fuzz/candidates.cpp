// An array of candidates with any bits: ids that repeat or are negative, logits that are no numbers, a wrong `sorted`.

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

using namespace riffle;

/// A chain of up to four stages with parameters of any kind, perhaps with a selector.
dynamic_chain any_chain(input& in) {
    dynamic_chain c;
    for (std::size_t stages = in.below(5); stages > 0; --stages) switch (in.below(20)) {
        case 0: c.push(top_k{.k = in.whole()}); break;
        case 1: c.push(top_p{.p = in.real(), .min_keep = in.size()}); break;
        case 2: c.push(min_p{.p = in.real(), .min_keep = in.size()}); break;
        case 3: c.push(typical{.p = in.real(), .min_keep = in.size()}); break;
        case 4: c.push(temperature{.t = in.real()}); break;
        case 5: c.push(dynamic_temperature{.t = in.real(), .range = in.real(), .exponent = in.real()}); break;
        case 6: c.push(soft_cap{.cap = in.real()}); break;
        case 7: c.push(quadratic{.factor = in.real(), .curve = in.real()}); break;
        case 8: c.push(top_n_sigma{.n = in.real()}); break;
        case 9: c.push(xtc{.probability = in.real(), .threshold = in.real(), .min_keep = in.size()}); break;
        case 10: c.push(top_a{.a = in.real()}); break;
        case 11: c.push(tail_free{.z = in.real(), .min_keep = in.size(), .centred = in.byte() % 2 == 0}); break;
        case 12: c.push(epsilon_cutoff{.epsilon = in.real(), .min_keep = in.size()}); break;
        case 13: c.push(eta_cutoff{.epsilon = in.real(), .min_keep = in.size()}); break;
        case 14: c.push(top_h{.alpha = in.real(), .min_keep = in.size(), .renormalised = in.byte() % 2 == 0}); break;
        case 15: c.push(min_k{.tau = in.real()}); break;
        case 16: c.push(p_less{.normalised = in.byte() % 2 == 0}); break;
        case 17: c.push(penalties{.last_n = in.whole(), .repeat = in.real(), .frequency = in.real()}); break;
        case 18: c.push(logit_bias{.biases = {{in.whole(), in.real()}, {in.whole(), illegal_logit}}}); break;
        default: c.push(factual_nucleus{.p = in.real(), .decay = in.real(), .p_min = in.real()}); break;
    }
    switch (in.below(8)) {
        case 0: c.push(greedy{}); break;
        case 1: c.push(dist{.seed = in.byte()}); break;
        case 2: c.push(gumbel{.seed = in.byte()}); break;
        case 3: c.push(skew{.amount = in.real()}); break;
        case 4: c.push(mirostat{.tau = in.real(), .eta = in.real(), .m = in.whole(), .n_vocab = in.whole()}); break;
        case 5: c.push(mirostat_v2{.tau = in.real(), .eta = in.real()}); break;
        case 6: c.push(adaptive_p{.target = in.real(), .decay = in.real()}); break;
        default: break;  // none
    }
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
