// Kernels as applications use them: what they say to buffers, sizes and devices that will not do, and rows beyond what
// a device can address at a time.

#include <cstring>
#include <string>
#include <vector>

#include <riffle/llama_exact.hpp>

#include "gpu/agreement.hpp"

namespace riffle_tests::gpu_kernels {
namespace {

using namespace riffle;
using gpu::device_code;

// ---- a device with other limits than it has

PFN_vkGetPhysicalDeviceProperties real_properties = nullptr;
void (*change_limits)(VkPhysicalDeviceLimits&) = nullptr;
VkPhysicalDeviceType device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;

VKAPI_ATTR void VKAPI_CALL changed_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
    real_properties(device, properties);
    change_limits(properties->limits);
    properties->deviceType = device_type;
}
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_changed(VkInstance instance, const char* name) {
    const PFN_vkVoidFunction found = test_device().context().get_instance_proc_addr(instance, name);
    if (std::strcmp(name, "vkGetPhysicalDeviceProperties") != 0) return found;
    real_properties = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(found);
    return reinterpret_cast<PFN_vkVoidFunction>(changed_properties);
}
gpu::device_context context_with(void (*change)(VkPhysicalDeviceLimits&)) {
    change_limits = change;
    gpu::device_context context = test_device().context();
    context.get_instance_proc_addr = find_changed;
    return context;
}

using plain = decltype(chain(top_k{}, dist{}));
using editing = decltype(chain(logit_bias{}, top_k{}, dist{}));

class KernelOnDevice : public OnDevice {};

// ---- rows

dynamic_chain usual_chain() {
    dynamic_chain chain;
    (void)chain.push(logit_bias{{{5, 3.0f}, {999, -illegal_logit}}});
    (void)chain.push(mask{std::vector<std::uint32_t>(32, 0xfff7ffffu)});
    (void)chain.push(top_k{.k = 8});
    (void)chain.push(dist{.seed = 5});
    return chain;
}
void expect_rows_agree(const gpu::device_context* context, std::size_t stride, std::size_t first,
                       const std::string& what) {
    constexpr std::size_t count = 64, size = 1000;
    dynamic_chain chain = usual_chain();
    device_chain on_device(chain, 1024, 128, 8, count);
    on_device.place({.logits = stride * count, .request_words = 200 * count, .rows = count, .room = 8, .first = first},
                    context);
    std::vector<std::vector<float>> rows;
    for (std::size_t r = 0; r < count; ++r) rows.push_back(make_row(all_shapes[r % all_shapes.size()], size, r));
    for (const int times : {1, 2}) on_device.expect_agreement(rows, stride, times, what);
}

TEST_F(KernelOnDevice, TakesRangesThatBeginSomewhere) {
    for (const std::size_t first : {std::size_t{64}, std::size_t{4096}})
        expect_rows_agree(nullptr, 1000, first, "behind " + std::to_string(first) + " words");
}
TEST_F(KernelOnDevice, MovesAWindowOverRowsThatTheDeviceCannotAddressAtOnce) {
    const auto context = context_with([](VkPhysicalDeviceLimits& l) { l.maxStorageBufferRange = 60000; });
    for (const std::size_t stride : {std::size_t{1000}, std::size_t{1003}, std::size_t{1024}, std::size_t{9000}})
        expect_rows_agree(&context, stride, 64, "windows, stride " + std::to_string(stride));
}
TEST_F(KernelOnDevice, AlignsItsWindowAsTheDeviceAsks) {
    const auto context = context_with([](VkPhysicalDeviceLimits& l) {
        l.maxStorageBufferRange = 60001;
        l.minStorageBufferOffsetAlignment = 256;
    });
    for (const std::size_t stride : {std::size_t{1000}, std::size_t{1003}})
        expect_rows_agree(&context, stride, 64, "windows of 256 bytes, stride " + std::to_string(stride));
}
TEST_F(KernelOnDevice, TakesSeveralDispatchesWhereTheDeviceWantsThem) {
    const auto context = context_with([](VkPhysicalDeviceLimits& l) { l.maxComputeWorkGroupCount[0] = 5; });
    expect_rows_agree(&context, 1003, 0, "five rows at a time");
}
/// As it is: lavapipe's largest range has 128 MiB.
TEST_F(KernelOnDevice, MovesItsWindowOverMoreThanTheLargestRangeOnLongRows) {
    constexpr std::size_t size = 262144, count = 140;
    dynamic_chain chain;
    (void)chain.push(greedy{});
    device_chain on_device(chain, size, 256, 1, count);
    on_device.place({.logits = size * count, .request_words = 64 * count, .rows = count, .room = 1});
    std::vector<std::vector<float>> rows(count, make_row(shape::random, size, 1));
    for (std::size_t r = 0; r < count; ++r) rows[r][(r * 7919) % size] = 100.0f;  // a token of its own for each
    on_device.expect_agreement(rows, size, 1, "140 rows");
}

// ---- what will not do

TEST_F(KernelOnDevice, RefusesDevicesThatAreTooSmall) {
    gpu::kernel kernel;
    const gpu::chain_on_device<plain> on;
    const auto code_with = [&](void (*change)(VkPhysicalDeviceLimits&), std::uint32_t group_size) {
        return kernel.create(context_with(change), on, group_size).code();
    };
    constexpr auto few_invocations = [](VkPhysicalDeviceLimits& l) { l.maxComputeWorkGroupInvocations = 128; };
    EXPECT_EQ(code_with(few_invocations, 256), device_code::device_too_small);
    EXPECT_FALSE(kernel.is_created());
    EXPECT_EQ(code_with(few_invocations, 0), device_code::ok);
    EXPECT_EQ(kernel.group_size(), 128u);
    EXPECT_EQ(code_with([](VkPhysicalDeviceLimits& l) { l.maxComputeSharedMemorySize = 4000; }, 0),
              device_code::device_too_small);
    EXPECT_EQ(code_with([](VkPhysicalDeviceLimits& l) { l.maxComputeWorkGroupSize[0] = 32; }, 0),
              device_code::device_too_small);
}
TEST_F(KernelOnDevice, HasAsManyInvocationsAsTheDeviceGrants) {
    gpu::kernel kernel;
    const gpu::chain_on_device<plain> on;
    constexpr auto as_it_is = [](VkPhysicalDeviceLimits&) {};
    ASSERT_TRUE(kernel.create(context_with(as_it_is), on).ok());
    EXPECT_EQ(kernel.group_size(), 256u);  // whatever the device
    device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    ASSERT_TRUE(kernel.create(context_with(as_it_is), on).ok());
    EXPECT_EQ(kernel.group_size(), 256u);
    constexpr auto least = [](VkPhysicalDeviceLimits& l) { l.maxComputeSharedMemorySize = 16384; };  // of Vulkan
    ASSERT_TRUE(kernel.create(context_with(least), on).ok());
    EXPECT_EQ(kernel.group_size(), 256u);
    constexpr auto few = [](VkPhysicalDeviceLimits& l) { l.maxComputeWorkGroupInvocations = 128; };
    ASSERT_TRUE(kernel.create(context_with(few), on).ok());
    EXPECT_EQ(kernel.group_size(), 128u);
    EXPECT_EQ(kernel.create(context_with(least), on, 512).code(), device_code::device_too_small);
    device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
}
/// What the device can address; and where a driver is known to stop loops, what their turns suffice for.
TEST_F(KernelOnDevice, KnowsTheLongestRow) {
    gpu::kernel kernel;
    const gpu::chain_on_device<plain> on;
    constexpr auto as_it_is = [](VkPhysicalDeviceLimits&) {};
    for (const std::uint32_t group_size : {64u, 256u}) {
        ASSERT_TRUE(kernel.create(context_with(as_it_is), on, group_size).ok());
        const std::uint32_t longest = kernel.longest_row();
        EXPECT_GE(longest, 262144u) << group_size;
        EXPECT_LE(gpu::most_loop_turns(on.plan, longest, group_size), 65535u);
        EXPECT_GT(gpu::most_loop_turns(on.plan, longest + 2048, group_size), 65535u);
    }
    device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    ASSERT_TRUE(kernel.create(context_with(as_it_is), on, 64).ok());
    EXPECT_EQ(kernel.longest_row(), 1u << 22);
    constexpr auto small = [](VkPhysicalDeviceLimits& l) {
        l.maxStorageBufferRange = 1 << 20;
        l.minStorageBufferOffsetAlignment = 64;
    };
    ASSERT_TRUE(kernel.create(context_with(small), on, 64).ok());
    EXPECT_EQ(kernel.longest_row(), ((1u << 20) - 64) / 4);
    device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
}
TEST_F(KernelOnDevice, RefusesWorkGroupsOfOtherSizes) {
    gpu::kernel kernel;
    const gpu::chain_on_device<plain> on;
    for (const std::uint32_t size : {1u, 32u, 63u, 65u, 96u, 2048u, 0xffffffffu})
        EXPECT_EQ(kernel.create(test_device().context(), on, size).code(), device_code::device_too_small) << size;
    for (const std::uint32_t size : {64u, invocations_up_to(1024)}) {
        EXPECT_TRUE(kernel.create(test_device().context(), on, size).ok()) << size;
        EXPECT_EQ(kernel.group_size(), size);
    }
}
TEST_F(KernelOnDevice, RefusesWhatThereIsNot) {
    gpu::kernel kernel;
    const auto& context = test_device().context();
    const gpu::chain_on_device<decltype(chain(tail_free{}, dist{}))> nothing;
    EXPECT_EQ(kernel.create(context, nothing).code(), device_code::no_stages);
    const gpu::chain_on_device<plain> on;
    EXPECT_EQ(kernel.create(context, {}, on.plan, on.layout).code(), device_code::out_of_memory);
    gpu::device_context without = context;
    without.device = VK_NULL_HANDLE;
    EXPECT_EQ(kernel.create(without, on).code(), device_code::no_device);
    without = context;
    without.physical_device = VK_NULL_HANDLE;
    EXPECT_EQ(kernel.create(without, on).code(), device_code::no_device);
    without = context;
    without.get_instance_proc_addr = nullptr;
    EXPECT_EQ(kernel.create(without, on).code(), device_code::no_device);
}

TEST_F(KernelOnDevice, RefusesRangesThatAreMissingMisalignedOrTooLarge) {
    using on = gpu::chain_on_device<editing>;
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = 1000, .request_words = 200});
    ASSERT_TRUE(run.state().ok()) << run.state().message().c_str();
    const auto code_of = [&](gpu::buffer_range gpu::kernel_buffers::*which, VkDeviceSize offset, VkDeviceSize size,
                             bool is_there = true) {
        gpu::kernel_buffers all = run.buffers();
        all.*which = {is_there ? (all.*which).buffer : VK_NULL_HANDLE, offset, size};
        return run.kernel().write(run.set(), all).code();
    };
    for (const auto which : {&gpu::kernel_buffers::logits, &gpu::kernel_buffers::requests,
                             &gpu::kernel_buffers::results, &gpu::kernel_buffers::saved}) {
        EXPECT_EQ(code_of(which, 0, 256), device_code::ok);
        EXPECT_EQ(code_of(which, 0, 3), device_code::buffer_too_small);
        EXPECT_EQ(code_of(which, 0, 256, false), device_code::buffer_too_small);
        EXPECT_EQ(code_of(which, 4, 256), device_code::misaligned);
        if (which == &gpu::kernel_buffers::logits) continue;  // its window moves
        EXPECT_EQ(code_of(which, 0, VkDeviceSize{1} << 40), device_code::device_too_small);
    }
}
TEST_F(KernelOnDevice, RefusesRowsThatItsBuffersHaveNoRoomFor) {
    using on = gpu::chain_on_device<editing>;
    constexpr std::uint32_t rows = 3, size = 500, stride = 600, room = 4, edits = 7;
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = 2000, .request_words = 200, .rows = 3});
    ASSERT_TRUE(run.state().ok()) << run.state().message().c_str();
    const gpu::kernel_buffers all = run.buffers();
    gpu::kernel_buffers just = all;
    just.logits.size = 4 * ((rows - 1) * stride + size);
    just.requests.size = 4 * on::layout.words * rows;
    just.results.size = 4 * rows * gpu::result_words(room);
    just.saved.size = 4 * edits;
    const auto code_of = [&](const gpu::kernel_buffers& buffers, const gpu::kernel_rows& what) {
        // Nothing is recorded where it is refused, so it needs no command buffer; with no rows neither.
        return run.kernel().record(VK_NULL_HANDLE, run.set(), buffers, what).code();
    };
    const gpu::kernel_rows wanted{rows, size, stride, room, edits};
    for (const auto which : {&gpu::kernel_buffers::logits, &gpu::kernel_buffers::requests,
                             &gpu::kernel_buffers::results, &gpu::kernel_buffers::saved}) {
        gpu::kernel_buffers less = just;
        (less.*which).size -= 1;
        EXPECT_EQ(code_of(less, wanted), device_code::buffer_too_small);
    }
    const auto code_with = [&](auto member, std::uint32_t value) {
        gpu::kernel_rows other = wanted;
        other.*member = value;
        return code_of(all, other);
    };
    EXPECT_EQ(code_with(&gpu::kernel_rows::rows, 0), device_code::ok);
    EXPECT_EQ(code_with(&gpu::kernel_rows::rows, 0xffffffffu), device_code::buffer_too_small);
    EXPECT_EQ(code_with(&gpu::kernel_rows::room, 0xffffffffu), device_code::buffer_too_small);
    EXPECT_EQ(code_with(&gpu::kernel_rows::vocabulary, 0), device_code::too_many_rows);
    EXPECT_EQ(code_with(&gpu::kernel_rows::vocabulary, stride + 1), device_code::bad_stride);
    EXPECT_EQ(code_with(&gpu::kernel_rows::stride, size - 1), device_code::bad_stride);
    EXPECT_EQ(code_with(&gpu::kernel_rows::stride, 0xffffffffu), device_code::buffer_too_small);
    // Products that 64 bits do not hold.
    EXPECT_EQ(code_of(all, {0x80000001u, size, 0x80000000u, room, edits}), device_code::buffer_too_small);
    EXPECT_EQ(code_of(all, {0x40000000u, size, stride, 0xffffffffu, edits}), device_code::buffer_too_small);
    gpu::kernel_rows longest = wanted;
    longest.vocabulary = longest.stride = (1u << 22) + 1;
    EXPECT_EQ(code_of(all, longest), device_code::too_many_rows);
}

