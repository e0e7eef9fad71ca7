#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <riffle/chain/plan.hpp>
#include <riffle/chain/scratch.hpp>
#include <riffle/chain/stage_table.hpp>
#include <riffle/core/law.hpp>
#include <riffle/wide/above.hpp>
#include <riffle/wide/candidate_row.hpp>
#include <riffle/wide/gather.hpp>
#include <riffle/wide/max.hpp>
#include <riffle/wide/nucleus.hpp>
#include <riffle/wide/rewrite.hpp>
#include <riffle/wide/select.hpp>

namespace riffle::inline RIFFLE_ABI {

/// How a chain under numerics::llama fared: of so many rows so many had to be gone through as llama.cpp does, with a
/// candidate for every token, because the quicker way could not decide.
struct replay_counts {
    std::uint64_t rows = 0, replays = 0;
};

/// Executes a plan on the processor, pass by pass. It holds the state of one step and knows no sampler: what it needs
/// of the stages it asks their table.
template <class Table>
class cpu_machine {
public:
    /// Whether to run to the token, to the token with all candidates that it is chosen from, or to stop at those.
    enum class until { token, token_among_all, selector };

    /// So many tokens that a bridge leaves become candidates; more stay in the row. Measured: the same cost at about so
    /// many.
    RIFFLE_LOCAL static constexpr std::size_t many_survivors = 2048;
    /// How far under the maximum, in nats, what a stage keeps is looked for first. (An array: a list in the loop would
    /// want <initializer_list> of whoever imports riffle as a module.)
    RIFFLE_LOCAL static constexpr float first_depths[] = {3.0f, 6.0f, 9.0f, 12.0f};

    /// How the end of a nucleus was found: not at all, as no nucleus bounds the row; among candidates gathered from the
    /// likeliest down; or in the row, in a band of logits that was guessed ahead of the mass pass, in one that a sample
    /// showed when the mass was known, or in a bucket of a histogram of the whole row.
    enum class nucleus_way { none, candidates, band_guessed_ahead, band_of_sample, bucket };

    cpu_machine() noexcept = default;
    /// With the counts of one before.
    explicit cpu_machine(const replay_counts& counts) noexcept : counts_(counts) {}

    /// The token for a row, or null_token; `found()` then holds what was materialised. What is passed in must live
    /// until run returns. `known` is what find_max finds in the row, where memory.peaks has its block maxima already;
    /// steps before `first` were done elsewhere.
    token_id run(const Table& stages, const plan& p, const scratch& memory, const context& x,
                 std::span<const float> logits, until end, const wide::row_maximum* known = nullptr,
                 std::size_t first = 0) noexcept {
        stages_ = &stages;
        plan_ = &p;
        next_ = first;
        stays_in_row_ = draws_from_row_ = false;
        nucleus_way_ = nucleus_way::none;
        memory_ = memory;
        context_ = &x;
        end_ = end;
        row_.assign(logits, memory_.blocks, memory_.copies, memory_.edits);
        found_ = {memory_.tokens, 0, -1, false};
        state_ = status();
        known_ = first < p.size && p.steps[first].op == pass::max ? known : nullptr;  // else the row is edited first
        maximum_ = mapped_maximum_ = cut_ = illegal_logit;
        total_mass_ = 0;
        moments_ = {};
        law_ = {};
        while (next_ < plan_->size)
            if (!execute(plan_->steps[next_++])) return null_token;
        if (end_ == until::selector) return null_token;
        if (found_.selected < 0 || std::size_t(found_.selected) >= found_.size) return fail(), null_token;
        const token_data& chosen = found_[std::size_t(found_.selected)];
        if (!(chosen.logit > illegal_logit)) return fail(), null_token;  // llama.cpp's samplers may choose such
        return chosen.id;
    }

