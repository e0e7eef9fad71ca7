// One sequence of calls on three chains of the same stages, which must not differ in anything that can be seen.

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace riffle_tests::fuzz {

namespace {

using namespace riffle;

void must_be_alike(const status& a, const status& b, const char* what) {
    must(std::string(a.message().c_str()) == b.message().c_str() && a.saw_nan() == b.saw_nan() &&
             a.saw_infinity() == b.saw_infinity(),
         what);
}
bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }
void must_be_alike(std::span<const token_data> a, std::span<const token_data> b, const char* what) {
    must(a.size() == b.size(), what);
    for (std::size_t i = 0; i < a.size(); ++i)
        must(a[i].id == b[i].id && same_bits(a[i].logit, b[i].logit) && same_bits(a[i].p, b[i].p), what);
}

/// A chain in its three forms, and the marks that were made of them.
template <class Typed>
struct three_forms {
    explicit three_forms(Typed chain) : typed(std::move(chain)) {}

    Typed typed;
    dynamic_chain late;
    any_pipeline erased = typed;
    struct marks {
        checkpoint typed, late, erased;
    };
    std::vector<marks> kept;

    /// Calls all three and compares what `call` answers with `compare(a, b)`.
    template <class Call, class Compare>
    auto all(const Call& call, const Compare& compare) {
        const auto first = call(typed);
        compare(first, call(late));
        compare(first, call(erased));
        return first;
    }
    template <class Call>
    auto all(const Call& call, const char* what) {
        return all(call, [what](const auto& a, const auto& b) { must(a == b, what); });
    }
    void statuses_must_be_alike() {
        must_be_alike(typed.last_status(), late.last_status(), "the status of a chain put together at run time");
        must_be_alike(typed.last_status(), erased.last_status(), "the status of an erased chain");
    }

    void call(input& in) {
        switch (in.below(16)) {
        case 0:
        case 1: {
            const auto row = in.row();
            const token_id token = all([&](auto& c) { return c.sample(row); }, "the token sampled");
            must_be_token_of(token, row, typed.last_status());
            statuses_must_be_alike();
            compare_survivors();
            break;
        }
        case 2: {
            const auto row = in.row();
            const token_id token = all([&](auto& c) { return c.peek(row); }, "the token peeked at");
            must(typed.peek(row) == token, "peeking changes nothing");
            statuses_must_be_alike();
            break;
        }
        case 3: {
            const token_id token = in.whole();
            all([&](auto& c) { return c.accept(token).state.code(); }, "what accepting answers");
            break;
        }
        case 4: {
            std::vector<token_id> tokens(in.below(40));
            const token_id first = in.whole();
            for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = token_id(unsigned(first) + unsigned(i % 5));
            all([&](auto& c) { return c.prompt(tokens).code(); }, "what a prompt answers");
            break;
        }
        case 5: all([&](auto& c) { return c.reset(), 0; }, ""); break;
        case 6: all([&](auto& c) { return c.retry(), 0; }, ""); break;
        case 7:
            if (kept.size() < 8) kept.push_back({typed.mark(), late.mark(), erased.mark()});
            break;
        case 8:
            if (!kept.empty()) {
                const marks& m = kept[in.below(kept.size())];
                const status_code code = typed.rollback(m.typed).code();
                must(late.rollback(m.late).code() == code, "what going back answers at run time");
                must(erased.rollback(m.erased).code() == code, "what going back answers where erased");
            }
            break;
        case 9: {
            const std::size_t count = in.size();
            all([&](auto& c) { return c.rewind(count).code(); }, "what rewinding answers");
            break;
        }
        case 10: {
            const auto sequence = in.number<std::uint16_t>();
            typed = typed.fork(sequence);
            late = late.fork(sequence);
            erased = erased.fork(sequence);
            break;
        }
        case 11: {
            auto copy = typed;
            auto late_copy = late;
            auto erased_copy = erased;
            std::swap(copy, typed);
            late = std::move(late_copy);
            erased = std::move(erased_copy);
            break;
        }
        case 12: {
            const auto row = in.row();
            all([&](auto& c) { return c.distribution(row); },
                [](auto a, auto b) { must_be_alike(a, b, "the distribution of the next token"); });
            statuses_must_be_alike();
            break;
        }
        case 13: {
            const auto row = in.row();
            const std::size_t n = in.size();
            const auto which = in.byte() % 2 ? before : after;
            all([&](auto& c) { return c.logprobs(row, n, which); },
                [](auto a, auto b) {
                    must(a.size() == b.size(), "how many log-probabilities there are");
                    for (std::size_t i = 0; i < a.size(); ++i)
                        must(a[i].id == b[i].id && a[i].logprob == b[i].logprob, "the log-probabilities");
                });
            break;
        }
        case 14: {
            const std::size_t size = in.below(3000);
            all([&](auto& c) { return c.reserve(size).code(); }, "what reserving answers");
            break;
        }
        default: {
            const std::int32_t size = in.whole();
            all([&](auto& c) { return (c.check)(std::size_t(size < 0 ? 0 : size)).code(); }, "what checking answers");
            break;
        }
        }
    }
    void compare_survivors() {
        must_be_alike(typed.survivors(), late.survivors(), "the survivors at run time");
        must_be_alike(typed.survivors(), erased.survivors(), "the survivors where erased");
    }
};

template <class... Stages>
void call_all(input& in, const std::tuple<Stages...>& stages) {
    three_forms<decltype(chain(std::declval<Stages>()...))> forms(
        std::apply([](const auto&... stage) { return chain(stage...); }, stages));
    std::apply([&](const auto&... stage) { (forms.late.push(stage), ...); }, stages);
    for (int n = 0; n < 64 && !in.empty(); ++n) forms.call(in);
}
std::vector<std::uint32_t> mask_words(input& in) {
    std::vector<std::uint32_t> words(in.below(24));
    const auto word = in.number<std::uint32_t>();
    for (std::uint32_t& w : words) w = word;
    return words;
}

}  // namespace

