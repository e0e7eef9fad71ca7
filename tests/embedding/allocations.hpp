#pragma once

#include <cstddef>

namespace riffle_tests {

/// How often operator new, in any form, was called while this object lived. This executable replaces all forms.
class allocations {
public:
    allocations();
    std::size_t count() const;

private:
    std::size_t before_;
};

/// How many pieces of memory operator new has given and operator delete has not got back.
std::size_t living_pieces();

/// How many bytes those have; 0 where the C library cannot tell.
std::size_t living_bytes();

/// Without exceptions the throwing forms of operator new have no way to fail but to end the program.
#if defined(__cpp_exceptions)
inline constexpr bool throwing_forms_may_fail = true;
#else
inline constexpr bool throwing_forms_may_fail = false;
#endif

/// While it lives the n-th allocation, counted from 0, fails: it answers nullptr, or throws std::bad_alloc. The
/// throwing forms are passed over where they may not fail.
class failing_allocation {
public:
    explicit failing_allocation(std::size_t n, bool throwing_forms_too = throwing_forms_may_fail);
    ~failing_allocation();
    failing_allocation(const failing_allocation&) = delete;
    failing_allocation& operator=(const failing_allocation&) = delete;
    /// Whether there was an n-th one.
    bool happened() const;
};

/// While it lives operator new(std::nothrow) answers nullptr. (The throwing forms serve the tests themselves.)
class empty_heap {
public:
    empty_heap();
    ~empty_heap();
    empty_heap(const empty_heap&) = delete;
    empty_heap& operator=(const empty_heap&) = delete;
};

}  // namespace riffle_tests
