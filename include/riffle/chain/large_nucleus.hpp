#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <riffle/chain/row_step.hpp>
#include <riffle/core/draws.hpp>
#include <riffle/core/tuning.hpp>
#include <riffle/math/fixed_mass.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/histogram.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// How the end of a nucleus was found: not at all, as no nucleus bounds the row; among candidates gathered from the
/// likeliest down; or in the row, in a band of logits that was guessed ahead of the mass pass, in one that a sample
/// showed when the mass was known, or in a bucket of a histogram of the whole row.
enum class nucleus_way { none, candidates, band_guessed_ahead, band_of_sample, bucket };

/// Finds where the nucleus of a row ends. Most rows show it a few nats under the maximum, among few tokens. A large
/// nucleus is looked for in the row: in a band of logits that a sample of the row gives (wide/nucleus.hpp), or else by
/// a histogram of mass. No candidates are made for it where the step can go on in the row.
template <class Stages>
class large_nucleus {
    using step = row_step<Stages>;
    using route = typename step::route;

public:
    explicit large_nucleus(step& of) noexcept : s_(of) {}

    void begin() noexcept { way_ = nucleus_way::none; }
    nucleus_way way() const noexcept { return way_; }
    /// The least mapped logit that the nucleus can have, after find_end.
    float cut() const noexcept { return cut_; }

    /// The mass of the row, for a bridge that keeps a share of it. Where the nucleus is surely large its end is guessed
    /// first, so that the pass need not be done twice.
    void find_mass(std::size_t bridge) noexcept {
        band_ = guess_without_mass(bridge);
        if (!band_.empty()) return split_mass();
        s_.total_mass = s_.template run<&folded_passes::mass>(s_.row, s_.memory.block_maxima, s_.mass_cut(),
                                                              s_.mapped_maximum, s_.memory.masses);
    }
    /// Where the nucleus ends, once its mass is known.
    void find_end(std::size_t bridge) noexcept {
        std::size_t many = (std::min)(s_.row.size() / 4, tuning::many_of_nucleus);
        if (can_sample() && can_stay_in_row(bridge))
            many = (std::min)(many, tuning::few_of_nucleus + s_.row.size() / tuning::row_to_few_of_nucleus);
        const std::uint64_t target = target_of(bridge, s_.total_mass);
        way_ = nucleus_way::band_guessed_ahead;
        if (!band_.empty() && end_in_band(bridge, target)) return;
        way_ = nucleus_way::candidates;
        if (is_among_candidates(target, many)) return;
        way_ = nucleus_way::band_of_sample;
        if (can_sample() && can_stay_in_row(bridge)) {  // now the mass is known
            take_sample();
            band_ = guess_end(bridge, double(s_.total_mass));
            if (!band_.empty() && end_in_band_of_row(bridge, target)) return;
        }
        way_ = nucleus_way::bucket;
        find_bucket(bridge, target);
    }

    /// Whatever the nucleus has not kept becomes -inf in the row, where it was only bounded.
    void hide_others() noexcept {
        if (!s_.kept.exists()) return;
        wide::hide_below(s_.row, s_.memory.block_maxima, s_.kept.cut);
        for (std::size_t b = 0; b < s_.row.blocks() && s_.kept.beyond > s_.kept.cut; ++b) {
            if (!(s_.memory.block_maxima[b] >= s_.kept.cut)) continue;
            float* const x = s_.row.own(b);
            for (std::size_t i = 0; i < block_size; ++i)
                if (!s_.kept.keeps(x[i], token_id(b * block_size + i))) x[i] = illegal_logit;
        }
    }

private:
    std::uint64_t target_of(std::size_t bridge, std::uint64_t mass) const noexcept {
        return s_.template ask<&stage_ops::target>(bridge, mass, *s_.past);
    }
    /// Whether the step can go on in the row behind a nucleus that is large.
    bool can_stay_in_row(std::size_t bridge) const noexcept {
        return s_.row.size() > tuning::many_survivors && s_.keeps_at_least(bridge) <= 1 &&
               s_.route_behind(bridge).exists();
    }
    /// Whether a sample costs much less than a pass over the row.
    bool can_sample() const noexcept { return s_.row.size() >= 2 * wide::row_sample::size; }

