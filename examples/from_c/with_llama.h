#pragma once

/* Has a GGUF model choose an action; 0 where that went well. */
int generate_with_llama(const char* path);
