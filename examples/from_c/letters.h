/* A model for want of a better one: which letter follows which in a text. */
#pragma once
#include <stddef.h>

enum { letter_count = 128, end_of_text = 128, token_count = 129 };

typedef struct letters {
    float row[letter_count][token_count]; /* logits behind each letter */
} letters;

void learn_letters(letters* model, const char* text);
