// Numbers at which sums of 32 bits wrap, without GoogleTest, which does not build for WebAssembly: prints what is not
// as it should be, and how much was looked at. (tests/sizes goes through all of them, where there is a sanitizer.)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <riffle/batch.hpp>
#include <riffle/chain/dynamic_chain.hpp>
#include <riffle/riffle.hpp>

namespace {

using namespace riffle;

int right = 0, wrong = 0;
void expect(bool holds, const std::string& what) {
    holds ? ++right : ++wrong;
    if (!holds) std::printf("wrong: %s\n", what.c_str());
}

constexpr std::int32_t greatest_int = (std::numeric_limits<std::int32_t>::max)();
constexpr std::size_t row_size = 6000;  // more than 4096 candidates, of which the greatest are found in another way

std::vector<float> mixed_row() {
    std::vector<float> row(row_size);
    for (std::size_t i = 0; i < row_size; ++i) row[i] = float((i * 7919) % 10007) / 1024.0f;
    return row;
}

/// However much is asked for, all tokens of the row are left and nothing else.
template <class Stage>
void expect_all_are_kept(const Stage& stage, const std::string& name) {
    for (const std::vector<float>& row : {mixed_row(), std::vector<float>(row_size, 1.0f)}) {
        auto typed = stage | dist{.seed = 1};
        dynamic_chain made_at_run_time;
        made_at_run_time.push(stage);
        made_at_run_time.push(dist{.seed = 1});
        expect(typed.distribution(row).size() == row_size, name + ", a chain that is a type");
        expect(made_at_run_time.distribution(row).size() == row_size, name + ", a chain made at run time");
        expect(typed.sample(row) == made_at_run_time.sample(row), name + ", the token");
        std::vector<token_data> tokens;
        for (std::size_t i = 0; i < row_size; ++i) tokens.push_back({token_id(i), row[i], 0.0f});
        candidates c{tokens.data(), tokens.size(), -1, false};
        expect(made_at_run_time.apply(c).ok() && c.size == row_size, name + ", candidates");
    }
}

void ranks_and_least_numbers() {
    for (const std::int32_t k : {greatest_int, greatest_int / 2 + 1, greatest_int / 4 + 1, greatest_int / 8 + 1})
        expect_all_are_kept(top_k{.k = k}, "top_k, k = " + std::to_string(k));
    for (const std::size_t n : {uncountable, uncountable - 7, uncountable / 2 + 1, uncountable / 4 + 1}) {
        const std::string number = "min_keep = " + std::to_string(n);
        expect_all_are_kept(top_p{.p = 0.5f, .min_keep = n}, "top_p, " + number);
        expect_all_are_kept(min_p{.p = 0.5f, .min_keep = n}, "min_p, " + number);
        expect_all_are_kept(typical{.p = 0.5f, .min_keep = n}, "typical, " + number);
    }
}

void log_probabilities() {
    auto c = chain(dist{});
    for (const std::vector<float>& row : {mixed_row(), std::vector<float>(row_size, 1.0f)})
        for (const std::size_t n : {row_size, std::size_t{1} << 29, std::size_t{1} << 30, uncountable})
            for (const logprobs_of which : {before, after})
                expect(c.logprobs(row, n, which).size() == row_size, "logprobs, n = " + std::to_string(n));
}

void memory() {
    auto c = penalties{.last_n = -1, .repeat = 1.5f} | dist{.seed = 1};
    const token_id expected = c.peek(mixed_row());
    for (const std::size_t tokens : {std::size_t{1} << 27, std::size_t{1} << 28, std::size_t{1} << 30, uncountable}) {
        const std::string number = std::to_string(tokens) + " tokens";
        expect(double(c.scratch_bytes(1000, tokens)) >= (std::min)(36.0 * double(tokens), double(uncountable)),
               "scratch_bytes for " + number);
        if (sizeof(std::size_t) == 4 || tokens > std::size_t(greatest_int))
            expect(c.reserve(1000, tokens) == status_code::out_of_memory, "reserve for " + number);
        expect(c.peek(mixed_row()) == expected, "the token after asking for " + number);
    }
    expect(c.reserve(uncountable) == status_code::row_too_long, "reserve for more logits than there are ids");
    for (const std::size_t logits : {std::size_t{1} << 28, std::size_t{1} << 30})
        expect(double(c.scratch_bytes(logits)) >= (std::min)(16.0 * double(logits), double(uncountable)),
               "scratch_bytes for " + std::to_string(logits) + " logits");
}

void batches() {
    const auto row = mixed_row();
    batch b;
    std::vector sequences(3, chain(dist{}));
    std::vector<token_id> tokens(3);
    for (const std::size_t stride : {uncountable, uncountable / 2 + 1, uncountable / 4 + 1})
        expect(b.sample(sequences, logit_rows(row.data(), 3, 100, stride), tokens) == status_code::invalid_parameter,
               "a stride of " + std::to_string(stride));
    expect(b.reserve(uncountable, 1, 1000) == status_code::out_of_memory, "reserve for more rows than memory holds");
    expect(b.reserve(1, 1, uncountable) == status_code::out_of_memory, "reserve for more bytes than memory holds");
}

}  // namespace

int main() {
    ranks_and_least_numbers();
    log_probabilities();
    memory();
    batches();
    std::printf("%d sizes in %d bits as they should be, %d wrong\n", right, int(sizeof(std::size_t) * 8), wrong);
    return wrong || right == 0;
}
