#pragma once
#include <algorithm>
#include <cstdint>
#include <llama.h>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <riffle/chain/pipeline.hpp>
#include <riffle/core/token.hpp>
#include <riffle/llama/array/run.hpp>
#include <riffle/llama/array/superset_strategy.hpp>
#include <riffle/llama/array/token_array.hpp>
#include <riffle/llama/context.hpp>
#include <riffle/llama/interface.hpp>
#include <riffle/llama/offloading.hpp>

namespace riffle::inline RIFFLE_ABI::llama {

/// What make_sampler may be told.
struct sampler_options {
    /// What llama_sampler_name says; the text must outlive the sampler (a literal does).
    const char* name = "riffle";
    /// The token to choose where none is legal, the end of generation say; null_token = the first candidate.
    token_id fallback = null_token;
    /// Where nothing with a logit above -inf is left, that is as if no token were legal. (Under numerics::llama the
    /// array is llama.cpp's otherwise, whose samplers go on with tokens that are not legal.)
    bool needs_legal = false;
    /// In the graph of a context, none but ggml's own operations. On the processor riffle's are ten times as quick.
    bool only_ggml_operations = false;
};

namespace detail {

/// A chain as the state of a llama_sampler, and the functions that llama.cpp calls.
template <class Chain>
class sampler_of {
public:
    sampler_of(Chain&& chain, const sampler_options& options) noexcept(std::is_nothrow_move_constructible_v<Chain>)
        : chain_(std::move(chain)), options_(options) {}
    /// A clone is attached to no context.
    sampler_of(const sampler_of& other) : chain_(other.chain_), options_(other.options_), came_(other.came_) {}
    sampler_of& operator=(const sampler_of&) = delete;
    ~sampler_of() { forget_clone(); }
    const Chain& chain() const noexcept { return chain_; }
    const sampler_options& options() const noexcept { return options_; }
    offloading& graph() noexcept { return graph_; }
    /// To be changed between two steps. What comes from here on is no prompt.
    Chain& chain_to_change() noexcept {
        forget_clone();
        came_.in_prompt = false;
        return chain_;
    }

    /// The number in [0, 1) that a stage's draw of the next step begins with, in 23 bits. (Where a graph draws, that is
    /// what an apply is elsewhere: the prompt is over.)
    float drawn_by(std::size_t stage) noexcept {
        came_.in_prompt = false;
        decltype(auto) stages = chain_.view();
        const stage_ref& s = stages[stage];
        return float(s.ops->random(s, chain_.state().position()).bits() >> 41) * 0x1p-23f;
    }

    /// Tokens that were not sampled, nor are a prompt's. Why one is refused: it and those behind it are not accepted.
    status accept_forced(std::span<const token_id> tokens) noexcept {
        if (tokens.empty()) return {};
        forget_clone();
        came_ = {.in_prompt = false};
        fell_back_ = false;
        for (const token_id token : tokens) {
            if (!has_room()) return chain_.state().lose_history(), status_code::out_of_memory;
            const status taken = chain_.accept(token).state;
            if (!taken.ok()) return chain_.state().set_status(taken), taken;
        }
        return {};
    }

    /// The token of an output of a context, straight from its logits where no graph has left something for this chain
    /// alone, and nothing accepted: an apply, as far as later calls are concerned.
    token_id peek(llama_context* context, std::int32_t index) noexcept {
        if (graph_.on_backend) return null_token;
        forget_clone();
        came_.in_prompt = fell_back_ = false;
        if (std::exchange(came_.applied, true)) chain_.retry();
        const output found = output_of(context, index);
        if (found.token >= 0) return found.token;
        return has_room() ? peek_output(chain_, found) : null_token;
    }

    // A front (backend.hpp) has the same object. llama.cpp clones the two one after the other, the front first.
    void retain() noexcept { ++owners_; }
    void release() noexcept {
        if (--owners_ == 0) delete this;
    }
    sampler_of* clone_for_front() noexcept {
        sampler_of* const made = copy();
        if (!made) return nullptr;
        forget_clone();
        return clone_ = made;
    }

