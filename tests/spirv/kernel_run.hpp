#pragma once
// Kernels in the interpreter: whether they have faults, and whether what they tell is what the chain's stages have.

#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <riffle/gpu/host/requests.hpp>

#include "spirv/expected_outcome.hpp"
#include "spirv/interpreter.hpp"
#include "spirv/known_stages.hpp"

namespace riffle_tests {

inline std::string text_of(const observation& seen) {
    std::string all;
    for (const std::string& fault : seen.faults) all += fault + "\n";
    return all;
}

inline std::string names_of(const riffle::dynamic_chain& chain) {
    std::string all;
    for (std::size_t i = 0; i < chain.view().size(); ++i) all += std::string(" ") + chain.view().name(i);
    return all;
}
/// The kernel of a chain, and the chain's next row.
class kernel_run {
public:
    kernel_run(riffle::dynamic_chain& chain, const riffle::gpu::kernel_options& options)
        : chain_(chain), on_(chain, options) {}

    const known_stages& on() const { return on_; }
    /// The kernel with one barrier less, or all of them.
    void use(std::vector<std::uint32_t> words) { words_ = std::move(words); }

    /// What is wrong with the row, in both orders; whether all that is told of it is the chain's is a part of that. It
    /// lies behind so many words of NaN, and ahead of some.
    std::string faults(const std::vector<float>& row, std::uint32_t group_size, bool is_exact,
                       riffle::gpu::wanted wants = riffle::gpu::wanted::tokens_and_p, std::uint32_t first = 0) {
        constexpr std::uint32_t room = 40;
        std::vector<std::uint32_t> words(on_.layout.words + 20 * row.size() + 8192);
        written_.begin(words, on_.layout, 1, row.size());
        if (!written_.add(on_, chain_, 0)) return "";  // parameters without meaning
        words.resize(written_.words());
        const auto size = std::uint32_t(row.size());
        const std::vector<std::uint32_t> constants{size, size, 0, first, room, std::uint32_t(wants)};
        std::string all;
        std::array<std::vector<std::uint32_t>, 2> results;
        for (const bool backwards : {false, true}) {
            std::vector<std::uint32_t> logits(first + size + 5, 0x7fc00000u), saved(written_.edited_ids() + 1);
            std::vector<std::uint32_t>& result = results[backwards];
            result.assign(riffle::gpu::result_words(room), 0xeeeeeeeeu);
            std::memcpy(logits.data() + first, row.data(), 4 * row.size());
            const auto before = logits;
            const observation seen = observe({.words = words_.empty() ? on_.words() : words_,
                                              .group_size = group_size,
                                              .push_constants = constants,
                                              .buffers = {logits, words, result, saved},
                                              .backwards = backwards});
            all += text_of(seen);
            if (logits != before) all += "the row has changed\n";
            if (seen.loop_turns > riffle::gpu::most_loop_turns(on_.plan, size, group_size, written_.edited_ids()))
                all += std::to_string(seen.loop_turns) + " turns of loops\n";
        }
        if (std::memcmp(results[0].data(), results[1].data(), 4 * riffle::gpu::result_word::count) != 0)
            all += "another order gives another result\n";
        if (is_exact) {
            const kernel_outcome how{on_, words, group_size, room, wants};
            all += difference(chain_, row, riffle::gpu::outcome_of(results[0].data(), room), how);
        }
        return all.empty() ? all : all + "asked for:" + text_of_request(words);
    }

private:
    /// The words of its stages: active, least, low, high, parameters.
    std::string text_of_request(std::span<const std::uint32_t> words) const {
        std::string all;
        for (std::size_t i = 0; i < on_.plan.stages; ++i) {
            all += std::string("\n  ") + on_.device_stages[i].name;
            for (std::uint32_t w = 0; w < on_.layout.words_per_stage; ++w) {
                const std::uint32_t word = words[on_.layout.stage(i) + w];
                const bool is_float = w >= riffle::gpu::stage_word::parameters;
                all += " " + (is_float ? std::to_string(std::bit_cast<float>(word)) : std::to_string(word));
            }
        }
        return all + "\n";
    }

    riffle::dynamic_chain& chain_;
    known_stages on_;
    riffle::gpu::requests written_;
    std::vector<std::uint32_t> words_;
};

}  // namespace riffle_tests