TEST_F(KernelOnDevice, AChainThatEditsHasToBeToldOfHowManyIds) {
    using on = gpu::chain_on_device<editing>;
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = 100, .request_words = 200});
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), run.buffers(), {.rows = 1, .vocabulary = 100}).code(),
              device_code::buffer_too_small);
}
/// On a driver that stops loops.
TEST_F(KernelOnDevice, RefusesMoreEditsThanLoopsHaveTurnsFor) {
    using on = gpu::chain_on_device<editing>;
    constexpr std::uint32_t size = 262144;
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = size, .request_words = size});
    ASSERT_TRUE(run.state().ok()) << run.state().message().c_str();
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), run.buffers(), {1, size, 0, 1, size}).code(),
              device_code::too_many_rows);
}
TEST_F(KernelOnDevice, RefusesTheWholeOfABufferWhoseSizeItIsNotTold) {
    using on = gpu::chain_on_device<editing>;
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = 100, .request_words = 200});
    for (const auto which : {&gpu::kernel_buffers::logits, &gpu::kernel_buffers::requests,
                             &gpu::kernel_buffers::results, &gpu::kernel_buffers::saved}) {
        gpu::kernel_buffers whole = run.buffers();
        (whole.*which).size = VK_WHOLE_SIZE;
        EXPECT_EQ(run.kernel().write(run.set(), whole).code(), device_code::buffer_too_small);
        if (which != &gpu::kernel_buffers::logits) continue;
        EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), whole, {1, 100, 0, 1, 0}).code(),
                  device_code::buffer_too_small);
    }
}
/// A window is moved by offsets of 32 bits.
TEST_F(KernelOnDevice, RefusesLogitsBeyondFourGigabytesMoreThanTheDeviceAddresses) {
    using on = gpu::chain_on_device<plain>;
    const gpu::device_context context = context_with([](VkPhysicalDeviceLimits& limits) {
        limits.maxStorageBufferRange = 1 << 20;
        limits.minStorageBufferOffsetAlignment = 64;
    });
    kernel_runner run(on::words(), on::plan, on::layout, 64, {.logits = 100, .request_words = 200}, &context);
    ASSERT_TRUE(run.state().ok()) << run.state().message().c_str();
    gpu::kernel_buffers large = run.buffers();
    large.logits.size = (VkDeviceSize{1} << 32) + (1 << 20);
    const gpu::kernel_rows rows{.rows = 2, .vocabulary = 100, .room = 1};
    EXPECT_EQ(run.kernel().write(run.set(), large).code(), device_code::device_too_small);
    EXPECT_EQ(run.kernel().record(VK_NULL_HANDLE, run.set(), large, rows).code(), device_code::device_too_small);
}
TEST_F(KernelOnDevice, OneThatIsNotCreatedDoesNothing) {
    const gpu::kernel none;
    EXPECT_FALSE(none.is_created());
    EXPECT_EQ(none.group_size(), 0u);
    EXPECT_EQ(none.longest_row(), 0u);
    EXPECT_EQ(none.write(VK_NULL_HANDLE, {}).code(), device_code::no_device);
    EXPECT_EQ(none.record(VK_NULL_HANDLE, VK_NULL_HANDLE, {}, {.rows = 1, .vocabulary = 1}).code(),
              device_code::no_device);
}

