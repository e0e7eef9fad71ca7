#pragma once
// How often memory is asked for, in the one file of a program that includes this.

#include <cstddef>
#include <cstdlib>
#include <new>

#include <riffle/math/config.hpp>

namespace {
std::size_t allocations = 0;

RIFFLE_NOINLINE void* counted_allocation(std::size_t size) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
RIFFLE_NOINLINE void* counted_allocation(std::size_t size, std::align_val_t alignment) noexcept {
    ++allocations;
    const auto a = std::size_t(alignment);
    return std::aligned_alloc(a, (size + a - 1) / a * a + (size == 0 ? a : 0));
}
void* or_throw(void* memory) {
    if (!memory) throw std::bad_alloc();
    return memory;
}
/// (Not inline, since compilers warn where they see free() of what operator new gave.)
RIFFLE_NOINLINE void give_back(void* memory) noexcept { std::free(memory); }
}  // namespace

void* operator new(std::size_t size) { return or_throw(counted_allocation(size)); }
void* operator new[](std::size_t size) { return or_throw(counted_allocation(size)); }
void* operator new(std::size_t size, std::align_val_t a) { return or_throw(counted_allocation(size, a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return or_throw(counted_allocation(size, a)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_allocation(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_allocation(size); }
void* operator new(std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_allocation(size, a);
}
void* operator new[](std::size_t size, std::align_val_t a, const std::nothrow_t&) noexcept {
    return counted_allocation(size, a);
}
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { give_back(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { give_back(memory); }
