// Drafts of all drafters and of none, their laws, ends and rows, through every verifier: a round that fails changes
// nothing, and one that does not gives tokens that the chain could have given, and has accepted.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>
#include <riffle/speculative.hpp>

#include "chain/same_place.hpp"
#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace drafting {
namespace {

using namespace riffle;
using tokens = std::vector<token_id>;

constexpr std::size_t words = 12;

// ---- rows and texts

/// Rows of a round: a few of them over and over, one of which may be empty, masked or full of NaN.
struct all_rows {
    std::vector<std::vector<float>> few;
    std::span<const float> operator()(std::size_t i) const { return few[i % few.size()]; }
};
std::vector<float> row(input& in) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> logits(in.below(16) == 0 ? in.below(2 * words) : words);
    const std::size_t kind = in.below(32), step = 1 + in.below(11), offset = in.byte();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const std::size_t place = (i * step + offset) % words;
        logits[i] = kind < 20 ? float(place) / 2.0f : kind < 24 ? 20.0f * float(place == 0) : 0.0f;
        if (kind == 24 && place > 2) logits[i] = -infinity;
        if (kind == 25) logits[i] = place % 2 ? nan : float(place);
        if (kind == 26) logits[i] = place == 1 ? infinity : -float(place);
        if (kind == 27) logits[i] = -infinity;
        if (kind == 28) logits[i] = in.number<float>();
    }
    return logits;
}
all_rows rows(input& in) {
    all_rows made;
    for (std::size_t i = 1 + in.below(5); i > 0; --i) made.few.push_back(row(in));
    return made;
}
/// A token of the vocabulary mostly.
token_id token(input& in) {
    const std::uint8_t kind = in.byte();
    return kind < 240 ? token_id(kind % words) : kind < 250 ? token_id(words) + kind % 3 : in.number<token_id>();
}
tokens text(input& in, std::size_t most) {
    tokens made(in.below(most + 1));
    for (token_id& one : made) one = token(in);
    return made;
}

// ---- laws

std::vector<token_probability> law(input& in) {
    std::vector<token_probability> made(in.below(6));
    for (token_probability& one : made) {
        one.token = token(in);
        one.p = in.below(4) == 0 ? in.real() : float(in.below(9)) / 8.0f;
    }
    return made;
}
void must_be_law(std::span<const token_probability> of, token_id drafted) {
    if (of.empty()) return;
    float sum = 0.0f, of_drafted = 0.0f;
    for (const token_probability& one : of) {
        must(one.p >= 0.0f && one.p <= 1.0f, "a probability is one");
        sum += one.p;
        of_drafted += one.token == drafted ? one.p : 0.0f;
    }
    must(sum > 0.999f && sum < 1.001f, "a law is normalised");
    must(of_drafted > 0.0f, "what was drafted can come");
}
void push(draft& d, input& in) {
    const token_id drafted = token(in);
    const auto drawn_from = law(in);
    const std::size_t had = d.size();
    const bool is_taken = drawn_from.empty() ? d.push(drafted) : d.push(drafted, drawn_from);
    must(d.size() == had + is_taken, "a token is taken where it is said to be");
    if (!is_taken) return;
    must(d[had] == drafted && drafted >= 0, "it is the token that was given, and one");
    must(d.law(had).size() == drawn_from.size(), "a law has all that it was given");
    must_be_law(d.law(had), drafted);
}
void push(draft_tree& t, input& in) {
    const token_id drafted = token(in);
    const auto drawn_from = law(in);
    const std::int32_t parent = std::int32_t(in.below(t.size() + 3)) - 2;
    const std::size_t had = t.size();
    const std::int32_t node = t.push(parent, drafted, drawn_from);
    must(t.size() == had + (node >= 0), "a node is taken where it is said to be");
    if (node < 0) return must(node == draft_tree::refused, "what is refused says so");
    must(std::size_t(node) == had && t.token(node) == drafted && t.parent(node) == parent,
         "it is the node that was given");
    must(t.depth(node) == t.depth(parent) + 1 && t.child(parent, drafted) >= 0, "a node is behind its parent");
    must_be_law(t.law(node), drafted);
}

