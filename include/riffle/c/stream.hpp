#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <vector>

#include <riffle/c/problem.hpp>
#include <riffle/c/vocabulary.hpp>
#include <riffle/constraint.hpp>
#include <riffle/riffle.h>

struct riffle_stream {
    riffle::c::shared_vocabulary vocabulary;
    riffle::text_stream stream;

    /// The text that a call gave, or why it did nothing.
    std::int32_t answer(const riffle::text& shown, const char** bytes, std::size_t* size) const noexcept {
        *bytes = shown.data();
        *size = shown.size();
        return std::int32_t((stream.check)().code());
    }
};

extern "C" {

riffle_stream* riffle_stream_new(const riffle_vocabulary* vocabulary, const char* const* stop_strings,
                                 std::size_t stop_count, const riffle_stream_options* options,
                                 riffle_problem* problem) {
    using namespace riffle;
    bool has_stops = stop_count == 0 || stop_strings;
    for (std::size_t i = 0; has_stops && i < stop_count; ++i) has_stops = stop_strings[i];
    if (!vocabulary || !has_stops || (options && !c::has_size(options)))
        return c::tell(problem, riffle_bad_argument,
                       "there is no vocabulary, a stop string is NULL, or options have no size"),
               nullptr;
    const riffle_stream_options said = c::read(options);
    if (said.invalid_bytes < riffle_replace || said.invalid_bytes > riffle_drop)
        return c::tell(problem, riffle_bad_argument, "there is no such way to treat invalid bytes"), nullptr;
    RIFFLE_TRY {
        std::vector<std::string> stops;
        for (std::size_t i = 0; i < stop_count; ++i) stops.emplace_back(stop_strings[i]);
        const text_stream_options how{
            .tokens = {.control_tokens = said.control_tokens != 0, .drop_first_blank = said.drop_first_blank != 0},
            .invalid = invalid_bytes(said.invalid_bytes),
            .stop = said.keep_stop_string != 0 ? stop_text::kept : stop_text::left_out};
        text_stream made(vocabulary->data->words, stops, how);
        if (!(made.check)().ok()) return c::tell(problem, (made.check)()), nullptr;
        c::tell(problem, riffle_ok, "");
        return new riffle_stream{vocabulary->data, made};
    }
    RIFFLE_CATCH { return c::tell(problem, riffle_out_of_memory, "out of memory"), nullptr; }
}
riffle_stream* riffle_stream_clone(const riffle_stream* stream) {
    return stream ? new (std::nothrow) riffle_stream(*stream) : nullptr;
}
void riffle_stream_free(riffle_stream* stream) { delete stream; }
std::int32_t riffle_stream_push(riffle_stream* stream, riffle_token token, const char** bytes, std::size_t* size) {
    if (!stream || !bytes || !size) return riffle_bad_argument;
    return stream->answer(stream->stream.push(token), bytes, size);
}
std::int32_t riffle_stream_flush(riffle_stream* stream, const char** bytes, std::size_t* size) {
    if (!stream || !bytes || !size) return riffle_bad_argument;
    return stream->answer(stream->stream.flush(), bytes, size);
}
std::int32_t riffle_stream_stopped(const riffle_stream* stream) { return stream ? stream->stream.which() : -1; }
std::int32_t riffle_stream_reset(riffle_stream* stream) {
    if (!stream) return riffle_bad_argument;
    stream->stream.reset();
    return riffle_ok;
}
}
