/* riffle for C, and for all that calls C: a vocabulary, chains of samplers from a text of settings, constraints on what
 * a model may write, and text out of tokens. Plain C11. The functions are in riffle/c_api.hpp, which one C++ file of the
 * program includes:
 *
 *     #include <riffle/c_api.hpp>     // in one .cpp file, compiled as C++20
 *
 * Handles are opaque. A handle is used by one thread at a time, two handles by any two threads; nothing is global.
 * Functions that make a handle answer NULL where they cannot, and write why into a riffle_problem, if they were given
 * one; riffle_*_free takes NULL. Other functions answer a riffle_code; riffle_*_problem has the sentence for the last
 * one that was not riffle_ok. NULL for a handle or a pointer that is needed is riffle_bad_argument. A call that fails
 * changes nothing. No exception leaves any of them.
 *
 * Structs that a program fills or gets begin with their size, as the program knows it: set it with sizeof. Fields that
 * later versions add are not touched for a program that does not know them. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifndef RIFFLE_API
#define RIFFLE_API /* such as __declspec(dllexport), for who builds a library of it */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- codes and problems */

/* What became of a call. Those up to riffle_row_lost are riffle::status_code. */
typedef enum riffle_code {
    riffle_ok = 0,
    riffle_empty_row,
    riffle_row_too_long,
    riffle_no_legal_token,
    riffle_invalid_parameter,
    riffle_not_monotone,
    riffle_bad_candidates,
    riffle_mark_unknown,
    riffle_rewind_too_far,
    riffle_out_of_memory,
    riffle_no_selector,
    riffle_not_a_token,
    riffle_storage_overlaps,
    riffle_storage_too_small,
    riffle_chain_malformed,
    riffle_stage_failed,
    riffle_stage_stuck,
    riffle_dead_end,
    riffle_row_lost,
    riffle_bad_argument = 100, /* a pointer is NULL, or the size of a struct is not one */
    riffle_cannot_be_read,     /* a text of settings, a grammar, a schema or a payload */
    riffle_not_built_in        /* made without nlohmann-json, which schemas and payloads need */
} riffle_code;

/* Why something could not be made. */
typedef struct riffle_problem {
    size_t struct_size; /* sizeof(riffle_problem) */
    int32_t code;       /* riffle_code */
    uint32_t line;      /* in the text that could not be read, from 1; 0: no place in it */
    uint32_t column;    /* counts characters, from 1 */
    size_t offset;      /* bytes of the text ahead of the place */
    char sentence[512]; /* in words, with line, column and place; ends with 0 */
} riffle_problem;

/* The version of the library that was compiled in: major * 10000 + minor * 100 + patch. */
RIFFLE_API int32_t riffle_version(void);
/* A code in words; never NULL. */
RIFFLE_API const char* riffle_code_text(int32_t code);

typedef int32_t riffle_token; /* -1: none */

/* ---- the tokens of a model */

typedef struct riffle_vocabulary riffle_vocabulary;

enum riffle_token_role {
    riffle_text = 0,
    riffle_control = 1,          /* no text of its own when shown, but a name: <|im_start|> */
    riffle_end_of_generation = 2 /* the model says that it is done */
};
typedef struct riffle_token_text {
    const char* bytes; /* may hold zeros */
    size_t size;
    uint32_t roles; /* riffle_token_role, joined by | */
} riffle_token_text;

/* How a model splits a text: writes at most `capacity` tokens and answers how many. */
typedef size_t (*riffle_tokeniser)(const void* model, const char* bytes, size_t size, riffle_token* tokens,
                                   size_t capacity);

/* Of `count` tokens in the order of their ids, which are copied. What is made with it keeps what it needs: it may be
 * freed before. Some 40 ms for 150,000 tokens. */
RIFFLE_API riffle_vocabulary* riffle_vocabulary_new(const riffle_token_text* tokens, size_t count,
                                                    riffle_problem* problem);
/* With the model's own tokeniser, for settings that split texts; `model` is handed to it, and must outlive all that is
 * made with the vocabulary. */
RIFFLE_API riffle_vocabulary* riffle_vocabulary_new_with_tokeniser(const riffle_token_text* tokens, size_t count,
                                                                   riffle_tokeniser tokeniser, const void* model,
                                                                   riffle_problem* problem);
