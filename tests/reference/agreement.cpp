#include "reference/agreement.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reference/describe.hpp"

template class riffle::basic_cpu_machine<riffle::stage_list>;
template class riffle::basic_chain_state<riffle::cpu_machine>;

namespace riffle_tests {

std::string difference(std::span<const riffle::token_data> found, std::vector<reference::candidate> expected) {
    std::vector<reference::candidate> present;
    for (const auto& token : found) present.push_back({token.id, token.logit});
    const auto by_id = [](const reference::candidate& a, const reference::candidate& b) {
        return a.id != b.id ? a.id < b.id : reference::bits_of(a.logit) < reference::bits_of(b.logit);
    };
    std::sort(present.begin(), present.end(), by_id);
    std::sort(expected.begin(), expected.end(), by_id);
    for (std::size_t i = 0; i < std::min(present.size(), expected.size()); ++i)
        if (present[i].id != expected[i].id ||
            reference::bits_of(present[i].logit) != reference::bits_of(expected[i].logit))
            return reference::print("id %g logit %.9g, expected id %g logit %.9g", present[i].id,
                                    double(present[i].logit), expected[i].id, double(expected[i].logit));
    if (present.size() != expected.size())
        return reference::print("%g survivors, expected %g", double(present.size()), double(expected.size()));
    return "";
}

std::string difference_in_distribution(std::span<const riffle::token_data> found,
                                       std::vector<reference::candidate> expected) {
    float maximum = reference::minus_infinity;
    for (const auto& token : expected) maximum = std::max(maximum, token.logit);
    std::erase_if(expected, [&](const auto& token) { return reference::weight(token, maximum) == 0; });
    std::vector<riffle::token_data> weighing(found.begin(), found.end());
    std::erase_if(weighing, [&](const auto& t) { return reference::weight({t.id, t.logit}, maximum) == 0; });
    return difference(weighing, std::move(expected));
}

namespace {

/// survivors() must be in the order of ranks, with p = w / S.
std::string difference_of_p(std::span<const riffle::token_data> survivors) {
    std::uint64_t total = 0;
    for (const auto& s : survivors) total += reference::fixed_mass(reference::rounded(s.logit - survivors[0].logit));
    for (std::size_t i = 0; i < survivors.size(); ++i) {
        if (i > 0 &&
            !reference::by_rank({survivors[i - 1].id, survivors[i - 1].logit}, {survivors[i].id, survivors[i].logit}))
            return reference::print("survivor %g is out of order", double(i));
        const auto w = reference::fixed_mass(reference::rounded(survivors[i].logit - survivors[0].logit));
        if (survivors[i].p != float(double(w) / double(total)))
            return reference::print("survivor %g has p = %.9g", double(i), double(survivors[i].p));
    }
    return "";
}

/// A set that follows from the softmax statistics needs those first, and a selector that narrowed the row chooses last.
template <class What>
void expect_order_of_passes(const riffle::plan& plan, const What& what) {
    using riffle::pass;
    if (plan.has(pass::search) || plan.has(pass::head) || plan.has(pass::choose)) {
        EXPECT_TRUE(plan.has(pass::softmax)) << what();
    }
    if (plan.has(pass::choose)) {
        EXPECT_EQ(plan.steps[plan.size - 1].op, pass::choose) << what();
        EXPECT_EQ(plan.steps[plan.size - 1].first, plan.bridge) << what();
        EXPECT_FALSE(plan.has(pass::pick)) << what();
        for (std::size_t i = 0; i < plan.size; ++i)  // ahead of back_to_row they are
            EXPECT_FALSE(plan.steps[i].op == pass::narrow && plan.steps[i].first >= plan.bridge) << what();
    }
    bool measured = false;  // the greatest logit of what the bridge meets; what adjusts measures for itself
    for (std::size_t i = 0; i < plan.size; ++i) {
        measured |= plan.steps[i].op == pass::max;
        EXPECT_FALSE(measured && plan.steps[i].op == pass::adjust) << what();
        EXPECT_FALSE(!measured && plan.steps[i].op == pass::softmax) << what();
    }
}

}  // namespace

riffle::token_id expect_agreement(const riffle::stage_list& stages, riffle::chain_state& state,
                                  const reference::model& model, std::span<const float> row, const std::string& what) {
    const reference::state_between expected = model.run(row);
    const auto where = [&] {
        return what + ", " + std::to_string(row.size()) + " logits, position " + std::to_string(model.now.at.position) +
               ": " + reference::describe(model);
    };

    std::vector<riffle::token_data> memory = candidates_of(row);
    riffle::candidates staged{memory.data(), memory.size(), -1, false};
    const riffle::status applied = state.apply(stages, staged);
    const bool selecting = reference::selects(model.stages.back());
    EXPECT_EQ(applied.code(),
              selecting && expected.token < 0 ? riffle::status_code::no_legal_token : riffle::status_code::ok)
        << "staged, " << where();
    EXPECT_EQ(difference({staged.data, staged.size}, expected.left), "") << "staged, " << where();
    const riffle::token_id staged_token =
        staged.selected < 0 ? riffle::null_token : staged[std::size_t(staged.selected)].id;
    EXPECT_EQ(staged_token, expected.token) << "staged, " << where();
    if (!selecting) return expected.token;

    const riffle::plan& plan = stages.plan_for_row(row.size());
    expect_order_of_passes(plan, where);
    for (const int width : lane_widths()) {
        const at_width forced(width);
        const auto fused_where = [&] { return "fused, " + std::to_string(width) + " lanes, " + where(); };
        EXPECT_EQ(state.peek(stages, row), expected.token) << fused_where();
        EXPECT_EQ(state.last_status().code(),
                  expected.token < 0 ? riffle::status_code::no_legal_token : riffle::status_code::ok)
            << fused_where();
        if (expected.token < 0) {
            EXPECT_TRUE(state.survivors().empty()) << fused_where();
            continue;
        }
        const std::uint64_t mass = state.machine().total_mass();
        const auto survivors = state.survivors();
        EXPECT_FALSE(survivors.empty()) << fused_where();
        if (survivors.empty()) continue;
        EXPECT_EQ(difference_of_p(survivors), "") << fused_where();
        // Where many tokens stayed in the row, a later bridge left them there to the end, or made candidates after all.
        const bool stayed = state.machine().stayed_in_row();
        EXPECT_TRUE(!stayed || row.size() > riffle::tuning::many_survivors) << fused_where();
        const bool stayed_to_the_end = stayed && survivors.size() == 1 && expected.left.size() > 1;
        // A stage that was given all tokens as candidates may have dropped some: then there is no row to pick from.
        if (plan.has(riffle::pass::back_to_row)) {
            if (survivors.size() > 1 || expected.left.size() == 1) {
                EXPECT_EQ(difference(survivors, expected.left), "") << fused_where();
            }
            if (expected.mass > 0) {
                EXPECT_EQ(difference_in_distribution(state.distribution(stages, row), expected.left), "")
                    << fused_where();
            }
            continue;
        }
        if (plan.has(riffle::pass::mass) && plan.has(riffle::pass::pick)) {
            EXPECT_EQ(mass, expected.mass) << fused_where();
        } else if (!plan.has(riffle::pass::mass) && !stayed) {
            EXPECT_EQ(mass, 0u) << fused_where();
        }
        if (plan.has(riffle::pass::pick) || stayed_to_the_end) {
            // nothing but the token was materialised: also of a distribution of the selector's own
            EXPECT_EQ(survivors.size(), 1u) << fused_where();
            EXPECT_EQ(survivors[0].id, expected.token) << fused_where();
            const auto same_id = [&](const reference::candidate& c) { return c.id == expected.token; };
            const auto chosen = std::find_if(expected.left.begin(), expected.left.end(), same_id);
            EXPECT_EQ(reference::bits_of(survivors[0].logit), reference::bits_of(chosen->logit)) << fused_where();
            if (!stayed_to_the_end) continue;
            EXPECT_TRUE(expected.mass == 0 || mass == expected.mass) << fused_where();
            std::vector<reference::candidate> distribution = expected.left;
            if (std::holds_alternative<riffle::greedy>(model.stages.back()))
                distribution = {*chosen};  // it has no other
            reference::drop_illegal(distribution);
            EXPECT_EQ(difference_in_distribution(state.distribution(stages, row), distribution), "") << fused_where();
        } else {
            EXPECT_EQ(difference(survivors, expected.left), "") << fused_where();
        }
    }
    return expected.token;
}

void start(chain_view chain, reference::model& model) {
    chain.reset();
    chain.prompt(short_prompt);
    model.now = {};
    model.prompt(short_prompt);
}

void expect_steps_agree(chain_view chain, reference::model& model, std::span<const float> row, const std::string& what,
                        std::size_t steps) {
    for (std::size_t step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
        const riffle::token_id token = expect_agreement(chain.view(), chain.state(), model, row, what);
        const riffle::token_id accepted = token < 0 ? riffle::token_id(step % 7) : token;
        const riffle::step taken = chain.accept(accepted);
        const std::size_t back = model.accept(accepted);
        EXPECT_EQ(std::size_t(taken.rewind), back) << what << ": " << reference::describe(model);
        if (back == 0 || model.now.at.position % 3 == 0) continue;
        EXPECT_TRUE(chain.rewind(back)) << what << ": " << reference::describe(model);
        model.rewind(back);
    }
}

void expect_agreement_on_all_shapes(chain_view chain, reference::model& model, std::span<const std::size_t> sizes,
                                    std::size_t steps) {
    for (const shape s : all_shapes)
        for (const std::size_t size : sizes) {
            start(chain, model);
            expect_steps_agree(chain, model, make_row(s, size, size), name_of(s), steps);
            if (testing::Test::HasFailure()) return;
        }
}

}  // namespace riffle_tests
