#include "made_chain.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace visualiser {

using riffle::token_data;
using riffle::token_id;

std::vector<token_id> text_so_far::all() const {
    std::vector<token_id> tokens(prompt);
    tokens.insert(tokens.end(), generated.begin(), generated.end());
    return tokens;
}

std::string make_chain(riffle::dynamic_chain& into, const std::vector<chosen_stage>& stages, const surroundings& around,
                       const text_so_far& text) {
    riffle::dynamic_chain made;
    for (const chosen_stage& each : stages) {
        if (!each.is_on) continue;
        if (std::string wrong = each.entry->push(made, *each.entry, each.values, around); !wrong.empty()) return wrong;
    }
    made.prompt(text.prompt);
    const bool is_taken = std::all_of(text.generated.begin(), text.generated.end(),
                                      [&](token_id token) { return !made.accept(token).refused; });
    if (!is_taken) {
        made.reset();
        made.prompt(text.all());
    }
    into = std::move(made);
    return {};
}

std::vector<token_data> left_behind(riffle::dynamic_chain chain, std::size_t count, std::span<const float> row) {
    std::vector<token_data> tokens(row.size()), left;
    for (std::size_t id = 0; id < row.size(); ++id) tokens[id] = {token_id(id), row[id], 0.0f};
    riffle::candidates all{tokens.data(), tokens.size(), -1, false};
    const riffle::stage_list stages = chain.view();
    chain.state().apply_each(stages, all, [&](std::size_t behind, const riffle::candidates& now) {
        if (behind == count) left.assign(now.begin(), now.end());
    });
    riffle::candidates found{left.data(), left.size(), -1, false};
    found.keep_legal();
    found.sort();
    found.normalise();
    left.resize(found.size);
    return left;
}

}  // namespace visualiser
