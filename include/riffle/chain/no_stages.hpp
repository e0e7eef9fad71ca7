#pragma once
#include <riffle/chain/stage_table.hpp>

namespace riffle::inline RIFFLE_ABI {

/// The table of a chain without stages: nothing to check, to edit, to map or to narrow.
class no_stages : public stage_table {
public:
    std::size_t size() const noexcept override { return 0; }
    bool as_llama() const noexcept override { return false; }
    std::size_t spare_bytes(std::size_t) const noexcept override { return 0; }
    const char* name(std::size_t) const noexcept override { return ""; }
    const facts& fact(std::size_t) const noexcept override { return none_; }
    const plan& plan_for(std::size_t) const noexcept override { return of_no_stages; }
    status (check)() const noexcept override { return {}; }
    status check_ids(std::size_t) const noexcept override { return {}; }
    std::size_t bridge(std::size_t, std::size_t) const noexcept override { return 0; }
    std::int32_t window() const noexcept override { return 0; }
    std::size_t rank(std::size_t) const noexcept override { return 0; }
    std::size_t keeps_at_least(std::size_t) const noexcept override { return 0; }
    float cut(std::size_t, float maximum, const moments&) const noexcept override { return maximum; }
    std::uint64_t target(std::size_t, std::uint64_t total, const context&) const noexcept override { return total; }
    float cut(std::size_t, const law& of_row) const noexcept override { return of_row.maximum; }
    bool keep(std::size_t, candidates&, const law&, float) const noexcept override { return true; }
    std::size_t rank(std::size_t, const law&, candidates&) const noexcept override { return 0; }
    std::span<const std::uint32_t> legal_words(std::size_t) const noexcept override { return {}; }
    draws random(std::size_t, const draw_position& at) const noexcept override { return {0, at, 0}; }
    void edit(std::size_t, row&, const context&) const noexcept override {}
    bool edit(std::size_t, edit_list&, const context&) const noexcept override { return true; }
    void rewrite(std::size_t, row&) const noexcept override {}
    bool adjusts_now(std::size_t, const context&) const noexcept override { return false; }
    void adjust(std::size_t, row&, const float*, float) const noexcept override {}
    float map(std::size_t, float logit) const noexcept override { return logit; }
    void map(std::size_t, std::span<token_data>) const noexcept override {}
    float preimage(std::size_t, float target, float) const noexcept override { return target; }
    std::uint64_t mass(std::size_t, const row&, const float*, float, float, std::uint64_t*) const noexcept override {
        return 0;
    }
    wide::split_mass mass(std::size_t, const row&, const float*, float, const wide::band&, float, std::uint64_t*,
                          wide::band_tokens&) const noexcept override {
        return {};
    }
    void mass_by_bucket(std::size_t, const row&, const float*, float, float, const wide::buckets&,
                        std::uint64_t*) const noexcept override {}
    law find_law(std::size_t, const row&, const float*, float, float, float) const noexcept override { return {}; }
    moments find_moments(std::size_t, const row&, const float*, float) const noexcept override { return {}; }
    wide::picked pick_by_mass(std::size_t, const row&, const std::uint64_t*, std::uint64_t,
                              float) const noexcept override {
        return {null_token, 0};
    }
    token_id pick_by_noise(std::size_t, const row&, const float*, float, const draws&) const noexcept override {
        return null_token;
    }
    token_data pick_by_shape(std::size_t, const row&, const float*, const law&, std::uint64_t*,
                             const draws&) const noexcept override {
        return {null_token, 0.0f, 0.0f};
    }
    status_code narrow(std::size_t, std::size_t, candidates&, const context&) const noexcept override {
        return status_code::ok;
    }
    bool takes_row(std::size_t) const noexcept override { return false; }
    exact::row_answer apply_to_row(std::size_t, wide::llama_row&, candidates&, const context&) const noexcept override {
        return exact::row_answer::undecided;
    }
    void prepare(std::size_t, candidates&) const noexcept override {}
    void choose(std::size_t, candidates&, const context&) const noexcept override {}
    step accept(token_id, const choice*, const history&) noexcept override { return {}; }
    void reset() noexcept override {}
    void fork(std::uint16_t) noexcept override {}
    std::uint32_t layout() const noexcept override { return 1; }
    void save(saved_state&) const noexcept override {}
    void restore(const saved_state&) noexcept override {}
    saved_state* ring() noexcept override { return nullptr; }

protected:
    ~no_stages() = default;

private:
    facts none_;
    RIFFLE_LOCAL static constexpr plan of_no_stages = make_plan(nullptr, 0, 0);
};

}  // namespace riffle
