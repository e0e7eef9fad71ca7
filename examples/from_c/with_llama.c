// A GGUF model by llama.cpp, in builds that have it (RIFFLE_EXAMPLE_WITH_LLAMA): the payload as a llama_sampler in a chain
// of llama.cpp's.
#include "with_llama.h"

#include <stdio.h>

#if RIFFLE_EXAMPLE_WITH_LLAMA
#include <stdbool.h>
#include <string.h>

#include <ggml-backend.h>
#include <llama.h>

#include <riffle/riffle_llama.h>

enum { most_tokens = 256 };

static void silent(enum ggml_log_level level, const char* text, void* data) { (void)level, (void)text, (void)data; }

/* The tokens of a value between quotes: tokenisers of SentencePiece put a blank ahead of it otherwise. */
static int tokens_of_value(const struct llama_vocab* vocab, const char* value, llama_token* into) {
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s", value);
    const int count = llama_tokenize(vocab, quoted, (int32_t)strlen(quoted), into, most_tokens, false, false);
    char ahead[64] = "";
    int first = 0;
    while (first < count && !strchr(ahead, '"')) {
        const int size = llama_token_to_piece(vocab, into[first++], ahead, sizeof ahead - 1, 0, false);
        ahead[size > 0 ? size : 0] = '\0';
    }
    memmove(into, into + first, (size_t)(count - first) * sizeof *into);
    return count - first;
}
static void write_payload(const struct llama_vocab* vocab, char* into, size_t size) {
    static const char* const actions[] = {"TRADE", "TRAVEL", "FOLLOW", "FLEE", "FLEE_NORTH", "REPLY"};
    size_t length = (size_t)snprintf(into, size, "{\"modelId\": \"at hand\", \"descriptors\": [{\"path\": \"action\", \"leaves\": [");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i) {
        llama_token tokens[most_tokens];
        const int count = tokens_of_value(vocab, actions[i], tokens);
        length += (size_t)snprintf(into + length, size - length, "%s{\"name\": \"%s\", \"tokens\": [", i ? ", " : "", actions[i]);
        for (int t = 0; t < count; ++t)
            length += (size_t)snprintf(into + length, size - length, "%s%d", t ? ", " : "", tokens[t]);
        length += (size_t)snprintf(into + length, size - length, "]}");
    }
    snprintf(into + length, size - length, "]}]}");
}

/* One action behind a prompt; false where none came. */
static bool choose(struct llama_context* context, const struct llama_vocab* vocab, const char* payload, int mode, uint32_t seed) {
    struct llama_sampler* const trie = riffle_llama_token_trie_sampler(vocab, payload, mode);
    if (!trie) {
        fprintf(stderr, "%s\n", riffle_llama_last_problem());
        return false;
    }
    struct llama_sampler* const chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    llama_sampler_chain_add(chain, trie);
    if (mode == 1) llama_sampler_chain_add(chain, llama_sampler_init_temp(1.2f));
    if (mode == 1) llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
    const char* const prompt = "The stranger draws a sword. {\"action\": \"";
    llama_token tokens[most_tokens];
    int count = llama_tokenize(vocab, prompt, (int32_t)strlen(prompt), tokens, most_tokens, true, false);
    llama_memory_clear(llama_get_memory(context), true);
    for (int i = 0; i < 40 && !*riffle_llama_token_trie_leaf(trie); ++i) {
        if (llama_decode(context, llama_batch_get_one(tokens, count)) != 0) break;
        tokens[0] = llama_sampler_sample(chain, context, -1);
        size_t certain = 0; /* what must follow is evaluated together with it */
        riffle_llama_token_trie_forced_run(trie, tokens + 1, most_tokens - 1, &certain);
        riffle_llama_token_trie_accept_forced(trie, tokens + 1, certain);
        count = 1 + (int)certain;
    }
    const bool is_there = *riffle_llama_token_trie_leaf(trie) != '\0';
    printf("%s: %s\n", mode == 0 ? "greatest" : "drawn", riffle_llama_token_trie_leaf(trie));
    llama_sampler_free(chain);
    return is_there;
}

int generate_with_llama(const char* path) {
    llama_log_set(silent, NULL);
    ggml_backend_load_all();
    struct llama_model* const model = llama_model_load_from_file(path, llama_model_default_params());
    if (!model) return fprintf(stderr, "%s cannot be loaded\n", path), 1;
    struct llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 512;
    struct llama_context* const context = llama_init_from_model(model, parameters);
    const struct llama_vocab* const vocab = llama_model_get_vocab(model);
    char payload[4096];
    write_payload(vocab, payload, sizeof payload);
    bool is_good = context != NULL && choose(context, vocab, payload, 0, 0);
    for (uint32_t seed = 1; seed <= 4 && is_good; ++seed) is_good = choose(context, vocab, payload, 1, seed);
    llama_free(context);
    llama_model_free(model);
    return is_good ? 0 : 1;
}
#else
int generate_with_llama(const char* path) {
    fprintf(stderr, "this example was built without llama.cpp, so it does not read %s\n", path);
    return 1;
}
#endif
