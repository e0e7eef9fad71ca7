#pragma once
#include <riffle/core/llama_form.hpp>
#include <riffle/exact/rounded.hpp>
#include <riffle/samplers/dry.hpp>
#include <riffle/wide/llama_row.hpp>

namespace riffle::exact {

/// llama_sampler_init_dry ("don't repeat yourself", p-e-w, text-generation-webui #5677): a token that would prolong a
/// repetition of what was just said is penalised by multiplier * base^(length - allowed_length). Repetitions reach back
/// to the last breaker at most. last_n < 0 is off.
///
/// Repetitions are found in one pass backwards (the Z-algorithm; Gusfield, "Algorithms on Strings, Trees and
/// Sequences", 1.4). The peer keeps lengths cut at the breaker and compares those where the algorithm wants uncut ones;
/// that is kept.
template <>
struct form<dry> {
    static status_code apply(const dry& spec, candidates& c, surroundings& x) noexcept {
        lengths longest;
        const auto [code, found] = find(spec, x.past, x.memory, longest);
        if (!found) return code;
        const std::int32_t greatest = greatest_exponent(spec);
        for (auto& token : c)
            if (const std::int32_t* const length = longest.find(token.id))
                token.logit = penalised(spec, token.id, token.logit, *length, greatest);
        c.sorted = false;
        return status_code::ok;
    }
    static row_answer apply_to_row(const dry& spec, wide::llama_row& r, candidates&, const context& x) noexcept {
        workspace memory;
        memory.use(x.spare());
        lengths longest;
        const auto [code, found] = find(spec, x, memory, longest);
        if (code != status_code::ok) return row_answer::undecided;
        if (!found) return row_answer::stays;
        const std::int32_t greatest = greatest_exponent(spec);
        longest.each([&](token_id id, std::int32_t length) {
            if (float* const logit = r.at(id)) *logit = penalised(spec, id, *logit, length, greatest);
        });
        return row_answer::stays;
    }

private:
    /// Of a token, the longest repetition that it would prolong.
    using lengths = token_table<std::int32_t>;
    struct search_result {
        status_code code;
        bool found;  ///< whether the sampler goes on to its candidates
    };
    static search_result find(const dry& spec, const context& x, workspace& memory, lengths& longest) noexcept {
        if (spec.multiplier == 0.0f || spec.base < 1.0f || spec.last_n <= 0) return {status_code::ok, false};
        window w;
        w.size =
            x.tokens().remembered() < std::size_t(spec.last_n) ? std::int32_t(x.tokens().remembered()) : spec.last_n;
        if (w.size <= spec.allowed_length) return {status_code::ok, false};

        const auto count = std::size_t(w.size);
        // One piece of memory holds the tokens, the lengths and the table.
        const std::size_t slots = workspace::table_slots(count);
        auto* const room = memory.room<char>(2 * count * sizeof(std::int32_t) + slots * sizeof(lengths::slot));
        if (!room) return {status_code::out_of_memory, false};
        w.newest = reinterpret_cast<token_id*>(room);
        w.lengths = w.newest + count;
        for (std::size_t back = 0; back < count; ++back) w.newest[back] = x.tokens().recent(back).token;

        const std::int32_t limit = reach(spec, w);
        if (limit < spec.allowed_length) return {status_code::ok, false};
        find_repetitions(w, limit);
        longest = lengths(reinterpret_cast<lengths::slot*>(w.lengths + count), slots);
        for (std::int32_t back = 1; back < w.size; ++back) {
            if (w.lengths[back] < spec.allowed_length) continue;
            std::int32_t& length = longest.enter(w.newest[back - 1], 0);
            if (length < w.lengths[back]) length = w.lengths[back];
        }
        return {status_code::ok, true};
    }
    /// The newest tokens, newest first, and for each distance how long a repetition ends that far back.
    struct window {
        token_id* newest = nullptr;
        std::int32_t* lengths = nullptr;
        std::int32_t size = 0;
    };

    /// How many tokens lie behind the last breaker.
    static std::int32_t reach(const dry& spec, const window& w) noexcept {
        if (spec.breakers.empty()) return w.size;
        for (std::int32_t back = 0; back < w.size; ++back) {
            std::int32_t longest = -1;
            for (const auto& breaker : spec.breakers.beginning_with(w.newest[back]))
                if (const auto tail = std::int32_t(breaker.size()) - 1; tail > longest && follows(breaker, w, back))
                    longest = tail;
            if (longest >= 0) return back - longest;
        }
        return w.size;
    }
    /// Whether the tail of a breaker stands behind its head.
    static bool follows(const std::vector<token_id>& breaker, const window& w, std::int32_t back) noexcept {
        if (std::int32_t(breaker.size()) - 1 > back) return false;
        for (std::size_t i = 1; i < breaker.size(); ++i)
            if (breaker[i] != w.newest[back - std::int32_t(i)]) return false;
        return true;
    }

    static void find_repetitions(const window& w, std::int32_t limit) noexcept {
        // The window [left, right] is known to repeat the newest tokens.
        for (std::int32_t back = 1, left = 0, right = 0; back < w.size; ++back) {
            const std::int32_t known = back > right ? 0 : right - back + 1;
            if (known > 0 && w.lengths[back - left] < known) {
                w.lengths[back] = w.lengths[back - left];
                continue;
            }
            std::int32_t length = known;
            while (back + length < w.size && w.newest[length] == w.newest[back + length]) ++length;
            w.lengths[back] = length < limit ? length : limit;
            left = back;
            right = back + length - 1;
        }
    }

    /// From here on base^exponent is no float: log(FLT_MAX), as the peer has it.
    static std::int32_t greatest_exponent(const dry& spec) noexcept {
        return spec.base > 1.000001f ? to_int(88.7228391f / libm::log(spec.base)) : 0;
    }
    static float penalised(const dry& spec, token_id id, float logit, std::int32_t length,
                           std::int32_t greatest) noexcept {
        if (spec.breakers.contains_alone(id)) return logit;
        auto exponent = std::int32_t(std::uint32_t(length) - std::uint32_t(spec.allowed_length));
        if (greatest > 0 && exponent > greatest) exponent = greatest;
        const double power = libm::pow(double(spec.base), double(exponent));
        return logit - float(times(double(spec.multiplier), power));
    }
};

}  // namespace riffle::exact
