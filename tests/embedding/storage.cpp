#include <cstring>
#include <span>

#include "embedding/allocations.hpp"
#include "embedding/chains.hpp"

namespace {

using namespace riffle;
using namespace riffle_tests;

TEST(Storage, IsAllThatAChainNeeds) {
    // Built, used and destroyed without the heap.
    alignas(64) static std::byte bytes[256 * 1024];
    const auto& all = rows();
    const allocations seen;
    {
        auto c = penalties{.repeat = 1.1f} | temperature{.t = 0.8f} | top_p{.p = 0.9f} | dist{.seed = 3};
        ASSERT_LE(c.scratch_bytes(row_length), sizeof bytes);
        ASSERT_TRUE(c.use_storage(bytes, row_length).ok());
        for (int i = 0; i < 300; ++i) ASSERT_NE(c.sample(all[std::size_t(i) % all.size()]), null_token);
    }
    EXPECT_EQ(seen.count(), 0u);
}

/// scratch_bytes(V) somewhere in memory, with canaries on both sides.
class arena {
public:
    static constexpr std::size_t margin = 128;
    static constexpr auto canary = std::byte{0xA5};
    arena(std::size_t size, std::size_t misalignment) : size_(size), bytes_(size + 2 * margin + 64, canary) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.data());
        begin_ = margin + (64 - (address + margin) % 64) % 64 + misalignment;
    }
    std::span<std::byte> span() { return {bytes_.data() + begin_, size_}; }
    bool intact() const {
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            if ((i < begin_ || i >= begin_ + size_) && bytes_[i] != canary) return false;
        return true;
    }

private:
    std::size_t size_, begin_;
    std::vector<std::byte> bytes_;
};

TEST(Storage, OfAnyAlignmentServes) {
    each_chain([](any_pipeline chain) {
        auto on_heap = chain;
        const token_id first = on_heap.peek(rows()[0]);
        const auto expected = use(on_heap);
        const std::size_t bytes = chain.scratch_bytes(row_length, most_tokens);
        for (std::size_t misalignment = 0; misalignment < 64; ++misalignment) {
            SCOPED_TRACE(misalignment);
            auto c = chain;
            arena memory(bytes, misalignment);
            const allocations seen;
            ASSERT_TRUE(c.use_storage(memory.span(), row_length, most_tokens).ok());
            EXPECT_EQ(c.peek(rows()[0]), first);
            if (misalignment < 2 || misalignment == 63) {
                EXPECT_EQ(use(c), expected);
            }
            EXPECT_EQ(seen.count(), 0u);
            EXPECT_TRUE(memory.intact());
        }
    });
}

/// Rows long enough for a histogram, for groups within blocks, and for more survivors than are gathered at once.
TEST(Storage, OfLongRows) {
    constexpr std::size_t size = 32000;
    std::vector<std::vector<float>> long_rows;
    integers random(9);
    for (const float spread : {0.01f, 1.0f, 8.0f}) {
        std::vector<float> row(size);
        for (float& logit : row) logit = spread * random.real(-1, 1);
        long_rows.push_back(row);
    }
    const auto serves = [&](any_pipeline chain) {
        auto on_heap = chain, warm = chain;
        arena memory(chain.scratch_bytes(size), 5);
        ASSERT_TRUE(chain.use_storage(memory.span(), size).ok());
        ASSERT_TRUE(warm.reserve(size).ok());
        for (const auto& row : long_rows) {
            const token_id token = on_heap.sample(row);
            const allocations seen;
            EXPECT_EQ(chain.sample(row), token);
            EXPECT_EQ(warm.sample(row), token);
            EXPECT_EQ(chain.logprobs(row, 20000, before).size(), 20000u);
            (void)chain.distribution(row);
            EXPECT_EQ(seen.count(), 0u);
            EXPECT_NE(token, null_token);
        }
        EXPECT_TRUE(memory.intact());
    };
    serves(top_p{.p = 0.9f} | dist{.seed = 1});
    serves(temperature{.t = 2.0f} | top_p{.p = 0.999f, .min_keep = 3000} | gumbel{.seed = 1});
    serves(top_k{.k = 5000} | top_p{.p = 0.9f} | dist{.seed = 1});
    serves(top_k{.k = 200} | dist{.seed = 1});
    serves(penalties{.last_n = 20, .presence = 1.0f} | min_p{.p = 0.9f, .min_keep = 7000} | dist{.seed = 1});
    serves(drop_odd{} | top_n_sigma{.n = 2.0f} | dist{.seed = 1});
}

