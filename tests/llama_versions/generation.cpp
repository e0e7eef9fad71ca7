// riffle's adapter with the llama.h of one period: CMake compiles this once for every folder beside it that has one, so
// it must compile with each, and do the same there. What tokens have to come out, riffle's own chain says, of the same
// rows. (tests/llama compares with the real llama.cpp, of one version.)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <llama.h>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/llama.hpp>

namespace riffle_tests::llama_versions {
namespace {

using namespace riffle;

struct freed {
    void operator()(llama_sampler* s) const noexcept { llama_sampler_free(s); }
};
using sampler = std::unique_ptr<llama_sampler, freed>;

constexpr std::size_t row_size = 2000;
constexpr token_id greatest_of_row_0 = 671;

/// No two logits are equal, and no two of the first 2000 steps have the same ones.
std::vector<float> row_at(std::size_t step, std::size_t size = row_size) {
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = float((i * 769 + step * 131) % size) * 8.0f / float(size);
    return row;
}

/// As llama_sampler_sample does it: a candidate for every token, and the one selected is accepted.
token_id sample(llama_sampler* s, const std::vector<float>& row) {
    std::vector<llama_token_data> tokens(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) tokens[i] = {llama_token(i), row[i], 0.0f};
    llama_token_data_array array{tokens.data(), tokens.size(), -1, false};
    llama_sampler_apply(s, &array);
    if (array.selected < 0 || std::size_t(array.selected) >= array.size) return null_token;
    const llama_token chosen = array.data[array.selected].id;
    llama_sampler_accept(s, chosen);
    return chosen;
}

/// Six steps of a sampler, from `first` on, and of the chain that it should be.
void expect_same_stream(llama_sampler* s, any_pipeline& expected, std::size_t first = 0, std::size_t size = row_size) {
    for (std::size_t step = first; step < first + 6; ++step) {
        const auto row = row_at(step, size);
        ASSERT_EQ(sample(s, row), expected.sample(row)) << "step " << step;
        ASSERT_TRUE(expected.last_status().ok()) << expected.last_status().message().c_str();
    }
}
/// For two that are to go on alike.
void expect_same_stream_of_copy(llama_sampler* s, any_pipeline expected, std::size_t first) {
    expect_same_stream(s, expected, first);
}

// --- what make_sampler is given --------------------------------------------------------------------------------------

auto typed_as_llama() {
    return with<llama_exact>(penalties{.last_n = 8, .repeat = 1.5f} | top_k{.k = 40} | temperature{.t = 0.8f} |
                             dist{.seed = 42});
}
auto single_stage() { return dist{.seed = 7}; }
auto at_run_time() {
    dynamic_chain c;
    c.push(penalties{.last_n = 8, .repeat = 1.5f});
    c.push(top_k{.k = 40});
    c.push(dist{.seed = 42});
    return c;
}
auto behind_one_type() { return any_pipeline(typed_as_llama()); }

template <class T>
auto chain_of_given(T given) {
    if constexpr (stage<T>) return chain(std::move(given));
    else return given;
}

/// One of those, with everything that depends on its type.
struct form {
    const char* name;
    any_pipeline (*chain)();
    llama_sampler* (*make)(const llama::sampler_options&);
    /// The status of the chain that a sampler shows; nullptr where it shows none of this type.
    const status* (*shown)(const llama_sampler*);
    /// llama::sample with a chain of this type, from step to step.
    std::function<token_id(llama_context&, std::int32_t)> (*sampling)();
};
template <auto given>
constexpr form form_of(const char* name) {
    using chain_type = decltype(chain_of_given(given()));
    return {name, [] { return any_pipeline(chain_of_given(given())); },
            [](const llama::sampler_options& options) { return llama::make_sampler(given(), options); },
            [](const llama_sampler* s) {
                const chain_type* const shown = llama::chain_of<chain_type>(s);
                return shown ? &shown->last_status() : nullptr;
            },
            []() -> std::function<token_id(llama_context&, std::int32_t)> {
                return [c = chain_of_given(given())](llama_context& context, std::int32_t index) mutable {
                    return llama::sample(c, &context, index);
                };
            }};
}
constexpr form forms[] = {form_of<typed_as_llama>("TypedAsLlama"), form_of<single_stage>("SingleStage"),
                          form_of<at_run_time>("AtRunTime"), form_of<behind_one_type>("BehindOneType")};
void PrintTo(const form& f, std::ostream* out) { *out << f.name; }

class LlamaVersion : public testing::TestWithParam<form> {
protected:
    any_pipeline expected = GetParam().chain();