    candidates& found() noexcept { return found_; }
    /// Whether a bridge left so many tokens that they stayed in the row: found() is what came of them.
    bool stayed_in_row() const noexcept { return stays_in_row_; }
    /// Of the last run.
    nucleus_way way_of_nucleus() const noexcept { return nucleus_way_; }
    /// The row as edits, masks and rewrites of the last run left it.
    row& edited_row() noexcept { return row_; }
    const status& state() const noexcept { return state_; }
    /// Of the last mass pass: S and the masses of the blocks; 0 and none when the plan took no mass of the row.
    std::uint64_t total_mass() const noexcept { return total_mass_; }
    /// Under numerics::llama: see chain_interface::replays.
    const replay_counts& replays() const noexcept { return counts_; }
    std::span<const std::uint64_t> block_masses() const noexcept {
        return {memory_.masses, total_mass_ ? row_.blocks() : 0};
    }

private:
    /// False when there is no token to be had.
    bool execute(const plan_step& s) noexcept {
        switch (s.op) {
        case pass::edit:
        case pass::edit_all:
            stages_->edit(s.first, row_, *context_);
            note(row_);
            return true;
        case pass::hide: wide::hide_illegal(row_, stages_->legal_words(s.first)); return true;
        case pass::rewrite:
            note(wide::find_max(row_, memory_.peaks));
            stages_->rewrite(s.first, row_);
            return true;
        case pass::adjust: adjust(s.first); return true;
        case pass::max: return find_maximum();
        case pass::moments:
            moments_ = stages_->find_moments(plan_->bridge, row_, memory_.peaks, mapped_maximum_);
            return true;
        case pass::mass: find_mass(); return true;
        case pass::law:
            law_ = stages_->find_law(plan_->bridge, row_, memory_.peaks, mass_cut(),
                                     raw_cut(std::numeric_limits<float>::lowest()), mapped_maximum_);
            return true;
        case pass::select: select_greatest(rank(s.first)); return true;
        case pass::histogram: bound_nucleus(s.first); return true;
        case pass::above: gather_above(s.first); return true;
        case pass::search: search(s.first); return true;
        case pass::head: select_by_head(s.first); return true;
        case pass::gather: gather_legal(s.first); return true;
        case pass::pick: pick(s.first); return true;
        case pass::choose:
            if (end_ != until::selector) stages_->choose(s.first, found_, *context_);
            return true;
        case pass::draw:
            if (draws_from_row_) {
                if (hides_weights_) find_mass();
                pick(s.first);
            } else if (end_ != until::selector) {
                stages_->choose(s.first, found_, *context_);
            }
            return true;
        case pass::rows: make_rows(); return true;
        case pass::back_to_row: return go_back_to_row() || narrow_to_the_end(s);
        case pass::llama: return run_as_llama(s.last);
        case pass::narrow: return narrow(s.first, s.last);
        }
        return false;
    }

    bool fail() noexcept {
        state_.fail(status_code::no_legal_token);
        return false;
    }

    void note(float logit) noexcept {
        if (logit != logit) state_.note_nan();
        if (logit > greatest_logit) state_.note_infinity();
    }
    void note(const wide::row_maximum& found) noexcept {
        if (found.saw_nan) state_.note_nan();
        note(found.logit);
    }
    void note(const row& edited) noexcept {
        if (edited.saw_nan()) state_.note_nan();
        if (edited.saw_infinity()) state_.note_infinity();
    }

    /// With the maxima of groups where that is asked for.
    float find_raw_maximum(bool with_groups = false) noexcept {
        const wide::row_maximum* const known = std::exchange(known_, nullptr);
        has_groups_ = with_groups && !known;
        auto found = known ? *known : wide::find_max(row_, memory_.peaks, has_groups_ ? memory_.groups : nullptr);
        note(found);
        if (found.logit > greatest_logit) {  // maps must not see +inf
            wide::make_infinities_finite(row_, memory_.peaks);
            found = wide::find_max(row_, memory_.peaks);
            has_groups_ = false;
        }
        return canonical(found.logit);
    }
    void adjust(std::size_t i) noexcept {
        if (!stages_->adjusts_now(i, *context_)) return;
        const float maximum = find_raw_maximum();
        if (maximum > illegal_logit) stages_->adjust(i, row_, memory_.peaks, maximum);
    }
    bool find_maximum() noexcept {
        const plan_step& next = plan_->steps[next_];
        maximum_ = find_raw_maximum(next.op == pass::select && wide::needs_groups(row_, rank(plan_->bridge)));
        mapped_maximum_ = maximum_ > illegal_logit ? map(maximum_) : illegal_logit;
        return mapped_maximum_ > illegal_logit || fail();
    }

