#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "reference/describe.hpp"
#include "reference/history_stages.hpp"
#include "reference/learning_stages.hpp"
#include "reference/plain_stages.hpp"
#include "reference/softmax_stages.hpp"
#include "reference/stages.hpp"
#include "reference/text_stages.hpp"

namespace riffle_tests::reference {

state_between model::run(std::vector<candidate> left) const {
    state_between b{std::move(left)};
    for (candidate& c : b.left) c.logit = canonical(c.logit);
    situation x = now;
    for (x.stage = 0; x.stage < stages.size(); ++x.stage) {
        const any_spec& stage = stages[x.stage];
        x.occurrence = 0;
        for (std::size_t i = 0; i < x.stage; ++i)
            x.occurrence = std::uint16_t(x.occurrence + (stages[i].index() == stage.index()));
        std::visit([&](const auto& spec) { apply(spec, b, x); }, stage);
    }
    now.chosen = {b.token, b.p};
    return b;
}
state_between model::run(std::span<const float> row) const {
    std::vector<candidate> all;
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({std::int32_t(i), row[i]});
    return run(std::move(all));
}
std::size_t model::accept(std::int32_t token) {
    now.kept.resize(stages.size());
    earlier.resize(now.at.position);
    earlier.push_back(now.kept);
    now.accepted.push_back(token);
    now.generated.push_back(true);
    ++now.at.position;
    now.at.attempt = 0;
    const choice last = std::exchange(now.chosen, {});
    std::size_t back = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
        std::visit(
            [&](const auto& spec) {
                if constexpr (std::is_same_v<decltype(spec), const riffle::phrase_ban&>)
                    back = std::max(back, learn(spec, now.text(), now.kept[i]));
                else if constexpr (requires { learn(spec, last, now.kept[i]); })
                    if (last.token == token) learn(spec, last, now.kept[i]);
            },
            stages[i]);
    return back;
}
void model::prompt(std::span<const std::int32_t> tokens) {
    for (const std::int32_t token : tokens) {
        now.accepted.push_back(token);
        now.generated.push_back(false);
        now.chosen = {};
    }
}
void model::rewind(std::size_t count) {
    for (std::size_t generated = 0; generated < count;) {
        generated += now.generated.back() ? 1 : 0;
        now.accepted.pop_back();
        now.generated.pop_back();
    }
    now.at.position -= std::uint32_t(count);
    now.at.attempt = 0;
    now.chosen = {};
    for (std::size_t i = 0; i < now.kept.size(); ++i) {
        std::swap(now.kept[i].bans, earlier[now.at.position][i].bans);
        now.kept[i] = earlier[now.at.position][i];
    }
}

std::string describe(const any_spec& stage) {
    return std::visit([](const auto& spec) { return describe(spec); }, stage);
}
std::string describe(const model& m) {
    std::string text;
    for (const any_spec& stage : m.stages) text += (text.empty() ? "" : " | ") + describe(stage);
    return text;
}

}  // namespace riffle_tests::reference
