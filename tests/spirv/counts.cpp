// What the kernels of usual chains execute, instruction by instruction, on no device: what they cost may not rise
// unnoticed. The figures of counts.txt are those of the modules as they are emitted. Where spirv-opt is at hand, those
// of the modules that it makes of them are printed beside, since drivers do much the same.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <riffle/gpu/host/requests.hpp>
#include <riffle/riffle.hpp>

#include "half_floats.hpp"
#include "reference/rows.hpp"
#include "spirv/interpreter.hpp"
#include "spirv/known_stages.hpp"
#include "test_files.hpp"

namespace riffle_tests::spirv_counts {
namespace {

using namespace riffle;

// ---- rows: those of benchmarks/rows.hpp, but for the normal numbers, which are exact on every machine here

class normal_numbers {
public:
    explicit normal_numbers(std::uint64_t seed) : random_(seed) {}
    /// In steps of 2^-16, from 0 to below 1.
    float uniform() { return float(random_.next() >> 48) * 0x1p-16f; }
    /// The sum of twelve uniform ones has a deviation of 1.
    float normal() {
        std::int64_t sum = -6 * 65536;
        for (int three = 0; three < 3; ++three)
            for (std::uint64_t four = random_.next(), i = 0; i < 4; ++i) sum += std::int64_t(four >> (16 * i) & 0xffff);
        return float(sum) * 0x1p-16f;
    }
    std::size_t below(std::size_t bound) { return random_.below(bound); }

private:
    random_integers random_;
};
float at_height(float mean, float deviation, float height) {
    return reference::rounded(mean + reference::rounded(deviation * height));
}
std::vector<float> medium(std::size_t size) {
    normal_numbers numbers(1);
    const float mean = -2.0f + numbers.uniform(), deviation = 2.0f + numbers.uniform();
    std::vector<float> row(size);
    for (float& logit : row) logit = at_height(mean, deviation, numbers.normal());
    float height = 6.0f + 4.0f * numbers.uniform();
    for (int i = 0; i < 60 && height > 0.0f; ++i) {
        row[numbers.below(size)] = at_height(mean, deviation, height);
        height = reference::rounded(height - 0.1f - reference::rounded(0.35f * numbers.uniform()));
    }
    return row;
}
std::vector<float> flat(std::size_t size) {
    normal_numbers numbers(1);
    std::vector<float> row(size);
    for (float& logit : row) logit = 2.0f * numbers.normal();
    return row;
}
struct named_row {
    const char* name;
    std::vector<float> (*make)(std::size_t size);
};
constexpr std::array rows{named_row{"medium", medium}, named_row{"flat", flat}};

// ---- chains

template <class... Stages>
dynamic_chain chain_of(const Stages&... stages) {
    dynamic_chain chain;
    ((void)chain.push(stages), ...);
    return chain;
}
dynamic_chain usual_chain() {
    return chain_of(top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 42});
}
dynamic_chain chain_with_penalties() {
    dynamic_chain chain = chain_of(penalties{.repeat = 1.1f}, top_k{.k = 40}, top_p{.p = 0.95f}, min_p{.p = 0.05f},
                                   temperature{.t = 0.8f}, dist{.seed = 42});
    for (token_id t = 0; t < 64; ++t) (void)chain.accept(7 * t);
    return chain;
}
struct named_chain {
    const char* name;
    dynamic_chain (*make)();
    bool has_all_group_sizes = false;
    logit_format logits = logit_format::float32;
};
dynamic_chain greedy_chain() { return chain_of(greedy{}); }
dynamic_chain chain_that_draws() { return chain_of(temperature{.t = 0.8f}, dist{.seed = 42}); }
const std::array chains{
    named_chain{"greedy", greedy_chain},
    named_chain{"dist", chain_that_draws},
    named_chain{"min_p", [] { return chain_of(min_p{.p = 0.05f}, temperature{.t = 0.8f}, dist{.seed = 42}); }},
    named_chain{"usual", usual_chain, true},
    named_chain{"gumbel", [] { return chain_of(temperature{.t = 0.8f}, gumbel{.seed = 42}); }},
    named_chain{"top_p", [] { return chain_of(temperature{.t = 0.8f}, top_p{.p = 0.95f}, dist{.seed = 42}); }},
    named_chain{"penalties", chain_with_penalties},
    named_chain{"typical", [] { return chain_of(typical{.p = 0.9f}, dist{.seed = 42}); }},
    named_chain{"greedy_float16", greedy_chain, false, logit_format::float16},
    named_chain{"dist_float16", chain_that_draws, false, logit_format::float16},
    named_chain{"usual_float16", usual_chain, false, logit_format::float16},
    named_chain{"penalties_float16", chain_with_penalties, false, logit_format::float16},
    named_chain{"greedy_bfloat16", greedy_chain, false, logit_format::bfloat16},
    named_chain{"usual_bfloat16", usual_chain, false, logit_format::bfloat16},
};

// ---- one row by one module

struct counted_run {
    executed counts;
    token_id token = null_token;
    std::vector<std::string> faults;
};
counted_run run(const known_stages& on, dynamic_chain& chain, std::span<const std::uint32_t> module,
                const std::vector<std::byte>& row, std::uint32_t group_size) {
    constexpr std::uint32_t room = 64, lanes_of_a_subgroup = 32;
    const auto size = std::uint32_t(row.size() / bytes_of(on.options.logits));
    std::vector<std::uint32_t> request(on.layout.words + 20 * std::size_t{size} + 8192);
    gpu::requests written;
    written.begin(request, on.layout, 1, size);
    EXPECT_TRUE(written.add(on, chain, 0));
    request.resize(written.words());
    const bool copies = gpu::is_copied(on.plan, on.options.logits);
    std::vector<std::uint32_t> logits(row.size() / 4), result(gpu::result_words(room)),
        saved(copies ? gpu::copied_row_words(size) : written.edited_ids() + 1);
    std::memcpy(logits.data(), row.data(), row.size());
    const std::vector<std::uint32_t> constants{size, size, 0, 0, room, std::uint32_t(gpu::wanted::token)};
    const observation seen = observe({.words = module,
                                      .group_size = group_size,
                                      .push_constants = constants,
                                      .buffers = {logits, request, result, saved},
                                      .subgroup = lanes_of_a_subgroup});
    return {seen.counts, token_id(result[gpu::result_word::token]), seen.faults};
}

/// The module as spirv-opt makes it smaller and quicker; empty where there is no spirv-opt.
std::vector<std::uint32_t> optimised(std::span<const std::uint32_t> module) {
    const std::string before = testing::TempDir() + "riffle_counts.spv", after = before + ".opt";
    std::ofstream(before, std::ios::binary)
        .write(reinterpret_cast<const char*>(module.data()), std::streamsize(module.size_bytes()));
    const std::string command = "spirv-opt -O --strip-debug '" + before + "' -o '" + after + "' >/dev/null 2>&1";
    std::vector<std::uint32_t> words;
    if (std::system(command.c_str()) == 0) {
        std::ifstream file(after, std::ios::binary);
        for (std::uint32_t word = 0; file.read(reinterpret_cast<char*>(&word), sizeof word);) words.push_back(word);
    }
    std::remove(before.c_str());
    std::remove(after.c_str());
    return words;
}

// ---- figures

constexpr std::array<const char*, 8> names{"instructions/token", "words read/V", "loads issued/V", "shared loads/token",
                                           "atomics/token",      "barriers/row", "lockstep/token", "words of module"};
using figures = std::array<double, names.size()>;

figures figures_of(const executed& counts, std::size_t size, std::size_t words) {
    const auto per_token = [&](std::uint64_t count) { return double(count) / double(size); };
    return {per_token(counts.instructions),
            per_token(counts.logit_words),
            per_token(counts.logit_loads),
            per_token(counts.shared_loads),
            per_token(counts.shared_atomics + counts.buffer_atomics),
            double(counts.barriers),
            per_token(counts.lockstep_instructions),
            double(words)};
}
std::string text_of(const figures& all) {
    char text[160];
    std::snprintf(text, sizeof text, "%8.2f %7.3f %7.3f %7.3f %8.4f %4.0f %8.2f %6.0f", all[0], all[1], all[2], all[3],
                  all[4], all[5], all[6], all[7]);
    return text;
}
/// As a file has them: a number that was written is the same again.
figures figures_in(const std::string& text) {
    figures all{};
    std::istringstream numbers(text);
    for (double& figure : all) numbers >> figure;
    return all;
}

// ---- the file: a line a case, its name of four words and the figures

std::string head_of_file() {
    std::string head = "# chain V row group:";
    for (std::size_t i = 0; i < names.size(); ++i) head += std::string(i ? ", " : " ") + names[i];
    return head + "\n";
}
std::map<std::string, figures> known_figures() {
    std::map<std::string, figures> known;
    std::ifstream file(test_file("spirv/counts.txt"));
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string chain, size, row, group, rest;
        if (line.starts_with("#") || !(words >> chain >> size >> row >> group)) continue;
        std::getline(words, rest);
        known[chain + " " + size + " " + row + " " + group] = figures_in(rest);
    }
    return known;
}