// ---- drafters

void must_keep(const draft& d, const tokens& had, std::size_t added, std::size_t most) {
    must(d.size() == had.size() + added, "as many tokens were added as are said");
    must(added == 0 || d.size() <= most, "a draft ends where it should");
    must(std::equal(had.begin(), had.end(), d.tokens().begin()), "what a draft has stays there");
    for (std::size_t i = had.size(); i < d.size(); ++i)
        must(d[i] >= 0 && d.law(i).empty(), "a drafter without a model proposes tokens for certain");
}
template <class Drafter>
void propose(Drafter& drafter, draft& d, input& in) {
    const tokens had(d.tokens().begin(), d.tokens().end());
    const std::size_t most = in.below(24);
    must_keep(d, had, drafter.propose(d, most), most);
}
template <class Drafter>
void propose(Drafter& drafter, draft_tree& t, input& in) {
    if constexpr (tree_drafter<Drafter>) {
        const std::size_t had = t.size(), most = in.below(24), added = drafter.propose(t, most);
        must(t.size() == had + added && (added == 0 || t.size() <= most), "a tree grows as it is said, and should");
        for (std::size_t i = had; i < t.size(); ++i) {
            const auto n = std::int32_t(i);
            must(t.token(n) >= 0 && t.parent(n) < n, "a node has a token, and a parent that came earlier");
            must(t.child(t.parent(n), t.token(n)) == n, "no token is twice behind one node");
        }
    }
}
/// Reads a text and proposes, over and over; the last proposals stay.
template <class Drafter>
void let_draft(Drafter drafter, input& in, draft& d, draft_tree& t) {
    for (std::size_t round = 1 + in.below(4); round > 0; --round) {
        drafter.accept(text(in, 24));
        if constexpr (learning_drafter<Drafter>) {
            std::vector<token_data> likeliest(in.below(5));
            for (token_data& one : likeliest) one = {token(in), 0.0f, 0.0f};
            drafter.learn(token(in), likeliest);
        }
        if (in.below(2) == 0) d.clear();
        propose(drafter, d, in);
        if (in.below(2) == 0) t.clear();
        propose(drafter, t, in);
        if (in.below(16) == 0) drafter.reset();
        must(drafter.bytes() < (std::size_t{1} << 26), "a drafter of short texts is small");
    }
    Drafter moved = std::move(drafter);
    propose(moved, d, in);
}
std::size_t length(input& in) { return in.below(16) == 0 ? in.number<std::size_t>() : in.below(20); }
suffix_automaton automaton(input& in, const suffix_corpus* corpus) {
    suffix_automaton made{.least_match = in.below(5), .longest_draft = length(in)};
    made.per_match = in.real();
    made.generation = in.below(2) == 0 ? in.below(50) : std::size_t{1} << 20;
    made.corpus = corpus;
    made.adapts = in.below(2) == 0;
    return made;
}
/// (A table for an id near 2^20 has 5 MB for each child.)
recycled_tokens recycling(input& in) { return {.children = in.below(10), .longest_draft = in.below(9)}; }
ngram_map map_of_ngrams(input& in) { return {.key = in.below(7), .length = in.below(9)}; }
prompt_lookup lookup(input& in) { return {.n = in.below(7), .length = in.below(9)}; }
riffle::ngram_cache cache(input& in) {
    riffle::ngram_cache made{.shortest = in.below(6), .longest = in.below(6), .length = in.below(9)};
    made.least_count = std::uint32_t(in.below(4));
    made.least_share = in.real();
    made.most_entries = in.below(4) == 0 ? in.below(40) : 1000;
    return made;
}
void draft_by_drafters(input& in, draft& d, draft_tree& t) {
    suffix_corpus corpus;
    for (std::size_t i = in.below(3); i > 0; --i) (void)corpus.add(text(in, 20));
    switch (in.below(7)) {
    case 0: return let_draft(automaton(in, in.below(2) == 0 ? &corpus : nullptr), in, d, t);
    case 1: return let_draft(recycling(in), in, d, t);
    case 2: return let_draft(map_of_ngrams(in), in, d, t);
    case 3: return let_draft(lookup(in), in, d, t);
    case 4: return let_draft(cache(in), in, d, t);
    case 5: {
        suffix_automaton first = automaton(in, &corpus);
        return let_draft(first_of(std::move(first), cache(in), recycling(in)), in, d, t);
    }
    default: {
        ngram_map first = map_of_ngrams(in);
        return let_draft(draft_after(std::move(first), recycling(in)), in, d, t);
    }
    }
}

