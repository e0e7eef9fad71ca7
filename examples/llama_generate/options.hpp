#pragma once
#include <string>

/// What the command line asks for.
struct options {
    enum class sampling { riffle, sampler, graph, llama };

    bool help = false;
    std::string model;
    std::string prompt = "And the king said";
    std::string settings;
    int tokens = 120;
    int threads = 0;  ///< 0 = as llama.cpp has it
    sampling with = sampling::riffle;
    std::string numerics = "llama";  ///< or reproducible, or fast
    std::string grammar;             ///< a file; empty: the text may be anything
    std::string json_schema;         ///< a file, in the place of a grammar
    std::string json_whitespace = "flexible";
    bool grammar_after = false;  ///< it looks at what was chosen, and masks where it refuses that

    /// False, with a sentence on standard error, where the words make no sense.
    bool read(int count, char** words);
    static std::string usage();
};
