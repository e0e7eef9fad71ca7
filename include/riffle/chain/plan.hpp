#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <riffle/core/facts.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The instruction set of a machine.
enum class pass : std::uint8_t {
    edit,         ///< a stage changes the logits of a few ids, which are kept beside the row
    edit_all,     ///< a stage is asked for the bias of every token
    hide,         ///< a mask makes ids illegal: private copies of mixed blocks
    rewrite,      ///< a map is applied to a private copy of the row
    adjust,       ///< a stage learns the softmax statistics of the row, then maps it or removes a few of its tokens
    max,          ///< the greatest logit and the maximum of every block
    moments,      ///< mean and deviation
    mass,         ///< Σ exp(logit - maximum) by block
    softmax,      ///< Σ exp(logit - maximum), entropy and collision
    select,       ///< the k greatest, from the blocks that can hold them
    above,        ///< all at or above a threshold
    nucleus_end,  ///< where the nucleus ends: among candidates, in a band that a sample shows, or by a histogram
    search,       ///< a set that the softmax statistics describe, among more and more of the greatest
    head,         ///< the k greatest, k following from the first few
    gather,       ///< the ids a mask leaves
    pick,         ///< a token straight from the row
    choose,       ///< a selector that narrowed the row chooses among what is left
    draw,         ///< a selector that narrowed the row draws by mass: from the row where many are left
    rows,         ///< a 12-byte candidate for every token
    back_to_row,  ///< candidates that were left whole are a row again; on others the narrow verbs go on
    exact,        ///< stages as llama.cpp runs them, on the row as long as all tokens are there, then on candidates
    narrow,       ///< the narrow verbs of stages, one after the other
};
RIFFLE_LOCAL inline constexpr std::size_t pass_count = std::size_t(pass::narrow) + 1;

/// One pass, on behalf of stages [first, last).
struct plan_step {
    pass op = pass::max;
    std::uint8_t first = 0, last = 0;
    friend bool operator==(const plan_step&, const plan_step&) = default;
};

/// The most stages a chain may have.
RIFFLE_LOCAL inline constexpr std::size_t max_stages = 32;

/// What a chain does with a row, as a value. One for every stage that can be the bridge, which is the first stage that
/// narrows at present; parameters and masks choose among them for each step.
struct plan {
    /// At most one pass for every stage ahead of the bridge, but three for one of them, and five from there on.
    static constexpr std::size_t capacity = max_stages + 7;

    std::array<plan_step, capacity> steps{};
    std::size_t size = 0;
    /// The stage that turns the row into candidates, or the selector; the number of stages for none.
    std::size_t bridge = 0;
    /// Maps of stages [pending, bridge) are folded into mass, moments and pick, or commuted past a cut; bridge for
    /// none.
    std::uint8_t pending = 0;

