#pragma once
#include <new>
#include <type_traits>
#include <utility>

#include <riffle/chain/chain_interface.hpp>
#include <riffle/chain/stage_list.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Any chain behind one type: for members and containers of chains that differ. Movable; copying clones. One allocation
/// when it is made, and a handful of indirect calls a step; the passes inside are as fused as they were. It has no
/// get<>: keep the chain itself where parameters change. Copying copies the specs, which may throw what their copies
/// throw; an assignment that throws changes nothing. One that was given no chain, was moved from or whose allocation
/// failed is empty: it gives no token, and says no_selector, or out_of_memory where that is why.
class any_pipeline : public chain_interface<any_pipeline> {
public:
    /// Of no chain: every step says no_selector, until one is assigned.
    any_pipeline() noexcept = default;
    /// Holds a chain. Where there is no memory for it, every step says out_of_memory.
    template <class Chain>
        requires(!std::is_same_v<std::remove_cvref_t<Chain>, any_pipeline> &&
                 requires(Chain& c) {
                     c.view();
                     c.state();
                 })
    any_pipeline(Chain chain) noexcept(std::is_nothrow_move_constructible_v<Chain>)
        : held_(new(std::nothrow) holder<Chain>(std::move(chain))) {
        note_what_is_missing(held_);
    }
    /// A clone of the held chain, history and draws included. Where there is no memory for it, every step says
    /// out_of_memory.
    any_pipeline(const any_pipeline& other)
        : held_(other.held_ ? other.held_->clone() : nullptr), missing_(other.missing_) {
        if (other.held_) note_what_is_missing(held_);
    }
    /// Leaves the other one empty.
    any_pipeline(any_pipeline&& other) noexcept
        : held_(std::exchange(other.held_, nullptr)), missing_(other.missing_) {}
    /// Where the copy throws, this one is as it was.
    any_pipeline& operator=(const any_pipeline& other) {
        if (this != &other) *this = any_pipeline(other);
        return *this;
    }
    /// Drops the chain that was held, and leaves the other one empty.
    any_pipeline& operator=(any_pipeline&& other) noexcept {
        any_pipeline taken(static_cast<any_pipeline&&>(other));
        std::swap(held_, taken.held_);
        missing_ = taken.missing_;
        return *this;
    }
    ~any_pipeline() { delete held_; }

    /// Whether there is no chain in it: none was given, it was moved from, or memory was missing.
    bool empty() const noexcept { return held_ == nullptr; }

    /// The held chain's stages, valid until it is assigned to.
    stage_list view() const noexcept {
        return held_ ? held_->view() : stage_list(nullptr, 0, facts_of_no_stages, nullptr, &missing_);
    }
    /// What the held chain keeps besides its stages, for code that takes chains of any kind.
    chain_state& state() noexcept { return held_ ? held_->state() : spare_; }
    /// What it keeps, for reading alone.
    const chain_state& state() const noexcept { return held_ ? held_->state() : spare_; }

private:
    struct base {
        virtual ~base() = default;
        virtual base* clone() const = 0;
        virtual const stage_list& view() noexcept = 0;
        virtual chain_state& state() noexcept = 0;
    };
    template <class Chain>
    struct holder final : base {
        explicit holder(Chain c) noexcept(std::is_nothrow_move_constructible_v<Chain>)
            : chain(std::move(c)), stages(chain.view()) {}
        base* clone() const override { return new (std::nothrow) holder(chain); }
        const stage_list& view() noexcept override { return stages; }
        chain_state& state() noexcept override { return chain.state(); }
        Chain chain;
        decltype(std::declval<Chain&>().view()) stages;  // refers to `chain`, which never moves again
    };
    void note_what_is_missing(const base* made) noexcept {
        if (!made) missing_ = status_code::out_of_memory;
    }

    base* held_ = nullptr;
    status missing_ = status_code::no_selector;  ///< what a step says where there is no chain
    chain_state spare_;
};

}  // namespace riffle
