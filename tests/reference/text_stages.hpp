#pragma once
// Stages that look at the texts of tokens.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/between.hpp"
#include "reference/history_stages.hpp"

namespace riffle_tests::reference {

inline std::string piece_of(const riffle::vocabulary& v, std::int32_t id) {
    const riffle::text piece = v.piece(id);
    return {piece.begin(), piece.end()};
}

inline void apply(const riffle::infill& s, state_between& b, const situation&) {
    drop_illegal(b.left);
    sort_by_rank(b.left);
    keep_first(b.left, 1024);
    if (b.left.empty()) return;
    const riffle::vocabulary& v = *s.vocab;
    struct weighed {
        candidate token;
        std::uint64_t mass;
        bool ends;
        std::string text;
    };
    const float maximum = b.left[0].logit;
    std::vector<weighed> all;
    for (const candidate& c : b.left)
        all.push_back({c, weight(c, maximum), v.ends_generation(c.id),
                       v.is(c.id, riffle::token_role::control) ? "" : piece_of(v, c.id)});
    const auto keep = [&](auto stays) {
        std::vector<weighed> kept;
        for (const weighed& w : all)
            if (stays(w)) kept.push_back(w);
        all = kept;
    };
    const auto finish = [&] {
        b.left.clear();
        for (const weighed& w : all) b.left.push_back(w.token);
    };
    const auto mass_of = [&] {
        std::uint64_t sum = 0;
        for (const weighed& w : all) sum += w.mass;
        return sum;
    };

    // 1. the end is likely
    std::uint64_t ending = 0;
    for (const weighed& w : all) ending += w.ends ? w.mass : 0;
    if (3 * all.size() * ending > mass_of() - ending) {
        keep([](const weighed& w) { return w.ends; });
        return finish();
    }

    // 2. one text begins another, in the order of ranks
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) {
            const auto alive = [&](std::size_t k) { return all[k].token.logit != minus_infinity; };
            if (i == j || !alive(i) || !alive(j)) continue;
            if (all[i].text.empty() || !all[j].text.starts_with(all[i].text)) continue;
            weighed &to = all[all[j].mass > all[i].mass ? j : i], &from = all[all[j].mass > all[i].mass ? i : j];
            const std::uint64_t sum = to.mass + from.mass;
            to.mass = std::min(sum, std::uint64_t{0xffffffff});
            if (sum > 0) to.token.logit = canonical(rounded(maximum + log(float(double(sum) / 1073741824.0))));
            from.mass = 0;
            from.token.logit = minus_infinity;
        }
    keep([](const weighed& w) { return w.token.logit != minus_infinity; });

    // 3. what is likely enough
    candidate first = all[0].token;
    for (const weighed& w : all)
        if (by_rank(w.token, first)) first = w.token;
    const std::uint64_t total = mass_of();
    keep([&](const weighed& w) { return w.ends || w.mass * 5 >= total; });
    std::uint64_t others = 0;
    for (const weighed& w : all) others += !w.ends;
    if (others == 0) {  // the ends alone, or the first where there are none
        finish();
        if (b.left.empty()) b.left = {first};
        return;
    }
    const std::uint64_t rest = mass_of();
    keep([&](const weighed& w) { return w.ends || w.mass * (others + 1) >= rest; });
    finish();
}

inline void apply(const riffle::phrase_ban&, state_between& b, const situation& x) {
    for (const auto& one : x.kept_here().bans)
        if (one.before == x.text()) ban(b.left, one.token);
}

/// What a phrase_ban was made of, since its phrase_set does not tell; found by its vocabulary.
struct given_phrases {
    std::vector<std::string> phrases;
    bool same_case = false;
};
inline std::map<const riffle::vocabulary*, given_phrases>& phrases_by_vocabulary() {
    static std::map<const riffle::vocabulary*, given_phrases> all;
    return all;
}
/// A phrase_ban that the reference knows. Every list of phrases needs a vocabulary of its own.
inline riffle::phrase_ban ban_phrases(const riffle::vocabulary& v, const std::vector<std::string>& phrases,
                                      bool same_case = false) {
    phrases_by_vocabulary()[&v] = {phrases, same_case};
    const std::vector<riffle::text> texts(phrases.begin(), phrases.end());
    return {&v, riffle::phrase_set(texts, same_case)};
}

inline char folded(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

/// How many of the newest tokens hold the phrases that the newest token completes; 0 for none.
inline std::size_t tokens_of_phrase(const riffle::phrase_ban& s, const std::vector<accepted_token>& text) {
    if (s.vocab == nullptr) return 0;
    const riffle::vocabulary& v = *s.vocab;
    const auto& [phrases, same_case] = phrases_by_vocabulary()[&v];
    std::string written;
    std::vector<std::size_t> begins;  // of each token since the last prompt's
    for (const accepted_token& token : text) {
        if (!token.generated) {
            written.clear();
            begins.clear();
            continue;
        }
        begins.push_back(written.size());
        written += piece_of(v, token.id);
    }
    if (begins.empty()) return 0;
    const bool fold = !same_case;
    const auto same = [&](const std::string& phrase, std::size_t at) {
        for (std::size_t i = 0; i < phrase.size(); ++i) {
            const char a = written[at + i], c = phrase[i];
            if (fold ? folded(a) != folded(c) : a != c) return false;
        }
        return true;
    };
    std::size_t earliest = written.size();
    for (const std::string& phrase : phrases)
        for (std::size_t at = 0; !phrase.empty() && at + phrase.size() <= written.size(); ++at)
            if (at + phrase.size() > begins.back() && same(phrase, at)) earliest = std::min(earliest, at);
    if (earliest == written.size()) return 0;
    std::size_t back = 0;  // tokens that begin behind the phrase's first byte, and the one that holds it
    while (begins[begins.size() - 1 - back] > earliest) ++back;
    return back + 1;
}

/// The token that began a phrase is banned at that place. Of 64 bans the oldest goes of a place that is none of the
/// last 128 of this text, else the oldest of another place than this. Answers how far to go back: not at all when all
/// are of this place, or after 10000 times without a longer text.
inline std::size_t learn(const riffle::phrase_ban& s, const std::vector<accepted_token>& text, learnt& kept) {
    ++kept.length;
    if (kept.length > kept.longest) {
        kept.longest = kept.length;
        kept.times_back = 0;
    }
    const std::size_t back = tokens_of_phrase(s, text);
    if (back == 0) return 0;
    const auto place = text.end() - std::ptrdiff_t(back);
    const auto same_place = [&](const learnt::ban& b) {
        return std::equal(b.before.begin(), b.before.end(), text.begin(), place);
    };
    const auto left_behind = [&](const learnt::ban& b) {
        if (b.before.size() > text.size() || text.size() > b.before.size() + 128) return true;
        return !std::equal(b.before.begin(), b.before.end(), text.begin());
    };
    const bool known = std::any_of(kept.bans.begin(), kept.bans.end(),
                                   [&](const learnt::ban& b) { return same_place(b) && b.token == place->id; });
    if (!known && kept.bans.size() == 64) {
        auto oldest = std::find_if(kept.bans.begin(), kept.bans.end(), left_behind);
        if (oldest == kept.bans.end()) oldest = std::find_if_not(kept.bans.begin(), kept.bans.end(), same_place);
        if (oldest == kept.bans.end()) return 0;
        kept.bans.erase(oldest);
    }
    if (!known) kept.bans.push_back({{text.begin(), place}, place->id});
    kept.length -= std::int64_t(back);
    return ++kept.times_back <= 10000 ? back : 0;
}

}  // namespace riffle_tests::reference
