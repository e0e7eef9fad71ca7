#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <riffle/core/softmax_statistics.hpp>
#include <riffle/gpu/host/device_stage.hpp>
#include <riffle/gpu/host/kernel_options.hpp>
#include <riffle/gpu/host/row_layout.hpp>
#include <riffle/gpu/kernels/keys.hpp>
#include <riffle/gpu/kernels/work_group.hpp>
#include <riffle/math/fixed_mass.hpp>

namespace riffle::inline RIFFLE_ABI::gpu {

/// A set of stages, one bit each.
using stage_set = std::uint32_t;

/// The tokens of a row as the stages ahead of the present one leave them. Nothing is written for a token: what stages
/// do to one is a function of its logit and id, and whoever wants it has that computed anew.
///
/// A stage that narrows keeps, in rank, what does not lie behind a last token (or ahead of a first one): a bound of two
/// words, which the work group finds out and which is a part of that function from then on.
class row_tokens {
public:
    constexpr row_tokens(work_group& of, std::span<const device_stage> stages, std::uint32_t at_once) noexcept
        : stage(of.code, u32(0u)), seen(of.code, u32(0u)), greatest(of.code, u32(0u)), group_(of), code_(of.code),
          stages_(stages), at_once_(possible_tokens_at_once(at_once)), layout_(stages),
          logits_(code_, binding::logits, use_of_logits(stages)), requests_(code_, binding::requests),
          vocabulary_(spirv::push_constant<u32>(code_)), last_id_(code_, vocabulary_ - 1u), row_(code_),
          first_logit_(code_), request_(code_) {
        const u32 row_stride = spirv::push_constant<u32>(code_);
        const u32 first_row = spirv::push_constant<u32>(code_);
        const u32 first_logit = spirv::push_constant<u32>(code_);
        const u32 index = spirv::group(code_);
        row_ = index + first_row;
        first_logit_ = first_logit + index * row_stride;
        request_ = row_.load() * u32(layout_.words);
        for (std::size_t i = 0; i < stages.size(); ++i) declare(i);
        write_functions();
    }

    // ---- the stages

    /// The present one.
    private_variable<u32> stage;
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
        return ((u32(set) >> stage.load()) & 1u) != 0u;
    }
    /// then(i) for each stage i of a set, when it is the present one.
    template <class Then>
    constexpr void for_each_of(stage_set set, Then then) const noexcept {
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (set >> i & 1) spirv::if_(code_, stage == u32(std::uint32_t(i)), [&] { then(i); });
    }

