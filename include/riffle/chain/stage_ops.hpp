#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/chain/stage_type.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/last_choice.hpp>
#include <riffle/core/context.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/history.hpp>
#include <riffle/core/id_check.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/core/numbers_in_bytes.hpp>
#include <riffle/core/row.hpp>
#include <riffle/core/softmax_statistics.hpp>
#include <riffle/core/status.hpp>
#include <riffle/wide/moments.hpp>
#include <riffle/wide/pick.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

class full_row;
enum class row_answer : std::uint8_t;

}  // namespace riffle::exact

namespace riffle::inline RIFFLE_ABI {

struct stage_ops;

/// One stage of a chain, as a machine meets it: what can be asked of its type, and where it lies. Valid as long as the
/// chain stays where it is.
struct stage_ref {
    const stage_ops* ops = nullptr;
    void* spec = nullptr;         ///< the stage as the user wrote it
    void* state = nullptr;        ///< what the chain keeps for it (chain/stage_state.hpp)
    std::uint8_t occurrence = 0;  ///< how many stages with random numbers of its kind stand ahead of it
};

/// A function that a table may lack; whether it does can be asked while compiling. (Of a pointer it cannot: under
/// -fsanitize=undefined g++ takes no function's address for a constant that differs from null, GCC PR 71962.)
template <class Function>
class optional_function {
public:
    constexpr optional_function() noexcept = default;
    constexpr optional_function(Function* function) noexcept : function_(function), is_there_(true) {}
    constexpr explicit operator bool() const noexcept { return is_there_; }
    constexpr operator Function*() const noexcept { return function_; }

private:
    Function* function_ = nullptr;
    bool is_there_ = false;
};

/// The door between a machine and a stage: what can be asked of one type of stage under one chain's policies, as a
/// constant table of functions. A machine knows plans and passes and never a sampler; a chain of types, one put
/// together at run time and one behind any_pipeline are lists of stage_ref to it.
///
/// Every function takes the stage first. One is null where the stage's facts do not ask for it; where they do and the
/// stage has no such member, the table does not compile (chain/stage_contract.hpp). None throws. They are called a few
/// times a step each: whatever touches logits in number lies behind one call.
struct stage_ops {
    const char* name = "stage";
    facts fact{};
    const detail::stage_type& (*type)() noexcept = nullptr;
    std::uint8_t kind = 0;          ///< of its random numbers (stream_kind)
    std::size_t state_in_mark = 0;  ///< bytes of its state in a checkpoint
    std::uint32_t layout = 0;       ///< hash of what a checkpoint of it looks like
    bool is_named = false;          ///< has a name of its own, by which a file knows it again
    bool is_read_again = false;     ///< its marks mean nothing without the text: a file has none of it

    // What it says of its parameters.

    /// The first without meaning, or ok. Null: all have one.
    optional_function<status(const stage_ref&) noexcept> check;
    /// The first id among them that no vocabulary of that size has, or ok. Null: there are no ids.
    status (*check_at_setup)(const stage_ref&, const id_check& known) noexcept = nullptr;
    /// How many accepted tokens it looks back on, -1 = all. Null: on none.
    optional_function<std::int32_t(const stage_ref&) noexcept> window;
    /// The bytes of the text that may come next. Null: any.
    byte_set (*expected_bytes)(const stage_ref&) noexcept = nullptr;
    /// Bytes that it needs in context::spare() for so many candidates. Null: none.
    std::size_t (*spare_bytes)(const stage_ref&, std::size_t candidates) noexcept = nullptr;

    // Candidates: every stage has this verb, and so can stand anywhere.

    status_code (*narrow)(const stage_ref&, candidates&, const context&) noexcept = nullptr;

    // The row, ahead of the first stage that narrows.

    /// edits, dense_edits: changes logits.
    void (*edit)(const stage_ref&, detail::row&, const context&) noexcept = nullptr;
    /// maps: every logit, in the row's private copy. Null where no plan of the chain writes maps out.
    void (*rewrite)(const stage_ref&, detail::row&) noexcept = nullptr;
    /// maps: one logit. Null where rewrite is.
    float (*map)(const stage_ref&, float logit) noexcept = nullptr;
    /// adjusts: whether it does anything at this position.
    bool (*adjusts_now)(const stage_ref&, const draw_position&) noexcept = nullptr;
    /// adjusts: changes logits, where adjusts_now; given the maxima of the row's blocks, one each, and of the row.
    void (*adjust)(const stage_ref&, detail::row&, const float* block_maxima, float maximum) noexcept = nullptr;

    // The row, as the first stage that narrows.

    /// narrows: whether it does with its present parameters. Null for a stage that masks: its legal tokens tell.
    bool (*narrows_now)(const stage_ref&) noexcept = nullptr;
    /// rank: how many it keeps. head: how many it has to see.
    std::size_t (*rank)(const stage_ref&) noexcept = nullptr;
    /// threshold, deviation, mass, likelihood: at least 1. Null: 1.
    std::size_t (*keeps_at_least)(const stage_ref&) noexcept = nullptr;
    /// threshold, deviation: the least logit that is kept, given the greatest and the moments.
    float (*cut)(const stage_ref&, float maximum, const moments&) noexcept = nullptr;
    /// mass: what the masses of those kept must exceed together.
    std::uint64_t (*target)(const stage_ref&, std::uint64_t total, const context&) noexcept = nullptr;
    /// likelihood: the least logit that is kept, given the softmax statistics of all.
    float (*cut_by_softmax)(const stage_ref&, const softmax_statistics&) noexcept = nullptr;
    /// searched: keeps what it keeps, given all candidates from the logit `floor` up. False, and nothing done, where
    /// those are not enough to tell.
    bool (*keep)(const stage_ref&, candidates&, const softmax_statistics&, float floor) noexcept = nullptr;
    /// head: how many it keeps, given the first in rank, which it may put in order.
    std::size_t (*rank_of_head)(const stage_ref&, const softmax_statistics&, candidates& head) noexcept = nullptr;
    /// legal: what it leaves legal. Asked once a step, ahead of everything else.
    optional_function<legal_tokens(const stage_ref&, const context&) noexcept> legal;

