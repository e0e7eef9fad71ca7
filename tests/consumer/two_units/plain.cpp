#include "tokens.hpp"

tokens plain_tokens() { return draw_tokens(); }
