#pragma once
// Real schemas with instances, from a file that RIFFLE_SCHEMAS names: a line is schema<TAB>name<TAB>json, valid<TAB>json or
// invalid<TAB>json, and instances belong to the schema above them.

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace riffle_tests {

struct sampled_schema {
    std::string name, schema;
    std::vector<std::string> valid, invalid;
};
/// Empty where no file is named, or it cannot be read.
inline std::vector<sampled_schema> schema_sample() {
    std::vector<sampled_schema> all;
    const char* const path = std::getenv("RIFFLE_SCHEMAS");
    std::ifstream file(path ? path : "", std::ios::binary);
    for (std::string line; std::getline(file, line);) {
        const std::size_t tab = line.find('\t');
        if (tab == line.npos) continue;
        const std::string kind = line.substr(0, tab), rest = line.substr(tab + 1);
        if (kind == "schema") all.push_back({rest.substr(0, rest.find('\t')), rest.substr(rest.find('\t') + 1), {}, {}});
        else if (!all.empty()) (kind == "valid" ? all.back().valid : all.back().invalid).push_back(rest);
    }
    return all;
}

}  // namespace riffle_tests
