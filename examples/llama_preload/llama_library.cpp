#include "llama_library.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <vector>

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

/// Of all that is loaded. (They are opened later: dl_iterate_phdr holds a lock that dlopen may wait for.)
std::vector<std::string> names_of_objects() {
    std::vector<std::string> names;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* to) {
            static_cast<std::vector<std::string>*>(to)->emplace_back(object->dlpi_name);
            return 0;
        },
        &names);
    return names;
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
        keep_open(found);
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
    /// For good: what is looked up in it is kept.
    static void keep_open(const void* found) {
        Dl_info where{};
        if (dladdr(found, &where)) dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    const void* look_among_all_objects(const char* known) {
        for (const std::string& name : names_of_objects()) {
            if (name.find("libllama") == std::string::npos) continue;
            void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
            if (!handle) continue;
            if (const void* const found = dlsym(handle, known)) {
                handle_ = handle;
                return found;
            }
            dlclose(handle);
        }
        return nullptr;
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
        std::abort();
    }
    return found;
}

bool is_called_by_llama(const void* from) { return calls_of_ours > 0 || llama().holds(from); }

calling_llama::calling_llama() { ++calls_of_ours; }
calling_llama::~calling_llama() { --calls_of_ours; }

}  // namespace preload