RIFFLE_API void riffle_vocabulary_free(riffle_vocabulary* vocabulary);
RIFFLE_API size_t riffle_vocabulary_size(const riffle_vocabulary* vocabulary);
/* The bytes of a token, valid as long as the vocabulary; NULL and 0 for an id outside. */
RIFFLE_API const char* riffle_vocabulary_piece(const riffle_vocabulary* vocabulary, riffle_token token, size_t* size);

/* ---- what a model may write */

/* A constraint stands at the beginning of its text until it is set in a chain, which gets a copy of it. */
typedef struct riffle_constraint riffle_constraint;

/* Of a grammar in GBNF, llama.cpp's notation; its first rule is `root`. */
RIFFLE_API riffle_constraint* riffle_constraint_new_gbnf(const riffle_vocabulary* vocabulary, const char* grammar,
                                                         size_t size, riffle_problem* problem);
/* Of a JSON schema. */
RIFFLE_API riffle_constraint* riffle_constraint_new_json_schema(const riffle_vocabulary* vocabulary, const char* schema,
                                                                size_t size, riffle_problem* problem);
/* Of a token trie's payload, of which the descriptor `path` is selected; NULL: the only one. */
RIFFLE_API riffle_constraint* riffle_constraint_new_token_trie(const riffle_vocabulary* vocabulary, const char* payload,
                                                               size_t size, const char* path, riffle_problem* problem);
RIFFLE_API riffle_constraint* riffle_constraint_clone(const riffle_constraint* constraint);
RIFFLE_API void riffle_constraint_free(riffle_constraint* constraint);

/* ---- chains */

typedef struct riffle_chain riffle_chain;

/* Whose tokens a chain gives. */
enum riffle_numerics {
    riffle_reproducible = 0, /* the same on every machine */
    riffle_llama = 1         /* llama.cpp's, for the same settings and seed */
};
typedef struct riffle_chain_options {
    size_t struct_size; /* sizeof(riffle_chain_options) */
    int32_t numerics;   /* riffle_numerics */
    int32_t reserved;   /* 0 */
} riffle_chain_options;

/* Of a text of settings: "top_k=40;top_p=0.95;temp=0.8;seed=42", llama.cpp's names; `grammar=` and `json_schema=` put a
 * constraint in. `vocabulary` may be NULL where the settings need none; `options` may be NULL. */
RIFFLE_API riffle_chain* riffle_chain_new(const char* settings, const riffle_vocabulary* vocabulary,
                                          const riffle_chain_options* options, riffle_problem* problem);
/* Goes on by itself from where the other one stands. NULL: no memory. */
RIFFLE_API riffle_chain* riffle_chain_clone(const riffle_chain* chain);
RIFFLE_API void riffle_chain_free(riffle_chain* chain);
/* The sentence for the last call with the chain that failed; empty after one that did not. Valid until the next call. */
RIFFLE_API const char* riffle_chain_problem(const riffle_chain* chain);

/* Tells the chain of tokens that were not generated: of all of them, or where one is below 0, or there is no memory, of
 * none. */
RIFFLE_API int32_t riffle_chain_prompt(riffle_chain* chain, const riffle_token* tokens, size_t count);
/* The token for a row of logits, index = id; it is accepted. */
RIFFLE_API int32_t riffle_chain_sample(riffle_chain* chain, const float* logits, size_t count, riffle_token* token);
/* The token that sample would give, and nothing accepted. (With riffle_llama it draws, as applying a chain of llama.cpp's
 * does: the next call draws anew.) */
RIFFLE_API int32_t riffle_chain_peek(riffle_chain* chain, const float* logits, size_t count, riffle_token* token);
/* A generated token that came from elsewhere, as those of a forced run. */
RIFFLE_API int32_t riffle_chain_accept(riffle_chain* chain, riffle_token token);
/* Takes back the last tokens, up to 128. */
RIFFLE_API int32_t riffle_chain_rewind(riffle_chain* chain, size_t count);
/* To the beginning: no history, draws from the first, and the constraint that is set at the beginning of its text. */
RIFFLE_API int32_t riffle_chain_reset(riffle_chain* chain);

