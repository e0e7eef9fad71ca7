// Numbers in a text of settings, with libc++, which before version 20 has no std::from_chars for floats: read as
// tests/settings has them read elsewhere. (GoogleTest does not build for WebAssembly.)

#include <cstdio>
#include <cstring>

#include <riffle/settings.hpp>

namespace {

struct number {
    const char* written;
    float read;
};
/// Correctly rounded, from the shortest to those in the middle between two floats.
constexpr number numbers[] = {
    {"0", 0.0f},
    {"-0", -0.0f},
    {"1", 1.0f},
    {"+1", 1.0f},
    {"0.95", 0.95f},
    {".5", 0.5f},
    {"5.", 5.0f},
    {"-2.5e-3", -2.5e-3f},
    {"1E2", 100.0f},
    {"3.4028235e38", 3.4028235e38f},
    {"1e-45", 1e-45f},
    {"0.1000000014901161193847656250000000000000000000000000000000001", 0.1f},
    {"16777217", 16777216.0f},            // a tie: to the even one
    {"16777217.000000001", 16777218.0f},  // above it
    {"16777219", 16777220.0f},
    {"0e999", 0.0f},
};
constexpr const char* no_numbers[] = {"",     "0x10", "1e",   "1e+", ".",     "-",     "--1",   "+-1", "1,5",
                                      "1.5f", "e5",   "1..2", "++1", "1e400", "1e-60", "0.5.5", "in",  "nanx"};

}  // namespace

int main() {
    int right = 0, wrong = 0;
    const auto expect = [&](bool holds, const char* what) {
        holds ? ++right : ++wrong;
        if (!holds) std::printf("wrong: %s\n", what);
    };
    for (const number& each : numbers) {
        riffle::chain_settings s;
        const bool is_read = s.read(riffle::text(("temp=" + std::string(each.written)).c_str()));
        expect(is_read && std::memcmp(&s.temp, &each.read, sizeof s.temp) == 0, each.written);
    }
    for (const char* written : no_numbers) {
        riffle::chain_settings s;
        expect(!s.read(riffle::text(("temp=" + std::string(written)).c_str())) && s.temp == 0.8f, written);
    }
    std::printf("%d numbers as they should be, %d wrong\n", right, wrong);
    return wrong || right == 0;
}
