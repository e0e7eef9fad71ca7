#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/number_automaton.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/regex/automaton_expression.hpp>
#include <riffle/constraint/regex/character_automaton.hpp>
#include <riffle/constraint/walks.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the numbers of a branch.
template <class Rules, class Reader>
class number_writer {
public:
    using writing = schema_writing<Rules, Reader>;
    using expressions = typename writing::expressions;

    explicit number_writer(writing& w) : w_(w) {}

    /// False where there is a problem, which the reader has.
    bool write(const schema_branch& b, expressions& ways) {
        number_set n = w_.boxes.numbers_of(b);
        const auto known = std::find_if(known_.begin(), known_.end(), [&](const auto& k) { return k.of == n; });
        if (known != known_.end()) {
            if (known->made != none) ways.push_back(known->made);
            return true;
        }
        character_automaton automaton;
        std::uint32_t most_characters = walk::unlimited;
        if (!number_automaton<number_set>(n, w_.options.most_digits).make(most_counting_states, automaton)) {
            most_characters = (std::max)(w_.options.most_digits, 1u);
            if (!number_automaton<number_set>(n, w_.options.most_digits, false).make(most_states, automaton))
                return w_.reader().refuse(
                    w_.place_of(b, {"multipleOf", "minimum", "maximum"}),
                    "the bounds and divisors of this number need more states than the limit allows");
        }
        expression_id made = none;
        plain_characters<Rules> plain(w_.rules);
        if (!automaton.empty()) {
            made = w_.shared_rule(automaton_expression(w_.rules, automaton, plain, 0, most_characters), "number");
            ways.push_back(made);
        }
        known_.push_back({std::move(n), made});
        return true;
    }

private:
    enum : std::size_t { most_counting_states = 1 << 12, most_states = 1 << 16 };
    enum : expression_id { none = ~0u };

    struct written {
        number_set of;
        expression_id made;
    };

    writing& w_;
    std::vector<written> known_;  ///< what was written before
};

}  // namespace riffle::detail
