// A program that is linked with no libllama and opens a library that is: open_llama_plugin PLUGIN

#include <cstdio>
#include <dlfcn.h>

#include "llama_plugin.hpp"

int main(int count, char** arguments) {
    void* const plugin = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!plugin) return std::printf("%s\n", dlerror()), 1;
    const auto samplers = reinterpret_cast<decltype(&samplers_of_plugin)>(dlsym(plugin, "samplers_of_plugin"));
    std::printf("samplers of a plugin: %d\n", samplers());
    return 0;
}