TEST(Storage, TooSmallByAByteIsRefused) {
    each_chain([](any_pipeline chain) {
        const std::size_t bytes = chain.scratch_bytes(row_length, most_tokens);
        for (const std::size_t misalignment : {0u, 1u, 63u}) {
            arena memory(bytes - 1, misalignment);
            auto c = chain;
            EXPECT_EQ(c.use_storage(memory.span(), row_length, most_tokens), status_code::storage_too_small);
            EXPECT_TRUE(memory.intact());
            EXPECT_NE(c.sample(rows()[0]), null_token) << "it goes on as it was";
        }
        EXPECT_EQ(chain.use_storage({}, row_length), status_code::storage_too_small);
    });
}

TEST(Storage, NeverTurnsIntoHeap) {
    each_chain([](any_pipeline chain) {
        arena memory(chain.scratch_bytes(row_length, most_tokens), 3);
        ASSERT_TRUE(chain.use_storage(memory.span(), row_length, most_tokens).ok());
        const std::vector<float> longer(2 * row_length, 1.0f);
        const token_id first = chain.peek(rows()[0]);
        const allocations seen;
        EXPECT_EQ(chain.sample(longer), null_token);
        EXPECT_EQ(chain.last_status(), status_code::storage_too_small);
        EXPECT_EQ(chain.reserve(2 * row_length), status_code::storage_too_small);
        EXPECT_EQ(chain.sample(rows()[0]), first) << "nothing is lost";
        EXPECT_EQ(seen.count(), 0u);
        EXPECT_TRUE(memory.intact());
    });
}

TEST(Storage, IsTakenInTheMiddleOfAText) {
    each_chain([](any_pipeline chain) {
        for (const auto& row : rows()) (void)chain.sample(row);
        auto on_heap = chain;
        arena memory(chain.scratch_bytes(row_length, most_tokens), 17);
        ASSERT_TRUE(chain.use_storage(memory.span(), row_length, most_tokens).ok());
        EXPECT_EQ(use(chain), use(on_heap));
        EXPECT_TRUE(memory.intact());
    });
}

TEST(Storage, OfACopyIsItsOwn) {
    each_chain([](any_pipeline chain) {
        arena memory(chain.scratch_bytes(row_length, most_tokens), 9);
        ASSERT_TRUE(chain.use_storage(memory.span(), row_length, most_tokens).ok());
        for (const auto& row : rows()) (void)chain.sample(row);
        auto copy = chain;
        EXPECT_EQ(use(copy), use(chain));
        std::memset(memory.span().data(), 0, memory.span().size());  // the copy does not look there
        auto again = copy;
        EXPECT_EQ(use(copy), use(again));
    });
}

TEST(Storage, OfAnEndlessHistoryEnds) {
    auto c = penalties{.last_n = -1, .presence = 1.0f} | greedy{};
    arena memory(c.scratch_bytes(100, 200), 0);
    ASSERT_TRUE(c.use_storage(memory.span(), 100, 200).ok());
    const allocations seen;
    std::size_t taken = 0;
    while (c.accept(token_id(taken % 100)).state.ok()) ++taken;
    EXPECT_GE(taken, 200u);
    EXPECT_LT(taken, 1000u);
    EXPECT_EQ(c.last_step().state, status_code::storage_too_small);
    EXPECT_EQ(seen.count(), 0u);
    c.reset();
    EXPECT_TRUE(c.accept(1).state.ok());
}

}  // namespace
