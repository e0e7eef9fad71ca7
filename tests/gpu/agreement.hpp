#pragma once
// Whether the device and the chain's stages, run one after the other on candidates, agree bit for bit: the token, which
// tokens are left, their logits and probabilities, and the row that lies there as it was.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chain/run_time.hpp"
#include "gpu/kernel_runner.hpp"
#include "spirv/known_stages.hpp"

namespace riffle_tests {

/// A chain on the device, for rows of up to so many logits.
class device_chain {
public:
    device_chain(riffle::dynamic_chain& chain, std::size_t longest_row, std::uint32_t group_size = 256,
                 std::size_t room = 64, std::size_t rows = 1);

    /// Where its buffers lie, and how large they are; and another context than the test device's. Ahead of the first
    /// row.
    void place(const kernel_runner::sizes& s, const riffle::gpu::device_context* context = nullptr) {
        sizes_ = s;
        context_ = context;
    }
    /// A module that was made elsewhere.
    void use(std::span<const std::uint32_t> words) { words_ = words; }
    /// Several work groups a row: for any number of them, a module of its own, ahead of the first row; and how many.
    void share_rows();
    void use_groups(std::uint32_t groups) { groups_ = groups; }
    /// 16-bit logits, ahead of the first row; rows are given as floats, next to which they are. And so many logits that
    /// lie ahead of the first row.
    void use_format(riffle::logit_format format);
    void begin_at(std::uint32_t first_logit) { first_logit_ = first_logit; }
    /// What the kernel is to tell; all, unless this is called.
    void want(riffle::gpu::wanted wants) { wants_ = wants; }
    const riffle::gpu::device_plan& plan() const { return on_.plan; }
    const known_stages& on() const { return on_; }
    /// The kernel; made when it is first needed.
    kernel_runner& runner();
    /// One row, as the chain stands.
    void expect_agreement(std::span<const float> row, const std::string& what);
    /// Several, which lie `stride` floats apart, run `times` times in one command buffer.
    void expect_agreement(std::span<const std::vector<float>> rows, std::size_t stride, int times,
                          const std::string& what);

private:
    /// Whether no request holds what the chain's stages on the device have: xtc's exempt tokens.
    bool is_for_processor() const;
    void expect_outcome(std::span<const float> row, const riffle::gpu::row_outcome& found,
                        std::span<const std::uint32_t> request, const std::string& what);

    riffle::dynamic_chain& chain_;
    known_stages on_;
    std::uint32_t group_size_;
    riffle::gpu::wanted wants_ = riffle::gpu::wanted::tokens_and_p;
    kernel_runner::sizes sizes_;
    const riffle::gpu::device_context* context_ = nullptr;
    std::span<const std::uint32_t> words_;
    riffle::gpu::emitted_words made_words_;
    std::uint32_t groups_ = 0, first_logit_ = 0;
    std::unique_ptr<kernel_runner> runner_;
    riffle::gpu::requests written_;
};

}  // namespace riffle_tests
