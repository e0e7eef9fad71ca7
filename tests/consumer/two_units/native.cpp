#include "tokens.hpp"

tokens native_tokens() { return draw_tokens(); }
