#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/math/config.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What a controller has seen, all drafters together, from its beginning or reset on.
struct controller_report {
    /// Positions that are told apart; later ones count as the last.
    static constexpr std::size_t positions = 64;

    std::uint64_t rounds = 0;    ///< that were noted; those that failed are not
    std::uint64_t tokens = 0;    ///< what the text got in them
    std::uint64_t drafted = 0;   ///< tokens of lines, nodes of trees
    std::uint64_t accepted = 0;  ///< drafted tokens that the text got
    double tokens_a_step = 0.0;  ///< tokens a round; 0 where there was none

    double seconds_of_model = 0.0;     ///< what measure_model was given
    double seconds_of_drafter = 0.0;   ///< what measure_drafter was given
    double seconds_of_verifier = 0.0;  ///< what measure_verifier was given
    /// About what the same tokens would have taken one by one: for each an evaluation of one row, by what one cost when
    /// the round was noted, and the verifier's time, which goes with tokens. 0 where no evaluation was measured.
    double seconds_without_drafts = 0.0;

    /// Position by position, from 0: of the drafts that had a token there, the share whose token was accepted. (Of a
    /// tree: that were as deep.) To the last position that was drafted.
    std::span<const float> accepted_by_position() const& noexcept { return {shares.data(), shares_count}; }
    /// The report has to outlive it.
    std::span<const float> accepted_by_position() const&& = delete;

    std::array<float, positions> shares{};  ///< what accepted_by_position gives
    std::size_t shares_count = 0;           ///< how many of them
};

namespace detail {

/// Counts what a report tells.
class controller_counts {
public:
    void note(std::size_t tokens, std::size_t drafted, std::size_t depth, std::size_t accepted,
              double seconds_of_one_row) noexcept {
        ++sums_.rounds;
        sums_.tokens += tokens;
        sums_.drafted += drafted;
        sums_.accepted += accepted;
        sums_.seconds_without_drafts += double(tokens) * seconds_of_one_row;
        for (std::size_t i = 0; i < depth; ++i) {
            at_position& one = positions_[i < controller_report::positions ? i : controller_report::positions - 1];
            ++one.drafted;
            one.accepted += i < accepted;
        }
    }
    void add_model(double seconds) noexcept { sums_.seconds_of_model += seconds; }
    void add_drafter(double seconds) noexcept { sums_.seconds_of_drafter += seconds; }
    void add_verifier(double seconds) noexcept { sums_.seconds_of_verifier += seconds; }

    controller_report report() const noexcept {
        controller_report made = sums_;
        if (made.rounds > 0) made.tokens_a_step = double(made.tokens) / double(made.rounds);
        if (made.seconds_without_drafts > 0.0) made.seconds_without_drafts += made.seconds_of_verifier;
        for (const at_position& one : positions_) {
            if (one.drafted == 0) break;
            made.shares[made.shares_count++] = float(double(one.accepted) / double(one.drafted));
        }
        return made;
    }

private:
    struct at_position {
        std::uint64_t drafted = 0, accepted = 0;
    };
    controller_report sums_;
    std::array<at_position, controller_report::positions> positions_{};
};

}  // namespace detail
}  // namespace riffle
