#include "llama_library.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

namespace preload {
namespace {

/// Where a shared object lies in memory.
struct address_range {
    std::uintptr_t first = 0, end = 0;
    bool holds(std::uintptr_t address) const { return address >= first && address < end; }
};

address_range range_of(const dl_phdr_info& object) {
    address_range all{UINTPTR_MAX, 0};
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const auto& segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) continue;
        const std::uintptr_t first = object.dlpi_addr + segment.p_vaddr;
        if (first < all.first) all.first = first;
        if (first + segment.p_memsz > all.end) all.end = first + segment.p_memsz;
    }
    return all;
}

/// libllama: where it is looked up, and where it lies. It is behind this library where the program was linked with it;
/// where the program has opened it itself, it is found among all that is loaded.
class llama_library {
public:
    llama_library() {
        constexpr const char* known = "llama_sampler_chain_init";
        const void* found = dlsym(RTLD_NEXT, known);
        if (found) handle_ = RTLD_NEXT;
        else found = look_among_all_objects(known);
        if (!found) return;
        at_ = reinterpret_cast<std::uintptr_t>(found);
        dl_iterate_phdr(
            [](dl_phdr_info* object, std::size_t, void* to) {
                auto& self = *static_cast<llama_library*>(to);
                if (const address_range range = range_of(*object); range.holds(self.at_)) self.range_ = range;
                return 0;
            },
            this);
    }
    void* function(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }
    bool holds(const void* address) const { return range_.holds(reinterpret_cast<std::uintptr_t>(address)); }

private:
    const void* look_among_all_objects(const char* known) {
        struct search {
            llama_library& library;
            const char* known;
            const void* found = nullptr;
        } looking{*this, known};
        dl_iterate_phdr(
            [](dl_phdr_info* object, std::size_t, void* to) {
                auto& s = *static_cast<search*>(to);
                if (!std::strstr(object->dlpi_name, "libllama")) return 0;
                void* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
                if (!handle) return 0;
                s.found = dlsym(handle, s.known);
                if (s.found) s.library.handle_ = handle;  // stays open, as the program has it
                else dlclose(handle);
                return s.found ? 1 : 0;
            },
            &looking);
        return looking.found;
    }

    void* handle_ = nullptr;
    std::uintptr_t at_ = 0;
    address_range range_;
};

thread_local int calls_of_ours = 0;

const llama_library& llama() {
    static const llama_library found;
    return found;
}

}  // namespace

void* llama_function(const char* name) {
    void* const found = llama().function(name);
    if (!found) {
        std::fprintf(stderr, "riffle: the program's libllama has no %s\n", name);
        std::abort();  // as a program does that calls a function which is not there
    }
    return found;
}

bool is_called_by_llama(const void* from) { return calls_of_ours > 0 || llama().holds(from); }

calling_llama::calling_llama() { ++calls_of_ours; }
calling_llama::~calling_llama() { --calls_of_ours; }

}  // namespace preload
