#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <llama.h>
#include <utility>
#include <vector>

#include <riffle/core/facts.hpp>
#include <riffle/llama/greatest_op.hpp>
#include <riffle/samplers/dist.hpp>
#include <riffle/samplers/dynamic_temperature.hpp>
#include <riffle/samplers/greedy.hpp>
#include <riffle/samplers/logit_bias.hpp>
#include <riffle/samplers/min_p.hpp>
#include <riffle/samplers/temperature.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/samplers/top_p.hpp>

// Stages as nodes of a ggml graph, for llama.cpp's sampling on the backend (headers since January 2026). Everything is
// a template over the graph's context, so that a header whose ggml lacks a function compiles as long as nobody attaches
// a chain. The forms are those of a chain under `fast`: the same distribution, other last bits.

namespace riffle::inline RIFFLE_ABI::llama::detail {

/// A tensor whose content the host writes before each run, and what it writes.
struct graph_input {
    ggml_tensor* tensor = nullptr;
    std::vector<std::int32_t> ids;  ///< either these
    std::vector<float> numbers;     ///< or these
    std::size_t drawn_by = none;    ///< or a number that this stage draws
    static constexpr std::size_t none = std::size_t(-1);
};

/// The biases that apply to a row of n tokens, those of one token added up.
inline std::vector<logit_bias_entry> added_up(const logit_bias& s, std::int64_t n) {
    std::vector<logit_bias_entry> all;
    for (const logit_bias_entry& entry : s.biases) {
        if (entry.token < 0 || entry.token >= n) continue;
        std::size_t i = 0;
        while (i < all.size() && all[i].token != entry.token) ++i;
        if (i < all.size()) all[i].bias += entry.bias;
        else all.push_back(entry);
    }
    return all;
}

/// The logits of one output on their way through the stages.
template <class Context>
class graph_row {
public:
    /// `inputs` collects what the host has to write. `own` finds the greatest, where the graph is the processor's.
    graph_row(Context* nodes, ggml_tensor* logits, ggml_tensor* ids, std::vector<graph_input>& inputs,
              greatest_op* own = nullptr)
        : nodes_(nodes), logits_(flat(logits)), ids_(ids ? flat(ids) : nullptr), inputs_(inputs), own_(own) {}

    ggml_tensor* logits() const noexcept { return logits_; }
    /// Of the logits; nullptr while every token is there, in order.
    ggml_tensor* ids() const noexcept { return ids_; }
    ggml_tensor* token() const noexcept { return token_; }
    std::int64_t size() const noexcept { return ggml_nelements(logits_); }

    /// The k greatest, in no order.
    void keep_greatest(std::int64_t k) {
        if (k >= size()) return;
        if constexpr (requires { ggml_custom_4d(nodes_, GGML_TYPE_I32, k, 1, 1, 1, &logits_, 1, own_run, 1, own_); })
            if (own_ && own_->reserve(std::size_t(size()))) {
                ggml_tensor* row = logits_;
                return keep(flat(ggml_custom_4d(nodes_, GGML_TYPE_I32, k, 1, 1, 1, &row, 1, own_run, 1, own_)));
            }
        keep(flat(ggml_top_k(nodes_, ggml_reshape_2d(nodes_, logits_, size(), 1), int(k))));
    }
    /// The row itself, which is there until the next graph is run: nothing may be put in its memory.
    ggml_tensor* lasting() const {
        for (auto* t = logits_; t; t = t->view_src) ggml_set_output(t);
        return logits_;
    }

