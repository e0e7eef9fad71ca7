#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <llama.h>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/core/policies.hpp>
#include <riffle/llama/graph.hpp>
#include <riffle/llama/graph_stages.hpp>
#include <riffle/llama/greatest_op.hpp>
#include <riffle/llama/interface.hpp>
#include <riffle/llama/offloading.hpp>
#include <riffle/llama/sampler.hpp>
#include <riffle/llama/superset.hpp>

// Sampling on the backend: llama.cpp (since January 2026) lets the leading samplers of a chain that is attached to a
// context add nodes to the context's graph. It skips such a sampler on the processor, whole, so a riffle chain goes in
// as two: a front, which may be taken over, and the chain itself behind it.

namespace riffle::inline RIFFLE_ABI::llama {
namespace detail {

template <class Interface>
inline constexpr bool knows_backends = requires(Interface i) {
    i.backend_init;
    i.backend_apply;
    i.backend_set_input;
};

template <class Interface>
inline constexpr bool knows_resets = requires(Interface i) { i.backend_reset; };

/// llama_sampler_data, which older headers have not.
template <class Result, class Sampler, class Nodes, class Graph, class Data, class... Unknown>
Data data_of(Result (*)(Sampler, Nodes, Graph, Data*, Unknown...));

/// The sampler ahead of a chain. On the processor it does nothing. In a graph it runs the leading stages, as they are
/// under `fast`; otherwise it leaves out what the chain's first narrowing stage cannot keep.
template <class Chain, class Interface = llama_sampler_i>
class front_of {
    using held = sampler_of<Chain>;

public:
    explicit front_of(held* chain) noexcept : chain_(chain) { chain_->retain(); }
    front_of(const front_of&) = delete;
    front_of& operator=(const front_of&) = delete;
    ~front_of() { chain_->release(); }

    static llama_sampler* make(held* chain) noexcept {
        auto* const front = new (std::nothrow) front_of(chain);
        llama_sampler* const made = front ? new_sampler(&interface_of<front_of>, front) : nullptr;
        if (!made) delete front;
        return made;
    }

    // ---- llama.cpp's functions

    static const char* name(const llama_sampler* s) noexcept {
        return self(s).graph().on_backend ? "+riffle-front" : "riffle-front";
    }
    static void apply(llama_sampler* s, llama_token_data_array*) noexcept { self(s).graph().met_on_processor = true; }
    static llama_sampler* clone(const llama_sampler* s) noexcept {
        held* const chain = self(s).chain_->clone_for_front();
        return chain ? make(chain) : nullptr;
    }
    static void free(llama_sampler* s) noexcept { delete &self(s); }
    template <class... Outputs>
    static bool backend_init(llama_sampler* s, ggml_backend_buffer_type_t buffers, Outputs... most_outputs) noexcept {
        RIFFLE_TRY { return self(s).take_over(buffers, first_of(most_outputs...)); }
        RIFFLE_CATCH {
            self(s).forget_graph();
            return false;
        }
    }
    template <class Nodes, class Graph, class Data, class... Unknown>
    static void backend_apply(llama_sampler* s, Nodes* nodes, Graph*, Data* data, Unknown...) noexcept {
        RIFFLE_TRY { self(s).add_nodes(nodes, *data); }
        RIFFLE_CATCH {}
    }
    static void backend_set_input(llama_sampler* s) noexcept { self(s).write_inputs(); }
    static void backend_reset(llama_sampler* s) noexcept { self(s).forget_graph(); }
    /// The chain's own copy_state has it all.
    static void copy_state(const llama_sampler*, llama_sampler*) noexcept {}

private:
    static front_of& self(const llama_sampler* s) noexcept { return *static_cast<front_of*>(s->ctx); }
    offloading& graph() noexcept { return chain_->graph(); }
    /// How many outputs a sequence may have. Before August 2026 nobody said, and built-in samplers took it to be one.
    static std::size_t first_of() noexcept { return 1; }
    template <class Number, class... Unknown>
    static std::size_t first_of(Number outputs, Unknown...) noexcept {
        return std::size_t(outputs);
    }

    // ---- what is taken over

