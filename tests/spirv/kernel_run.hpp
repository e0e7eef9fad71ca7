#pragma once
// Kernels in the interpreter: whether they have faults, and whether what they tell is what the chain's stages have.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <riffle/gpu/host/requests.hpp>

#include "half_floats.hpp"
#include "not_a_number.hpp"
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
        : chain_(chain), on_(chain, options), logits_(options.logits),
          is_shared_(options.has_several_groups() && on_.plan.sharing != riffle::gpu::row_sharing::none) {}

    const known_stages& on() const { return on_; }
    /// The kernel with one barrier less, or all of them.
    void use(std::vector<std::uint32_t> words) { words_ = std::move(words); }

    /// How a row is dispatched.
    struct way {
        std::uint32_t group_size = 64;
        riffle::gpu::wanted wants = riffle::gpu::wanted::tokens_and_p;
        std::uint32_t first = 0;  ///< it lies behind so many logits that are NaN, and ahead of some
        std::uint32_t groups = 1;
        group_order order = group_order::ascending;
    };

    /// What is wrong with the row, in both orders of invocations; whether all that is told of it is the chain's is a
    /// part of that.
    std::string faults(const std::vector<float>& given, bool is_exact, const way& how) {
        const std::vector<float> row = values_in(logits_, given);
        constexpr std::uint32_t room = 40;
        std::vector<std::uint32_t> words(on_.layout.words + 20 * row.size() + 8192);
        written_.begin(words, on_.layout, 1, row.size());
        if (!written_.add(on_, chain_, 0)) return "";  // parameters without meaning
        words.resize(written_.words());
        const auto size = std::uint32_t(row.size());
        std::string all;
        std::array<std::vector<std::uint32_t>, 2> results;
        for (const bool backwards : {false, true}) {
            const auto edited = std::uint32_t(written_.edited_ids());
            const bool copies = riffle::gpu::is_copied(on_.plan, logits_);
            const auto parts_at =
                copies ? std::uint32_t(riffle::gpu::copied_row_words(size)) : edited;  // in the scratch
            std::vector<std::uint32_t> logits = buffer_of(row, how.first),
                                       saved(parts_at + riffle::gpu::shared_part_words, copies ? 0xababababu : 0u);
            std::vector<std::uint32_t>& result = results[backwards];
            result.assign(riffle::gpu::result_words(room), 0xeeeeeeeeu);
            const auto before = logits;
            const riffle::gpu::dispatch_steps steps = riffle::gpu::steps_of(on_.plan, how.groups, edited, logits_);
            for (std::uint32_t step = 0; step < steps.count; ++step) {
                const auto phase = steps.phases[step];
                const std::vector<std::uint32_t> constants{
                    size,    size, 0, how.first, room, std::uint32_t(how.wants), how.groups, std::uint32_t(phase),
                    parts_at};
                const observation seen = observe({.words = words_.empty() ? on_.words() : words_,
                                                  .group_size = how.group_size,
                                                  .push_constants = constants,
                                                  .buffers = {logits, words, result, saved},
                                                  .backwards = backwards,
                                                  .groups = {1, riffle::gpu::groups_in(phase, how.groups, copies)},
                                                  .order = how.order});
                all += text_of(seen);
                if (seen.loop_turns > riffle::gpu::most_loop_turns(on_.plan, size, how.group_size, edited, logits_))
                    all += std::to_string(seen.loop_turns) + " turns of loops\n";
            }
            if (logits != before) all += "the row has changed\n";
            const auto told = std::span(saved).subspan(copies ? parts_at : 0);
            if (is_shared_ && (how.groups > 1 || !copies) &&
                std::any_of(told.begin(), told.end(), [](std::uint32_t word) { return word != 0; }))
                all += "what groups have told each other is still there\n";
        }
        if (std::memcmp(results[0].data(), results[1].data(), 4 * riffle::gpu::result_word::count) != 0)
            all += "another order gives another result\n";
        if (is_exact) {
            const kernel_outcome outcome{on_, words, how.group_size, room, how.wants};
            all += difference(chain_, row, riffle::gpu::outcome_of(results[0].data(), room), outcome);
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

    /// With so many NaN ahead of it, and some behind.
    std::vector<std::uint32_t> buffer_of(std::vector<float> row, std::size_t first) const {
        constexpr std::size_t behind = 20;
        row.insert(row.begin(), first, not_a_number);
        row.insert(row.end(), behind, not_a_number);
        const std::vector<std::byte> bytes = bytes_in(logits_, row);
        std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
        std::memcpy(words.data(), bytes.data(), bytes.size());
        return words;
    }

    riffle::dynamic_chain& chain_;
    known_stages on_;
    riffle::logit_format logits_;
    bool is_shared_;  ///< whether rows may have several groups
    riffle::gpu::requests written_;
    std::vector<std::uint32_t> words_;
};

}  // namespace riffle_tests
