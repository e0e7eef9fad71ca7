#include "chain/run_time.hpp"

#include <utility>
#include <variant>

#include "reference/variants.hpp"

namespace riffle_tests {

riffle::status push_to(riffle::dynamic_chain& chain, const reference::any_spec& stage) {
    return std::visit([&](const auto& spec) { return chain.push(spec); }, stage);
}
void run_time_chain::push(const reference::any_spec& stage) {
    model.stages.push_back(stage);
    ASSERT_TRUE(push_to(chain, stage)) << reference::describe(stage);
}

const std::vector<std::vector<reference::any_spec>>& all_variants() {
    static const auto all = []<std::size_t... I>(std::index_sequence<I...>) {
        const auto of = []<class Stage>(const std::vector<Stage>& variants) {
            return std::vector<reference::any_spec>(variants.begin(), variants.end());
        };
        return std::vector<std::vector<reference::any_spec>>{
            of(variants_of<std::variant_alternative_t<I, reference::any_spec>>())...};
    }(std::make_index_sequence<std::variant_size_v<reference::any_spec>>());
    return all;
}

}  // namespace riffle_tests