/// Where loops are stopped, edits have the turns that the longest row leaves; elsewhere as many as wanted.
TEST_F(KernelOnDevice, KnowsHowManyIdsMayBeEdited) {
    gpu::kernel kernel;
    const gpu::chain_on_device<editing> on;
    constexpr auto as_it_is = [](VkPhysicalDeviceLimits&) {};
    ASSERT_TRUE(kernel.create(context_with(as_it_is), on, 64).ok());
    const auto turns = [&](std::uint32_t vocabulary, std::size_t ids) {
        return gpu::most_loop_turns(on.plan, vocabulary, 64, ids);
    };
    constexpr std::size_t any = ~std::size_t{0};
    for (const std::uint32_t less : {0u, 1000u, 10000u}) {
        const std::uint32_t vocabulary = kernel.longest_row() - less;
        const std::size_t most = kernel.most_edited_ids(vocabulary);
        ASSERT_NE(most, any);
        EXPECT_LE(turns(vocabulary, most), 65535u);
        EXPECT_GT(turns(vocabulary, most + 1), 65535u);
    }
    EXPECT_EQ(kernel.most_edited_ids(kernel.longest_row() + 2048), 0u);
    EXPECT_EQ(kernel.most_edited_ids(1000), any);
    device_type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    ASSERT_TRUE(kernel.create(context_with(as_it_is), on, 64).ok());
    EXPECT_EQ(kernel.most_edited_ids(kernel.longest_row()), any);
    device_type = VK_PHYSICAL_DEVICE_TYPE_CPU;
}