    /// A word of the row's request, of the present stage's part of it, and of the buffer that holds them all.
    constexpr u32 request(std::uint32_t place) const noexcept { return requests_[request_.load() + place]; }
    constexpr u32 stage_request(std::uint32_t place) const noexcept {
        const u32 last(std::uint32_t(stages_.size() - 1));  // behind which come the results, which ask for nothing
        const u32 of_stage = lesser_of(stage, last) * u32(layout_.words_per_stage);
        return requests_[request_.load() + of_stage + (request_word::count + place)];
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

    constexpr u32 row() const noexcept { return row_; }
    /// How many logits it has, and the last id.
    constexpr const u32& vocabulary() const noexcept { return vocabulary_; }
    constexpr u32 last_id() const noexcept { return last_id_; }
    constexpr auto logit_bits(const u32& id) const noexcept { return logits_[first_logit_.load() + id]; }

    /// Bits of row_state, of all logits that the invocation has met.
    private_variable<u32> seen;

    // ---- the tokens

    /// The greatest key of all tokens that are left, where that is known.
    private_variable<u32> greatest;
    constexpr f32 maximum() const noexcept { return logit_of(greatest); }
    /// The weight of a key beside the greatest; 0 for a key of 0.
    constexpr u32 weight(const u32& key) const noexcept { return weight_(key); }
    /// A token ahead of the present stage.
    constexpr u32 key(const u32& id) const noexcept { return key_(id); }
    /// What the present stage makes of one; 0 where it drops it.
    constexpr u32 behind_stage(const u32& key, const u32& id) const noexcept { return behind_stage_(key, id); }

    /// What is to be done for every token: visit(key, id) becomes a function, which sees private variables and shared
    /// memory, and nothing else that stands around it.
    template <class Visit>
    constexpr spirv::integer_function<2> visitor(Visit visit) noexcept {
        return {code_, [&](const u32& key, const u32& id) {
                    visit(key, id);
                    return u32(0u);
                }};
    }
    /// visit(key, id) for all tokens, a few at a time. All invocations come by as often; ids beyond the end come with a
    /// key of 0.
    constexpr void for_each(const spirv::integer_function<2>& visit) const noexcept {
        for_each(u32(0u), vocabulary_, visit);
    }
    constexpr void for_each(const u32& first, const u32& end, const spirv::integer_function<2>& visit) const noexcept {
        const u32 step = group_.size * u32(at_once_);
        spirv::for_(code_, first, end, step, [&](const u32& tile) {
            std::array<u32, most_tokens_at_once> ids, keys;
            ids[0] = tile + group_.invocation;
            for (std::size_t j = 1; j < at_once_; ++j) ids[j] = ids[j - 1] + group_.size;
            for (std::size_t j = 0; j < at_once_; ++j) keys[j] = key_below_(ids[j], end);
            for (std::size_t j = 0; j < at_once_; ++j) visit(keys[j], ids[j]);
        });
    }
    /// So many tokens an invocation looks at in one turn of a loop, 8 at most.
    constexpr std::uint32_t at_once() const noexcept { return at_once_; }

    /// What the present stage orders tokens by, the greatest first; 0 for one that it never keeps. The key itself, but
    /// for stages with scores.
    constexpr u32 standing(const u32& key) const noexcept { return scored_ ? standing_(key) : key; }
    /// The stages with scores.
    constexpr stage_set scored() const noexcept { return scored_; }

    // ---- what the present stage has found out

    /// It keeps what ranks before this token, and the token; one that removes drops what ranks before it.
    constexpr void set_bound(const u32& key, const u32& id) noexcept {
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            if (!has_bound(stages_[i])) continue;
            const boolean is_it = stage == u32(std::uint32_t(i));
            bound_key_[i] = blend(is_it, key, bound_key_[i].load());
            bound_id_[i] = blend(is_it, id, bound_id_[i].load());
        }
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

    constexpr void write_functions() noexcept {
        scored_ = set_of([](const device_stage& s) { return s.score != nullptr; });
        if (scored_)
            standing_ = spirv::integer_function<1>(code_, [&](const u32& key) {
                private_variable<u32> standing(code_, key);
                for_each_of(scored_, [&](std::size_t i) { standing = standing_of(i, key); });
                return standing.load();
            });
        for (std::size_t i = 0; i < stages_.size(); ++i)
            if (changes_tokens(stages_[i]))
                steps_[i] =
                    spirv::integer_function<2>(code_, [&](const u32& key, const u32& id) { return step(i, key, id); });
        key_ = spirv::integer_function<1>(code_, [&](const u32& id) {
            const u32 bits = logit_bits(id);
            seen = seen | seen_in(bits);
            private_variable<u32> key(code_, key_of(f32::from_bits(bits)));
            // Nobody looks at tokens ahead of the first stage that asks about them, and most rows are not looked at
            // behind it: what stands ahead is not asked for at all, what stands behind it at once.
            const std::size_t first = first_that_asks();
            for (std::size_t i = 0; i < first; ++i)
                if (changes_tokens(stages_[i])) key = steps_[i](key, id);
            const auto behind = set_of(changes_tokens) >> first;
            spirv::if_(code_, behind ? u32(std::uint32_t(first)) < stage : boolean(false), [&] {
                for (std::size_t i = first; i < stages_.size(); ++i)
                    if (changes_tokens(stages_[i]))
                        spirv::if_(code_, u32(std::uint32_t(i)) < stage, [&] { key = steps_[i](key, id); });
            });
            return key.load();
        });
        key_below_ = spirv::integer_function<2>(code_, [&](const u32& id, const u32& end) {
            return blend(id < end, key(lesser_of(id, last_id_)), u32(0u));
        });
        behind_stage_ = spirv::integer_function<2>(code_, [&](const u32& key, const u32& id) {
            private_variable<u32> left(code_, key);
            for_each_of(set_of(changes_tokens), [&](std::size_t i) { left = steps_[i](key, id); });
            return left.load();
        });
        weight_ = spirv::integer_function<1>(code_, [&](const u32& key) { return weight_beside(maximum(), key); });
    }
    constexpr u32 weight_beside(const f32& maximum, const u32& key) const noexcept {
        const f32 below = logit_of(key) - maximum;
        const u32 weight(code_.options().precise
                             ? fixed_mass(below)
                             : truncate(native_exp(lesser_of(below, f32(0.0f))) * f32(1073741824.0f)));
        return blend(key == 0u, u32(0u), weight);
    }
    /// The least scores first, of tokens that weigh something.
    constexpr u32 standing_of(std::size_t i, const u32& key) const noexcept {
        const f32 maximum = maximum_[i];
        const u32 weight = weight_beside(maximum, key);
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
    /// Edits are in the logits already; a selector changes nothing.
    static constexpr bool changes_tokens(const device_stage& s) noexcept {
        return s.form != device_form::edit && s.form != device_form::select;
    }
    constexpr u32 step(std::size_t i, const u32& key, const u32& id) const noexcept {
        const device_stage& s = stages_[i];
        switch (s.form) {
        case device_form::map: {
            const u32 mapped = with_parameters(i, [&](const f32* p) { return key_of(s.map(logit_of(key), p)); });
            const boolean maps = s.fact.narrows == narrowing::no ? key != 0u : (key != 0u) & (active_[i] == 1u);
            return blend(maps, mapped, key);
        }
        case device_form::adjust: {
            const row_measures m{maximum_[i].load(), 0.0f, 0.0f, 0.0f};
            const u32 mapped = with_parameters(i, [&](const f32* p) { return key_of(s.adjust(logit_of(key), m, p)); });
            return blend((key != 0u) & (active_[i] != 0u), mapped, key);
        }
        case device_form::mask: {
            const u32 at = id >> 5u;
            const boolean has_word = at < bound_id_[i].load();
            const u32 bits = requests_[bound_key_[i].load() + blend(has_word, at, u32(0u))];
            const boolean legal = has_word & (((bits >> (id & 31u)) & 1u) != 0u);
            return blend(legal, key, u32(0u));
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

    /// Edits are made where the logits lie, by whatever invocation has them, for all.
    static constexpr spirv::buffer_use use_of_logits(std::span<const device_stage> stages) noexcept {
        for (const device_stage& s : stages)
            if (s.form == device_form::edit) return spirv::buffer_use::exchange;
        return spirv::buffer_use::read;
    }

    work_group& group_;
    assembler& code_;
    std::span<const device_stage> stages_;
    std::uint32_t at_once_;
    request_layout layout_;
    spirv::buffer<u32> logits_;
    spirv::buffer<u32, spirv::access::read> requests_;
    u32 vocabulary_;
    private_variable<u32> last_id_, row_, first_logit_, request_;

    std::array<private_variable<u32>, max_stages> active_, bound_key_, bound_id_;
    std::array<private_variable<f32>, max_stages> maximum_;
    std::array<private_variable<u32>, max_stages> mean_;
    std::array<private_variable<f32>, most_parameters * max_stages> parameters_;
    std::array<std::size_t, max_stages> first_parameter_{};
    stage_set scored_ = 0;
    std::array<spirv::integer_function<2>, max_stages> steps_;
    spirv::integer_function<1> key_, weight_, standing_;
    spirv::integer_function<2> key_below_, behind_stage_;
};

}  // namespace riffle::gpu
