#pragma once

namespace preload {

/// A function of the libllama that the program uses, behind the one of the same name here. Where it has none the
/// program ends, as one does that calls a function which is not there.
void* llama_function(const char* name);

/// llama.cpp's own function of a name: RIFFLE_THEIRS(llama_sampler_free)(sampler). It is looked up once.
#define RIFFLE_THEIRS(name)                                                             \
    ([] {                                                                               \
        static const auto theirs = ::preload::their_function<decltype(&::name)>(#name); \
        return theirs;                                                                  \
    }())
template <class Pointer>
Pointer their_function(const char* name) {
    return reinterpret_cast<Pointer>(llama_function(name));
}

/// Whether a function of ours was called by llama.cpp itself, from this address. Its own calls of its functions come by
/// here too, and expect its own samplers: llama_sampler_clone of a dist calls llama_sampler_init_dist, and writes into
/// what it gets.
bool is_called_by_llama(const void* from);

/// While one of these lives, all calls on this thread are llama.cpp's: for those of our calls of it that may end in a
/// constructor. (One that is called last of all in a function returns to that function's caller, which is us.)
class calling_llama {
public:
    calling_llama();
    calling_llama(const calling_llama&) = delete;
    calling_llama& operator=(const calling_llama&) = delete;
    ~calling_llama();
};

}  // namespace preload