// ---- requests

/// What an application must hear of a row whose request has no room: it is the processor's.
TEST(Requests, SayThatThereIsNoRoomAndAskForNothing) {
    using on = gpu::chain_on_device<editing>;
    editing c = chain(logit_bias{{{1, 1.0f}, {2, 2.0f}}}, top_k{}, dist{});
    gpu::requests written;
    for (std::size_t room = 0; room < on::layout.words + 20; ++room) {
        std::vector<std::uint32_t> words(room, 77u);
        written.begin(words, on::layout, 1, 100);
        const bool fits = room >= on::layout.words + 2 * (3 + 4);
        EXPECT_EQ(written.add(on(), c, 0), fits) << room;
        const auto row = std::span(words).first(std::min<std::size_t>(room, on::layout.words));
        EXPECT_EQ(std::ranges::all_of(row, [](std::uint32_t word) { return word == 0; }), !fits) << room;
    }
}
/// Where another row's edits have room, one that has too many is left out, and no other.
TEST(Requests, OfMoreEditedIdsThanTheyMayAreNone) {
    using on = gpu::chain_on_device<editing>;
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    written.begin(words, on::layout, 5, 100, 7);
    const auto add = [&](token_id ids, std::size_t row) {
        logit_bias bias;
        for (token_id id = 0; id < ids; ++id) bias.biases.push_back({id, 1.0f});
        editing c = chain(bias, top_k{}, dist{});
        return written.add(on(), c, row);
    };
    EXPECT_TRUE(add(4, 0));
    EXPECT_FALSE(add(4, 1));
    EXPECT_TRUE(add(3, 2));
    EXPECT_FALSE(add(1, 3));
    EXPECT_TRUE(add(0, 4));
    EXPECT_EQ(written.edited_ids(), 7u);
}
/// Edits that found room ahead of a mask that does not.
TEST(Requests, ThatAreNotAddedTakeNoRoom) {
    auto c = chain(logit_bias{{{1, 1.0f}, {2, 2.0f}}}, mask{std::vector<std::uint32_t>(4, ~0u)}, top_k{}, dist{});
    using on = gpu::chain_on_device<decltype(c)>;
    std::vector<std::uint32_t> words(on::layout.words + 2 * (3 + 4) + 3);
    gpu::requests written;
    written.begin(words, on::layout, 1, 100);
    EXPECT_FALSE(written.add(on(), c, 0));
    EXPECT_EQ(written.words(), on::layout.words);
    EXPECT_EQ(written.edited_ids(), 0u);
    get<mask>(c).words.pop_back();
    EXPECT_TRUE(written.add(on(), c, 0));
    EXPECT_EQ(written.words(), words.size());
}
TEST(Requests, OfATokenThatIsChangedOverAndOverAreNone) {
    using on = gpu::chain_on_device<editing>;
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    for (const std::size_t times : {32u, 33u}) {
        logit_bias bias{{{7, 0.5f}}};
        for (std::size_t i = 0; i < times; ++i) bias.biases.push_back({5, 0.1f});
        editing c = chain(bias, top_k{}, dist{});
        written.begin(words, on::layout, 1, 100);
        EXPECT_EQ(written.add(on(), c, 0), times <= gpu::most_changes_of_a_token) << times;
    }
}
TEST(Requests, AreOfTheRowsThatWereBegun) {
    using on = gpu::chain_on_device<editing>;
    editing c = chain(logit_bias{{{1, 1.0f}, {2, 2.0f}, {200, 2.0f}}}, top_k{}, dist{});
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    written.begin(words, on::layout, 3, 100);
    EXPECT_EQ(written.words(), 3 * on::layout.words);
    EXPECT_FALSE(written.add(on(), c, 3));
    EXPECT_TRUE(written.add(on(), c, 2));
    EXPECT_TRUE(written.add(on(), c, 0));
    EXPECT_EQ(written.words(), 3 * on::layout.words + 2 * 2 * (3 + 4));  // the third id is beyond the row
    const gpu::kernel_rows rows = gpu::rows_of(written, 7);
    EXPECT_EQ(rows.rows, 3u);
    EXPECT_EQ(rows.vocabulary, 100u);
    EXPECT_EQ(rows.room, 7u);
    EXPECT_EQ(rows.edited_ids, 4u);
}
/// The device would look for nothing.
TEST(Requests, OfAChainForWhichNoNumberOfTheGreatestWillDoAreNone) {
    auto c = chain<llama_exact>(top_k{.k = 40}, dist{});
    const gpu::chain_on_device<decltype(c)> on;
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    written.begin(words, on.layout, 1, 100);
    get<top_k>(c).k = 0;
    EXPECT_FALSE(written.add(on, c, 0));
    get<top_k>(c).k = 40;
    EXPECT_TRUE(written.add(on, c, 0));
}
TEST(Requests, AreOfTheChainThatTheModuleIsOf) {
    dynamic_chain c;
    (void)c.push(top_k{.k = 30});
    (void)c.push(dist{.seed = 3});
    const gpu::dynamic_on_device<top_k, min_p, dist> on(c);
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    written.begin(words, on.layout, 1, 100);
    EXPECT_TRUE(written.add(on, c, 0));
    dynamic_chain other;
    (void)other.push(top_k{.k = 30});
    EXPECT_FALSE(written.add(on, other, 0));
    (void)other.push(min_p{});
    (void)other.push(dist{.seed = 3});
    EXPECT_FALSE(written.add(on, other, 0));
    const auto request = std::span(words).first(on.layout.words);
    EXPECT_TRUE(std::ranges::all_of(request, [](std::uint32_t word) { return word == 0; })) << "of the chain before";
    dynamic_chain same;
    (void)same.push(top_k{.k = 5});
    (void)same.push(dist{.seed = 4});
    EXPECT_TRUE(written.add(on, same, 0));
}

