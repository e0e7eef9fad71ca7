// weigh against the reference, on all families of rows and behind every stage; distribution of the first few; and
// accept_choice, which leaves a chain as a sample of that token would.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "chain/choices.hpp"
#include "chain/own_stages.hpp"
#include "chain/random_stages.hpp"
#include "long_run.hpp"

namespace riffle_tests::chain_weighing {
namespace {

using namespace riffle;
using reference::any_spec;
using weights_by_id = std::vector<std::uint64_t>;

constexpr std::uint64_t greatest_target = std::numeric_limits<std::uint64_t>::max();

// ---- what the reference says

struct inexact_share {
    double share = 0.0, tolerance = 2e-6;
};
struct expected_law {
    weights_by_id weights;
    std::vector<float> logits;          ///< as the selector is given them, by id; -inf where the token is not left
    std::vector<inexact_share> shares;  ///< by id, of skew alone: its weights are not said to the last bit
    token_id token = null_token;
};

/// u^exp(-amount) lies below a share c as often as u lies below c^exp(amount). (The stage takes the logarithm of c from
/// 1 - c, a float: that of a little c is as much less exact.)
std::vector<inexact_share> skewed_shares(const skew& s, std::vector<reference::candidate> left, std::size_t size) {
    std::vector<inexact_share> shares(size);
    reference::sort_by_rank(left);
    double total = 0.0, reached = 0.0;
    for (const auto& c : left) total += double(reference::weight(c, left[0].logit));
    const double power = std::exp(std::min(std::max(double(s.amount), -80.0), 80.0));
    for (const auto& c : left) {
        const double before = reached;
        reached += double(reference::weight(c, left[0].logit));
        const double share = std::pow(reached / total, power) - std::pow(before / total, power);
        shares[std::size_t(c.id)] = {share, 2e-6 + share * std::min(2e-5 + power * 0x1p-23 * total / reached, 0.01)};
    }
    return shares;
}

expected_law expected_of(const reference::model& model, std::span<const float> row) {
    const reference::state_between run = model.run(row);
    const any_spec& selector = model.stages.back();
    expected_law law{
        weights_by_id(row.size()), std::vector<float>(row.size(), reference::minus_infinity), {}, run.token};
    std::vector<reference::candidate> given = run.left, drawn = run.left;
    if (std::holds_alternative<adaptive_p>(selector)) {  // it leaves other logits than it was given
        reference::model ahead = model;
        ahead.stages.pop_back();
        given = ahead.run(row).left;
    }
    if (std::holds_alternative<greedy>(selector))
        std::erase_if(drawn, [&](const auto& c) { return c.id != run.token; });
    reference::drop_illegal(drawn);
    float maximum = reference::minus_infinity;
    for (const auto& c : drawn) maximum = std::max(maximum, c.logit);
    for (const auto& c : drawn) law.weights[std::size_t(c.id)] = reference::weight(c, maximum);
    for (const auto& c : given) law.logits[std::size_t(c.id)] = c.logit;
    if (const auto* const s = std::get_if<skew>(&selector)) law.shares = skewed_shares(*s, drawn, row.size());
    return law;
}

/// The random bits of a selector that draws by mass, if it does.
std::optional<std::uint64_t> bits_of_draw(const any_spec& selector, const checkpoint& at) {
    return std::visit(
        [&]<class S>(const S& s) -> std::optional<std::uint64_t> {
            if constexpr (std::is_same_v<S, dist> || std::is_same_v<S, mirostat> || std::is_same_v<S, mirostat_v2> ||
                          std::is_same_v<S, adaptive_p>)
                return draws(s.seed, {at.position, at.attempt, 0}, stream_of(S::kind, 0)).bits();
            else return std::nullopt;
        },
        selector);
}

// ---- what a law tells, against weights by id and slow loops over them

std::uint64_t sum_of(const weights_by_id& weights) {
    std::uint64_t sum = 0;
    for (const std::uint64_t w : weights) sum += w;
    return sum;
}
std::uint64_t weight_of(const weights_by_id& weights, token_id token) {
    return token >= 0 && std::size_t(token) < weights.size() ? weights[std::size_t(token)] : 0;
}
token_id slowly_picked(const weights_by_id& weights, std::uint64_t target) {
    for (std::size_t id = 0; id < weights.size(); ++id) {
        if (target < weights[id]) return token_id(id);
        target -= weights[id];
    }
    return null_token;
}
weights_by_id without(weights_by_id weights, std::span<const token_weight> taken) {
    for (const token_weight& one : taken)
        if (one.token >= 0 && std::size_t(one.token) < weights.size())
            weights[std::size_t(one.token)] -= std::min(weights[std::size_t(one.token)], one.weight);
    return weights;
}

std::vector<token_weight> some_taken(const weights_by_id& weights, random_integers& random) {
    std::vector<token_id> ids{-7, -1, token_id(weights.size()), token_id(weights.size()) + 300};
    for (std::size_t i = random.below(60); i > 0; --i) ids.push_back(token_id(random.below(weights.size())));
    if (random.below(2) == 0)  // neighbours
        for (std::size_t i = 0, first = random.below(weights.size()); i < 40; ++i) ids.push_back(token_id(first + i));
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::vector<token_weight> taken;
    for (const token_id id : ids) {
        const std::uint64_t w = weight_of(weights, id);
        const std::uint64_t all[] = {0, w, w / 2, 2 * w + 7, greatest_target, random.below(w + 1)};
        taken.push_back({id, all[random.below(std::size(all))]});
    }
    return taken;
}

template <class What>
class told_by {
public:
    told_by(const weighed& law, const weights_by_id& weights, random_integers& random, const What& what)
        : law_(law), weights_(weights), total_(sum_of(weights)), random_(random), what_(what) {}

