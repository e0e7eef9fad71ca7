#pragma once
// What a kernel has to tell of a row: the token, which tokens are left, their logits and probabilities, as the chain's
// stages have them, run one after the other on candidates.

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <vector>

#include <riffle/gpu/host/requests.hpp>
#include <riffle/riffle.hpp>

#include "chain/run_time.hpp"
#include "spirv/known_stages.hpp"

namespace riffle_tests {

/// What the stages ahead of `stages` leave of a row, legal, in the order of ranks and with p; and the chain's token.
struct staged_row {
    std::vector<riffle::token_data> left;
    riffle::token_id token = riffle::null_token;
};
inline staged_row run_staged(riffle::dynamic_chain& chain, std::span<const float> row, std::size_t stages) {
    using namespace riffle;
    staged_row s;
    std::vector<token_data> all = candidates_of(row);
    candidates c{all.data(), all.size(), -1, false};
    const status state = chain.state().apply_each(chain.view(), c, [&](std::size_t i, const candidates& before) {
        if (i == stages) s.left.assign(before.begin(), before.end());
    });
    if (state.ok() && c.selected >= 0 && c[std::size_t(c.selected)].logit > illegal_logit)
        s.token = c[std::size_t(c.selected)].id;
    std::erase_if(s.left, [](const token_data& t) { return !(t.logit > illegal_logit); });
    candidates left{s.left.data(), s.left.size(), -1, false};
    left.sort();
    left.normalise();
    return s;
}

/// A kernel's run over one row: its request, and how it was asked.
struct kernel_outcome {
    const known_stages& on;
    std::span<const std::uint32_t> request;
    std::uint32_t group_size = 0;
    std::size_t room = 0;
    riffle::gpu::wanted wants = riffle::gpu::wanted::tokens_and_p;
};

/// How what was found differs from that; "" where it does not.
inline std::string difference(riffle::dynamic_chain& chain, std::span<const float> row,
                              const riffle::gpu::row_outcome& found, const kernel_outcome& how) {
    using namespace riffle;
    using namespace riffle::gpu;
    const device_plan& plan = how.on.plan;
    const bool chooses = plan.chooses_token();
    const staged_row expected = run_staged(chain, row, plan.stages - chooses);
    bool narrowed = !chooses;
    for (std::size_t i = 0; i < plan.stages; ++i) {
        const std::uint32_t active = how.request[how.on.layout.stage(i) + stage_word::active];
        const device_form form = how.on.device_stages[i].form;
        narrowed |= (form == device_form::narrow && active) || (form == device_form::map && active == 2);
    }
    const bool tells_tokens = !chooses || how.wants != wanted::token;
    const auto number = [](const char* of, std::int64_t is, std::int64_t should_be) {
        if (is == should_be) return std::string();
        return std::string(of) + " " + std::to_string(is) + ", where it is " + std::to_string(should_be) + "\n";
    };

    std::string all;
    if (chooses) {
        all += number("token", found.token, expected.token);
        all += number("nothing legal:", (found.state & row_state::nothing_legal) != 0, expected.token == null_token);
    }
    const bool tells_one = !narrowed || !tells_tokens;
    const std::size_t kept = expected.left.empty() ? 0 : tells_one ? 1 : expected.left.size();
    const std::size_t told = tells_tokens ? std::min(kept, how.room) : 0;
    all += number("kept", found.kept, std::int64_t(kept));
    all += number("told", std::int64_t(found.tokens.size()), std::int64_t(told));
    all += number("more tokens:", (found.state & row_state::more_tokens) != 0, tells_tokens && kept > how.room);
    if (!all.empty() || told == 0) return all;

    const auto same_bits = [](float a, float b) {
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    };
    const auto text_of = [](const token_data& t) {
        return std::to_string(t.id) + ": " + std::to_string(t.logit) + ", p " + std::to_string(t.p);
    };
    const auto token = [&](const token_data& is, token_data should_be) {
        if (chooses && how.wants != wanted::tokens_and_p) should_be.p = 0.0f;
        const bool p = !chooses || same_bits(is.p, should_be.p);
        if (is.id == should_be.id && same_bits(is.logit, should_be.logit) && p) return std::string();
        return text_of(is) + ", where it is " + text_of(should_be) + "\n";
    };
    std::vector<token_data> tokens(found.tokens.begin(), found.tokens.end());
    if (kept > how.group_size) candidates{tokens.data(), tokens.size(), -1, false}.sort();  // these come in no order
    if (tells_one) {
        const auto chosen = std::ranges::find(expected.left, found.token, &token_data::id);
        return chosen == expected.left.end() ? "the chosen token is not left\n" : token(tokens[0], *chosen);
    }
    if (kept <= how.room)
        for (std::size_t i = 0; i < tokens.size() && all.empty(); ++i) all += token(tokens[i], expected.left[i]);
    return all;
}

}  // namespace riffle_tests
