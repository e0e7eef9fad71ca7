// Every stage and everything that can be done with a chain, so that all of riffle's templates are instantiated once,
// for tests/checks/strict_builds. Nothing here is run.

#include <riffle/batch.hpp>
#include <riffle/llama.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/llama_speculative.hpp>
#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>
#include <riffle/speculative.hpp>
#if __has_include(<fmt/format.h>)
#include <riffle/explain.hpp>
#endif
#if __has_include(<vulkan/vulkan_core.h>)
#include <riffle/gpu.hpp>
#endif

using namespace riffle;

namespace {

const vocabulary words;

/// The stages that edit, mask and shape, and those that narrow; call(stages...).
template <class Call>
auto with_stages_of_rows(Call call) {
    return call(logit_bias{}, penalties{}, dry{}, no_repeat_ngram{}, banned_sequences{}, phrase_ban{&words},
                min_tokens{}, length_penalty{}, encoder_repetition{}, mask{}, allowed_tokens{}, soft_cap{}, quadratic{},
                dynamic_temperature{}, temperature{}, top_k{});
}
template <class Call>
auto with_narrowing_stages(Call call) {
    return call(top_n_sigma{}, top_k{}, tail_free{}, typical{}, top_p{}, factual_nucleus{}, min_p{}, top_a{},
                epsilon_cutoff{}, eta_cutoff{}, p_less{}, top_h{}, min_k{}, xtc{}, infill{&words});
}

/// Everything that can be asked of a chain.
template <class Chain>
void use(Chain c, std::span<const float> logits) {
    (void)(c.check)(logits.size());
    (void)c.reserve(logits.size());
    (void)c.use_storage(std::span<std::byte>(), c.scratch_bytes(logits.size()));
    std::vector<token_data> some(logits.size());
    candidates list{some.data(), some.size()};
    c.apply(list);
    (void)c.peek(logits);
    const checkpoint here = c.mark();
    if (const auto token = c.try_sample(logits); token.ok()) (void)c.accept(c.sample(logits));
    (void)c.rollback(here);
    (void)c.rewind(1);
    (void)c.fork(1);
    c.retry();
    c.reset();
    const token_id prompt[] = {1, 2, 3};
    (void)c.prompt(prompt);
    (void)c.survivors();
    (void)c.distribution(logits);
    if (const weighed law = c.weigh(logits)) (void)c.accept_choice(law.pick(0));
    (void)c.logprobs(logits, 3, before);
    (void)c.last_status().message();
    (void)c.last_step();
}

template <class Policies>
void use_typed(std::span<const float> logits) {
    const auto to_chain = [](auto... stages) { return chain<Policies>(stages..., dist{}); };
    use(with_stages_of_rows(to_chain), logits);
    use(with_narrowing_stages(to_chain), logits);
    use(chain<Policies>(temperature{}, dist{}), logits);
}

template <class Policies>
void use_run_time(std::span<const float> logits) {
    basic_dynamic_chain<Policies> c;
    const auto push = [&](auto... stages) { (c.push(stages), ...); };
    with_stages_of_rows(push);
    with_narrowing_stages(push);
    push(greedy{}, dist{}, gumbel{}, skew{}, mirostat{.n_vocab = 100}, mirostat_v2{}, adaptive_p{});
    if (auto* const k = c.template get_if<top_k>(0)) k->k = 50;
    use(c, logits);
    use(any_pipeline(c), logits);
}

/// A chain in llama.cpp's places, attached to a context with one of them.
template <class Chain>
void use_in_llama(Chain c, llama_context* context, std::span<const float> logits) {
    llama_sampler* const sampler = llama::make_sampler(c);
    llama_sampler* const whole = llama::make_chain(c);
    (void)llama::chain_of<Chain>(sampler);
    (void)llama::add_to(whole, c);
    (void)llama::prompt(c, std::span<const llama_token>());
    (void)llama::sample(c, context, -1);
    llama::guided<Chain> by_grammar(c, sampler);
    (void)by_grammar.sample(context, -1);
    (void)by_grammar.sample(logits);
    (void)by_grammar.peek(logits, llama::grammar_use::first);
    (void)by_grammar.accept(1);
    (void)by_grammar.rollback(by_grammar.mark());
    (void)by_grammar.last_status();
    by_grammar.reset();
}

}  // namespace

/// A round in llama.cpp, with a line and with a tree.
template <class Draft, class Chain>
void speculate_in_llama(Chain c, llama_context* context) {
    Draft proposed;
    llama::draft_batch batch;
    speculator<> verifier;
    (void)batch.fill(0, 0, proposed);
    (void)llama::decode(context, batch);
    (void)llama::sample_and_accept_n(c, context, batch.indices(), proposed, verifier);
    const auto round = llama::sample_and_accept_n(c, context, batch.indices(), proposed, rejection{7});
    (void)llama::trim(context, batch, round);
    (void)llama::trim(context, 0, round);
}
void use_llama(llama_context* context, const llama_model* model, llama_sampler* sampler,
               std::span<const float> logits) {
    const vocabulary all = llama::vocabulary_of(model);
    basic_dynamic_chain<llama_exact> late;
    (void)llama::settings_of(model, &all).build(late, &all);
    use_in_llama(chain(logit_bias{}, top_k{}, top_p{}, min_p{}, temperature{}, dist{}), context, logits);
    use_in_llama(chain<fast>(logit_bias{}, top_k{}, top_p{}, temperature{}, dist{}), context, logits);
    use_in_llama(chain<llama_exact>(penalties{}, top_k{}, typical{}, temperature{}, dist{}), context, logits);
    use_in_llama(late, context, logits);
    speculate_in_llama<draft>(chain(top_k{}, dist{}), context);
    speculate_in_llama<draft_tree>(late, context);
    use(llama::stage(sampler) | top_k{} | dist{}, logits);
}

void use_everything(std::span<const float> logits) {
    use_typed<reproducible>(logits);
    use_typed<llama_exact>(logits);
    use(chain<fast>(soft_cap{}, top_k{}, temperature{}, dist{}), logits);
    use(chain<fast>(temperature{}, gumbel{}), logits);
    use_run_time<reproducible>(logits);
    use_run_time<llama_exact>(logits);

    chain_settings settings;
    dynamic_chain built;
    if (settings.read("top_k=40;seed=1")) (void)settings.build(built);

    std::vector<float> combined(logits.size());
    (void)classifier_free_guidance{}.combine(logits, logits, {combined.data(), combined.size()});
    (void)contrastive_decoding{}.combine(logits, logits, {combined.data(), combined.size()});

    std::vector<dynamic_chain> sequences(1);
    token_id tokens[1] = {};
    batch rows;
    (void)rows.sample(sequences, logit_rows(logits.data(), 1, logits.size()), tokens);

#if __has_include(<fmt/format.h>)
    (void)explain(built, logits).to_string();
#endif
#if __has_include(<vulkan/vulkan_core.h>)
    auto c = top_k{} | top_p{} | min_p{} | temperature{} | dist{};
    auto exact = chain<llama_exact>(top_k{}, dist{});
    gpu::device device;
    gpu::sampler<decltype(c)> typed(device, {.vocabulary = 1000});
    gpu::sampler<decltype(exact)> like_llama(device, {.vocabulary = 1000});
    gpu::sampler<dynamic_chain, gpu::dynamic_on_device<>> late(device, {.vocabulary = 1000},
                                                               gpu::dynamic_on_device<>(built));
    (void)typed.sample(c, logits);
    (void)like_llama.sample(exact, logits);
    (void)late.sample(built, logits);
#endif
}