    bool is_among_candidates(std::uint64_t target, std::size_t many) noexcept {
        for (const float depth : tuning::first_depths) {
            cut_ = s_.finite(s_.mapped_maximum - depth);
            if (s_.reached_by(s_.raw_cut(cut_), many) >= many) break;
            s_.gather_above_raw(s_.raw_cut(cut_));
            if (s_.found.mass(s_.mapped_maximum) > target) return true;
        }
        return false;
    }
    void find_bucket(std::size_t bridge, std::uint64_t target) noexcept {
        cut_ = s_.finite(s_.mapped_maximum - mass_range);
        const wide::buckets by = buckets_of_mass();
        sum_by(by, s_.row, s_.memory.block_maxima);
        const std::size_t bucket = wide::bucket_exceeding({s_.memory.bins, wide::buckets::count}, target);
        if (bucket == 0) return;
        cut_ = by.least_of(bucket, s_.mapped_maximum);
        if (!can_stay_in_row(bridge) || is_small(s_.raw_cut(cut_))) return;
        band_ = {cut_, bucket + 1 < wide::buckets::count ? by.least_of(bucket + 1, s_.mapped_maximum)
                                                         : next_canonical(s_.mapped_maximum)};
        end_in_band_of_row(bridge, target);
    }
    /// Whether so few reach the cut that they become candidates.
    bool is_small(float cut) const noexcept {
        return s_.reached_by(cut, tuning::many_survivors + 1) <= tuning::many_survivors;
    }

    // ---- the guess

    /// The likeliest tokens, which need no guess: all that reach about the greatest quarter of the blocks' maxima, so
    /// that those with neighbouring ids are counted one by one.
    struct likeliest_tokens {
        float logit;         ///< raw; the least of them
        std::uint64_t mass;  ///< of them all
    };
    float rank_of_maxima(std::size_t k) noexcept {
        float* const block_maxima = s_.memory.block_maxima;
        return wide::kth_greatest(block_maxima, wide::pad_maxima(block_maxima, s_.row.blocks()), k, k / 8,
                                  wide::guess_below(block_maxima, s_.row.blocks(), s_.maximum), s_.maximum);
    }
    likeliest_tokens find_likeliest() noexcept {
        const std::size_t usual = s_.row.blocks() / 4;
        float least = s_.finite(rank_of_maxima(usual));
        const std::size_t padded = wide::pad_maxima(s_.memory.block_maxima, s_.row.blocks());
        if (wide::count_at_least(s_.memory.block_maxima, padded, least) > 2 * usual)
            least = next_canonical(canonical(least));
        const float cut = (std::max)(least, s_.mass_cut());
        return {least, split(cut, {cut, cut}).reaching};
    }
    /// What a nucleus of a row of that mass leaves out.
    double mass_left_out(std::size_t bridge, double mass) const noexcept {
        return mass - double(target_of(bridge, std::uint64_t(mass)));
    }
    std::uint32_t weight_of(float raw) const noexcept {
        return fixed_mass_of(s_.map(canonical(raw)) - s_.mapped_maximum);
    }
    /// The end of a nucleus that is surely large, guessed ahead of the mass pass.
    wide::band guess_without_mass(std::size_t bridge) noexcept {
        if (!can_sample() || !can_stay_in_row(bridge)) return {};
        const float median = rank_of_maxima(s_.row.blocks() / 2);
        const double of_bulk =
            tuning::bulk_of_block * double(s_.row.blocks()) * double(weight_of(median));  // more or less
        // Whether a nucleus ends far down in the bulk: where that holds much of the mass, or many times what is left
        // out. (Else it ends among a few hundred tokens, and those are soon gathered when the mass is known.) The mass
        // is that of the bulk and `of_others`, as far as they are known. The longer the row, the less a sample costs
        // beside a mass pass that might be taken for nothing.
        const auto ends_in_bulk = [&](double share, double many_times, double of_others) {
            const double all = of_others + of_bulk;
            return of_bulk > (std::min)(share * all, many_times * mass_left_out(bridge, all));
        };
        const double many_times = (std::max)(
            tuning::bulk_to_rest, tuning::bulk_to_sample * double(wide::row_sample::size) / double(s_.row.size()));
        if (!ends_in_bulk(tuning::share_of_bulk_at_first, tuning::caution_at_first * many_times, double(unit_mass)))
            return {};
        // Where half of the blocks have a token nearly as likely as the greatest, none stands out of the sample.
        const bool none_stand_out = weight_of(median) >= unit_mass / 2;
        const likeliest_tokens likeliest = none_stand_out ? likeliest_tokens{-illegal_logit, 0} : find_likeliest();
        if (!ends_in_bulk(tuning::share_of_bulk, many_times, double(likeliest.mass))) return {};
        const double sampled = double(likeliest.mass) + sampled_mass_below(likeliest.logit);
        if (!(sampled - double(likeliest.mass) > tuning::sampled_to_rest * mass_left_out(bridge, sampled))) return {};
        return guess_end(bridge, sampled);
    }
    static double share_of_sample(std::size_t row_size) noexcept {
        return double(wide::row_sample::size) / double(row_size);
    }
    wide::buckets buckets_of_mass() const noexcept {
        return wide::buckets::between(s_.finite(s_.mapped_maximum - mass_range), s_.mapped_maximum);
    }
    template <class Row>
    void sum_by(const wide::buckets& by, const Row& of, const float* block_maxima) noexcept {
        std::fill(s_.memory.bins, s_.memory.bins + wide::buckets::count, 0);
        s_.template run<&folded_passes::mass_by_bucket>(of, block_maxima, s_.mass_cut(), s_.mapped_maximum, by,
                                                        s_.memory.bins);
    }
    /// The masses of a sample of the row, by bucket in memory.bins.
    void take_sample() noexcept {
        wide::row_sample sample(s_.row, s_.memory.block_maxima, reinterpret_cast<float*>(s_.found.data));
        const auto sum_sample_by = [&](const wide::buckets& by) {
            sum_by(by, sample.logits, sample.block_maxima);
            sampled_by_ = by;
        };
        sum_sample_by(buckets_of_mass());
        std::size_t lowest = 0;
        while (lowest + 1 < wide::buckets::count && s_.memory.bins[lowest] == 0) ++lowest;
        if (lowest >= wide::buckets::count - tuning::few_buckets)  // a row of little relief
            sum_sample_by(wide::buckets::between(sampled_by_.least_of(lowest, s_.mapped_maximum), s_.mapped_maximum));
    }
    /// About what the row holds below a logit, by a sample.
    double sampled_mass_below(float below) noexcept {
        take_sample();
        const std::size_t end = below > s_.maximum
                                    ? wide::buckets::count
                                    : std::size_t(sampled_by_.bucket_of(lanes<1>(s_.map(canonical(below))))[0]);
        std::uint64_t mass = 0;
        for (std::size_t b = 0; b < end; ++b) mass += s_.memory.bins[b];
        return double(mass) / share_of_sample(s_.row.size());
    }
    /// Where the nucleus ends, more or less, after take_sample. `total` is the mass of the row.
    wide::band guess_end(std::size_t bridge, double total) const noexcept {
        using wide::row_sample;
        return wide::band_of({s_.memory.bins, wide::buckets::count}, sampled_by_,
                             mass_left_out(bridge, total) * share_of_sample(s_.row.size()),
                             row_sample::size / tuning::sample_to_band, s_.mapped_maximum);
    }

