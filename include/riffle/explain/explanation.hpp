#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <riffle/chain/chain_state.hpp>
#include <riffle/core/byte_set.hpp>
#include <riffle/core/candidates.hpp>
#include <riffle/core/checkpoint.hpp>
#include <riffle/core/logit_row.hpp>
#include <riffle/explain/plan_text.hpp>

namespace riffle::inline RIFFLE_ABI {

/// What one stage did in one step.
struct stage_report {
    std::string name;           ///< the stage's own, as top_k
    std::size_t before = 0;     ///< legal candidates it was given
    std::size_t after = 0;      ///< and left; a selector leaves 1
    double mass_removed = 0.0;  ///< share of the softmax mass before it that the tokens it removed held
    std::string next;           ///< of a constraint: the bytes that may come next, as a class; else empty
};

/// What became of one token in one step.
struct fate {
    bool survived = false;  ///< it was among those the selector chose from
    int stage = -1;         ///< index of the stage that removed it; -1: it survived, or was illegal in the row itself
};

/// One step of a chain, taken apart.
struct explanation {
    token_id token = null_token;           ///< the token that peek gives; null_token without a selector
    status state;                          ///< why there is no token, and what was seen in the row
    std::vector<stage_report> stages;      ///< one for every stage, the selector included
    std::vector<token_data> distribution;  ///< what the selector drew from, in the order of ranks, p normalised
    std::string plan;                      ///< plan_text of the path taken
    std::vector<int> removed_by;  ///< for every token of the row: a stage, -1 for illegal in the row, or `kept`

    static constexpr int kept = -2;  ///< in removed_by: it was there when the selector chose

    /// Which stage removed a token, if any. Ids outside the row were never there.
    fate fate_of(token_id id) const noexcept {
        if (id < 0 || std::size_t(id) >= removed_by.size()) return {};
        const int stage = removed_by[std::size_t(id)];
        return stage == kept ? fate{true, -1} : fate{false, stage};
    }

