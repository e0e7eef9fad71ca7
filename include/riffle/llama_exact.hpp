#pragma once
// riffle.hpp, and how llama.cpp 0.7.0 runs each of its samplers: chain<llama_exact>(...) gives its tokens.

#include <riffle/exact/all_forms.hpp>
#include <riffle/riffle.hpp>