    static sampler make(const llama::sampler_options& options = {}) { return sampler(GetParam().make(options)); }
    /// One that has a state, which `expected` has too.
    sampler make_used() {
        sampler s = make();
        expect_same_stream(s.get(), expected);
        return s;
    }
};
INSTANTIATE_TEST_SUITE_P(Forms, LlamaVersion, testing::ValuesIn(forms),
                         [](const auto& tested) { return std::string(tested.param.name); });

// --- the functions of a llama_sampler --------------------------------------------------------------------------------

TEST_P(LlamaVersion, HasItsName) {
    EXPECT_STREQ(llama_sampler_name(make().get()), "riffle");
    EXPECT_STREQ(llama_sampler_name(make({.name = "mine"}).get()), "mine");
}

TEST_P(LlamaVersion, ChoosesFromFourTokens) { expect_same_stream(make().get(), expected, 0, 4); }

TEST_P(LlamaVersion, ChoosesFromARow) { expect_same_stream(make().get(), expected); }

TEST_P(LlamaVersion, AcceptsTokensFromElsewhere) {
    const sampler s = make();
    for (const llama_token token : {greatest_of_row_0, 5, greatest_of_row_0}) {  // ahead of the first apply: a prompt
        llama_sampler_accept(s.get(), token);
        expected.prompt({&token, 1});
    }
    expect_same_stream(s.get(), expected);
    for (const llama_token token : {5, greatest_of_row_0, 5}) {
        llama_sampler_accept(s.get(), token);
        expected.accept(token);
    }
    expect_same_stream(s.get(), expected);
}

TEST_P(LlamaVersion, BeginsAgainAfterReset) {
    const sampler s = make_used();
    llama_sampler_reset(s.get());
    expect_same_stream_of_copy(s.get(), GetParam().chain(), 0);
}

TEST_P(LlamaVersion, CloneGoesOnAsTheOriginal) {
    const sampler s = make_used();
    const sampler clone(llama_sampler_clone(s.get()));
    ASSERT_TRUE(clone);
    EXPECT_STREQ(llama_sampler_name(clone.get()), "riffle");
    expect_same_stream_of_copy(clone.get(), expected, 6);
    expect_same_stream(s.get(), expected, 6);
}

/// llama_sampler_copy; false where the version has none.
template <class Sampler>
bool copy(const Sampler* from, Sampler* to) {
    if constexpr (requires { llama_sampler_copy(from, to); }) {
        llama_sampler_copy(from, to);
        return true;
    }
    return false;
}

TEST_P(LlamaVersion, CopyTakesTheStateOfAnother) {
    const sampler s = make_used(), other = make();
    if (!copy(s.get(), other.get())) GTEST_SKIP() << "this version copies no samplers";
    expect_same_stream_of_copy(other.get(), expected, 6);
    expect_same_stream(s.get(), expected, 6);
}

#if defined(__cpp_exceptions)
/// A user's stage whose copies throw as long as `refuses`.
struct shy {
    static inline bool refuses = false;
    token_id shown = 5;

