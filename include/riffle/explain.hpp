#pragma once
// What a chain does, and what it did: plans and single steps in words. Needs fmt.

#include <riffle/explain/device_text.hpp>
#include <riffle/explain/explanation.hpp>
#include <riffle/explain/plan_text.hpp>
