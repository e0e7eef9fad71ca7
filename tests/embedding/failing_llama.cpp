// The adapter to llama.cpp where one allocation fails, riffle's or llama.cpp's: nullptr, false, or the sampler as it
// was. With a llama.h made for tests (llama_versions); its functions allocate as llama.cpp's do.

#include <array>
#include <cstddef>
#include <llama.h>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/llama.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/settings.hpp>

#include "embedding/chains.hpp"
#include "embedding/sweep.hpp"
#include "llama_versions/2026_08/llama.h"  // which <llama.h> is here: so tests/matrix/affected sees it

namespace riffle_tests::failing_llama {
namespace {

using namespace riffle;

struct freed {
    void operator()(llama_sampler* s) const noexcept { llama_sampler_free(s); }
};
using sampler = std::unique_ptr<llama_sampler, freed>;

auto typed(float bias) {
    return penalties{.last_n = 8, .repeat = 1.5f} | logit_bias{{{3, bias}, {900, -bias}}} | top_k{.k = 40} |
           dist{.seed = 1};
}
auto plain(float t) { return penalties{.last_n = 8, .repeat = 1.5f} | temperature{.t = t} | dist{.seed = 1}; }
auto at_run_time(float bias) {
    basic_dynamic_chain<llama_exact> c;
    c.push(logit_bias{{{3, bias}, {900, -bias}}});
    c.push(top_k{.k = 40});
    c.push(mirostat_v2{.tau = 3.0f, .seed = 7});
    return c;
}

/// As llama_sampler_sample does it, but in memory that is there.
std::vector<llama_token_data> tokens(row_length);
token_id sample(llama_sampler* s, const std::vector<float>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) tokens[i] = {llama_token(i), row[i], 0.0f};
    llama_token_data_array array{tokens.data(), row.size(), -1, false};
    llama_sampler_apply(s, &array);
    if (array.selected < 0 || !(array.data[array.selected].logit > illegal_logit)) return null_token;
    const llama_token chosen = array.data[array.selected].id;
    llama_sampler_accept(s, chosen);
    return chosen;
}
std::vector<token_id> next(llama_sampler* s) {
    return {sample(s, rows()[0]), sample(s, rows()[2]), sample(s, rows()[3])};
}
status none_or_ok(bool made) { return made ? status() : status(status_code::out_of_memory); }

/// f(chain, another of its type).
template <class F>
void each_pair(F f) {
    f(typed(2.0f), typed(-3.0f));
    f(plain(0.8f), plain(2.0f));
    f(at_run_time(2.0f), at_run_time(-3.0f));
    f(any_pipeline(typed(2.0f)), any_pipeline(typed(-3.0f)));
}

TEST(FailingAllocation, OfALlamaSampler) {
    each_pair([](const auto& chain, const auto&) {
        const auto none = [] { return sampler(); };
        const auto is_none = [](const sampler& s, const outcome&) { EXPECT_FALSE(s); };
        const auto serves = [](const sampler& s) {
            for (const token_id token : next(s.get())) EXPECT_NE(token, null_token);
        };
        const auto moved = [&](auto make) {
            return [&, make](sampler& s) {
                auto given = chain;  // throws, or is not whole, as any copy
                if (!(given.view().check)().ok()) return status(status_code::out_of_memory);
                s.reset(make(std::move(given)));
                return none_or_ok(s != nullptr);
            };
        };
        fail_each_allocation(none, moved([](auto c) { return llama::make_sampler(std::move(c)); }), is_none, serves);
        fail_each_allocation(none, moved([](auto c) { return llama::make_chain(std::move(c)); }), is_none, serves);
    });
}

TEST(FailingAllocation, OfAChainThatIsAddedToLlamas) {
    const auto made = [] { return sampler(llama_sampler_chain_init(llama_sampler_chain_default_params())); };
    fail_each_allocation(
        made, [](sampler& s) { return none_or_ok(llama::add_to(s.get(), plain(0.8f))); },
        [](const sampler& s, const outcome&) {
            EXPECT_EQ(llama_sampler_chain_n(s.get()), 0);
            EXPECT_TRUE(llama::add_to(s.get(), plain(0.8f)));
            EXPECT_EQ(llama_sampler_chain_n(s.get()), 2);
        },
        [](const sampler& s) { EXPECT_EQ(llama_sampler_chain_n(s.get()), 2); });
}

TEST(FailingAllocation, OfAStepOfALlamaSampler) {
    each_pair([](const auto& chain, const auto&) {
        using chain_type = std::remove_cvref_t<decltype(chain)>;
        const auto made = [&] { return sampler(llama::make_sampler(chain)); };
        const auto expected = next(made().get());
        const auto expect_fresh = [&](const sampler& s) { EXPECT_EQ(next(s.get()), expected); };
        fail_each_allocation(
            made,
            [&](sampler& s) {
                const token_id token = sample(s.get(), rows()[0]);
                const status said = llama::chain_of<chain_type>(s.get())->last_status();
                EXPECT_EQ(token, said.ok() ? expected[0] : null_token);
                llama_sampler_reset(s.get());
                return said;
            },
            [&](const sampler& s, const outcome&) { expect_fresh(s); }, expect_fresh);
    });
}

struct two_samplers {
    sampler from, to;
};
TEST(FailingAllocation, OfACopyOfALlamaSampler) {
    each_pair([](const auto& from, const auto& to) {
        using chain_type = std::remove_cvref_t<decltype(from)>;
        const auto used = [](const auto& chain, std::size_t steps) {
            sampler s(llama::make_sampler(chain));
            for (std::size_t i = 0; i < steps; ++i) EXPECT_NE(sample(s.get(), rows()[i % 3]), null_token);
            return s;
        };
        const auto of_from = next(used(from, 9).get()), of_to = next(used(to, 4).get());
        ASSERT_NE(of_from, of_to);
        const auto made = [&] { return two_samplers{used(from, 9), used(to, 4)}; };
        const auto expect_from = [&](two_samplers& both) { EXPECT_EQ(next(both.from.get()), of_from); };

        fail_each_allocation(
            made,
            [&](two_samplers& both) {
                const sampler clone(llama_sampler_clone(both.from.get()));
                return none_or_ok(clone != nullptr);
            },
            [&](two_samplers& both, const outcome&) { expect_from(both); }, expect_from);

        const auto copy = [&](two_samplers& both) {
            llama_sampler_copy(both.from.get(), both.to.get());
            return llama::chain_of<chain_type>(both.to.get())->last_status();
        };
        bool asks_for_memory = false;
        {
            two_samplers both = made();
            {
                const failing_allocation first(0);
                const bool copied = copy(both).ok();
                asks_for_memory = first.happened();
                EXPECT_EQ(copied, !asks_for_memory);
            }
            if (!asks_for_memory) {
                EXPECT_EQ(next(both.to.get()), of_from);
            }
        }
        EXPECT_FALSE(asks_for_memory && std::is_nothrow_copy_assignable_v<chain_type>) << "it has all that it needs";
        if (!asks_for_memory) return;
        fail_each_allocation(
            made, copy,
            [&](two_samplers& both, const outcome&) {
                EXPECT_EQ(next(both.to.get()), of_to) << "it is not as it was";
                expect_from(both);
            },
            [&](two_samplers& both) {
                EXPECT_EQ(next(both.to.get()), of_from);
                expect_from(both);
            });
    });
}

/// Into a chain that has not accepted anything, and so has no memory for a history.
TEST(FailingAllocation, OfACopyOverAFreshLlamaSampler) {
    const auto used = [] {
        sampler s(llama::make_sampler(plain(0.8f)));
        (void)next(s.get());
        return s;
    };
    const auto of_from = next(used().get()), of_to = next(sampler(llama::make_sampler(plain(2.0f))).get());
    fail_each_allocation(
        [&] {
            return two_samplers{used(), sampler(llama::make_sampler(plain(2.0f)))};
        },
        [](two_samplers& both) {
            llama_sampler_copy(both.from.get(), both.to.get());
            return llama::chain_of<decltype(plain(1.0f))>(both.to.get())->last_status();
        },
        [&](two_samplers& both, const outcome&) { EXPECT_EQ(next(both.to.get()), of_to); },
        [&](two_samplers& both) { EXPECT_EQ(next(both.to.get()), of_from); });
}
/// An accepted token for which there is no memory: llama_sampler_accept cannot say so, but no step goes on without it.
TEST(FailingAllocation, OfATokenThatALlamaSamplerAccepts) {
    const auto chain = penalties{.last_n = -1, .repeat = 1.5f} | dist{.seed = 1};
    const sampler s(llama::make_sampler(chain));
    const auto* const held = llama::chain_of<std::remove_cvref_t<decltype(chain)>>(s.get());
    bool happened = false;
    for (int i = 0; i < 1000 && !happened; ++i) {
        ASSERT_NE(sample(s.get(), rows()[0]), null_token);
        const failing_allocation first(0);
        llama_sampler_accept(s.get(), 3);
        happened = first.happened();
    }
    ASSERT_TRUE(happened);
    EXPECT_EQ(sample(s.get(), rows()[0]), null_token);
    EXPECT_EQ(held->last_status(), status_code::out_of_memory);
    llama_sampler_reset(s.get());
    EXPECT_EQ(next(s.get()), next(sampler(llama::make_sampler(chain)).get()));
}
/// A step makes the room for the token that it chooses.
TEST(FailingAllocation, OfNoTokenThatALlamaSamplerChose) {
    const sampler s(llama::make_sampler(penalties{.last_n = -1, .repeat = 1.5f} | dist{.seed = 1}));
    for (int i = 0; i < 300; ++i) {
        for (std::size_t id = 0; id < row_length; ++id) tokens[id] = {llama_token(id), rows()[0][id], 0.0f};
        llama_token_data_array array{tokens.data(), row_length, -1, false};
        llama_sampler_apply(s.get(), &array);
        const failing_allocation first(0);
        llama_sampler_accept(s.get(), array.data[array.selected].id);
        ASSERT_FALSE(first.happened()) << i;
    }
}

/// Nor one that a context's graph chose: it is not given out where the chain cannot accept it.
TEST(FailingAllocation, OfATokenThatAGraphChose) {
    const llama_model model;
    llama_context context(model);
    context.sampled_token = 3;
    auto c = penalties{.last_n = -1, .repeat = 1.5f} | dist{.seed = 1};
    int failures = 0;
    for (std::size_t i = 0; i < 300; ++i) {
        const std::size_t before = c.mark().tokens;
        const failing_allocation first(0);
        const token_id token = llama::sample(c, &context, -1);
        failures += token == null_token;
        EXPECT_EQ(c.mark().tokens, before + (token == null_token ? 0 : 1)) << i;
        EXPECT_EQ(c.last_status().ok(), token != null_token) << i;
    }
    EXPECT_GT(failures, 1);
}

/// A grammar that lets through what is the number of tokens so far, modulo 10.
struct counting_grammar {
    static const char* name(const llama_sampler*) { return "counting"; }
    static int& count(const llama_sampler* s) { return *static_cast<int*>(s->ctx); }
    static void accept(llama_sampler* s, llama_token token) {
        EXPECT_EQ(token % 10, count(s) % 10);
        ++count(s);
    }
    static void apply(llama_sampler* s, llama_token_data_array* array) {
        for (std::size_t i = 0; i < array->size; ++i)
            if (array->data[i].id % 10 != count(s) % 10) array->data[i].logit = illegal_logit;
    }
    static void reset(llama_sampler* s) { count(s) = 0; }
    static llama_sampler* clone(const llama_sampler* s) { return made(count(s)); }
    static void free(llama_sampler* s) { delete static_cast<int*>(s->ctx); }
    static llama_sampler* made(int count) {
        static llama_sampler_i interface = [] {
            llama_sampler_i i{};
            i.name = name;
            i.accept = accept;
            i.apply = apply;
            i.reset = reset;
            i.clone = clone;
            i.free = free;
            return i;
        }();
        return llama_sampler_init(&interface, new int(count));
    }
};
/// The grammar never has a token that the chain has not.
TEST(FailingAllocation, OfAStepOfAChainWithAGrammar) {
    const auto made = [] {
        return llama::guided(penalties{.last_n = -1, .repeat = 1.5f} | dist{.seed = 1}, counting_grammar::made(0));
    };
    auto interrupted = made(), undisturbed = made();
    const auto& row = rows()[0];  // made now, while there is memory
    int failures = 0;
    for (int i = 0; i < 300; ++i) {
        token_id token;
        {
            const failing_allocation first(0);
            token = interrupted.sample(row);
        }
        if (token == null_token) {
            ++failures;
            EXPECT_EQ(interrupted.last_status(), status_code::out_of_memory);
            EXPECT_EQ(std::size_t(counting_grammar::count(interrupted.grammar())), interrupted.chain().mark().tokens);
            token = interrupted.sample(row);
        }
        ASSERT_EQ(token, undisturbed.sample(row)) << i;
    }
    EXPECT_GT(failures, 1);
}

/// Into memory of the caller, which has room for few tokens.
TEST(LlamaSamplerInStorage, TakesNoHistoryThatItHasNoRoomFor) {
    alignas(64) static std::byte bytes[1 << 17];
    const auto chain_of = [](float t) {
        return penalties{.last_n = -1, .repeat = 1.5f} | temperature{.t = t} | dist{.seed = 1};
    };
    auto stored = chain_of(2.0f);
    ASSERT_TRUE(stored.use_storage(bytes, row_length, 10).ok());
    using chain_type = decltype(stored);
    const sampler from(llama::make_sampler(chain_of(0.8f))), to(llama::make_sampler(std::move(stored)));
    EXPECT_EQ(next(to.get()).size(), 3u);
    any_pipeline before = *llama::chain_of<chain_type>(to.get());
    const auto of_to = before.sample(rows()[0]);
    for (int i = 0; i < 300; ++i) llama_sampler_accept(from.get(), 5);
    llama_sampler_copy(from.get(), to.get());
    EXPECT_EQ(llama::chain_of<chain_type>(to.get())->last_status(), status_code::storage_too_small);
    EXPECT_EQ(sample(to.get(), rows()[0]), of_to) << "it is not as it was";

    llama_sampler_reset(from.get());
    const auto of_from = next(from.get());
    llama_sampler_reset(from.get());
    {
        const failing_allocation first(0);
        llama_sampler_copy(from.get(), to.get());
        EXPECT_FALSE(first.happened());
    }
    EXPECT_EQ(next(to.get()), of_from);
}

/// A llama_sampler as a stage: what cannot be cloned is missing, and the chain says so.
TEST(FailingAllocation, OfALlamaSamplerAsAStage) {
    const auto made = [] {
        auto c = llama::stage(llama::make_sampler(chain(top_k{.k = 5}))) | dist{.seed = 3};
        (void)c.sample(rows()[0]);
        return c;
    };
    auto expected = made();
    const auto chosen = next_tokens(expected);
    fail_each_allocation(
        made,
        [](auto& c) {
            const auto copy = c;
            const status s = (copy.check)(row_length);
            return s.ok() && !copy.state().tokens().lost() ? s : status(status_code::out_of_memory);
        },
        [&](auto& c, const outcome&) { EXPECT_EQ(next_tokens(c), chosen); },
        [&](auto& c) { EXPECT_EQ(next_tokens(c), chosen); });
}

/// The clones that it keeps to go back are not what a step is for: without memory for one it goes on, and does not go
/// back so far.
TEST(FailingAllocation, OfTheClonesOfALlamaSamplerIsNoFailure) {
    const auto made = [] {
        auto c = llama::stage(llama::make_sampler(chain(top_k{.k = 5}))) | dist{.seed = 3};
        (void)c.reserve(row_length);
        (void)c.sample(rows()[0]);
        return c;
    };
    auto expected = made();
    const auto chosen = next_tokens(expected);
    bool happened = true;
    for (std::size_t n = 0; happened; ++n) {
        SCOPED_TRACE(testing::Message() << "allocation " << n);
        ASSERT_LT(n, 100u);
        auto c = made();
        const auto here = c.mark();
        std::array<token_id, 6> got;
        {
            const failing_allocation nth(n);
            got = next_tokens(c);
            happened = nth.happened();
        }
        EXPECT_EQ(got, chosen);
        if (c.rollback(here).ok() && (c.check)(row_length).ok()) {
            EXPECT_EQ(next_tokens(c), chosen);
        }
    }
}

/// What llama.cpp asks of the sampler ahead of a chain: whether it runs in a graph. (Without memory for riffle's own
/// operation it would take ggml's.)
TEST(FailingAllocation, OfAnAttachedChain) {
    const auto chain_of_biases = [] {
        return with<fast>(logit_bias{{{3, 2.0f}, {900, -2.0f}}} | top_k{.k = 40} | dist{.seed = 1});
    };
    const sampler plain_chain(llama::make_chain(chain_of_biases()));
    const auto expected = next(plain_chain.get());
    const auto serves = [&](const sampler& s) { EXPECT_EQ(next(s.get()), expected); };
    const llama::sampler_options options{.only_ggml_operations = true};
    fail_each_allocation([&] { return sampler(llama::make_chain(chain_of_biases(), options)); },
                         [](sampler& s) {
                             llama_sampler* const front = llama_sampler_chain_get(s.get(), 0);
                             ggml_backend_buffer_type buffers;
                             return none_or_ok(front->iface->backend_init(front, &buffers, 1));
                         },
                         [&](const sampler& s, const outcome&) { serves(s); }, serves);
}

llama_model small_model() {
    llama_model model;
    model.vocab.tokens = {{"a"}, {" b"}, {std::string(100, '=')}, {"</s>", true, true}};
    model.metadata = {{"general.sampling.top_k", "7"}, {"general.sampling.sequence", "top_k;nonsense;temperature"}};
    model.vocab.suppressed = {2};
    return model;
}
TEST(FailingAllocation, OfWhatIsReadFromAModel) {
    const auto size = [](const llama_model& m) { return m.vocab.tokens.size(); };
    fail_each_allocation(
        small_model,
        [](llama_model& m) {
            const vocabulary all = llama::vocabulary_of(&m);
            EXPECT_EQ(all.size(), 4u);
            return status();
        },
        size);
    fail_each_allocation(
        small_model,
        [](llama_model& m) {
            const chain_settings s = llama::settings_of(&m);
            EXPECT_EQ(s.top_k, 7);
            return status();
        },
        size);
}

}  // namespace
}  // namespace riffle_tests::failing_llama