// ---- how long drafts may be

double seconds(input& in) {
    switch (in.below(4)) {
    case 0: return in.number<double>();
    case 1: return double(in.byte()) * 1e-3;
    default: return double(in.byte()) * 1e-6;
    }
}
controller pacing(input& in) {
    controller made{.most = in.below(20)};
    if (in.below(8) == 0) made.most = in.number<std::size_t>();
    made.n_min = in.below(6);
    made.p_min = in.real();
    made.cost_of_a_row = in.real();
    made.memory = in.below(4) == 0 ? in.number<std::size_t>() : in.below(40);
    made.try_every = in.below(4) == 0 ? in.number<std::size_t>() : in.below(10);
    return made;
}
void measure(controller& pace, input& in) {
    for (std::size_t i = in.below(6); i > 0; --i) {
        const std::size_t count = in.below(16) == 0 ? in.number<std::size_t>() : in.below(20), of = in.below(10);
        switch (in.below(4)) {
        case 0: pace.measure_drafter(count, seconds(in), of); break;
        case 1: pace.measure_verifier(seconds(in)); break;
        default: pace.measure_model(count, seconds(in));
        }
    }
}
void draft_at_a_pace(controller& pace, input& in, draft& d, draft_tree& t) {
    measure(pace, in);
    recycled_tokens drafter = recycling(in);
    drafter.accept(text(in, 24));
    const std::size_t had = d.size(), of = in.below(10), added = pace.propose(drafter, d, of);
    must(d.size() == had + added && (added == 0 || d.size() <= pace.most), "a draft is no longer than it may be");
    const std::size_t nodes = t.size(), grown = pace.propose(drafter, t, of);
    must(t.size() == nodes + grown && (grown == 0 || t.size() <= pace.most), "nor is a tree larger");
    must(pace.longest(of) <= pace.most, "no length is greater than the greatest");
}

// ---- rounds

