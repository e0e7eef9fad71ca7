#pragma once
#include <riffle/math/lanes.hpp>
#if RIFFLE_VECTORS
#include <riffle/exact/double_lanes_of_vectors.hpp>
#else
#include <riffle/exact/double_lanes_of_arrays.hpp>
#endif

// double_lanes<N>: N doubles at once, as math/lanes.hpp has floats.