    void apply(const top_k& s, std::size_t) {
        if (s.k > 0) keep_greatest(s.k);
    }
    void apply(const temperature& s, std::size_t) { divide(s.t); }
    void apply(const dynamic_temperature& s, std::size_t) { divide(s.t); }
    /// Logits below the cut become -inf; step is 1 above 0 and 0 at it, so the cut lies a hair lower.
    void apply(const min_p& s, std::size_t) {
        if (!(s.p > 0.0f)) return;
        ggml_tensor* const greatest = at(logits_, ggml_argmax(nodes_, as_row(logits_)));
        ggml_tensor* const above = ggml_sub(nodes_, logits_, greatest);
        const float depth = s.p < 1.0f ? -std::log(s.p) : 0.0f;
        hide_where_zero(ggml_step(nodes_, ggml_scale_bias(nodes_, above, 1.0f, depth + 1e-6f)));
    }
    /// In descending order, as long as the mass ahead of a token is no more than p.
    void apply(const top_p& s, std::size_t) {
        if (s.p >= 1.0f) return;
        keep(flat(ggml_argsort(nodes_, as_row(logits_), GGML_SORT_ORDER_DESC)));
        ggml_tensor* const p = ggml_soft_max(nodes_, logits_);
        ggml_tensor* const ahead = ggml_sub(nodes_, ggml_cumsum(nodes_, p), p);
        hide_where_zero(ggml_step(nodes_, ggml_scale_bias(nodes_, ahead, -1.0f, (s.p > 0.0f ? s.p : 0.0f) + 1e-7f)));
    }
    /// Ahead of anything that narrows: places are ids.
    void apply(const logit_bias& s, std::size_t) {
        const std::vector<logit_bias_entry> entries = added_up(s, size());
        if (entries.empty()) return;
        const auto count = std::int64_t(entries.size());
        graph_input ids{ggml_new_tensor_1d(nodes_, GGML_TYPE_I32, count), {}, {}};
        graph_input biases{ggml_new_tensor_1d(nodes_, GGML_TYPE_F32, count), {}, {}};
        for (const logit_bias_entry& entry : entries) {
            ids.ids.push_back(entry.token);
            biases.numbers.push_back(entry.bias);
        }
        ggml_tensor* const all = ggml_reshape_2d(nodes_, ggml_cont(nodes_, logits_), 1, size());
        ggml_tensor* const added = ggml_reshape_2d(nodes_, biases.tensor, 1, count);
        ggml_tensor* const biased = ggml_add(nodes_, ggml_get_rows(nodes_, all, ids.tensor), added);
        logits_ = flat(ggml_set_rows(nodes_, all, biased, ids.tensor));
        take(std::move(ids));
        take(std::move(biases));
    }
    void apply(const greedy&, std::size_t) { choose(ggml_argmax(nodes_, as_row(logits_))); }
    /// The first token whose running sum is above the number drawn, of 23 bits, times the whole sum: their product is
    /// below that sum however it is rounded, so some token is found, and one that adds to it.
    void apply(const dist&, std::size_t stage) {
        graph_input drawn{ggml_new_tensor_1d(nodes_, GGML_TYPE_F32, 1), {}, {}, stage};
        ggml_tensor* const sums = ggml_cumsum(nodes_, ggml_soft_max(nodes_, logits_));
        ggml_tensor* const whole = ggml_view_1d(nodes_, sums, 1, std::size_t(size() - 1) * sizeof(float));
        ggml_tensor* const target = ggml_mul(nodes_, drawn.tensor, whole);
        ggml_tensor* const above = ggml_sum(nodes_, ggml_step(nodes_, ggml_sub(nodes_, sums, target)));
        choose(ggml_cast(nodes_, ggml_scale_bias(nodes_, above, -1.0f, float(size())), GGML_TYPE_I32));
        take(std::move(drawn));
    }

private:
    ggml_tensor* flat(ggml_tensor* t) const { return ggml_reshape_1d(nodes_, t, ggml_nelements(t)); }
    ggml_tensor* as_row(ggml_tensor* t) const { return ggml_reshape_2d(nodes_, t, ggml_nelements(t), 1); }
    /// The elements of t at these places.
    ggml_tensor* at(ggml_tensor* t, ggml_tensor* places) const {
        return flat(ggml_get_rows(nodes_, ggml_reshape_2d(nodes_, t, 1, ggml_nelements(t)), places));
    }
    void keep(ggml_tensor* places) {
        logits_ = at(logits_, places);
        ids_ = ids_ ? at(ids_, places) : places;
    }
    void divide(float t) {
        const temperature by{t};
        if (by.narrows_now()) keep(flat(ggml_argmax(nodes_, as_row(logits_))));
        else if (t != 1.0f) logits_ = ggml_scale(nodes_, logits_, by.parameters()[0]);
    }
    /// log turns 0 into -inf and 1 into 0.
    void hide_where_zero(ggml_tensor* stays) { logits_ = ggml_add(nodes_, logits_, ggml_log(nodes_, stays)); }
    void choose(ggml_tensor* place) { token_ = ids_ ? at(ids_, flat(place)) : flat(place); }
    void take(graph_input&& input) {
        ggml_set_input(input.tensor);
        inputs_.push_back(std::move(input));
    }

    Context* nodes_;
    ggml_tensor* logits_;
    ggml_tensor* ids_;
    ggml_tensor* token_ = nullptr;
    std::vector<graph_input>& inputs_;
    greatest_op* own_;
    static constexpr auto own_run = &greatest_op::run<ggml_tensor>;
};

/// Whether a stage has such a form with its present parameters, for chains under `fast`. `outputs` is the most that a
/// sequence has in one run: a number drawn ahead serves one.
inline bool has_graph_form(const top_k&, std::size_t) noexcept { return true; }
/// (A product with 0 would make NaN of -inf.)
inline bool has_graph_form(const temperature& s, std::size_t) noexcept { return s.t < 1e30f; }
inline bool has_graph_form(const dynamic_temperature& s, std::size_t) noexcept {
    return !(s.range > 0.0f) && s.t < 1e30f;
}
inline bool has_graph_form(const min_p& s, std::size_t) noexcept { return !(s.p > 0.0f) || s.min_keep <= 1; }
inline bool has_graph_form(const top_p& s, std::size_t) noexcept { return s.p >= 1.0f || s.min_keep <= 1; }
inline bool has_graph_form(const logit_bias&, std::size_t) noexcept { return true; }
inline bool has_graph_form(const greedy&, std::size_t) noexcept { return true; }
inline bool has_graph_form(const dist&, std::size_t outputs) noexcept { return outputs == 1; }

}  // namespace riffle::llama::detail
