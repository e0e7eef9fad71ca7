// Files of saved chains: the bytes as they are, the bytes behind a head that is right, or what a chain saved with some
// numbers changed, under a checksum that fits. What is refused changes nothing, and what is taken is one chain,
// whatever it means: with its copies and its files it stays alike.

#include <vector>

#include <riffle/constraint.hpp>
#include <riffle/llama_exact.hpp>

#include "fuzz/fuzz.hpp"
#include "saved_numbers.hpp"

namespace riffle_tests::fuzz {

namespace loading {
namespace {

using namespace riffle;
using bytes = std::vector<std::byte>;
using numbers = std::vector<std::uint32_t>;

constexpr std::size_t words = 24, kinds = 6, exact_kind = 3;
/// Where numbers of a file lie.
enum place : std::size_t { layout = 5, in_file = 12, first_token = 16 };

/// A stage of the user's with a mark of its own.
struct even_sums {
    static constexpr const char* name = "even_sums";
    std::vector<token_id> seen;
    float bias(token_id id) const noexcept { return !seen.empty() && (id + seen.back()) % 2 == 0 ? 1.0f : 0.0f; }
    step accept(token_id token) noexcept {
        if (token == 23) return step::refusal(status::failed(status_code::stage_failed, name));
        seen.push_back(token);
        return {};
    }
    void reset() noexcept { seen.clear(); }
    std::uint32_t mark() const noexcept { return std::uint32_t(seen.size()); }
    bool rollback(std::uint32_t size) noexcept {
        if (size > seen.size()) return false;
        seen.resize(size);
        return true;
    }
};
struct counts_and_remembers {
    static constexpr const char* name = "counts_and_remembers";
    std::int32_t last = -1, count = 0;
    float bias(token_id id) const noexcept { return id == last ? -0.5f * float(count % 8) : 0.0f; }
    void accept(token_id token) noexcept {
        last = token;
        count = (count + 1) % 1024;
    }
    void reset() noexcept { *this = {}; }
};

const vocabulary& pieces() {
    static const vocabulary made = [] {
        vocabulary all;
        for (const char* piece : {"a", "b", "c", "(", ")", "ab", " ", "<t>", "</", "t", ">"}) all.add(piece);
        while (all.size() < words) all.add(std::string(1, char('a' + all.size() % 5)));
        return all;
    }();
    return made;
}
const vocabulary_trie& trie_of_pieces() {
    static const vocabulary_trie made(pieces());
    return made;
}
any_pipeline made(std::size_t kind) {
    switch (kind) {
    case 0:
        return penalties{.last_n = 8, .repeat = 1.2f} | phrase_ban{&pieces(), {"ab", "bca", "cc"}} |
               adaptive_p{.target = 0.4f, .seed = 1};
    case 1: {
        static const thought_tags tags = [] {
            reasoning_budget budget{.tokens = 9, .landing_tokens = 5, .landing_bias = 2.0f};
            budget.begins = {"<t>"};
            budget.ends = {"</t>"};
            return thought_tags(trie_of_pieces(), budget);
        }();
        return soft_landing{tags} | penalties{.last_n = -1, .repeat = 1.1f} |
               mirostat{.tau = 3.0f, .n_vocab = words, .seed = 2};
    }
    case 2: {
        dynamic_chain late;
        late.push(dry{.multiplier = 0.5f, .allowed_length = 1, .last_n = -1});
        late.push(counts_and_remembers{});
        late.push(xtc{.probability = 0.5f, .threshold = 0.05f, .seed = 3});
        late.push(mirostat_v2{.seed = 4});
        return late;
    }
    case exact_kind:
        return chain<llama_exact>(penalties{.last_n = 8}, xtc{.probability = 0.5f}, adaptive_p{.target = 0.3f});
    case 4: {
        static const grammar_matcher matcher(*parse_gbnf("root ::= ([a-e ] | \"(\" root \")\")*"), trie_of_pieces());
        return chain(constrain{matcher}, no_repeat_ngram{.n = 3}, mirostat_v2{.seed = 5});
    }
    default: return chain(even_sums{}, counts_and_remembers{}, dist{.seed = 6});
    }
}
std::vector<float> row(input& in) {
    std::vector<float> logits(words);
    const std::size_t mixed = in.byte();
    for (std::size_t i = 0; i < words; ++i) logits[i] = float((i * 7 + mixed * (i + 3)) % 31) / 8.0f;
    return logits;
}

bytes saved(const any_pipeline& c) {
    bytes file(c.saved_bytes());
    must(c.save(file).ok(), "a chain is saved into as many bytes as it says");
    return file;
}
void must_be_alike(const any_pipeline& a, const any_pipeline& b, const char* what) {
    const checkpoint of_a = a.mark(), of_b = b.mark();
    must(of_a.prefix_hash == of_b.prefix_hash && of_a.layout == of_b.layout && of_a.tokens == of_b.tokens &&
             of_a.position == of_b.position && of_a.attempt == of_b.attempt,
         what);
}
void live(any_pipeline& c, input& in) {
    for (std::size_t i = in.below(14); i > 0; --i) {
        switch (in.below(8)) {
        case 0: (void)c.accept(token_id(in.below(words))); break;
        case 1: {
            const token_id prompted = token_id(in.below(words));
            (void)c.prompt({&prompted, 1});
            break;
        }
        case 2: c.retry(); break;
        case 3: (void)c.rewind(in.below(5)); break;
        default: c.sample(row(in));
        }
    }
    if (in.below(8) == 0) {
        for (int i = 0; i < 150; ++i) (void)c.accept(token_id(i * i % 19));
    }
}

/// A few bits mostly, so that counts and lengths are met.
std::uint32_t any_number(input& in) {
    switch (in.below(8)) {
    case 0: return in.number<std::uint32_t>();
    case 1: return ~std::uint32_t{in.byte()};
    case 2: return 0x7FFFFFFFu - in.byte();
    case 3: return 0x80000000u + in.byte();
    default: return in.byte();
    }
}
/// (llama.cpp's generators are saved as how many words they drew, and going there takes as long as to draw them. So
/// numbers that may be such are small.)
std::uint32_t any_number(input& in, bool may_be_words) { return may_be_words ? any_number(in) % 5000 : any_number(in); }

bytes behind_a_right_head(const any_pipeline& c, bool is_exact, input& in) {
    numbers all = numbers_of(saved(c));
    all.resize(layout + 1);
    while (!in.empty()) all.push_back(any_number(in, is_exact));
    all.resize(all.size() + 2);
    return put_right(all);
}
bytes changed(const any_pipeline& c, bool is_exact, input& in) {
    numbers all = numbers_of(saved(c));
    const std::size_t first_state = first_token + 3 * all[in_file];
    for (std::size_t changes = 1 + in.below(5); changes > 0 && all.size() > first_token + 2; --changes) {
        const std::size_t at = layout + 1 + in.below(all.size() - layout - 2);
        if (is_exact && (at == in_file || (at >= first_token && at < first_state))) continue;
        const auto here = all.begin() + std::ptrdiff_t(at);
        switch (is_exact ? 0 : in.below(6)) {
        case 0:
        case 1:
        case 2: all[at] = any_number(in, is_exact && at >= first_token); break;
        case 3: all[at] += std::uint32_t(in.below(3)) - 1; break;
        case 4: all.insert(here, in.below(7), any_number(in)); break;
        default: all.erase(here, here + std::ptrdiff_t(std::min(in.below(7), all.size() - at - 1)));
        }
    }
    return put_right(all);
}

/// All that a chain does.
void use(any_pipeline c, input& in) {
    const any_pipeline copy = c;
    any_pipeline loaded = c;
    must_be_alike(copy, c, "a copy is where the original is");
    const bytes file = saved(c);
    must(loaded.load(file).ok(), "what was saved is taken by the chain that saved it");
    must_be_alike(loaded, c, "and by that is where it was");
    must(saved(loaded) == file, "what was loaded is saved alike");
    must(saved(copy).size() == file.size(), "a copy keeps as much");
    for (int i = 0; i < 24; ++i) {
        const checkpoint here = c.mark();
        const std::size_t written = here.tokens;
        switch (in.below(9)) {
        case 0:
            must(c.rewind(1 + in.below(140)).ok() || c.mark().tokens == written,
                 "a rewind that is refused changes nothing");
            break;
        case 1: {
            const std::size_t first = std::min(written, in.below(200)),
                              count = std::min(written - first, in.below(300));
            must(c.forget(first, count).ok(), "what is there can be forgotten");
            must(c.mark().tokens == written - count, "as many tokens are forgotten as should be");
            break;
        }
        case 2: must(c.rollback(here).ok(), "a chain goes back to where it is"); break;
        case 3: c = any_pipeline(c); break;
        case 4: c.retry(); break;
        case 5: (void)c.accept(token_id(in.below(words))); break;
        case 6: c.distribution(row(in)); break;
        default: {
            const token_id token = c.sample(row(in));
            must(token != null_token || !c.last_status().ok(), "where there is no token, the status says why");
            must(token < token_id(words), "the token is in the row");
        }
        }
    }
    c.reset();
    must(c.mark().tokens == 0 && c.mark().position == 0, "a reset leads to the beginning");
}

}  // namespace
}  // namespace loading

void load(input in) {
    using namespace loading;
    const std::size_t kind = in.below(kinds), how = in.below(4);
    const bool is_exact = kind == exact_kind;
    any_pipeline of_file = made(kind), c = made(kind);
    live(of_file, in);
    if (in.below(2) == 0) live(c, in);
    input later = in;  // what is done with the chain then is chosen by the same bytes
    bytes file;
    if (how == 0) {
        const auto rest = in.rest();
        for (const std::uint8_t byte : rest) file.push_back(std::byte{byte});
    } else if (how == 1) {
        file = behind_a_right_head(of_file, is_exact, in);
    } else {
        file = changed(of_file, is_exact, in);
    }
    const bytes earlier = saved(c);
    const any_pipeline copy = c;
    if (c.load(file).ok()) return use(std::move(c), later);
    must_be_alike(c, copy, "a file that is refused leaves the chain where it is");
    must(saved(c) == earlier, "a file that is refused changes nothing");
    use(std::move(c), later);
}

}  // namespace riffle_tests::fuzz