/// Stages of one template may have one name, and are other stages all the same.
template <int N>
struct shift_by {
    static constexpr const char* name = "shift_by";
    static constexpr bool monotone = true;
    std::array<float, N> by{};
    std::array<float, N> parameters() const noexcept { return by; }
    template <class V>
    static V map(const V& logit, const std::array<V, N>& p) noexcept {
        return logit + p[0];
    }
};
TEST(Requests, AreNotOfStagesThatAreOnlyCalledAlike) {
    const auto made = []<int N>(std::integral_constant<int, N>) {
        dynamic_chain c;
        (void)c.push(shift_by<N>{});
        (void)c.push(top_k{.k = 30});
        (void)c.push(dist{.seed = 3});
        return c;
    };
    auto one = made(std::integral_constant<int, 1>()), eight = made(std::integral_constant<int, 8>());
    const gpu::dynamic_on_device<shift_by<1>, shift_by<8>, top_k, dist> on(one);
    std::vector<std::uint32_t> words(1000);
    gpu::requests written;
    written.begin(words, on.layout, 1, 100);
    EXPECT_FALSE(on.is_of(eight));
    EXPECT_FALSE(written.add(on, eight, 0));
    EXPECT_TRUE(written.add(on, one, 0));
}

/// An application may have last step's token there.
TEST(Finish, LeavesNoTokenBehindWhereTheChainMustBeGivenTheRow) {
    constexpr token_id of_before = 7;
    dynamic_chain c, other;
    (void)c.push(min_p{.p = 0.1f});
    (void)c.push(tail_free{.z = 0.9f});
    (void)c.push(dist{.seed = 3});
    (void)other.push(dist{.seed = 3});
    const gpu::dynamic_on_device<min_p, dist> on(c);
    token_id token = of_before;
    EXPECT_FALSE(gpu::finish(on, other, gpu::row_outcome{}, token));
    EXPECT_EQ(token, null_token) << "another chain";
    token = of_before;
    gpu::row_outcome without_room;
    without_room.state = gpu::row_state::more_tokens;
    EXPECT_FALSE(gpu::finish(on, c, without_room, token));
    EXPECT_EQ(token, null_token) << "survivors that had no room";

    auto exact = chain<llama_exact>(top_k{.k = 2}, dist{});
    const gpu::chain_on_device<decltype(exact)> on_exact;
    const std::vector<token_data> too_few{{1, 2.0f, 0.0f}, {2, 1.0f, 0.0f}};
    for (const std::uint32_t state : {0u, gpu::row_state::saw_nan}) {
        token = of_before;
        EXPECT_FALSE(gpu::finish(on_exact, exact, gpu::row_outcome{.state = state, .tokens = too_few}, token));
        EXPECT_EQ(token, null_token) << "llama_exact, " << state;
    }
}

}  // namespace
}  // namespace riffle_tests::gpu_kernels
