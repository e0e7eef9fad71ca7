#pragma once

#include <string>
#include <vector>

#include "chosen_stages.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// The stages that a text of settings makes. Answers what is wrong with the text, or nothing.
std::string stages_of_settings(std::vector<chosen_stage>& into, const std::string& settings,
                               const surroundings& around);

/// The stages as a text of settings: `text`, and in `left_out` a sentence for each thing that such a text cannot say.
json settings_of_stages(const std::vector<chosen_stage>& stages, const surroundings& around);

}  // namespace visualiser
