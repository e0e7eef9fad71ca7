#pragma once

#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <span>
#include <vector>

namespace preload {

/// The last tokens that were accepted, in their order.
class recent_tokens {
public:
    void push(llama_token token, std::int32_t needed) {
        if (needed <= 0) return;
        const std::size_t count = std::size_t(needed);
        if (all_.size() / 2 >= count) all_.erase(all_.begin(), all_.end() - std::ptrdiff_t(count));
        all_.push_back(token);
    }
    void clear() { all_.clear(); }
    /// As many as are needed, or more.
    std::span<const llama_token> tokens() const { return all_; }

private:
    std::vector<llama_token> all_;
};

}  // namespace preload
