// Files of counted n-grams, ours and llama.cpp's: the bytes as they are, or what is nearly a file. What is refused
// changes nothing; what is taken drafts tokens, and is saved and read again.

#include <vector>

#include <riffle/speculative/drafts/draft.hpp>
#include <riffle/speculative/drafters/ngram_cache.hpp>

#include "fuzz/fuzz.hpp"
#include "saved_numbers.hpp"

namespace riffle_tests::fuzz {

namespace counting {
namespace {

using namespace riffle;
using bytes = std::vector<std::byte>;
using numbers = std::vector<std::uint32_t>;

/// A token, a length or a count: small mostly, and any bits at times.
std::uint32_t any_number(input& in) {
    const std::uint8_t kind = in.byte();
    if (kind < 230) return kind % 6u;
    if (kind < 240) return in.number<std::uint32_t>();
    if (kind < 250) return ~std::uint32_t{kind % 4u};
    return 0x7FFFFFFFu + kind % 2u;
}
/// N-grams with followers, in either format; now and then a number that does not belong there.
bytes nearly_a_file(input& in, bool of_llama) {
    numbers all;
    if (!of_llama) all = {0x66666972, 0x474E656C, 1, 0, 0};
    while (!in.empty()) {
        const std::size_t size = 1 + in.below(4), followers = 1 + in.below(3);
        if (!of_llama) all.push_back(std::uint32_t(size));
        for (std::size_t i = 0; i < size; ++i) all.push_back(any_number(in));
        if (of_llama) all.resize(all.size() + 4 - size, ~std::uint32_t{0});
        all.push_back(in.below(16) == 0 ? any_number(in) : std::uint32_t(followers));
        for (std::size_t i = 0; i < followers; ++i) {
            all.push_back(any_number(in));
            all.push_back(1 + any_number(in));
        }
    }
    if (of_llama) return bytes_of(all);
    all.push_back(0);
    return put_right(all);
}
bytes saved(const riffle::ngram_cache& of) {
    bytes file(of.saved_bytes());
    must(of.save(file).ok(), "counts are saved into as many bytes as they say");
    return file;
}
void must_draft(riffle::ngram_cache& cache, input& in) {
    draft d;
    for (std::size_t i = in.below(4); i > 0; --i) (void)d.push(token_id(any_number(in)));
    const std::vector<token_id> had(d.tokens().begin(), d.tokens().end());
    const std::size_t most = in.below(20), entries = cache.entries();
    const std::size_t added = cache.propose(d, most);
    must(d.size() == had.size() + added && added <= cache.length, "as many tokens are drafted as are said, and may be");
    must(added == 0 || d.size() <= most, "a draft ends where it should");
    must(std::equal(had.begin(), had.end(), d.tokens().begin()), "what a draft has stays there");
    for (const token_id token : d.tokens()) must(token >= 0, "what is drafted is a token");
    must(cache.entries() == entries, "nothing is learnt of a draft");
    draft again;
    for (const token_id token : had) (void)again.push(token);
    must(cache.propose(again, most) == added &&
             std::equal(again.tokens().begin(), again.tokens().end(), d.tokens().begin()),
         "the same is drafted again");
}

}  // namespace
}  // namespace counting

void ngram_cache(input in) {
    using namespace counting;
    riffle::ngram_cache cache{.shortest = in.below(7), .longest = in.below(7), .length = in.below(9)};
    cache.least_count = std::uint32_t(in.below(4));
    cache.least_share = in.real();
    if (in.below(4) == 0) cache.most_entries = in.below(30);
    const auto accept = [&] {
        std::vector<token_id> text(in.below(12));
        for (token_id& token : text) token = token_id(any_number(in));
        cache.accept(text);
    };
    accept();
    const std::size_t how = in.below(4);
    const bool of_llama = how % 2 != 0;
    bytes file;
    if (how < 2) {
        file = nearly_a_file(in, of_llama);
    } else {
        const auto rest = in.rest();
        for (const std::uint8_t byte : rest) file.push_back(std::byte{byte});
    }
    const bytes earlier = saved(cache);
    const std::size_t entries = cache.entries();
    const status read = of_llama ? cache.load_llama(file) : cache.load(file);
    if (!read.ok()) {
        must(cache.entries() == entries && saved(cache) == earlier, "a file that is refused changes nothing");
    } else {
        must(cache.entries() <= cache.most_entries, "no more is taken than may be");
        must(cache.entries() <= file.size() / 8, "no more is taken than the file has");
        if (how == 0) must(saved(cache).size() == file.size(), "what was read is written as it was");
    }
    const bytes now = saved(cache);
    riffle::ngram_cache another{.most_entries = std::size_t{1} << 20};
    must(another.load(now).ok() && saved(another) == now, "what is saved is read again");
    must_draft(cache, in);
    accept();
    must_draft(cache, in);
    (void)cache.bytes();
    cache.next_text();
    must_draft(cache, in);
    cache.reset();
    must(cache.entries() == 0, "a reset forgets all");
    must_draft(cache, in);
}

}  // namespace riffle_tests::fuzz
