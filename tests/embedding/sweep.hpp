#pragma once
// Memory that runs out at every single allocation of an operation.

#include <cstddef>
#include <new>

#include <gtest/gtest.h>

#include <riffle/core/status.hpp>

#include "embedding/allocations.hpp"

namespace riffle_tests {

/// What an operation led to: a status, or std::bad_alloc.
struct outcome {
    riffle::status said;
    bool threw = false;

    bool ok() const { return !threw && said.ok(); }
    bool out_of_memory() const { return threw || said == riffle::status_code::out_of_memory; }
};
template <class Operation>
outcome outcome_of(Operation operation) {
#if defined(__cpp_exceptions)
    try {
        return {operation()};
    } catch (const std::bad_alloc&) {
        return {{}, true};
    }
#else
    return {operation()};
#endif
}

/// operation(object), which answers a status, on an object from make(), with its first allocation failing, then with
/// its second, until it succeeds. Where one fails the operation says so, by std::bad_alloc or out_of_memory, and then
/// failed(object, outcome) looks at the object; succeeded(object) does in the end. Whatever was allocated is freed.
template <class Make, class Operation, class Failed, class Succeeded>
void fail_each_allocation(Make make, Operation operation, Failed failed, Succeeded succeeded) {
    {  // once for what is allocated only once
        auto object = make();
        ASSERT_TRUE(outcome_of([&] { return operation(object); }).ok());
        succeeded(object);
    }
    for (std::size_t n = 0; n < 10000; ++n) {
        SCOPED_TRACE(testing::Message() << "allocation " << n);
        const std::size_t before = living_pieces();
        bool is_over = false;
        {
            auto object = make();
            outcome found;
            {
                const failing_allocation nth(n);
                found = outcome_of([&] { return operation(object); });
                is_over = !nth.happened();
            }
            if (is_over) {
                EXPECT_TRUE(found.ok()) << found.said.message().c_str();
                EXPECT_TRUE(n > 0 || !throwing_forms_may_fail) << "there was no allocation to fail";
                succeeded(object);
            } else {
                EXPECT_TRUE(found.out_of_memory()) << found.said.message().c_str();
                failed(object, found);
            }
        }
        EXPECT_EQ(living_pieces(), before) << "pieces of memory are lost, or freed twice";
        if (is_over || testing::Test::HasFailure()) return;
    }
    FAIL() << "it never succeeds";
}
/// The same for an operation that leaves the object as it was where it fails: looks(object) finds `before` then, and
/// `after` in the end, and in any case the operation succeeds the next time.
template <class Make, class Operation, class Looks>
void fail_each_allocation(Make make, Operation operation, Looks looks) {
    auto untouched = make(), changed = make();
    const auto before = looks(untouched);
    ASSERT_TRUE(outcome_of([&] { return operation(changed); }).ok());
    const auto after = looks(changed);
    fail_each_allocation(
        make, operation,
        [&](auto& object, const outcome&) {
            auto again = object;
            EXPECT_TRUE(looks(object) == before) << "it is not as it was";
            EXPECT_TRUE(outcome_of([&] { return operation(again); }).ok());
            EXPECT_TRUE(looks(again) == after);
        },
        [&](auto& object) { EXPECT_TRUE(looks(object) == after); });
}

/// An operation that can say by a throw alone that there was no memory.
template <class Operation>
auto throwing(Operation operation) {
    return [operation](auto& object) {
        operation(object);
        return riffle::status();
    };
}

}  // namespace riffle_tests
