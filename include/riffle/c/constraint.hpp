#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

#include <riffle/c/problem.hpp>
#include <riffle/c/vocabulary.hpp>
#include <riffle/constraint.hpp>
#include <riffle/constraint/recent_places.hpp>
#include <riffle/riffle.h>

#if __has_include(<nlohmann/json.hpp>)
#include <riffle/json_schema.hpp>
#include <riffle/token_trie.hpp>
#endif

namespace riffle::inline RIFFLE_ABI::c {

/// Any of the constraints that the C interface has, or none: the matcher of a chain's first stage.
class any_constraint {
public:
    any_constraint() noexcept = default;
    explicit any_constraint(grammar_matcher of) noexcept : kind_(kind::grammar), grammar_(std::move(of)) { begin(); }
    explicit any_constraint(trie_matcher of) noexcept : kind_(kind::trie), trie_(std::move(of)) { begin(); }

    /// Another one takes its place in the same text: going back behind this is refused.
    void become(const any_constraint& other) noexcept {
        const std::uint32_t generation = places_.now().generation + 1;
        const auto places = places_;
        *this = other;
        places_ = places;
        places_.change({inner_mark(), generation});
    }

    bool is_set() const noexcept { return kind_ != kind::none; }
    /// nullptr where it is no trie.
    const trie_matcher* trie() const noexcept { return kind_ == kind::trie ? &trie_ : nullptr; }

    status(check)() const noexcept { return kind_ == kind::grammar ? (grammar_.check)() : status(); }
    legal_tokens legal() const noexcept {
        return kind_ == kind::grammar ? grammar_.legal() : kind_ == kind::trie ? trie_.legal() : legal_tokens::all();
    }
    bool allows(token_id token) const noexcept {
        if (token < 0) return false;
        return kind_ == kind::grammar ? grammar_.allows(token) : kind_ != kind::trie || trie_.allows(token);
    }
    status can_accept(token_id token) const noexcept {
        return kind_ == kind::grammar ? grammar_.can_accept(token)
               : kind_ == kind::trie  ? trie_.can_accept(token)
                                      : status();
    }
    step accept(token_id token) noexcept {
        const step taken = kind_ == kind::grammar ? grammar_.accept(token)
                           : kind_ == kind::trie  ? trie_.accept(token)
                                                  : step();
        if (!taken.refused) places_.push({inner_mark(), places_.now().generation});
        return taken;
    }
    void reset() noexcept {
        grammar_.reset();
        trie_.reset();
        begin();
    }
    std::uint64_t mark() const noexcept { return places_.mark(); }
    status rollback(std::uint64_t mark) noexcept {
        status can = places_.can_go_to(mark);
        if (!can.ok()) return can;
        const place& to = places_.at(mark);
        if (to.generation != places_.now().generation) return status_code::mark_unknown;
        if (kind_ == kind::grammar) can = grammar_.rollback(to.inner);
        if (kind_ == kind::trie) can = trie_.rollback(to.inner);
        if (can.ok()) places_.go_to(mark);
        return can;
    }
    bool is_complete() const noexcept {
        return kind_ == kind::grammar ? grammar_.is_complete() : kind_ != kind::trie || trie_.is_complete();
    }
    bool is_finished() const noexcept {
        return kind_ == kind::grammar ? grammar_.is_finished() : kind_ == kind::trie && trie_.is_finished();
    }
    std::size_t forced_run(std::span<token_id> into) const noexcept {
        return kind_ == kind::grammar ? grammar_.forced_run(into) : kind_ == kind::trie ? trie_.forced_run(into) : 0;
    }
    /// To the beginning of its text: going back behind this is refused.
    void restart() noexcept {
        grammar_.reset();
        trie_.reset();
        places_.change({inner_mark(), places_.now().generation + 1});
    }

private:
    enum class kind : std::uint8_t { none, grammar, trie };
    struct place {
        std::uint64_t inner = 0;
        std::uint32_t generation = 0;  ///< how often another one took its place, or it began anew
    };

