#pragma once
// The tokens of llama.cpp 0.7.0 for the same seeds: what chains under numerics::llama need, beside riffle.hpp.

#include <riffle/exact/all_forms.hpp>
#include <riffle/riffle.hpp>