    void is_right() {
        EXPECT_EQ(law_.total(), total_) << what_();
        EXPECT_EQ(bool(law_), total_ > 0) << what_();
        if (testing::Test::HasFailure()) return;  // the rest would only say so again
        each_weight_is_right();
        what_weighs_is_visited_in_order();
        listed_ascends();
        fills_whatever_the_order();
        picks_by_inverse_cdf();
        leaves_what_was_not_taken();
        knows_its_entropy();
    }

private:
    void each_weight_is_right() {
        const auto size = token_id(weights_.size());
        std::vector<token_weight> ascending;
        for (token_id id = -3; id < size + 3; ++id) ascending.push_back({id, 99});
        law_.fill_weights(ascending);
        for (const token_weight& one : ascending) {
            const std::uint64_t expected = weight_of(weights_, one.token);
            ASSERT_EQ(one.weight, expected) << "filled, token " << one.token << ", " << what_();
            ASSERT_EQ(law_.weight(one.token), expected) << "token " << one.token << ", " << what_();
            if (one.token % 16 != 0) continue;
            ASSERT_EQ(law_.p(one.token), total_ ? float(double(expected) / double(total_)) : 0.0f)
                << "token " << one.token << ", " << what_();
        }
        for (const token_id far :
             {size + 255, size + 256, std::numeric_limits<token_id>::max(), std::numeric_limits<token_id>::min()})
            ASSERT_EQ(law_.weight(far), 0u) << "token " << far << ", " << what_();
    }
    void what_weighs_is_visited_in_order() {
        std::size_t next = 0;
        bool is_right = true;
        law_.each([&](token_id token, std::uint64_t weight) {
            while (next < weights_.size() && weights_[next] == 0) ++next;
            is_right &= next < weights_.size() && token == token_id(next) && weight == weights_[next];
            ++next;
        });
        while (next < weights_.size() && weights_[next] == 0) ++next;
        EXPECT_TRUE(is_right && next == weights_.size()) << "each, " << what_();
    }
    void listed_ascends() {
        token_id previous = null_token;
        for (const weighed_token& one : law_.listed()) {
            ASSERT_LT(previous, one.token) << what_();
            ASSERT_EQ(one.weight, weight_of(weights_, one.token)) << "listed token " << one.token << ", " << what_();
            previous = one.token;
        }
    }
    void fills_whatever_the_order() {
        std::vector<token_weight> tokens;
        for (int i = 0; i < 150; ++i) {
            tokens.push_back({token_id(random_.below(weights_.size() + 20)) - 10, 5});
            if (i % 5 == 0) tokens.push_back(tokens.back());
        }
        law_.fill_weights(tokens);
        for (const token_weight& one : tokens)
            ASSERT_EQ(one.weight, weight_of(weights_, one.token))
                << "unordered, token " << one.token << ", " << what_();
        law_.fill_weights({});
    }
    void picks_by_inverse_cdf() {
        for (const std::uint64_t target : targets_of(weights_)) {
            ASSERT_EQ(law_.pick(target), slowly_picked(weights_, target)) << "target " << target << ", " << what_();
            ASSERT_EQ(law_.pick_without({}, target), law_.pick(target)) << "target " << target << ", " << what_();
        }
    }
    void leaves_what_was_not_taken() {
        EXPECT_EQ(law_.total_without({}), total_) << what_();
        for (int i = 0; i < 3; ++i) expect_left(some_taken(weights_, random_), "some taken");
        std::vector<token_weight> all;
        for (std::size_t id = 0; id < weights_.size(); ++id)
            if (i_th_is_listed(id)) all.push_back({token_id(id), weights_[id]});
        expect_left(all, "all taken");
        EXPECT_EQ(law_.total_without(all), 0u) << what_();
        EXPECT_EQ(law_.pick_without(all, 0), null_token) << what_();
        if (all.empty()) return;
        all.erase(all.begin() + std::ptrdiff_t(random_.below(all.size())));
        expect_left(all, "all but one taken");
        for (token_weight& one : all) one.weight = greatest_target;
        expect_left(all, "more than all but one taken");
    }
    bool i_th_is_listed(std::size_t id) { return weights_[id] > 0 || random_.below(4) == 0; }
    void expect_left(std::span<const token_weight> taken, const char* which) {
        const weights_by_id left = without(weights_, taken);
        ASSERT_EQ(law_.total_without(taken), sum_of(left)) << which << ", " << what_();
        for (const std::uint64_t target : targets_of(left)) {
            ASSERT_EQ(law_.pick_without(taken, target), slowly_picked(left, target))
                << which << ", target " << target << ", " << what_();
        }
    }
    /// Ends and beginnings of tokens, what is random, and what no token has.
    std::vector<std::uint64_t> targets_of(const weights_by_id& weights) {
        const std::uint64_t total = sum_of(weights);
        std::vector<std::uint64_t> targets{total, total + 1, greatest_target};
        if (total == 0) return targets;
        targets.insert(targets.end(), {0, total - 1});
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t target = random_.next() % total;
            targets.push_back(target);
            std::uint64_t ahead = 0;
            const auto token = std::size_t(slowly_picked(weights, target));
            for (std::size_t id = 0; id < token; ++id) ahead += weights[id];
            targets.insert(targets.end(), {ahead, ahead + weights[token] - 1, ahead + weights[token]});
            if (ahead > 0) targets.push_back(ahead - 1);
        }
        return targets;
    }
    void knows_its_entropy() {
        double sum = 0.0;
        for (const std::uint64_t w : weights_)
            if (w > 0) sum += double(w) * std::log(double(w));
        const double nats = total_ ? std::log(double(total_)) - sum / double(total_) : 0.0;
        EXPECT_NEAR(double(law_.entropy()), nats, 0.0012) << what_();
    }

