#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/softmax_statistics.hpp>
#include <riffle/gpu/host/device_plan.hpp>
#include <riffle/gpu/host/device_stage.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/row_vectors.hpp>
#include <riffle/gpu/kernels/tile_maxima.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/fixed_mass.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A set of stages, one bit each.
using stage_set = std::uint32_t;

/// How a pass goes over a row.
struct row_pass {
    bool notes = false;        ///< what is odd about logits is noted in row_tokens::seen
    bool expects_few = false;  ///< as a rule no token of a strip reaches row_tokens::bound
};

/// The tokens of a row as the stages ahead of the present one leave them. Nothing is written for a token: what stages
/// do to one is a function of its logit and id, and whoever wants it has that computed anew.
///
/// A stage that narrows keeps, in rank, what does not lie behind a last token (or ahead of a first one): a bound of two
/// words, which the work group finds out and which is a part of that function from then on.
class row_tokens {
public:
    constexpr row_tokens(work_group& of, std::span<const device_stage> stages, const row_source& source,
                         const spirv::buffer<u32>& scratch) noexcept
        : stage(of.code, u32(0u)), seen(of.code, u32(0u)), vectors(of, source, scratch),
          maxima(of, vectors, is_bounded(stages)), bound(of.code, u32(0u)), code_(of.code), stages_(stages),
          is_bounded_(is_bounded(stages)), layout_(stages), requests_(code_, binding::requests), request_(code_),
          greatest_(code_, u32(0u)), maximum_logit_(code_, f32(0.0f)) {
        request_ = vectors.row() * u32(layout_.words);
        for (std::size_t i = 0; i < stages.size(); ++i) declare(i);
        write_functions();
    }

    // ---- the stages

    /// The present one.
    private_variable<u32> stage;
    /// body() for each stage of a set, where it is the present one: present() says which it is while that is written.
    template <class Body>
    constexpr void for_present(stage_set set, Body body) noexcept {
        const auto write = [&](std::size_t i) {
            present_ = i;
            body();
            present_ = any_stage;
        };
        if (set == 0) return;
        if ((set & (set - 1)) != 0) return spirv::switch_(code_, stage, set, write);
        std::size_t only = 0;
        while (set >> only != 1) ++only;
        spirv::if_(code_, stage == u32(std::uint32_t(only)), [&] { write(only); });
    }
    constexpr std::size_t present() const noexcept { return present_; }
    /// Where a stage is present that is known: ahead of all.
    constexpr void begin_at(std::size_t i) noexcept {
        present_ = i;
        stage = u32(std::uint32_t(i));
    }
    constexpr void end_at() noexcept {
        present_ = any_stage;
        stage = 0u;
    }
    /// Calls a function that may be called from several places, and writes it where none has yet.
    template <class Body>
    constexpr void call(spirv::integer_function<1>& function, Body body) noexcept {
        if (!function.is_written()) {
            const std::size_t present = present_;
            present_ = any_stage;
            function = spirv::integer_function<1>(code_, [&](const u32&) {
                body();
                return u32(0u);
            });
            present_ = present;
        }
        function(u32(0u));
    }
    constexpr std::size_t stages() const noexcept { return stages_.size(); }
    constexpr const device_stage& description(std::size_t i) const noexcept { return stages_[i]; }
    /// Those of which something holds.
    template <class Holds>
    constexpr stage_set set_of(Holds holds) const noexcept {
        stage_set set = 0;
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (holds(stages_[i])) set |= stage_set{1} << i;
        return set;
    }
    /// Whether the present stage is one of a set.
    constexpr boolean is_one_of(stage_set set) const noexcept {
        if (set == 0) return false;
        if (present_ != any_stage) return (set >> present_ & 1) != 0;
        return ((u32(set) >> stage.load()) & 1u) != 0u;
    }
    constexpr boolean is_present(std::size_t i) const noexcept {
        if (present_ != any_stage) return present_ == i;
        return stage == u32(std::uint32_t(i));
    }
    /// then(i) for each stage i of a set, when it is the present one.
    template <class Then>
    constexpr void for_each_of(stage_set set, Then then) const noexcept {
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (set >> i & 1) spirv::if_(code_, is_present(i), [&] { then(i); });
    }

