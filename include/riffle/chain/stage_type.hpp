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

/// Stands for a type; type_of<S>() gives it. In a shared object a type has one, so there the address tells. Other
/// shared objects have theirs, and know it by name, if it is a name that they may have too.
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

    /// Equal for equal types.
    std::uint32_t hash() const noexcept {
        return is_named_ ? hash_ : hash_ ^ std::uint32_t(reinterpret_cast<std::uintptr_t>(this) >> 3);
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

/// The hash of the types of a chain's stages, one after the other; never 0.
inline std::uint32_t with_type(std::uint32_t hash, const stage_type& type) noexcept {
    hash = hash_with(hash, type.hash());
    return hash ? hash : 1;
}
RIFFLE_LOCAL inline constexpr std::uint32_t no_types = empty_hash;  ///< the hash to begin with

}  // namespace riffle::detail
