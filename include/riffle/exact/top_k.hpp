#pragma once
#include <riffle/exact/form.hpp>
#include <riffle/exact/full_row.hpp>
#include <riffle/exact/sort.hpp>
#include <riffle/samplers/top_k.hpp>
#include <riffle/wide/preimage.hpp>

namespace riffle::inline RIFFLE_ABI::exact {

/// llama_sampler_init_top_k: the first k, sorted.
template <>
struct form<top_k> {
    static status_code apply(const top_k& spec, candidates& c, form_context& x) noexcept {
        return spec.k > 0 ? keep(std::size_t(spec.k), c, x.memory) : status_code::ok;
    }
    /// Keeps the k greatest, k > 0.
    static status_code keep(std::size_t k, candidates& c, workspace& memory) noexcept {
        if (k > c.size) k = c.size;
        if (!c.sorted) return keep_first_sorted(c, k, memory);
        c.size = k;
        return status_code::ok;
    }
    /// The k greatest in order are the same for every way of sorting, unless two of them are equal, or the k-th and one
    /// that is left out. Then up to 128 are found by a heap, which only a logit above its least can change: the blocks
    /// without one are passed over, and the others give the heap what llama.cpp's would be given. More come through
    /// buckets, of which only the highest are looked at.
    static row_answer apply_to_row(const top_k& spec, full_row& r, candidates& found, const context& x) noexcept {
        if (spec.k <= 0) return row_answer::stays;
        const auto k = std::size_t(spec.k);
        if (k >= r.size() || !r.ordinary()) return row_answer::undecided;
        if (keep_distinct(k, r, found, x)) return row_answer::narrowed;
        if (k <= longest_heap_sort) {
            const std::size_t room = r.logits().blocks() * block_size;  // for the heap, one more, and a block
            if (k + 1 + block_size > room) return row_answer::undecided;
            keep_by_heap(k, r, found);
        } else if (!keep_by_buckets(k, r, found, x)) return row_answer::undecided;
        found.sorted = true;
        return row_answer::narrowed;
    }

    /// The first k of the row through buckets, sorted, where more than 128 are wanted; false where that is not certain.
    static bool keep_by_buckets(std::size_t k, full_row& r, candidates& found, const context& x) noexcept {
        if (!(r.maximum() < 1e8f)) return false;  // beyond, buckets do not follow the order of logits
        const std::uint32_t bucket = logit_buckets::of(r.bound_of_rank(k));
        if (bucket == 0) return false;  // it holds the rest of the row
        const float least = wide::least_float(r.maximum(), [&](float l) { return logit_buckets::of(l) >= bucket; });
        candidates high{found.data, r.find_above(least, found.data), -1, false};
        workspace memory;
        memory.use(x.spare());
        if (high.size < k || keep_first_sorted(high, k, memory) != status_code::ok) return false;
        found.size = k;
        return true;
    }

private:
    /// Where no two of the first k and the one behind are equal, and llama.cpp's buckets follow the order of logits.
    static bool keep_distinct(std::size_t k, full_row& r, candidates& found, const context& x) noexcept {
        if (k > longest_heap_sort && !(r.maximum() < 1e8f)) return false;
        const std::size_t most = (std::max)(4 * k + block_size, r.size() / 8);  // rising logits fill whole blocks
        const float bound = r.bound_of_rank(k);
        if (k > 1 && !(bound < r.maximum())) return false;
        found.size = r.find_above(bound, found.data, most);
        if (found.size < k || found.size > most) return false;
        workspace memory;
        memory.use(x.spare());
        const auto room = sorting_room::of(memory, found.size);
        if (!room.order) return false;
        for (std::size_t i = 0; i < found.size; ++i) room.order[i] = {found[i].logit, std::uint32_t(found[i].id)};
        const std::size_t looked_at = (std::min)(k + 1, found.size);
        std::size_t sorted = found.size;
        if (sorted > 2 * looked_at) {
            std::nth_element(room.order, room.order + looked_at, room.order + sorted, greater_key);
            sorted = looked_at;
        }
        pad(room.order + found.size);
        introsort(room.order, sorted);
        for (std::size_t i = 1; i < looked_at; ++i)
            if (room.order[i].key == room.order[i - 1].key) return false;
        // Alone at the bound: what lies under it is less.
        for (std::size_t i = 0; i < k; ++i) found[i] = {token_id(room.order[i].place), room.order[i].key, 0.0f};
        found.size = k;
        found.sorted = true;
        return true;
    }
    /// std::partial_sort as libstdc++ has it: a heap of the first k, into which each later candidate goes that comes
    /// before its top; then the heap is sorted.
    static void keep_by_heap(std::size_t k, full_row& r, candidates& found) noexcept {
        token_data* const heap = found.data;
        for (std::size_t id = 0; id < k; ++id) heap[id] = {token_id(id), r.logits().logit(id), 0.0f};
        std::make_heap(heap, heap + k, greater_logit);
        token_data* const next = heap + k + 1;
        for (std::size_t b = 0; b < r.logits().blocks(); ++b) {
            if (!(r.block_maxima()[b] > heap[0].logit)) continue;
            const std::size_t count = r.find_above(b, heap[0].logit, next);
            for (std::size_t i = 0; i < count; ++i) {
                if (std::size_t(next[i].id) < k || !greater_logit(next[i], heap[0])) continue;
                heap[k] = next[i];
                std::pop_heap(heap, heap + k + 1, greater_logit);
            }
        }
        std::sort_heap(heap, heap + k, greater_logit);
        found.size = k;
    }
};

}  // namespace riffle::exact
