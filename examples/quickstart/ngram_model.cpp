#include "ngram_model.hpp"

#include <algorithm>
#include <utility>

namespace quickstart {
namespace {

constexpr unsigned token_bits = 16;
static_assert(ngram_model::order * token_bits <= 64);

/// The last `length` tokens as one number. What lies before the first token counts as line feeds.
std::uint64_t pack(std::span<const riffle::token_id> history, std::size_t length) {
    std::uint64_t packed = 0;
    for (std::size_t back = length; back > 0; --back) {
        const riffle::token_id token = back <= history.size() ? history[history.size() - back] : '\n';
        packed = packed << token_bits | static_cast<std::uint64_t>(token);
    }
    return packed;
}

}  // namespace

ngram_model::ngram_model(std::span<const riffle::token_id> text, std::size_t vocabulary, progress& shown)
    : vocabulary_(vocabulary) {
    std::vector<std::uint64_t> grams(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) grams[i] = pack(text.first(i + 1), order);

    // Kneser-Ney: the longest n-grams are counted as they occur in the text, a shorter one by the number of
    // different tokens seen before it. So "Francisco", often seen but only after "San", is unlikely elsewhere.
    for (std::size_t length = order; length > 0; --length) {
        shown.update("counting n-grams", static_cast<double>(order - length) / order);
        level& counted = levels_[length - 1];
        counted = count(std::move(grams));
        grams = counted.grams;
        for (std::uint64_t& gram : grams) gram &= (std::uint64_t{1} << token_bits * (length - 1)) - 1;
    }
    shown.update("counting n-grams", 1);
}

ngram_model::level ngram_model::count(std::vector<std::uint64_t> grams) {
    std::sort(grams.begin(), grams.end());
    level counted;
    std::size_t once = 0;
    std::size_t twice = 0;
    for (auto first = grams.begin(); first != grams.end();) {
        const auto last = std::find_if(first, grams.end(), [&](std::uint64_t gram) { return gram != *first; });
        const auto times = static_cast<std::uint32_t>(last - first);
        counted.grams.push_back(*first);
        counted.counts.push_back(times);
        once += times == 1;
        twice += times == 2;
        first = last;
    }
    // The estimate of Ney, Essen and Kneser. A short text has no such counts, or only such counts: stay inside
    // (0, 1), so that every token keeps a probability.
    if (once + twice > 0) counted.discount = static_cast<double>(once) / static_cast<double>(once + 2 * twice);
    counted.discount = std::clamp(counted.discount, 0.1, 0.9);
    return counted;
}

void ngram_model::logits(std::span<const riffle::token_id> history, std::span<float> row) const {
    std::fill(row.begin(), row.end(), 1.0f / static_cast<float>(row.size()));
    for (std::size_t length = 1; length <= order; ++length) {
        const level& counted = levels_[length - 1];
        const std::uint64_t context = pack(history, length - 1);
        const auto first = std::lower_bound(counted.grams.begin(), counted.grams.end(), context << token_bits);
        const auto last =
            std::find_if(first, counted.grams.end(), [&](std::uint64_t gram) { return gram >> token_bits != context; });
        if (first == last) break;  // never seen, so no longer context was

        double total = 0;
        auto times = counted.counts.begin() + (first - counted.grams.begin());
        for (auto gram = first; gram != last; ++gram) total += *times++;

        // Each token seen gives up `discount` of its count; the shorter context shares out what they gave.
        const double given_up = counted.discount * static_cast<double>(last - first) / total;
        for (float& probability : row) probability *= static_cast<float>(given_up);
        times = counted.counts.begin() + (first - counted.grams.begin());
        for (auto gram = first; gram != last; ++gram)
            row[*gram & 0xffff] += static_cast<float>((*times++ - counted.discount) / total);
    }
    // riffle's own logarithm has the same bits on every machine
    for (float& value : row) value = riffle::log(riffle::lanes<1>(value))[0];
}

}  // namespace quickstart
