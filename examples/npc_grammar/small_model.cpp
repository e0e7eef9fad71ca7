// The quickstart's n-gram model over its byte pairs, on talk that an NPC could have heard.
#include <algorithm>
#include <string_view>

#include "../quickstart/byte_pairs.hpp"
#include "../quickstart/ngram_model.hpp"
#include "../quickstart/progress.hpp"
#include "language_model.hpp"

namespace {

constexpr std::string_view talk =
    "Good morning, traveller. The road to the north is closed since the rains, and the bridge is gone. "
    "You look tired, so sit down by the fire and eat. The miller says that he saw lights in the old tower. "
    "I would not go there after dark, if I were you. My brother went to the tower and he never came back. "
    "The smith has a new sword, but the price is too high for people like us. What do you want for that ring? "
    "I will give you three coins and a loaf of bread for it. Do not trust the man with the grey hat. "
    "He asks too many questions and he pays with false coins. The harvest was poor this year, and the winter will be "
    "long. There are wolves in the forest again, more than last year. Take the path along the river, it is safer. "
    "The old woman by the well knows the names of all the herbs. She gave me a tea for my cough and it is gone. "
    "The captain of the guard is an honest man, but he is tired and he drinks. Come back tomorrow, when the market "
    "is open. I have nothing to sell today, the cart is broken. If you find my goat, bring it back to me. "
    "The priest says that the bell will ring again in spring. We heard it last night, but nobody was in the church. "
    "Be careful on the bridge, the wood is rotten. You can sleep in the barn if you help me with the hay. "
    "I know who you are, but I will not tell the others. Who sent you here? There is a price on your head. "
    "The children play in the ruins, although we tell them not to. The water in the well tastes of iron. "
    "A ship came from the south with silk and salt and strange news. The king is ill, they say, and his sons quarrel. "
    "Drink this, it will keep you warm. My father built this house with his own hands. Leave it to me, I know the "
    "way. ";

class small_model : public language_model {
public:
    small_model()
        : pairs_(talk, 700, silent_), model_(pairs_.encode(talk, silent_), pairs_.size(), silent_) {
        for (std::size_t id = 0; id < pairs_.size(); ++id) words_.add(pairs_[riffle::token_id(id)]);
        words_.add("<end>", riffle::token_role::end_of_generation | riffle::token_role::control);
        row_.resize(words_.size());
    }
    const riffle::vocabulary& words() const override { return words_; }
    std::vector<riffle::token_id> tokens_of(const std::string& text) const override {
        return pairs_.encode(text, silent_);
    }
    void begin(std::span<const riffle::token_id> prompt) override {
        text_.clear();
        read(prompt);
    }
    void read(std::span<const riffle::token_id> tokens) override {
        text_.insert(text_.end(), tokens.begin(), tokens.end());
        model_.logits(text_, std::span(row_).first(pairs_.size()));
        row_.back() = *std::max_element(row_.begin(), row_.end() - 1) - 3.0f;  // it has never seen an end
    }
    std::span<const float> logits() const override { return row_; }

private:
    mutable quickstart::progress silent_;
    quickstart::byte_pairs pairs_;
    quickstart::ngram_model model_;
    riffle::vocabulary words_;
    std::vector<riffle::token_id> text_;
    std::vector<float> row_;
};

}  // namespace

std::unique_ptr<language_model> learn_small_model() { return std::make_unique<small_model>(); }
