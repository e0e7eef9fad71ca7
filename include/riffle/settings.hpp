#pragma once
// Chains from texts: llama.cpp's sampling parameters, its names and defaults.

#include <riffle/settings/chain_settings.hpp>