    // The maps that are pending at the bridge.
    struct pending_maps {
        const cpu_machine& m;
        bool none() const noexcept { return m.plan_->pending == m.plan_->bridge; }
        float operator()(float logit) const noexcept { return none() ? logit : m.stages_->map(m.plan_->bridge, logit); }
        void map(std::span<token_data> tokens) const noexcept {
            for (auto& token : tokens) token.logit = canonical(token.logit);
            if (!none()) m.stages_->map(m.plan_->bridge, tokens);
        }
        float mapped_maximum() const noexcept { return m.mapped_maximum_; }
        /// A bound on raw logits: exactly those whose mapped value reaches `target`, or the maximum where that is less.
        RIFFLE_NOINLINE float raw_cut(float target) const noexcept {
            target = (std::min)(target, m.mapped_maximum_);
            return none() ? wide::raw_cut(target) : m.stages_->preimage(m.plan_->bridge, target, m.maximum_);
        }
    };
    pending_maps mapping() const noexcept { return {*this}; }
    float map(float logit) const noexcept { return mapping()(logit); }
    float raw_cut(float target) const noexcept { return mapping().raw_cut(target); }
    /// The same, and +inf where nothing reaches the target.
    float raw_cut_beyond(float target) const noexcept {
        return target > mapped_maximum_ ? std::numeric_limits<float>::infinity() : raw_cut(target);
    }
    /// A bound on raw logits under which a token weighs nothing.
    float mass_cut() const noexcept { return raw_cut(finite(mapped_maximum_ - mass_range)); }

    void find_mass() noexcept {
        band_ = {};
        if (stages_->fact(plan_->bridge).narrows == narrowing::mass) band_ = guess_without_mass(plan_->bridge);
        if (!band_.empty()) return split_mass();
        total_mass_ = stages_->mass(plan_->bridge, row_, memory_.peaks, mass_cut(), mapped_maximum_, memory_.masses);
        law_ = {};
        law_.maximum = mapped_maximum_;
        law_.mass = total_mass_;
    }

    // These parameters may be any number. More than the row has logits means all of them.
    std::size_t rank(std::size_t i) const noexcept { return (std::min)(stages_->rank(i), row_.size()); }
    std::size_t keeps_at_least(std::size_t i) const noexcept {
        return (std::min)(stages_->keeps_at_least(i), row_.size());
    }

    /// A bound on raw logits that holds the k first in rank of the mapped row, 0 < k <= row_.size(). A map can make the
    /// bound's logit and a lesser one equal, so the bound is taken through the maps and back.
    float raw_cut_of_rank(std::size_t k) noexcept {
        const float bound =
            wide::bound_of_rank(row_, memory_.peaks, k, maximum_, memory_.groups, has_groups_, memory_.bins);
        if (bound == std::numeric_limits<float>::lowest()) return bound;  // all of them; a map of it may overflow
        return raw_cut(map(canonical(bound)));
    }

    void select_greatest(std::size_t k) noexcept {
        found_.size = 0;
        found_.sorted = false;
        wide::find_greatest(row_, memory_.peaks, k, raw_cut_of_rank(k), mapping(), found_);
    }

    /// How low a nucleus can reach: a cut whose tokens hold more than the target. Most rows show it a few nats under
    /// the maximum, among few tokens; on others it is looked for in the row, or a histogram of mass finds it.
    void bound_nucleus(std::size_t bridge) noexcept {
        std::size_t many = (std::min<std::size_t>)(row_.size() / 4, 4096);
        // A candidate costs about 10 ns, a sample 5 µs, another pass over the row 0.4 ns a logit (measured, AVX-512).
        if (can_sample() && can_stay_in_row(bridge)) many = (std::min)(many, 512 + row_.size() / 24);
        const std::uint64_t target = stages_->target(bridge, total_mass_, *context_);
        nucleus_way_ = nucleus_way::band_guessed_ahead;
        if (!band_.empty() && end_nucleus_in_band(bridge, target)) return;
        nucleus_way_ = nucleus_way::candidates;
        for (const float depth : first_depths) {
            cut_ = finite(mapped_maximum_ - depth);
            if (reached_by(raw_cut(cut_), many) >= many) break;
            gather_above_raw(raw_cut(cut_));
            if (found_.mass(mapped_maximum_) > target) return;
        }
        nucleus_way_ = nucleus_way::band_of_sample;
        if (can_sample() && can_stay_in_row(bridge)) {  // now the mass is known
            sample_masses(bridge, maximum_);
            band_ = guess_end_of_nucleus(bridge, double(total_mass_));
            if (!band_.empty() && end_nucleus_in_band_of_row(bridge, target)) return;
        }
        nucleus_way_ = nucleus_way::bucket;
        cut_ = finite(mapped_maximum_ - mass_range);
        const wide::buckets by = buckets_of_mass();
        std::fill(memory_.bins, memory_.bins + wide::buckets::count, 0);
        stages_->mass_by_bucket(bridge, row_, memory_.peaks, mass_cut(), mapped_maximum_, by, memory_.bins);
        const std::size_t bucket = wide::bucket_exceeding({memory_.bins, wide::buckets::count}, target);
        if (bucket == 0) return;
        cut_ = by.least_of(bucket, mapped_maximum_);
        if (!can_stay_in_row(bridge) || reached_by(raw_cut(cut_), many_survivors + 1) <= many_survivors) return;
        band_ = {cut_, bucket + 1 < wide::buckets::count ? by.least_of(bucket + 1, mapped_maximum_)
                                                         : next_canonical(mapped_maximum_)};
        end_nucleus_in_band_of_row(bridge, target);
    }
    // A large nucleus, for which no candidates are made (wide/nucleus.hpp).

