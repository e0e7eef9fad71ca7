#pragma once

/// How many samplers there are in a chain of two, as before main. -1: there were others.
extern "C" int samplers_of_plugin();