class comparison {
public:
    void add(const std::string& name, const figures& now, const std::string& beside) {
        char line[256];
        std::snprintf(line, sizeof line, "%-34s %s", name.c_str(), text_of(now).c_str());
        file_ += std::string(line) + "\n";
        table_ += std::string(line) + (beside.empty() ? "" : "  |" + beside) + "\n";
        const auto known = known_.find(name);
        if (known == known_.end()) ADD_FAILURE() << name << " is not in counts.txt";
        else compare(name, known->second, figures_in(text_of(now)));
    }
    void tell() const {
        std::printf("%s", head_of_file().c_str());
        std::printf("# behind |: the module of spirv-opt -O\n%s%s", table_.c_str(), fallen_.c_str());
        if (!fallen_.empty() || testing::Test::HasFailure())
            std::printf("counts.txt as it is now:\n%s%s", head_of_file().c_str(), file_.c_str());
    }

private:
    void compare(const std::string& name, const figures& before, const figures& now) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (now[i] > before[i])
                ADD_FAILURE() << name << ": " << names[i] << " risen from " << before[i] << " to " << now[i];
            constexpr double noticed = 0.995;
            if (now[i] < noticed * before[i])
                fallen_ += name + ": " + names[i] + " fallen from " + std::to_string(before[i]) + " to " +
                           std::to_string(now[i]) + "\n";
        }
    }

    std::map<std::string, figures> known_ = known_figures();
    std::string file_, table_, fallen_;
};