    void split_mass() noexcept {
        of_band_ = wide::band_tokens::in(found_.data, row_.size());
        split_ =
            stages_->mass(plan_->bridge, row_, memory_.peaks, mass_cut(),
                          {raw_cut(band_.low), raw_cut_beyond(band_.high)}, mapped_maximum_, memory_.masses, of_band_);
        total_mass_ = split_.total;
    }
    /// Whether a large nucleus may be one, and the step can go on in the row behind it.
    bool can_stay_in_row(std::size_t bridge) const noexcept {
        return row_.size() > many_survivors && stages_->keeps_at_least(bridge) <= 1 && route_behind(bridge).exists();
    }
    /// Whether a sample costs much less than a pass over the row.
    bool can_sample() const noexcept { return row_.size() >= 2 * wide::row_sample::size; }
    /// The likeliest tokens, which need no guess: all that reach about the greatest quarter of the blocks' maxima, so
    /// that those with neighbouring ids are counted one by one.
    struct likeliest_tokens {
        float logit;         ///< raw; the least of them
        std::uint64_t mass;  ///< of them all
    };
    float rank_of_peaks(std::size_t k) noexcept {
        return wide::kth_greatest(memory_.peaks, wide::pad_peaks(memory_.peaks, row_.blocks()), k, k / 8,
                                  wide::guess_below(memory_.peaks, row_.blocks(), maximum_), maximum_);
    }
    likeliest_tokens find_likeliest() noexcept {
        const std::size_t usual = row_.blocks() / 4;
        float least = finite(rank_of_peaks(usual));
        const std::size_t padded = wide::pad_peaks(memory_.peaks, row_.blocks());
        if (wide::count_at_least(memory_.peaks, padded, least) > 2 * usual) least = next_canonical(canonical(least));
        of_band_ = wide::band_tokens::in(found_.data, row_.size());
        const float cut = (std::max)(least, mass_cut());
        const wide::split_mass split = stages_->mass(plan_->bridge, row_, memory_.peaks, cut, {cut, cut},
                                                     mapped_maximum_, memory_.masses, of_band_);
        return {least, split.reaching};
    }
    double left_of(std::size_t bridge, double mass) const noexcept {
        return mass - double(stages_->target(bridge, std::uint64_t(mass), *context_));
    }
    std::uint32_t weight_of(float raw) const noexcept { return fixed_mass_of(map(canonical(raw)) - mapped_maximum_); }
    /// The end of a nucleus that is surely large, guessed ahead of the mass pass, which then need not be done twice.
    wide::band guess_without_mass(std::size_t bridge) noexcept {
        if (!can_sample() || !can_stay_in_row(bridge)) return {};
        const float median = rank_of_peaks(row_.blocks() / 2);
        const double of_bulk = 8.0 * double(row_.blocks()) * double(weight_of(median));  // more or less
        // Whether a nucleus ends far down in the bulk: where that holds much of the mass, or many times what is left
        // out. (Else it ends among a few hundred tokens, and those are soon gathered when the mass is known.) The mass
        // is that of the bulk and `of_others`, as far as they are known. The longer the row, the less a sample costs
        // beside a mass pass that might be taken for nothing. The numbers part nuclei of less than 2,000 tokens from
        // larger ones on recorded, flat and medium rows of 8,192 to 262,144 logits, for p of 0.5 to 0.99.
        const auto ends_in_bulk = [&](double share, double many_times, double of_others) {
            const double all = of_others + of_bulk;
            return of_bulk > (std::min)(share * all, many_times * left_of(bridge, all));
        };
        const double many_times = (std::max)(2.5, 48.0 * double(wide::row_sample::size) / double(row_.size()));
        if (!ends_in_bulk(0.6, 1.7 * many_times, double(unit_mass))) return {};  // of the greatest
        // Where half of the blocks have a token nearly as likely as the greatest, none stands out of the sample.
        const bool none_stand_out = weight_of(median) >= unit_mass / 2;
        const likeliest_tokens likeliest = none_stand_out ? likeliest_tokens{-illegal_logit, 0} : find_likeliest();
        if (!ends_in_bulk(0.25, many_times, double(likeliest.mass))) return {};
        const double sampled = double(likeliest.mass) + sample_masses(bridge, likeliest.logit);
        if (!(sampled - double(likeliest.mass) > 1.3 * left_of(bridge, sampled))) return {};
        return guess_end_of_nucleus(bridge, sampled);
    }
    static double share_of_sample(std::size_t row_size) noexcept {
        return double(wide::row_sample::size) / double(row_size);
    }
    /// The masses of a sample of the row, by bucket in memory_.bins; answers about what the row holds below a logit.
    double sample_masses(std::size_t bridge, float below) noexcept {
        wide::row_sample sample(row_, memory_.peaks, reinterpret_cast<float*>(found_.data));
        const auto sum_by = [&](const wide::buckets& by) {
            std::fill(memory_.bins, memory_.bins + wide::buckets::count, 0);
            stages_->mass_by_bucket(bridge, sample.logits, sample.peaks, mass_cut(), mapped_maximum_, by, memory_.bins);
            sampled_by_ = by;
        };
        sum_by(buckets_of_mass());
        std::size_t lowest = 0;
        while (lowest + 1 < wide::buckets::count && memory_.bins[lowest] == 0) ++lowest;
        constexpr std::size_t few = 64;
        if (lowest >= wide::buckets::count - few)  // a row of little relief
            sum_by(wide::buckets::between(sampled_by_.least_of(lowest, mapped_maximum_), mapped_maximum_));
        const std::size_t end = below > maximum_
                                    ? wide::buckets::count
                                    : std::size_t(sampled_by_.bucket_of(lanes<1>(map(canonical(below))))[0]);
        std::uint64_t mass = 0;
        for (std::size_t b = 0; b < end; ++b) mass += memory_.bins[b];
        return double(mass) / share_of_sample(row_.size());
    }
    wide::buckets buckets_of_mass() const noexcept {
        return wide::buckets::between(finite(mapped_maximum_ - mass_range), mapped_maximum_);
    }
    /// Where the nucleus ends, more or less, after sample_masses. `total` is the mass of the row.
    wide::band guess_end_of_nucleus(std::size_t bridge, double total) const noexcept {
        using wide::row_sample;
        return wide::band_of({memory_.bins, wide::buckets::count}, sampled_by_,
                             left_of(bridge, total) * share_of_sample(row_.size()), row_sample::size / 24,
                             mapped_maximum_);
    }
    bool end_nucleus_in_band_of_row(std::size_t bridge, std::uint64_t target) noexcept {
        split_mass();
        return end_nucleus_in_band(bridge, target);
    }
    /// False, and nothing done, where the guess was wrong.
    bool end_nucleus_in_band(std::size_t bridge, std::uint64_t target) noexcept {
        const auto& tokens = of_band_;
        const wide::parted_tokens all = wide::part(tokens);
        const std::uint64_t above = split_.reaching - all.mass;
        if (split_.reaching <= target || above > target) return false;

        const wide::nucleus_end end = wide::end_of_nucleus(tokens, all, target - above);
        const float cut = raw_cut(end.logit), beyond = raw_cut_beyond(next_canonical(end.logit));
        cut_ = end.logit;
        if (reached_by(cut, many_survivors + 1) <= many_survivors) return true;  // then they are gathered
        const route onward = route_behind(bridge);
        if (onward.draws_by_same_mass) {  // no block is looked at again but the one that the draw falls into
            const std::span<std::uint64_t> masses(memory_.masses, row_.blocks());
            total_mass_ = split_.reaching - wide::drop_behind(end, tokens, masses);
            const draws random = stages_->random(onward.next->bridge, context_->at());
            std::uint64_t drawn_mass = multiply_high(random.bits(), total_mass_);
            const std::size_t drawn = wide::block_of(memory_.masses, row_.blocks(), drawn_mass);
            wide::hide_below(row_, drawn, cut);
            wide::hide_ties(end, tokens, row_, cut, beyond, drawn, drawn + 1);
            go_on(onward);
            next_ += 2;  // behind maximum and mass, which are known
        } else {
            wide::hide_below(row_, memory_.peaks, cut);
            wide::hide_ties(end, tokens, row_, cut, beyond, 0, row_.blocks());
            go_on(onward);
        }
        return true;
    }

