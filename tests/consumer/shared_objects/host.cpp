// Loads plugins that have riffle in them: host PLUGIN OTHER_VERSION. The first has the same riffle as this program, the
// second another version of it, whose null_token is -2.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "stages.hpp"

using namespace riffle;

namespace {

struct hidden {
    int number = 1;
    void apply(candidates& c) const noexcept { c.sort(); }
};

int failures = 0;

#define EXPECT(condition) \
    if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), ++failures

const float row[] = {1.0f, 2.0f, 3.0f, 0.5f};

struct plugin {
    void* handle;
    const plugin_functions* call = nullptr;

    plugin(const char* path, int flags) : handle(dlopen(path, RTLD_NOW | flags)) {
        if (handle == nullptr) {
            std::printf("%s\n", dlerror());
            std::exit(1);
        }
        call = reinterpret_cast<const plugin_functions* (*)()>(dlsym(handle, "riffle_plugin"))();
    }
    plugin(const plugin&) = delete;
    ~plugin() { dlclose(handle); }
};

bool is_mapped(const char* path) {
    std::FILE* const maps = std::fopen("/proc/self/maps", "r");
    if (!maps) return false;  // it cannot be known here
    const char* const name = std::strrchr(path, '/');
    char line[4096];
    bool found = false;
    while (!found && std::fgets(line, sizeof line, maps)) found = std::strstr(line, name ? name : path) != nullptr;
    std::fclose(maps);
    return found;
}

/// A plugin that is closed is gone, and begins anew when it is loaded again.
void reload(const char* path, int flags) {
    for (int turn = 0; turn < 3; ++turn) {
        {
            const plugin p(path, flags);
            EXPECT(is_mapped(path));
            EXPECT(p.call->loads() == 1);
            EXPECT(p.call->sample(row, 4) >= 0);
            EXPECT(p.call->sample_by_settings("dry_multiplier=0.8;logit_bias=3+9;temp=0.1;seed=+2", row, 4) == 3);
            EXPECT(p.call->sample_by_settings("top_k=four", row, 4) == riffle::null_token);
        }
        EXPECT(!is_mapped(path));
    }
}

/// Stages that another shared object made and marks that it took. (Its stages' code is in it: they go before it does.)
void exchange(const char* path, int flags) {
    const plugin p(path, flags);
    dynamic_chain theirs;
    p.call->fill(theirs);
    EXPECT(theirs.get_if<top_k>(0) && theirs.get_if<top_k>(0)->k == 7);
    EXPECT(!theirs.get_if<top_p>(0));
    EXPECT(theirs.get_if<keep_even>(1) && theirs.get_if<keep_even>(1)->wished == 8);
    EXPECT(!theirs.get_if<hidden>(2));  // nobody else can mean the one of the plugin
    EXPECT(p.call->find(theirs) == 1087);
    theirs.push(dist{.seed = 1});
    EXPECT(theirs.sample(row) == 2);

    dynamic_chain ours;
    ours.push(top_k{.k = 5});
    ours.push(keep_even{.wished = 6});
    ours.push(hidden{});
    EXPECT(ours.get_if<hidden>(2) && ours.get_if<hidden>(2)->number == 1);
    EXPECT(p.call->find(ours) == 65);

    usual_chain c = chain(top_k{}, mirostat_v2{});
    const checkpoint here = c.mark();
    const token_id token = c.sample(row);
    EXPECT(p.call->rollback(c, here).ok());
    EXPECT(c.sample(row) == token);
    const checkpoint there = p.call->mark(c);
    const token_id next = c.sample(row);
    EXPECT(c.rollback(there).ok());
    EXPECT(c.sample(row) == next);
}

void beside_another_version(const char* path, const char* other, int flags) {
    const plugin second(other, flags);
    {
        const plugin first(path, flags);
        EXPECT(first.call->sample(row, 4) >= 0 && second.call->sample(row, 4) >= 0);
        EXPECT(first.call->sample(row, 0) == -1);
        EXPECT(second.call->sample(row, 0) == -2);
    }
    EXPECT(!is_mapped(path));
    EXPECT(second.call->sample(row, 0) == -2);
}

}  // namespace

int main(int, char** arguments) {
    for (const int flags : {RTLD_LOCAL, RTLD_GLOBAL}) {
        reload(arguments[1], flags);
        exchange(arguments[1], flags);
        beside_another_version(arguments[1], arguments[2], flags);
    }
    return failures;
}
