#pragma once
#include <cstdint>
#include <string>

/// What the command line asks for.
struct options {
    bool help = false;
    std::string model;
    std::string draft_model;  ///< a file; empty: none drafts
    std::string prompt = "In the beginning God created the heaven and the earth. And the earth was";
    std::string settings;
    std::string only;  ///< ways of drafting whose name has this in it
    int tokens = 200;
    int drafted = 8;  ///< tokens of a line at most
    int nodes = 32;   ///< of a tree at most
    int threads = 0;  ///< 0 = as llama.cpp has it

    /// False, with a sentence on standard error, where the words make no sense.
    bool read(int count, char** words);
    static std::string usage();
};