    static float finite(float logit) noexcept { return (std::max)(logit, std::numeric_limits<float>::lowest()); }
    /// How many raw logits reach the cut, counted up to `enough`.
    std::size_t reached_by(float cut, std::size_t enough) const noexcept {
        return wide::count_above(row_, memory_.peaks, cut, enough);
    }

    /// All that a searching stage needs to see lies a few nats under the maximum on most rows, among few tokens; on
    /// others among more of the greatest. Otherwise it sees everything that weighs, or is legal.
    void search(std::size_t bridge) noexcept {
        const facts& f = stages_->fact(bridge);
        const float least = f.weightless ? raw_cut(std::numeric_limits<float>::lowest()) : mass_cut();
        if (!f.needs_all && search_from_above(bridge, least)) return;
        gather_above_raw(least);
        stages_->keep(bridge, found_, law_, illegal_logit);
    }
    bool search_from_above(std::size_t bridge, float least) noexcept {
        constexpr std::size_t many = 4096;
        for (const float depth : first_depths) {
            const float floor = finite(mapped_maximum_ - depth);
            if (reached_by(raw_cut(floor), many) >= many) break;
            gather_above_raw(raw_cut(floor));
            if (stages_->keep(bridge, found_, law_, floor)) return true;
        }
        for (std::size_t k = many; 2 * k < row_.size(); k *= 8) {
            const std::size_t most = 2 * k;
            float cut = raw_cut_of_rank(k);
            if (reached_by(cut, most + 1) > most)  // as in a row that rises
                cut = raw_cut(map(canonical(wide::closer_bound(row_, memory_.peaks, k, cut, most))));
            if (!(cut > least) || !gather_above_raw(cut, most)) return false;
            if (stages_->keep(bridge, found_, law_, map(canonical(cut)))) return true;
        }
        return false;
    }

