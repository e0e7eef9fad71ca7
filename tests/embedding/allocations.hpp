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

/// While it lives operator new(std::nothrow) answers nullptr. (The throwing forms serve the tests themselves.)
class empty_heap {
public:
    empty_heap();
    ~empty_heap();
    empty_heap(const empty_heap&) = delete;
    empty_heap& operator=(const empty_heap&) = delete;
};

}  // namespace riffle_tests
