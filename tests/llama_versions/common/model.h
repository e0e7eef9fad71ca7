#pragma once
// A fake model: its tokens, and what its file says beside them.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "fake_vocabulary.h"

/// (No function of llama.h names it before January 2025.)
struct llama_vocab : fake_vocabulary {};
struct llama_model {
    llama_vocab vocab;
    std::map<std::string, std::string> metadata;
};

/// Answers the length of the value, and writes what there is room for and a zero; -1 where there is no such key.
inline std::int32_t llama_model_meta_val_str(const llama_model* model, const char* key, char* buf,
                                             std::size_t buf_size) {
    const auto found = model->metadata.find(key);
    if (found != model->metadata.end()) return std::snprintf(buf, buf_size, "%s", found->second.c_str());
    if (buf_size > 0) buf[0] = '\0';
    return -1;
}
