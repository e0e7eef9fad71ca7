// The helper: chains of every kind on a device of riffle's own, many rows, and the processor whenever something is
// wrong.

#include <array>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>

#include "chain/own_stages.hpp"
#include "gpu/device_for_tests.hpp"
#include "reference/rows.hpp"
#include "sizes/numbers.hpp"

namespace riffle_tests::gpu_sampler {
namespace {

using namespace riffle;

class SamplerOnDevice : public OnDevice {};

const std::vector<token_id> prompt{1, 5, 3, 5, 0, 700, 1, 1};

/// Which rows are the device's, since those that it cannot have are not noticed otherwise: of the usual ones, neither
/// short nor flat nor with ties.
enum class rows_there { all, usual, none };

/// Several steps of the chain here and there: tokens, states and what is left are the same.
template <class Chain>
void expect_same_steps(const Chain& chain, const char* what, rows_there are = rows_there::all) {
    constexpr std::uint32_t longest = 3000;
    gpu::sampler<Chain> on_device(test_device(), {.vocabulary = longest, .room = 300});
    ASSERT_TRUE(on_device.state().ok()) << what << ": " << on_device.state().message().c_str();
    Chain there = chain, here = chain;
    ASSERT_TRUE(there.prompt(prompt).ok() && here.prompt(prompt).ok());
    for (const std::size_t size : {std::size_t{7}, std::size_t{1000}, std::size_t{longest}})
        for (const shape s : all_shapes)
            for (std::uint64_t step = 0; step < 2; ++step) {
                const auto row = make_row(s, size, step);
                const std::string where = std::string(what) + ", " + name_of(s) + " " + std::to_string(size);
                const token_id expected = here.sample(row);
                ASSERT_EQ(on_device.sample(there, row), expected) << where;
                if (are == rows_there::none) {
                    EXPECT_EQ(on_device.rows_on_device(), 0u) << where;
                } else if (are == rows_there::all || (s == shape::random && size >= 1000)) {
                    EXPECT_EQ(on_device.rows_on_device(), 1u) << where;
                }
                ASSERT_EQ(there.last_status().code(), here.last_status().code()) << where;
                if (expected == null_token) continue;
                const auto left = there.survivors();
                bool has_token = false;
                for (const token_data& t : left) has_token |= t.id == expected;
                EXPECT_TRUE(has_token) << where;
            }
    EXPECT_TRUE(on_device.state().ok());
}

/// Of the first so many tokens.
logit_bias biases_of(token_id ids) {
    logit_bias bias;
    for (token_id id = 0; id < ids; ++id) bias.biases.push_back({id, -0.5f});
    return bias;
}

TEST_F(SamplerOnDevice, GivesTheTokensOfTheProcessor) {
    expect_same_steps(chain(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{}),
                      "all on the device");
    expect_same_steps(chain(penalties{.repeat = 1.3f, .frequency = 0.2f}, dry{.multiplier = 0.8f},
                            no_repeat_ngram{.n = 2}, logit_bias{{{0, 2.0f}, {3, illegal_logit}}}, top_k{.k = 40},
                            gumbel{.seed = 9}),
                      "edits that follow what was accepted");
    expect_same_steps(chain(mask{std::vector<std::uint32_t>(100, 0xf0f3f1f1u)},
                            min_tokens{.count = 3, .ends = token_set(std::span<const token_id>(prompt))},
                            top_p{.p = 0.8f}, dist{.seed = 2}),
                      "masks");
    expect_same_steps(chain(xtc{.probability = 0.6f, .threshold = 0.05f, .seed = 4}, dist{.seed = 3}), "draws twice");
}
TEST_F(SamplerOnDevice, GoesOnWhereTheDeviceStops) {
    expect_same_steps(chain(min_p{.p = 0.02f}, tail_free{.z = 0.9f}, dist{.seed = 2}), "tail_free", rows_there::usual);
    expect_same_steps(chain(top_k{.k = 50}, adaptive_p{.target = 0.4f, .seed = 5}), "adaptive_p, which learns");
    expect_same_steps(chain(top_k{.k = 200}, temperature{.t = 1.3f}, mirostat_v2{.tau = 3.0f, .seed = 5}), "mirostat");
    expect_same_steps(chain(top_k{.k = 30}, keep_even{}, dist{.seed = 2}), "a user's verb");
    expect_same_steps(chain(min_p{.p = 0.02f}, temperature{.t = 0.7f}, logit_bias{{{5, 3.0f}}}, dist{.seed = 2}),
                      "an edit behind a map", rows_there::usual);
}
TEST_F(SamplerOnDevice, LeavesOutWhatLlamaCppsStagesCannotKeep) {
    expect_same_steps(chain<llama_exact>(top_k{.k = 40}, top_p{.p = 0.95f}, temperature{.t = 0.8f}, dist{.seed = 3}),
                      "top_k", rows_there::usual);
    expect_same_steps(chain<llama_exact>(penalties{.repeat = 1.3f, .frequency = 0.2f}, temperature{.t = 0.9f},
                                         top_k{.k = 20}, typical{.p = 0.9f}, dist{.seed = 3}),
                      "behind penalties and a temperature", rows_there::usual);
    expect_same_steps(chain<llama_exact>(min_p{.p = 0.1f}, temperature{.t = 0.8f}, mirostat_v2{.seed = 3}), "min_p",
                      rows_there::usual);
    expect_same_steps(chain<llama_exact>(penalties{.repeat = 0.7f}, top_k{.k = 20}, dist{.seed = 3}),
                      "penalties that raise, so that the whole row is needed", rows_there::none);
    for (const token_id ids : {64, 65})
        expect_same_steps(chain<llama_exact>(biases_of(ids), top_k{.k = 20}, dist{.seed = 3}),
                          "as many biases as are looked at, and one more",
                          ids == 64 ? rows_there::usual : rows_there::none);
    expect_same_steps(chain<llama_exact>(top_k{.k = 0}, dist{.seed = 3}), "a top_k that is off", rows_there::none);
}
TEST_F(SamplerOnDevice, TakesAUsersMapsAsTheyStand) {
    expect_same_steps(chain(centred{}, stretched{}, top_k{.k = 40}, dist{.seed = 6}), "monotone");
    expect_same_steps(chain(folded_over{}, min_p{.p = 0.1f}, overflowing{}, dist{.seed = 6}), "neither");
    expect_same_steps(chain(bowl{.lowest = -1.0f}, gumbel{.seed = 6}), "with a parameter");
    expect_same_steps(chain(favours{{{2, 4.0f}, {9, -2.0f}}}, top_k{.k = 40}, dist{.seed = 6}), "edits");
}
/// Few legal tokens come as ids, many as words; both are the device's.
TEST_F(SamplerOnDevice, KeepsToAGrammar) {
    vocabulary words;
    for (int i = 0; i < 3000; ++i) {
        std::string piece(1, char('a' + i % 26));
        for (int rest = i / 26; rest > 0; rest /= 26) piece += char('a' + rest % 26);
        words.add(i % 17 == 3 ? "0" + piece : piece);
    }
    const auto g = parse_gbnf("root ::= ([a-z]{4} \"0b\" [a-z]{2})+");
    ASSERT_TRUE(g.ok()) << g.problem().message();
    const auto chain = constrain{grammar_matcher(*g, vocabulary_trie(words))} | penalties{.repeat = 1.1f} |
                       top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 3};
    gpu::sampler<std::remove_const_t<decltype(chain)>> on_device(test_device(), {.vocabulary = 3000, .room = 300});
    ASSERT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
    auto there = chain, here = chain;
    bool were_few = false, were_many = false;
    for (std::uint64_t step = 0; step < 40; ++step) {
        const auto row = make_row(shape::random, 3000, step);
        const grammar_matcher& m = get<constrain<grammar_matcher>>(here).matcher;
        (m.legal_ids().empty() ? were_many : were_few) = true;
        const token_id expected = here.sample(row);
        ASSERT_GE(expected, 0) << here.last_status().message().c_str();
        ASSERT_EQ(on_device.sample(there, row), expected) << step;
        EXPECT_EQ(on_device.rows_on_device(), 1u) << step;
    }
    EXPECT_TRUE(were_few && were_many);
}

TEST_F(SamplerOnDevice, DynamicChainsToo) {
    dynamic_chain there;
    (void)there.push(penalties{.repeat = 1.2f});
    (void)there.push(top_k{.k = 30});
    (void)there.push(centred{});
    (void)there.push(dist{.seed = 3});
    dynamic_chain here = there;
    using known = gpu::dynamic_on_device<penalties, top_k, centred, dist>;
    known on(there);
    EXPECT_EQ(on.plan.stages, 4u);
    gpu::sampler<dynamic_chain, known> on_device(test_device(), {.vocabulary = 2000}, std::move(on));
    ASSERT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
    for (std::uint64_t step = 0; step < 20; ++step) {
        const auto row = make_row(all_shapes[step % all_shapes.size()], 2000, step);
        EXPECT_EQ(on_device.sample(there, row), here.sample(row));
    }
    gpu::dynamic_on_device<penalties, dist> unknown(there);  // a stage that it does not know ends its part
    EXPECT_EQ(unknown.plan.stages, 0u);
}

using usual = decltype(chain(penalties{}, top_k{}, temperature{}, dist{}));
usual usual_chain(std::uint64_t seed) {
    return chain(penalties{.repeat = 1.2f}, top_k{.k = 20 + int(seed)}, temperature{.t = 0.8f}, dist{.seed = seed});
}

TEST_F(SamplerOnDevice, ManyRowsEachWithAChainOfItsOwn) {
    constexpr std::size_t rows = 11, size = 1500, stride = 1507;
    std::vector<usual> there, here;
    std::vector<usual*> chains;
    for (std::size_t r = 0; r < rows; ++r) there.push_back(usual_chain(r).fork(std::uint16_t(r)));
    here = there;
    for (auto& c : there) chains.push_back(&c);
    // Batches of four: the eleven rows take three turns, and in what turn a row comes does not show.
    gpu::sampler<usual> on_device(test_device(), {.vocabulary = size, .rows = 4});
    std::vector<token_id> tokens(rows);
    for (std::uint64_t step = 0; step < 5; ++step) {
        std::vector<float> logits(stride * rows, 50.0f);
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = make_row(all_shapes[(r + step) % 6], size, step);
            std::copy(row.begin(), row.end(), logits.begin() + long(r * stride));
        }
        on_device.sample(chains, logits, stride, tokens, size);
        for (std::size_t r = 0; r < rows; ++r)
            EXPECT_EQ(tokens[r], here[r].sample(std::span(logits).subspan(r * stride, size))) << r;
    }
    EXPECT_TRUE(on_device.state().ok()) << on_device.state().message().c_str();
}

