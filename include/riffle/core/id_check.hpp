#pragma once
#include <cstddef>

#include <riffle/core/status.hpp>
#include <riffle/core/token.hpp>
#include <riffle/core/token_set.hpp>

namespace riffle::inline RIFFLE_ABI {

/// Complains of ids that a stage names and that a vocabulary of so many tokens does not have, as of a parameter without
/// meaning: `min_tokens: ends = 99 is outside the vocabulary`. No step needs that, since ids outside a row are ignored
/// there; it is for check(vocabulary_size), when a chain is set up, and so are values that have a meaning which nobody
/// wants. (Templates, so that including riffle does not
/// compile them.)
class id_check {
public:
    explicit constexpr id_check(std::size_t vocabulary_size) noexcept : size_(vocabulary_size) {}

    /// Ok where the vocabulary has the id. The names must outlive the status.
    status operator()(const char* stage, const char* field, token_id id) const noexcept {
        if (id >= 0 && std::size_t(id) < size_) return {};
        return status::invalid(stage, field, double(id), outside);
    }
    /// A share below 0, which no step minds: it keeps one token, and is hardly meant.
    static status share(const char* stage, const char* field, float p) noexcept {
        return p < 0.0f ? status::invalid(stage, field, double(p), "is below 0, so it keeps one token") : status();
    }
    /// The first such id of a list, or of a list of lists. O(ids).
    template <class Ids>
    status operator()(const char* stage, const char* field, const Ids& ids) const noexcept {
        for (const auto& one : ids)
            if (const status s = (*this)(stage, field, one); !s.ok()) return s;
        return {};
    }
    /// The one that the set left out, or else the least such id of it. O(greatest id / 32 + size).
    template <class Id>
    status operator()(const char* stage, const char* field, const basic_token_set<Id>& ids) const noexcept {
        if (ids.left_out() != 0) return status::invalid(stage, field, double(ids.left_out()), outside);
        status first;
        ids.each([&](Id id) {
            if (first.ok()) first = (*this)(stage, field, id);
        });
        return first;
    }

private:
    static constexpr const char* outside = "is outside the vocabulary";
    std::size_t size_;
};

}  // namespace riffle