    void select_by_head(std::size_t bridge) noexcept {
        const std::size_t first = rank(bridge);
        select_greatest(first);
        const std::size_t k = (std::min)(stages_->rank(bridge, law_, found_), row_.size());
        if (k > first) select_greatest(k);
        else found_.keep_greatest(k);
    }

    void gather_above(std::size_t bridge) noexcept {
        const narrowing how = stages_->fact(bridge).narrows;
        const bool nucleus = how == narrowing::mass;
        const float mapped_cut = nucleus                        ? cut_
                                 : how == narrowing::likelihood ? stages_->cut(bridge, law_)
                                                                : stages_->cut(bridge, mapped_maximum_, moments_);
        const std::size_t least = keeps_at_least(bridge);
        if (!nucleus && mapped_cut > mapped_maximum_) return select_greatest(least);  // nobody reaches it
        const float exact = raw_cut(mapped_cut), cut = least > 1 ? (std::min)(exact, raw_cut_of_rank(least)) : exact;
        const bool is_all = mapped_cut <= mapped_maximum_ && cut == exact && !nucleus;  // what reaches the cut is kept
        const route onward = is_all ? route_behind(bridge) : route();
        if (!gather_above_raw(cut, onward.exists() ? many_survivors : std::size_t(-1))) return stay_in_row(onward, cut);
        if (nucleus) found_.keep_nucleus(mapped_maximum_, stages_->target(bridge, total_mass_, *context_), least);
        else found_.keep_above(mapped_cut, least);
    }

    /// Candidates from the raw logits that reach the cut, mapped; false, and no use of those that were found, when they
    /// are more than `most`.
    RIFFLE_NOINLINE bool gather_above_raw(float cut, std::size_t most = std::size_t(-1)) noexcept {
        found_.sorted = false;
        found_.size = wide::find_above(row_, memory_.peaks, 0, row_.blocks(), cut, found_.data, most);
        if (found_.size > most) return false;
        mapping().map({found_.data, found_.size});
        return true;
    }

    // Where a bridge leaves many tokens, candidates of 12 bytes would cost more than another pass: they stay in the
    // row, the others are hidden there, and the next stage that narrows or selects becomes the bridge.

