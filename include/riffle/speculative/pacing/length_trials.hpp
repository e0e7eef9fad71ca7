#pragma once
#include <algorithm>
#include <cstddef>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// When another length of draft than the usual one is tried, and which, so that one notices what has changed. Trials
/// come the more rarely the more of them have failed.
class length_trials {
public:
    /// Whether a trial is due, where the first one comes in round number `every`; 0: never.
    bool is_due(std::size_t every) const noexcept { return every > 0 && rounds_ + 1 >= every * wait_; }
    /// Whether it has been due for long, because the drafter has nothing that is as long.
    bool is_overdue(std::size_t every) const noexcept { return every > 0 && rounds_ + 1 >= every * (wait_ + 2); }
    /// The length to try, up to `longest`: in turn one more, twice as many, one fewer, none. Where the usual one is
    /// none: a short draft.
    std::size_t length(std::size_t usual, std::size_t longest) const noexcept {
        std::size_t tried = usual;
        for (std::size_t turn = turn_; tried == usual && turn < turn_ + turns; ++turn)
            tried = (std::min)(usual == 0 ? of_none(turn % turns) : of_some(turn % turns, usual), longest);
        return tried;
    }
    /// A round went by without one.
    void pass() noexcept { ++rounds_; }
    /// One was made, and showed that another length is better, or did not.
    void finish(bool is_better) noexcept {
        wait_ = is_better ? 1 : (std::min)(2 * wait_, std::size_t{longest_wait});
        rounds_ = 0;
        ++turn_;
    }

private:
    enum : std::size_t { longest_wait = 8, turns = 4 };
    static std::size_t of_none(std::size_t turn) noexcept { return turn == 3 ? 4 : turn == 1 ? 2 : 1; }
    static std::size_t of_some(std::size_t turn, std::size_t usual) noexcept {
        return turn == 0 ? usual + 1 : turn == 1 ? 2 * usual : turn == 2 ? usual - 1 : 0;
    }

    std::size_t rounds_ = 0;  ///< since the last one
    std::size_t wait_ = 1;    ///< until the next one, in multiples of the shortest
    std::size_t turn_ = 0;
};

}  // namespace riffle::detail
