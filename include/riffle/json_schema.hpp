#pragma once
// JSON by schema: schemas become grammars, for all that takes one. Needs nlohmann-json, which reads the schema.

#if !__has_include(<nlohmann/json.hpp>)
#include <riffle needs nlohmann-json for riffle/json_schema.hpp, version 3.11 or newer: Debian's nlohmann-json3-dev, or nlohmann/json>
#endif
#include <riffle/constraint.hpp>
#include <riffle/constraint/json/compile_json_schema.hpp>
#include <riffle/constraint/json/constrain_by_schema.hpp>
#include <riffle/constraint/json/json_schema_options.hpp>
