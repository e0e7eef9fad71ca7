// Rows of which some logits are edited, in every pattern that the row tells apart: edits that are kept beside it and
// blocks that are copied, at the borders of blocks, and on the logits that decide. Behind them every stage and every
// selector: fused, staged and reference agree.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "chain/run_time.hpp"

namespace riffle_tests::chain_edited_rows {
namespace {

using namespace riffle;
using reference::any_spec;

struct pattern {
    const char* name;
    std::function<std::vector<logit_bias_entry>(const std::vector<float>& row)> edits_of;
};

std::vector<logit_bias_entry> on(const std::vector<std::size_t>& ids, const std::vector<float>& biases) {
    std::vector<logit_bias_entry> entries;
    for (const std::size_t id : ids) entries.push_back({token_id(id), biases[entries.size() % biases.size()]});
    return entries;
}
std::vector<std::size_t> every(std::size_t step, std::size_t first, std::size_t end) {
    std::vector<std::size_t> ids;
    for (std::size_t id = first; id < end; id += step) ids.push_back(id);
    return ids;
}
std::vector<std::size_t> anywhere(std::size_t count, std::size_t size) {
    random_integers random(count + size);
    std::vector<std::size_t> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(random.below(size));
    return ids;
}
/// The ids of the greatest logits; of a NaN nobody asks how great it is.
std::vector<std::size_t> greatest(std::size_t count, const std::vector<float>& row) {
    std::vector<std::size_t> ids = every(1, 0, row.size());
    std::erase_if(ids, [&](std::size_t id) { return row[id] != row[id]; });
    count = std::min(count, ids.size());
    std::partial_sort(ids.begin(), ids.begin() + std::ptrdiff_t(count), ids.end(),
                      [&](std::size_t a, std::size_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
    ids.resize(count);
    return ids;
}

const std::vector<float> up_and_down{0.75f, -0.75f, 3.0f, -3.0f, 0.0f};
const std::vector<pattern> patterns{
    {"no edit", [](const auto&) { return std::vector<logit_bias_entry>(); }},
    {"the first and the last token",
     [](const auto& row) {
         return on({0, row.size() - 1}, {2.0f});
     }},
    {"both sides of each border of blocks",
     [](const auto& row) {
         auto ids = every(block_size, block_size - 1, row.size());
         for (const std::size_t id : every(block_size, block_size, row.size())) ids.push_back(id);
         return on(ids, up_and_down);
     }},
    {"the last block", [](const auto& row) { return on(every(3, (row.size() - 1) / 256 * 256, row.size()), {1.0f}); }},
    {"tokens edited again and again",
     [](const auto& row) {
         std::vector<std::size_t> ids;
         for (int time = 0; time < 5; ++time)
             for (const std::size_t id : {std::size_t{3}, row.size() / 2, row.size() / 3}) ids.push_back(id);
         return on(ids, up_and_down);
     }},
    {"bans", [](const auto& row) { return on(anywhere(8, row.size()), {-infinity}); }},
    {"the greatest banned", [](const auto& row) { return on(greatest(5, row), {-infinity}); }},
    {"the greatest made less",
     [](const auto& row) {
         return on(greatest(12, row), {-0.5f, -9.0f, -2.0f});
     }},
    {"others made the greatest",
     [](const auto& row) {
         return on(anywhere(6, row.size()), {30.0f, 31.0f, 30.0f});
     }},
    {"as many lanes of a block as are kept", [](const auto&) { return on(every(7, 256, 256 + 16 * 7), up_and_down); }},
    {"one more", [](const auto&) { return on(every(7, 256, 256 + 17 * 7), up_and_down); }},
    {"all lanes of a block", [](const auto&) { return on(every(1, 256, 512), up_and_down); }},
    {"a lane of every block", [](const auto& row) { return on(every(256, 77, row.size()), up_and_down); }},
    {"every fifth token", [](const auto& row) { return on(every(5, 0, row.size()), up_and_down); }},
    {"64 tokens", [](const auto& row) { return on(anywhere(64, row.size()), up_and_down); }},
};

void expect_agreement(const pattern& edits, std::vector<any_spec> stages, shape s, std::size_t size, std::uint64_t seed,
                      std::size_t steps = 2) {
    const std::vector<float> row = make_row(s, size, seed);
    run_time_chain both;
    both.push(logit_bias{edits.edits_of(row)});
    for (const any_spec& stage : stages) both.push(stage);
    both.start();
    both.expect_agreement(steps, row, std::string(edits.name) + ", " + name_of(s) + ", " + std::to_string(size));
}

/// Goes round the variants of a type, wherever it is asked for.
class turns {
public:
    const any_spec& next(std::size_t type) {
        const auto& variants = all_variants()[type];
        return variants[next_[type]++ % variants.size()];
    }

private:
    std::size_t next_[std::variant_size_v<any_spec>] = {};
};

/// All patterns ahead of one type of stage, and a draw behind it; or ahead of a selector.
class EditedRows : public testing::TestWithParam<std::size_t> {};

TEST_P(EditedRows, Agree) {
    const std::size_t type = GetParam();
    turns turn;
    random_integers random(type);
    std::size_t shapes = type;
    const std::size_t rows = how_many(2, 300, "rows for each pattern ahead of each stage");
    for (const pattern& edits : patterns)
        for (std::size_t n = 0; n < rows && !HasFailure(); ++n) {
            std::vector<any_spec> stages{turn.next(type)};
            const bool compares_texts = std::holds_alternative<infill>(stages[0]);  // all pairs of them
            if (type >= reference::selectors) stages.push_back(dist{n});
            const shape s = all_shapes[shapes++ % all_shapes.size()];
            expect_agreement(edits, stages, s, compares_texts ? 300 : 512 + random.below(5000), random.next());
        }
}
std::string name_of_type(const testing::TestParamInfo<std::size_t>& stage) {
    const std::string text =
        std::visit([](const auto& spec) { return reference::describe(spec); }, all_variants()[stage.param][0]);
    return text.substr(0, text.find('{'));
}
INSTANTIATE_TEST_SUITE_P(AheadOf, EditedRows, testing::Range(std::size_t{0}, std::variant_size_v<any_spec>),
                         name_of_type);

/// Here hundreds of edits are kept; of the longest rows several blocks share a list.
TEST(LongEditedRows, AgreeOnLongRows) {
    const std::vector<std::vector<any_spec>> chains{{greedy{}},
                                                    {top_k{.k = 40}, top_p{.p = 0.95f}, dist{1}},
                                                    {top_k{.k = 3000}, dist{2}},
                                                    {temperature{0.8f}, dist{3}},
                                                    {gumbel{4}},
                                                    {top_n_sigma{1.0f}, dist{5}},
                                                    {top_p{.p = 0.98f}, temperature{1.5f}, dist{6}},
                                                    {typical{.p = 0.9f}, dist{7}},
                                                    {mirostat_v2{}}};
    constexpr std::array shapes{shape::random, shape::flat, shape::sprinkled, shape::peaked};
    random_integers random(3);
    std::size_t n = 0;
    for (const std::size_t size : {32000u, 128256u, 300001u})
        for (const pattern& edits : patterns) {
            if (testing::Test::HasFailure()) return;
            const shape s = shapes[n % shapes.size()];
            expect_agreement(edits, chains[n++ % chains.size()], s, size, random.next(), 1);
        }
}

/// Edits of several stages meet in one row, and a mask or a map that is written out lies between them.
TEST(LongEditedRows, EditsOfSeveralStagesMeet) {
    random_integers random(4);
    const std::vector<std::vector<any_spec>> between{
        {penalties{.last_n = 64, .repeat = 1.3f, .presence = 0.2f}},
        {mask{std::vector<std::uint32_t>(700, 0xFFF7FFFEu)}, penalties{.repeat = 1.3f}},
        {soft_cap{.cap = 9.0f}, penalties{.repeat = 1.3f},
         length_penalty{.start = 0, .factor = 1.5f, .ends = {7, 300}}},
        {xtc{.probability = 1.0f, .threshold = 0.01f}, penalties{.repeat = 1.3f}}};
    for (const pattern& edits : patterns)
        for (std::vector<any_spec> stages : between) {
            if (testing::Test::HasFailure()) return;
            stages.push_back(logit_bias{edits.edits_of(make_row(shape::random, 20003, 1))});
            stages.push_back(top_k{.k = 50});
            stages.push_back(dist{1});
            expect_agreement(edits, stages, shape::random, 20003, random.next());
        }
}

}  // namespace
}  // namespace riffle_tests::chain_edited_rows
