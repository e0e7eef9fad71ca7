// The smallest program: one row of logits, one token.
// [begin:six_lines]
#include <riffle/riffle.hpp>
using namespace riffle::stages;

auto sampler = top_k{.k = 40} | top_p{.p = 0.95f} | min_p{.p = 0.05f} | temperature{.t = 0.8f} | dist{.seed = 42};

token_id next_token(std::span<const float> logits) {
    return sampler.sample(logits);  // chooses and accepts; null_token when no token is legal
}
// [end:six_lines]

// [begin:halves]
// Rows as engines have them: 16 bits a logit, and padding behind the vocabulary, which is never read.
token_id next_token(std::span<const riffle::bfloat16> padded_row, std::size_t vocabulary) {
    return sampler.sample(padded_row.first(vocabulary));
}
// [end:halves]

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    std::vector<float> logits(32000, -8.0f);
    logits[11] = 3.0f;
    logits[22] = 2.5f;
    logits[33] = 2.0f;
    std::printf("Eight tokens, of the three that are likely in this row:\n");
    for (int i = 0; i < 8; ++i) {
        const token_id token = next_token(logits);
        std::printf("%d ", token);
        if (token != 11 && token != 22 && token != 33) return 1;
    }
    std::printf("\n\nWhat a row without any legal token answers:\n");

    // [begin:errors]
    const std::vector<float> nothing(32000, -INFINITY);
    if (auto token = sampler.try_sample(nothing); !token) std::printf("%s\n", token.state().message().c_str());
    // [end:errors]
    else return 1;

    // [begin:ways]
    auto usual = chain(top_k{.k = 40}, top_p{.p = 0.95f}, dist{.seed = 1});  // or with | between the stages
    auto quick = with<fast>(usual);  // the same distribution, but not the same token on every machine
    any_pipeline any = usual;        // any chain behind one type
    dynamic_chain late;              // stages that are known at run time only
    late.push(top_k{.k = 40});
    late.push(top_p{.p = 0.95f});
    late.push(dist{.seed = 1});
    get<top_k>(usual).k = 50;  // parameters may change between steps
    // [end:ways]
    std::vector<riffle::bfloat16> halves(32064);  // NaN behind the vocabulary
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i].bits = i < logits.size() ? 0xc100 : 0x7fc0;  // -8
    halves[22].bits = 0x4100;                                                                              // 8
    if (next_token(halves, logits.size()) != 22) return 1;

    get<top_k>(usual).k = 40;
    const token_id token = usual.sample(logits);
    return any.sample(logits) == token && late.sample(logits) == token && quick.sample(logits) >= 0 ? 0 : 1;
}
