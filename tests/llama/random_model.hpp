#pragma once
// A whole, tiny model of the llama architecture, so that what needs the rows of a real llama_decode can be tested where
// no model is at hand. Its words mean nothing, but its rows follow from the whole context and are spread as a language
// model's are: a deviation of 2.1, the highest 6 to 10 above the mean, and in one row of some 700 a tie among the first
// hundred. The file is the same every time.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "llama/small_vocabulary.hpp"

namespace riffle_tests {

/// Further keys of the file, as {"general.sampling.temp", 0.7f}. llama.cpp's converter writes those of
/// general.sampling.* as float, std::int32_t or text; llama_model_meta_val_str shows all as text, a float as
/// std::to_string does ("0.700000").
using model_keys = std::vector<std::pair<std::string, std::variant<std::string, std::int32_t, float>>>;

/// Even weights and not normal ones: std::normal_distribution differs from one standard library to the next.
class random_weights {
public:
    std::vector<float> operator()(std::size_t count, float deviation) {
        std::vector<float> weights(count);
        const float most = deviation * std::sqrt(3.0f);
        for (float& weight : weights) weight = most * (float(bits_() >> 40) / float(1 << 23) - 1.0f);
        return weights;
    }

private:
    std::mt19937_64 bits_;  // its default seed is part of the standard
};

inline void write_random_model(const std::string& path, const model_keys& further = {},
                               std::uint32_t vocabulary_size = 4096) {
    constexpr std::uint32_t width = 32, inner = 64, heads = 2, layers = 2;

    small_pieces pieces;
    const auto syllable = [](unsigned i) { return std::string{"bcdfgjlmnprstvwz"[i / 5], "aeiou"[i % 5]}; };
    for (unsigned i = 0; i < 80; ++i) pieces.add(syllable(i));
    for (unsigned i = 0; i < 80; ++i) pieces.add(pieces.blank + syllable(i));
    for (unsigned i = 0; pieces.tokens.size() < vocabulary_size; ++i)
        pieces.add(pieces.blank + syllable(i % 80) + syllable(i / 80 % 80) + (i < 6400 ? "" : syllable(i / 6400)));

    gguf_writer file;
    pieces.write_to(file);
    file.number("llama.vocab_size", vocabulary_size);
    file.number("llama.context_length", 512);
    file.number("llama.embedding_length", width);
    file.number("llama.feed_forward_length", inner);
    file.number("llama.block_count", layers);
    file.number("llama.attention.head_count", heads);
    file.number("llama.rope.dimension_count", width / heads);
    file.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
    for (const auto& each : further) std::visit([&](const auto& value) { file.set(each.first, value); }, each.second);

    random_weights weights;
    // A gain of one keeps the size of what goes through; more in the layers makes the context outweigh the last token.
    const auto matrix = [&](const std::string& name, std::uint64_t from, std::uint64_t to, float gain = 1.5f) {
        file.tensor(name, {from, to}, weights(from * to, gain / std::sqrt(float(from))));
    };
    const auto norm = [&](const std::string& name) { file.tensor(name, {width}, std::vector<float>(width, 1.0f)); };
    file.tensor("token_embd.weight", {width, vocabulary_size}, weights(width * vocabulary_size, 1.0f));
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
        const std::string block = "blk." + std::to_string(layer) + ".";
        norm(block + "attn_norm.weight");
        matrix(block + "attn_q.weight", width, width);
        matrix(block + "attn_k.weight", width, width);
        matrix(block + "attn_v.weight", width, width);
        matrix(block + "attn_output.weight", width, width);
        norm(block + "ffn_norm.weight");
        matrix(block + "ffn_gate.weight", width, inner);
        matrix(block + "ffn_up.weight", width, inner);
        matrix(block + "ffn_down.weight", inner, width);
    }
    norm("output_norm.weight");
    matrix("output.weight", width, vocabulary_size, 2.1f);
    file.write(path);
}

}  // namespace riffle_tests