    // ---- the end, in a band

    wide::split_mass split(float cut, const wide::band& raw) noexcept {
        of_band_ = wide::band_tokens::in(s_.found.data, s_.row.size());
        return s_.template run<&folded_passes::split_mass>(s_.row, s_.memory.block_maxima, cut, raw, s_.mapped_maximum,
                                                           s_.memory.masses, of_band_);
    }
    void split_mass() noexcept {
        split_ = split(s_.mass_cut(), {s_.raw_cut(band_.low), s_.raw_cut_beyond(band_.high)});
        s_.total_mass = split_.total;
    }
    bool end_in_band_of_row(std::size_t bridge, std::uint64_t target) noexcept {
        split_mass();
        return end_in_band(bridge, target);
    }
    /// False, and nothing done, where the guess was wrong.
    bool end_in_band(std::size_t bridge, std::uint64_t target) noexcept {
        const auto& tokens = of_band_;
        const wide::parted_tokens all = wide::part(tokens);
        const std::uint64_t above = split_.reaching - all.mass;
        if (split_.reaching <= target || above > target) return false;

        const wide::nucleus_end end = wide::end_of_nucleus(tokens, all, target - above);
        const float cut = s_.raw_cut(end.logit), beyond = s_.raw_cut_beyond(next_canonical(end.logit));
        cut_ = end.logit;
        if (is_small(cut)) return true;  // then they are gathered
        const route onward = s_.route_behind(bridge);
        if (onward.draws_by_same_mass) {  // no block is looked at again but the one that the draw falls into
            const std::span<std::uint64_t> masses(s_.memory.masses, s_.row.blocks());
            s_.total_mass = split_.reaching - wide::drop_behind(end, tokens, masses);
            if (s_.end == run_to::law) {
                s_.kept = wide::bound_of(end, tokens, s_.row, cut, beyond);
            } else {
                std::uint64_t drawn_mass = multiply_high(s_.random_bits(onward.next->bridge), s_.total_mass);
                const std::size_t drawn = wide::block_of(s_.memory.masses, s_.row.blocks(), drawn_mass);
                wide::hide_below(s_.row, drawn, cut);
                wide::hide_ties(end, tokens, s_.row, cut, beyond, drawn, drawn + 1);
            }
            s_.go_on(onward);
            s_.next += 2;  // behind maximum and mass, which are known
        } else {
            wide::hide_below(s_.row, s_.memory.block_maxima, cut);
            wide::hide_ties(end, tokens, s_.row, cut, beyond, 0, s_.row.blocks());
            s_.go_on(onward);
        }
        return true;
    }

    step& s_;
    nucleus_way way_ = nucleus_way::none;
    float cut_ = illegal_logit;
    wide::band band_;
    wide::buckets sampled_by_;  ///< the buckets of memory.bins, where those hold a sample
    wide::split_mass split_;
    wide::band_tokens of_band_{};
};

}  // namespace riffle::detail
