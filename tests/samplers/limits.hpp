#pragma once
// The limits of parameters, as a table: for every value at which a parameter could change its meaning, what a docstring
// says of it. limits.cpp holds chains and the reference to it.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/riffle.hpp>

#include "reference/describe.hpp"
#include "reference/stages.hpp"

namespace riffle_tests {

/// What a value of a parameter means.
struct meaning {
    enum class way {
        usual,    ///< what the reference makes of it
        refused,  ///< no meaning: `rule` ends the sentence
        off,      ///< as without the stage: illegal tokens stay in place too
        all,      ///< all stay that weigh something
        first,    ///< only the `count` first in rank stay, or all
        another,  ///< as another stage, or as another value
    };
    way is = way::usual;
    const char* rule = "";
    std::size_t count = 0;
    std::optional<reference::any_spec> other{};
};
inline meaning usual() { return {}; }
inline meaning refused(const char* rule) { return {.is = meaning::way::refused, .rule = rule}; }
inline meaning off() { return {.is = meaning::way::off}; }
inline meaning keeps_all() { return {.is = meaning::way::all}; }
/// At least one.
inline meaning keeps_first(std::size_t count) { return {.is = meaning::way::first, .count = count > 1 ? count : 1}; }
inline meaning counts_as(reference::any_spec other) { return {.is = meaning::way::another, .other = std::move(other)}; }

struct limit {
    reference::any_spec stage;
    const char* parameter;
    double value;  ///< as a sentence prints it; of a list what is wrong with it
    meaning means;
};
struct limit_table {
    const char* stage = "";
    std::vector<limit> limits{};
    std::size_t fields = 0;  ///< that the stage has
    std::size_t named = 0;   ///< of those, how many stand in the table
};

/// Whether a parameter counts as 0: denormals do.
inline bool is_zero(float value) { return std::fabs(value) < std::numeric_limits<float>::min(); }
inline bool is_nan(float value) { return value != value; }
inline bool is_finite(float value) { return std::fabs(value) <= std::numeric_limits<float>::max(); }

/// Values of any parameter of a type, and those around the bounds of this one.
inline std::vector<float> limit_values(std::initializer_list<float> bounds, float) {
    using of = std::numeric_limits<float>;
    const float greatest_denormal = std::nextafter(of::min(), 0.0f);
    std::vector<float> all{
        0.0f,      -0.0f,        1.0f,           -1.0f,           of::denorm_min(),  -of::denorm_min(),
        of::min(), -of::min(),   0x1p31f,        -0x1p31f,        greatest_denormal, -greatest_denormal,
        of::max(), of::lowest(), of::infinity(), -of::infinity(), of::quiet_NaN(),   -of::quiet_NaN()};
    for (const float bound : bounds) {
        all.push_back(std::nextafter(bound, of::lowest()));
        all.push_back(bound);
        all.push_back(std::nextafter(bound, of::max()));
    }
    return all;
}
inline std::vector<std::int32_t> limit_values(std::initializer_list<std::int32_t> bounds, std::int32_t) {
    using of = std::numeric_limits<std::int32_t>;
    std::vector<std::int32_t> all{0, 1, -1, -2, of::max(), of::max() - 1, of::min(), of::min() + 1};
    for (const std::int32_t bound : bounds) all.insert(all.end(), {bound - 1, bound, bound + 1});
    return all;
}
inline std::vector<std::size_t> limit_values(std::initializer_list<std::size_t> bounds, std::size_t) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max(), half = most / 2, third = std::size_t{1} << 31;
    std::vector<std::size_t> all{0, 1, 2, third - 1, third, third + 1, half, half + 1, half + 2, most - 1, most};
    if constexpr (sizeof(std::size_t) == 8)
        for (const std::uint64_t more : {0xffffffffu, 0u, 1u}) all.push_back(std::size_t(0x100000000u + more));
    for (const std::size_t bound : bounds) all.insert(all.end(), {bound - 1, bound, bound + 1});
    return all;
}
inline std::vector<bool> limit_values(std::initializer_list<bool>, bool) { return {false, true}; }

/// Stands for a value of any type, where a compiler is asked whether a stage has another field.
struct anything {
    template <class T>
    operator T() const noexcept;
};
/// How many fields a stage has.
template <class Stage, class... Known>
consteval std::size_t field_count() {
    if constexpr (requires { Stage{std::declval<Known>()..., anything{}}; })
        return field_count<Stage, Known..., anything>();
    else return sizeof...(Known);
}

/// The table of one stage: what each value of each of its fields means where the others are as in `usual`.
template <class Stage>
class limits_of {
public:
    explicit limits_of(Stage stage) : stage_(std::move(stage)) {}

    /// What the other fields are from here on.
    limits_of& with(Stage stage) {
        stage_ = std::move(stage);
        return *this;
    }
    /// A number, with the bounds at which its meaning changes.
    template <class Field, class Means>
    limits_of& parameter(const char* name, Field Stage::*field,
                         std::type_identity_t<std::initializer_list<Field>> bounds, Means means) {
        for (const Field value : limit_values(bounds, Field{})) add(name, field, value, double(value), means(value));
        return *this;
    }
    /// A seed: any will do.
    limits_of& seed(std::uint64_t Stage::*field) {
        for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0xffffffffu},
                                          std::uint64_t{1} << 32, ~std::uint64_t{0}})
            add("seed", field, value, double(value), usual());
        return *this;
    }
    template <class Field>
    struct one_value {
        Field field;
        meaning means{};
        double wrong = std::numeric_limits<double>::quiet_NaN();  ///< what the sentence says is wrong
    };
    /// A list, or what else is no number.
    template <class Field>
    limits_of& values(const char* name, Field Stage::*field,
                      std::type_identity_t<std::initializer_list<one_value<Field>>> all) {
        for (const auto& one : all) add(name, field, one.field, one.wrong, one.means);
        return *this;
    }

    operator limit_table() const { return {Stage::name, limits_, field_count<Stage>(), fields_.size()}; }

private:
    template <class Field>
    void add(const char* name, Field Stage::*field, const Field& value, double printed, meaning means) {
        Stage changed = stage_;
        changed.*field = value;
        limits_.push_back({std::move(changed), name, printed, std::move(means)});
        fields_.insert(reinterpret_cast<const char*>(&(stage_.*field)) - reinterpret_cast<const char*>(&stage_));
    }

    Stage stage_;
    std::vector<limit> limits_;
    std::set<std::ptrdiff_t> fields_;  ///< where they lie
};

/// Its table; every stage of any_spec has one (limits_of_cuts.hpp and its neighbours).
template <class Stage>
limit_table limits();

}  // namespace riffle_tests