    bool take_over(ggml_backend_buffer_type_t buffers, std::size_t outputs) {
        offloading& g = graph();
        if (g.on_backend) return true;
        if (is_fast()) {
            for (g.verbatim = leading_stages(outputs); g.verbatim > 0 && !is_supported(buffers); --g.verbatim) {}
            g.on_backend = g.verbatim > 0;
        } else {
            g.set = superset_for_graph(chain_->chain().view());
            g.on_backend = g.set.size > 0 && has_no_negative_ids() && is_supported(buffers);
        }
        return g.on_backend;
    }
    /// Whether no stage names an id below 0: superset_strategy has a use for those.
    bool has_no_negative_ids() const noexcept {
        return (chain_->chain().check)(std::size_t((std::numeric_limits<token_id>::max)()) + 1).ok();
    }
    /// How many of the first stages have nodes: biases only as long as all tokens are there.
    std::size_t leading_stages(std::size_t outputs) const {
        decltype(auto) stages = chain_->chain().view();
        std::size_t count = 0;
        for (bool whole_row = true; count < stages.size(); ++count) {
            const stage_ref& s = stages[count];
            const bool does_nothing = s.ops->does_nothing(s), is_bias = spec_as<logit_bias>(s) != nullptr;
            if (!does_nothing && (!has_graph_form(s, outputs) || (is_bias && !whole_row))) break;
            whole_row = whole_row && (does_nothing || is_bias);
        }
        return count;
    }
    bool is_fast() const noexcept { return chain_->chain().view().arithmetic() == numerics::fast; }
    static bool has_graph_form(const stage_ref& s, std::size_t outputs) {
        // Before there was backend_reset, nobody accepted what a graph had drawn: it would draw the same for ever.
        if (!knows_resets<Interface> && spec_as<dist>(s)) return false;
        bool has = false;
        visit_for_graph(s, [&](const auto& spec) { has = detail::has_graph_form(spec, outputs); });
        return has;
    }
    /// Whether the device of these buffers has every operation: those of a graph that is built for nothing else.
    template <class Buffers>
    bool is_supported(Buffers buffers) {
        const auto device = ggml_backend_buft_get_device(buffers);
        on_processor_ = !device || ggml_backend_buft_is_host(buffers);
        if (!device) return true;  // the processor's, and any operation
        if (on_processor_ && has_all_operations(device)) return true;
        on_processor_ = false;
        return has_all_operations(device);
    }
    template <class Device>
    bool has_all_operations(Device device) {
        ggml_init_params memory{};
        memory.mem_size = 32 * max_stages * ggml_tensor_overhead() + ggml_graph_overhead();
        memory.no_alloc = true;
        const struct free_nodes {
            void operator()(ggml_context* c) const { ggml_free(c); }
        } free_nodes;
        const std::unique_ptr<ggml_context, decltype(free_nodes)> owned(ggml_init(memory), free_nodes);
        ggml_context* const nodes = owned.get();
        if (!nodes) return false;
        ggml_cgraph* const graph = ggml_new_graph(nodes);
        decltype(data_of(Interface().backend_apply)) data{};
        data.logits = ggml_new_tensor_1d(nodes, GGML_TYPE_F32, 1 << 17);
        add_nodes(nodes, data);
        for (ggml_tensor* const last : {data.logits, data.candidates, data.sampled})
            if (last) ggml_build_forward_expand(graph, last);
        const bool all = has_all(device, graph);
        forget_graph();
        return all;
    }
    template <class Device, class Graph>
    static bool has_all(Device device, Graph* graph) noexcept {
        for (int i = 0; i < ggml_graph_n_nodes(graph); ++i)
            if (!ggml_backend_dev_supports_op(device, ggml_graph_node(graph, i))) return false;
        return true;
    }
    void forget_graph() noexcept {
        inputs_.clear();
        graph().rows.clear();
    }

    // ---- the graph

    template <class Nodes, class Data>
    void add_nodes(Nodes* nodes, Data& data) {
        if constexpr (!knows_resets<Interface>) forget_graph();  // one output a sequence, a graph every time
        graph_row row(nodes, data.logits, data.candidates, inputs_,
                      on_processor_ && !chain_->options().only_ggml_operations ? &greatest_ : nullptr);
        graph().row_size = row.size();
        graph().serves = graph().narrows = false;
        if (is_fast()) {
            if (row.ids() && has_biases()) return;  // places are no ids any more
            add_stages(row);
        } else if (!leave_out(row)) {
            return;
        }
        graph().serves = true;
        data.logits = row.logits();
        data.candidates = row.ids();
        data.sampled = row.token();
        data.probs = nullptr;
        graph().narrows = row.size() < graph().row_size;
    }
    bool has_biases() const {
        decltype(auto) stages = chain_->chain().view();
        for (std::size_t i = 0; i < stages.size() && i < chain_->graph().verbatim; ++i)
            if (spec_as<logit_bias>(stages[i])) return true;
        return false;
    }
    template <class Row>
    void add_stages(Row& row) {
        decltype(auto) stages = chain_->chain().view();
        for (std::size_t i = 0; i < stages.size() && i < graph().verbatim; ++i)
            if (!stages[i].ops->does_nothing(stages[i]))
                visit_for_graph(stages[i], [&](const auto& spec) { row.apply(spec, i); });
    }
    /// False where it does not pay, or where samplers ahead have left tokens out.
    template <class Row>
    bool leave_out(Row& row) {
        offloading& g = graph();
        if (row.ids() || std::size_t(row.size()) / 2 < g.set.size) return false;
        g.rows.push_back(row.lasting());
        g.fetch = &fetch<ggml_tensor>;
        row.keep_greatest(std::int64_t(g.set.size));
        return true;
    }
    template <class Tensor>
    static bool fetch(Tensor* row, float* to, std::size_t count) noexcept {
        if (!row->buffer || std::size_t(ggml_nelements(row)) != count) return false;
        ggml_backend_tensor_get(row, to, 0, count * sizeof(float));
        return true;
    }
    void write_inputs() noexcept {
        for (const graph_input& input : inputs_) {
            if (!input.tensor->buffer) continue;
            if (!input.ids.empty()) write(input.tensor, input.ids.data(), input.ids.size() * sizeof(std::int32_t));
            if (!input.numbers.empty()) write(input.tensor, input.numbers.data(), input.numbers.size() * sizeof(float));
            if (input.drawn_by == graph_input::none) continue;
            const float number = chain_->drawn_by(input.drawn_by);
            write(input.tensor, &number, sizeof number);
        }
    }
    template <class Tensor>
    static void write(Tensor* to, const void* from, std::size_t bytes) noexcept {
        ggml_backend_tensor_set(to, from, 0, bytes);
    }