    struct route {
        const plan* next = nullptr;
        std::size_t at = 0;               ///< the step of it that comes first
        bool at_draw = false;             ///< the bridge selects too
        bool draws_by_same_mass = false;  ///< the selector alone is left, and no map before it
        bool exists() const noexcept { return next != nullptr; }
    };
    /// How the step can go on in the row behind this bridge, if it can.
    route route_behind(std::size_t bridge) const noexcept {
        if (end_ != until::token) return {};
        if (next_ < plan_->size && plan_->steps[next_].op == pass::draw) return {plan_, next_, true};
        const plan& next = stages_->plan_for(stages_->bridge(row_.size(), bridge + 1));
        const std::size_t at = plan_->goes_on_at(next);
        if (at == next.size) return {};
        bool same = at + 3 == next.size && next.steps[at + 1].op == pass::mass && next.steps[at + 2].op == pass::pick;
        for (std::size_t i = bridge; same && i < next.bridge; ++i) same = !stages_->fact(i).maps;
        return {&next, at, false, same};
    }
    /// Of the row nothing is left but what reaches the cut.
    void stay_in_row(const route& onward, float cut) noexcept {
        draws_from_row_ = onward.at_draw;
        hides_weights_ = !onward.at_draw || cut > mass_cut();
        if (hides_weights_) wide::hide_below(row_, memory_.peaks, cut);
        go_on(onward);
        left_ = {maximum_, false};
        offer_maximum();
    }
    void go_on(const route& onward) noexcept {
        stays_in_row_ = true;
        found_.size = 0;
        plan_ = onward.next;
        next_ = onward.at;
    }

    void pick(std::size_t selector) noexcept {
        const selecting how = stages_->fact(selector).selects;
        if (how == selecting::greatest) {
            const auto id = wide::first_at_least(row_, memory_.peaks, raw_cut(mapped_maximum_));
            return choose({token_id(id), mapped_maximum_, 1.0f});
        }
        if (end_ == until::selector) {
            gather_above_raw(how == selecting::by_shape ? std::numeric_limits<float>::lowest() : mass_cut());
            return stages_->prepare(selector, found_);
        }
        const draws random = stages_->random(selector, context_->at());
        if (how == selecting::by_shape) {
            const token_data token =
                stages_->pick_by_shape(plan_->bridge, row_, memory_.peaks, law_, memory_.masses, random);
            if (token.id >= 0) choose(token);
            return;
        }
        if (how == selecting::by_mass) {
            const auto p = stages_->pick_by_mass(plan_->bridge, row_, memory_.masses,
                                                 multiply_high(random.bits(), total_mass_), mapped_maximum_);
            if (p.id < 0)
                return choose({token_id(wide::first_at_least(row_, memory_.peaks, raw_cut(mapped_maximum_))),
                               mapped_maximum_, 0.0f});
            return choose(
                {p.id, map(canonical(row_.logit(std::size_t(p.id)))), float(double(p.weight) / double(total_mass_))});
        }
        const token_id id = stages_->pick_by_noise(plan_->bridge, row_, memory_.peaks, maximum_, random);
        if (id >= 0) choose({id, map(canonical(row_.logit(std::size_t(id)))), 0.0f});
    }

    void choose(const token_data& token) noexcept {
        found_.data[0] = token;
        found_.size = 1;
        found_.selected = 0;
    }

    void gather_legal(std::size_t mask) noexcept {
        found_.size = wide::find_legal(row_, stages_->legal_words(mask), found_.data);
        for (auto& token : found_) {
            note(token.logit);
            token.logit = canonical(token.logit);
        }
    }

    // A candidate for every token, and back.

    void make_rows() noexcept {
        found_.size = row_.size();  // in memory for whole blocks
        if (wide::fill_candidates(row_, true, found_.data)) note(wide::find_max(row_, memory_.peaks));
    }
    /// The candidates as a row, if no stage has dropped, moved or chosen one.
    wide::row_found row_of_candidates() noexcept {
        if (found_.size != row_.size() || found_.sorted || found_.selected >= 0) return {};
        return wide::copy_logits(found_, memory_.copies, memory_.peaks);
    }
    void take_row(const wide::row_found& left) noexcept {
        row_.assign(memory_.copies, found_.size, memory_.blocks, memory_.copies);
        found_.size = 0;
        left_ = left.maximum;
    }
    bool go_back_to_row() noexcept {
        const wide::row_found left = row_of_candidates();
        if (!left.is_row) return false;
        take_row(left);
        offer_maximum();
        return true;
    }
    bool narrow_to_the_end(const plan_step& s) noexcept {
        next_ = plan_->size;
        return narrow(s.first, s.last);
    }
    /// What is in left_, to the next step; the block maxima are there.
    void offer_maximum() noexcept {
        known_ = next_ < plan_->size && plan_->steps[next_].op == pass::max ? &left_ : nullptr;
    }

