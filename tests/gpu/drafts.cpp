// Matching and a device: what the device samples row by row is the text that drafts give on the processor; and of the
// rows of a round, sampled all at once, it decides as match does.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/device_for_tests.hpp"
#include "speculative/drafted_texts.hpp"

namespace riffle_tests::gpu_drafts {
namespace {

using namespace riffle;
using tokens = std::vector<token_id>;

class DraftsOnDevice : public OnDevice {};

constexpr std::size_t length = 40;

const two_token_rows& model() {
    static const two_token_rows made(3000);
    return made;
}

/// Eleven rows at once, so that long drafts take several turns.
gpu::sampler_limits limits() {
    return {.vocabulary = std::uint32_t(model().vocabulary_size()), .rows = 11, .room = 64};
}

/// Drafts what an automaton of suffixes knows, which has read the whole text before.
class remembered {
public:
    explicit remembered(const tokens& whole_text) { drafter_.accept(whole_text); }

    template <class Draft>
    void operator()(Draft& proposed, std::span<const token_id> text) {
        drafter_.accept(text.subspan(written_));
        written_ = text.size();
        proposed.clear();
        drafter_.propose(proposed, 6);
    }

private:
    suffix_automaton drafter_;
    std::size_t written_ = 0;
};

template <class Chain>
tokens text_of_device(gpu::sampler<Chain>& on_device, Chain chain, const std::string& what) {
    tokens text;
    while (text.size() < length) {
        text.push_back(on_device.sample(chain, model().behind(text)));
        EXPECT_EQ(on_device.rows_on_device(), 1u) << what;
    }
    return text;
}

/// The drafted token behind another, or behind the text, that is the sampled one; below 0 for none.
std::int32_t drafted_behind(const draft& line, std::int32_t at, token_id token) {
    const auto next = std::size_t(at + 1);
    return next < line.size() && line[next] == token ? at + 1 : draft_tree::root;
}
std::int32_t drafted_behind(const draft_tree& tree, std::int32_t at, token_id token) { return tree.child(at, token); }

/// All rows of a round in one batch, each with a chain that has accepted what is drafted ahead of it; then down the
/// draft, as far as it has what was sampled.
template <class Draft, class Chain>
tokens round_of_device(gpu::sampler<Chain>& on_device, const Chain& chain, const tokens& text, const Draft& proposed) {
    const std::size_t count = proposed.size() + 1;
    std::vector<Chain> behind(count, chain);
    std::vector<Chain*> chains;
    std::vector<float> logits;
    for (std::size_t i = 0; i < count; ++i) {
        const tokens path = path_to(proposed, i);
        for (const token_id token : path) {
            EXPECT_FALSE(behind[i].accept(token).refused);
        }
        const std::span<const float> row = model().behind(text, path);
        logits.insert(logits.end(), row.begin(), row.end());
        chains.push_back(&behind[i]);
    }
    tokens sampled(count);
    on_device.sample(chains, logits, model().vocabulary_size(), sampled);
    EXPECT_EQ(on_device.rows_on_device(), count);
    tokens given;
    std::int32_t at = draft_tree::root;
    do {
        given.push_back(sampled[std::size_t(at + 1)]);
        at = drafted_behind(proposed, at, given.back());
    } while (at >= 0);
    return given;
}
template <class Draft, class Chain, class Propose>
void expect_rounds_of_match(gpu::sampler<Chain>& on_device, Chain chain, Propose propose, const std::string& what) {
    speculator<> verifier;
    Draft proposed;
    tokens text;
    std::size_t accepted = 0;
    while (text.size() < length) {
        propose(proposed, text);
        const tokens given = round_of_device(on_device, chain, text, proposed);
        const verified& round = verifier.verify(chain, proposed, rows_of_round(model(), text, proposed));
        ASSERT_TRUE(round.state) << what << ": " << round.state.message().c_str();
        ASSERT_EQ(given, tokens(round.tokens.begin(), round.tokens.end())) << what;
        accepted += round.accepted;
        text.insert(text.end(), given.begin(), given.end());
    }
    EXPECT_GT(accepted, std::size_t{5}) << what;
}

/// On the processor.
template <class Chain>
void expect_text_of_drafts(const Chain& chain, const tokens& expected, const std::string& what) {
    const std::size_t size = model().vocabulary_size();
    EXPECT_EQ(plain_text(chain, model(), length), expected) << what;
    expect_text_under<draft>(chain, model(), expected, guesses(expected, size, 1), what + ", lines");
    expect_text_under<draft_tree>(chain, model(), expected, guesses(expected, size, 2), what + ", trees");
    expect_text_under<draft>(chain, model(), expected, remembered(expected), what + ", what is remembered");
    expect_text_under<draft_tree>(chain, model(), expected, remembered(expected), what + ", remembered trees");
}
template <class Chain>
void expect_same_text(const Chain& chain, const std::string& what) {
    gpu::sampler<Chain> on_device(test_device(), limits());
    ASSERT_TRUE(on_device.state().ok()) << what << ": " << on_device.state().message().c_str();
    const tokens text = text_of_device(on_device, chain, what);
    expect_text_of_drafts(chain, text, what);
    const std::size_t size = model().vocabulary_size();
    expect_rounds_of_match<draft>(on_device, chain, guesses(text, size, 3), what + ", lines on the device");
    expect_rounds_of_match<draft_tree>(on_device, chain, guesses(text, size, 4), what + ", trees on the device");
}

TEST_F(DraftsOnDevice, GiveTheTextOfTheDevice) {
    expect_same_text(temperature{.t = 0.8f} | dist{.seed = 5}, "dist");
    expect_same_text(min_p{.p = 0.05f} | temperature{.t = 1.2f} | gumbel{.seed = 7}, "min_p and gumbel");
    expect_same_text(top_k{.k = 40} | top_p{.p = 0.95f} | temperature{.t = 0.8f} | dist{.seed = 42}, "the usual cuts");
}
TEST_F(DraftsOnDevice, GiveTheTextOfStagesThatLookBack) {
    expect_same_text(penalties{.last_n = 16, .repeat = 1.3f, .frequency = 0.2f} |
                         dry{.multiplier = 1.0f, .allowed_length = 1} | no_repeat_ngram{.n = 2} | top_k{.k = 30} |
                         temperature{.t = 0.9f} | dist{.seed = 5},
                     "many stages");
}
/// A selector that learns goes on with what the device leaves. A chain that is given a drafted token does not learn
/// from it, so the rows of a round are no batch here.
TEST_F(DraftsOnDevice, GiveTheTextOfASelectorThatLearns) {
    const auto chain = top_k{.k = 50} | adaptive_p{.target = 0.3f, .seed = 5};
    gpu::sampler<std::remove_const_t<decltype(chain)>> on_device(test_device(), limits());
    ASSERT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
    expect_text_of_drafts(chain, text_of_device(on_device, chain, "adaptive_p"), "adaptive_p");
}

}  // namespace
}  // namespace riffle_tests::gpu_drafts
