#pragma once
// A GGUF file with nothing but a vocabulary, so that what needs one can be compared with libllama where no model is at
// hand: SentencePiece pieces as Llama 2 has them, the 256 bytes, and a few words that dry's breakers and infill can
// meet. (The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, version 3.)

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

namespace riffle_tests {

class gguf_writer {
public:
    template <class Value>
    void set(const std::string& key, const Value& value) {
        begin(key, type_of(value));
        add(keys_, value);
    }
    void text(const std::string& key, const std::string& value) { set(key, value); }
    void number(const std::string& key, std::uint32_t value) { set(key, value); }
    template <class Value>
    void list(const std::string& key, const std::vector<Value>& values) {
        begin(key, 9);
        add(keys_, type_of(Value{}));
        add(keys_, std::uint64_t{values.size()});
        for (const Value& each : values) add(keys_, each);
    }
    /// Weights of the shape, the dimension that varies fastest first.
    void tensor(const std::string& name, const std::vector<std::uint64_t>& shape, const std::vector<float>& values) {
        const std::uint32_t float32 = 0;  // of the types of tensors, which have numbers of their own
        add(tensors_, name);
        add(tensors_, std::uint32_t(shape.size()));
        for (const std::uint64_t size : shape) add(tensors_, size);
        add(tensors_, float32);
        add(tensors_, std::uint64_t{data_.size()});
        data_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
        align(data_);
        ++tensor_count_;
    }
    void write(const std::string& path) const {
        std::string head = "GGUF";
        add(head, std::uint32_t{3});
        add(head, tensor_count_);
        add(head, key_count_);
        head += keys_ + tensors_;
        if (tensor_count_ > 0) align(head);
        std::ofstream(path, std::ios::binary) << head << data_;
    }

private:
    // The format's numbers of the types of values; 9 is a list.
    static std::uint32_t type_of(std::uint32_t) { return 4; }
    static std::uint32_t type_of(std::int32_t) { return 5; }
    static std::uint32_t type_of(float) { return 6; }
    static std::uint32_t type_of(const std::string&) { return 8; }
    template <class Number>
        requires std::is_arithmetic_v<Number>  // so that a literal goes as text and not as an array
    static void add(std::string& bytes, const Number& value) {
        char raw[sizeof value];
        std::memcpy(raw, &value, sizeof value);
        bytes.append(raw, sizeof value);
    }
    static void add(std::string& bytes, const std::string& value) {
        add(bytes, std::uint64_t{value.size()});
        bytes += value;
    }
    static void align(std::string& bytes) { bytes.resize((bytes.size() + 31) / 32 * 32); }
    void begin(const std::string& key, std::uint32_t type) {
        add(keys_, key);
        add(keys_, type);
        ++key_count_;
    }
    std::string keys_, tensors_, data_;
    std::uint64_t key_count_ = 0, tensor_count_ = 0;
};

/// The vocabulary, with the pieces that merge first at its beginning.
struct small_pieces {
    enum : std::int32_t { normal = 1, unknown = 2, control = 3, byte = 6 };
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<std::int32_t> types{unknown, control, control};
    const std::string blank = "\xE2\x96\x81";  // SentencePiece's mark of a space

    small_pieces() {
        for (unsigned b = 0; b < 256; ++b) {
            char name[8];
            std::snprintf(name, sizeof name, "<0x%02X>", b);
            add(name, byte);
        }
        for (const char* piece :
             {"a",  "b",  "e",  "t",    "h",  "i",  "n",   "g",    "s",  ":",    "\"", "*",   "\n",
              "th", "he", "in", "ing",  "an", "nd", "and", "the",  "ki", "king", "k",  "o",   "of",
              "L",  ",",  "d",  "Lord", "r",  ".",  "::",  "\n\n", "a:", "d\"",  "*a", "\n:", "the king"})
            add(piece);
        for (const char* piece : {"", "a", "the", "and", "king", "of", "b", ":", "\n", "*"}) add(blank + piece);
        add("e" + blank);
    }
    void add(const std::string& piece, std::int32_t type = normal) {
        tokens.push_back(piece);
        types.push_back(type);
    }
    void write_to(gguf_writer& file) const {
        std::vector<float> scores;
        for (std::size_t i = 0; i < tokens.size(); ++i) scores.push_back(-float(i));
        file.text("general.architecture", "llama");
        file.text("tokenizer.ggml.model", "llama");
        file.list("tokenizer.ggml.tokens", tokens);
        file.list("tokenizer.ggml.scores", scores);
        file.list("tokenizer.ggml.token_type", types);
        file.number("tokenizer.ggml.bos_token_id", 1);
        file.number("tokenizer.ggml.eos_token_id", 2);
        file.number("tokenizer.ggml.unknown_token_id", 0);
    }
};

inline void write_small_vocabulary(const std::string& path) {
    gguf_writer file;
    small_pieces().write_to(file);
    file.write(path);
}

}  // namespace riffle_tests