    /// As far as the stages' forms can, on the row. Where one cannot it is given a candidate for every token, as it is
    /// (but for NaN); what it leaves whole is a row again.
    bool run_as_llama(std::size_t last) noexcept {
        const bool counts = end_ != until::selector;
        counts_.rows += counts;
        left_ = wide::find_max(row_, memory_.peaks);
        const bool is_ordinary = wide::is_ordinary(left_);
        if (!is_ordinary) {
            note(left_);
            hide_nan();
        }
        std::size_t i = 0;
        if (is_ordinary && run_on_row(i, last)) return narrow(i, last);
        counts_.replays += counts;
        for (;;) {
            found_.size = row_.size();
            wide::fill_candidates(row_, false, found_.data);
            if (i + 1 >= last || selects_by_law(i)) return narrow(i, last);
            if (!narrow_by_verbs(i, i + 1)) return false;
            ++i;
            const wide::row_found left = row_of_candidates();
            // p is what the stage left, and a user's stage may read it.
            if (!left.is_row || left.has_p || !wide::is_ordinary(left.maximum)) return narrow(i, last);
            take_row(left);
            if (run_on_row(i, last)) return narrow(i, last);
        }
    }
    /// Of the row as it came: NaN that a stage makes stays.
    void hide_nan() noexcept {
        for (std::size_t id = 0; id < row_.size(); ++id)
            if (const float logit = row_.logit(id); logit != logit)
                row_.own(id / block_size)[id % block_size] = illegal_logit;
    }
    /// The stages from i on, as long as they decide; true when one of them has narrowed. i is then the next one, else
    /// the first that was not run.
    bool run_on_row(std::size_t& i, std::size_t last) noexcept {
        wide::llama_row r(row_, memory_.peaks, memory_.groups, memory_.bins, memory_.masses, &left_);
        for (; i < last && !selects_by_law(i); ++i) {
            const exact::row_answer answer = stages_->apply_to_row(i, r, found_, *context_);
            if (answer == exact::row_answer::narrowed) {
                ++i;
                return true;
            }
            if (answer == exact::row_answer::undecided) return false;
        }
        return false;
    }
    /// Whether the run is to stop ahead of this stage.
    bool selects_by_law(std::size_t i) const noexcept {
        const facts& f = stages_->fact(i);
        if (end_ != until::selector || f.selects == selecting::no || f.selects == selecting::greatest) return false;
        // llama.cpp's forms of these make the law and draw from it at once.
        return !stages_->as_llama() || (f.narrows == narrowing::no && f.selects != selecting::by_shape);
    }
    /// The same among candidates. There llama.cpp's dist is let draw: where all its weights are NaN, its choice is all
    /// the law that it has.
    bool stops_ahead_of(std::size_t i) const noexcept {
        return selects_by_law(i) && !(stages_->as_llama() && stages_->fact(i).selects == selecting::by_mass);
    }
    bool narrow(std::size_t first, std::size_t last) noexcept {
        const bool stop = last > first && stops_ahead_of(last - 1);
        if (!narrow_by_verbs(first, stop ? last - 1 : last)) return false;
        if (stages_->as_llama()) {  // llama.cpp leaves inf, NaN made of it, and its flag over logits that were changed
            for (auto& token : found_) token.logit = canonical(token.logit);
            found_.sorted = false;
        }
        if (stop) stages_->prepare(last - 1, found_);
        return true;
    }
    bool narrow_by_verbs(std::size_t first, std::size_t last) noexcept {
        const status_code code = stages_->narrow(first, last, found_, *context_);
        if (code != status_code::ok) state_.fail(code);
        return code == status_code::ok;
    }

    const Table* stages_ = nullptr;
    const plan* plan_ = nullptr;
    std::size_t next_ = 0;         ///< the step of the plan that comes next
    bool stays_in_row_ = false;    ///< what a bridge has left was in the row, not in found_
    bool draws_from_row_ = false;  ///< and is still there where a bridge that selects draws
    bool has_groups_ = false;      ///< memory.groups are those of the row
    bool hides_weights_ = false;   ///< and tokens that weighed something are not
    const context* context_ = nullptr;
    const wide::row_maximum* known_ = nullptr;  ///< of the row, where that is known before it is looked for
    wide::row_maximum left_{};
    scratch memory_;
    row row_;
    candidates found_;
    status state_;
    moments moments_;
    law law_;
    wide::band band_;
    wide::buckets sampled_by_;  ///< the buckets of memory_.bins, where those hold a sample
    wide::split_mass split_;
    wide::band_tokens of_band_{};
    replay_counts counts_;
    std::uint64_t total_mass_ = 0;
    float maximum_ = illegal_logit;         ///< greatest logit of the row, canonical
    float mapped_maximum_ = illegal_logit;  ///< the same behind the pending maps
    float cut_ = illegal_logit;
    nucleus_way nucleus_way_ = nucleus_way::none;
    until end_ = until::token;
};

}  // namespace riffle
