#include "gpu/agreement.hpp"

#include <algorithm>

#include "half_floats.hpp"
#include "spirv/expected_outcome.hpp"

namespace riffle_tests {

using namespace riffle;
using namespace riffle::gpu;

device_chain::device_chain(dynamic_chain& chain, std::size_t longest_row, std::uint32_t group_size, std::size_t room,
                           std::size_t rows)
    : chain_(chain), on_(chain),
      group_size_(invocations_up_to(group_size)), sizes_{longest_row * rows + 64,
                                                         (on_.layout.words + 20 * longest_row + 8192) * rows,
                                                         rows,
                                                         room,
                                                         0,
                                                         1,
                                                         logit_format::float32,
                                                         longest_row},
      words_(on_.words()) {}

void device_chain::share_rows() {
    sizes_.groups_a_row = 0;
    use_format(sizes_.format);
}
void device_chain::use_format(logit_format format) {
    sizes_.format = format;
    made_words_ = on_.make_words({.module = on_.options.module, .groups_a_row = sizes_.groups_a_row, .logits = format});
    words_ = made_words_.span();
}

kernel_runner& device_chain::runner() {
    if (!runner_) {
        runner_ = std::make_unique<kernel_runner>(words_, on_.plan, on_.layout, group_size_, sizes_, context_);
        EXPECT_TRUE(runner_->state().ok()) << runner_->state().message().c_str();
    }
    return *runner_;
}

void device_chain::expect_agreement(std::span<const float> row, const std::string& what) {
    const std::vector<float> one(row.begin(), row.end());
    expect_agreement({&one, 1}, row.size(), 1, what);
}

void device_chain::expect_agreement(std::span<const std::vector<float>> rows, std::size_t stride, int times,
                                    const std::string& what) {
    kernel_runner& run = runner();
    if (!run.state().ok()) return;  // which has been said
    const std::size_t vocabulary = rows[0].size(), logit_bytes = bytes_of(sizes_.format);
    const std::span<std::byte> memory = std::as_writable_bytes(run.logits());
    std::ranges::fill(memory, std::byte{0x7f});  // what lies between rows is not looked at: NaN, or great numbers
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::ranges::copy(bytes_in(sizes_.format, rows[r]),
                          memory.begin() + std::ptrdiff_t((first_logit_ + r * stride) * logit_bytes));
    const std::vector<std::byte> before(memory.begin(), memory.end());
    written_.begin(run.request_words(), on_.layout, rows.size(), vocabulary);
    if (is_for_processor()) {
        ASSERT_FALSE(written_.add(on_, chain_, 0)) << what;
        return;
    }
    for (std::size_t r = 0; r < rows.size(); ++r)
        ASSERT_TRUE(written_.add(on_, chain_, r)) << what << ": " << chain_.last_status().message().c_str() << ", "
                                                  << written_.words() << " words of " << run.request_words().size();
    kernel_rows all = rows_of(written_, std::uint32_t(sizes_.room));
    all.stride = std::uint32_t(stride);
    all.wants = wants_;
    all.groups = groups_;
    all.first_logit = first_logit_;
    const device_status ran = run.run(all, times);
    ASSERT_TRUE(ran.ok()) << what << ": " << ran.message().c_str();
    EXPECT_TRUE(std::ranges::equal(before, memory)) << what << ": the row has changed";
    EXPECT_TRUE(sizes_.groups_a_row == 1 || is_copied(on_.plan, sizes_.format) || run.is_scratch_clear()) << what;
    for (std::size_t r = 0; r < rows.size(); ++r)
        expect_outcome(values_in(sizes_.format, rows[r]), run.outcome(r),
                       run.request_words().subspan(r * on_.layout.words), what);
}

bool device_chain::is_for_processor() const {
    const stage_list stages = chain_.view();
    for (std::size_t i = 0; i < on_.plan.stages; ++i)
        if (const xtc* stage = spec_as<xtc>(stages[i]); stage && !stage->exempt.empty()) return true;
    return false;
}

void device_chain::expect_outcome(std::span<const float> row, const row_outcome& found,
                                  std::span<const std::uint32_t> request, const std::string& what) {
    const kernel_outcome how{on_, request, group_size_, sizes_.room, wants_};
    EXPECT_EQ(difference(chain_, row, found, how), "") << what;
}

}  // namespace riffle_tests
