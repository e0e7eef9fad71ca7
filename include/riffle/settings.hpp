#pragma once
// Chains from texts: llama.cpp's sampling parameters, its names and defaults, and the settings of other programs.

#include <riffle/settings/chain_settings.hpp>
#include <riffle/settings/dialects/preset.hpp>