// Between braces, since only there every compiler reads the input from left to right.
void calls(input in) {
    switch (in.below(8)) {
    case 0:
        return call_all(in, std::tuple{top_k{.k = in.whole()}, top_p{.p = in.real(), .min_keep = in.size()},
                                       min_p{.p = in.real()}, temperature{.t = in.real()}, dist{.seed = in.byte()}});
    case 1:
        return call_all(in, std::tuple{penalties{.last_n = in.window(), .repeat = in.real(), .presence = in.real()},
                                       dry{.multiplier = in.real(), .last_n = in.window()},
                                       logit_bias{.biases = {{in.whole(), in.real()}}}, temperature{.t = in.real()},
                                       dist{.seed = in.byte()}});
    case 2:
        return call_all(in, std::tuple{mask{.words = mask_words(in)}, typical{.p = in.real(), .min_keep = in.size()},
                                       mirostat_v2{.tau = in.real(), .eta = in.real()}});
    case 3:
        return call_all(in,
                        std::tuple{no_repeat_ngram{.n = in.whole(), .last_n = in.window()}, top_n_sigma{.n = in.real()},
                                   xtc{.probability = in.real(), .threshold = in.real()}, gumbel{.seed = in.byte()}});
    case 4:
        return call_all(in, std::tuple{min_tokens{.count = in.whole(), .ends = token_set{{in.whole(), in.whole()}}},
                                       dynamic_temperature{.t = in.real(), .range = in.real(), .exponent = in.real()},
                                       adaptive_p{.target = in.real(), .decay = in.real()}});
    case 5:
        return call_all(in, std::tuple{soft_cap{.cap = in.real()}, tail_free{.z = in.real()}, top_h{.alpha = in.real()},
                                       skew{.amount = in.real()}});
    case 6:
        return call_all(
            in, std::tuple{factual_nucleus{.p = in.real(), .decay = in.real(), .p_min = in.real()},
                           eta_cutoff{.epsilon = in.real()}, min_k{.tau = in.real()},
                           mirostat{.tau = in.real(), .eta = in.real(), .m = in.whole(), .n_vocab = in.whole()}});
    default:
        return call_all(in, std::tuple{quadratic{.factor = in.real(), .curve = in.real()}, p_less{},
                                       top_a{.a = in.real()}, greedy{}});
    }
}

}  // namespace riffle_tests::fuzz
