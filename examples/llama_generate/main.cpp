// Text from a GGUF model with a riffle chain, or with llama.cpp's own for comparison: llama_generate without words says
// how it is used.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "model.hpp"
#include "options.hpp"
#include "samplers.hpp"

namespace {

using seconds = std::chrono::duration<double>;

/// Adds up how long something takes, again and again.
class stopwatch {
public:
    template <class Work>
    auto time(Work work) {
        const auto begin = std::chrono::steady_clock::now();
        auto result = work();
        total_ += std::chrono::steady_clock::now() - begin;
        return result;
    }
    double in_seconds() const { return total_.count(); }

private:
    seconds total_{};
};

int fail(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
}

}  // namespace

int main(int count, char** words) {
    options wanted;
    if (count < 2) return std::fputs(options::usage().c_str(), stdout), 0;
    if (!wanted.read(count, words)) return std::fputs("(llama_generate --help tells more)\n", stderr), 2;
    if (wanted.help) return std::fputs(options::usage().c_str(), stdout), 0;
    const loaded_model model(wanted.model, wanted.threads);
    if (!model.problem().empty()) return fail(model.problem());
    const token_source source = source_of(wanted, model);
    if (!source.problem.empty()) return fail(source.problem);

    const std::vector<llama_token> prompt = model.tokens_of(wanted.prompt);
    if (prompt.empty() || int(prompt.size()) >= model.room()) return fail("the prompt is empty, or too long");
    source.prompt(prompt);
    if (!model.decode(prompt)) return fail("the prompt could not be evaluated");

    std::fputs(wanted.prompt.c_str(), stdout);
    stopwatch decoding, sampling;
    int made = 0;
    const int most = std::min(wanted.tokens, model.room() - int(prompt.size()));
    const char* ended = most == wanted.tokens ? "as many tokens as were asked for" : "the context is full";
    for (; made < most; ++made) {
        const llama_token token = sampling.time([&] { return source.sample(model.context()); });
        if (token < 0) return fail("no token is left to choose");
        if (llama_vocab_is_eog(model.vocab(), token)) {
            ended = "the model ended the text";
            break;
        }
        const std::string piece = model.piece(token);
        std::fwrite(piece.data(), 1, piece.size(), stdout);
        std::fflush(stdout);
        if (!decoding.time([&] { return model.decode(token); })) return fail("a token could not be evaluated");
    }
    std::puts("");
    std::fflush(stdout);
    const double all = decoding.in_seconds() + sampling.in_seconds();
    std::fprintf(stderr, "ended: %s\n", ended);
    std::fprintf(stderr, "%d tokens, %.0f a second; sampling took %.1f us a token, %.1f %% of the time\n", made,
                 double(made) / all, 1e6 * sampling.in_seconds() / double(made > 0 ? made : 1),
                 100.0 * sampling.in_seconds() / all);
    return 0;
}
