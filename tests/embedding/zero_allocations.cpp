#include <memory>
#include <new>
#include <span>
#include <utility>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

void* volatile seen_by_all;  // or the compiler leaves allocations out that nobody looks at

TEST(Allocations, AreCounted) {
    struct alignas(64) wide {
        char bytes[64];
    };
    const allocations seen;
    const auto one = std::make_unique<int>(1);
    seen_by_all = one.get();
    const auto many = std::make_unique<int[]>(10);
    seen_by_all = many.get();
    const auto aligned = std::make_unique<wide>();
    seen_by_all = aligned.get();
    const std::unique_ptr<int> or_null(new (std::nothrow) int);
    seen_by_all = or_null.get();
    EXPECT_EQ(seen.count(), 4u);
}

TEST(Allocations, NoneOnceWarm) {
    each_chain([](any_pipeline chain) {
        chain.reserve(0, most_tokens);  // a history that never forgets is the one thing that grows
        ASSERT_NE(chain.sample(rows()[0]), null_token);
        const allocations seen;
        const auto tokens = use(chain);
        EXPECT_EQ(seen.count(), 0u);
        for (const token_id t : tokens) EXPECT_NE(t, null_token);
    });
}

TEST(Allocations, NoneAfterReserve) {
    each_chain([](any_pipeline chain) {
        ASSERT_TRUE(chain.reserve(row_length, most_tokens).ok());
        const allocations seen;
        use(chain);
        chain.reset();
        use(chain);
        EXPECT_EQ(seen.count(), 0u);
    });
}

TEST(Allocations, NoneInChainsAsTheirOwnTypes) {
    each_typed_chain([](auto chain) {
        auto reserved = chain;
        chain.reserve(0, most_tokens);
        ASSERT_NE(chain.sample(rows()[0]), null_token);
        ASSERT_TRUE(reserved.reserve(row_length, most_tokens).ok());
        const allocations seen;
        use(chain);
        use(reserved);
        EXPECT_EQ(seen.count(), 0u);
    });
}

TEST(Allocations, NoneForShorterRows) {
    each_chain([](any_pipeline chain) {
        ASSERT_TRUE(chain.reserve(row_length, most_tokens).ok());
        const allocations seen;
        for (std::size_t size = 1; size <= row_length; size += 37) (void)chain.sample(std::span(rows()[0]).first(size));
        EXPECT_EQ(seen.count(), 0u);
    });
}

TEST(Allocations, NoneEverForACandidateArray) {
    each_chain([](any_pipeline chain) {
        std::vector<token_data> all(row_length);
        ASSERT_TRUE(chain.reserve(0, most_tokens).ok());
        {
            candidates c{all.data(), 0, -1, false};
            (void)chain.apply(c);
        }
        const allocations seen;
        for (const auto& row : rows()) {
            for (std::size_t i = 0; i < row.size(); ++i) all[i] = {token_id(i), row[i], 0.0f};
            candidates c{all.data(), all.size(), -1, false};
            ASSERT_TRUE(chain.apply(c).ok());
            chain.accept(c[std::size_t(c.selected)].id);
        }
        EXPECT_EQ(seen.count(), 0u);
    });
}

}  // namespace