/* What the last token led to: nothing, where it was refused, or where none was chosen. */
typedef struct riffle_step {
    size_t struct_size; /* sizeof(riffle_step) */
    int32_t rewind;     /* a stage asks to take back so many tokens */
    int32_t finished;   /* 1: the constraint says that the text is complete */
} riffle_step;
RIFFLE_API int32_t riffle_chain_last_step(const riffle_chain* chain, riffle_step* step);

/* ---- a chain's constraint */

/* From here on the chain keeps to it, from the beginning of its text. (rewind does not go back behind that.) */
RIFFLE_API int32_t riffle_chain_set_constraint(riffle_chain* chain, const riffle_constraint* constraint);
/* From here on every token is legal. */
RIFFLE_API int32_t riffle_chain_clear_constraint(riffle_chain* chain);
/* The next text of the constraint, from its beginning. (rewind does not go back behind that.) */
RIFFLE_API int32_t riffle_chain_restart_constraint(riffle_chain* chain);

typedef struct riffle_constraint_state {
    size_t struct_size;  /* sizeof(riffle_constraint_state) */
    int32_t is_set;      /* 1: there is one */
    int32_t is_complete; /* 1: the text may end here */
    int32_t is_finished; /* 1: nothing but an end may follow */
    int32_t leaf;        /* of a token trie: the value that was written, by its number; -1 */
    size_t legal_count;  /* tokens that are legal; SIZE_MAX: all */
} riffle_constraint_state;
RIFFLE_API int32_t riffle_chain_constraint_state(const riffle_chain* chain, riffle_constraint_state* state);
/* 1: the token may come next; 0: it may not, or cannot be told for lack of memory, or the chain is NULL. */
RIFFLE_API int32_t riffle_chain_allows(const riffle_chain* chain, riffle_token token);
/* The tokens that must follow, at most `capacity`; `count`: how many. Evaluate them in one batch, and accept each. */
RIFFLE_API int32_t riffle_chain_forced_run(const riffle_chain* chain, riffle_token* tokens, size_t capacity,
                                           size_t* count);
/* Of a token trie: the name of the value that was written, which ends with 0; empty where there is none. Valid until
 * the next call with the chain. */
RIFFLE_API const char* riffle_chain_leaf_name(const riffle_chain* chain);

/* ---- text out of tokens */

typedef struct riffle_stream riffle_stream;

/* What becomes of bytes that are not UTF-8. Those that are kept are given out as they are, a character's or not. */
enum riffle_invalid_bytes { riffle_replace = 0 /* by U+FFFD */, riffle_keep = 1, riffle_drop = 2 };
typedef struct riffle_stream_options {
    size_t struct_size;       /* sizeof(riffle_stream_options) */
    int32_t invalid_bytes;    /* riffle_invalid_bytes */
    int32_t control_tokens;   /* 1: show their names */
    int32_t drop_first_blank; /* 1: not the blank that the text begins with */
    int32_t keep_stop_string; /* 1: the text ends behind it, else ahead of it */
} riffle_stream_options;

/* With stop strings, each of which ends with 0 and is UTF-8 (or any bytes, with riffle_keep); `options` may be NULL. */
RIFFLE_API riffle_stream* riffle_stream_new(const riffle_vocabulary* vocabulary, const char* const* stop_strings,
                                            size_t stop_count, const riffle_stream_options* options,
                                            riffle_problem* problem);
RIFFLE_API riffle_stream* riffle_stream_clone(const riffle_stream* stream);
RIFFLE_API void riffle_stream_free(riffle_stream* stream);
/* The text that a token makes certain: `size` bytes, whole characters, valid until the next call; never NULL. */
RIFFLE_API int32_t riffle_stream_push(riffle_stream* stream, riffle_token token, const char** bytes, size_t* size);
/* What is held back at the end of the text. */
RIFFLE_API int32_t riffle_stream_flush(riffle_stream* stream, const char** bytes, size_t* size);
/* The stop string that has come, by its number; -1: none. */
RIFFLE_API int32_t riffle_stream_stopped(const riffle_stream* stream);
/* For another text. */
RIFFLE_API int32_t riffle_stream_reset(riffle_stream* stream);

#ifdef __cplusplus
}
#endif
