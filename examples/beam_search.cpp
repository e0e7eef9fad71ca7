// Beam search with one chain: marks and forks in the place of copies of a model's state, and weigh() for the exact
// probability of each token, penalties included. Beside it the best text of all, found by trying every one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include <riffle/riffle.hpp>
using namespace riffle;

namespace {

constexpr std::size_t vocabulary_size = 8, length = 6;

/// What a model might say behind a text.
std::vector<float> logits_behind(const std::vector<token_id>& text) {
    std::uint32_t state = 12345;
    for (const token_id token : text) state = state * 1664525u + std::uint32_t(token) + 1013904223u;
    std::vector<float> row(vocabulary_size);
    for (float& logit : row) {
        state = state * 1664525u + 1013904223u;
        logit = float(state >> 20) / 1024.0f;
    }
    return row;
}

// [begin:beams]
template <class Chain>
struct beam {
    Chain chain;  // stands behind the text
    std::vector<token_id> text;
    double log_probability = 0.0;
};

/// The `width` likeliest texts, one token longer.
template <class Chain>
std::vector<beam<Chain>> longer(std::vector<beam<Chain>>& beams, std::size_t width) {
    struct step_of_beam {
        std::size_t of;
        token_id token;
        double log_probability;
    };
    std::vector<step_of_beam> all;
    for (std::size_t i = 0; i < beams.size(); ++i) {
        const auto logits = logits_behind(beams[i].text);
        const weighed law = beams[i].chain.weigh(logits);
        law.each([&](token_id token, std::uint64_t weight) {
            const double p = double(weight) / double(law.total());
            all.push_back({i, token, beams[i].log_probability + std::log(p)});
        });
    }
    const std::size_t kept = std::min(width, all.size());
    std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(kept), all.end(),
                      [](const auto& a, const auto& b) { return a.log_probability > b.log_probability; });
    std::vector<beam<Chain>> next;
    for (std::size_t i = 0; i < kept; ++i) {
        next.push_back(beams[all[i].of]);  // a copy of a chain is a clone, in less than a microsecond
        next.back().chain.accept(all[i].token);
        next.back().text.push_back(all[i].token);
        next.back().log_probability = all[i].log_probability;
    }
    return next;
}
// [end:beams]

/// The likeliest text of all, by trying every one: one chain, marks and rollbacks.
template <class Chain>
void try_all(Chain& chain, std::vector<token_id>& text, double log_probability, std::vector<token_id>& best,
             double& best_log_probability) {
    if (text.size() == length) {
        if (log_probability <= best_log_probability) return;
        best_log_probability = log_probability;
        best = text;
        return;
    }
    const auto logits = logits_behind(text);
    std::vector<double> p(vocabulary_size);
    const weighed law = chain.weigh(logits);
    for (std::size_t i = 0; i < vocabulary_size; ++i) p[i] = double(law.weight(token_id(i))) / double(law.total());
    for (std::size_t i = 0; i < vocabulary_size; ++i) {
        if (p[i] == 0.0) continue;
        const checkpoint here = chain.mark();
        chain.accept(token_id(i));
        text.push_back(token_id(i));
        try_all(chain, text, log_probability + std::log(p[i]), best, best_log_probability);
        text.pop_back();
        if (!chain.rollback(here)) std::printf("cannot go back\n");
    }
}

void print(const char* what, const std::vector<token_id>& text, double log_probability) {
    std::printf("%-28s", what);
    for (const token_id token : text) std::printf(" %d", token);
    std::printf("   probability %.5f\n", std::exp(log_probability));
}

}  // namespace

int main() {
    auto chain = penalties{.repeat = 1.3f} | temperature{.t = 0.7f} | dist{.seed = 1};

    std::vector<token_id> greedy_text;
    double greedy_log_probability = 0.0;
    for (auto one = chain; greedy_text.size() < length;) {
        const auto logits = logits_behind(greedy_text);
        const auto likeliest = one.distribution(logits, 1)[0];
        greedy_log_probability += std::log(double(likeliest.p));
        greedy_text.push_back(likeliest.id);
        one.accept(likeliest.id);
    }
    print("the likeliest token each time", greedy_text, greedy_log_probability);

    double by_beams = 0.0;
    for (const std::size_t width : {1u, 4u, 64u}) {
        std::vector<beam<decltype(chain)>> beams{{chain, {}, 0.0}};
        for (std::size_t i = 0; i < length; ++i) beams = longer(beams, width);
        char what[32];
        std::snprintf(what, sizeof what, "the best of %zu beams", width);
        print(what, beams[0].text, beams[0].log_probability);
        by_beams = beams[0].log_probability;
    }

    std::vector<token_id> text, best;
    double best_log_probability = -INFINITY;
    try_all(chain, text, 0.0, best, best_log_probability);
    print("the best of all texts", best, best_log_probability);
    return by_beams <= best_log_probability + 1e-9 && by_beams >= greedy_log_probability - 1e-9 ? 0 : 1;
}
