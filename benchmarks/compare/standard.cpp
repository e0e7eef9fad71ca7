// riffle beside what a C++ programmer would otherwise write, on the same rows, in turns: microseconds a sample
// (medians) of the standard library's partial_sort and discrete_distribution, of a full sort, of Eigen's arrays alone,
// and of the chain under numerics::reproducible. They draw from the same distribution by other numbers, so tokens are
// not compared; the distribution is, once for every row.
//
//     compare_standard [V] [steps]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <riffle/riffle.hpp>

#include "../rows.hpp"
#include "turns.hpp"

namespace {

using namespace riffle;
using namespace compared;

/// What is asked for: the k greatest (0 = all), of those a nucleus of p (1 = all), at a temperature.
struct wish {
    std::size_t k;
    float p;
    float t;
};

/// A token of the tokens in `order`, by their probabilities, which are left in `weights`.
class standard_draw {
public:
    explicit standard_draw(const wish& w) : wish_(w) {}

protected:
    token_id draw(const std::vector<float>& row, const std::vector<token_id>& order, std::size_t count) {
        weights.resize(count);
        const float maximum = row[std::size_t(order[0])];
        for (std::size_t i = 0; i < count; ++i)
            weights[i] = std::exp(double((row[std::size_t(order[i])] - maximum) / wish_.t));
        std::discrete_distribution<std::size_t> drawn(weights.begin(), weights.end());
        return order[drawn(random_)];
    }
    /// How many of the sorted are in the nucleus, whose distribution is that of temperature 1 over `count` of them.
    std::size_t nucleus(const std::vector<float>& row, const std::vector<token_id>& order, std::size_t count) const {
        if (wish_.p >= 1.0f) return count;
        const float maximum = row[std::size_t(order[0])];
        double total = 0.0, sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) total += std::exp(double(row[std::size_t(order[i])] - maximum));
        for (std::size_t i = 0; i < count; ++i)
            if ((sum += std::exp(double(row[std::size_t(order[i])] - maximum))) > double(wish_.p) * total) return i + 1;
        return count;
    }

    wish wish_;
    std::mt19937 random_{42};
    std::vector<token_id> order_;

public:
    std::vector<double> weights;
};

/// std::partial_sort of indices where there is a k, else no sort at all: a nucleus needs one.
struct by_partial_sort : standard_draw {
    using standard_draw::standard_draw;
    token_id sample(const std::vector<float>& row) {
        order_.resize(row.size());
        std::iota(order_.begin(), order_.end(), 0);
        const auto greater = [&](token_id a, token_id b) { return row[std::size_t(a)] > row[std::size_t(b)]; };
        const std::size_t count = wish_.k ? std::min(wish_.k, row.size()) : row.size();
        if (wish_.k) std::partial_sort(order_.begin(), order_.begin() + std::ptrdiff_t(count), order_.end(), greater);
        else if (wish_.p < 1.0f) std::sort(order_.begin(), order_.end(), greater);
        else std::iter_swap(order_.begin(), std::min_element(order_.begin(), order_.end(), greater));
        return draw(row, order_, nucleus(row, order_, count));
    }
};

/// Everything sorted first, as many a tutorial does.
struct by_full_sort : standard_draw {
    using standard_draw::standard_draw;
    token_id sample(const std::vector<float>& row) {
        order_.resize(row.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(),
                  [&](token_id a, token_id b) { return row[std::size_t(a)] > row[std::size_t(b)]; });
        return draw(row, order_, nucleus(row, order_, wish_.k ? std::min(wish_.k, row.size()) : row.size()));
    }
};

