#pragma once

#include <string>
#include <vector>

#include "surroundings.hpp"

namespace visualiser {

// The value of a parameter as a text of settings has it: what stands behind the `=`, once for each time that the
// setting is said; nothing where it need not be.

std::vector<std::string> number_setting(const json& value, const surroundings&);
/// Settings have one for all cuts, and 0 is what they have unsaid.
std::vector<std::string> min_keep_setting(const json& value, const surroundings&);
std::vector<std::string> grammar_setting(const json& value, const surroundings&);
std::vector<std::string> bias_setting(const json& value, const surroundings& around);
std::vector<std::string> breaker_setting(const json& value, const surroundings& around);

}  // namespace visualiser
