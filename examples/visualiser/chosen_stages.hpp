#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stage_catalogue.hpp"
#include "surroundings.hpp"

namespace visualiser {

/// A stage as a person has set it. Stages that are switched off stay in the list and out of the chain.
struct chosen_stage {
    const stage_entry* entry;
    json values;
    bool is_on = true;
};

/// What the page begins with: a chain that many programs use.
std::vector<chosen_stage> default_stages();

/// The list in a request's member `chain`: objects with `name`, `on` and `values`. Answers what is wrong, or nothing.
std::string read_stages(std::vector<chosen_stage>& into, const json& request);
json written_stages(const std::vector<chosen_stage>& stages);

/// The place in the chain of a stage that is switched on.
std::size_t place_in_chain(const std::vector<chosen_stage>& stages, std::size_t chosen);

/// The values of a stage as it has them, but for lists and grammars: none is missing, and numbers are those of its
/// types.
json numbers_of(const chosen_stage& stage);

}  // namespace visualiser