    /// A word of the row's request, of the present stage's part of it, and of the buffer that holds them all.
    constexpr u32 request(std::uint32_t place) const noexcept { return requests_[request_.load() + place]; }
    constexpr u32 stage_request(std::uint32_t place) const noexcept { return request(layout_.stage(present_) + place); }
    /// Whether the present stage has anything to do in this row, and whether it is a map that keeps the first in rank.
    constexpr boolean is_active() const noexcept {
        return present_ < stages_.size() ? active_[present_] != 0u : boolean(false);
    }
    constexpr boolean is_first_wanted() const noexcept { return active_[present_] == 2u; }
    /// Whether any map in front does.
    constexpr boolean is_first_wanted_in_front() const noexcept {
        boolean is_any(false);
        for (std::size_t i = 0; i < front_end(); ++i)
            if (stages_[i].form == device_form::map && stages_[i].fact.narrows != narrowing::no)
                is_any = is_any | (active_[i] == 2u);
        return is_any;
    }
    constexpr u32 request_buffer(const u32& place) const noexcept { return requests_[place]; }
    /// The parameters of stage i.
    template <class Use>
    constexpr auto with_parameters(std::size_t i, Use use) const noexcept {
        std::array<f32, most_parameters> all;
        for (std::size_t p = 0; p < stages_[i].parameters; ++p) all[p] = parameters_[first_parameter_[i] + p].load();
        return use(static_cast<const f32*>(all.data()));
    }

    // ---- the row

    /// Bits of row_state, of all logits that the invocation has met.
    private_variable<u32> seen;
    /// The logits.
    row_vectors vectors;
    /// The greatest of their parts, where stages() has need of them.
    tile_maxima maxima;

    // ---- the tokens

    /// The greatest key of all tokens that are left, where that is known, and its logit.
    constexpr u32 greatest() const noexcept { return greatest_; }
    constexpr f32 maximum() const noexcept { return maximum_logit_; }
    constexpr void set_greatest(const u32& key) noexcept {
        greatest_ = key;
        maximum_logit_ = logit_of(key);
    }
    /// The weight of a logit, by its bits, beside the greatest; 0 for dead_logit. That of a key.
    constexpr u32 weight_of(const u32& logit) const noexcept { return weight_(logit); }
    constexpr u32 weight(const u32& key) const noexcept { return weight_(bits_of(key)); }
    /// A token ahead of the present stage.
    constexpr u32 key(const u32& id) const noexcept { return key_(vectors.logit_bits(id), id); }
    /// What the present stage makes of one; 0 where it drops it.
    constexpr u32 behind_stage(const u32& key, const u32& id) const noexcept { return steps_[present_](key, id); }
    constexpr stage_set that_change_tokens() const noexcept { return set_of(changes_tokens); }

    /// A raw key that tokens reach or are dropped: passes leave out parts of the row in which none does.
    private_variable<u32> bound;
    /// Whether stages may set it.
    constexpr bool is_bounded() const noexcept { return is_bounded_; }

    /// What is to be done for every token: visit(key, id) becomes a function, which sees private variables and shared
    /// memory, and nothing else that stands around it.
    template <class Visit>
    constexpr spirv::integer_function<2> visitor(Visit visit) noexcept {
        return {code_, [&](const u32& key, const u32& id) {
                    visit(key, id);
                    return u32(0u);
                }};
    }
    // In the order in which they call each other: clang would write a template that comes behind its callers at the end
    // of the file only, which is too late where a module is a constant.

