// An engine that makes its pipelines itself: riffle's kernel is one more module of SPIR-V, a constant of the C++
// program. Twelve tokens come of one command buffer: the model writes logits, the chain chooses, and the model reads
// the token where it lies. The processor sees it when all is done.

#include <cmath>
#include <cstdio>
#include <vector>

#include "engine.hpp"
#include "ways.hpp"

namespace {

using namespace riffle;

constexpr std::uint32_t vocabulary_size = 1000, steps = 12;
using voice = decltype(top_k{} | temperature{} | dist{});
using on_device = gpu::chain_on_device<voice>;

/// The engine's model: a row of a table for every token. (A shader of the engine's; written with riffle's assembler, so
/// that this example needs no shader compiler.)
struct model {
    static constexpr void build(gpu::spirv::assembler& code) {
        using namespace gpu::spirv;
        const buffer<u32, access::read> table(code, 0), results(code, 1);
        const buffer<u32> logits(code, 2);
        const u32 last_token = results[push_constant<u32>(code)];
        const u32 i = group(code) * group_size(code) + invocation_index(code);
        if_(code, i < vocabulary_size, [&] {
            const u32 bits = table[last_token * vocabulary_size + i];
            logits[i] = bits;
        });
    }
};

std::vector<float> table_of_model() {
    std::vector<float> table(vocabulary_size * vocabulary_size);
    for (std::uint32_t token = 0; token < vocabulary_size; ++token)
        for (std::uint32_t i = 0; i < vocabulary_size; ++i)
            table[token * vocabulary_size + i] =
                6.0f * std::sin(float(i) * (0.11f + 0.07f * float(token % 13)) + float(token));
    return table;
}

}  // namespace

int by_own_pipeline(const engine::vulkan& v) {
    const std::vector<float> table = table_of_model();
    const voice chosen_by = top_k{.k = 8} | temperature{.t = 0.7f} | dist{.seed = 7};
    voice chain = chosen_by, on_processor = chosen_by;

    engine::buffer table_on_device(v, 4 * table.size()), logits(v, 4 * vocabulary_size);
    // [begin:own_buffers]
    constexpr std::uint32_t room = 0;                              // the token alone: no survivors are told
    constexpr std::size_t result_words = gpu::result_words(room);  // of a row; the first is the token
    engine::buffer requests(v, 4 * on_device::layout.words * steps);
    engine::buffer results(v, 4 * result_words * (steps + 1));
    // [end:own_buffers]
    std::copy(table.begin(), table.end(), table_on_device.as<float>().begin());

    const engine::pipeline next_logits(v, gpu::spirv::words_of<model>,
                                       std::array{table_on_device.handle(), results.handle(), logits.handle()},
                                       sizeof(std::uint32_t));
    // [begin:own_pipeline]
    const engine::pipeline sampling(v, gpu::spirv_v<voice>,
                                    std::array{logits.handle(), requests.handle(), results.handle()},
                                    sizeof(gpu::dispatch_constants));
    // [end:own_pipeline]

    // Draws depend on how many tokens were accepted, and not on which: so requests can be written ahead. (Of a chain
    // that looks back, as one with penalties does, the next one only.)
    // [begin:own_requests]
    gpu::requests written;
    written.begin(requests.as<std::uint32_t>(), on_device::layout, steps, vocabulary_size);
    voice ahead = chain;
    for (std::uint32_t step = 0; step < steps; ++step) {
        if (!written.add(on_device(), ahead, step)) return 1;
        ahead.accept(0);
    }
    // [end:own_requests]

    const token_id first = 1;
    results.as<token_id>()[steps * result_words] = first;
    engine::frame frame(v);
    const VkCommandBuffer commands = frame.begin();
    for (std::uint32_t step = 0; step < steps; ++step) {
        const auto last = std::uint32_t((step == 0 ? steps : step - 1) * result_words);
        next_logits.dispatch(commands, &last,
                             (vocabulary_size + engine::pipeline::group_size - 1) / engine::pipeline::group_size);
        // [begin:own_dispatch]
        frame.barrier();  // the logits are there
        const gpu::dispatch_constants constants{.vocabulary = vocabulary_size,
                                                .row_stride = vocabulary_size,
                                                .first_row = step,  // whose request is read and result written
                                                .first_logit = 0,
                                                .room = room,
                                                .wants = gpu::wanted::token};
        sampling.dispatch(commands, &constants, 1);  // a work group a row
        frame.barrier();                             // the token is there
        // [end:own_dispatch]
    }
    frame.submit_and_wait();

    int differ = 0;
    token_id previous = first;
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint32_t* const result = results.as<std::uint32_t>().data() + step * result_words;
        token_id token = null_token;
        if (!gpu::finish(on_device(), chain, gpu::outcome_of(result, room), token)) return 1;
        chain.accept(token);
        differ += token != on_processor.sample({table.data() + std::size_t(previous) * vocabulary_size, vocabulary_size});
        previous = token;
        std::printf("%5d", token);
    }
    std::printf("\n%d of %u tokens differ from the processor's\n", differ, steps);
    return differ;
}
