// Speculation allocates until it is warm and then not at all; where memory is missing a round says so and changes
// nothing, and a drafter proposes less.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama_speculative.hpp>
#include <riffle/speculative.hpp>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"
#include "speculative/each_verifier.hpp"

namespace riffle_tests::speculation_memory {
namespace {

using namespace riffle;

std::span<const float> row(std::size_t i) { return rows()[i % 3]; }

/// Two drafted tokens with laws and one for certain.
draft drafted() {
    draft made;
    std::vector<token_probability> law;
    for (token_id token = 0; token < 300; ++token) law.push_back({token, 1.0f + float(token % 5)});
    EXPECT_TRUE(made.push(7, law));
    EXPECT_TRUE(made.push(3));
    EXPECT_TRUE(made.push(11, law));
    return made;
}
draft_tree drafted_tree() {
    draft_tree made;
    std::vector<token_probability> law{{5, 0.5f}, {9, 0.25f}, {700, 0.25f}};
    for (const token_id token : {5, 9, 700}) EXPECT_GE(made.push(draft_tree::root, token, law), 0);
    EXPECT_GE(made.push(1, 4), 0);
    return made;
}
template <class Test>
void each_chain(Test test) {
    test(penalties{.last_n = 8} | top_k{40} | temperature{0.8f} | dist{.seed = 1});
    test(temperature{0.8f} | dist{.seed = 1});
    test(min_p{.p = 0.01f} | adaptive_p{.target = 0.3f});
}
template <class Verifier>
constexpr bool takes_trees = !std::is_same_v<Verifier, speculator<block_verification>>;

TEST(SpeculationMemory, RoundsAllocateNothingOnceWarm) {
    const draft line = drafted();
    const draft_tree tree = drafted_tree();
    each_chain([&](auto chain) {
        each_verifier([&](auto verifier) {
            ASSERT_TRUE(chain.reserve(row_length, 400));
            const auto some_rounds = [&] {
                for (std::uint64_t n = 0; n < 40; ++n) {
                    if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
                    EXPECT_TRUE(verifier.verify(chain, line, row).state);
                    if constexpr (takes_trees<decltype(verifier)>) {
                        EXPECT_TRUE(verifier.verify(chain, tree, row).state);
                    }
                }
            };
            chain.reset();
            some_rounds();
            chain.reset();
            const allocations warm;
            some_rounds();
            EXPECT_EQ(warm.count(), 0u);
        });
    });
}
TEST(SpeculationMemory, ReservedAheadNothingIsLeftToAllocate) {
    const draft line = drafted();
    each_chain([&](auto chain) {
        each_verifier([&](auto verifier) {
            ASSERT_TRUE(chain.reserve(row_length, 400));
            ASSERT_TRUE(verifier.reserve(row_length, 3));
            const allocations none;
            for (std::uint64_t n = 0; n < 40; ++n) {
                if constexpr (requires { verifier.how().seed; }) verifier.how().seed = n;
                EXPECT_TRUE(verifier.verify(chain, line, row).state);
            }
            EXPECT_EQ(none.count(), 0u);
        });
    });
}
TEST(SpeculationMemory, DraftsAllocateNothingOnceWarm) {
    auto of_draft = top_k{20} | dist{.seed = 2};
    draft line;
    draft_tree tree;
    suffix_automaton suffixes;
    std::vector<token_id> text;
    for (token_id i = 0; i < 300; ++i) text.push_back(i % 17);
    suffixes.accept(text);
    const auto some_drafts = [&] {
        for (int n = 0; n < 20; ++n) {
            line.clear();
            tree.clear();
            const checkpoint begin = of_draft.mark();
            for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(draft_from(of_draft, row(i), line), 0);
            EXPECT_TRUE(of_draft.rollback(begin));
            EXPECT_EQ(draft_from(of_draft, row(0), tree, draft_tree::root, 4), 4u);
            line.clear();
            EXPECT_GT(suffixes.propose(line, 16), 0u);
            tree.clear();
            EXPECT_GT(suffixes.propose(tree, 16), 0u);
        }
    };
    some_drafts();
    const allocations warm;
    some_drafts();
    EXPECT_EQ(warm.count(), 0u);
}

TEST(SpeculationMemory, ARoundThatFindsNoneSaysSoAndChangesNothing) {
    const draft line = drafted();
    const draft_tree tree = drafted_tree();
    each_chain([&](const auto& begun) {
        each_verifier([&](const auto& verifier) {
            using chain_type = std::remove_cvref_t<decltype(begun)>;
            using verifier_type = std::remove_cvref_t<decltype(verifier)>;
            struct both {
                chain_type chain;
                verifier_type verifier;
            };
            const auto make = [&] { return both{begun, verifier_type{}}; };
            const auto failed = [](both& object, const outcome&) { EXPECT_EQ(object.chain.mark().tokens, 0u); };
            const auto succeeded = [](both& object) { EXPECT_GT(object.chain.mark().tokens, 0u); };
            fail_each_allocation(
                make, [&](both& object) { return object.verifier.verify(object.chain, line, row).state; }, failed,
                succeeded);
            if constexpr (takes_trees<verifier_type>) {
                fail_each_allocation(
                    make, [&](both& object) { return object.verifier.verify(object.chain, tree, row).state; }, failed,
                    succeeded);
            }
        });
    });
}
TEST(SpeculationMemory, ReserveSaysWhereThereIsNone) {
    each_verifier([](const auto& verifier) {
        using verifier_type = std::remove_cvref_t<decltype(verifier)>;
        fail_each_allocation([] { return verifier_type{}; },
                             [](verifier_type& object) { return object.reserve(1000, 20); },
                             [](verifier_type&, const outcome&) {}, [](verifier_type&) {});
    });
}

/// Every allocation in turn fails while a drafter reads and proposes; what it proposes then is what it proposes for
/// sure or less, and after a reset it is as new.
template <class Make>
void expect_less_without_memory(Make make) {
    std::vector<token_id> text;
    for (token_id i = 0; i < 3000; ++i) text.push_back(i % 23 == 0 ? i : i % 11);
    for (std::size_t n = 0; n < 200; ++n) {
        auto drafter = make();
        draft line;
        bool happened = false;
        {
            const failing_allocation nth(n, false);
            drafter.accept(text);
            EXPECT_LE(drafter.propose(line, 8), 8u);
            happened = nth.happened();
        }
        EXPECT_LE(line.size(), 8u);
        for (const token_id token : line.tokens())
            EXPECT_TRUE(std::find(text.begin(), text.end(), token) != text.end());
        drafter.accept(text);
        drafter.reset();
        line.clear();
        EXPECT_EQ(drafter.propose(line, 8), 0u);
        auto fresh = make();
        fresh.accept(text);
        drafter.accept(text);
        draft expected;
        fresh.propose(expected, 8);
        drafter.propose(line, 8);
        EXPECT_TRUE(std::equal(line.tokens().begin(), line.tokens().end(), expected.tokens().begin(),
                               expected.tokens().end()));
        if (!happened) return;
    }
}
TEST(SpeculationMemory, DraftersProposeLessWithoutIt) {
    expect_less_without_memory([] { return suffix_automaton{}; });
    expect_less_without_memory([] { return prompt_lookup{}; });
    expect_less_without_memory([] { return ngram_map{}; });
    expect_less_without_memory([] { return ngram_cache{}; });
    expect_less_without_memory([] { return recycled_tokens{}; });
    expect_less_without_memory([] { return first_of(suffix_automaton{.least_match = 5}, ngram_map{}); });
}

/// For llama.cpp: whole, or empty and refused.
template <class Draft>
void expect_whole_or_empty(const Draft& proposed) {
    for (std::size_t n = 0; n < 100; ++n) {
        llama::draft_batch batch;
        bool is_filled, was_last;
        {
            failing_allocation failing(n);
            is_filled = batch.fill(5, 0, proposed);
            was_last = !failing.happened();
        }
        EXPECT_EQ(is_filled, was_last) << n;
        EXPECT_EQ(batch.size(), is_filled ? proposed.size() + 1 : 0u) << n;
        EXPECT_EQ(batch.branches().empty(), !is_filled) << n;
        if (was_last) {
            EXPECT_GT(n, 5u);
            return;
        }
    }
    FAIL() << "a hundred allocations";
}
TEST(SpeculationMemory, BatchesForLlamaAreWholeOrEmpty) {
    expect_whole_or_empty(drafted());
    expect_whole_or_empty(drafted_tree());
}

}  // namespace
}  // namespace riffle_tests::speculation_memory
