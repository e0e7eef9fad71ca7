// What tests/checks/debugger looks at with gdb, when look() is reached. With RIFFLE_ELSEWHERE, the part of the program
// that has no debug information, or not enough.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <riffle/riffle.hpp>

using namespace riffle;

void push_stage_from_elsewhere(dynamic_chain& chain);
any_pipeline chain_from_elsewhere();

#if defined(RIFFLE_ELSEWHERE)

struct from_elsewhere {
    int strength = 3;
    static constexpr const char* name = "from_elsewhere";
    void apply(candidates&) const noexcept {}
};
void push_stage_from_elsewhere(dynamic_chain& chain) { chain.push(from_elsewhere{}); }
any_pipeline chain_from_elsewhere() { return with<reproducible>(from_elsewhere{}); }

#else

namespace mine {

struct shape {
    double width = 0.1;
    std::uint8_t sides = 4;
    bool round = false;
};
template <class Number>
struct every_kind : shape {
    Number least = -1;
    numerics how = numerics::fast;
    const char* title = nullptr;
    float few[3] = {1.0f, 2.5f, -std::numeric_limits<float>::infinity()};
    shape inner{};
    static constexpr const char* name = "every kind";
    static constexpr int of_all = 7;
    void apply(candidates&) const noexcept {}
};

}  // namespace mine

// As a template argument of riffle's is called.
struct S {
    int wrong = 0;
} another_s;

auto typed = top_k{.k = 40} | top_p{.p = 0.95f} | dist{.seed = 42};
auto same_twice = chain<fast>(top_k{.k = 1}, top_k{.k = 2}, greedy{});
auto alone = with<fast>(mine::every_kind<long>{});
auto with_lists = logit_bias{{{5, illegal_logit}, {7, 0.25f}}} | banned_sequences{{{.tokens = {1, 2, 3}}}} |
                  dry{.multiplier = 0.8f, .breakers = {{13}, {198, 25}}} | allowed_tokens{{3, 99}} |
                  mask{{1, 2, 3, 4, 5, 6, 7, 8, 9}};

dynamic_chain late, without_stages, refusing;
any_pipeline any = typed, any_late = typed, any_other = chain_from_elsewhere(), emptied = typed;

token_data tokens[20] = {{17, 3.5f, 0.5f}, {4, 1.25f, 0.25f}, {9, illegal_logit, 0.0f}};
candidates few{tokens, 3, 1, true}, many{tokens, 20}, nowhere{nullptr, 5}, none;

status fine, seen;
status invalid = status::invalid("top_p", "p", std::numeric_limits<double>::quiet_NaN(), "is not a number");
status invalid_id = status::invalid("accept", "token", -1234567, "is no token", status_code::not_a_token);
status failed = status::failed(status_code::stage_failed, "constrain"), of_row = status_code::no_legal_token;
result<token_id> found{5, {}}, missing{null_token, status_code::no_legal_token};
step quiet, telling, refused = step::refusal(status_code::dead_end);

text hello = "hello, \"you\"", no_text, of_nothing(nullptr, 5);
token_set ids{1, 5, 70}, no_ids, changed{1, 2, 3};

[[gnu::noinline]] void look() { asm volatile("" ::: "memory"); }

// What an optimiser leaves of these is up to it.
[[gnu::noinline]] void look_at_locals(float p, std::size_t size) {
    auto local_chain = top_k{.k = int(size)} | min_p{.p = p};
    candidates local_candidates{tokens, size, 1, false};
    text local_text("abc", size);
    const status local_status = status_code::dead_end;
    const step local_step{.rewind = int(size), .finished = true};
    look();
    local_chain.apply(local_candidates);
}

int main() {
    late.push(top_k{.k = 7});
    push_stage_from_elsewhere(late);
    late.push(dist{.seed = 1});
    refusing.push(dist{});
    refusing.push(top_k{});
    any_late = late;
    any_pipeline taken = std::move(emptied);
    seen.note_nan();
    seen.note_infinity();
    telling.rewind = 3;
    telling.finished = true;
    changed.remove(2);
    look();
    look_at_locals(0.1f, 3);
}

#endif
