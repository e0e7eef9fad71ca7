#pragma once
// What tests of weigh and accept_choice share, whatever a chain's numerics.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/riffle.hpp>

#include "chain/same_place.hpp"
#include "reference/agreement.hpp"
#include "reference/rows.hpp"
#include "reference/stages.hpp"

namespace riffle_tests {

inline bool same_status(const riffle::status& a, const riffle::status& b) {
    return a.code() == b.code() && a.saw_nan() == b.saw_nan() && a.saw_infinity() == b.saw_infinity() &&
           std::string(a.message().c_str()) == b.message().c_str();
}
inline bool same_step(const riffle::step& a, const riffle::step& b) {
    return same_status(a.state, b.state) && a.rewind == b.rewind && a.finished == b.finished && a.refused == b.refused;
}
/// By id.
inline std::vector<std::uint64_t> all_weights(const riffle::weighed& law, std::size_t size) {
    std::vector<riffle::token_weight> tokens;
    for (std::size_t id = 0; id < size; ++id) tokens.push_back({riffle::token_id(id), 0});
    law.fill_weights(tokens);
    std::vector<std::uint64_t> weights;
    for (const riffle::token_weight& one : tokens) weights.push_back(one.weight);
    return weights;
}

/// Rows of all shapes by turns, each of one of some sizes.
class rows_in_turn {
public:
    rows_in_turn(std::uint64_t seed, std::span<const std::size_t> sizes) : random_(seed), sizes_(sizes) {}
    std::vector<float> next() {
        kind_ = all_shapes[count_++ % all_shapes.size()];
        return make_row(kind_, sizes_[random_.below(sizes_.size())], random_.next());
    }
    std::string what() const { return std::string(name_of(kind_)) + ", row " + std::to_string(count_); }
    random_integers& random() { return random_; }

private:
    random_integers random_;
    std::span<const std::size_t> sizes_;
    std::size_t count_ = 0;
    shape kind_ = shape::random;
};

/// One of each that draws or chooses otherwise than the rest.
inline const std::vector<reference::any_spec>& every_selector() {
    using namespace riffle;
    static const std::vector<reference::any_spec> all{greedy{},
                                                      dist{3},
                                                      gumbel{4},
                                                      skew{0.7f, 5},
                                                      mirostat{3.0f, 0.4f, 60, 3000, 6},
                                                      mirostat_v2{4.0f, 0.4f, 7},
                                                      adaptive_p{0.3f, 0.8f, 8}};
    return all;
}
inline reference::any_spec with_seed(reference::any_spec selector, std::uint64_t seed) {
    std::visit(
        [&](auto& s) {
            if constexpr (requires { s.seed; }) s.seed = seed;
        },
        selector);
    return selector;
}

/// Stages, and what was accepted behind the short prompt: another chain can be brought to the same place. (A copy
/// cannot, under numerics::llama: llama.cpp's clone of adaptive_p draws from the beginning again.) push(chain, stage)
/// adds one to a chain.
template <class Chain, auto push>
class chain_line {
public:
    explicit chain_line(std::vector<reference::any_spec> stages) : stages_(std::move(stages)) {}

    bool has_meaning() const { return begin().last_status().ok(); }
    Chain begin() const { return made_with(stages_.back()); }
    /// At this place, with another seed of the selector, or its own for 0.
    Chain at(const riffle::checkpoint& place, std::uint64_t seed = 0) const {
        Chain c = made_with(seed == 0 ? stages_.back() : with_seed(stages_.back(), seed));
        for (const riffle::token_id token : accepted_) c.accept(token);
        EXPECT_TRUE(c.rollback(place)) << what();
        return c;
    }
    void accept(riffle::token_id token) { accepted_.push_back(token); }
    std::string what() const { return reference::describe(reference::model{stages_, {}}); }

private:
    Chain made_with(const reference::any_spec& selector) const {
        Chain c;
        for (std::size_t i = 0; i + 1 < stages_.size(); ++i) push(c, stages_[i]);
        push(c, selector);
        if (c.last_status().ok()) c.prompt(short_prompt);
        return c;
    }