    static const char* name(const llama_sampler* s) noexcept { return self(s).options_.name; }
    static void accept(llama_sampler* s, llama_token token) noexcept { self(s).accept(token); }
    static void apply(llama_sampler* s, llama_token_data_array* array) noexcept {
        if (array) self(s).apply(*array);
    }
    static void reset(llama_sampler* s) noexcept { self(s).reset(); }
    static llama_sampler* clone(const llama_sampler* s) noexcept {
        if (self(s).clone_) return hold(std::exchange(self(s).clone_, nullptr));
        return hold(self(s).copy());
    }
    static void free(llama_sampler* s) noexcept { self(s).release(); }
    /// What a graph knows of either stays.
    static void copy_state(const llama_sampler* from, llama_sampler* to) noexcept {
        if (from == to) return;
        self(to).forget_clone();
        const status copied = self(to).take(self(from));
        if (!copied.ok()) self(to).chain_.state().set_status(copied);
    }

    /// nullptr where there is no memory.
    static sampler_of* make(Chain&& chain, const sampler_options& options) noexcept {
        RIFFLE_TRY { return new (std::nothrow) sampler_of(std::move(chain), options); }
        RIFFLE_CATCH { return nullptr; }
    }
    /// A llama_sampler that owns it; nullptr for none, or where there is no memory.
    static llama_sampler* hold(sampler_of* held) noexcept {
        llama_sampler* const made = held ? new_sampler(&interface_of<sampler_of>, held) : nullptr;
        if (held && !made) held->release();
        return made;
    }

private:
    static sampler_of& self(const llama_sampler* s) noexcept { return *static_cast<sampler_of*>(s->ctx); }

    /// nullptr where there is no memory for all of it. Copying specs that own memory may throw.
    sampler_of* copy() const noexcept {
        sampler_of* made = nullptr;
        RIFFLE_TRY { made = new (std::nothrow) sampler_of(*this); }
        RIFFLE_CATCH { return nullptr; }
        if (!made || has_whole(made->chain_)) return made;
        made->release();
        return nullptr;
    }
    /// Whether assigning a chain asks for no memory beyond what copies of its stages ask for, and leaves it as it was
    /// where one of those throws.
    static constexpr bool assigns_in_place =
        std::is_nothrow_copy_assignable_v<Chain> ||
        (riffle::detail::is_pipeline<Chain> && std::is_nothrow_move_assignable_v<Chain>);
    /// The other's chain in the place of this one's: all of it or, where there is no memory, nothing.
    status take(const sampler_of& from) noexcept {
        const chain_state& other = from.chain_.state();
        const bool has_room = chain_.state().tokens().has_room_for(other.tokens());
        if constexpr (assigns_in_place)
            if (has_room) {
                RIFFLE_TRY { chain_ = from.chain_; }
                RIFFLE_CATCH { return status_code::out_of_memory; }
                came_ = from.came_;
                return {};
            }
        if (!has_room && chain_.state().has_storage()) return status_code::storage_too_small;
        RIFFLE_TRY {
            Chain copied = from.chain_;
            if (!from.has_whole(copied)) return status_code::out_of_memory;
            riffle::detail::storage warm;  // its scratch
            const scratch_loan kept(chain_, warm);
            chain_ = std::move(copied);
        }
        RIFFLE_CATCH { return status_code::out_of_memory; }
        came_ = from.came_;
        return {};
    }
    /// Whether a copy of the chain has its history and its stages. Where there is no memory, copies say so themselves.
    bool has_whole(const Chain& copied) const noexcept {
        decltype(auto) stages = chain_.view();
        decltype(auto) copies = copied.view();
        return copied.state().tokens().lost() == chain_.state().tokens().lost() &&
               (copies.check)().code() == (stages.check)().code();
    }
    /// One that the front has made is this one's clone as long as nothing changes.
    void forget_clone() noexcept {
        if (sampler_of* const made = std::exchange(clone_, nullptr)) made->release();
    }
    void accept(token_id token) noexcept {
        forget_clone();
        if (is_accepted_twice(token)) {
            return chain_.state().set_status(
                status::invalid("accept", "token", double(token), "was accepted already", status_code::stage_failed));
        }
        came_.just_accepted = came_.applied ? token : null_token;
        came_.applied = false;
        if (!has_room()) return chain_.state().lose_history();  // nobody can be told here
        const bool is_fallback = std::exchange(fell_back_, false);
        const status taken = came_.in_prompt ? chain_.prompt({&token, 1}) : chain_.accept(token).state;
        if (!taken.ok() && !is_fallback) chain_.state().set_status(taken);  // keeps the reason why there was none
    }
    /// llama_sampler_sample accepts what it gives; many a caller accepts it once more (llama.cpp #12474, #18173). A
    /// grammar would then read a text that is not the one that was written.
    bool is_accepted_twice(token_id token) const noexcept {
        if (token != came_.just_accepted || came_.applied) return false;
        decltype(auto) stages = chain_.view();
        for (std::size_t i = 0; i < stages.size(); ++i)
            if (stages.fact(i).constrains) return true;
        return false;
    }
    void reset() noexcept {
        forget_clone();
        came_ = {};
        chain_.reset();
    }
    /// Applied once more before a token was accepted, llama.cpp's samplers draw anew (a grammar outside the chain may
    /// have refused what came first), and so do riffle's.
    void apply(llama_token_data_array& array) noexcept {
        forget_clone();
        came_.in_prompt = fell_back_ = false;
        if (std::exchange(came_.applied, true)) chain_.retry();
        candidates c = view(array);
        const token_id first = c.data && !c.empty() ? c[0].id : null_token;
        const bool readable = c.data || c.empty();
        if (!readable || !has_room() || !run(c).ok() || (c.empty() && array.size > 0) || !has_legal(c))
            fall_back(first, array, c);
        write(c, array);
    }
    /// For the token that is accepted next. The chain's status says where there is none.
    bool has_room() noexcept {
        const status room = chain_.state().make_room(chain_.view(), 1);
        if (!room.ok()) chain_.state().set_status(room);
        return room.ok();
    }
    bool has_legal(const candidates& c) noexcept {
        const auto is_legal = [](const token_data& token) { return token.logit > illegal_logit; };
        if (!options_.needs_legal || c.empty() || std::any_of(c.begin(), c.end(), is_legal)) return true;
        chain_.state().set_status(status_code::no_legal_token);
        return false;
    }
    /// The whole chain, or what is left to do of it behind what a context's graph has done.
    status run(candidates& c) noexcept {
        const bool on_processor = std::exchange(graph_.met_on_processor, false);
        if (!graph_.on_backend || on_processor || !graph_.serves) return detail::apply(chain_, c);
        if (graph_.verbatim == 0)
            return c.size == graph_.set.size ? superset_strategy(chain_, graph_).apply(c) : detail::apply(chain_, c);
        const bool is_from_elsewhere = graph_.narrows && c.size >= std::size_t(graph_.row_size);
        return is_from_elsewhere ? detail::apply(chain_, c) : apply_from(chain_, graph_.verbatim, c);
    }
    /// What the array holds where nothing can be chosen from it: one illegal candidate, since llama.cpp aborts where
    /// there are none, and where llama_sampler_sample finds nothing selected.
    void fall_back(token_id first, const llama_token_data_array& array, candidates& c) noexcept {
        fell_back_ = true;
        c = view(array);
        c.selected = -1;
        if (!c.data || c.empty()) return;
        c[0] = {options_.fallback >= 0 ? options_.fallback : first, illegal_logit, 0.0f};
        c.size = 1;
        c.sorted = false;
        decltype(auto) stages = chain_.view();
        if (stages.has_selector()) c.selected = 0;
    }

