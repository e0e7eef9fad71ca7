#include "gpu/agreement.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace riffle_tests {

using namespace riffle;
using namespace riffle::gpu;

namespace {

/// What the stages ahead of `stages` leave of a row, legal, in the order of ranks and with p; and the chain's token.
struct staged {
    std::vector<token_data> left;
    token_id token = null_token;
};
staged run_staged(dynamic_chain& chain, std::span<const float> row, std::size_t stages) {
    staged s;
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
std::string text_of(const token_data& t) {
    return std::to_string(t.id) + ": " + std::to_string(t.logit) + ", p " + std::to_string(t.p);
}
bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

}  // namespace

device_chain::device_chain(dynamic_chain& chain, std::size_t longest_row, std::uint32_t group_size, std::size_t room,
                           std::size_t rows, std::uint32_t tokens_at_once)
    : chain_(chain), on_(chain, {.module = {}, .tokens_at_once = tokens_at_once}), group_size_(group_size),
      sizes_{longest_row * rows + 64, (on_.layout.words + 20 * longest_row + 8192) * rows, rows, room},
      words_(on_.words()) {}

kernel_runner& device_chain::runner() {
    if (!runner_) {
        runner_ = std::make_unique<kernel_runner>(words_, on_.plan, on_.layout, group_size_, sizes_, context_);
        EXPECT_TRUE(runner_->state().ok()) << runner_->state().message().c_str();
    }
    return *runner_;
}

void device_chain::expect_agreement(std::span<const float> row, const std::string& what) {
    const std::vector<float> one(row.begin(), row.end());
    expect_agreement({&one, 1}, row.size(), 1, what);
}

void device_chain::expect_agreement(std::span<const std::vector<float>> rows, std::size_t stride, int times,
                                    const std::string& what) {
    kernel_runner& run = runner();
    const std::size_t vocabulary = rows[0].size();
    std::ranges::fill(run.logits(), 77.0f);  // what lies between rows is not looked at
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::memcpy(run.logits().data() + r * stride, rows[r].data(), 4 * vocabulary);
    const std::vector<float> before(run.logits().begin(), run.logits().end());
    written_.begin(run.request_words(), on_.layout, rows.size(), vocabulary);
    if (is_for_processor()) {
        ASSERT_FALSE(written_.add(on_, chain_, 0)) << what;
        return;
    }
    for (std::size_t r = 0; r < rows.size(); ++r)
        ASSERT_TRUE(written_.add(on_, chain_, r)) << what << ": " << chain_.last_status().message().c_str() << ", "
                                                  << written_.words() << " words of " << run.request_words().size();
    kernel_rows all = rows_of(written_, std::uint32_t(sizes_.room));
    all.stride = std::uint32_t(stride);
    const device_status ran = run.run(all, times);
    ASSERT_TRUE(ran.ok()) << what << ": " << ran.message().c_str();
    EXPECT_EQ(std::memcmp(before.data(), run.logits().data(), 4 * before.size()), 0) << what << ": the row has changed";
    for (std::size_t r = 0; r < rows.size(); ++r)
        expect_outcome(rows[r], run.outcome(r), run.request_words().subspan(r * on_.layout.words), what);
}

bool device_chain::is_for_processor() const {
    const stage_list stages = chain_.view();
    for (std::size_t i = 0; i < on_.plan.stages; ++i)
        if (const xtc* stage = spec_as<xtc>(stages[i]); stage && !stage->exempt.empty()) return true;
    return false;
}

void device_chain::expect_outcome(std::span<const float> row, const row_outcome& found,
                                  std::span<const std::uint32_t> request, const std::string& what) {
    const std::size_t before_selector = on_.plan.stages - on_.plan.chooses_token();
    const staged expected = run_staged(chain_, row, before_selector);
    bool narrowed = !on_.plan.chooses_token();
    for (std::size_t i = 0; i < on_.plan.stages; ++i) {
        const std::uint32_t active = request[on_.layout.stage(i) + stage_word::active];
        const device_form form = on_.device_stages[i].form;
        narrowed |= (form == device_form::narrow && active) || (form == device_form::map && active == 2);
    }

    if (on_.plan.chooses_token()) {
        EXPECT_EQ(found.token, expected.token) << what;
        EXPECT_EQ((found.state & row_state::nothing_legal) != 0, expected.token == null_token) << what;
    }
    const std::size_t kept = expected.left.empty() ? 0 : narrowed ? expected.left.size() : 1;
    EXPECT_EQ(found.kept, kept) << what;
    EXPECT_EQ(found.tokens.size(), std::min(kept, sizes_.room)) << what;
    EXPECT_EQ((found.state & row_state::more_tokens) != 0, kept > sizes_.room) << what;
    if (testing::Test::HasFailure()) return;

    const auto expect_token = [&](const token_data& a, const token_data& b) {
        const bool p = !on_.plan.chooses_token() || same_bits(a.p, b.p);
        EXPECT_TRUE(a.id == b.id && same_bits(a.logit, b.logit) && p)
            << what << ": " << text_of(a) << " where it is " << text_of(b);
    };
    std::vector<token_data> tokens(found.tokens.begin(), found.tokens.end());
    if (kept > group_size_) candidates{tokens.data(), tokens.size(), -1, false}.sort();  // these come in no order
    if (!narrowed && kept > 0) {
        const auto chosen = std::ranges::find(expected.left, found.token, &token_data::id);
        ASSERT_NE(chosen, expected.left.end()) << what;
        if (!tokens.empty()) expect_token(tokens[0], *chosen);
    } else if (kept <= sizes_.room) {
        for (std::size_t i = 0; i < tokens.size() && !testing::Test::HasFailure(); ++i)
            expect_token(tokens[i], expected.left[i]);
    }
}

}  // namespace riffle_tests