/// What verify gave, against a chain that stands where the round began and takes the tokens one by one. `row_behind` is
/// the row behind token i - 1.
template <bool Matches, class Chain, class Rows>
void must_be_text_of(Chain slow, const checkpoint& end, const tokens& given, const Rows& row_behind) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto logits = row_behind(i);
        if constexpr (Matches) {
            must(slow.sample(logits) == given[i], "what matching gives is what sampling gives");
        } else {
            must(slow.weigh(logits).weight(given[i]) > 0, "a token of weight 0 never comes");
            must(!slow.accept_choice(given[i]).refused, "what a round gives is taken");
        }
    }
    must(same_place(slow.mark(), end), "a chain is as if it had chosen the tokens itself");
}
template <class Chain, class Proposal>
void must_be_round(const Chain& chain, const checkpoint& start, const verified& round, const Proposal& drafted,
                   std::span<const token_id> ends) {
    const checkpoint end = chain.mark();
    if (!round.state.ok()) {
        must(round.tokens.empty() && round.accepted == 0 && round.node == draft_tree::root && !round.finished,
             "a round that fails gives nothing");
        return must(same_place(end, start), "a round that fails changes nothing");
    }
    const std::size_t count = round.tokens.size();
    must(count > 0 && count <= 128, "a round gives a token at least, and no more than can be taken back");
    must(end.tokens == start.tokens + count && end.position == start.position + count, "all tokens are accepted");
    must(round.accepted <= drafted.size() && (round.accepted == count || round.accepted + 1 == count),
         "what was accepted was drafted, but for the last token");
    for (std::size_t i = 0; i < count; ++i)
        if (std::find(ends.begin(), ends.end(), round.tokens[i]) != ends.end())
            must(i + 1 == count && round.finished, "nothing follows the end");
}
/// The node, or the place in a line, of each accepted token.
std::vector<std::int32_t> path_of(const draft& d, const verified& round) {
    must(round.node == std::int32_t(round.accepted) - 1, "the last accepted token of a line is the one at its place");
    std::vector<std::int32_t> path;
    for (std::size_t i = 0; i < round.accepted; ++i) {
        must(round.tokens[i] == d[i], "what was accepted is what was drafted");
        path.push_back(std::int32_t(i));
    }
    return path;
}
std::vector<std::int32_t> path_of(const draft_tree& t, const verified& round) {
    std::vector<std::int32_t> path;
    for (std::int32_t n = round.node; n >= 0; n = t.parent(n)) path.push_back(n);
    std::reverse(path.begin(), path.end());
    must(path.size() == round.accepted, "the last accepted node lies behind all others");
    for (std::size_t i = 0; i < path.size(); ++i)
        must(round.tokens[i] == t.token(path[i]), "what was accepted is what was drafted");
    return path;
}
template <class Verifier, class Chain, class Proposal, class Rows>
void verify_one(speculator<Verifier>& how, Chain& chain, const Proposal& drafted, const Rows& given,
                std::span<const token_id> ends, controller& pace) {
    const checkpoint start = chain.mark();
    const Chain beginning = chain;
    const verified& round = (how.verify)(chain, drafted, given, ends);
    pace.note(drafted, round, drafted.size() % 9);
    must_be_round(chain, start, round, drafted, ends);
    if (!round.state.ok()) return;
    const std::vector<std::int32_t> path = path_of(drafted, round);
    must_be_text_of<std::is_same_v<Verifier, match>>(
        beginning, chain.mark(), {round.tokens.begin(), round.tokens.end()},
        [&](std::size_t i) { return given(i == 0 ? 0 : std::size_t(path[i - 1]) + 1); });
    Chain back = chain;
    must(back.rollback(start).ok() && same_place(back.mark(), start), "a round can be taken back");
}
template <class Verifier, class Chain>
void verify_all(speculator<Verifier> how, Chain& chain, input& in, const draft& d, const draft_tree& t,
                controller& pace) {
    const all_rows given = rows(in);
    const tokens ends = text(in, 2);
    if (in.below(8) == 0) must(how.reserve(words, in.below(40)).ok(), "there is memory");
    if constexpr (std::is_same_v<Verifier, block_verification>) {
        verify_one(how, chain, d, given, ends, pace);
    } else {
        if (in.below(2) == 0) verify_one(how, chain, d, given, ends, pace);
        else verify_one(how, chain, t, given, ends, pace);
    }
}
template <class Chain>
void rounds(Chain chain, input& in) {
    draft d;
    draft_tree t;
    controller pace = pacing(in);
    (void)chain.prompt(text(in, 6));
    for (int round = 0; round < 6 && (round == 0 || !in.empty()); ++round) {
        switch (in.below(5)) {
        case 0: draft_by_drafters(in, d, t); break;
        case 4: draft_at_a_pace(pace, in, d, t); break;
        case 1: {  // by a chain on a draft model's rows
            Chain of_draft_model = chain;
            d.clear();
            const all_rows given = rows(in);
            for (std::size_t i = in.below(6); i > 0; --i)
                must(draft_from(of_draft_model, given(i), d) == null_token || d[d.size() - 1] >= 0,
                     "a drafted token is one");
            t.clear();
            for (std::size_t i = in.below(4); i > 0; --i) {
                const auto parent = std::int32_t(in.below(t.size() + 1)) - 1;
                (void)draft_from(of_draft_model, given(i), t, parent, in.below(4));
            }
            break;
        }
        default:
            if (in.below(2) == 0) d.clear(), t.clear();
            for (std::size_t i = in.below(9); i > 0; --i) push(d, in);
            for (std::size_t i = in.below(9); i > 0; --i) push(t, in);
            if (in.below(16) == 0)
                while (d.size() < 130) (void)d.push(1);
        }
        if (in.below(4) == 0) d.shorten(in.below(9));
        const checkpoint start = chain.mark();
        switch (in.below(8)) {
        case 0: must(keep_legal(chain, d) == d.size(), "as many tokens are legal as are left"); break;
        case 1: (void)draft_forced(chain, d, in.below(20)); break;
        case 2: {
            recycled_tokens drafter = recycling(in);
            drafter.accept(text(in, 20));
            (void)propose_legal(chain, drafter, d, in.below(20));
            break;
        }
        default: break;
        }
        must(same_place(chain.mark(), start), "to look at a draft leaves a chain where it is");
        switch (in.below(5)) {
        case 0: verify_all(speculator<match>(), chain, in, d, t, pace); break;
        case 1: verify_all(speculator(rejection{.seed = in.byte()}), chain, in, d, t, pace); break;
        case 2: verify_all(speculator(block_verification{.seed = in.byte()}), chain, in, d, t, pace); break;
        case 3: {
            recursive_rejection how{.seed = in.byte()};
            how.with_replacement = in.below(2) == 0;
            verify_all(speculator(how), chain, in, d, t, pace);
            break;
        }
        default: {
            typical_acceptance how{.epsilon = in.real()};
            how.delta = in.real();
            verify_all(speculator(how), chain, in, d, t, pace);
        }
        }
        if (const int back = chain.last_step().rewind; back > 0 && in.below(2) == 0)
            (void)chain.rewind(std::size_t(back));
        if (in.below(4) == 0) (void)chain.accept(token(in));
    }
}

