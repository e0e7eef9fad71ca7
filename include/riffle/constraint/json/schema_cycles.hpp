#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/constraint/json/schema.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// The schemas that a schema asks about the value itself.
template <class Schema>
std::vector<schema_id> schemas_of_the_value(const Schema& s) {
    std::vector<schema_id> all = s.all_of;
    for (const auto* groups : {&s.any_of, &s.one_of})
        for (const auto& group : *groups) all.insert(all.end(), group.begin(), group.end());
    all.insert(all.end(), s.none_of.begin(), s.none_of.end());
    for (const schema_id id : {s.condition, s.consequence, s.alternative})
        if (id != no_schema) all.push_back(id);
    for (const auto& d : s.dependencies)
        if (d.of != no_schema) all.push_back(d.of);
    return all;
}

/// A schema that comes to ask about the value itself once more, which says nothing; no_schema where there is none.
/// Depth first, without recursion.
template <class Schema>
schema_id find_cycle(const std::vector<Schema>& schemas) {
    enum : std::uint8_t { unseen, open, done };
    struct visit {
        schema_id of;
        std::size_t next;
        std::vector<schema_id> to;
    };
    std::vector<std::uint8_t> state(schemas.size(), unseen);
    std::vector<visit> visits;
    const auto enter = [&](schema_id id) {
        state[id] = open;
        visits.push_back({id, 0, schemas_of_the_value(schemas[id])});
    };
    for (schema_id first = 0; first < schemas.size(); ++first) {
        if (state[first] != unseen) continue;
        enter(first);
        while (!visits.empty()) {
            visit& now = visits.back();
            if (now.next == now.to.size()) {
                state[now.of] = done;
                visits.pop_back();
                continue;
            }
            const schema_id to = now.to[now.next++];
            if (state[to] == open) return to;
            if (state[to] == unseen) enter(to);
        }
    }
    return no_schema;
}

}  // namespace riffle::detail