TEST(Counts, HaveNotRisen) {
    comparison compared;
    for (const named_chain& c : chains) {
        dynamic_chain chain = c.make();
        const known_stages on(chain, {.logits = c.logits});
        ASSERT_TRUE(on.plan.chooses_token()) << c.name;
        const std::vector<std::uint32_t> smaller = optimised(on.words());
        for (const named_row& r : rows)
            for (const std::size_t size : {std::size_t{32768}, std::size_t{131072}}) {
                if (c.logits != logit_format::float32 && size != 131072) continue;
                const std::vector<float> made = r.make(size);
                const std::vector<std::byte> row = bytes_in(c.logits, made);
                const token_id expected = chain.peek(values_in(c.logits, made));
                for (const std::uint32_t group_size : {256u, 64u, 1024u}) {
                    if (group_size != 256 && !c.has_all_group_sizes) continue;
                    const std::string name = std::string(c.name) + " " + std::to_string(size) + " " + r.name + " " +
                                             std::to_string(group_size);
                    const counted_run seen = run(on, chain, on.words(), row, group_size);
                    EXPECT_EQ(seen.token, expected) << name;
                    EXPECT_EQ(seen.faults, std::vector<std::string>()) << name;
                    std::string beside;
                    if (!smaller.empty()) {
                        const counted_run quick = run(on, chain, smaller, row, group_size);
                        EXPECT_EQ(quick.token, expected) << name << ", by spirv-opt";
                        EXPECT_EQ(quick.faults, std::vector<std::string>()) << name << ", by spirv-opt";
                        beside = text_of(figures_of(quick.counts, size, smaller.size()));
                    }
                    compared.add(name, figures_of(seen.counts, size, on.words().size()), beside);
                }
            }
    }
    compared.tell();
}

}  // namespace
}  // namespace riffle_tests::spirv_counts