    void begin() noexcept { places_.begin({inner_mark(), 0}); }
    std::uint64_t inner_mark() const noexcept {
        return kind_ == kind::grammar ? grammar_.mark() : kind_ == kind::trie ? trie_.mark() : 0;
    }

    kind kind_ = kind::none;
    grammar_matcher grammar_;
    trie_matcher trie_;
    riffle::detail::recent_places<place> places_;
};

}  // namespace riffle::c

struct riffle_constraint {
    riffle::c::any_constraint matcher;
};

namespace riffle::inline RIFFLE_ABI::c {

inline riffle_constraint* constraint_of(const parsed<grammar>& read, const riffle_vocabulary* vocabulary,
                                        riffle_problem* problem) {
    if (!read) return tell(problem, read.problem()), nullptr;
    grammar_matcher matcher(*read, vocabulary->data->trie);
    const status usable = (matcher.check)();
    if (!usable.ok()) return tell(problem, usable), nullptr;
    tell(problem, riffle_ok, "");
    return new riffle_constraint{any_constraint(std::move(matcher))};
}
/// make(text) makes a constraint of a text that is there.
template <class Make>
riffle_constraint* make_constraint(const riffle_vocabulary* vocabulary, const char* source, std::size_t size,
                                   riffle_problem* problem, Make make) noexcept {
    if (!vocabulary || !source)
        return tell(problem, riffle_bad_argument, "there is no vocabulary, or no text"), nullptr;
    RIFFLE_TRY { return make(text(source, size)); }
    RIFFLE_CATCH { return tell(problem, riffle_out_of_memory, "out of memory"), nullptr; }
}

}  // namespace riffle::c

extern "C" {

riffle_constraint* riffle_constraint_new_gbnf(const riffle_vocabulary* vocabulary, const char* grammar,
                                              std::size_t size, riffle_problem* problem) {
    return riffle::c::make_constraint(vocabulary, grammar, size, problem, [&](const riffle::text& source) {
        return riffle::c::constraint_of(riffle::parse_gbnf(source), vocabulary, problem);
    });
}
riffle_constraint* riffle_constraint_new_json_schema(const riffle_vocabulary* vocabulary, const char* schema,
                                                     std::size_t size, riffle_problem* problem) {
    return riffle::c::make_constraint(
        vocabulary, schema, size, problem, [&]([[maybe_unused]] const riffle::text& source) {
#if __has_include(<nlohmann/json.hpp>)
            return riffle::c::constraint_of(riffle::compile_json_schema(source), vocabulary, problem);
#else
        return riffle::c::tell(problem, riffle_not_built_in, riffle_code_text(riffle_not_built_in)),
               static_cast<riffle_constraint*>(nullptr);
#endif
        });
}
riffle_constraint* riffle_constraint_new_token_trie(const riffle_vocabulary* vocabulary, const char* payload,
                                                    std::size_t size, [[maybe_unused]] const char* path,
                                                    riffle_problem* problem) {
    return riffle::c::make_constraint(
        vocabulary, payload, size, problem, [&]([[maybe_unused]] const riffle::text& source) -> riffle_constraint* {
#if __has_include(<nlohmann/json.hpp>)
            using namespace riffle;
            const parsed<token_trie> read = parse_token_trie(source, vocabulary->data->words);
            if (!read) return c::tell(problem, read.problem()), nullptr;
            trie_matcher matcher(*read);
            const status selected = path ? (matcher.select)(path) : (matcher.select)(0);
            if (!path && read->size() != 1)
                return c::tell(problem, riffle_invalid_parameter,
                               "the payload has several descriptors: name one by its path"),
                       nullptr;
            if (!selected.ok()) return c::tell(problem, selected), nullptr;
            c::tell(problem, riffle_ok, "");
            return new riffle_constraint{c::any_constraint(matcher)};
#else
            return riffle::c::tell(problem, riffle_not_built_in, riffle_code_text(riffle_not_built_in)), nullptr;
#endif
        });
}
riffle_constraint* riffle_constraint_clone(const riffle_constraint* constraint) {
    return constraint ? new (std::nothrow) riffle_constraint(*constraint) : nullptr;
}
void riffle_constraint_free(riffle_constraint* constraint) { delete constraint; }
}
