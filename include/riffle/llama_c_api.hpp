#pragma once
// The functions of riffle/riffle.h and riffle/riffle_llama.h, for C programs that use llama.cpp: included in exactly
// one file of a program. Needs llama.h and nlohmann-json.

#include <riffle/c/llama.hpp>
#include <riffle/c_api.hpp>
#include <riffle/riffle_llama.h>