/// Eigen's array expressions; what they do not have, the k greatest and the nucleus, by a threshold that nth_element
/// and a sort of the weights find.
class by_eigen {
public:
    explicit by_eigen(const wish& w) : wish_(w) {}
    token_id sample(const std::vector<float>& row) {
        const Eigen::Map<const Eigen::ArrayXf> logits(row.data(), Eigen::Index(row.size()));
        const float maximum = logits.maxCoeff();
        float least = -INFINITY;
        if (wish_.k && wish_.k < row.size()) {
            values_.assign(row.begin(), row.end());
            std::nth_element(values_.begin(), values_.begin() + std::ptrdiff_t(wish_.k - 1), values_.end(),
                             std::greater<>());
            least = values_[wish_.k - 1];
        }
        if (wish_.p < 1.0f) {
            weights_ = (logits >= least).select((logits - maximum).exp(), 0.0f);
            values_.assign(weights_.begin(), weights_.end());
            std::sort(values_.begin(), values_.end(), std::greater<>());
            const float total = weights_.sum();
            float sum = 0.0f, last = 0.0f;
            for (std::size_t i = 0; i < values_.size() && sum <= wish_.p * total; ++i) sum += last = values_[i];
            least = std::max(least, maximum + std::log(last));
        }
        weights_ = (logits >= least).select(((logits - maximum) / wish_.t).exp(), 0.0f);
        const float target = float(random_()) * 0x1p-32f * weights_.sum();
        float running = 0.0f;
        Eigen::Index id = 0;
        for (; id + 1 < weights_.size(); ++id)
            if ((running += weights_[id]) > target) break;
        return token_id(id);
    }

private:
    wish wish_;
    std::mt19937 random_{42};
    std::vector<float> values_;
    Eigen::ArrayXf weights_;
};

/// Their distributions agree where there are no equal logits at a cut: as many tokens, the greatest as likely.
template <class Chain>
void require_the_same_distribution(const row_set& rows, by_full_sort sorted, Chain own) {
    for (const auto& row : rows) {
        sorted.sample(row);
        const auto distribution = own.distribution(row);
        const double total = std::accumulate(sorted.weights.begin(), sorted.weights.end(), 0.0);
        const auto weighing =
            std::size_t(std::count_if(sorted.weights.begin(), sorted.weights.end(), [](double w) { return w > 1e-8; }));
        if (distribution.size() + 2 >= weighing &&
            std::fabs(double(distribution[0].p) - sorted.weights[0] / total) < 1e-4)
            continue;
        std::fprintf(stderr, "the distributions differ: %zu and %zu tokens, the greatest %g and %g\n",
                     distribution.size(), weighing, double(distribution[0].p), sorted.weights[0] / total);
        std::exit(1);
    }
}

template <class... Stages>
void compare(const char* name, const wish& w, const std::string& kind, const row_set& rows, int steps,
             const Stages&... stages) {
    by_partial_sort partial(w);
    by_full_sort full(w);
    by_eigen eigen(w);
    auto own = chain(stages...);
    require_the_same_distribution(rows, full, own);
    const auto [p, f, e, o] = take_turns(rows, steps, partial, full, eigen, own).microseconds;
    std::printf("| %s | %s | %.0f (%.0f×) | %.0f (%.0f×) | %.0f (%.0f×) | %.1f |\n", kind.c_str(), name, p, p / o, f,
                f / o, e, e / o, o);
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
    const std::size_t size = count > 1 ? std::size_t(std::atoll(words[1])) : 128256;
    const int steps = count > 2 ? std::atoi(words[2]) : 200;
    std::printf("V = %zu\n\n| rows | chain | partial_sort, discrete_distribution µs | sort µs | Eigen µs | riffle µs "
                "|\n|---|---|---|---|---|---|\n",
                size);
    for (const auto& [kind, make] : rows::of_models) {
        const row_set rows = rows::eight(make, size);
        compare("top_k 40 \\| temperature .8 \\| dist", {40, 1.0f, 0.8f}, kind, rows, steps, top_k{40},
                temperature{0.8f}, dist{1});
        compare("top_k 40 \\| top_p .95 \\| temperature .8 \\| dist", {40, 0.95f, 0.8f}, kind, rows, steps, top_k{40},
                top_p{0.95f}, temperature{0.8f}, dist{1});
        compare("temperature .8 \\| dist", {0, 1.0f, 0.8f}, kind, rows, steps, temperature{0.8f}, dist{1});
        compare("top_p .95 \\| temperature .8 \\| dist", {0, 0.95f, 0.8f}, kind, rows, steps, top_p{0.95f},
                temperature{0.8f}, dist{1});
    }
}
