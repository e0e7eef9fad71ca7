#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <riffle/core/size_arithmetic.hpp>
#include <riffle/core/status.hpp>
#include <riffle/core/storage.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// Scratch for as many chains as are busy at once, however many there are: a chain's scratch carries nothing from one
/// step to the next, so whoever samples a row takes the first that is free and gives it back. Memory comes into a place
/// when it is first used.
class scratch_pool {
public:
    struct place {
        std::atomic_flag busy{};
        storage memory;
    };

    storage& memory(std::size_t i) noexcept { return places_[i].memory; }

    /// At least so many places, none of them taken.
    status reserve(std::size_t count) noexcept {
        if (count <= count_) return {};
        if (count > largest_object / sizeof(place)) return status_code::out_of_memory;
        std::unique_ptr<place[]> grown(new (std::nothrow) place[count]);
        if (!grown) return status_code::out_of_memory;
        for (std::size_t i = 0; i < count_; ++i) grown[i].memory = std::move(places_[i].memory);
        places_ = std::move(grown);
        count_ = count;
        return {};
    }
    /// The first place that is free, now taken. There is one, as no more are asked for at once than there are places.
    place& take() noexcept {
        for (std::size_t i = 0;; i = i + 1 < count_ ? i + 1 : 0)
            if (!places_[i].busy.test_and_set(std::memory_order_acquire)) return places_[i];
    }
    static void give_back(place& p) noexcept { p.busy.clear(std::memory_order_release); }

private:
    std::unique_ptr<place[]> places_;
    std::size_t count_ = 0;
};

}  // namespace riffle::detail
