#pragma once

#include <vector>

#include "chosen_stages.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// How the chain that a text of settings makes, `read`, differs from the one that it was written for: a sentence for
/// each difference.
json differences_of_chains(const std::vector<chosen_stage>& wanted, const std::vector<chosen_stage>& read,
                           const surroundings& around);

}  // namespace visualiser