    const weighed& law_;
    const weights_by_id& weights_;
    std::uint64_t total_;
    random_integers& random_;
    const What& what_;
};

// ---- chains

template <class What>
void expect_listed_logits(const weighed& law, const expected_law& expected, const What& what) {
    if (!expected.shares.empty()) return;  // skew lists the logits of what it draws from
    for (const weighed_token& one : law.listed()) {
        ASSERT_LT(std::size_t(one.token), expected.logits.size()) << what();
        ASSERT_EQ(reference::bits_of(one.logit), reference::bits_of(expected.logits[std::size_t(one.token)]))
            << "listed token " << one.token << ", " << what();
    }
}
template <class What>
void expect_shares(const weights_by_id& weights, const std::vector<inexact_share>& shares, const What& what) {
    const auto total = double(sum_of(weights));
    for (std::size_t id = 0; id < shares.size(); ++id)
        ASSERT_NEAR(double(weights[id]) / total, shares[id].share, shares[id].tolerance)
            << "token " << id << ", " << what();
}
/// What stays in a row can only do so where the chain has a way to draw there.
template <class What>
void expect_a_reason_not_to_list(chain_view c, const weighed& law, std::size_t size, const What& what) {
    if (!law || !law.listed().empty()) return;
    const plan& p = c.view().plan_for_row(size);
    EXPECT_TRUE(c.state().machine().stayed_in_row() || p.has(pass::pick) || p.has(pass::draw)) << what();
}

/// The first n are the first of all, bit for bit, and p is that of the law.
template <class What>
void expect_first_of_distribution(chain_view c, std::span<const float> row, random_integers& random, const What& what) {
    const auto found = c.distribution(row);
    const std::vector<token_data> all(found.begin(), found.end());
    for (const std::size_t n : {std::size_t(0), std::size_t(1), std::size_t(5), random.below(row.size() + 3)}) {
        const auto first = c.distribution(row, n);
        ASSERT_EQ(first.size(), std::min(n, all.size())) << n << " of the distribution, " << what();
        for (std::size_t i = 0; i < first.size(); ++i) {
            ASSERT_EQ(first[i].id, all[i].id) << n << " of the distribution, rank " << i << ", " << what();
            ASSERT_EQ(reference::bits_of(first[i].logit), reference::bits_of(all[i].logit)) << what();
            ASSERT_EQ(reference::bits_of(first[i].p), reference::bits_of(all[i].p)) << what();
        }
    }
    const auto logprobs = c.logprobs(row, row.size());
    const std::vector<token_logprob> all_logprobs(logprobs.begin(), logprobs.end());
    const auto likeliest = c.logprobs(row, 5);
    ASSERT_EQ(likeliest.size(), std::min<std::size_t>(5, all_logprobs.size())) << "logprobs, " << what();
    for (std::size_t i = 0; i < likeliest.size(); ++i) {
        ASSERT_EQ(likeliest[i].id, all_logprobs[i].id) << "logprobs, rank " << i << ", " << what();
        ASSERT_EQ(likeliest[i].logprob, all_logprobs[i].logprob) << "logprobs, rank " << i << ", " << what();
    }
    const weighed law = c.weigh(row);
    std::size_t weighing = 0, visited = 0;
    for (const token_data& token : all) {
        ASSERT_EQ(token.p, law.p(token.id)) << "distribution, token " << token.id << ", " << what();
        weighing += law.weight(token.id) > 0;
    }
    law.each([&](token_id, std::uint64_t) { ++visited; });
    EXPECT_EQ(weighing, visited) << "the distribution has all that weigh, " << what();
}

/// One row against the reference, at these lane widths. Answers the token.
template <class What>
token_id expect_weighed(chain_view c, const reference::model& model, std::span<const float> row,
                        std::span<const int> widths, random_integers& random, const What& what_row) {
    const expected_law expected = expected_of(model, row);
    const checkpoint at = c.mark();
    for (const int width : widths) {
        const at_width forced(width);
        const auto what = [&] {
            return what_row() + ", " + std::to_string(row.size()) + " logits, " + std::to_string(width) +
                   " lanes: " + reference::describe(model);
        };
        const weighed law = c.weigh(row);
        const status of_law = c.last_status();
        const bool is_skew = !expected.shares.empty() && expected.token >= 0;
        const weights_by_id weights = is_skew ? all_weights(law, row.size()) : expected.weights;
        if (is_skew) expect_shares(weights, expected.shares, what);
        told_by(law, weights, random, what).is_right();
        if (testing::Test::HasFailure()) break;
        expect_listed_logits(law, expected, what);
        expect_a_reason_not_to_list(c, law, row.size(), what);
        EXPECT_EQ(law.total() > 0, expected.token >= 0) << what();
        if (const auto bits = bits_of_draw(model.stages.back(), at)) {
            EXPECT_EQ(law.pick(multiply_high(*bits, law.total())), expected.token) << what();
        } else if (expected.token >= 0) {
            EXPECT_GT(law.weight(expected.token), 0u) << what();
        }
        EXPECT_TRUE(same_place(c.mark(), at)) << what();
        EXPECT_EQ(c.peek(row), expected.token) << what();
        EXPECT_TRUE(same_status(c.last_status(), of_law)) << what();
        if (width == widths.front()) expect_first_of_distribution(c, row, random, what);
    }
    return expected.token;
}

constexpr std::array<std::size_t, 12> ordinary_sizes{1, 6, 6, 31, 31, 31, 256, 256, 256, 700, 700, 3000};

/// From the beginning, a few rows, each at all lane widths, the steps behind it at one.
void expect_rows_weighed(chain_view c, reference::model& model, rows_in_turn& rows, std::size_t count) {
    start(c, model);
    for (std::size_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
        const auto row = rows.next();
        const std::span<const int> all = lane_widths();
        const token_id token = expect_weighed(c, model, row, i == 0 ? all : all.subspan(i % all.size(), 1),
                                              rows.random(), [&] { return rows.what(); });
        const token_id accepted = token < 0 ? token_id(i) : token;
        c.accept(accepted);
        model.accept(accepted);
    }
}
void expect_stages_weighed(const std::vector<any_spec>& stages, rows_in_turn& rows, std::size_t count) {
    run_time_chain both;
    for (const any_spec& stage : stages) both.push(stage);
    expect_rows_weighed(view_of(both.chain), both.model, rows, count);
}

TEST(Weighing, OfEverySelectorAlone) {
    rows_in_turn rows(1, ordinary_sizes);
    for (std::size_t type = 0; type < reference::selectors; ++type)
        for (const any_spec& selector : all_variants()[type]) {
            expect_stages_weighed({selector}, rows, all_shapes.size());
            if (testing::Test::HasFailure()) return;
        }
}
TEST(Weighing, OfEverySelectorBehindStagesThatNarrow) {
    rows_in_turn rows(2, ordinary_sizes);
    const std::vector<std::vector<any_spec>> ahead{{temperature{1.5f}, top_p{0.95f, 0}},
                                                   {top_k{40}, temperature{0.7f}},
                                                   {min_p{0.05f, 0}},
                                                   {soft_cap{6.0f}, temperature{1.3f}}};
    for (std::size_t type = 0; type < reference::selectors; ++type)
        for (const any_spec& selector : all_variants()[type])
            for (auto stages : ahead) {
                stages.push_back(selector);
                expect_stages_weighed(stages, rows, 2);
                if (testing::Test::HasFailure()) return;
            }
}
TEST(Weighing, BehindEveryStage) {
    rows_in_turn rows(3, ordinary_sizes);
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type)
        for (const any_spec& stage : all_variants()[type])
            for (const any_spec& selector : every_selector()) {
                expect_stages_weighed({stage, selector}, rows, 2);
                if (testing::Test::HasFailure()) return;
            }
}
void expect_random_chains_weighed(std::uint64_t seed, std::span<const std::size_t> sizes, std::size_t chains) {
    rows_in_turn rows(seed, sizes);
    for (std::size_t n = 0; n < chains && !testing::Test::HasFailure(); ++n) {
        std::vector<any_spec> stages;
        for (std::size_t i = rows.random().below(6); i > 0; --i) stages.push_back(random_stage(rows.random()));
        stages.push_back(random_selector(rows.random()));
        expect_stages_weighed(stages, rows, 2);
    }
}
TEST(Weighing, OfRandomChains) {
    expect_random_chains_weighed(4, ordinary_sizes, how_many(300, 300000, "random chains weighed, 2 rows each"));
}
TEST(Weighing, OfRandomChainsOverRowsOfThousands) {
    constexpr std::array<std::size_t, 3> sizes{4096, 5000, 9000};
    expect_random_chains_weighed(9, sizes, how_many(25, 30000, "random chains weighed, 2 rows each"));
}
TEST(Weighing, OfLongRows) {
    constexpr std::array<std::size_t, 1> sizes{33000};
    rows_in_turn rows(5, sizes);
    for (const any_spec& selector : every_selector()) {
        expect_stages_weighed({temperature{1.2f}, selector}, rows, 1);
        expect_stages_weighed({top_p{0.97f, 0}, selector}, rows, 1);
    }
    expect_stages_weighed({min_p{1e-4f, 0}, temperature{1.2f}, dist{1}}, rows, 3);
    constexpr std::array<std::size_t, 1> quarter_million{262144};
    rows_in_turn longest(6, quarter_million);
    expect_stages_weighed({temperature{2.0f}, top_p{0.95f, 0}, dist{1}}, longest, 1);
}