    /// Which calls have come; llama.cpp itself does not say what a token is part of.
    struct calls {
        bool applied = false;                 ///< since the last token
        bool in_prompt = true;                ///< it was not applied since it was made, or reset
        token_id just_accepted = null_token;  ///< the last token, where it is the first since the chain was applied
    };

    Chain chain_;
    sampler_options options_;
    bool fell_back_ = false;  ///< what it left is no choice
    calls came_;
    int owners_ = 1;
    sampler_of* clone_ = nullptr;  ///< of which the front's clone is an owner already
    offloading graph_;
};

/// A chain of whatever make_sampler was given, a stage or a chain.
template <class T>
auto as_chain(T given) {
    if constexpr (requires { given.view(); }) return given;
    else return riffle::chain(std::move(given));
}
template <class T>
using chain_type = decltype(as_chain(std::declval<T>()));

}  // namespace detail

/// A chain, or a single stage, as a llama_sampler: for llama_sampler_chain_add at any place, or for
/// llama_sampler_sample and the other functions alone. Whoever has it frees it (llama_sampler_free), a llama.cpp chain
/// that it was added to included.
///
///     llama_sampler_chain_add(chain, riffle::llama::make_sampler(with<llama_exact>(top_k{40} | temperature{0.8f})));
///
/// Under numerics::llama it leaves in the array of candidates what llama.cpp's samplers leave there: order, logits,
/// size, sorted and selected bit for bit, p to 1e-6, NaN where it makes some (what it leaves undefined, sorting NaN, is
/// done with -inf in its place). Otherwise it leaves what the chain's apply leaves, with p over all candidates that are
/// left, where the chain has a selector; it trusts no `sorted` that does not hold for ties by ascending id, and keeps a
/// token selected that was when it came in.
///
/// An array that is a row (at least 1024 candidates in the order of ids, unsorted) is read by riffle's passes: its
/// logits are copied out, O(V), and beyond that the cost is that of the chain on a row, and of writing all candidates
/// back where a selector leaves them all. The first call for a vocabulary allocates; after that none does.
/// (llama_sampler_sample fills such an array in any case, and allocates it anew each time for a sampler that stands
/// alone: one in a llama.cpp chain, make_chain's say, is quicker. riffle::llama::sample has none of that.)
///
/// Nothing throws and nothing aborts. Where no token is legal, or a parameter has no meaning, one candidate is left
/// with a logit of -inf (sampler_options::fallback says which token), selected where the chain has a selector; chain_of
/// says why. An empty array stays as it is. Copies (llama_sampler_clone, llama_sampler_copy) go on as the original
/// would. Where there is no memory nullptr comes back, or llama_sampler_copy leaves the sampler as it was, and
/// last_status() of its chain says out_of_memory; where there is none for a token that is accepted, which no step has
/// made room for, each step from then on says so until the sampler is reset.
///
/// A token that a stage refuses is not accepted, and last_status() of the chain says so (llama_sampler_accept cannot).
/// llama.cpp does not say which tokens are a prompt's: those that are accepted before the first apply (or draw in a
/// context's graph) after making or resetting the sampler count as the prompt. A grammar ignores them, and the tokens
/// are those of riffle::llama::prompt and sample.
///
/// llama_sampler_sample accepts its token itself, yet many callers accept it once more: in a chain with a constraint
/// that second accept is refused. A run of forced tokens, which may begin with the token just sampled, is accepted with
/// accept_forced.
template <class Chain>
llama_sampler* make_sampler(Chain chain, const sampler_options& options = {}) noexcept {
    using held = detail::sampler_of<detail::chain_type<Chain>>;
    RIFFLE_TRY { return held::hold(held::make(detail::as_chain(std::move(chain)), options)); }
    RIFFLE_CATCH { return nullptr; }
}

/// Accepts tokens that were not sampled and are no prompt's, as those of grammar_matcher::forced_run: none counts as a
/// token that is accepted twice, nor one before the first apply as a prompt's. `Chain` as for chain_of. Why one is
/// refused: it and those behind it are not accepted; invalid_parameter for other samplers.
template <class Chain>
status accept_forced(llama_sampler* sampler, std::span<const token_id> tokens) noexcept {
    using held = detail::sampler_of<Chain>;
    if (!sampler || sampler->iface != &detail::interface_of<held>)
        return status::invalid("accept_forced", "sampler", 0, "is not one of such a chain");
    return static_cast<held*>(sampler->ctx)->accept_forced(tokens);
}

/// The token that llama_sampler_sample would give for an output of an evaluated context, straight from the context's
/// logits: no candidate for every token in between. Nothing is accepted (llama_sampler_accept does that). null_token
/// where no token is legal, for chains that run in the context's graph, and for other samplers than those of `Chain`,
/// which is as for chain_of: llama_sampler_sample then has an answer.
template <class Chain>
token_id peek(llama_sampler* sampler, llama_context* context, std::int32_t index) noexcept {
    using held = detail::sampler_of<Chain>;
    if (!sampler || sampler->iface != &detail::interface_of<held>) return null_token;
    return static_cast<held*>(sampler->ctx)->peek(context, index);
}

/// The chain in a sampler that make_sampler made of such a chain (of chain(stage) where it was given a stage), to look
/// at last_status() or replays(); nullptr for other samplers, those made in another shared object among them. Valid as
/// long as the sampler.
template <class Chain>
const Chain* chain_of(const llama_sampler* sampler) noexcept {
    using held = detail::sampler_of<Chain>;
    if (!sampler || sampler->iface != &detail::interface_of<held>) return nullptr;
    return &static_cast<const held*>(sampler->ctx)->chain();
}

/// Calls change(chain) with the chain in a sampler, `Chain` as for chain_of, so that its stages can be changed between
/// two steps; false, and no call, for other samplers. From then on the text is no prompt any more.
template <class Chain, class Change>
bool change_chain(llama_sampler* sampler, Change change) {
    using held = detail::sampler_of<Chain>;
    if (!sampler || sampler->iface != &detail::interface_of<held>) return false;
    change(static_cast<held*>(sampler->ctx)->chain_to_change());
    return true;
}

}  // namespace riffle::llama
