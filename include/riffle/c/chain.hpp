#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <riffle/c/constraint.hpp>
#include <riffle/c/problem.hpp>
#include <riffle/c/vocabulary.hpp>
#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/riffle.h>
#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

namespace riffle::inline RIFFLE_ABI::c {

/// What a handle asks of a chain, whatever its numerics.
class any_chain {
public:
    virtual ~any_chain() = default;
    /// nullptr where there is no memory; may throw std::bad_alloc.
    virtual any_chain* clone() const = 0;
    virtual token_id sample(std::span<const float> logits) noexcept = 0;
    virtual token_id peek(std::span<const float> logits) noexcept = 0;
    virtual status last_status() const noexcept = 0;
    virtual step last_step() const noexcept = 0;
    virtual step accept(token_id token) noexcept = 0;
    virtual status prompt(std::span<const token_id> tokens) noexcept = 0;
    virtual status rewind(std::size_t count) noexcept = 0;
    virtual void reset() noexcept = 0;
    virtual any_constraint& constraint() noexcept = 0;
};

template <class Policies>
class chain_of : public any_chain {
public:
    using chain_type = basic_dynamic_chain<Policies>;

    chain_type chain;  ///< its first stage is the constraint

    any_chain* clone() const override {
        chain_of* const copy = new chain_of(*this);
        if (is_whole(copy->chain)) return copy;
        delete copy;
        return nullptr;
    }
    token_id sample(std::span<const float> logits) noexcept override { return chain.sample(logits); }
    token_id peek(std::span<const float> logits) noexcept override { return chain.peek(logits); }
    status last_status() const noexcept override { return chain.last_status(); }
    step last_step() const noexcept override { return chain.last_step(); }
    step accept(token_id token) noexcept override { return chain.accept(token); }
    /// All of them or none.
    status prompt(std::span<const token_id> tokens) noexcept override {
        for (const token_id token : tokens)
            if (token < 0) return status_code::not_a_token;
        return chain.prompt(tokens);
    }
    status rewind(std::size_t count) noexcept override { return chain.rewind(count); }
    void reset() noexcept override { chain.reset(); }
    any_constraint& constraint() noexcept override {
        return chain.template get_if<constrain<any_constraint>>(0)->matcher;
    }

private:
    /// Whether a copy has this chain's stages and history: where there is no memory for them, copies say so themselves.
    bool is_whole(const chain_type& copy) const noexcept {
        decltype(auto) stages = chain.view();
        decltype(auto) copies = copy.view();
        return copy.state().tokens().lost() == chain.state().tokens().lost() &&
               (copies.check)().code() == (stages.check)().code();
    }
};

/// Puts the constraint of a text of settings in the place of a chain's first stage.
class constrain_slot {
public:
    constrain_slot(const riffle_vocabulary* vocabulary, riffle_problem* problem) noexcept
        : vocabulary_(vocabulary), problem_(problem) {}

    template <class Chain>
    status operator()(const text& source, const vocabulary*, Chain& chain) {
        return push(riffle_constraint_new_gbnf(vocabulary_, source.data(), source.size(), problem_), chain);
    }
    template <class Chain>
    status by_json_schema(const text& source, const vocabulary*, Chain& chain) {
        return push(riffle_constraint_new_json_schema(vocabulary_, source.data(), source.size(), problem_), chain);
    }
    /// Whether the problem was told already.
    bool has_told() const noexcept { return has_told_; }

private:
    template <class Chain>
    status push(riffle_constraint* made, Chain& chain) {
        has_told_ = !made;
        if (!made) return status::invalid("settings", "constraint", 0, "cannot be read");
        const any_constraint matcher = made->matcher;
        riffle_constraint_free(made);
        return chain.push(constrain{matcher});
    }
    const riffle_vocabulary* vocabulary_;
    riffle_problem* problem_;
    bool has_told_ = false;
};

template <class Policies>
any_chain* chain_of_settings(const chain_settings& settings, const riffle_vocabulary* vocabulary,
                             riffle_problem* problem) {
    chain_of<Policies>* const made = new chain_of<Policies>();
    const bool has_constraint = !settings.grammar.empty() || !settings.json_schema.empty();
    constrain_slot slot(vocabulary, problem);
    RIFFLE_TRY {
        status built = has_constraint ? status() : made->chain.push(constrain{any_constraint()});
        if (built.ok()) built = settings.build(made->chain, vocabulary ? &vocabulary->data->words : nullptr, slot);
        if (built.ok()) return made;
        if (!slot.has_told()) tell(problem, built);
    }
    RIFFLE_CATCH { tell(problem, riffle_out_of_memory, "out of memory"); }
    delete made;
    return nullptr;
}

}  // namespace riffle::c

