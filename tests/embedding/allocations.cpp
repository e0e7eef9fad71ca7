#include "embedding/allocations.hpp"

#include <cstdlib>
#include <new>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

std::size_t size_of(void* memory) noexcept {
#if defined(__GLIBC__)
    return malloc_usable_size(memory);
#else
    return memory ? 0 : 0;
#endif
}

std::size_t calls = 0, living = 0, bytes = 0;
bool heap_is_empty = false;
/// How many allocations succeed before one fails.
std::size_t succeeding = 0;
bool one_fails = false, throwing_forms_fail = false;

bool fails(bool throwing) noexcept {
    if (!one_fails || (throwing && !throwing_forms_fail)) return false;
    if (succeeding-- > 0) return false;
    one_fails = false;
    return true;
}
void* counted(void* memory) noexcept {
    ++calls;
    if (memory) ++living;
    bytes += size_of(memory);
    return memory;
}
void* allocate(std::size_t size) noexcept { return counted(std::malloc(size ? size : 1)); }
void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    const auto a = std::size_t(alignment);
    return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
template <class... Size>
void* allocate_or_throw(Size... size) {
    void* const memory = fails(true) ? nullptr : allocate(size...);
#if defined(__cpp_exceptions)
    if (!memory) throw std::bad_alloc();
#else
    if (!memory) std::abort();
#endif
    return memory;
}
template <class... Size>
void* allocate_or_null(Size... size) noexcept {
    return heap_is_empty || fails(false) ? nullptr : allocate(size...);
}
void give_back(void* memory) noexcept {
    if (memory) --living;
    bytes -= size_of(memory);
    std::free(memory);
}

}  // namespace

namespace riffle_tests {

allocations::allocations() : before_(calls) {}
std::size_t allocations::count() const { return calls - before_; }
std::size_t living_pieces() { return living; }
std::size_t living_bytes() { return bytes; }
failing_allocation::failing_allocation(std::size_t n, bool throwing_forms_too) {
    succeeding = n;
    throwing_forms_fail = throwing_forms_too;
    one_fails = true;
}
failing_allocation::~failing_allocation() { one_fails = false; }
bool failing_allocation::happened() const { return !one_fails; }
empty_heap::empty_heap() { heap_is_empty = true; }
empty_heap::~empty_heap() { heap_is_empty = false; }

}  // namespace riffle_tests

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t a) { return allocate_or_throw(size, a); }
void* operator new[](std::size_t size, std::align_val_t a) { return allocate_or_throw(size, a); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate_or_null(size); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate_or_null(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return allocate_or_null(size, a);
}

void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
