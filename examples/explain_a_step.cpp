// What a chain did in one step, and why a token is not in it.
#include <cstdio>
#include <string>
#include <vector>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>

using namespace riffle;

int main() {
    std::vector<float> logits(1000);
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = float((i * 7919) % 1000) * 0.05f;

    // [begin:explain]
    auto sampler = top_k{.k = 40} | min_p{.p = 0.5f} | temperature{.t = 0.8f} | dist{.seed = 42};
    std::printf("%s\n", explain(sampler).c_str());  // the plan: which passes run, and for which stage

    const explanation step = explain(sampler, logits);  // one step: what each stage removed, and what was left
    std::printf("%s\n", step.to_string().c_str());
    const fate of_seven = step.fate_of(7);  // which stage removed token 7?
    if (!of_seven.survived) std::printf("token 7 fell to %s\n", step.stages[std::size_t(of_seven.stage)].name.c_str());
    // [end:explain]

    return step.token == sampler.sample(logits) && !of_seven.survived && of_seven.stage == 0 ? 0 : 1;
}