    // Selectors.

    /// draws: its random numbers at a position. Null: it has none.
    draws (*random)(const stage_ref&, const draw_position&) noexcept = nullptr;
    /// Gives candidates the logits of the distribution that the stage draws by. Null: they have them already.
    void (*prepare)(const stage_ref&, candidates&) noexcept = nullptr;
    /// Selects among candidates that it, or nobody, has narrowed.
    void (*choose)(const stage_ref&, candidates&, const context&) noexcept = nullptr;
    /// by_own_distribution: leaves the weights that the stage draws by in the bits of p, whatever the order, and
    /// answers their sum; the logits stay, and `of_all` becomes their softmax statistics. Null: draws by the mass of
    /// the logits that prepare leaves.
    std::uint64_t (*weigh)(const stage_ref&, candidates&, softmax_statistics& of_all) noexcept = nullptr;
    /// by_own_distribution: a candidate as it is chosen, of a logit ahead of the stage: with the logit of its own
    /// distribution, and in p the probability that the token had before.
    token_data (*shaped)(const stage_ref&, const softmax_statistics& of_all, token_id, float logit) noexcept = nullptr;
    /// by_own_distribution: the mass of its distribution over a row without maps, given the softmax statistics of the
    /// row, and in `masses` that of each block.
    wide::shaped_mass (*shaped_mass)(const stage_ref&, const detail::row&, const float* block_maxima,
                                     const softmax_statistics&, std::uint64_t* masses) noexcept = nullptr;
    /// by_own_distribution: weights of logits of such a row, as folded_passes::weigh_logits.
    void (*weigh_shaped)(const stage_ref&, const softmax_statistics&, const float* logits, std::size_t count,
                         float maximum, std::uint32_t* weights) noexcept = nullptr;

    // numerics::llama.

    /// On a row of which every token is there (exact/form.hpp). Null: it has no such form.
    exact::row_answer (*apply_to_row)(const stage_ref&, exact::full_row&, candidates& found,
                                      const context&) noexcept = nullptr;

    // What it keeps from token to token.

    /// Whether it takes the token next, without taking it: ok, or why not. Null: it takes all, or may_refuse.
    optional_function<status(const stage_ref&, token_id, token_origin, const history& tokens) noexcept> can_accept;
    /// `last` is what was chosen before a generated token, nullptr for a prompt's; `tokens` has the token already.
    /// Null: it learns nothing.
    optional_function<step(const stage_ref&, token_id, const last_choice* last, const history& tokens) noexcept> accept;
    bool may_refuse = false;  ///< a failure of accept says that the token was not taken
    void (*reset)(const stage_ref&) noexcept = nullptr;
    /// Its generator becomes that of another sequence. Null: it has none of its own.
    void (*fork)(const stage_ref&, std::uint16_t sequence) noexcept = nullptr;
    /// state_in_mark bytes. Null where those are none. Going back may fail, and has then done nothing.
    void (*save)(const stage_ref&, std::byte* to) noexcept = nullptr;
    status (*restore)(const stage_ref&, const std::byte* from) noexcept = nullptr;

    /// What it keeps beside its marks, in numbers of 32 bits. Null: nothing. What is read is changed only where
    /// `changes`; false where the numbers mean nothing.
    std::size_t (*numbers_beside_mark)(const stage_ref&) noexcept = nullptr;
    void (*write)(const stage_ref&, detail::file_writer& to) noexcept = nullptr;
    bool (*read)(const stage_ref&, const detail::bytes_of_file& from, bool changes) noexcept = nullptr;

    // For a machine elsewhere that leaves tokens out (chain/superset.hpp).

    /// Whether it surely does nothing with its present parameters.
    bool (*does_nothing)(const stage_ref&) noexcept = nullptr;
    /// Whether a token outside a set of the greatest logits surely stays below that set.
    bool (*keeps_below)(const stage_ref&) noexcept = nullptr;
    /// How many of the greatest logits it is to be given; 0 or null: no number will do.
    std::size_t (*superset)(const stage_ref&) noexcept = nullptr;
};

namespace detail {

/// The occurrence of stage i of a chain: how many of those ahead of it draw and are of its kind. ops_at(j) is the table
/// of stage j. (For chains of types and for those put together at run time, whose tokens are one.)
template <class OpsAt>
constexpr std::uint8_t occurrence_of(std::size_t i, OpsAt ops_at) noexcept {
    std::uint8_t count = 0;
    for (std::size_t j = 0; j < i; ++j)
        count = std::uint8_t(count + (ops_at(j).fact.draws && ops_at(j).kind == ops_at(i).kind));
    return count;
}

}  // namespace detail

/// The stage as a user wrote it, if it is of that type; else nullptr.
template <class S>
S* spec_as(const stage_ref& s) noexcept {
    return s.ops->type() == detail::type_of<S>() ? static_cast<S*>(s.spec) : nullptr;
}

}  // namespace riffle
