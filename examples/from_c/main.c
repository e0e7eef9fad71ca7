// A C program that has a character choose an action and say a line: the action is one of a token trie's payload, the
// line keeps to a grammar and comes as text, whole characters at a time.
//
//     from_c                 on a table of letters, learnt from a sentence
//     from_c MODEL.gguf      on a real model, where it was built with llama.cpp
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <riffle/riffle.h>

#include "letters.h"
#include "with_llama.h"

static const char* const heard = "The road to the north is closed. The miller saw lights in the old tower. I would not go "
                                 "there after dark. Sit down by the fire and eat. He never came back. Trade with me. ";

static void fail(const riffle_problem* problem) {
    fprintf(stderr, "%s\n", problem->sentence);
    exit(1);
}

/* The letters as a vocabulary, and a token that ends a text. */
static riffle_vocabulary* letters_as_tokens(riffle_problem* problem) {
    static char bytes[letter_count];
    riffle_token_text tokens[token_count];
    for (size_t i = 0; i < letter_count; ++i) {
        bytes[i] = (char)i;
        tokens[i] = (riffle_token_text){.bytes = &bytes[i], .size = 1, .roles = riffle_text};
    }
    tokens[end_of_text] = (riffle_token_text){.bytes = "<end>", .size = 5, .roles = riffle_control | riffle_end_of_generation};
    return riffle_vocabulary_new(tokens, token_count, problem);
}

/* A payload as an application server sends it: each action in tokens, which are its letters here. */
static void write_payload(char* into, size_t size, const char* const* actions, size_t count) {
    size_t length = (size_t)snprintf(into, size, "{\"modelId\": \"letters\", \"descriptors\": [{\"path\": \"action\", \"leaves\": [");
    for (size_t i = 0; i < count; ++i) {
        length += (size_t)snprintf(into + length, size - length, "%s{\"name\": \"%s\", \"tokens\": [", i ? ", " : "", actions[i]);
        for (size_t c = 0; actions[i][c]; ++c)
            length += (size_t)snprintf(into + length, size - length, "%s%d", c ? ", " : "", actions[i][c]);
        length += (size_t)snprintf(into + length, size - length, "]}");
    }
    snprintf(into + length, size - length, "]}]}");
}

// [begin:next_token]
/* The next token for a row of logits, index = id; -1 where none is legal. */
static riffle_token next_token(riffle_chain* chain, const float* logits, size_t count) {
    riffle_token token = -1;
    if (riffle_chain_sample(chain, logits, count, &token) != riffle_ok) fprintf(stderr, "%s\n", riffle_chain_problem(chain));
    return token;
}
// [end:next_token]

/* Writes a text that the chain's constraint finishes; answers how many tokens were certain. */
static size_t write_text(riffle_chain* chain, riffle_stream* out, const letters* model, char last) {
    size_t forced = 0;
    for (int i = 0; i < 200; ++i) {
        riffle_constraint_state state = {.struct_size = sizeof state};
        riffle_chain_constraint_state(chain, &state);
        if (state.is_finished) break;
        riffle_token run[32];
        size_t count = 0;
        riffle_chain_forced_run(chain, run, 32, &count);
        for (size_t t = 0; t < count; ++t) riffle_chain_accept(chain, run[t]); /* they need no evaluation each */
        forced += count;
        if (count == 0) {
            run[0] = next_token(chain, model->row[(unsigned char)last], token_count);
            if (run[0] < 0) exit(1);
            count = 1;
        }
        for (size_t t = 0; t < count && run[t] != end_of_text; ++t) {
            const char* bytes = NULL;
            size_t size = 0;
            riffle_stream_push(out, run[t], &bytes, &size);
            fwrite(bytes, 1, size, stdout);
            last = (char)run[t];
        }
    }
    const char* bytes = NULL;
    size_t size = 0;
    riffle_stream_flush(out, &bytes, &size);
    fwrite(bytes, 1, size, stdout);
    puts("");
    return forced;
}

int main(int count, char** arguments) {
    if (count > 1) return generate_with_llama(arguments[1]);
    static letters model;
    learn_letters(&model, heard);
    riffle_problem problem = {.struct_size = sizeof problem};
    riffle_vocabulary* const words = letters_as_tokens(&problem);
    if (!words) fail(&problem);

    static const char* const actions[] = {"TRADE", "TRAVEL", "FOLLOW", "FLEE", "FLEE_NORTH"};
    char payload[2048];
    write_payload(payload, sizeof payload, actions, sizeof actions / sizeof *actions);
    riffle_constraint* const action = riffle_constraint_new_token_trie(words, payload, strlen(payload), "action", &problem);
    if (!action) fail(&problem);
    // [begin:chain]
    riffle_chain* const chain =
        riffle_chain_new("temp=0.7;seed=3;grammar=root ::= [A-Z] [a-z ]{20,60} \".\"", words, NULL, &problem);
    if (!chain) fail(&problem); /* problem.sentence: where the text is wrong, and why */
    // [end:chain]
    riffle_stream* const out = riffle_stream_new(words, NULL, 0, NULL, &problem);
    if (!out) fail(&problem);

    printf("says: ");
    size_t forced = write_text(chain, out, &model, ' ');
    riffle_chain_set_constraint(chain, action);
    riffle_stream_reset(out);
    printf("does: ");
    forced += write_text(chain, out, &model, ' ');
    printf("(%s; %zu tokens were certain)\n", riffle_chain_leaf_name(chain), forced);
    const int is_good = forced > 0 && *riffle_chain_leaf_name(chain);

    riffle_stream_free(out);
    riffle_chain_free(chain);
    riffle_constraint_free(action);
    riffle_vocabulary_free(words);
    return is_good ? 0 : 1;
}
