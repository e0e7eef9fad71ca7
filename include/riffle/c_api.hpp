#pragma once
// The functions of riffle/riffle.h, riffle for C: included in exactly one file of a program. Schemas and payloads need
// nlohmann-json; without it their functions answer riffle_not_built_in.

#include <riffle/c/chain.hpp>
#include <riffle/c/constraint.hpp>
#include <riffle/c/problem.hpp>
#include <riffle/c/stream.hpp>
#include <riffle/c/vocabulary.hpp>
#include <riffle/riffle.h>