    held* chain_;
    std::vector<graph_input> inputs_;
    greatest_op greatest_;
    bool on_processor_ = false;
};

/// False, and nothing appended, where llama.cpp finds no memory for a pointer more.
inline bool append(llama_sampler* llama_chain, llama_sampler* added) noexcept {
    RIFFLE_TRY {
        llama_sampler_chain_add(llama_chain, added);
        return true;
    }
    RIFFLE_CATCH { return false; }
}

}  // namespace detail

/// Appends a chain to a llama.cpp chain, which owns it from now on: as make_sampler, but so that the chain's leading
/// stages can run in the graph of a context that the llama.cpp chain is attached to (llama_context_params.samplers,
/// llama_set_sampler). That is two samplers, which belong together; where llama.h knows no such contexts, one. False,
/// and nothing appended, where there is no memory.
///
/// Under `fast` the leading stages are run there as they are, the selector included where all are: logit_bias,
/// temperature, top_k, min_p and top_p (with min_keep up to 1), dist and greedy. A dist draws one number a run, so it
/// is not taken over where a sequence may have several outputs (llama_context_params.n_outputs_max_per_seq), and draws
/// the numbers that it draws on the processor, 23 bits of each. Ties may fall to another token than on the processor.
///
/// Under the other numerics the token stays the promised one: only a few hundred of the greatest logits come back, 8
/// more than top_k wants or 240 for min_p, and the whole chain runs on those. Where they turn out not to be enough,
/// the row is fetched from the graph. (It is there until the next graph is run. Where llama_decode splits a batch into
/// several (n_ubatch) and outputs of different sequences fall into different ones, only those of the last can be
/// fetched: a token of another is then chosen from the few that came back, and last_status() says row_lost.) That is
/// done for chains whose first narrowing stage is top_k or min_p, with nothing ahead of it but maps, penalties that do
/// not encourage, and biases that do not raise; others are left to the processor, those with a constraint in front
/// among them. llama_sampler_name of the first of the two says which it is: riffle-front on the processor,
/// +riffle-front in the graph.
///
/// Parameters are those at the time of attaching. An attached chain belongs to its context: detach it
/// (llama_set_sampler with nullptr) before that context is freed if it is to be used on. Rows with NaN are the
/// backend's to sort, so what it leaves of them is open there.
template <class Chain>
bool add_to(llama_sampler* llama_chain, Chain chain, const sampler_options& options = {}) noexcept {
    using type = detail::chain_type<Chain>;
    using held = detail::sampler_of<type>;
    held* made = nullptr;
    RIFFLE_TRY { made = held::make(detail::as_chain(std::move(chain)), options); }
    RIFFLE_CATCH { return false; }
    if (!made) return false;
    if constexpr (detail::knows_backends<llama_sampler_i>) {
        llama_sampler* const front = detail::front_of<type>::make(made);
        llama_sampler* const whole = held::hold(made);
        if (front && whole && detail::append(llama_chain, front)) {
            if (detail::append(llama_chain, whole)) return true;
            llama_sampler_chain_remove(llama_chain, int(llama_sampler_chain_n(llama_chain)) - 1);
        }
        if (front) llama_sampler_free(front);
        if (whole) llama_sampler_free(whole);
        return false;
    } else {
        llama_sampler* const whole = held::hold(made);
        if (whole && detail::append(llama_chain, whole)) return true;
        if (whole) llama_sampler_free(whole);
        return false;
    }
}

/// A llama.cpp chain of one riffle chain, added as add_to does: to be attached to a context, or used like any other.
/// Whoever has it frees it (llama_sampler_free). nullptr where there is no memory.
template <class Chain>
llama_sampler* make_chain(Chain chain, const sampler_options& options = {}) noexcept {
    llama_sampler* made = nullptr;
    RIFFLE_TRY { made = llama_sampler_chain_init(llama_sampler_chain_default_params()); }
    RIFFLE_CATCH { return nullptr; }
    if (made && !add_to(made, std::move(chain), options)) {
        llama_sampler_free(made);
        return nullptr;
    }
    return made;
}

}  // namespace riffle::llama