    /// Appends a pass on behalf of stages [first, last).
    constexpr void push(pass op, std::size_t first, std::size_t last) noexcept {
        steps[size++] = {op, std::uint8_t(first), std::uint8_t(last)};
    }
    /// Whether such a pass is in it.
    constexpr bool has(pass op) const noexcept {
        for (std::size_t i = 0; i < size; ++i)
            if (steps[i].op == op) return true;
        return false;
    }
    /// The passes that are in it, a bit each.
    constexpr std::uint64_t passes() const noexcept {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < size; ++i) all |= std::uint64_t{1} << unsigned(steps[i].op);
        return all;
    }
    /// How many passes read every logit, as a rule, each counted once. `select` is none: it reads a block for each of
    /// its k, and all of them only for a k of the size of the row. Finding the end of a large nucleus reads up to four
    /// times more, drawing from a distribution of one's own (adaptive_p) twice more.
    constexpr std::size_t row_reads() const noexcept {
        std::size_t reads = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const pass op = steps[i].op;
            const bool is_known = op == pass::max && i > 0 && steps[i - 1].op == pass::back_to_row;
            reads += (op == pass::max && !is_known) || op == pass::moments || op == pass::mass || op == pass::softmax ||
                     op == pass::above || op == pass::search || op == pass::exact || op == pass::rewrite ||
                     op == pass::edit_all || op == pass::rows || op == pass::back_to_row;
            if (op == pass::adjust) reads += 3;
        }
        return reads;
    }
    /// How many steps prepare the row before its maximum is taken; all where none takes it.
    constexpr std::size_t overlays() const noexcept {
        std::size_t i = 0;
        while (i < size && steps[i].op != pass::max) ++i;
        return i;
    }
    /// How many stages are run on candidates before those are a row again; 0 where that does not happen.
    constexpr std::size_t verbs_ahead() const noexcept {
        return first_on_row() > 0 ? steps[first_on_row() - 1].first : 0;
    }
    /// Which step comes behind the last back_to_row; 0 without one.
    constexpr std::size_t first_on_row() const noexcept {
        std::size_t i = size;
        while (i > 0 && steps[i - 1].op != pass::back_to_row) --i;
        return i;
    }
    /// Where a plan of a later bridge goes on with the row that this one has prepared and its bridge has narrowed;
    /// next.size where it cannot, because it would have prepared the row in another way, or would run the bridge again
    /// with a verb behind it.
    constexpr std::size_t goes_on_at(const plan& next) const noexcept {
        const std::size_t done = overlays();
        if (next.overlays() == next.size || next.overlays() < done) return next.size;
        for (std::size_t i = 0; i < next.overlays(); ++i)
            if (i < done ? steps[i] != next.steps[i] : next.steps[i].op == pass::rows) return next.size;
        return done;
    }
    friend constexpr bool operator==(const plan& a, const plan& b) noexcept {
        if (a.size != b.size || a.bridge != b.bridge || a.pending != b.pending) return false;
        for (std::size_t i = 0; i < a.size; ++i)
            if (a.steps[i] != b.steps[i]) return false;
        return true;
    }
};

/// Whether a machine can fold maps into mass, moments and pick, as a chain whose types are known can.
enum class folding { yes, no };

