// Texts behind drafted trees have the law that they have without drafts.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "long_run.hpp"
#include "speculative/engine.hpp"

namespace riffle_tests::speculative_trees {
namespace {

using namespace riffle;

constexpr std::size_t length = 3;
std::size_t texts_a_case() { return how_many(4000, 1000000, "texts for each kind of tree"); }

enum class siblings { drawn_apart, drawn_without_replacement, certain };
const char* name_of(siblings s) {
    constexpr const char* names[] = {"drawn independently", "drawn without replacement", "certain"};
    return names[std::size_t(s)];
}

/// Children of a node, drawn from the row of the draft model behind it.
void add_children(draft_tree& tree, std::int32_t parent, std::size_t count, siblings how, std::span<const float> row,
                  integers& random) {
    std::vector<token_probability> law, ignored;
    draw(row, random, law);  // for the law
    std::vector<float> left(row.begin(), row.end());
    for (std::size_t i = 0; i < count; ++i) {
        if (how == siblings::certain) {
            tree.push(parent, token_id(random.below(small_model::vocabulary)));
            continue;
        }
        bool any = false;
        for (const float logit : left) any |= logit > illegal_logit;
        if (!any) return;
        const token_id token = draw(left, random, ignored);
        tree.push(parent, token, law);
        if (how == siblings::drawn_without_replacement) left[std::size_t(token)] = illegal_logit;
    }
}
void draw_tree(draft_tree& tree, std::span<const token_id> text, const small_model& model, siblings how,
               integers& random) {
    tree.clear();
    add_children(tree, draft_tree::root, 3, how, model.row(text, {}), random);
    for (std::int32_t n = 0; n < 3 && std::size_t(n) < tree.size(); ++n) {
        const token_id token[] = {tree.token(n)};
        add_children(tree, n, 2, how, model.row(text, token), random);
    }
}

template <class Verifier, class Chain>
text_counts drafted(const Chain& begun, const small_model& model, siblings how, float distance, std::size_t texts) {
    text_counts counts(length);
    Chain chain = begun;
    const small_model draft_model(7, distance);
    speculator<Verifier> verifier;
    if constexpr (requires { verifier.how().with_replacement; })
        verifier.how().with_replacement = how == siblings::drawn_apart;
    draft_tree proposed;
    std::vector<token_id> text, path;
    for (std::size_t n = 0; n < texts; ++n) {
        integers random(n);
        chain.reset();
        get<dist>(chain).seed = n;
        if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
        text.clear();
        while (text.size() < length) {
            draw_tree(proposed, text, draft_model, how, random);
            const auto row_behind = [&](std::size_t i) {
                path.clear();
                for (auto at = std::int32_t(i) - 1; at >= 0; at = proposed.parent(at))
                    path.insert(path.begin(), proposed.token(at));
                return model.row(text, path);
            };
            const verified& round = verifier.verify(chain, proposed, row_behind);
            EXPECT_TRUE(round.state) << round.state.message().c_str();
            if (round.tokens.empty()) return counts;
            text.insert(text.end(), round.tokens.begin(), round.tokens.end());
        }
        counts.add(text);
    }
    return counts;
}

template <class Chain>
text_counts plain(const Chain& begun, const small_model& model, std::size_t texts) {
    text_counts counts(length);
    Chain chain = begun;
    for (std::size_t n = 0; n < texts; ++n) {
        chain.reset();
        get<dist>(chain).seed = n + (std::uint64_t{1} << 40);
        std::vector<token_id> text;
        while (text.size() < length) text.push_back(chain.sample(model.row(text, {})));
        counts.add(text);
    }
    return counts;
}

template <class Chain>
void expect_laws(const Chain& chain, const char* what) {
    const small_model model(7);
    const text_counts expected = plain(chain, model, 3 * texts_a_case());
    for (const float distance : {0.7f, 4.0f})
        for (const siblings how : {siblings::drawn_apart, siblings::drawn_without_replacement, siblings::certain}) {
            const text_counts by_match = drafted<match>(chain, model, how, distance, texts_a_case());
            EXPECT_LT(deviation_of(by_match, expected), 5.0) << what << ", match, " << name_of(how);
            const text_counts found = drafted<recursive_rejection>(chain, model, how, distance, texts_a_case());
            EXPECT_LT(deviation_of(found, expected), 5.0)
                << what << ", " << name_of(how) << ", at a distance of " << distance;
        }
}

TEST(LawsBehindTrees, OfTemperature) { expect_laws(temperature{0.9f} | dist{}, "temperature"); }
TEST(LawsBehindTrees, OfPenaltiesAndNuclei) {
    expect_laws(penalties{.last_n = 2, .repeat = 2.0f} | top_p{.p = 0.85f} | dist{}, "penalties and a nucleus");
}

TEST(Trees, DraftedByAChainHaveDifferentSiblings) {
    auto of_draft = temperature{2.0f} | dist{.seed = 4};
    const small_model model(9);
    draft_tree tree;
    EXPECT_EQ(draft_from(of_draft, model.row({}, {}), tree, draft_tree::root, 3), 3u);
    ASSERT_EQ(tree.size(), 3u);
    EXPECT_NE(tree.token(0), tree.token(1));
    EXPECT_NE(tree.token(0), tree.token(2));
    EXPECT_NE(tree.token(1), tree.token(2));
    EXPECT_EQ(tree.law(1).size(), tree.law(0).size());
    of_draft.accept_choice(tree.token(1));
    EXPECT_GT(draft_from(of_draft, model.row({}, {}), tree, 1, 100), 2u);  // as many as the law has
    EXPECT_LE(tree.size(), 3u + small_model::vocabulary);
    for (std::int32_t n = 3; std::size_t(n) < tree.size(); ++n) EXPECT_EQ(tree.parent(n), 1);
    EXPECT_EQ(draft_from(of_draft, {}, tree, 0, 3), 0u);
}

}  // namespace
}  // namespace riffle_tests::speculative_trees
