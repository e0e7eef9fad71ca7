// The payload of a token trie: the bytes as they are, or one that is made by them; read, and walked.

#include <string>
#include <vector>

#include <riffle/token_trie.hpp>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

using namespace riffle;

/// Writes what is nearly a payload: each byte chooses what comes next.
std::string nearly_a_payload(input& in) {
    const auto or_else = [&](const std::string& usual, const char* other) { return in.below(24) == 0 ? std::string(other) : usual; };
    std::string all = "{" + or_else("\"modelId\": \"m\", ", "") + "\"descriptors\": [";
    for (std::size_t d = in.below(4); d-- > 0;) {
        all += "{\"path\": " + or_else("\"p" + std::to_string(in.below(3)) + "\"", "7") + ", \"leaves\": [";
        for (std::size_t l = in.below(5); l-- > 0;) {
            all += "{\"name\": \"" + std::string(1, char('a' + in.below(4))) + "\", " + or_else("", "\"name\": \"z\", ") + "\"tokens\": [";
            for (std::size_t t = in.below(4); t-- > 0;) all += or_else(std::to_string(in.below(6)), "1e2") + (t ? "," : "");
            all += or_else("]}", "}") + (l ? "," : "");
        }
        all += or_else("]}", "]") + (d ? "," : "");
    }
    return all + or_else("]}", "]");
}
/// A few tokens, selections and ways back.
void walk(const token_trie& trie, input& in) {
    trie_matcher m(trie, {.most_tokens = std::uint16_t(in.below(6)), .on_foreign_token = foreign_token(in.below(2))});
    std::vector<std::uint64_t> marks{m.mark()};
    for (int i = 0; i < 40 && !in.empty(); ++i) {
        const std::uint64_t here = m.mark();
        switch (in.below(6)) {
        case 0: must((m.select)(in.below(5)).ok() || m.mark() == here, "a selection that fails changes nothing"); break;
        case 1: must(m.rollback(marks[in.below(marks.size())]).ok(), "a mark of this trie can be gone back to"); break;
        case 2: {
            trie_matcher ahead = m;
            for (const token_id token : m.forced_run()) must(!ahead.accept(token).refused, "a forced token is legal");
            break;
        }
        case 3: {
            const token_id exits[] = {token_id(in.below(8)) - 1, token_id(in.below(8))};
            must(m.set_exits({exits, in.below(3)}).ok(), "exits can be set");
            break;
        }
        default: {
            const auto token = token_id(in.below(8)) - 1;
            const bool is_legal = m.allows(token);
            if (m.legal().contains(token) && token >= 0) must(is_legal, "what is legal is allowed");
            must(m.accept(token).refused == !is_legal, "what is not allowed is refused");
            must(is_legal || m.mark() == here, "a refused token changes nothing");
        }
        }
        must((m.leaf() >= 0) == (m.status() == trie_status::done), "a value is there where it is done");
        must(m.leaf() < 0 || !m.leaf_name().empty(), "a value has a name");
        marks.push_back(m.mark());
    }
}

}  // namespace

void payload(input in) {
    const bool is_made = in.byte() % 2 != 0;
    const std::string source = is_made ? nearly_a_payload(in)
                                       : std::string(reinterpret_cast<const char*>(in.rest().data()), in.rest().size());
    token_trie_cache cache(6, {}, {.entries = 2});
    const parsed<token_trie> read = parse_token_trie(source, 6), again = cache.parse(source), kept = cache.parse(source);
    must(read.ok() == again.ok(), "a cache reads as without one");
    if (!read.ok()) {
        must(!read.problem().sentence.empty() && read.problem().message() == again.problem().message(), "a problem has a sentence");
        return must(read.problem().offset <= source.size(), "a problem lies in the text");
    }
    must(*again == *kept, "one payload has one trie");
    must(read->node_bytes() <= 12 * (read->node_count() + read->size()), "a node takes 12 bytes, and each descriptor 12 more");
    (void)(read->verify)(vocabulary());
    walk(*read, in);
}

}  // namespace riffle_tests::fuzz
