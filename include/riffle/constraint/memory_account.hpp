#pragma once
#include <atomic>
#include <cstddef>

#include <riffle/constraint/shared_pointer.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How many bytes may be in use by all that have a share of it. (One that is replaced lives on as long as somebody uses
/// it; its successor has to know.)
class memory_account : public shared_object {
public:
    std::size_t taken() const noexcept { return taken_.load(std::memory_order_relaxed); }
    void take(std::size_t bytes) noexcept { taken_.fetch_add(bytes, std::memory_order_relaxed); }
    void give_back(std::size_t bytes) noexcept { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
    std::atomic<std::size_t> taken_{0};
};

}  // namespace riffle::detail
