#pragma once
#include <iterator>
#include <string>

#include <fmt/format.h>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/stage_list.hpp>
#include <riffle/core/tuning.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The name of a pass, as the plan prints it.
constexpr const char* name_of(pass op) noexcept {
    switch (op) {
    case pass::edit: return "edit";
    case pass::edit_all: return "edit_all";
    case pass::hide: return "hide";
    case pass::rewrite: return "rewrite";
    case pass::adjust: return "adjust";
    case pass::max: return "max";
    case pass::moments: return "moments";
    case pass::mass: return "mass";
    case pass::softmax: return "softmax";
    case pass::select: return "select";
    case pass::above: return "above";
    case pass::nucleus_end: return "nucleus";
    case pass::search: return "search";
    case pass::head: return "head";
    case pass::gather: return "gather";
    case pass::pick: return "pick";
    case pass::choose: return "choose";
    case pass::draw: return "draw";
    case pass::rows: return "rows";
    case pass::back_to_row: return "back_to_row";
    case pass::exact: return "exact";
    case pass::narrow: return "narrow";
    }
    return "?";
}

namespace detail {

/// "temperature, soft_cap": the stages of [first, last) that `wanted` takes.
template <class Wanted>
std::string stage_names(const stage_list& stages, std::size_t first, std::size_t last, Wanted wanted) {
    std::string text;
    for (std::size_t i = first; i < last && i < stages.size(); ++i)
        if (wanted(stages.fact(i))) text += (text.empty() ? "" : ", ") + std::string(stages.name(i));
    return text;
}
inline std::string stage_names(const stage_list& stages, std::size_t first, std::size_t last) {
    return stage_names(stages, first, last, [](const facts&) { return true; });
}

inline std::string times(std::size_t count) {
    if (count == 0) return "not at all";
    return count == 1 ? "once" : fmt::format("{} times as a rule", count);
}

/// Whether the next stages can go on with a row in which the bridge has left many tokens.
inline bool goes_on_in_row(const stage_list& stages, const plan& p) {
    if (p.bridge >= stages.size()) return false;
    const plan& next = stages.plan_for(stages.bridge(std::size_t(-1), p.bridge + 1));
    return p.has(pass::draw) || p.goes_on_at(next) < next.size;
}

/// What a pass does for which stages, in words.
inline std::string describe(const stage_list& stages, const plan& p, const plan_step& s) {
    const std::string who = stage_names(stages, s.first, s.last);
    const std::string maps = stage_names(stages, p.pending, p.bridge, [](const facts& f) { return f.maps; });
    const std::string folded = maps.empty() ? "" : fmt::format("; {} folded in", maps);
    const std::string commuted =
        maps.empty() ? "" : fmt::format("; {} commuted past the cut, applied to survivors", maps);
    switch (s.op) {
    case pass::edit: return fmt::format("{}: kept beside the row, many of a block in a private copy of it", who);
    case pass::edit_all: return fmt::format("{}: one call a token, in a private copy of the row", who);
    case pass::hide: return fmt::format("{}: private copies of blocks that it hides in part", who);
    case pass::rewrite: return fmt::format("{}: written out into a private copy of the row", who);
    case pass::adjust:
        return fmt::format("{}: learns the softmax statistics of the row, then changes a private copy of it, or the "
                           "few tokens it is about",
                           who);
    case pass::max: return "reads every logit: block maxima and the greatest";
    case pass::moments: return fmt::format("reads every logit for {}: mean and deviation{}", who, folded);
    case pass::mass: return fmt::format("exp of every logit that can weigh, for {}{}", who, folded);
    case pass::softmax:
        return fmt::format("exp of every logit that can weigh, for {}: mass and entropy{}", who, folded);
    case pass::select: return fmt::format("{}: reads the blocks that can hold one of its k{}", who, commuted);
    case pass::above:
        return fmt::format("{}: reads the blocks whose maximum reaches the cut{}{}", who, commuted,
                           goes_on_in_row(stages, p)
                               ? fmt::format("; more than {} that reach it stay in the row", tuning::many_survivors)
                               : "");
    case pass::nucleus_end:
        return fmt::format("{}: where many tokens could be in the nucleus, its lower end{}", who, folded);
    case pass::search:
        return fmt::format("{}: more and more of the greatest, until its set is among them{}", who, commuted);
    case pass::head:
        return fmt::format("{}: reads the blocks that can hold one of its first m, then of its k{}", who, commuted);
    case pass::gather: return fmt::format("{}: reads the few logits that it leaves", who);
    case pass::pick: return fmt::format("{}: straight from the row{}", who, folded);
    case pass::choose: return fmt::format("{} among the survivors", who);
    case pass::draw: return fmt::format("{} among the survivors, straight from the row where they are many", who);
    case pass::rows: return "12 bytes for every token";
    case pass::back_to_row:
        return "copies their logits, where every token is left; else the narrow verbs go on over what is";
    case pass::exact:
        return fmt::format("{}: as llama.cpp runs them, on the row while every token is there, then on candidates",
                           who);
    case pass::narrow: return fmt::format("{} over the survivors", who);
    }
    return {};
}

/// Why a row becomes 12-byte candidates before anything is cut.
inline std::string why_rows(const stage_list& stages, std::size_t row_size) {
    const std::size_t bridge = stages.bridge(row_size, 0);
    if (bridge < stages.size() && stages.is_short(row_size, bridge))
        return fmt::format("a row of {} is too short for passes over it to pay", row_size);
    const std::string forced = stage_names(stages, 0, bridge, [](const facts& f) { return f.applies; });
    if (!forced.empty()) return fmt::format("{} has only a narrow verb and stands before anything narrows", forced);
    if (bridge < stages.size()) return fmt::format("{} selects among candidates", stages.name(bridge));
    return "no stage narrows or selects";
}

}  // namespace detail

/// The plan for a row of that size as text, for the chain whose stages `stages` knows: its passes in order, with what
/// was folded, commuted or written out, and why there are 12-byte rows where there are.
inline std::string plan_text(const stage_list& stages, std::size_t row_size) {
    const plan& p = stages.plan_for_row(row_size);
    std::string text = "chain     ";
    for (std::size_t i = 0; i < stages.size(); ++i) text += (i ? " | " : "") + std::string(stages.name(i));
    text += "\nreads     the whole row " + detail::times(p.row_reads()) + "\n";
    if (p.has(pass::rows)) text += "rows      because " + detail::why_rows(stages, row_size) + "\n";
    for (std::size_t i = 0; i < p.size; ++i) {
        const plan_step& s = p.steps[i];
        if (s.op == pass::narrow && s.first >= s.last) continue;
        text += fmt::format("{:<9} {}\n", name_of(s.op), detail::describe(stages, p, s));
    }
    return text;
}

}  // namespace riffle
