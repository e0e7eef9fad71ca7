#include "step_report.hpp"

#include <algorithm>
#include <cmath>

namespace visualiser {
namespace {

using riffle::token_id;

constexpr std::size_t most_fallen = 8;
constexpr std::size_t curve_points = 160;

/// Six digits are more than a page shows, and make answers short.
double rounded(double number) {
    if (number == 0 || !std::isfinite(number)) return 0;
    const double scale = std::pow(10.0, 5 - std::floor(std::log10(std::fabs(number))));
    return std::round(number * scale) / scale;
}
double probability(const riffle::token_logprob& of) { return std::exp(double(of.logprob)); }

}  // namespace

int step_report::fate(token_id token) const {
    const riffle::fate is = step.fate_of(token);
    if (is.survived || is.stage < 0) return kept;
    std::size_t chosen = 0;
    for (int in_chain = -1; chosen < stages.size(); ++chosen)
        if (stages[chosen].is_on && ++in_chain == is.stage) break;
    return int(chosen);
}

/// The likeliest tokens that a stage removed.
json step_report::fallen(std::size_t in_chain) const {
    json list = json::array();
    for (const riffle::token_logprob& each : ranking) {
        if (list.size() == most_fallen) break;
        const riffle::fate is = step.fate_of(each.id);
        if (!is.survived && is.stage == int(in_chain)) list.push_back({each.id, rounded(probability(each))});
    }
    return list;
}

json step_report::written_stage(std::size_t in_chain, std::size_t chosen) const {
    const riffle::stage_report& of = step.stages[in_chain];
    json written = {{"stage", chosen},
                    {"before", of.before},
                    {"after", of.after},
                    {"mass_removed", rounded(of.mass_removed)},
                    {"fallen", of.after < of.before ? fallen(in_chain) : json::array()}};
    if (!of.next.empty()) written["next"] = of.next;
    return written;
}

/// Some of the row's ranks, spaced by ratio: rank, log-probability, fate.
json step_report::curve() const {
    json points = json::array();
    std::size_t last = 0;
    for (std::size_t i = 0; i < curve_points && last < ranking.size(); ++i) {
        const double exact = std::pow(double(ranking.size()), double(i) / double(curve_points - 1));
        const std::size_t rank = std::min(std::max(std::size_t(exact + 0.5), last + 1), ranking.size());
        const riffle::token_logprob& at = ranking[rank - 1];
        points.push_back({rank, rounded(double(at.logprob)), fate(at.id)});
        last = rank;
    }
    return points;
}

json step_report::top(std::size_t shown, const std::vector<riffle::token_data>& distribution) const {
    std::vector<float> after(step.removed_by.size());  // by id
    for (const riffle::token_data& each : distribution)
        if (std::size_t(each.id) < after.size()) after[std::size_t(each.id)] = each.p;
    std::vector<token_id> wanted;
    for (std::size_t i = 0; i < std::min(shown, distribution.size()); ++i) wanted.push_back(distribution[i].id);
    if (step.token != riffle::null_token) wanted.push_back(step.token);
    std::sort(wanted.begin(), wanted.end());

    json list = json::array();
    for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
        const token_id token = ranking[rank].id;
        if (rank >= shown && !std::binary_search(wanted.begin(), wanted.end(), token)) continue;
        list.push_back(
            {token, rounded(probability(ranking[rank])), rounded(double(after[std::size_t(token)])), fate(token)});
    }
    return list;
}

json step_report::written(std::size_t shown) const {
    json list = json::array();
    std::size_t in_chain = 0;
    for (std::size_t chosen = 0; chosen < stages.size() && in_chain < step.stages.size(); ++chosen)
        if (stages[chosen].is_on) list.push_back(written_stage(in_chain++, chosen));
    return {{"token", step.token}, {"state", step.state.ok() ? "" : step.state.message().c_str()},
            {"stages", list},      {"kept", step.distribution.size()},
            {"plan", step.plan},   {"top", top(shown, step.distribution)},
            {"curve", curve()}};
}

}  // namespace visualiser