template <class... Stages>
void expect_type_weighed(const Stages&... stages) {
    auto c = chain(stages...);
    reference::model model{{stages...}, {}};
    rows_in_turn rows(7 + sizeof...(Stages), ordinary_sizes);
    expect_rows_weighed(view_of(c), model, rows, 2 * all_shapes.size());
}
TEST(Weighing, OfTypedChains) {
    expect_type_weighed(dist{1});
    expect_type_weighed(temperature{1.25f}, soft_cap{6.0f}, dist{2});
    expect_type_weighed(temperature{0.8f}, gumbel{3});
    expect_type_weighed(soft_cap{9.0f}, logit_bias{{{0, 2.0f}, {5, -infinity}}}, temperature{1.5f}, dist{4});
    expect_type_weighed(temperature{1.5f}, adaptive_p{0.3f, 0.9f, 5});
    expect_type_weighed(temperature{1.5f}, soft_cap{9.0f}, adaptive_p{-1.0f, 0.9f, 5});
    expect_type_weighed(top_k{40}, temperature{0.7f}, adaptive_p{0.2f, 0.5f, 6});
    expect_type_weighed(top_k{50}, temperature{1.2f}, top_p{0.9f, 0}, mirostat{3.0f, 0.1f, 100, 700, 7});
    expect_type_weighed(temperature{1.1f}, mirostat_v2{3.0f, 0.1f, 8});
    expect_type_weighed(min_p{0.02f, 0}, temperature{2.0f}, skew{-0.5f, 9});
    expect_type_weighed(top_p{0.9f, 0}, greedy{});
    expect_type_weighed(penalties{64, 1.3f, 0.2f, 0.1f}, quadratic{0.3f, 1.0f}, temperature{0.9f}, dist{10});
}

// ---- nuclei that stay in the row

