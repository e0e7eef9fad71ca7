// Tokens, bytes and ways back in one of a few grammars: what is said of a token is what becomes of it, and neither the
// way there nor the room for caches makes a difference.

#include <string>

#include <riffle/constraint/gbnf.hpp>
#include <riffle/constraint/grammar_matcher.hpp>
#include <riffle/constraint/vocabulary_trie.hpp>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

using riffle::grammar_matcher;
using riffle::token_id;

constexpr const char* sources[] = {
    // JSON
    "root ::= ws v ws\nv ::= o | l | s | n | \"true\" | \"null\"\no ::= \"{\" ws (p (ws \",\" ws p)*)? ws \"}\"\n"
    "p ::= s ws \":\" ws v\nl ::= \"[\" ws (v (ws \",\" ws v)*)? ws \"]\"\ns ::= \"\\\"\" ([^\"\\\\\\x00-\\x1F] | "
    "\"\\\\\" [\"nu])* \"\\\"\"\n"
    "n ::= \"-\"? [0-9]+ (\".\" [0-9]+)?\nws ::= [ \\n]*",
    // nested parentheses
    "root ::= (\"(\" root \")\" | \"[\" root \"]\" | \"a\")*",
    // counted strings
    "root ::= \"\\\"\" [^\"]{0,200} \"\\\"\" (\",\" root)?",
    "root ::= [a-z]{0,10000} \"0\" | ([^0] .){3,40} \"1\"",
    // as many ways to read it as 2^n
    "root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"x\"",
    "root ::= (\"a\" | \"aa\" | \"ab\"? \"a\"){2,30} \"b\"*",
    // whole tokens
    "root ::= \"(\" (<t> | !<t> <[97]> | root)* \")\" </s>? \"0\"?",
};

/// The first 128 bytes and some others, longer pieces, and tokens with a role.
const riffle::vocabulary_trie& all_tokens() {
    static const riffle::vocabulary_trie trie = [] {
        riffle::vocabulary v;
        for (int byte = 0; byte < 128; ++byte) {
            const char piece = char(byte);
            v.add({&piece, 1});
        }
        for (const char* piece : {"\x80", "\xA9", "\xC3", "\xC3\xA9", "\xC3\x41", "\xE6\x97", "\xE6\x97\xA5", "\xFF",
                                  "aa",   "ab",   "aaa",  "aaaaaaaa", "abc",      "((",       "()",           "))",
                                  "[(",   "\",",  "\":",  "{\"",      "\"}",      "true",     "null",         "  ",
                                  "00",   "bb",   "bc",   "",         "a0",       "x",        "aab"})
            v.add(piece);
        v.add("<t>", riffle::token_role::control);
        v.add("</s>", riffle::token_role::control | riffle::token_role::end_of_generation);
        v.add("<|end|>", riffle::token_role::end_of_generation);
        return riffle::vocabulary_trie(v);
    }();
    return trie;
}

struct mask {
    std::vector<std::uint32_t> words;
    std::size_t count = 0;
    bool complete = false, finished = false;
    friend bool operator==(const mask&, const mask&) = default;
    bool has(token_id id) const {
        return id >= 0 && std::size_t(id) / 32 < words.size() && (words[std::size_t(id) / 32] >> (id % 32) & 1) != 0;
    }
};
mask mask_of(const grammar_matcher& m) {
    const auto words = m.legal_words();
    mask all{{words.begin(), words.end()}, m.legal_count(), m.is_complete(), m.is_finished()};
    if (words.empty()) all.words.assign((all_tokens().size() + 31) / 32, 0);
    return all;
}

/// Two matchers that must agree: with the usual limits, and with ones that are met all the time.
struct both {
    grammar_matcher usual, tiny;

    bool accept(token_id id) {
        const bool allowed = usual.allows(id), said = usual.can_accept(id).ok();
        const riffle::step a = usual.accept(id), b = tiny.accept(id);
        must(allowed == !a.refused && said == allowed, "a token is taken where it is said to be legal, and only there");
        must(a.refused == b.refused && a.finished == b.finished, "limits make no difference to a token");
        return allowed;
    }
    mask legal() const {
        mask all = mask_of(usual);
        must(all == mask_of(tiny), "limits make no difference to what is legal");
        return all;
    }
};

void must_agree_about(const both& m, const mask& legal, token_id id) {
    const bool set = legal.has(id);
    must(set == m.usual.allows(id), "the mask says of a token what the matcher says of it");
    must(set == m.tiny.allows(id), "limits make no difference to what a matcher says of a token");
    grammar_matcher tried = m.usual;
    must(set == !tried.accept(id).refused, "a copy takes what is legal, and nothing else");
    if (!set) must(mask_of(tried) == legal, "a token that is refused changes nothing");
}

}  // namespace

