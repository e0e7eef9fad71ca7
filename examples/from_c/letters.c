#include "letters.h"

#include <math.h>

void learn_letters(letters* model, const char* text) {
    for (size_t a = 0; a < letter_count; ++a)
        for (size_t b = 0; b < token_count; ++b) model->row[a][b] = 0.05f;
    for (; text[0] && text[1]; ++text) {
        const unsigned char a = (unsigned char)text[0], b = (unsigned char)text[1];
        if (a < letter_count && b < letter_count) model->row[a][b] += 1.0f;
        if (a == '.') model->row[a][end_of_text] += 1.0f;
    }
    for (size_t a = 0; a < letter_count; ++a)
        for (size_t b = 0; b < token_count; ++b) model->row[a][b] = logf(model->row[a][b]);
}