TEST_F(SamplerOnDevice, RowsThatItHasNoRoomForAreSampledHere) {
    gpu::sampler<usual> on_device(test_device(), {.vocabulary = 100});
    usual there = usual_chain(1), here = there;
    for (const std::size_t size : {std::size_t{0}, std::size_t{100}, std::size_t{101}, std::size_t{5000}}) {
        const auto row = make_row(shape::random, size, 1);
        EXPECT_EQ(on_device.sample(there, row), here.sample(row)) << size;
        EXPECT_EQ(on_device.rows_on_device(), size == 100 ? 1u : 0u);
        EXPECT_EQ(there.last_status().code(), here.last_status().code()) << size;
    }
    EXPECT_TRUE(on_device.state().ok());
}
TEST_F(SamplerOnDevice, RowsThatTheLogitsEndBeforeAreShorter) {
    std::vector<usual> there{usual_chain(1), usual_chain(2), usual_chain(3)}, here = there;
    std::vector<usual*> chains{&there[0], &there[1], &there[2]};
    std::vector<token_id> tokens(3);
    gpu::sampler<usual> on_device(test_device(), {.vocabulary = 100, .rows = 2});
    const auto logits = make_row(shape::random, 150, 1);
    on_device.sample(chains, logits, 100, tokens);
    EXPECT_EQ(tokens[0], here[0].sample(std::span(logits).first(100)));
    EXPECT_EQ(tokens[1], here[1].sample(std::span(logits).subspan(100)));
    EXPECT_EQ(tokens[2], null_token);
    EXPECT_EQ(there[2].last_status(), status_code::empty_row);
    EXPECT_EQ(on_device.rows_on_device(), 1u);
    on_device.sample(chains, logits, std::numeric_limits<std::size_t>::max(), tokens, 100);
    EXPECT_EQ(tokens[0], here[0].sample(std::span(logits).first(100)));
    EXPECT_EQ(tokens[1], null_token);
    tokens = {7, 7, 7};
    on_device.sample(std::span<usual* const>(chains).first(1), logits, 100, tokens);
    EXPECT_EQ(tokens[0], here[0].sample(std::span(logits).first(100)));
    EXPECT_EQ(tokens[1], null_token) << "a place without a chain";
    EXPECT_EQ(tokens[2], null_token);
}
TEST_F(SamplerOnDevice, ABatchThatIsLargerThanATurnCanBe) {
    constexpr std::size_t rows = 65600, size = 3;
    using least = decltype(chain(greedy{}));
    std::vector<least> there(rows, chain(greedy{}));
    std::vector<least*> chains;
    for (auto& c : there) chains.push_back(&c);
    const auto logits = make_row(shape::random, rows * size, 1);
    std::vector<token_id> tokens(rows);
    gpu::sampler<least> on_device(test_device(), {.vocabulary = size, .rows = 100000, .room = 0, .group_size = 64});
    on_device.sample(chains, logits, size, tokens);
    EXPECT_EQ(on_device.rows_on_device(), rows);
    std::size_t differ = 0;
    for (std::size_t r = 0; r < rows; ++r)
        differ += tokens[r] != chain(greedy{}).sample(std::span(logits).subspan(r * size, size));
    EXPECT_EQ(differ, 0u);
}
TEST_F(SamplerOnDevice, LimitsThatWillNotDo) {
    gpu::sampler<usual> no_rows(test_device(), {.vocabulary = 100, .rows = 0});
    EXPECT_EQ(no_rows.state().code(), gpu::device_code::too_many_rows);
    usual there = usual_chain(1), here = there;
    EXPECT_EQ(no_rows.sample(there, make_row(shape::random, 100, 1)), here.sample(make_row(shape::random, 100, 1)));
    gpu::sampler<usual> no_logits(test_device(), {});
    EXPECT_EQ(no_logits.state().code(), gpu::device_code::too_many_rows);
    EXPECT_EQ(no_logits.sample(there, make_row(shape::random, 100, 2)), here.sample(make_row(shape::random, 100, 2)));
    gpu::sampler<usual> too_long(test_device(), {.vocabulary = (1u << 22) + 1});
    EXPECT_EQ(too_long.state().code(), gpu::device_code::device_too_small);
}
/// What is too much for the device is the processor's, with the same tokens.
TEST_F(SamplerOnDevice, LimitsOfAnySize) {
    using edited = decltype(biases_of(0) | top_k{} | dist{});
    using limit = std::uint32_t gpu::sampler_limits::*;
    const std::pair<const char*, limit> all[] = {{"vocabulary", &gpu::sampler_limits::vocabulary},
                                                 {"rows", &gpu::sampler_limits::rows},
                                                 {"room", &gpu::sampler_limits::room},
                                                 {"edits", &gpu::sampler_limits::edits},
                                                 {"group_size", &gpu::sampler_limits::group_size}};
    constexpr std::uint32_t size = 300;
    for (const auto& [name, member] : all)
        for (const auto n : numbers_around<std::uint32_t>(size)) {
            gpu::sampler_limits limits{.vocabulary = size};
            limits.*member = n;
            gpu::sampler<edited> on_device(test_device(), limits);
            edited there = biases_of(20) | top_k{.k = 40} | dist{.seed = 3}, here = there;
            for (std::uint64_t step = 0; step < 2; ++step) {
                const auto row = make_row(shape::random, size, step);
                EXPECT_EQ(on_device.sample(there, row), here.sample(row))
                    << name << " " << n << ": " << on_device.state().message().c_str();
            }
        }
}
TEST_F(SamplerOnDevice, SeveralThreadsShareADevice) {
    std::array<std::size_t, 4> differ{};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < differ.size(); ++t)
        threads.emplace_back([&differ, t] {
            usual there = usual_chain(t), here = there;
            gpu::sampler<usual> on_device(test_device(), {.vocabulary = 1000});
            for (std::uint64_t step = 0; step < 20; ++step) {
                const auto row = make_row(shape::random, 1000, step);
                differ[t] += on_device.sample(there, row) != here.sample(row) || on_device.rows_on_device() != 1;
            }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(differ, (std::array<std::size_t, 4>{}));
}
TEST_F(SamplerOnDevice, SurvivorsThatFindNoRoomAreLookedForHere) {
    auto there = chain(min_p{.p = 1e-6f}, tail_free{.z = 0.9f}, dist{.seed = 1}), here = there;
    gpu::sampler<decltype(there)> on_device(test_device(), {.vocabulary = 3000, .room = 5});
    for (std::uint64_t step = 0; step < 5; ++step) {
        const auto row = make_row(shape::flat, 3000, step);
        EXPECT_EQ(on_device.sample(there, row), here.sample(row));
    }
}
TEST_F(SamplerOnDevice, AParameterWithoutMeaningIsNamed) {
    gpu::sampler<usual> on_device(test_device(), {.vocabulary = 100});
    usual c = usual_chain(1);
    get<temperature>(c).t = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(on_device.sample(c, make_row(shape::random, 100, 1)), null_token);
    EXPECT_EQ(c.last_status(), status_code::invalid_parameter);
    get<temperature>(c).t = 1.0f;
    EXPECT_NE(on_device.sample(c, make_row(shape::random, 100, 1)), null_token);
}
TEST_F(SamplerOnDevice, EditsOfMoreIdsThanThereIsRoomForAreMadeHere) {
    logit_bias many;
    for (token_id id = 0; id < 60000; ++id) many.biases.push_back({id % 3000, float(id % 7)});
    auto there = chain(many, top_k{.k = 10}, dist{.seed = 1}), here = there;
    const auto row = make_row(shape::random, 3000, 1);
    gpu::sampler<decltype(there)> on_device(test_device(), {.vocabulary = 3000});
    EXPECT_EQ(on_device.sample(there, row), here.sample(row));
    EXPECT_EQ(on_device.rows_on_device(), 0u);
    gpu::sampler<decltype(there)> with_room(test_device(), {.vocabulary = 3000, .edits = 60000});
    EXPECT_EQ(with_room.sample(there, row), here.sample(row));
    EXPECT_EQ(with_room.rows_on_device(), 1u);
    gpu::sampler<decltype(there)> without(test_device(), {.vocabulary = 3000, .edits = 0});
    EXPECT_EQ(without.sample(there, row), here.sample(row));
    EXPECT_EQ(without.rows_on_device(), 0u);
}

/// A row with few edits, one with too many, and the first again: only the second is the processor's.
template <class Chain>
void expect_too_many_edits_are_left_out(const Chain& few, const Chain& many, const gpu::sampler_limits& limits,
                                        const char* what) {
    gpu::sampler<Chain> on_device(test_device(), limits);
    ASSERT_TRUE(on_device.state().ok()) << what << ": " << on_device.state().message().c_str();
    const auto row = make_row(shape::random, limits.vocabulary, 1);
    for (const Chain* const one : {&few, &many, &few}) {
        Chain there = *one, here = *one;
        EXPECT_EQ(on_device.sample(there, row), here.sample(row)) << what;
        EXPECT_EQ(on_device.rows_on_device(), one == &few ? 1u : 0u) << what;
        EXPECT_TRUE(on_device.state().ok()) << what << ": " << on_device.state().message().c_str();
    }
    if (limits.rows < 2) return;
    std::array<Chain, 2> there{many, few}, here = there;
    std::array<Chain*, 2> chains{&there[0], &there[1]};
    std::vector<float> rows(row);
    rows.insert(rows.end(), row.begin(), row.end());
    std::array<token_id, 2> tokens{};
    on_device.sample(chains, rows, row.size(), tokens);
    EXPECT_EQ(tokens, (std::array{here[0].sample(row), here[1].sample(row)})) << what << ", in one turn";
    EXPECT_EQ(on_device.rows_on_device(), 1u) << what << ", in one turn";
}
TEST_F(SamplerOnDevice, ARowOfTooManyEditsIsTheProcessorsAndNoOther) {
    const auto plain = [](token_id ids) { return biases_of(ids) | top_k{.k = 40} | dist{.seed = 1}; };
    // What a short mask does not take of its room lies free in the buffer of requests, not in that of the edits.
    const auto masked = [](token_id ids) {
        return biases_of(ids) | mask{std::vector<std::uint32_t>(20, ~0u)} | top_k{.k = 40} | dist{.seed = 1};
    };
    expect_too_many_edits_are_left_out(masked(50), masked(200), {.vocabulary = 32000, .edits = 100}, "a short mask");
    expect_too_many_edits_are_left_out(plain(50), plain(100), {.vocabulary = 3000, .rows = 64, .edits = 1}, "rows");

    using chain_type = decltype(plain(0));
    gpu::kernel kernel;
    ASSERT_TRUE(kernel.create(test_device().context(), gpu::chain_on_device<chain_type>(), 64).ok());
    const std::size_t most = kernel.most_edited_ids(kernel.longest_row());
    if (most == ~std::size_t{0}) return;  // a driver that does not stop loops
    const auto many = token_id(most + 1);
    expect_too_many_edits_are_left_out(
        plain(many - 1), plain(many),
        {.vocabulary = kernel.longest_row(), .edits = std::uint32_t(many), .group_size = 64}, "the turns of loops");
}

TEST(Sampler, WithoutADeviceTheProcessorServes) {
    const gpu::device none({.name = "a device that has this name"});
    EXPECT_FALSE(none.state().ok());
    gpu::sampler<usual> on_device(none, {.vocabulary = 100});
    EXPECT_EQ(on_device.state().code(), none.state().code());
    usual there = usual_chain(1), here = there;
    for (std::uint64_t step = 0; step < 5; ++step) {
        const auto row = make_row(shape::random, 100, step);
        EXPECT_EQ(on_device.sample(there, row), here.sample(row));
    }
}
TEST_F(SamplerOnDevice, AChainThatTheDeviceHasNothingToDoForIsSampledHere) {
    auto there = chain(tail_free{.z = 0.9f}, dist{.seed = 1}), here = there;
    gpu::sampler<decltype(there)> on_device(test_device(), {.vocabulary = 3000});
    EXPECT_EQ(on_device.state().code(), gpu::device_code::no_stages);
    const auto row = make_row(shape::random, 3000, 1);
    EXPECT_EQ(on_device.sample(there, row), here.sample(row));
    static_assert(!gpu::chain_on_device<decltype(chain<llama_exact>(dist{}))>::plan.is_useful());
}

}  // namespace
}  // namespace riffle_tests::gpu_sampler