    /// visit(bits, id) of logits as they came.
    template <class After>
    constexpr void for_each_word(const spirv::integer_function<2>& visit, row_pass how, After after) const noexcept {
        vectors.for_each_strip([&](const u32& strip) {
            const boolean may_reach = is_bounded_ ? bound <= maxima.of_strip(strip) : boolean(true);
            spirv::if_(code_, may_reach, [&] {
                const std::array<u32x4, 4> loaded = vectors.load(strip);
                const boolean reaches = how.expects_few && is_bounded_ ? any_reaches(loaded) : boolean(true);
                spirv::if_(code_, reaches, [&] {
                    vectors.for_each_four(strip, loaded, [&](const u32x4& words, const u32& id) {
                        for (std::uint32_t i = 0; i < 4; ++i) {
                            const u32 bits = vectors.words.float_bits(words[i]);
                            visit(bits, id + i);
                        }
                    });
                });
                after(strip);
            });
        });
        vectors.for_each_at_edges(
            [&](const u32& loaded, const u32& id) { visit(vectors.words.float_bits(loaded), id); });
    }
    /// visit(logit, id), with the bits of their logits; dead_logit where a token is not left. `after(strip)` behind
    /// those of a strip that has any.
    template <class After>
    constexpr void for_each_logit(const spirv::integer_function<2>& visit, row_pass how, After after) noexcept {
        const auto visit_words = visitor([&](const u32& bits, const u32& id) { visit(logit_(bits, id), id); });
        for_each_word(visit_words, how, after);
    }
    constexpr void for_each_logit(const spirv::integer_function<2>& visit, row_pass how = {}) noexcept {
        for_each_logit(visit, how, [](const u32&) {});
    }
    /// visit(key, id) for the tokens of the row that may reach the bound; the key is 0 where a token is not left.
    constexpr void for_each(const spirv::integer_function<2>& visit, row_pass how = {}) noexcept {
        const auto visit_words = visitor([&](const u32& bits, const u32& id) {
            if (how.notes) note(bits);
            visit(key_(bits, id), id);
        });
        for_each_word(visit_words, how, [](const u32&) {});
    }

    // ---- plain tokens: what only maps stand ahead of

    /// Whether a selector comes behind maps that never fall and edits alone: what these make of a logit is computed
    /// from its bits then, without keys.
    constexpr bool can_be_plain() const noexcept {
        return code_.options().precise && !has_masks_in_front() && front_end() < stages_.size() &&
               stages_[front_end()].form == device_form::select;
    }
    /// add(weight) beside the greatest for the tokens of the row, `after` as for_each. `is_plain`: the row has no NaN
    /// without a sign, and neither it nor what maps make of it has +inf.
    template <class Add, class After>
    constexpr void for_each_weight(const boolean& is_plain, Add add, After after) noexcept {
        const auto general = [&] {
            const auto weigh = visitor([&](const u32& logit, const u32&) { add(weight_of(logit)); });
            for_each_logit(weigh, {}, after);
        };
        if (!can_be_plain()) return general();
        const auto plain = [&] {
            const auto weigh = visitor([&](const u32& bits, const u32&) { add(plain_weight(bits)); });
            for_each_word(weigh, {}, after);
        };
        spirv::if_(code_, is_plain, plain, general);
    }
    /// try_logit(bits, id) of what maps make of the logits of the row; look(key, id) where that, or a logit, is NaN or
    /// infinite, which is noted in `seen`.
    template <class Look>
    constexpr void for_each_plain(const spirv::integer_function<2>& try_logit, Look look) noexcept {
        const auto look_at_key = visitor([&](const u32& bits, const u32& id) {
            note(bits);
            look(key_(bits, id), id);
        });
        const auto visit = visitor([&](const u32& bits, const u32& id) {
            const plain_token plain = plain_logit(bits);
            const boolean is_odd = plain.is_odd | ((bits & 0x7fffffffu) >= 0x7f800000u);
            spirv::if_(
                code_, is_odd, [&] { look_at_key(bits, id); },
                [&] {
                    const u32 logit(as_bits(plain.logit));
                    try_logit(logit, id);
                });
        });
        for_each_word(visit, {}, [](const u32&) {});
    }