    explicit shy(token_id token) noexcept : shown(token) {}
    shy(const shy& other) : shown(other.shown) {
        if (refuses) throw std::bad_alloc();
    }
    shy(shy&&) noexcept = default;
    shy& operator=(const shy& other) { return *this = shy(other); }
    shy& operator=(shy&&) noexcept = default;
    ~shy() = default;
    void apply(candidates& c) const noexcept {
        c.keep_if([this](const token_data& token) { return token.id % 7 == shown; });
    }
};
template <class Chain>
void expect_copies_to_be_whole(const Chain& of_five, const Chain& of_three) {
    const sampler s(llama::make_sampler(of_five)), other(llama::make_sampler(of_three));
    any_pipeline five = of_five, three = of_three;
    expect_same_stream(s.get(), five);
    expect_same_stream(other.get(), three);
    shy::refuses = true;
    EXPECT_EQ(llama_sampler_clone(s.get()), nullptr);
    const bool known = copy(s.get(), other.get());
    shy::refuses = false;
    EXPECT_EQ(llama::chain_of<Chain>(other.get())->last_status().code(),
              known ? status_code::out_of_memory : status_code::ok);
    expect_same_stream(other.get(), three, 6);  // as it was, history and all
    if (copy(s.get(), other.get())) expect_same_stream_of_copy(other.get(), five, 6);
    expect_same_stream(s.get(), five, 6);
}
TEST(LlamaVersionCopy, IsWholeOrNothing) {
    const auto typed = [](token_id shown) {
        return chain(penalties{.last_n = 8, .repeat = 1.5f}, shy(shown), top_k{.k = 40}, dist{.seed = 42});
    };
    expect_copies_to_be_whole(typed(5), typed(3));
    const auto at_run_time_of = [](token_id shown) {
        dynamic_chain c;
        c.push(penalties{.last_n = 8, .repeat = 1.5f});
        c.push(shy(shown));
        c.push(dist{.seed = 42});
        return c;
    };
    expect_copies_to_be_whole(at_run_time_of(5), at_run_time_of(3));
    expect_copies_to_be_whole(any_pipeline(typed(5)), any_pipeline(typed(3)));
}
#endif

/// Candidates in the order of ids, or the other way round, with one logit that is no usual number.
status seen_of(const form& f, std::size_t size, bool in_order, float strange) {
    const sampler s(f.make({}));
    auto row = row_at(0, size);
    row[1] = strange;
    std::vector<llama_token_data> tokens(size);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t id = in_order ? i : size - 1 - i;
        tokens[i] = {llama_token(id), row[id], 0.0f};
    }
    llama_token_data_array array{tokens.data(), size, -1, false};
    llama_sampler_apply(s.get(), &array);
    return *f.shown(s.get());
}
TEST_P(LlamaVersion, TellsWhatItSaw) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t size : {std::size_t{4}, std::size_t{37}, row_size})
        for (const bool in_order : {true, false}) {
            SCOPED_TRACE(testing::Message() << size << (in_order ? " in order" : ""));
            const status of_nan = seen_of(GetParam(), size, in_order, nan);
            EXPECT_TRUE(of_nan.ok() && of_nan.saw_nan() && !of_nan.saw_infinity()) << of_nan.message().c_str();
            const status of_infinity = seen_of(GetParam(), size, in_order, infinity);
            EXPECT_TRUE(!of_infinity.saw_nan() && of_infinity.saw_infinity());
            const status of_illegal = seen_of(GetParam(), size, in_order, -infinity);
            EXPECT_TRUE(of_illegal.ok() && !of_illegal.saw_nan() && !of_illegal.saw_infinity());
        }
}

/// Those that riffle knows are taken out of a table; then it has to be empty.
template <class Member>
void take_out(Member& member) {
    EXPECT_NE(member, nullptr);
    member = nullptr;
}
template <class Interface>
void expect_empty(const Interface& table) {
    const Interface empty{};
    EXPECT_EQ(std::memcmp(&table, &empty, sizeof table), 0) << "a member is set that riffle has no function for";
}
template <class Interface>
void expect_known_members(Interface table) {
    take_out(table.name);
    take_out(table.accept);
    take_out(table.apply);
    take_out(table.reset);
    take_out(table.clone);
    take_out(table.free);
    if constexpr (requires { table.copy_state; }) take_out(table.copy_state);
    expect_empty(table);
}

TEST_P(LlamaVersion, SetsTheMembersItKnows) { expect_known_members(*make()->iface); }

