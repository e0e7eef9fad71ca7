#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <riffle/constraint/code_points.hpp>
#include <riffle/core/text.hpp>

namespace riffle::inline RIFFLE_ABI::detail {

/// A deterministic automaton over characters: from each state a character leads to one state at most. A text is in the
/// language where the state it leads to has a label; 0 is no label.
template <class Label>
class basic_character_automaton {
public:
    struct arc {
        code_point first, last;
        std::uint32_t to;
        friend bool operator==(const arc&, const arc&) = default;
    };
    enum : std::uint32_t { start = 0, none = ~0u };

    /// States are made one after the other, the first of them the start; its arcs, in ascending order, behind it.
    std::uint32_t add_state(Label labelled = 0) {
        labels_.push_back(labelled);
        begins_.push_back(std::uint32_t(arcs_.size()));
        return std::uint32_t(labels_.size() - 1);
    }
    /// To the state made last. Arcs that touch and lead to one state become one.
    void add_arc(code_point first, code_point last, std::uint32_t to) {
        const bool is_first = arcs_.size() == begins_.back();
        if (!is_first && arcs_.back().to == to && arcs_.back().last + 1 == first) arcs_.back().last = last;
        else arcs_.push_back({first, last, to});
    }
    void set_label(std::uint32_t state, Label to) noexcept { labels_[state] = to; }

    /// 0: no text is in the language.
    std::size_t size() const noexcept { return labels_.size(); }
    std::size_t arc_count() const noexcept { return arcs_.size(); }
    bool empty() const noexcept { return labels_.empty(); }
    Label label(std::uint32_t state) const noexcept { return labels_[state]; }
    std::span<const arc> arcs(std::uint32_t state) const noexcept {
        const std::size_t end = state + 1 < begins_.size() ? begins_[state + 1] : arcs_.size();
        return {arcs_.data() + begins_[state], arcs_.data() + end};
    }
    /// Where a character leads to, or none.
    std::uint32_t next(std::uint32_t state, code_point c) const noexcept {
        for (const arc& a : arcs(state))
            if (a.first <= c && c <= a.last) return a.to;
        return none;
    }
    /// The label of a text in UTF-8.
    Label label_of(text of) const noexcept {
        std::uint32_t at = empty() ? std::uint32_t{none} : std::uint32_t{start};
        while (at != none && !of.empty()) {
            const decoded_character c = decode_utf8(of);
            if (c.length == 0) return 0;
            at = next(at, c.value);
            of = of.part(c.length);
        }
        return at == none ? Label{0} : labels_[at];
    }

private:
    std::vector<Label> labels_;
    std::vector<std::uint32_t> begins_;  ///< of each state's arcs
    std::vector<arc> arcs_;
};
using character_automaton = basic_character_automaton<std::uint32_t>;

}  // namespace riffle::detail