struct riffle_chain {
    riffle::c::any_chain* chain = nullptr;
    riffle::c::shared_vocabulary vocabulary;  ///< which its stages may refer to
    mutable char problem[256] = {};

    riffle_chain(riffle::c::any_chain* of, const riffle::c::shared_vocabulary& words) noexcept
        : chain(of), vocabulary(words) {}
    riffle_chain(const riffle_chain&) = delete;
    riffle_chain& operator=(const riffle_chain&) = delete;
    ~riffle_chain() { delete chain; }

    std::int32_t answer(const riffle::status& of) const noexcept {
        riffle::c::write_sentence(problem, sizeof problem, of.ok() ? "" : of.message().c_str());
        return std::int32_t(of.code());
    }
    std::int32_t refuse_argument() const noexcept {
        riffle::c::write_sentence(problem, sizeof problem, riffle_code_text(riffle_bad_argument));
        return riffle_bad_argument;
    }
    /// What is asked of the constraint needs its mask, for which there may be no memory.
    std::int32_t answer_of_mask() const noexcept {
        const riffle::status can = (chain->constraint().check)();
        return answer(can == riffle::status_code::out_of_memory ? can : riffle::status());
    }
    /// Of a token that was chosen, or none.
    std::int32_t answer_token(riffle::token_id chosen, riffle_token* token) noexcept {
        *token = chosen;
        return answer(chosen == riffle::null_token ? chain->last_status() : riffle::status());
    }
};