TEST_P(LlamaVersion, ShowsItsChain) {
    const sampler s = make();
    const status* const shown = GetParam().shown(s.get());
    ASSERT_NE(shown, nullptr);
    EXPECT_NE(sample(s.get(), row_at(0)), null_token);
    EXPECT_TRUE(shown->ok());
    EXPECT_EQ(GetParam().shown(nullptr), nullptr);
    const sampler of_llama(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    EXPECT_EQ(GetParam().shown(of_llama.get()), nullptr);
    for (const form& other : forms)
        EXPECT_EQ(other.shown(s.get()) != nullptr, other.name == GetParam().name) << other.name;
}

TEST_P(LlamaVersion, StandsInALlamaChain) {
    const sampler whole(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(whole.get(), make().release());
    ASSERT_EQ(llama_sampler_chain_n(whole.get()), 1);
    EXPECT_STREQ(llama_sampler_name(llama_sampler_chain_get(whole.get(), 0)), "riffle");
    expect_same_stream(whole.get(), expected);

    const sampler clone(llama_sampler_clone(whole.get())), target(llama_sampler_clone(whole.get()));
    expect_same_stream_of_copy(clone.get(), expected, 6);
    llama_sampler_reset(target.get());
    if (copy(whole.get(), target.get())) expect_same_stream_of_copy(target.get(), expected, 6);

    const sampler alone(llama_sampler_chain_remove(whole.get(), 0));
    EXPECT_EQ(llama_sampler_chain_n(whole.get()), 0);
    expect_same_stream(alone.get(), expected, 6);
}

// --- straight from a context -----------------------------------------------------------------------------------------

llama_model model_of(std::vector<fake_token> tokens) {
    llama_model model;
    model.vocab.tokens = std::move(tokens);
    return model;
}

class LlamaVersionContext : public LlamaVersion {
protected:
    LlamaVersionContext() { context.logits = row_at(100); }
    token_id sample(std::int32_t index = -1) { return next(context, index); }

    const llama_model model = model_of(std::vector<fake_token>(row_size));
    llama_context context{model};
    std::function<token_id(llama_context&, std::int32_t)> next = GetParam().sampling();
};
INSTANTIATE_TEST_SUITE_P(Forms, LlamaVersionContext, testing::ValuesIn(forms),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(LlamaVersionContext, HasTheLogitsOfAnOutput) {
    for (std::size_t step = 0; step < 6; ++step) {
        context.logits = row_at(step);
        EXPECT_EQ(sample(step % 2 ? 0 : -1), expected.sample(context.logits)) << "step " << step;
    }
    EXPECT_EQ(sample(1), null_token);  // there is no second output
}

template <class Context>
constexpr bool has_sampled_outputs = requires(Context* c) { llama_get_sampled_token_ith(c, 0); };

TEST_P(LlamaVersionContext, HasATokenSampledInTheGraph) {
    if (!has_sampled_outputs<llama_context>) GTEST_SKIP() << "this version has no samplers in the graph";
    context.sampled_token = greatest_of_row_0;
    EXPECT_EQ(sample(), greatest_of_row_0);
    expected.accept(greatest_of_row_0);

    context.sampled_token = null_token;
    for (std::size_t step = 0; step < 6; ++step) {
        context.logits = row_at(step);
        EXPECT_EQ(sample(), expected.sample(context.logits)) << "step " << step;
    }
}

TEST_P(LlamaVersionContext, HasCandidatesOfTheGraph) {
    if (!has_sampled_outputs<llama_context>) GTEST_SKIP() << "this version has no samplers in the graph";
    for (std::size_t step = 0; step < 6; ++step) {
        const auto row = row_at(step);
        std::vector<float> left(row_size, illegal_logit);  // what is no candidate
        context.sampled_candidates.clear();
        context.sampled_logits.clear();
        for (std::size_t i = 0; i < 200; ++i) {
            const std::size_t id = (i * 37 + 11) % row_size;
            left[id] = row[id];
            context.sampled_candidates.push_back(llama_token(id));
            context.sampled_logits.push_back(row[id]);
        }
        context.sampled_probs.assign(step % 2 ? 200 : 0, 0.005f);
        EXPECT_EQ(sample(), expected.sample(left)) << "step " << step;
    }
}

TEST_P(LlamaVersionContext, HasAllLogitsOfTheGraph) {
    if (!has_sampled_outputs<llama_context>) GTEST_SKIP() << "this version has no samplers in the graph";
    for (std::size_t step = 0; step < 6; ++step) {
        context.sampled_logits = row_at(step);
        // Named, from the fourth step on; what is there before is told of no candidates.
        if (step == 3)
            for (std::size_t i = 0; i < row_size; ++i) context.sampled_candidates.push_back(llama_token(i));
        EXPECT_EQ(sample(), expected.sample(context.sampled_logits)) << "step " << step;
    }
}

TEST_P(LlamaVersion, TakesAPrompt) {
    any_pipeline ours = expected;
    const std::vector<llama_token> tokens{greatest_of_row_0, 5, greatest_of_row_0};
    EXPECT_TRUE(llama::prompt(ours, tokens).ok());
    EXPECT_TRUE(expected.prompt(tokens).ok());
    EXPECT_EQ(ours.sample(row_at(0)), expected.sample(row_at(0)));
}

// --- in the graph of a context ---------------------------------------------------------------------------------------

/// A graph for 2000 logits, and what the first sampler of an attached chain does to it.
class graph_of_sampler {
public:
    template <class Sampler>
    explicit graph_of_sampler(Sampler* front) {
        auto data = data_for(front->iface->backend_apply);
        data.logits = ggml_new_tensor_1d(nodes_.get(), GGML_TYPE_F32, row_size);
        front->iface->backend_apply(front, nodes_.get(), ggml_new_graph(nodes_.get()), &data);
        fake_allocate(nodes_.get());
        logits = size_of(data.logits);
        candidates = size_of(data.candidates);
        sampled = size_of(data.sampled);
    }
    int writes() const { return fake_writes(nodes_.get()); }

    /// Numbers of elements, 0 where there is no such tensor.
    std::int64_t logits = 0, candidates = 0, sampled = 0;

private:
    template <class Data>
    static Data data_for(void (*)(llama_sampler*, ggml_context*, ggml_cgraph*, Data*)) {
        return {};
    }
    static std::int64_t size_of(const ggml_tensor* tensor) { return tensor ? ggml_nelements(tensor) : 0; }
    struct freed_nodes {
        void operator()(ggml_context* nodes) const noexcept { ggml_free(nodes); }
    };
    std::unique_ptr<ggml_context, freed_nodes> nodes_{ggml_init({})};
};

/// Calls run(first sampler) for a chain attached to a context, where the version has such; false where it has not, or
/// where the chain does not run in a graph.
template <class Sampler, class Run>
bool attached(Sampler* chain, Run run) {
    if constexpr (requires { chain->iface->backend_apply; }) {
        const llama_model model;
        llama_context context(model);
        if (!llama_set_sampler(&context, 0, chain)) return false;
        run(llama_sampler_chain_get(chain, 0));
        return true;
    }
    return false;
}
template <class Interface>
constexpr bool has_graphs = requires(Interface i) { i.backend_apply; };

TEST_P(LlamaVersion, StaysOutsideTheGraph) {
    const sampler whole(llama_sampler_chain_init(llama_sampler_chain_default_params()));
    llama_sampler_chain_add(whole.get(), make().release());
    EXPECT_FALSE(attached(whole.get(), [](auto*) {}));
}

auto quick() { return with<fast>(top_k{.k = 40} | temperature{.t = 0.8f} | dist{.seed = 42}); }
/// Whether dist runs in the graph: where nobody accepts what the graph has drawn, it would draw the same for ever.
template <class Interface>
constexpr int draws = requires(Interface i) { i.backend_reset; };

TEST(LlamaVersionGraph, RunsAFastChain) {
    const sampler whole(llama::make_chain(quick()));
    const bool ran = attached(whole.get(), [](auto* front) {
        const graph_of_sampler graph(front);
        EXPECT_EQ(graph.logits, 40);
        EXPECT_EQ(graph.candidates, 40);
        EXPECT_EQ(graph.sampled, draws<llama_sampler_i>);
    });
    EXPECT_EQ(ran, has_graphs<llama_sampler_i>);
}

TEST(LlamaVersionGraph, LeavesTokensOutForOtherChains) {
    const sampler whole(llama::make_chain(typed_as_llama()));
    const bool ran = attached(whole.get(), [](auto* front) {
        const graph_of_sampler graph(front);
        EXPECT_GE(graph.logits, 40);
        EXPECT_LT(graph.logits, 100);
        EXPECT_EQ(graph.candidates, graph.logits);
        EXPECT_EQ(graph.sampled, 0);
    });
    EXPECT_EQ(ran, has_graphs<llama_sampler_i>);
}

TEST(LlamaVersionGraph, WritesInputsOfTheNewestOnly) {
    const sampler whole(llama::make_chain(with<fast>(logit_bias{{{1, 2.0f}}} | quick())));
    attached(whole.get(), [](auto* front) {
        const int inputs = 2 + draws<llama_sampler_i>;  // ids and biases, and the number drawn
        const graph_of_sampler first(front);
        front->iface->backend_set_input(front);
        EXPECT_EQ(first.writes(), inputs);
        if constexpr (requires { front->iface->backend_reset; }) front->iface->backend_reset(front);
        const graph_of_sampler second(front);
        front->iface->backend_set_input(front);
        EXPECT_EQ(first.writes(), inputs);  // it may be gone
        EXPECT_EQ(second.writes(), inputs);
    });
}

TEST(LlamaVersionGraph, IsNotNeeded) {
    const sampler whole(llama::make_chain(typed_as_llama()));
    EXPECT_EQ(llama_sampler_chain_n(whole.get()), has_graphs<llama_sampler_i> ? 2 : 1);
    any_pipeline expected = typed_as_llama();
    expect_same_stream(whole.get(), expected);
    const sampler clone(llama_sampler_clone(whole.get())), target(llama::make_chain(typed_as_llama()));
    expect_same_stream_of_copy(clone.get(), expected, 6);
    if (copy(whole.get(), target.get())) expect_same_stream_of_copy(target.get(), expected, 6);
    expect_same_stream(whole.get(), expected, 6);
}

template <class Interface>
void expect_members_of_front(Interface table) {
    take_out(table.name);
    take_out(table.apply);
    take_out(table.clone);
    take_out(table.free);
    if constexpr (requires { table.backend_init; }) {
        take_out(table.backend_init);
        take_out(table.backend_apply);
        take_out(table.backend_set_input);
    }
    if constexpr (requires { table.backend_reset; }) take_out(table.backend_reset);
    if constexpr (requires { table.copy_state; }) take_out(table.copy_state);
    expect_empty(table);
}
TEST(LlamaVersionGraph, FrontSetsTheMembersItKnows) {
    if (!has_graphs<llama_sampler_i>) GTEST_SKIP() << "this version has no samplers in the graph";
    const sampler whole(llama::make_chain(quick()));
    expect_members_of_front(*llama_sampler_chain_get(whole.get(), 0)->iface);
}

// --- llama_samplers in riffle's chains -------------------------------------------------------------------------------

TEST(LlamaVersionStage, SelectsWhatItsSamplerSelects) {
    auto ours = chain(llama::selector(llama::make_chain(typed_as_llama())));
    any_pipeline expected = typed_as_llama();
    const auto start = ours.mark();
    for (std::size_t step = 0; step < 6; ++step)
        EXPECT_EQ(ours.sample(row_at(step)), expected.sample(row_at(step))) << "step " << step;
    EXPECT_TRUE(ours.rollback(start).ok());
    expected.reset();
    EXPECT_EQ(ours.sample(row_at(0)), expected.sample(row_at(0)));
}

/// A grammar of odd tokens.
llama_sampler* odd_tokens() {
    static llama_sampler_i table = [] {
        llama_sampler_i i{};
        i.name = [](const llama_sampler*) { return "grammar"; };
        i.apply = [](llama_sampler*, llama_token_data_array* tokens) {
            for (std::size_t at = 0; at < tokens->size; ++at)
                if (tokens->data[at].id % 2 == 0) tokens->data[at].logit = illegal_logit;
        };
        return i;
    }();
    return new llama_sampler{&table, nullptr};
}

TEST(LlamaVersionStage, GuidesAChain) {
    llama::guided both(behind_one_type(), odd_tokens());
    const llama_model model = model_of(std::vector<fake_token>(row_size));
    llama_context context(model);
    for (std::size_t step = 0; step < 6; ++step) {
        context.logits = row_at(step);
        EXPECT_EQ(both.sample(&context, -1) % 2, 1) << "step " << step;
    }
    EXPECT_EQ(both.accept(4).state.code(), status_code::stage_failed);
}

// --- vocabularies ----------------------------------------------------------------------------------------------------

llama_model small_model() {
    llama_model model = model_of({{"<unused>", true},
                                  {"a"},
                                  {" b"},
                                  {"ab"},
                                  {""},
                                  {std::string(100, '=')},
                                  {"</s>", true, true},
                                  {"<|eot|>", true, true},
                                  {"!", false, true}});
    model.vocab.end_of_sequence = 6;
    model.vocab.end_of_turn = 7;
    return model;
}

void expect_small_model(const vocabulary& all) {
    const llama_model model = small_model();
    ASSERT_EQ(all.size(), 9u);
    for (token_id id = 0; id < 9; ++id) {
        const fake_token& token = model.vocab[id];
        EXPECT_EQ(std::string(all.piece(id).data(), all.piece(id).size()), token.text);
        EXPECT_EQ(all.is(id, token_role::control), token.control) << id;
        EXPECT_EQ(all.ends_generation(id), token.ends_generation) << id;
    }
    EXPECT_EQ(all.end_of_sequence, 6);
    EXPECT_EQ(all.end_of_turn, 7);
    // By the model's tokeniser, which takes the shortest piece; and never more than 64 tokens.
    EXPECT_EQ(all.tokenise("aab b"), (std::vector<token_id>{1, 1, 2}));
    EXPECT_EQ(all.tokenise(std::string(100, 'a').c_str()), std::vector<token_id>(64, 1));
    EXPECT_TRUE(all.tokenise("").empty());
}

/// The llama_vocab of a model, where the version has one; the model itself where not.
template <class Model>
const auto* vocab_of(const Model* model) {
    if constexpr (requires { llama_model_get_vocab(model); }) return llama_model_get_vocab(model);
    else return model;
}

TEST(LlamaVersionVocabulary, IsOfAModelOrItsVocab) {
    const llama_model model = small_model();
    expect_small_model(llama::vocabulary_of(&model));
    expect_small_model(llama::vocabulary_of(vocab_of(&model)));
}

TEST(LlamaVersionVocabulary, TellsWhetherTheFirstSpaceIsDropped) {
    llama_model model = small_model();
    const vocabulary all = llama::vocabulary_of(&model);
    EXPECT_FALSE(llama::drops_first_space(&model, all));
    model.vocab.drops_first_space = true;
    EXPECT_TRUE(llama::drops_first_space(&model, all));
    EXPECT_TRUE(llama::drops_first_space(vocab_of(&model), all));
}

template <class Vocab>
constexpr bool has_suppressed_tokens =
    requires(const Vocab* v, std::int32_t n) { llama_vocab_get_suppress_tokens(v, &n); };

TEST(LlamaVersionSettings, AreThoseOfTheModel) {
    llama_model model = small_model();
    model.metadata = {{"general.sampling.top_k", "7"}, {"general.sampling.temp", "0.5"}, {"general.name", "small"}};
    model.vocab.suppressed = {3};
    const chain_settings s = llama::settings_of(&model);
    EXPECT_EQ(s.top_k, 7);
    EXPECT_EQ(s.temp, 0.5f);
    EXPECT_EQ(s.n_vocab, 9);
    EXPECT_EQ(s.suppressed, std::vector<token_id>(has_suppressed_tokens<llama_vocab> ? 1 : 0, 3));
    EXPECT_EQ(s.problem(), "");
}
/// Floats as llama.cpp writes them under a locale with a decimal comma, one of them for a whole number.
TEST(LlamaVersionSettings, AreReadWhateverTheLocaleOfTheWriter) {
    llama_model model = small_model();
    model.metadata = {{"general.sampling.top_k", "20,000000"}, {"general.sampling.temp", "0,600000"}};
    const chain_settings s = llama::settings_of(&model);
    EXPECT_EQ(s.top_k, 20);
    EXPECT_EQ(s.temp, 0.6f);
    EXPECT_EQ(s.problem(), "");
}
TEST(LlamaVersionSettings, NameEveryProblemOfTheModelsFile) {
    llama_model model = small_model();
    model.metadata = {{"general.sampling.sequence", "top_k;nonsense;temperature"},
                      {"general.sampling.top_k", "many"},
                      {"general.sampling.min_p", "0.250000"},
                      {"general.sampling.temp", "warm"}};
    const chain_settings s = llama::settings_of(&model);
    EXPECT_EQ(s.samplers, (std::vector{sampler_kind::top_k, sampler_kind::temperature}));
    EXPECT_EQ(s.min_p, 0.25f);
    EXPECT_EQ(s.problem(), "settings: there is no sampler \"nonsense\"\n"
                           "settings: top_k = \"many\" is not a whole number\n"
                           "settings: temp = \"warm\" is not a number");
}

}  // namespace
}  // namespace riffle_tests::llama_versions
