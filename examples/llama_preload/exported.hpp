#pragma once

/// What the program finds in place of llama.cpp's functions; all else in this library stays hidden.
#define RIFFLE_EXPORTED __attribute__((visibility("default"), noinline))

/// Where the function that it stands in was called from.
#define RIFFLE_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
