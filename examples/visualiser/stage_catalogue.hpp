#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <riffle/riffle.hpp>

#include "setting_values.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// How a page lets a person change a parameter.
enum class control { slider, yes_or_no, seed, list, grammar };

/// Whether its value is a text that a person wrote, and stays as it was written.
constexpr bool is_written(control shown_as) { return shown_as == control::list || shown_as == control::grammar; }

/// A parameter of a stage, as a person meets it.
struct parameter {
    const char* name;  ///< of the member
    control shown_as = control::slider;
    double least = 0;  ///< of the slider; what can be typed is all that the stage's docstring allows
    double greatest = 0;
    double step = 0;           ///< 0: the slider's positions are spaced by ratio
    const char* setting = "";  ///< its name in a text of settings; "" where those have none
    const char* meaning = "";
    std::vector<std::string> (*in_settings)(const json& value, const surroundings& around) = number_setting;
    json (*read)(const void* stage) = nullptr;  ///< null: of a stage that is made of its values
    std::string (*write)(void* stage, const json& value, const surroundings& around) = nullptr;
};

/// A stage of riffle's, with what it takes to show it, make it and change it.
struct stage_entry {
    const char* name;
    const char* group;  ///< of the table in samplers/README.md
    const char* meaning;
    std::vector<parameter> parameters;
    const char* setting = "";  ///< what puts it into the chain of a text of settings, where no parameter's name does
    /// A stage of these values at the end of a chain; what is wrong, or nothing. Values that are not given are the
    /// stage's own defaults.
    std::string (*push)(riffle::dynamic_chain& chain, const stage_entry& entry, const json& values,
                        const surroundings& around);
    /// The i-th stage of a chain, where it is of this kind; else null.
    void* (*find)(riffle::dynamic_chain& chain, std::size_t i);

    bool has_setting() const;  ///< whether a text of settings can put it into a chain
};

/// All stages there are, in the order of the table in samplers/README.md.
std::span<const stage_entry> catalogue();

/// The entry of a name; null where there is none.
const stage_entry* entry_called(std::string_view name);

/// The values of the i-th stage of a chain, by the names of its parameters; defaults where it has none such.
json values_of(const stage_entry& entry, riffle::dynamic_chain& chain, std::size_t i);

/// The catalogue as a page reads it.
json written_catalogue();

}  // namespace visualiser