    // ---- the stages at the front: edits, masks and maps that never fall

    /// Behind them comes the first stage whose question raw keys can answer, if any.
    constexpr std::size_t front_end() const noexcept { return front_of(stages_); }
    constexpr bool has_maps_in_front() const noexcept { return has_in_front(device_form::map); }
    constexpr bool has_masks_in_front() const noexcept { return has_in_front(device_form::mask); }
    /// Whether only they stand ahead of the present stage. (A selector changes nothing.)
    constexpr boolean is_in_front() const noexcept {
        const std::size_t end = front_end();
        const bool is_all = end == stages_.size() || stages_[end].form == device_form::select;
        if (present_ != any_stage) return is_all || present_ <= end;
        return is_all ? boolean(true) : stage <= u32(std::uint32_t(end));
    }
    /// The key of a raw key behind those of them that are ahead of the present stage; masks are not asked.
    constexpr u32 behind_front(const u32& raw) const noexcept {
        if (has_maps_in_front()) return behind_front_(raw);
        return key_of(f32::from_bits(raw_key::bits_of(raw)));
    }
    /// Of the four tokens from this id on, those that no mask among them bans, a bit each.
    constexpr u32 legal_four(const u32& first_id) const noexcept {
        const u32 at = first_id >> 5u, shift = first_id & 31u;
        u32 legal(15u);
        for (std::size_t i = 0; i < front_end(); ++i) {
            if (stages_[i].form != device_form::mask) continue;
            const u32 low = mask_word(i, at), high = mask_word(i, at + 1u);
            legal = legal & ((low >> shift) | ((high << 1u) << (31u - shift)));
        }
        return legal;
    }

    /// What the present stage orders tokens by, the greatest first; 0 for one that it never keeps. The key itself, but
    /// for stages with scores.
    constexpr u32 standing(const u32& key) const noexcept { return scored_ ? standing_(key) : key; }
    /// The stages with scores.
    constexpr stage_set scored() const noexcept { return scored_; }

    // ---- what the present stage has found out

    /// It keeps what ranks before this token, and the token; one that removes drops what ranks before it.
    constexpr void set_bound(const u32& key, const u32& id) noexcept {
        if (!set_bound_.is_written())
            set_bound_ = visitor([&](const u32& last_key, const u32& last_id) {
                for_each_of(set_of(has_bound), [&](std::size_t i) {
                    bound_key_[i] = last_key;
                    bound_id_[i] = last_id;
                });
            });
        set_bound_(key, id);
    }
    /// The maximum by which it maps.
    constexpr void set_measured(std::size_t i) noexcept { maximum_[i] = maximum(); }
    /// The maximum by which it maps, and the mean distance under it, by which it scores.
    constexpr void set_measured(std::size_t i, const u32& mean) noexcept {
        set_measured(i);
        mean_[i] = mean;
    }

private:
    static constexpr bool has_bound(const device_stage& s) noexcept {
        return s.form == device_form::narrow || s.form == device_form::remove;
    }
    constexpr void declare(std::size_t i) noexcept {
        const device_stage& s = stages_[i];
        const auto request_of = [&](std::uint32_t w) { return request(layout_.stage(i) + w); };
        const auto declare_word = [&](private_variable<u32>& variable, const u32& value) {
            variable.declare(code_);
            variable = value;
        };
        declare_word(active_[i], request_of(stage_word::active));
        first_parameter_[i] = i == 0 ? 0 : first_parameter_[i - 1] + stages_[i - 1].parameters;
        if (s.form != device_form::select)
            for (std::uint32_t p = 0; p < s.parameters; ++p) {
                private_variable<f32>& parameter = parameters_[first_parameter_[i] + p];
                parameter.declare(code_);
                parameter = f32::from_bits(request_of(stage_word::parameters + p));
            }
        if (s.form == device_form::mask) {
            declare_word(bound_key_[i], request_of(stage_word::low));  // where its words are, and how many
            declare_word(bound_id_[i], request_of(stage_word::high));
        }
        if (has_bound(s)) {  // everything, as long as nothing is known
            declare_word(bound_key_[i], s.form == device_form::remove ? 0xffffffffu : 0u);
            declare_word(bound_id_[i], 0u);
        }
        if (s.form == device_form::adjust || s.score) maximum_[i].declare(code_);
        if (s.score) mean_[i].declare(code_);
    }