extern "C" {

riffle_chain* riffle_chain_new(const char* settings, const riffle_vocabulary* vocabulary,
                               const riffle_chain_options* options, riffle_problem* problem) {
    using namespace riffle;
    if (!settings || (options && !c::has_size(options)))
        return c::tell(problem, riffle_bad_argument, "there are no settings, or options without a size"), nullptr;
    const std::int32_t numbers = c::read(options).numerics;
    if (numbers != riffle_reproducible && numbers != riffle_llama)
        return c::tell(problem, riffle_bad_argument, "there are no such numerics"), nullptr;
    RIFFLE_TRY {
        chain_settings read;
        if (!read.read(settings)) return c::tell(problem, riffle_cannot_be_read, read.problem().c_str()), nullptr;
        c::any_chain* const made = numbers == riffle_llama
                                       ? c::chain_of_settings<llama_exact>(read, vocabulary, problem)
                                       : c::chain_of_settings<reproducible>(read, vocabulary, problem);
        if (!made) return nullptr;
        riffle_chain* const handle =
            new (std::nothrow) riffle_chain(made, vocabulary ? vocabulary->data : c::shared_vocabulary());
        if (!handle) delete made;
        c::tell(problem, handle ? riffle_ok : riffle_out_of_memory, handle ? "" : "out of memory");
        return handle;
    }
    RIFFLE_CATCH { return c::tell(problem, riffle_out_of_memory, "out of memory"), nullptr; }
}
riffle_chain* riffle_chain_clone(const riffle_chain* chain) {
    if (!chain) return nullptr;
    RIFFLE_TRY {
        riffle::c::any_chain* const copy = chain->chain->clone();
        if (!copy) return nullptr;
        riffle_chain* const made = new (std::nothrow) riffle_chain(copy, chain->vocabulary);
        if (!made) delete copy;
        return made;
    }
    RIFFLE_CATCH { return nullptr; }
}
void riffle_chain_free(riffle_chain* chain) { delete chain; }
const char* riffle_chain_problem(const riffle_chain* chain) {
    return chain ? chain->problem : riffle_code_text(riffle_bad_argument);
}

std::int32_t riffle_chain_prompt(riffle_chain* chain, const riffle_token* tokens, std::size_t count) {
    if (!chain) return riffle_bad_argument;
    if (count > 0 && !tokens) return chain->refuse_argument();
    return chain->answer(chain->chain->prompt({tokens, count}));
}
std::int32_t riffle_chain_sample(riffle_chain* chain, const float* logits, std::size_t count, riffle_token* token) {
    if (!chain) return riffle_bad_argument;
    if (!token || (count > 0 && !logits)) return chain->refuse_argument();
    return chain->answer_token(chain->chain->sample({logits, count}), token);
}
std::int32_t riffle_chain_peek(riffle_chain* chain, const float* logits, std::size_t count, riffle_token* token) {
    if (!chain) return riffle_bad_argument;
    if (!token || (count > 0 && !logits)) return chain->refuse_argument();
    return chain->answer_token(chain->chain->peek({logits, count}), token);
}
std::int32_t riffle_chain_accept(riffle_chain* chain, riffle_token token) {
    if (!chain) return riffle_bad_argument;
    const riffle::step taken = chain->chain->accept(token);
    return chain->answer(taken.refused ? taken.state : riffle::status());  // a stage's remark is no failure
}
std::int32_t riffle_chain_rewind(riffle_chain* chain, std::size_t count) {
    return chain ? chain->answer(chain->chain->rewind(count)) : riffle_bad_argument;
}
std::int32_t riffle_chain_reset(riffle_chain* chain) {
    if (!chain) return riffle_bad_argument;
    chain->chain->reset();
    return chain->answer({});
}
std::int32_t riffle_chain_last_step(const riffle_chain* chain, riffle_step* last) {
    if (!chain) return riffle_bad_argument;
    if (!riffle::c::has_size(last)) return chain->refuse_argument();
    const riffle::step taken = chain->chain->last_step();
    riffle_step all{};
    all.rewind = taken.rewind;
    all.finished = taken.finished;
    riffle::c::fill(last, all);
    return chain->answer({});
}

std::int32_t riffle_chain_set_constraint(riffle_chain* chain, const riffle_constraint* constraint) {
    if (!chain) return riffle_bad_argument;
    if (!constraint) return chain->refuse_argument();
    chain->chain->constraint().become(constraint->matcher);
    return chain->answer({});
}
std::int32_t riffle_chain_clear_constraint(riffle_chain* chain) {
    if (!chain) return riffle_bad_argument;
    chain->chain->constraint().become({});
    return chain->answer({});
}
std::int32_t riffle_chain_restart_constraint(riffle_chain* chain) {
    if (!chain) return riffle_bad_argument;
    chain->chain->constraint().restart();
    return chain->answer({});
}
std::int32_t riffle_chain_constraint_state(const riffle_chain* chain, riffle_constraint_state* state) {
    if (!chain) return riffle_bad_argument;
    if (!riffle::c::has_size(state)) return chain->refuse_argument();
    if (const std::int32_t code = chain->answer_of_mask(); code != riffle_ok) return code;
    const riffle::c::any_constraint& at = chain->chain->constraint();
    const riffle::legal_tokens legal = at.legal();
    riffle_constraint_state all{};
    all.is_set = at.is_set();
    all.is_complete = at.is_complete();
    all.is_finished = at.is_finished();
    all.leaf = at.trie() ? at.trie()->leaf() : -1;
    all.legal_count = legal.are_all ? std::size_t(-1) : legal.count;
    riffle::c::fill(state, all);
    return riffle_ok;
}
std::int32_t riffle_chain_allows(const riffle_chain* chain, riffle_token token) {
    return chain && chain->chain->constraint().allows(token);
}
std::int32_t riffle_chain_forced_run(const riffle_chain* chain, riffle_token* tokens, std::size_t capacity,
                                     std::size_t* count) {
    if (!chain) return riffle_bad_argument;
    if (!count || (capacity > 0 && !tokens)) return chain->refuse_argument();
    *count = 0;
    if (const std::int32_t code = chain->answer_of_mask(); code != riffle_ok) return code;
    *count = chain->chain->constraint().forced_run({tokens, capacity});
    return riffle_ok;
}
const char* riffle_chain_leaf_name(const riffle_chain* chain) {
    const riffle::trie_matcher* const trie = chain ? chain->chain->constraint().trie() : nullptr;
    return trie && trie->leaf() >= 0 ? trie->leaf_name().data() : "";  // a std::string's, which ends with 0
}
}