/// The plan of a chain of `count` stages, at most max_stages, with these facts, when `bridge` is the first that
/// narrows; `count` when none does and there is no selector.
///
/// Edits and masks before the bridge become overlays of the row. Maps wait: a monotone one is commuted past a cut or
/// folded into an exp; it must be written out only when an edit or an adjustment follows it, when it is not monotone,
/// or when the machine cannot fold. A stage that has nothing but a narrow verb, ahead of the bridge, forces candidates
/// for all tokens; edits that stand ahead of all other stages are made in the row first. Behind the last such stage the
/// candidates are a row again.
constexpr plan make_plan(const facts* stages, std::size_t count, std::size_t bridge,
                         folding folds = folding::yes) noexcept {
    plan p;
    p.bridge = bridge;
    const bool wide_bridge =
        bridge < count && (stages[bridge].narrows != narrowing::no ||
                           (stages[bridge].selects != selecting::no && stages[bridge].selects != selecting::own));
    if (!wide_bridge) {
        p.push(pass::rows, 0, 0);
        p.push(pass::narrow, 0, count);
        return p;
    }
    std::size_t start = bridge;  // behind the last stage that applies
    while (start > 0 && !stages[start - 1].applies) --start;
    if (start > 0) {
        std::size_t first = 0;
        for (; first < start && stages[first].edits; ++first) p.push(pass::edit, first, first + 1);
        p.push(pass::rows, 0, 0);
        p.push(pass::narrow, first, start);
        p.push(pass::back_to_row, start, count);
    }
    p.pending = std::uint8_t(start);

    const facts& b = stages[bridge];
    bool adjusts_before = false;  // that needs the softmax statistics of all tokens, also of those the mask hides
    for (std::size_t i = start; i < bridge; ++i) adjusts_before |= stages[i].adjusts;
    if (b.masks && !adjusts_before) {
        p.push(pass::gather, bridge, bridge + 1);
        p.push(pass::narrow, start, count);
        return p;
    }

    const auto write_out = [&](std::size_t end) {  // maps of [pending, end) into the private copy
        for (std::size_t i = p.pending; i < end; ++i)
            if (stages[i].maps) p.push(pass::rewrite, i, i + 1);
        p.pending = std::uint8_t(end);
    };
    for (std::size_t i = start; i < bridge; ++i) {
        const facts& f = stages[i];
        if (f.masks) p.push(pass::hide, i, i + 1);  // -inf stays -inf in every map, so a mask passes them
        if (f.edits || f.dense_edits) {
            write_out(i);
            p.push(f.edits ? pass::edit : pass::edit_all, i, i + 1);
        }
        if (f.adjusts) {
            write_out(i);
            p.push(pass::adjust, i, i + 1);
            p.pending = std::uint8_t(i + 1);
        }
        if (f.maps && !f.monotone) write_out(i + 1);
    }
    if (b.masks) {
        write_out(bridge);
        p.push(pass::gather, bridge, bridge + 1);
        p.push(pass::narrow, bridge, count);
        return p;
    }
    const bool takes_exp_or_distance = b.narrows == narrowing::mass || b.narrows == narrowing::deviation ||
                                       b.narrows == narrowing::likelihood || b.narrows == narrowing::searched ||
                                       b.narrows == narrowing::head || b.selects == selecting::by_mass ||
                                       b.selects == selecting::by_noise || b.selects == selecting::by_own_distribution;
    if (folds == folding::no && takes_exp_or_distance) write_out(bridge);
    while (p.pending < bridge && !stages[p.pending].maps) ++p.pending;  // pending == bridge says that no map is pending

    p.push(pass::max, 0, 0);
    const auto choose_or_narrow = [&] {
        if (b.selects == selecting::by_mass && b.narrows == narrowing::likelihood)
            p.push(pass::draw, bridge, bridge + 1);
        else if (b.selects != selecting::no) p.push(pass::choose, bridge, bridge + 1);
        else p.push(pass::narrow, bridge + 1, count);
    };
    switch (b.narrows) {
    case narrowing::rank:
        p.push(pass::select, bridge, bridge + 1);
        p.push(pass::narrow, bridge + 1, count);
        return p;
    case narrowing::threshold:
        p.push(pass::above, bridge, bridge + 1);
        p.push(pass::narrow, bridge + 1, count);
        return p;
    case narrowing::deviation:
        p.push(pass::moments, bridge, bridge + 1);
        p.push(pass::above, bridge, bridge + 1);
        p.push(pass::narrow, bridge + 1, count);
        return p;
    case narrowing::mass:
        p.push(pass::mass, bridge, bridge + 1);
        p.push(pass::nucleus_end, bridge, bridge + 1);
        p.push(pass::above, bridge, bridge + 1);
        p.push(pass::narrow, bridge + 1, count);
        return p;
    case narrowing::likelihood:
        p.push(b.softmax_parts == 0 ? pass::mass : pass::softmax, bridge, bridge + 1);
        p.push(pass::above, bridge, bridge + 1);
        choose_or_narrow();
        return p;
    case narrowing::searched:
        p.push(pass::softmax, bridge, bridge + 1);
        p.push(pass::search, bridge, bridge + 1);
        choose_or_narrow();
        return p;
    case narrowing::head:
        p.push(pass::softmax, bridge, bridge + 1);
        p.push(pass::head, bridge, bridge + 1);
        choose_or_narrow();
        return p;
    case narrowing::legal:
    case narrowing::no: break;
    }
    if (b.selects == selecting::by_mass) p.push(pass::mass, bridge, bridge + 1);
    if (b.selects == selecting::by_own_distribution) p.push(pass::softmax, bridge, bridge + 1);
    p.push(pass::pick, bridge, bridge + 1);
    return p;
}

/// The plan of a chain whose stages are run as llama.cpp runs them.
constexpr plan make_exact_plan(std::size_t stages) noexcept {
    plan p;
    p.bridge = p.pending = std::uint8_t(stages);
    p.push(pass::exact, 0, stages);
    return p;
}

}  // namespace riffle