    /// The step as a table: every stage, then the likeliest `tokens` of the distribution, their text from `text(id)`.
    template <class Text>
    std::string to_string(Text text, std::size_t tokens = 8) const {
        std::string out = fmt::format("{:<16}{:>10}{:>10}{:>15}\n", "stage", "before", "after", "mass removed");
        for (const auto& s : stages)
            out += fmt::format("{:<16}{:>10}{:>10}{:>14.2f}%{}{}\n", s.name, s.before, s.after, 100.0 * s.mass_removed,
                               s.next.empty() ? "" : "  next: ", s.next);
        out += fmt::format("\n{:>8}  {:>7}\n", "token", "p");
        for (std::size_t i = 0; i < (std::min)(tokens, distribution.size()); ++i) {
            const token_data& t = distribution[i];
            const auto bar = std::size_t(40.0f * t.p + 0.5f);
            out += fmt::format("{:>8}  {:>6.2f}%  {:#<{}}{:{}} {}{}\n", t.id, 100.0f * t.p, "", bar, "",
                               40 - (std::min<std::size_t>)(bar, 40), text(t.id), t.id == token ? "  <- chosen" : "");
        }
        if (!state.ok()) out += fmt::format("no token: {}\n", state.message().c_str());
        return out;
    }
    /// The step as a table, tokens by their ids alone.
    std::string to_string() const {
        return to_string([](token_id) { return ""; });
    }
};

/// The plan that the chain's present parameters lead to, as text. It depends on the size of the row: a short one
/// becomes candidates at once, and a mask narrows where it leaves few of its tokens.
template <class Chain>
std::string explain(const Chain& chain, std::size_t row_size = std::size_t{1} << 17) {
    decltype(auto) stages = chain.view();
    return plan_text(stages, row_size);
}

namespace detail {

/// Legal candidates, which they are, and their masses, at one point of a step.
class snapshot {
public:
    snapshot(const candidates& c, std::size_t row_size) : mass_(row_size, 0), legal_(row_size, false) {
        const std::size_t best = c.greatest();
        if (best == c.size) return;
        for (const auto& t : c) {
            if (!(t.logit > illegal_logit) || std::size_t(t.id) >= row_size) continue;  // a user's stage may invent ids
            legal_[std::size_t(t.id)] = true;
            mass_[std::size_t(t.id)] = fixed_mass_of(t.logit - c[best].logit);
            total_ += mass_[std::size_t(t.id)];
            ++count_;
        }
    }
    bool legal(std::size_t id) const { return legal_[id]; }
    double share(std::size_t id) const { return total_ ? double(mass_[id]) / double(total_) : 0.0; }
    std::size_t count() const { return count_; }

private:
    std::vector<std::uint64_t> mass_;
    std::vector<bool> legal_;
    std::uint64_t total_ = 0;
    std::size_t count_ = 0;
};

/// A set of bytes as a class of characters: [0-9"]; bytes that are no visible ASCII as \xHH.
inline std::string class_of(const byte_set& bytes) {
    const auto shown = [](unsigned byte) {
        if (byte <= ' ' || byte >= 0x7F) return fmt::format("\\x{:02X}", byte);
        const bool has_meaning = byte == '\\' || byte == ']' || byte == '-' || byte == '^';
        return fmt::format("{}{}", has_meaning ? "\\" : "", char(byte));
    };
    std::string all = "[";
    for (unsigned first = 0; first < 256; ++first) {
        if (!bytes.contains(std::uint8_t(first))) continue;
        unsigned last = first;
        while (last < 255 && bytes.contains(std::uint8_t(last + 1))) ++last;
        all += shown(first);
        if (last > first + 1) all += "-";
        if (last > first) all += shown(last);
        first = last;
    }
    return all += "]";
}

/// Candidates as a distribution.
inline std::vector<token_data> as_distribution(std::vector<token_data> tokens) {
    candidates distribution{tokens.data(), tokens.size(), -1, false};
    distribution.keep_legal();
    distribution.sort();
    distribution.normalise();
    tokens.resize(distribution.size);
    return tokens;
}
/// What stage i draws from, if it is a selector; what is left, if there is none.
inline std::vector<token_data> distribution_ahead_of(const stage_list& stages, std::size_t i, const candidates& c) {
    std::vector<token_data> tokens(c.begin(), c.end());
    candidates ahead{tokens.data(), tokens.size(), -1, false};
    if (i < stages.size() && !stages.is_exact()) stages.prepare(i, ahead);
    tokens.resize(ahead.size);
    return as_distribution(std::move(tokens));
}
/// Puts back what the stages keep, also where something throws: llama.cpp's forms draw and learn where riffle's own do
/// not.
class unchanged_stages {
public:
    explicit unchanged_stages(const stage_list& stages) noexcept : stages_(stages) { stages_.save(state_.data()); }
    unchanged_stages(const unchanged_stages&) = delete;
    unchanged_stages& operator=(const unchanged_stages&) = delete;
    ~unchanged_stages() { put_back(); }
    void put_back() noexcept { stages_.restore(state_.data()); }

private:
    const stage_list& stages_;
    std::array<std::byte, checkpoint::stage_bytes> state_{};
};

}  // namespace detail

/// One step, taken apart: runs the stages one after the other over candidates for the whole row, which is what a chain
/// means, and then peeks. (Under numerics::fast masses are rounded, so in rare cases the token is a neighbour of the
/// one that the exact distribution gives.) Nothing is accepted; it costs many times a sample and allocates. A chain
/// that is never explained has no code for it.
template <class Chain>
explanation explain(Chain& chain, const logit_row& logits) {
    decltype(auto) stages = chain.view();
    explanation e;
    e.plan = plan_text(stages, logits.size());
    if (logits.empty()) {
        e.state = status_code::empty_row;
        return e;
    }

    std::vector<token_data> rows(logits.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {token_id(i), logits[i], 0.0f};
    candidates c{rows.data(), rows.size(), -1, false};

    detail::unchanged_stages as_before(stages);
    std::vector<detail::snapshot> seen;
    e.removed_by.assign(rows.size(), -1);
    e.state = chain.state().apply_each(stages, c, [&](std::size_t i, const candidates& now) {
        const bool chosen = i == stages.size() && i > 0 && stages.fact(i - 1).selects != selecting::no;
        if (!chosen && (i == stages.size() || stages.fact(i).selects != selecting::no))
            e.distribution = detail::distribution_ahead_of(stages, i, now);
        if (chosen && stages.is_exact() && stages.fact(i - 1).makes_its_distribution())
            e.distribution = detail::as_distribution({now.begin(), now.end()});
        seen.emplace_back(now, rows.size());
        if (i == 0) return;
        stage_report report{stages.name(i - 1), seen[i - 1].count(), seen[i].count(), 0.0, {}};
        if (stages[i - 1].ops->expected_bytes)
            report.next = detail::class_of(stages[i - 1].ops->expected_bytes(stages[i - 1]));
        if (chosen) report.after = now.selected >= 0 ? 1 : 0;
        std::vector<bool> left(rows.size(), false);
        for (std::size_t id = 0; id < rows.size(); ++id) left[id] = !chosen && seen[i].legal(id);
        if (chosen)
            for (const auto& t : e.distribution)
                if (std::size_t(t.id) < rows.size()) left[std::size_t(t.id)] = true;
        for (std::size_t id = 0; id < rows.size(); ++id) {
            if (!seen[i - 1].legal(id) || left[id]) continue;
            report.mass_removed += seen[i - 1].share(id);
            e.removed_by[id] = int(i) - 1;
        }
        e.stages.push_back(report);
    });
    for (const auto& t : e.distribution)
        if (std::size_t(t.id) < e.removed_by.size()) e.removed_by[std::size_t(t.id)] = explanation::kept;
    if (e.state.ok() && stages.has_selector()) {
        as_before.put_back();
        e.token = chain.state().peek(stages, logits);
    }
    return e;
}

}  // namespace riffle