    std::vector<reference::any_spec> stages_;
    std::vector<riffle::token_id> accepted_;
};

/// Other seeds draw other tokens at the same place. Whoever takes one of those stands where such a chain stands, has
/// used up as many random words, and has learnt the same. Where `all_weigh` is false, tokens that were drawn may be too
/// unlikely for a weight; those are left out.
template <class Line>
void expect_others_choices(Line line, rows_in_turn& rows, int steps, bool all_weigh) {
    riffle::checkpoint place = line.begin().mark();
    for (int i = 0; i < steps; ++i) {
        const auto row = rows.next(), behind = rows.next();
        riffle::token_id taken = riffle::null_token;
        for (const std::uint64_t seed : {101u, 102u, 103u}) {
            auto other = line.at(place, seed), c = line.at(place);
            const riffle::token_id token = other.sample(row);
            if (token < 0) continue;
            const std::uint64_t weight = c.weigh(row).weight(token);
            if (weight == 0 && !all_weigh) continue;
            ASSERT_GT(weight, 0u) << rows.what() << ", " << line.what();
            ASSERT_TRUE(same_step(c.accept_choice(token), other.last_step())) << rows.what() << ", " << line.what();
            ASSERT_TRUE(same_place(c.mark(), other.mark())) << rows.what() << ", " << line.what();
            ASSERT_EQ(all_weights(c.weigh(behind), behind.size()), all_weights(other.weigh(behind), behind.size()))
                << rows.what() << ", " << line.what();
            taken = token;
        }
        if (taken < 0) continue;
        auto c = line.at(place);
        c.weigh(row);
        c.accept_choice(taken);
        place = c.mark();
        line.accept(taken);
    }
}

// ---- what may come between weigh and accept_choice, which is then no choice: each calls test(name, event), and
// event(chain, row) is what happens

template <class Chain, class Test>
void each_token_between(Test test) {
    test("accept", [](Chain& c, std::span<const float>) { c.accept(2); });
    test("a refused token", [](Chain& c, std::span<const float>) { c.accept(-1); });
    test("prompt", [](Chain& c, std::span<const float>) { c.prompt(std::array{1, 2}); });
    test("sample", [](Chain& c, std::span<const float> row) { c.sample(row); });
}
template <class Chain, class Test>
void each_way_back_between(Test test) {
    test("rollback", [](Chain& c, std::span<const float>) {
        const riffle::checkpoint here = c.mark();
        EXPECT_TRUE(c.rollback(here));
    });
    test("rewind", [](Chain& c, std::span<const float>) { EXPECT_TRUE(c.rewind(1)); });
    test("reset", [](Chain& c, std::span<const float>) { c.reset(); });
}
template <class Chain, class Test>
void each_look_between(Test test) {
    test("peek", [](Chain& c, std::span<const float> row) { c.peek(row); });
    test("distribution", [](Chain& c, std::span<const float> row) { c.distribution(row); });
    test("the first", [](Chain& c, std::span<const float> row) { c.distribution(row, 3); });
    test("logprobs", [](Chain& c, std::span<const float> row) { c.logprobs(row, 5); });
    test("logprobs before", [](Chain& c, std::span<const float> row) { c.logprobs(row, 5, riffle::before); });
    test("no law", [](Chain& c, std::span<const float>) { c.weigh({}); });
    test("another row's law", [](Chain& c, std::span<const float>) {
        const std::vector<float> one{1.0f};
        c.weigh(one);
    });
    test("apply", [](Chain& c, std::span<const float> row) {
        auto memory = candidates_of(row.first(10));
        riffle::candidates few{memory.data(), memory.size(), -1, false};
        c.apply(few);
    });
}
template <class Chain, class Test>
void each_copy_between(Test test) {
    test("a copy", [](Chain& c, std::span<const float>) {
        Chain copy = c;
        c = copy;
    });
    test("a move", [](Chain& c, std::span<const float>) {
        Chain moved = std::move(c);
        c = std::move(moved);
    });
    test("a fork", [](Chain& c, std::span<const float>) { c = c.fork(3); });
    test("more memory", [](Chain& c, std::span<const float>) { EXPECT_TRUE(c.reserve(100000)); });
}

}  // namespace riffle_tests