const vocabulary_trie& trie_of_letters() {
    static const vocabulary_trie made = [] {
        vocabulary all;
        for (const char* piece : {"a", "b", "c", "(", ")", "ab", " ", "aa", "b)", "((", "d"}) all.add(piece);
        all.add("</s>", token_role::control | token_role::end_of_generation);
        return vocabulary_trie(all);
    }();
    return made;
}
const vocabulary& letters() {
    static const vocabulary made = [] {
        vocabulary all;
        for (std::size_t i = 0; i < words; ++i) all.add(std::string(1, char('a' + i % 5)));
        return all;
    }();
    return made;
}

}  // namespace
}  // namespace drafting

void drafts(input in) {
    using namespace drafting;
    switch (in.below(8)) {
    case 0: return rounds(temperature{.t = 0.9f} | dist{.seed = in.byte()}, in);
    case 1:
        return rounds(penalties{.last_n = 8, .repeat = 1.3f, .presence = 0.5f} | top_k{.k = std::int32_t(in.below(9))} |
                          mirostat_v2{.tau = in.real(), .seed = 2},
                      in);
    case 2:
        return rounds(dry{.multiplier = 1.0f, .allowed_length = 1} | xtc{.probability = in.real(), .threshold = 0.1f} |
                          min_p{.p = 0.02f} | adaptive_p{.target = in.real(), .seed = 3},
                      in);
    case 3: return rounds(top_p{.p = in.real()} | gumbel{.seed = 4}, in);
    case 4:
        return rounds(mask{.words = {in.number<std::uint32_t>()}} | typical{.p = in.real()} | skew{.amount = in.real()},
                      in);
    case 5: {
        static const grammar_matcher matcher(*parse_gbnf("root ::= ([a-d ] | \"(\" root \")\")* \"d\""),
                                             trie_of_letters());
        return rounds(chain(constrain{matcher}, temperature{.t = 0.8f}, dist{.seed = 5}), in);
    }
    case 6: return rounds(phrase_ban{&letters(), {"ab", "cde"}} | top_k{.k = 8} | dist{.seed = 6}, in);
    default:
        return rounds(
            chain<llama_exact>(penalties{.last_n = 8}, xtc{.probability = 0.5f}, min_p{.p = 0.01f}, dist{.seed = 7}),
            in);
    }
}

}  // namespace riffle_tests::fuzz
