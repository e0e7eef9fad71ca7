#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <riffle/core/fnv_hash.hpp>
#include <riffle/core/text.hpp>
#include <riffle/math/config.hpp>

// Which type a stage has: there may be no RTTI, and the stage may have been made in another shared object.

namespace riffle::inline RIFFLE_ABI::detail {

/// Its address differs from one shared object to another, and so tells which one made a type.
RIFFLE_LOCAL inline char shared_object = 0;

/// Stands for a type; type_of<S>() gives it. Within a shared object each type has exactly one, so addresses are
/// compared. Across shared objects names are, with sizes, where a name means one type in all of them.
class stage_type {
public:
    constexpr stage_type(text name, std::size_t size) noexcept
        : name_(name), size_(size), object_(&shared_object), is_named_(is_the_same_elsewhere(name)) {
        for (const char letter : name) hash_ = hash_with(hash_, static_cast<unsigned char>(letter));
    }
    stage_type(const stage_type&) = delete;
    stage_type& operator=(const stage_type&) = delete;

    friend bool operator==(const stage_type& a, const stage_type& b) noexcept {
        if (&a == &b) return true;
        return a.object_ != b.object_ && a.is_named_ && a.hash_ == b.hash_ && a.size_ == b.size_ && a.name_ == b.name_;
    }

private:
    /// Not of anonymous namespaces, lambdas and what lies in functions, as g++ and clang spell them. (clang spells a
    /// type in a function without the function: of two such in two shared objects only the size tells.)
    static constexpr bool is_the_same_elsewhere(text name) noexcept {
        for (const text mark : {text("{anonymous", 10), text("(anonymous", 10), text("<lambda", 7), text("(lambda", 7),
                                text("<unnamed", 8), text("(unnamed", 8), text(")::", 3)})
            if (name.contains(mark)) return false;
        return !name.empty();
    }

    text name_;
    std::size_t size_;
    const char* object_;
    bool is_named_;
    std::uint32_t hash_ = empty_hash;
};

template <class S>
constexpr text name_of_type() noexcept {
#if defined(__GNUC__) || defined(__clang__)
    constexpr std::size_t size = sizeof __PRETTY_FUNCTION__ - 1;
    const text all(__PRETTY_FUNCTION__, size);  // "... name_of_type() [with S = riffle::top_k]"
    for (std::size_t at = 0; at < size; ++at)
        if (all.part(at).starts_with({"S = ", 4})) return all.part(at + 4);
#endif
    return {};
}

template <class S>
RIFFLE_LOCAL const stage_type& type_of() noexcept {
    static constinit stage_type type(name_of_type<S>(), sizeof(S));  // not const: equal constants may become one
    return type;
}

/// A version of what a stage keeps in a mark: `static constexpr std::uint32_t version`, to be raised when the meaning
/// of those bytes changes. 0 where a stage has none.
template <class S>
constexpr std::uint32_t version_of() noexcept {
    if constexpr (requires { std::uint32_t(S::version); }) return S::version;
    else return 0;
}
/// Of a stage that keeps so many bytes in a mark: a hash of its name, those and its version, which every program finds
/// alike. (A stage without a name has that of its type, as the compiler spells it.)
template <class S>
constexpr std::uint32_t layout_of(std::size_t bytes_in_mark) noexcept {
    std::uint32_t hash = empty_hash;
    const auto add = [&](char letter) { hash = hash_with(hash, static_cast<unsigned char>(letter)); };
    if constexpr (requires { S::name; }) {
        for (const char* letter = S::name; *letter; ++letter) add(*letter);
    } else {
        for (const char letter : name_of_type<S>()) add(letter);
    }
    return hash_with(hash_with(hash, std::uint32_t(bytes_in_mark)), version_of<S>());
}
/// The layout of a chain, one stage after the other; never 0.
constexpr std::uint32_t layout_with(std::uint32_t hash, std::uint32_t of_stage) noexcept {
    hash = hash_with(hash, of_stage);
    return hash ? hash : 1;
}
RIFFLE_LOCAL inline constexpr std::uint32_t layout_of_nothing = empty_hash;  ///< to begin with

}  // namespace riffle::detail