std::vector<std::vector<float>> rows_with_large_nuclei(std::size_t size) {
    random_integers random(size);
    std::vector<std::vector<float>> rows(9);
    for (std::size_t i = 0; i < size; ++i) {
        const float part = float(i) / float(size), noise = float(random.below(4096)) / 1024.0f;
        const float values[] = {2.5f,                                                  // all equal
                                3.0f * part,                                           // rising
                                -3.0f * part,                                          // falling
                                noise + (i / 256 == 3 ? 4.0f : 0.0f),                  // a likely block
                                float(random.below(7)) * 0.25f,                        // seven values
                                i % 5 ? 0.0f : -1.0f,                                  // two values
                                1e-6f * float(random.below(1000)),                     // nearly equal
                                i == size / 3 ? 1.0f : 0.0f,                           // one above equals
                                i % 3 == 0 ? -30.0f : 0.5f * float(random.below(3))};  // weightless ones between ties
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r].push_back(values[r]);
    }
    return rows;
}
template <class... Stages>
void expect_nuclei_weighed(std::initializer_list<std::size_t> sizes, const Stages&... stages) {
    auto c = chain(stages...);
    view_of view(c);
    reference::model model{{stages...}, {}};
    random_integers random(sizeof...(Stages));
    std::size_t stayed = 0;
    for (const std::size_t size : sizes) {
        std::size_t number = 0;
        for (const auto& row : rows_with_large_nuclei(size)) {
            const auto what = [&] { return "row " + std::to_string(number) + " of a large nucleus"; };
            const std::span<const int> all = lane_widths();
            expect_weighed(view, model, row, all.subspan(++number % all.size(), 1), random, what);
            // Right behind it, and the other way round.
            const expected_law expected = expected_of(model, row);
            std::vector<reference::candidate> ranked = model.run(row).left;
            reference::sort_by_rank(ranked);
            const auto total = double(sum_of(expected.weights));
            const weighed law = view.weigh(row);
            stayed += law.listed().empty();
            for (int times = 0; times < 2; ++times) {
                const auto first = view.distribution(row, 5);
                ASSERT_EQ(first.size(), std::min<std::size_t>(5, ranked.size())) << what();
                for (std::size_t i = 0; i < first.size(); ++i) {
                    const auto id = std::size_t(ranked[i].id);
                    ASSERT_EQ(first[i].id, ranked[i].id) << what() << ", rank " << i;
                    ASSERT_EQ(first[i].p, float(double(expected.weights[id]) / total)) << what() << ", rank " << i;
                }
                const auto likely = view.logprobs(row, 5, after);
                ASSERT_EQ(likely.size(), std::min<std::size_t>(5, ranked.size())) << what();
                for (std::size_t i = 0; i < likely.size(); ++i) {
                    const auto w = double(expected.weights[std::size_t(ranked[i].id)]);
                    ASSERT_EQ(likely[i].id, ranked[i].id) << what() << ", rank " << i;
                    ASSERT_NEAR(double(likely[i].logprob), std::log(w / total), 4e-6 + 1.5 / w) << what();
                }
                EXPECT_EQ(view.weigh(row).total(), sum_of(expected.weights)) << what();
            }
            if (testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(stayed, 3u) << "else they were no large nuclei";
}
TEST(Weighing, OfLargeNuclei) {
    for (const float p : {0.3f, 0.9f, 0.999f}) expect_nuclei_weighed({3000, 20000}, top_p{.p = p}, dist{1});
}
TEST(Weighing, OfLargeNucleiAmongMaps) {
    expect_nuclei_weighed({17000}, temperature{1.5f}, top_p{.p = 0.95f}, dist{2});
    expect_nuclei_weighed({8192, 17000}, top_p{.p = 0.8f}, temperature{0.8f}, dist{3});
    expect_nuclei_weighed({6000}, temperature{1.5f}, top_p{.p = 0.7f}, temperature{0.5f}, adaptive_p{0.1f, 0.9f, 4});
    expect_nuclei_weighed({17000}, top_p{.p = 0.9f}, gumbel{5});
    expect_nuclei_weighed({6000}, top_p{.p = 0.9f}, mirostat_v2{11.0f, 0.1f, 6});
}

// ---- rows and chains without a law

void expect_no_law(chain_view c, std::span<const float> row, status_code code, const char* what) {
    const weighed law = c.weigh(row);
    const status of_law = c.last_status();
    EXPECT_EQ(of_law.code(), code) << what;
    const weights_by_id none(row.size() < 100000 ? row.size() + 1 : 1);
    random_integers random(1);
    const auto where = [&] { return std::string(what); };
    told_by(law, none, random, where).is_right();
    EXPECT_TRUE(law.listed().empty()) << what;
    EXPECT_TRUE(c.survivors().empty()) << what;
    EXPECT_EQ(c.peek(row), null_token) << what;
    EXPECT_TRUE(same_status(c.last_status(), of_law)) << what << ": " << of_law.message().c_str();
    EXPECT_TRUE(c.distribution(row, 3).empty()) << what;
    EXPECT_TRUE(c.logprobs(row, 3).empty()) << what;
}
template <class Chain>
void expect_no_law_of_bad_rows(Chain c) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    view_of view(c);
    expect_no_law(view, {}, status_code::empty_row, "no row");
    for (const std::size_t size : {1u, 31u, 256u, 700u, 9000u}) {
        expect_no_law(view, std::vector<float>(size, -infinity), status_code::no_legal_token, "-inf");
        expect_no_law(view, std::vector<float>(size, nan), status_code::no_legal_token, "NaN");
        expect_no_law(view, make_row(shape::masked, size, 1), status_code::no_legal_token, "-inf and NaN");
    }
    if constexpr (sizeof(std::size_t) > 4) {
        const float one = 1.0f;  // nothing is read of so long a row
        expect_no_law(view, {&one, std::size_t{1} << 31}, status_code::row_too_long, "a row too long");
    }
    EXPECT_GT(view.weigh(std::vector<float>{1.0f, 2.0f}).total(), 0u);
}
TEST(Weighing, OfRowsWithoutATokenIsEmptyAndSaysWhy) {
    expect_no_law_of_bad_rows(chain(dist{1}));
    expect_no_law_of_bad_rows(chain(temperature{0.7f}, greedy{}));
    expect_no_law_of_bad_rows(chain(top_k{5}, temperature{0.7f}, dist{1}));
    expect_no_law_of_bad_rows(chain(top_p{0.9f, 0}, adaptive_p{0.5f, 0.9f, 1}));
    expect_no_law_of_bad_rows(chain(adaptive_p{0.5f, 0.9f, 1}));
    expect_no_law_of_bad_rows(chain(skew{1.0f, 1}));
    expect_no_law_of_bad_rows(any_pipeline(chain(min_p{0.1f, 0}, mirostat_v2{3.0f, 0.1f, 1})));
    dynamic_chain late;
    late.push(mirostat{.n_vocab = 700});
    expect_no_law_of_bad_rows(late);
}
TEST(Weighing, WhereAllIsMaskedIsEmpty) {
    const auto row = make_row(shape::random, 700, 1);
    auto masked = chain(mask{{}}, dist{1});
    expect_no_law(view_of(masked), row, status_code::no_legal_token, "all masked");
    auto dropped = chain(mask{{0x2u}}, keep_even{}, temperature{2.0f}, dist{1});
    expect_no_law(view_of(dropped), row, status_code::no_legal_token, "all dropped");
}
TEST(Weighing, WithoutASelectorIsEmptyButHasADistribution) {
    const auto row = make_row(shape::random, 700, 1);
    dynamic_chain late;
    EXPECT_EQ(late.weigh(row).total(), 0u);
    EXPECT_EQ(late.last_status().code(), status_code::no_selector);
    late.push(top_k{5});
    const weighed law = late.weigh(row);
    EXPECT_FALSE(bool(law));
    EXPECT_TRUE(law.listed().empty());
    const status of_law = late.last_status();
    EXPECT_EQ(of_law.code(), status_code::no_selector);
    EXPECT_EQ(late.sample(row), null_token);
    EXPECT_TRUE(same_status(late.last_status(), of_law));
    EXPECT_EQ(late.distribution(row).size(), 5u);
    EXPECT_EQ(late.distribution(row, 3).size(), 3u);
    any_pipeline none;
    EXPECT_EQ(none.weigh(row).total(), 0u);
    EXPECT_EQ(none.last_status().code(), status_code::no_selector);
}
TEST(Weighing, OfParametersWithoutMeaningIsEmpty) {
    const auto row = make_row(shape::random, 700, 1);
    auto c = chain(temperature{1.0f}, top_p{0.9f, 0}, dist{1});
    ASSERT_GT(c.weigh(row).total(), 0u);
    get<temperature>(c).t = std::numeric_limits<float>::quiet_NaN();
    expect_no_law(view_of(c), row, status_code::invalid_parameter, "a NaN");
    get<temperature>(c).t = 1.0f;
    EXPECT_GT(c.weigh(row).total(), 0u);
    dynamic_chain malformed;
    malformed.push(dist{1});
    malformed.push(top_k{3});
    expect_no_law(view_of(malformed), row, status_code::chain_malformed, "a stage behind the selector");
}
TEST(Weighing, OfARowThatIsTooLongForTheStorageIsEmpty) {
    auto c = chain(top_k{5}, dist{1});
    std::vector<std::byte> bytes(c.scratch_bytes(300));
    ASSERT_TRUE(c.use_storage(bytes, 300));
    EXPECT_GT(c.weigh(make_row(shape::random, 300, 1)).total(), 0u);
    expect_no_law(view_of(c), make_row(shape::random, 5000, 1), status_code::storage_too_small, "a long row");
}

TEST(Weighing, OfNoChainIsEmpty) {
    const weighed none;
    const weights_by_id weights(5);
    random_integers random(1);
    const auto what = [] { return std::string("none"); };
    told_by(none, weights, random, what).is_right();
}
TEST(Weighing, IsAValueThatMayBeCopied) {
    const auto row = make_row(shape::random, 3000, 1);
    random_integers random(1);
    const auto what = [] { return std::string("a copy"); };
    auto wide = chain(temperature{1.5f}, adaptive_p{0.2f, 0.9f, 1});
    auto narrow = chain(top_k{30}, dist{1});
    const auto copied = [](const weighed& law) {
        const weighed copy = law;
        weighed assigned;
        assigned = copy;
        return assigned;
    };
    const weighed of_wide = copied(wide.weigh(row)), of_narrow = copied(narrow.weigh(row));
    told_by(of_wide, expected_of({{temperature{1.5f}, adaptive_p{0.2f, 0.9f, 1}}, {}}, row).weights, random, what)
        .is_right();
    told_by(of_narrow, expected_of({{top_k{30}, dist{1}}, {}}, row).weights, random, what).is_right();
}
/// The sums of its entropy are as long as the row.
TEST(Weighing, KnowsTheEntropyOfAMillionEquals) {
    const std::vector<float> row(1000000, 1.0f);
    auto c = chain(dist{1});
    EXPECT_NEAR(double(c.weigh(row).entropy()), std::log(1e6), 0.0012);
}

// ---- stages of a user's own

TEST(Weighing, OfAUsersSelectorIsTheSoftmaxOfWhatItChoosesFrom) {
    random_integers random(1);
    rows_in_turn rows(8, ordinary_sizes);
    auto c = temperature{1.25f} | top_k{7} | lottery{};
    auto all = chain(temperature{1.25f}, lottery{});
    for (std::size_t i = 0; i < 2 * all_shapes.size() && !testing::Test::HasFailure(); ++i) {
        const auto row = rows.next();
        const auto what = [&] { return rows.what(); };
        told_by(c.weigh(row), expected_of({{temperature{1.25f}, top_k{7}, dist{}}, {}}, row).weights, random, what)
            .is_right();
        told_by(all.weigh(row), expected_of({{temperature{1.25f}, dist{}}, {}}, row).weights, random, what).is_right();
    }
}
/// A map of the user's, which falls too, ahead of selectors that weigh the row: its law is that of candidates that were
/// mapped by hand.
template <class Map, class Selector>
void expect_own_map_weighed(const Map& map, const Selector& selector) {
    auto c = chain(map, selector);
    auto by_candidates = chain(map, keep_even{}, selector);
    for (std::size_t size : {31u, 700u, 3000u}) {
        auto row = make_row(shape::random, size, 3);
        for (std::size_t id = 1; id < size; id += 2) row[id] = -infinity;
        const weighed a = c.weigh(row), b = by_candidates.weigh(row);
        EXPECT_GT(b.listed().size(), 0u);
        EXPECT_EQ(a.total(), b.total()) << size;
        EXPECT_EQ(all_weights(a, size), all_weights(b, size)) << size;
    }
}
TEST(Weighing, BehindAMapOfTheUsers) {
    expect_own_map_weighed(centred{}, dist{1});
    expect_own_map_weighed(bowl{}, dist{1});
    expect_own_map_weighed(folded_over{}, gumbel{1});
    expect_own_map_weighed(softened{}, adaptive_p{0.3f, 0.9f, 1});
    expect_own_map_weighed(stretched{}, adaptive_p{-1.0f, 0.9f, 1});
}
/// Gives the second candidate the id of the first.
struct doubled {
    void apply(candidates& c) const noexcept {
        if (c.size > 1) c[1].id = c[0].id;
    }
};
TEST(Weighing, OfATokenThatIsThereTwiceIsBothTogether) {
    auto c = chain(doubled{}, dist{1});
    const std::vector<float> row{1.0f, 2.0f, 0.0f};
    const weighed law = c.weigh(row);
    const std::uint64_t first = reference::fixed_mass(-1.0f), second = 1u << 30, third = reference::fixed_mass(-2.0f);
    EXPECT_EQ(law.total(), first + second + third);
    EXPECT_EQ(law.weight(0), first + second);
    EXPECT_EQ(law.weight(1), 0u);
    EXPECT_EQ(law.weight(2), third);
    std::vector<token_weight> filled{{0, 0}, {0, 0}, {1, 0}, {2, 0}, {0, 0}};
    law.fill_weights(filled);
    EXPECT_EQ(filled[0].weight, first + second);
    EXPECT_EQ(filled[1].weight, first + second);
    EXPECT_EQ(filled[2].weight, 0u);
    EXPECT_EQ(filled[4].weight, first + second);
    EXPECT_EQ(law.pick(first + second - 1), 0);
    EXPECT_EQ(law.pick(first + second), 2);
    const std::vector<token_weight> taken{{0, first + 5}};
    EXPECT_EQ(law.total_without(taken), second - 5 + third);
    EXPECT_EQ(law.pick_without(taken, second - 6), 0);
    EXPECT_EQ(law.pick_without(taken, second - 5), 2);
}

// ---- numerics::fast

template <class FastChain, class Chain>
void expect_near(FastChain quick, Chain exact, const char* what) {
    random_integers random(11);
    for (const int width : lane_widths()) {
        const at_width forced(width);
        for (const shape s : all_shapes)
            for (const std::size_t size : {1u, 31u, 256u, 700u, 3000u, 33000u}) {
                const auto row = make_row(s, size, size);
                const weighed a = quick.weigh(row), b = exact.weigh(row);
                ASSERT_EQ(bool(a), bool(b)) << what << ", " << name_of(s) << size;
                ASSERT_NEAR(double(a.total()), double(b.total()), 1.0 + 1e-4 * double(b.total())) << what;
                const weights_by_id near = all_weights(a, size), weights = all_weights(b, size);
                for (std::size_t id = 0; id < size; ++id)
                    ASSERT_NEAR(double(near[id]), double(weights[id]), 3.0 + 1e-4 * double(weights[id]))
                        << what << ", " << name_of(s) << size << ", token " << id;
                if (!a) continue;
                std::vector<token_weight> taken = some_taken(near, random);
                const weights_by_id left = without(near, taken);
                for (int i = 0; i < 20; ++i) {
                    const std::uint64_t target = i == 0 ? 0 : i == 1 ? a.total() - 1 : random.next() % a.total();
                    ASSERT_GT(weight_of(near, a.pick(target)), 0u) << what << ", " << name_of(s) << size;
                    const std::uint64_t total = a.total_without(taken);
                    if (total == 0) continue;
                    const token_id token = a.pick_without(taken, target % total);
                    ASSERT_TRUE(token == null_token || weight_of(left, token) > 0)
                        << what << ", " << name_of(s) << size;
                    ASSERT_TRUE(token != null_token || sum_of(left) < 1000 + a.total() / 1000) << what;
                }
                ASSERT_EQ(a.pick(a.total()), null_token) << what;
            }
    }
}
TEST(Weighing, UnderFastNumericsIsNear) {
    expect_near(with<fast>(chain(dist{1})), chain(dist{1}), "dist");
    expect_near(with<fast>(chain(temperature{1.5f}, dist{1})), chain(temperature{1.5f}, dist{1}), "temperature");
    expect_near(with<fast>(chain(temperature{1.5f}, gumbel{1})), chain(temperature{1.5f}, gumbel{1}), "gumbel");
    expect_near(with<fast>(chain(top_k{40}, dist{1})), chain(top_k{40}, dist{1}), "top_k");
    basic_dynamic_chain<fast> quick;
    quick.push(temperature{0.9f});
    quick.push(dist{2});
    expect_near(quick, chain(temperature{0.9f}, dist{2}), "dynamic");
}

// ---- weigh leaves everything as it is

TEST(Weighing, ChangesNothing) {
    rows_in_turn rows(12, ordinary_sizes);
    for (const any_spec& selector : every_selector()) {
        const std::vector<any_spec> stages{penalties{64, 1.3f, 0.1f, 0.0f}, temperature{1.4f}, xtc{0.5f, 0.02f, 0, 3},
                                           selector};
        run_time_chain looking, plain;
        for (const any_spec& stage : stages) looking.push(stage), plain.push(stage);
        for (int i = 0; i < 60; ++i) {
            const auto row = rows.next(), other = rows.next();
            const checkpoint before = looking.chain.mark();
            const step last = looking.chain.last_step();
            looking.chain.weigh(other);
            looking.chain.weigh(row);
            EXPECT_TRUE(same_place(looking.chain.mark(), before)) << i;
            EXPECT_TRUE(same_step(looking.chain.last_step(), last)) << i;
            ASSERT_EQ(looking.chain.peek(row), plain.chain.peek(row)) << rows.what() << reference::describe(selector);
            looking.chain.weigh(other);  // between a step and its acceptance
            looking.chain.weigh({});
            const token_id token = plain.chain.peek(row);
            if (i % 3 == 0 && token >= 0) {
                EXPECT_TRUE(same_step(looking.chain.accept(token), plain.chain.accept(token))) << i;
            } else {
                looking.chain.retry(), plain.chain.retry();
                ASSERT_EQ(looking.chain.sample(row), plain.chain.sample(row)) << rows.what();
            }
            ASSERT_TRUE(same_place(looking.chain.mark(), plain.chain.mark())) << reference::describe(selector);
        }
    }
}

// ---- accept_choice

using line = chain_line<dynamic_chain, push_to>;

/// A chain that samples, and one that weighs and takes the same token, are alike ever after.
template <class Sampling, class Choosing>
void expect_choices_are_samples(Sampling sampling, Choosing choosing, rows_in_turn& rows, int steps,
                                const std::string& what) {
    for (int i = 0; i < steps; ++i) {
        const auto row = rows.next();
        const token_id token = sampling.sample(row);
        const weighed law = choosing.weigh(row);
        ASSERT_EQ(law.total() > 0, token >= 0) << rows.what() << ", " << what;
        if (token < 0) continue;
        ASSERT_GT(law.weight(token), 0u) << rows.what() << ", " << what;
        const step taken = choosing.accept_choice(token);
        ASSERT_TRUE(same_step(taken, sampling.last_step())) << rows.what() << ", " << what;
        ASSERT_TRUE(same_step(choosing.last_step(), sampling.last_step())) << rows.what() << ", " << what;
        ASSERT_TRUE(same_place(choosing.mark(), sampling.mark())) << rows.what() << ", " << what;
    }
    const auto row = make_row(shape::random, 256, 1);
    for (int i = 0; i < 3; ++i) ASSERT_EQ(choosing.sample(row), sampling.sample(row)) << what;
}
TEST(Choosing, WhatTheChainWouldSampleIsASample) {
    rows_in_turn rows(13, ordinary_sizes);
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type)
        for (const any_spec& stage : all_variants()[type])
            for (const any_spec& selector : every_selector()) {
                const line l({stage, selector});
                expect_choices_are_samples(l.begin(), l.begin(), rows, 3, l.what());
                if (testing::Test::HasFailure()) return;
            }
}
TEST(Choosing, WhatEverySelectorWouldSampleIsASample) {
    rows_in_turn rows(14, ordinary_sizes);
    for (std::size_t type = 0; type < reference::selectors; ++type)
        for (const any_spec& selector : all_variants()[type])
            for (const any_spec& ahead : {any_spec(temperature{1.5f}), any_spec(top_k{40}), any_spec(top_p{0.95f, 0}),
                                          any_spec(xtc{0.5f, 0.02f, 0, 5})}) {
                const line l({ahead, selector});
                expect_choices_are_samples(l.begin(), l.begin(), rows, 6, l.what());
                if (testing::Test::HasFailure()) return;
            }
}

TEST(Choosing, AnotherTokenIsTheSampleOfAnotherSeed) {
    rows_in_turn rows(15, ordinary_sizes);
    for (std::size_t type = reference::selectors; type < all_variants().size(); ++type)
        for (const any_spec& stage : all_variants()[type])
            for (const any_spec& selector :
                 {any_spec(mirostat{3.0f, 0.4f, 60, 3000, 6}), any_spec(mirostat_v2{4.0f, 0.4f, 7}),
                  any_spec(adaptive_p{0.3f, 0.8f, 8})}) {
                expect_others_choices(line({stage, selector}), rows, 2, true);
                if (testing::Test::HasFailure()) return;
            }
}
TEST(Choosing, AnotherTokenOfEverySelectorIsTheSampleOfAnotherSeed) {
    rows_in_turn rows(16, ordinary_sizes);
    for (std::size_t type = 0; type < reference::selectors; ++type)
        for (const any_spec& selector : all_variants()[type])
            for (const any_spec& ahead :
                 {any_spec(temperature{1.5f}), any_spec(top_k{40}), any_spec(top_p{0.97f, 0})}) {
                expect_others_choices(line({ahead, selector}), rows, 5, true);
                if (testing::Test::HasFailure()) return;
            }
}
/// By retries of a copy: the same place in all but the attempt.
TEST(Choosing, AnotherTokenIsTheSampleOfARetry) {
    rows_in_turn rows(17, ordinary_sizes);
    for (const any_spec& selector : every_selector()) {
        dynamic_chain c = line({temperature{1.3f}, selector}).begin();
        for (int i = 0; i < 30; ++i) {
            const auto row = rows.next();
            token_id token = null_token;
            for (int attempt = 0; attempt < 4; ++attempt) {
                dynamic_chain copy = c, chosen = c;
                for (int n = 0; n < attempt; ++n) copy.retry();
                token = copy.sample(row);
                if (token < 0) break;
                chosen.weigh(row);
                chosen.accept_choice(token);
                ASSERT_TRUE(same_place(chosen.mark(), copy.mark())) << rows.what() << reference::describe(selector);
            }
            if (token < 0) continue;
            c.weigh(row);
            c.accept_choice(token);
        }
    }
}

// Behind anything but weigh it is accept.

/// A token that weighs something and is not what the chain would draw.
token_id another_token(dynamic_chain c, std::span<const float> row) {
    const token_id drawn = c.peek(row);
    token_id found = null_token;
    c.weigh(row).each([&](token_id token, std::uint64_t) { found = token != drawn ? token : found; });
    return found;
}
const std::vector<any_spec>& learners() {
    static const std::vector<any_spec> all{mirostat{6.0f, 0.4f, 60, 3000, 6}, mirostat_v2{6.0f, 0.4f, 7},
                                           adaptive_p{0.3f, 0.8f, 8}};
    return all;
}
/// event(chain, row) between weigh and accept_choice.
template <class Event>
void expect_accepted_behind(const char* name, Event event, bool expect_nothing_learnt = true) {
    for (const any_spec& selector : learners())
        for (const any_spec& ahead : {any_spec(temperature{1.5f}), any_spec(top_k{20}), any_spec(top_p{0.9f, 0})})
            for (const std::size_t size : {31u, 700u, 3000u}) {
                const std::string what = std::string(name) + ", " + std::to_string(size) + ": " +
                                         reference::describe(ahead) + " | " + reference::describe(selector);
                const auto row = make_row(shape::flat, size, size);
                dynamic_chain choosing = line({ahead, selector}).begin();
                choosing.sample(row), choosing.sample(row);
                dynamic_chain plain = choosing;
                const token_id token = another_token(choosing, row);
                ASSERT_GE(token, 0) << what;
                ASSERT_GT(choosing.weigh(row).weight(token), 0u) << what;
                event(choosing, row);
                event(plain, row);
                const checkpoint before = choosing.mark();
                const step taken = choosing.accept_choice(token), expected = plain.accept(token);
                EXPECT_TRUE(same_step(taken, expected)) << what;
                EXPECT_TRUE(same_step(choosing.last_step(), expected)) << what;
                EXPECT_TRUE(same_place(choosing.mark(), plain.mark())) << what;
                if (!expect_nothing_learnt) continue;
                EXPECT_FALSE(taken.state.ok()) << what;
                EXPECT_FALSE(taken.refused) << what;
                EXPECT_TRUE(choosing.mark().stages == before.stages) << what;
            }
}
TEST(Choosing, BehindAnythingElseIsAccepting) {
    const auto test = [](const char* name, auto event) { expect_accepted_behind(name, event); };
    each_token_between<dynamic_chain>(test);
    each_way_back_between<dynamic_chain>(test);
    each_look_between<dynamic_chain>(test);
    each_copy_between<dynamic_chain>(test);
}
/// The original still has its law.
TEST(Choosing, ACopyLeavesTheLawToTheOriginal) {
    const auto row = make_row(shape::flat, 700, 1);
    for (const any_spec& selector : learners()) {
        dynamic_chain c = line({temperature{1.5f}, selector}).begin(), same = c;
        const token_id token = same.sample(row);
        c.weigh(row);
        dynamic_chain copy = c;
        EXPECT_TRUE(c.accept_choice(token).state.ok());
        EXPECT_TRUE(same_place(c.mark(), same.mark()));
        EXPECT_FALSE(copy.accept_choice(token).state.ok());
        EXPECT_FALSE(c.accept_choice(token).state.ok()) << "a law gives one token";
    }
}
TEST(Choosing, WhatWeighsNothingIsAccepting) {
    for (const any_spec& selector : learners())
        for (const any_spec& ahead : {any_spec(temperature{1.5f}), any_spec(top_k{20}), any_spec(min_p{0.3f, 0})})
            for (const std::size_t size : {31u, 700u, 3000u}) {
                auto row = make_row(shape::flat, size, size);
                row[7] = -infinity;
                row[9] = -90.0f;
                const dynamic_chain begun = line({ahead, selector}).begin();
                for (const token_id token :
                     {token_id(7), token_id(9), token_id(-1), token_id(size), token_id(size) + 1, token_id(size + 256),
                      std::numeric_limits<token_id>::min(), std::numeric_limits<token_id>::max()}) {
                    dynamic_chain choosing = begun, plain = begun;
                    if (!std::holds_alternative<adaptive_p>(selector)) {  // which lifts what is unlikely
                        EXPECT_EQ(choosing.weigh(row).weight(token), 0u) << token;
                    }
                    if (choosing.weigh(row).weight(token) > 0) continue;
                    EXPECT_TRUE(same_step(choosing.accept_choice(token), plain.accept(token))) << token;
                    EXPECT_TRUE(same_place(choosing.mark(), plain.mark())) << token;
                    EXPECT_FALSE(choosing.last_step().state.ok()) << token;
                }
            }
}
/// A law may be followed by its own draw: peek's choice is still what accept learns from.
TEST(Choosing, APeekedTokenIsLearntFromBehindALaw) {
    const auto row = make_row(shape::flat, 700, 1), other = make_row(shape::random, 300, 2);
    for (const any_spec& selector : learners()) {
        dynamic_chain c = line({temperature{1.5f}, selector}).begin(), same = c, sampled = c;
        sampled.sample(row);
        const token_id token = c.peek(row);
        c.weigh(other);
        EXPECT_TRUE(c.accept(token).state.ok());
        same.weigh(other);
        EXPECT_EQ(same.peek(row), token);
        EXPECT_TRUE(same.accept_choice(token).state.ok());
        EXPECT_TRUE(same_place(c.mark(), sampled.mark()));
        EXPECT_TRUE(same_place(same.mark(), sampled.mark()));
    }
}
template <class... Stages>
void expect_one_meaning(const Stages&... stages) {
    rows_in_turn rows(18, ordinary_sizes);
    auto typed = chain(stages...);
    dynamic_chain late;
    (late.push(stages), ...);
    const any_pipeline hidden = typed, hidden_late = late;
    expect_choices_are_samples(typed, typed, rows, 12, "typed");
    expect_choices_are_samples(typed, late, rows, 12, "put together at run time");
    expect_choices_are_samples(typed, hidden, rows, 12, "hidden");
    expect_choices_are_samples(typed, hidden_late, rows, 12, "hidden, put together at run time");
    expect_choices_are_samples(typed.fork(2), typed.fork(2), rows, 12, "forks");
    expect_choices_are_samples(typed.fork(2), hidden.fork(2), rows, 12, "hidden forks");
    expect_choices_are_samples(late.fork(1), late.fork(1), rows, 12, "forks of chains put together at run time");
    typed.sample(make_row(shape::random, 300, 1));
    expect_choices_are_samples(typed, any_pipeline(typed), rows, 12, "copies");
}
TEST(Choosing, MeansTheSameWhateverTheTypeOfAChain) {
    expect_one_meaning(temperature{1.5f}, adaptive_p{0.3f, 0.8f, 1});
    expect_one_meaning(penalties{64, 1.3f, 0.1f, 0.0f}, top_k{50}, adaptive_p{0.3f, 0.8f, 2});
    expect_one_meaning(xtc{0.5f, 0.02f, 0, 3}, mirostat{3.0f, 0.3f, 60, 700, 3});
    expect_one_meaning(top_p{0.95f, 0}, temperature{1.2f}, mirostat_v2{4.0f, 0.3f, 4});
    expect_one_meaning(top_k{30}, dist{5});
}

}  // namespace
}  // namespace riffle_tests::chain_weighing
