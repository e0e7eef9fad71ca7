#include "embedding/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

std::size_t calls = 0;
bool heap_is_empty = false;

void* allocate(std::size_t size) noexcept {
    ++calls;
    return std::malloc(size ? size : 1);
}
void* allocate(std::size_t size, std::align_val_t alignment) noexcept {
    ++calls;
    const auto a = std::size_t(alignment);
    return std::aligned_alloc(a, (size + a - 1) / a * a);
}
void* or_give_up(void* memory) noexcept {
    if (!memory) std::abort();
    return memory;
}

}  // namespace

namespace riffle_tests {

allocations::allocations() : before_(calls) {}
std::size_t allocations::count() const { return calls - before_; }
empty_heap::empty_heap() { heap_is_empty = true; }
empty_heap::~empty_heap() { heap_is_empty = false; }

}  // namespace riffle_tests

void* operator new(std::size_t size) { return or_give_up(allocate(size)); }
void* operator new[](std::size_t size) { return or_give_up(allocate(size)); }
void* operator new(std::size_t size, std::align_val_t a) { return or_give_up(allocate(size, a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return or_give_up(allocate(size, a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    return heap_is_empty ? nullptr : allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
    return heap_is_empty ? nullptr : allocate(size);
}
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return heap_is_empty ? nullptr : allocate(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return heap_is_empty ? nullptr : allocate(size, a);
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