    constexpr void note(const u32& bits) noexcept { seen = seen | seen_in(bits); }
    /// Of a key, 0 among them.
    static constexpr u32 bits_of(const u32& key) noexcept {
        return blend(key == 0u, u32(dead_logit), u32(as_bits(logit_of(key))));
    }

    constexpr void write_functions() noexcept {
        scored_ = set_of([](const device_stage& s) { return s.score != nullptr; });
        if (scored_)
            standing_ = spirv::integer_function<1>(code_, [&](const u32& key) {
                private_variable<u32> standing(code_, key);
                for_each_of(scored_, [&](std::size_t i) { standing = standing_of(i, key); });
                return standing.load();
            });
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            if (stages_[i].form == device_form::map)
                maps_[i] = spirv::integer_function<1>(code_, [&](const u32& logit) { return map(i, logit); });
            if (changes_tokens(stages_[i]))
                steps_[i] =
                    spirv::integer_function<2>(code_, [&](const u32& key, const u32& id) { return step(i, key, id); });
        }
        logit_ = spirv::integer_function<2>(code_, [&](const u32& bits, const u32& id) {
            private_variable<u32> logit(code_, u32(as_bits(canonical(f32::from_bits(bits)))));
            // Nobody looks at tokens ahead of the first stage that asks about them, and most rows are not looked at
            // behind it: what stands ahead is not asked for at all, what stands behind it at once.
            const std::size_t first = first_that_asks();
            for (std::size_t i = 0; i < first; ++i) change(i, logit, id);
            const auto behind = set_of(changes_tokens) >> first;
            spirv::if_(code_, behind ? u32(std::uint32_t(first)) < stage : boolean(false), [&] {
                for (std::size_t i = first; i < stages_.size(); ++i)
                    if (changes_tokens(stages_[i]))
                        spirv::if_(code_, u32(std::uint32_t(i)) < stage, [&] { change(i, logit, id); });
            });
            return logit.load();
        });
        key_ = spirv::integer_function<2>(
            code_, [&](const u32& bits, const u32& id) { return key_of_bits(logit_(bits, id)); });
        if (has_maps_in_front())
            behind_front_ = spirv::integer_function<1>(code_, [&](const u32& raw) {
                private_variable<u32> key(code_, key_of(f32::from_bits(raw_key::bits_of(raw))));
                for (std::size_t i = 0; i < front_end(); ++i)
                    if (stages_[i].form == device_form::map)
                        spirv::if_(code_, u32(std::uint32_t(i)) < stage, [&] { key = steps_[i](key, u32(0u)); });
                return key.load();
            });
        weight_ = spirv::integer_function<1>(code_, [&](const u32& logit) { return weight_beside(maximum(), logit); });
    }
    constexpr u32 weight_beside(const f32& maximum, const u32& logit) const noexcept {
        const f32 below = f32::from_bits(logit) - maximum;
        const boolean is_dead = logit == dead_logit;
        if (code_.options().precise) return weight_below(is_dead, below);
        const u32 weight(truncate(native_exp(lesser_of(below, f32(0.0f))) * f32(1073741824.0f)));
        return blend(is_dead, u32(0u), weight);
    }
    /// fixed_mass of what is not above 0; where nothing is to be weighed, of a distance at which nothing weighs
    /// anything.
    static constexpr u32 weight_below(const boolean& is_dead, const f32& below) noexcept {
        const f32 lowest(-clamped_mass_range);
        return u32(truncate(float_mass_in_range(greater_number_of(blend(is_dead, lowest, below), lowest))));
    }
    /// What the maps at the front make of a logit; is_odd where they make NaN or an infinity.
    struct plain_token {
        f32 logit;
        boolean is_odd;
    };
    constexpr plain_token plain_logit(const u32& bits) const noexcept {
        const boolean is_tiny = (bits & 0x7fffffffu) < std::uint32_t(least_magnitude);
        plain_token m{f32::from_bits(blend(is_tiny, u32(0u), bits)), boolean(false)};
        for (std::size_t i = 0; i < front_end(); ++i) {
            if (stages_[i].form != device_form::map) continue;
            m.logit = with_parameters(i, [&](const f32* p) { return stages_[i].map(m.logit, p); });
            m.is_odd = m.is_odd | ((u32(as_bits(m.logit)) & 0x7fffffffu) >= 0x7f800000u);
        }
        return m;
    }
    /// As weight_beside: 0 for -inf and NaN with a sign, and where a map makes such.
    constexpr u32 plain_weight(const u32& bits) const noexcept {
        const plain_token plain = plain_logit(bits);
        const boolean is_out = plain.is_odd | (bits >= 0xff800000u);
        return weight_below(is_out, plain.logit - maximum());
    }
    /// The least scores first, of tokens that weigh something.
    constexpr u32 standing_of(std::size_t i, const u32& key) const noexcept {
        const f32 maximum = maximum_[i];
        const u32 weight = weight_beside(maximum, bits_of(key));
        const i32 distance = fixed_distance(logit_of(key), maximum);
        const u32 score(stages_[i].score(distance, i32(mean_[i].load())));
        return blend(weight == 0u, u32(0u), ~score);
    }
    /// Not an edit, a mask or a map.
    constexpr std::size_t first_that_asks() const noexcept {
        std::size_t i = 0;
        for (; i < stages_.size(); ++i) {
            const device_stage& s = stages_[i];
            const bool only_changes = s.form == device_form::edit || s.form == device_form::mask ||
                                      (s.form == device_form::map && s.fact.narrows == narrowing::no);
            if (!only_changes) break;
        }
        return i;
    }
    /// Whether a stage can make use of the greatest of parts: it narrows, or wants the first in rank.
    static constexpr bool is_bounded(std::span<const device_stage> stages) noexcept {
        for (const device_stage& s : stages)
            if (s.form == device_form::narrow || s.fact.selects == selecting::greatest) return true;
        return false;
    }
    /// Whether any of a strip may reach the bound: one comparison with integers that order as floats of its sign do.
    constexpr boolean any_reaches(const std::array<u32x4, 4>& loaded) const noexcept {
        // Under a bound of at least 0, the order of signed integers will do; else negative floats turned around.
        const boolean is_positive = (bound & sign_bit) != 0u;
        const u32 flip = blend(is_positive, u32(sign_bit), u32(0xffffffffu));
        const u32x4 flips(code_, flip);
        const u32x4 a = loaded[0] ^ flips, b = loaded[1] ^ flips, c = loaded[2] ^ flips, d = loaded[3] ^ flips;
        const u32x4 ab = greater_of(a, b), cd = greater_of(c, d);
        const u32 greatest = greatest_in(greater_of(ab, cd));
        if (vectors.words.are_floats()) return bound <= greatest;
        return bound <= (vectors.words.float_bits(greatest ^ flip) ^ flip);
    }
    /// A word of a mask; 0 behind its last.
    constexpr u32 mask_word(std::size_t i, const u32& at) const noexcept {
        const boolean has_word = at < bound_id_[i].load();
        const u32 bits = requests_[bound_key_[i].load() + blend(has_word, at, u32(0u))];
        return blend(has_word, bits, u32(0u));
    }
    constexpr bool has_in_front(device_form form) const noexcept {
        for (std::size_t i = 0; i < front_end(); ++i)
            if (stages_[i].form == form) return true;
        return false;
    }
    /// Edits are in the logits already; a selector changes nothing.
    static constexpr bool changes_tokens(const device_stage& s) noexcept {
        return s.form != device_form::edit && s.form != device_form::select;
    }
    /// What a map makes of a logit.
    constexpr u32 map(std::size_t i, const u32& logit) const noexcept {
        return with_parameters(i, [&](const f32* p) {
            const u32 mapped(as_bits(canonical(stages_[i].map(f32::from_bits(logit), p))));
            return blend(logit == dead_logit, logit, mapped);
        });
    }
    /// What a stage makes of a token of the row.
    constexpr void change(std::size_t i, private_variable<u32>& logit, const u32& id) const noexcept {
        if (!changes_tokens(stages_[i])) return;
        if (stages_[i].form == device_form::map) logit = maps_[i](logit);
        else if (stages_[i].form == device_form::mask) logit = blend(is_legal(i, id), logit.load(), u32(dead_logit));
        else logit = bits_of(steps_[i](key_of_bits(logit), id));
    }
    constexpr boolean is_legal(std::size_t i, const u32& id) const noexcept {
        return ((mask_word(i, id >> 5u) >> (id & 31u)) & 1u) != 0u;
    }
    constexpr u32 step(std::size_t i, const u32& key, const u32& id) const noexcept {
        const device_stage& s = stages_[i];
        switch (s.form) {
        case device_form::map: {
            const u32 mapped = key_of_bits(maps_[i](bits_of(key)));
            return s.fact.narrows == narrowing::no ? mapped : blend(active_[i] == 1u, mapped, key);
        }
        case device_form::adjust: {
            const row_measures m{maximum_[i].load(), 0.0f, 0.0f, 0.0f};
            const u32 mapped = with_parameters(i, [&](const f32* p) { return key_of(s.adjust(logit_of(key), m, p)); });
            return blend((key != 0u) & (active_[i] != 0u), mapped, key);
        }
        case device_form::mask: {
            return blend(is_legal(i, id), key, u32(0u));
        }
        case device_form::remove: {
            const u32 first_key = bound_key_[i], first_id = bound_id_[i];
            return blend(ranks_before(key, id, first_key, first_id), u32(0u), key);
        }
        default: {
            const u32 last_key = bound_key_[i], last_id = bound_id_[i];
            if (!s.score) return blend(ranks_before(last_key, last_id, key, id), u32(0u), key);
            const u32 standing = standing_of(i, key);
            const boolean is_behind = (standing == 0u) | ranks_before(last_key, last_id, standing, id);
            return blend((active_[i] != 0u) & is_behind, u32(0u), key);
        }
        }
    }

    assembler& code_;
    std::span<const device_stage> stages_;
    static constexpr std::size_t any_stage = max_stages + 1;
    std::size_t present_ = any_stage;
    bool is_bounded_;
    request_layout layout_;
    spirv::buffer<u32, spirv::access::read> requests_;
    private_variable<u32> request_;
    private_variable<u32> greatest_;
    private_variable<f32> maximum_logit_;

    std::array<private_variable<u32>, max_stages> active_, bound_key_, bound_id_;
    std::array<private_variable<f32>, max_stages> maximum_;
    std::array<private_variable<u32>, max_stages> mean_;
    std::array<private_variable<f32>, most_parameters * max_stages> parameters_;
    std::array<std::size_t, max_stages> first_parameter_{};
    stage_set scored_ = 0;
    std::array<spirv::integer_function<1>, max_stages> maps_;
    std::array<spirv::integer_function<2>, max_stages> steps_;
    spirv::integer_function<1> weight_, standing_, behind_front_;
    spirv::integer_function<2> logit_, key_, set_bound_;
};

}  // namespace riffle::gpu