void tokens(input in) {
    const char* const source = sources[in.below(std::size(sources))];
    riffle::grammar_limits tiny;
    tiny.states = std::uint32_t(2 + in.below(30));
    tiny.automaton_bytes = 1 + 64 * in.below(256);
    tiny.mask_bytes = 1 + 16 * in.below(256);
    const riffle::parsed<riffle::grammar> usual = riffle::parse_gbnf(source),
                                          limited = riffle::parse_gbnf(source, "root", tiny);
    must(usual.ok() && limited.ok(), "the grammars are read");
    both m{{*usual, all_tokens()}, {*limited, all_tokens()}};
    must(m.usual.check().ok(), "a text can begin");

    const auto size = std::size_t(all_tokens().size());
    std::vector<mask> seen;  // after each token
    std::vector<both> copies;
    std::vector<mask> of_copies;
    seen.push_back(m.legal());
    for (int step = 0; step < 100 && !in.empty(); ++step) {
        switch (in.below(10)) {
        case 0:
        case 1:
            if (m.accept(token_id(in.below(size)))) seen.push_back(m.legal());
            break;
        case 2:
        case 3: {  // one of the legal ones
            const std::size_t wanted = in.byte();
            std::vector<token_id> legal;
            for (token_id id = 0; std::size_t(id) < size; ++id)
                if (seen.back().has(id)) legal.push_back(id);
            must(legal.size() == seen.back().count, "as many are legal as are said to be");
            must(legal.empty() || m.usual.check().ok(), "a matcher with a legal token is well");
            if (legal.empty()) break;
            must(m.accept(legal[wanted % legal.size()]), "a legal token is taken");
            seen.push_back(m.legal());
            break;
        }
        case 4: {  // some bytes, each once and all at once
            std::string bytes;
            for (std::size_t left = in.below(6); left > 0; --left) bytes += char(in.byte());
            grammar_matcher one_by_one = m.usual;
            bool taken = one_by_one.accept_bytes("").ok();
            for (const char& c : bytes) taken = taken && one_by_one.accept_bytes({&c, 1}).ok();
            must(m.usual.accept_bytes(bytes).ok() == taken, "bytes are taken together where they are taken one by one");
            must(m.tiny.accept_bytes(bytes).ok() == taken, "limits make no difference to bytes");
            if (taken) seen.push_back(m.legal());
            if (taken) must(mask_of(one_by_one) == seen.back(), "bytes lead to the same place together and one by one");
            break;
        }
        case 5: {
            const std::size_t mark = in.below(seen.size() + 2);
            const bool can = mark < seen.size() && seen.size() - 1 - mark <= grammar_matcher::rollback_depth;
            must(m.usual.rollback(mark).ok() == can, "the way back is open for 128 tokens");
            must(m.tiny.rollback(mark).ok() == can, "limits make no difference to the way back");
            if (can) seen.resize(mark + 1);
            must(m.legal() == seen.back(), "after the way back the mask is the one that it was");
            break;
        }
        case 6:
            if (copies.size() < 4) {
                copies.push_back(m);
                of_copies.push_back(seen.back());
            } else {
                const std::size_t which = in.below(copies.size());
                must(copies[which].legal() == of_copies[which], "a copy stays where it was");
            }
            break;
        case 7:
            m.usual.reset();
            m.tiny.reset();
            must(m.legal() == seen.front(), "a reset leads to the beginning");
            seen.resize(1);
            break;
        case 8:
            for (int sample = 0; sample < 8; ++sample) must_agree_about(m, seen.back(), token_id(in.below(size)));
            must_agree_about(m, seen.back(), token_id(size));
            must_agree_about(m, seen.back(), -1);
            break;
        default: {
            token_id run[6];
            const std::size_t count = m.usual.forced_run(std::span<token_id>(run));
            must(count == m.tiny.forced_run(6).size(), "limits make no difference to what is forced");
            must(m.legal() == seen.back(), "looking ahead changes nothing");
            for (std::size_t i = 0; i < count; ++i) {
                must(m.usual.legal_count() == 1 && m.accept(run[i]), "what is forced is the only legal token");
                seen.push_back(m.legal());
            }
            break;
        }
        }
        must(m.usual.mark() == seen.size() - 1 && m.tiny.mark() == m.usual.mark(), "tokens are counted");
    }
    for (std::size_t i = 0; i < copies.size(); ++i)
        must(copies[i].legal() == of_copies[i], "a copy stays where it was");
}

}  // namespace riffle_tests::fuzz
