#pragma once
#include <cstddef>
#include <cstdint>

#include <riffle/chain/row_step.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/facts.hpp>
#include <riffle/core/legal_tokens.hpp>
#include <riffle/wide/candidate_row.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a chain under numerics::llama fared: of so many rows so many had to be gone through as llama.cpp does, with a
/// candidate for every token, because the quicker way could not decide.
struct replay_counts {
    std::uint64_t rows = 0, replays = 0;
};

namespace detail {

/// The narrow verbs of a chain's stages on what a step has found, and the way from candidates back to a row.
template <class Stages>
struct verbs_on {
    row_step<Stages>& s;

    /// Whether the run is to stop ahead of this stage.
    bool stops_before_distribution_of(std::size_t i) const noexcept {
        const facts& f = s.stages->fact(i);
        if (!s.stops_at_selector() || f.selects == selecting::no || f.selects == selecting::greatest) return false;
        // llama.cpp's forms of these make the distribution and draw from it at once.
        return !(s.stages->is_exact() && f.makes_its_distribution());
    }
    /// Whether the run is to stop ahead of this stage where it has become candidates. llama.cpp's dist
    /// draws even then: where all its weights are NaN there is no distribution, only its choice.
    bool stops_ahead_of(std::size_t i) const noexcept {
        return stops_before_distribution_of(i) &&
               !(s.stages->is_exact() && s.stages->fact(i).selects == selecting::by_mass);
    }
    /// Stages [first, last), up to where the run is to stop.
    bool narrow(std::size_t first, std::size_t last) noexcept {
        const bool stop = last > first && stops_ahead_of(last - 1);
        if (!narrow_all(first, stop ? last - 1 : last)) return false;
        if (s.stages->is_exact()) {  // llama.cpp leaves inf, NaN made of it, and its flag over logits that were changed
            for (auto& token : s.found) token.logit = canonical(token.logit);
            s.found.sorted = false;
        }
        const bool is_weighed_as_it_is = s.end == run_to::law && stop && (*s.stages)[last - 1].ops->weigh;
        if (stop && !is_weighed_as_it_is) s.stages->prepare(last - 1, s.found);
        return true;
    }
    bool narrow_all(std::size_t first, std::size_t last) noexcept {
        const legal_tokens* const legal = s.stages->is_exact() ? nullptr : s.memory.legal;
        const status_code code = s.stages->narrow(first, last, s.found, *s.past, legal);
        if (code != status_code::ok) s.state.fail(code);
        return code == status_code::ok;
    }

    /// The candidates as a row, if no stage has dropped, moved or chosen one.
    wide::row_found row_of_candidates() noexcept {
        if (s.found.size != s.row.size() || s.found.sorted || s.found.selected >= 0) return {};
        return wide::copy_logits(s.found, s.memory.copies, s.memory.block_maxima);
    }
    void take_row(const wide::row_found& of_candidates) noexcept {
        s.row.assign(s.memory.copies, s.found.size, s.memory.blocks, s.memory.copies);
        s.found.size = 0;
        s.left = of_candidates.maximum;
    }
};

}  // namespace detail
}  // namespace riffle
