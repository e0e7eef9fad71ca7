// Settings that people already have, of another program: the chain that they mean there.
#include <cstdio>
#include <string>
#include <utility>

#include <riffle/explain.hpp>
#include <riffle/riffle.hpp>
#include <riffle/settings.hpp>
using namespace riffle;

namespace {

// What a JSON library gives for each member of a preset: its key, and its value as it is written.
constexpr std::pair<const char*, const char*> file[] = {
    {"temperature", "1.3"},
    {"dynatemp_range", "0.6"},
    {"smoothing_factor", "0.22"},
    {"min_p", "0.06"},
    {"top_k", "0"},
    {"top_p", "1"},
    {"rep_pen", "1.08"},
    {"rep_pen_range", "1536"},
    {"rep_pen_slope", "0.7"},
    {"sampler_order", "[6,0,1,3,4,2,5]"},
    {"max_length", "180"},
};

}  // namespace

int main() {
    // [begin:preset]
    preset kobold(dialect::koboldcpp);
    for (const auto& [key, value] : file) kobold.set(key, value);
    for (const std::string& note : kobold.notes()) std::printf("%s\n", note.c_str());

    chain_settings settings;
    if (!kobold.make(settings)) return std::printf("%s\n", kobold.problem().c_str()), 1;
    dynamic_chain chain;
    settings.build(chain);
    // [end:preset]
    std::printf("\n%s\n", explain(chain).c_str());
    return kobold.notes().size() == 2 && chain.get_if<penalties>(1)->last_n == 1536 ? 0 : 1;
}
