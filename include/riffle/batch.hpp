#pragma once
// Many rows at a time, each with a chain of its own, on threads of the caller's.

#include <riffle/batch/batch.hpp>
