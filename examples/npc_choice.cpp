// Characters of a game that choose what to do: designers' weights, personalities, and days that can be replayed.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include <riffle/batch.hpp>
// [begin:choose]
#include <riffle/riffle.hpp>
using namespace riffle::stages;

// A bold guard, who spreads his choices (t > 1) and does nothing twice in a row.
auto guard = no_repeat_ngram{.n = 1, .last_n = 1} | temperature{.t = 1.2f} | dist{.seed = 7};

// `logits` has room for as many numbers as there are weights.
token_id next_action(std::span<const float> weights, std::span<float> logits) {
    riffle::weights_to_logits(weights, logits);  // a weight of 0 never comes
    return guard.sample(logits);                 // an index; null_token (-1) where no action is left
}
// [end:choose]

namespace {

// ---- every allocation of the program is counted, to show that a frame has none --------------------------------------

std::atomic<std::size_t> allocations{0}, bytes_allocated{0};

void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    ++allocations;
    bytes_allocated += size;
    return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}
void* or_end(void* memory) {
    if (!memory) std::abort();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return or_end(counted(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
    return or_end(counted(size, std::size_t(alignment)));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return counted(size, std::size_t(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

// ---- the characters -------------------------------------------------------------------------------------------------

constexpr std::array actions{"patrols", "talks", "eats", "sleeps", "shouts"};
constexpr std::array weights{5.0f, 3.0f, 2.0f, 1.0f, 0.0f};  // by day no guard shouts
constexpr std::array by_night{2.0f, 1.0f, 0.5f, 6.0f, 1.0f};

// [begin:character]
// No action twice in a row, one of the last three half as likely (e^-0.7), then by weight: bold characters spread their
// choices (t > 1), dull ones do what is likeliest (t < 1).
auto character() {
    return no_repeat_ngram{.n = 1, .last_n = 1} | penalties{.last_n = 3, .presence = 0.7f} | temperature{.t = 1.0f} |
           dist{};
}
using npc = decltype(character());

// The seed is the character and the day: a replay of that day finds the same choices, whatever happened before.
void begin_day(npc& who, std::uint32_t number, std::uint32_t day, float boldness) {
    get<temperature>(who).t = boldness;
    get<dist>(who).seed = std::uint64_t(day) << 32 | number;
    who.reset();
}
// [end:character]

constexpr std::size_t characters = 10'000;
constexpr std::size_t hours = 24;

float boldness_of(std::size_t number) { return number % 3 == 0 ? 1.6f : number % 3 == 1 ? 1.0f : 0.6f; }

/// What every character does, hour by hour: one batch a frame.
struct day_of_all {
    std::vector<npc> all{characters, character()};
    std::vector<float> logits = std::vector<float>(characters * actions.size());
    std::vector<token_id> chosen = std::vector<token_id>(characters);
    std::vector<std::array<std::uint8_t, hours>> diary{characters};
    riffle::batch frame;

    bool run(std::uint32_t day) {
        for (std::size_t i = 0; i < characters; ++i) begin_day(all[i], std::uint32_t(i), day, boldness_of(i));
        for (std::size_t hour = 0; hour < hours; ++hour) {
            // [begin:frame]
            // A row of logits for each character; here the same for all, by the hour.
            const auto& now = hour < 6 || hour > 21 ? by_night : weights;
            for (std::size_t i = 0; i < characters; ++i)
                riffle::weights_to_logits(now, std::span(logits).subspan(i * actions.size(), actions.size()));
            const riffle::logit_rows rows(logits.data(), characters, actions.size());
            if (!frame.sample(all, rows, chosen)) return false;
            // [end:frame]
            for (std::size_t i = 0; i < characters; ++i) diary[i][hour] = std::uint8_t(chosen[i]);
        }
        return true;
    }
};

void print_day(const day_of_all& of, std::size_t number) {
    std::printf("  %5zu, boldness %.1f:", number, double(boldness_of(number)));
    for (std::size_t hour = 7; hour < 15; ++hour) std::printf(" %s", actions[of.diary[number][hour]]);
    std::printf(" ...\n");
}

/// Bytes that a character has allocated once it has chosen: the tokens that its stages look back at. The memory that
/// sampling itself takes is the batch's, and shared by all.
std::size_t bytes_looked_back_at() {
    std::vector<npc> two{2, character()};
    std::array<float, actions.size()> logits{};
    std::array<token_id, 1> chosen{};
    riffle::weights_to_logits(weights, logits);
    const riffle::logit_rows row(logits.data(), 1, actions.size());
    riffle::batch frame;
    frame.sample(std::span(two).first(1), row, chosen);
    const std::size_t before = bytes_allocated;
    frame.sample(std::span(two).last(1), row, chosen);
    return bytes_allocated - before;
}

/// How often each action comes, by weights and by the same numbers taken for logits.
void compare_with_weights_as_logits() {
    auto by_weight = chain(dist{.seed = 1});
    std::array<float, actions.size()> logits{};
    riffle::weights_to_logits(weights, logits);
    std::array<int, actions.size()> right{}, wrong{};
    constexpr int draws = 100'000;
    for (int i = 0; i < draws; ++i) {
        ++right[std::size_t(by_weight.sample(logits))];
        ++wrong[std::size_t(by_weight.sample(weights))];
    }
    std::printf("action    weight   drawn by weight   weights taken for logits\n");
    for (std::size_t i = 0; i < actions.size(); ++i)
        std::printf("%-9s %6.1f %16.1f%% %25.1f%%\n", actions[i], double(weights[i]), 100.0 * right[i] / draws,
                    100.0 * wrong[i] / draws);
}

}  // namespace

int main() {
    std::array<float, actions.size()> logits{};
    std::printf("A guard");
    for (int i = 0; i < 6; ++i) std::printf(" %s,", actions[std::size_t(next_action(weights, logits))]);
    std::printf(" and so on.\n\n");
    compare_with_weights_as_logits();

    day_of_all first, again;
    if (!first.run(1)) return 1;  // the first day makes room
    const std::size_t before = allocations;
    const auto begun = std::chrono::steady_clock::now();
    if (!first.run(2)) return 1;
    const auto spent = std::chrono::steady_clock::now() - begun;
    const std::size_t made = allocations - before;

    std::printf("\nDay 2, from seven o'clock on:\n");
    for (const std::size_t number : {0, 1, 2, 9'999}) print_day(first, number);
    int repeated = 0, shouted_by_day = 0;
    for (const auto& hour_by_hour : first.diary)
        for (std::size_t hour = 1; hour < hours; ++hour) {
            repeated += hour_by_hour[hour] == hour_by_hour[hour - 1];
            shouted_by_day += hour >= 6 && hour <= 21 && hour_by_hour[hour] == 4;
        }
    if (!again.run(2)) return 1;  // another game, which begins with day 2
    const bool agrees = first.diary == again.diary;

    std::printf("\n%zu characters chose %zu times each: %d times the same twice, %d times what has weight 0.\n",
                characters, hours, repeated, shouted_by_day);
    std::printf("A replay of that day %s.\n", agrees ? "agrees" : "DIFFERS");
    std::printf("A frame of %zu took %.2f ms on one core and allocated %zu times.\n", characters,
                std::chrono::duration<double, std::milli>(spent).count() / hours, made);
    std::printf("A character has %zu bytes, and %zu more for what it looks back at.\n", sizeof(npc),
                bytes_looked_back_at());
    return agrees && made == 0 && repeated == 0 && shouted_by_day == 0 ? 0 : 1;
}
