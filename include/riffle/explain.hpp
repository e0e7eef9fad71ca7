#pragma once
// What a chain does, and what it did: plans and single steps in words. Needs fmt.

#if !__has_include(<fmt/format.h>)
#include <riffle needs fmt for riffle/explain.hpp, version 9 or newer: Debian's libfmt-dev, or fmtlib/fmt>
#endif
#include <riffle/explain/device_text.hpp>
#include <riffle/explain/explanation.hpp>
#include <riffle/explain/plan_text.hpp>
