#pragma once

// Golden streams whose chain is saved half way and goes on as another one, which was loaded; and checksums of what is
// saved, which are checked in.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "golden/streams.hpp"

namespace riffle_tests {

/// What came of such a stream.
struct resumed_stream {
    std::string line;   ///< as if nothing had been saved
    std::string saved;  ///< how many bytes were saved, and their hash; or why none were
};

inline std::string line_of_bytes(const std::vector<std::byte>& bytes) {
    digest hash;
    for (const std::byte b : bytes) hash.add(std::uint64_t(b));
    char text[64];
    std::snprintf(text, sizeof text, "%zu %016llx", bytes.size(), static_cast<unsigned long long>(hash.value()));
    return text;
}

/// The stream of `begun`, which `fresh` goes on with.
inline resumed_stream resumed(const stream& s, riffle::any_pipeline begun, riffle::any_pipeline fresh) {
    resumed_stream result;
    result.line = line_of(s, std::move(begun), [&](riffle::any_pipeline& chain) {
        std::vector<std::byte> bytes(chain.saved_bytes());
        const riffle::status saved = chain.save(bytes);
        result.saved = (saved.ok() ? line_of_bytes(bytes) : saved.message().c_str()) + ("  " + s.name);
        if (!saved.ok()) return;
        if (const riffle::status loaded = fresh.load(bytes); !loaded.ok())
            result.saved = std::string(loaded.message().c_str()) + ": " + s.name;
        chain = std::move(fresh);
    });
    return result;
}

inline std::map<std::string, std::string> saved_lines() { return golden_lines("saved.txt"); }

}  // namespace riffle_tests
