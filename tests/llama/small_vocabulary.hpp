#pragma once
// A GGUF file with nothing but a vocabulary, so that what needs one can be compared with libllama where no model is at
// hand: SentencePiece pieces as Llama 2 has them, the 256 bytes, and a few words that dry's breakers and infill can
// meet. (The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.)

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace riffle_tests {

class gguf_writer {
public:
    void text(const char* key, const std::string& value) { begin(key, 8), add(value); }
    void number(const char* key, std::uint32_t value) { begin(key, 4), add(value); }
    void texts(const char* key, const std::vector<std::string>& values) {
        begin_list(key, 8, values.size());
        for (const auto& value : values) add(value);
    }
    template <class Number>
    void numbers(const char* key, std::uint32_t type, const std::vector<Number>& values) {
        begin_list(key, type, values.size());
        for (const Number value : values) add(value);
    }
    void write(const std::string& path) const {
        std::ofstream file(path, std::ios::binary);
        const std::uint32_t version = 3;
        const std::uint64_t tensors = 0;
        file.write("GGUF", 4);
        file.write(reinterpret_cast<const char*>(&version), sizeof version);
        file.write(reinterpret_cast<const char*>(&tensors), sizeof tensors);
        file.write(reinterpret_cast<const char*>(&keys_), sizeof keys_);
        file.write(bytes_.data(), std::streamsize(bytes_.size()));
    }

private:
    static constexpr std::uint32_t list = 9;
    template <class Number>
    void add(const Number& value) {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        bytes_.append(raw, sizeof value);
    }
    void add(const std::string& value) {
        add(std::uint64_t{value.size()});
        bytes_ += value;
    }
    void begin(const char* key, std::uint32_t type) {
        add(std::string(key));
        add(type);
        ++keys_;
    }
    void begin_list(const char* key, std::uint32_t type, std::size_t size) {
        begin(key, list);
        add(type);
        add(std::uint64_t{size});
    }
    std::string bytes_;
    std::uint64_t keys_ = 0;
};

inline void write_small_vocabulary(const std::string& path) {
    enum : std::int32_t { normal = 1, unknown = 2, control = 3, byte = 6 };
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<std::int32_t> types{unknown, control, control};
    for (unsigned b = 0; b < 256; ++b) {
        char name[8];
        std::snprintf(name, sizeof name, "<0x%02X>", b);
        tokens.push_back(name);
        types.push_back(byte);
    }
    const std::string blank = "\xE2\x96\x81";  // SentencePiece's mark of a space
    for (const char* piece :
         {"a",  "b",  "e",  "t",    "h",  "i",  "n",   "g",    "s",  ":",    "\"", "*",   "\n",
          "th", "he", "in", "ing",  "an", "nd", "and", "the",  "ki", "king", "k",  "o",   "of",
          "L",  ",",  "d",  "Lord", "r",  ".",  "::",  "\n\n", "a:", "d\"",  "*a", "\n:", "the king"}) {
        tokens.push_back(piece);
        types.push_back(normal);
    }
    for (const char* piece : {"", "a", "the", "and", "king", "of", "b", ":", "\n", "*"}) {
        tokens.push_back(blank + piece);
        types.push_back(normal);
    }
    tokens.push_back("e" + blank);
    types.push_back(normal);
    std::vector<float> scores;
    for (std::size_t i = 0; i < tokens.size(); ++i) scores.push_back(-float(i));

    gguf_writer file;
    file.text("general.architecture", "llama");
    file.text("tokenizer.ggml.model", "llama");
    file.texts("tokenizer.ggml.tokens", tokens);
    file.numbers("tokenizer.ggml.scores", 6, scores);
    file.numbers("tokenizer.ggml.token_type", 5, types);
    file.number("tokenizer.ggml.bos_token_id", 1);
    file.number("tokenizer.ggml.eos_token_id", 2);
    file.number("tokenizer.ggml.unknown_token_id", 0);
    file.write(path);
}

}  // namespace riffle_tests
