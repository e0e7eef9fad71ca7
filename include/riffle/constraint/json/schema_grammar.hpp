#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/expressions.hpp>
#include <riffle/constraint/json/array_writer.hpp>
#include <riffle/constraint/json/json_document.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
#include <riffle/constraint/json/number_writer.hpp>
#include <riffle/constraint/json/object_writer.hpp>
#include <riffle/constraint/json/schema_branch.hpp>
#include <riffle/constraint/json/schema_writing.hpp>
#include <riffle/constraint/json/string_writer.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Writes the grammar of a schema: a rule for each set of values that is met, of what its branches are.
template <class Rules, class Reader>
class schema_grammar {
public:
    schema_grammar(Reader& reader, const json_schema_options& options)
        : w_(reader, options), numbers_(w_), strings_(w_), arrays_(w_), objects_(w_, strings_) {}

    /// False where there is a problem, which the reader has.
    bool write(schema_id root) {
        for (const auto& [id, reference] : w_.reader().beside_references()) {
            std::uint8_t types = 0;
            if (!w_.boxes.find_types(w_.boxes.set_of({{id, false}}), types)) return false;
            if (types == 0) w_.reader().keep_reference_alone(id, reference);
        }
        w_.rules.root = w_.rule_of(w_.boxes.set_of({{root, false}}), 0);
        for (std::size_t i = 0; i < w_.keys.count(); ++i) {
            if (w_.keys.count() > w_.options.limits.rules)
                return w_.reader().fail(0, "the schema has more sets of values than the limit allows rules");
            if (w_.rules.expressions.size() > w_.options.limits.nodes)
                return w_.reader().fail(0, "the grammar of this schema has more nodes than the limit allows");
            const std::uint32_t set = w_.keys[i][0], level = w_.keys[i][1];
            expression_id body;
            if (!write_set(set, level, body)) return false;
            w_.rules.rules[w_.rule_numbers[i]].body = body;
        }
        return true;
    }
    Rules& rules() noexcept { return w_.rules; }

private:
    using writing = schema_writing<Rules, Reader>;
    using value_id = typename writing::value_id;
    using expressions = typename writing::expressions;

    bool write_set(std::uint32_t set, std::uint32_t level, expression_id& body) {
        expressions ways;
        std::vector<std::uint32_t> options;
        if (!w_.boxes.options_of(set, options)) return false;
        if (!options.empty()) {
            for (const std::uint32_t o : options) ways.push_back(w_.value(o, level));
            body = w_.layout.one_of(ways);
            return true;
        }
        std::vector<schema_branch> branches;
        if (!w_.boxes.find_branches(set, branches)) return false;
        std::vector<value_id> constants;
        for (const schema_branch& b : branches) {
            if (writing::boxes_type::has_constants(w_.reader(), b)) {
                for (const value_id v : w_.boxes.constants_of(b, set))
                    if (branches.size() == 1 || std::find(constants.begin(), constants.end(), v) == constants.end())
                        constants.push_back(v);
            } else if (!write_branch(b, level, ways)) {
                return false;
            }
        }
        for (const value_id v : constants) ways.push_back(w_.constant(v, level));
        body = w_.layout.one_of(ways);
        return true;
    }
    bool write_branch(const schema_branch& b, std::uint32_t level, expressions& ways) {
        if (b.problem && !w_.reader().refuse(w_.reader().at(b.problem_at).source, b.problem)) return false;
        if ((b.types & type_null) != 0 && !w_.is_excluded(b, json_kind::null, ""))
            ways.push_back(w_.layout.literal("null"));
        for (const char* const name : {"true", "false"})
            if ((b.types & type_boolean) != 0 && !w_.is_excluded(b, json_kind::boolean, name))
                ways.push_back(w_.layout.literal(name));
        if ((b.types & type_number) != 0 && !numbers_.write(b, ways)) return false;
        if ((b.types & type_string) != 0 && !strings_.write(b, ways)) return false;
        if ((b.types & (type_array | type_object)) != 0 && !w_.has_no_excluded_structures(b)) return false;
        if ((b.types & type_array) != 0 && !arrays_.write(b, level, ways)) return false;
        return (b.types & type_object) == 0 || objects_.write(b, level, ways);
    }

    writing w_;
    number_writer<Rules, Reader> numbers_;
    string_writer<Rules, Reader> strings_;
    array_writer<Rules, Reader> arrays_;
    object_writer<Rules, Reader> objects_;
};

}  // namespace riffle::detail
