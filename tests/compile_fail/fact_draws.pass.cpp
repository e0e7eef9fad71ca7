#include <riffle/riffle.hpp>

struct mine {
    std::uint64_t seed = 0;
    static constexpr std::uint8_t kind = riffle::stream_kind::user;
    static constexpr riffle::facts fact{.draws = true, .selects = riffle::selecting::own};
    void apply(riffle::candidates& c, const riffle::draws&) const noexcept { c.selected = 0; }
};

auto right = riffle::chain(riffle::top_k{}, mine{});
