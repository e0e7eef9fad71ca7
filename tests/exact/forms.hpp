#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/exact/all_forms.hpp>

#include "not_a_number.hpp"
#include "reference/variants.hpp"

namespace riffle_tests {

using namespace riffle;

template <class Spec>
concept stateful_form = requires { typename exact::form<Spec>::state; };

/// Candidates, and what a chain keeps around its forms.
class bench {
public:
    /// Ids are indices.
    explicit bench(const std::vector<float>& logits = {}) {
        EXPECT_TRUE(tokens.reserve(longest_window));
        load(logits);
    }
    void load(const std::vector<float>& logits) {
        list.clear();
        for (const float logit : logits) list.push_back({token_id(list.size()), logit, 0.0f});
        c = {list.data(), list.size(), -1, false};
    }
    static bench of_probabilities(std::initializer_list<float> p) {
        std::vector<float> logits;
        for (const float share : p) logits.push_back(std::log(share));
        return bench(logits);
    }
    void say(std::initializer_list<token_id> said) {
        for (const token_id token : said) tokens.push(token, true);
    }

    template <class Spec>
    status_code apply(const Spec& spec) {
        const context past(tokens, {}, slots.data(), lengths.data());
        exact::form_context x{past, memory};
        if constexpr (stateful_form<Spec>) {
            typename exact::form<Spec>::state s(spec);
            return exact::form<Spec>::apply(spec, s, c, x);
        } else {
            return exact::form<Spec>::apply(spec, c, x);
        }
    }
    template <stateful_form Spec>
    status_code apply(const Spec& spec, typename exact::form<Spec>::state& s) {
        const context past(tokens, {}, slots.data(), lengths.data());
        exact::form_context x{past, memory};
        return exact::form<Spec>::apply(spec, s, c, x);
    }

    std::vector<token_id> ids() const {
        std::vector<token_id> all;
        for (const auto& token : c) all.push_back(token.id);
        return all;
    }
    std::vector<float> logits() const {
        std::vector<float> all;
        for (const auto& token : c) all.push_back(token.logit);
        return all;
    }
    token_id chosen() const { return c.selected < 0 ? null_token : c[std::size_t(c.selected)].id; }

    static constexpr std::size_t longest_window = 64;
    std::vector<token_data> list;
    candidates c;
    history tokens;
    exact::workspace memory;
    std::vector<token_counts::slot> slots = std::vector<token_counts::slot>(token_counts::slots_for(longest_window));
    std::vector<std::int32_t> lengths = std::vector<std::int32_t>(longest_window);
};

/// (Not inlined: g++ 12 warns of a memmove that vector::insert never makes.)
RIFFLE_NOINLINE inline vocabulary vocabulary_of(std::initializer_list<text> pieces) {
    vocabulary v;
    for (const text& piece : pieces) v.add(piece);
    return v;
}

/// p of the candidates in their order, as llama.cpp's own tests compare it.
inline void expect_p(const bench& b, std::initializer_list<double> expected) {
    ASSERT_EQ(b.c.size, expected.size());
    for (std::size_t i = 0; i < b.c.size; ++i) EXPECT_NEAR(double(b.c[i].p), expected.begin()[i], 1e-5) << i;
}

}  // namespace riffle_tests
