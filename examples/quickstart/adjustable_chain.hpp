#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>

namespace quickstart {

/// A chain whose stages can be moved, switched off and set while it is in use: settings, and the chain that they make.
class adjustable_chain {
public:
    /// From a text of settings; throws usage_error where it is none.
    explicit adjustable_chain(const std::string& settings);

    /// A number that can be changed: of a stage, or the seed.
    struct parameter {
        const riffle::option* option;
        std::size_t stage;  ///< the stage that it belongs to; the seed is the selector's
    };
    const std::vector<parameter>& parameters() const noexcept { return parameters_; }
    std::size_t stages() const noexcept { return stages_.size(); }
    std::string name(std::size_t stage) const;
    bool is_on(std::size_t stage) const noexcept { return stages_[stage].is_on; }
    std::string value(const parameter& of) const;

    /// Changes a parameter by some steps: a hundredth, or of a whole number a tenth of its value.
    void change(const parameter& of, int steps);
    void switch_on_or_off(std::size_t stage) { stages_[stage].is_on = !stages_[stage].is_on; }
    /// Exchanges a stage with the one before or behind it. Answers whether there is one.
    bool move(std::size_t stage, int places);
    void use_seed(std::uint64_t seed) noexcept { settings_.seed = seed; }

    /// The chain as it is set now; `problem` says what is wrong where it cannot be made.
    riffle::dynamic_chain make(std::string& problem) const;

private:
    struct switched_stage {
        riffle::sampler_kind kind;
        bool is_on;
    };
    void list_parameters();

    riffle::chain_settings settings_;
    std::vector<switched_stage> stages_;
    std::vector<parameter> parameters_;
};

}  // namespace quickstart
