#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <riffle/constraint/choices/prefix_tree.hpp>
#include <riffle/core/draws.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a model says of whole choices.
struct choice_scores {
    enum : std::int32_t { none = -1 };

    /// Of each choice, as the model says it: the logarithm of the probability of all its tokens, the end included. -inf
    /// for one that is off, or cannot be spelt.
    std::vector<double> log_probability;
    /// Of each choice among those that are on, with its bias: they add up to 1. 0 for the others.
    std::vector<double> probability;
    /// Of the whole vocabulary's probability, how much the choices that are on have, without their biases: a small part
    /// says that the model would rather say something else.
    double mass = 0.0;
    /// Of `probability`, in nats: 0 where one choice has all of it, log(n) where n have the same.
    double entropy = 0.0;

    /// The most likely choice, of equal ones the lowest number; -1: none has a probability.
    std::int32_t most_likely() const noexcept { return most_likely_above(0.0); }
    /// The most likely choice, if its probability is greater than the threshold; -1: better none.
    std::int32_t most_likely_above(double threshold) const noexcept {
        const auto best = std::max_element(probability.begin(), probability.end());
        return best != probability.end() && *best > threshold ? std::int32_t(best - probability.begin())
                                                              : std::int32_t{none};
    }
    /// A choice drawn by its probability; -1: none has one. `number` tells draws of one seed apart.
    std::int32_t draw(std::uint64_t seed, std::uint32_t number = 0) const noexcept {
        const draws random(seed, {.position = number}, stream_of(stream_kind::user, 0));
        return draw_at(double(random.bits() >> 11) * 0x1p-53);
    }
    /// A choice by a number from 0 up to 1, which is where it lies in the sum of probabilities.
    std::int32_t draw_at(double place) const noexcept {
        std::int32_t last = none;
        double sum = 0.0;
        for (std::size_t i = 0; i < probability.size(); ++i) {
            if (!(probability[i] > 0.0)) continue;
            last = std::int32_t(i);
            if (place < (sum += probability[i])) break;
        }
        return last;
    }
    /// Those with a probability, the greatest first, of equal ones the lowest number. Throws std::bad_alloc.
    std::vector<std::size_t> most_likely_first() const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < probability.size(); ++i)
            if (probability[i] > 0.0) order.push_back(i);
        std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return probability[a] != probability[b] ? probability[a] > probability[b] : a < b;
        });
        return order;
    }
};

/// Scores choices again and again without allocating.
class choice_scorer {
public:
    /// What score_choices does, into scores that are used again. Throws std::bad_alloc.
    template <class Matcher, class LogProbability>
    void score(const Matcher& of, LogProbability log_probability, choice_scores& into, double temperature = 1.0) {
        numbers_.find(of);
        const auto& entries = numbers_.entries();
        below_.resize(entries.size());
        for (std::size_t n = 0; n < entries.size(); ++n) {
            if (entries[n] == detail::batch_numbers::none) continue;
            const std::uint32_t parent = of.data()->tokens[n].parent;
            const double ahead = parent == detail::choice_data::none ? 0.0 : below_[parent];
            const double here = double(log_probability(std::size_t{entries[n]}));
            below_[n] = here == here ? ahead + here : -infinity;
        }
        into.log_probability.assign(of.size(), -infinity);
        into.mass = 0.0;
        is_counted_.assign(of.size() == 0 ? 0 : of.data()->bytes.size(), 0);
        for (std::size_t i = 0; i < of.size(); ++i) {
            if (!of.is_enabled(i)) continue;
            double all = 0.0;
            for (const std::uint32_t last : of.data()->last_of(i)) all += std::exp(below_[last] - greatest_of(of, i));
            if (all > 0.0) into.log_probability[i] = greatest_of(of, i) + std::log(all);
            if (std::uint8_t& is_counted = is_counted_[of.data()->end_of[i]]; !is_counted) {  // equal texts once
                is_counted = 1;
                into.mass += std::exp(into.log_probability[i]);
            }
        }
        normalise(of, temperature, into);
    }

private:
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    template <class Matcher>
    double greatest_of(const Matcher& of, std::size_t choice) const {
        double greatest = -infinity;
        for (const std::uint32_t last : of.data()->last_of(choice)) greatest = (std::max)(greatest, below_[last]);
        return greatest > -infinity ? greatest : 0.0;
    }
    template <class Matcher>
    static void normalise(const Matcher& of, double temperature, choice_scores& into) {
        const std::size_t count = of.size();
        into.probability.assign(count, 0.0);
        into.entropy = 0.0;
        double greatest = -infinity;
        const auto weight = [&](std::size_t i) {
            const double said = into.log_probability[i];
            return said > -infinity ? said + double(of.bias(i)) : -infinity;
        };
        for (std::size_t i = 0; i < count; ++i) greatest = (std::max)(greatest, weight(i));
        if (!(greatest > -infinity)) return;
        double sum = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            if (weight(i) == greatest) into.probability[i] = 1.0;  // also where that is infinite
            else if (weight(i) > -infinity && temperature > 0.0)
                into.probability[i] = std::exp((weight(i) - greatest) / temperature);
            sum += into.probability[i];
        }
        for (double& p : into.probability) {
            p /= sum;
            if (p > 0.0) into.entropy -= p * std::log(p);
        }
    }

    detail::batch_numbers numbers_;
    std::vector<double> below_;             ///< of each node: all tokens up to it
    std::vector<std::uint8_t> is_counted_;  ///< of each node of bytes: in the mass
};

/// Exact probabilities of whole choices, from those of single tokens: `log_probability(entry)` is the logarithm of the
/// model's probability of prefix_tree(m).tokens[entry] behind its parents, as the row of logits behind them says it. A
/// NaN counts as -inf.
///
///     const choice_scores scores = score_choices(action, [&](std::size_t i) {
///         return log_probability_of(row_behind(tree.parents[i]), tree.tokens[i]);
///     });
///     scores.most_likely();              // greedy over choices
///     scores.draw(seed);                 // one drawn by its probability
///     scores.most_likely_above(0.6);     // or none: ask the player
///
/// Picking token by token (constrain{m} | greedy{}) may choose another one. Say "trade" is spelt [tra][de] and "travel"
/// [tra][vel], with probabilities .6 for [tra], .5 for each behind it, and .4 for [flee]. Then the whole choices have
/// .3, .3 and .4: the most likely is "flee", but greedy takes [tra] first, and masking gives "trade" or "travel" with
/// .6. Drawing differs as well where part of the probability behind a beginning is of no choice: a mask gives it to
/// those that are left there, and not to all choices.
///
/// Each choice counts in one tokenisation, the matcher's: that of the model's tokeniser where it was given one. (Others
/// have a little of the probability, too.) A choice that another one begins with has to have an end (choice_options),
/// or it would always be the more likely one. `temperature` below 1 sharpens, above 1 flattens; 0 leaves the greatest.
/// Throws std::bad_alloc. O(tokens), some microseconds for 30 choices; choice_scorer allocates once.
template <class Matcher, class LogProbability>
choice_scores score_choices(const Matcher& of, LogProbability log_probability, double temperature = 1.0) {
    choice_scores scores;
    choice_scorer().score(of, log_probability, scores, temperature);
    return scores;
}

}  // namespace riffle
