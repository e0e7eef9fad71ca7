#include "sample_text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include <riffle/riffle.hpp>

namespace quickstart {
namespace {

constexpr std::size_t tales = 520;

/// What a name in braces stands for: one of several phrases, which may hold names themselves.
struct rule {
    std::string_view name;
    std::vector<std::string_view> phrases;
};

const std::vector<rule>& rules_of_tales() {
    // clang-format off
    static const std::vector<rule> rules{
        {"opening", {
            "Once, {when}, there lived {where} {a person} who {habit}.",
            "{Before} the bridge was built, {a person} came down from {far place} with {a load} and no money at all.",
            "They still tell the story of {name} the {trade}, who {habit}.",
            "It was {when} that {name} the {trade} found {a thing} {found where}.",
            "Nobody {where} could say how old the {animal} was, but everybody knew that it belonged to {name} the {trade}.",
            "{name} was the youngest of three {children}, and the only one who {habit}.",
            "In the year of the {weather event}, {name} the {trade} {made a promise}.",
            "There was a {trade} called {name} who had everything but {lack}.",
            "Every {market day}, {name} the {trade} walked the long way to {far place} and back again.",
            "The {animal} had slept in the {building} for as long as {name} could remember.",
        }},
        {"middle", {
            "One {time of day} {weather}, and {name} {small act}.",
            "{Somebody} laughed and said that {proverb}.",
            "So {name} packed {a load}, locked the {building}, and set out for {far place}.",
            "On the road {name} met {a stranger} who asked for {a gift}.",
            "The {animal} said nothing, as {animal plural} do, but it {animal act}.",
            "\"If you give me {a gift},\" said {the stranger}, \"I will show you {wonder}.\"",
            "\"{question},\" asked {name}, and nobody {where} had an answer.",
            "For {a while} {name} {worked}, and in the evenings {evening act}.",
            "{name} {small act}, counted to {number}, and {small act}.",
            "The {official} wrote it all down in {a book} and {official act}.",
            "By {time of day} the whole {settlement} had heard of it, and {crowd act}.",
            "But the {thing} was gone, and in its place lay {a thing}.",
            "That night {name} dreamed of {wonder}, and woke up with {feeling}.",
            "The old {trade} from next door {helped}, because {proverb}.",
            "Then {weather}, and the {path} to {far place} {was closed}.",
            "{name} had never seen {wonder} before, and {reaction}.",
            "\"{advice},\" said the {official}, and {official act}.",
            "The {animal} and the {other animal} {argued} about {quarrel} until {time of day}.",
            "It cost {price}, which was {measure} than {name} had.",
            "{Somebody} offered {price} for the {thing}, and {name} {refused}.",
            "What {name} did not know was that the {thing} {secret}.",
            "When the {bell} rang {number} times, {crowd act}.",
            "At the {inn} they gave {name} {food} and {drink}, and asked for a story.",
            "{name} told them about {wonder}, and {reaction of crowd}.",
        }},
        {"turn", {
            "And then, quite suddenly, {weather}, and {name} understood that {insight}.",
            "It was the {animal} who found it in the end, {found where}.",
            "\"You have been {honest},\" said {the stranger}, \"and so {reward}.\"",
            "In the morning the {path} was open again, and on it stood {a person} with {a thing}.",
            "{name} opened the {container}: inside there was {a thing}, and under it {a thing}.",
            "So it came that the {official} and the {trade} {made peace} over {food} and {drink}.",
            "The {thing} {secret}, and from that day on everybody {where} {custom}.",
            "\"{question},\" asked the {child}, and all at once {insight}.",
        }},
        {"ending", {
            "{name} lived {where} for many years after that, and {habit past}.",
            "The {thing} still hangs over the door of the {building}, and {weather now}.",
            "If you walk to {far place} {when}, you can see {wonder} to this day.",
            "As for the {animal}, it {animal act}, and wanted nothing else.",
            "And whenever {weather again}, the people {where} say that {proverb}.",
            "{name} never went to {far place} again, but {evening act}.",
            "The {official} tried to {official wish}, but by then {insight}.",
            "Some say that {proverb}. {name} said only that there is nothing like {food} at home.",
        }},

        {"name", {"{hero}"}},
        {"a person", {"a {trade} called {name}", "a {nature} {trade} by the name of {name}", "a {trade} named {name}"}},
        {"trade", {"{the trade}"}},
        {"animal", {"{the animal}"}},
        {"thing", {"{the thing}"}},
        {"where", {"in {place}", "in {place}", "near {place}", "on the edge of {place}", "a mile from {place}"}},
        {"place", {"{the place}"}},
        {"a thing", {"a {quality} {object}", "a {quality} {object}", "an old {object}", "half a {object}", "the {quality} {object} of {relative}"}},
        {"Somebody", {"{relative}", "The {trade of another}", "The {nature} {trade of another}", "An old {trade of another}", "The {official}"}},
        {"a stranger", {"a {nature} {trade of another}", "a {nature} woman with {a thing}", "a {nature} man with {a thing}", "a {child} leading a {other animal}", "two {trade of another}s in {colour} coats"}},
        {"the stranger", {"the {trade of another}", "the woman with the {object}", "the man in the {colour} coat", "the stranger"}},

        {"the names", {"Anna", "Tomas", "Greta", "Jory", "Mirela", "Oskar", "Wenna", "Pavel", "Ida", "Bastian", "Lena", "Corin", "Rosalind", "Emil", "Tilda", "Marek", "Hanne", "Silvan", "Ottilie", "Dario", "Nell", "Gregor", "Ysolde", "Piet"}},
        {"the trades", {"baker", "miller", "ferryman", "clockmaker", "weaver", "beekeeper", "smith", "fiddler", "schoolmaster", "tailor", "gardener", "fisherman", "lamplighter", "potter", "shepherd", "mapmaker", "cobbler", "bookbinder", "carpenter", "apothecary", "postman", "cook", "well digger", "bell founder"}},
        {"the animals", {"cat", "dog", "goat", "donkey", "crow", "goose", "hen", "fox", "horse", "owl", "hedgehog", "magpie", "heron", "tortoise"}},
        {"the places", {"the town under the hill", "the village by the mill", "the harbour", "the upper valley", "the old quarter", "the hamlet of Low Water", "Saint Brannock", "the street of the coopers", "the lighthouse rocks", "the last house before the pass", "Marrowby", "Elder Cross"}},

        {"far place", {"the sea", "the capital", "the far side of the lake", "the monastery", "the salt mines", "the fair at Elder Cross", "the high pass", "the island", "the border", "the glass works", "the city of bridges", "the great library", "the northern road"}},
        {"trade of another", {"baker", "miller", "pedlar", "weaver", "smith", "fiddler", "tailor", "sailor", "shepherd", "tinker", "soldier", "carpenter", "doctor", "juggler", "widow", "hunter", "printer", "chimney sweep"}},
        {"other animal", {"cat", "dog", "goat", "donkey", "crow", "goose", "fox", "pony", "owl", "badger", "swan", "snail"}},
        {"animal plural", {"cats", "crows", "goats", "animals", "wise beasts", "old friends"}},
        {"children", {"sisters", "brothers", "cousins", "orphans", "apprentices"}},
        {"child", {"child", "boy", "girl", "youngest apprentice", "miller's daughter", "little brother"}},
        {"relative", {"an aunt", "a grandmother", "the widow next door", "an uncle from {far place}", "the whole family", "a cousin"}},
        {"official", {"mayor", "judge", "priest", "tax collector", "captain of the guard", "clerk", "king's messenger", "schoolmistress", "harbour master", "abbot"}},
        {"official act", {"closed the window", "asked for a chair", "went home to supper", "had it read aloud in the square", "sealed it with {colour} wax", "forgot about it at once", "coughed twice", "sent for the {official}", "blew out the candle", "looked at the ceiling"}},
        {"official wish", {"buy the {building}", "tax the {thing}", "forbid the {custom noun}", "take the credit", "put up a statue", "find out who had rung the {bell}"}},
        {"custom noun", {"dancing", "market", "singing", "fishing", "festival", "telling of stories"}},
        {"nature", {"patient", "curious", "stubborn", "clever", "silent", "cheerful", "gloomy", "honest", "careless", "gentle", "proud", "sleepy", "generous", "suspicious", "lonely", "very small", "very tall"}},
        {"quality", {"silver", "wooden", "broken", "blue", "heavy", "tiny", "rusty", "painted", "borrowed", "crooked", "warm", "hollow", "golden", "glass", "forgotten", "striped", "folded"}},
        {"object", {"key", "lantern", "ring", "coin", "map", "compass", "bell", "spoon", "letter", "mirror", "button", "needle", "violin", "kettle", "feather", "clock", "box", "boot", "umbrella", "seed", "candle", "chessboard", "ladder", "whistle", "thimble", "hourglass"}},
        {"colour", {"red", "blue", "green", "grey", "yellow", "black", "white", "brown", "violet"}},
        {"container", {"box", "barrel", "cupboard", "trunk", "parcel", "sack", "drawer", "old stove", "lid of the well"}},
        {"building", {"mill", "bakery", "tower", "barn", "workshop", "chapel", "boathouse", "schoolhouse", "smithy", "cellar", "greenhouse", "signal hut"}},
        {"inn", {"inn", "tavern at the crossroads", "harbour inn", "kitchen of the monastery", "Golden Perch", "Three Lanterns"}},
        {"bell", {"church bell", "school bell", "ferry bell", "great bell", "cracked bell"}},
        {"path", {"road", "path", "river", "pass", "bridge", "towpath", "ford"}},
        {"settlement", {"town", "village", "valley", "street", "harbour", "parish"}},
        {"found where", {"under the floor of the {building}", "behind the {building}", "in the {container}", "between two stones in the wall", "at the bottom of the well", "in the pocket of a {colour} coat", "inside a loaf of bread", "on the branch of a pear tree", "in the mud below the bridge", "where the {path} bends", "under the snow"}},
        {"when", {"in spring", "in the dry summer", "in autumn", "in the long winter", "at harvest time", "on the eve of the fair", "in the week of the high tides", "when the apples were ripe", "on a Sunday", "a hundred years ago", "before there were clocks", "in the days of the old king", "on the shortest day of the year"}},
        {"Before", {"Before", "Long before", "In the summer before", "A year before"}},
        {"market day", {"Monday", "Thursday", "Saturday", "market day", "first of the month", "full moon"}},
        {"time of day", {"morning", "evening", "noon", "midnight", "afternoon", "dawn", "night", "nightfall"}},
        {"a while", {"a week", "three days", "a whole year", "seven nights", "the rest of the summer", "a month and a day", "longer than anyone had thought"}},
        {"number", {"three", "seven", "nine", "twelve", "thirteen", "twenty", "a hundred"}},
        {"weather", {"it began to rain", "the fog came up from the river", "the wind turned", "snow fell on the roofs", "the sun came out", "a storm broke over the valley", "the ice began to crack", "the stars came out one by one", "it grew so hot that the {animal plural} lay in the shade", "the clouds went away over the hills", "thunder rolled in the mountains"}},
        {"weather again", {"it rains", "the fog comes up from the river", "the wind turns", "snow falls on the roofs", "a storm breaks over the valley", "the moon is full"}},
        {"weather now", {"it turns with the wind", "nobody may touch it", "the rain has made it green", "the swallows nest behind it", "children ask what it is for", "on clear nights it shines"}},
        {"weather event", {"great flood", "two winters", "black frost", "comet", "long drought", "storm that took the roof off the church"}},
        {"habit", {"talked to the {animal}", "could not tell a lie", "counted everything twice", "never once arrived on time", "kept {a thing} in every pocket", "was afraid of {fear}", "knew {number} songs and sang them all at once", "could mend anything but {lack}", "collected {collection}", "wrote letters to {far place} and never sent them", "owed money to everybody", "believed that {proverb}", "had never seen {far place}", "slept through the day and worked by moonlight"}},
        {"habit past", {"never counted anything again", "mended clocks for nothing", "taught the {child} to whistle", "grew the best pears in the {settlement}", "kept {number} {animal plural} and a {other animal}", "told this story to anyone who would listen", "planted a tree for every year", "slept well"}},
        {"fear", {"the dark", "water", "geese", "the {official}", "silence", "stairs", "thunder", "being forgotten", "mirrors"}},
        {"lack", {"luck", "time", "a good night's sleep", "an answer", "patience", "a friend", "a broken promise", "a broken heart", "the right key"}},
        {"collection", {"buttons", "keys without locks", "the names of ships", "old maps", "feathers", "other people's umbrellas", "proverbs", "bells", "last words"}},
        {"made a promise", {"promised to build a bridge with one pair of hands", "swore never to speak again", "lost a bet with the {official}", "bought a boat without a bottom", "sold the {building} for {price}", "set out to find where the river begins", "made a clock that ran backwards", "forgot the way home"}},
        {"a load", {"a sack of flour", "a loaf and {a thing}", "three books and {a thing}", "{a thing} and a {other animal}", "a basket of pears", "everything that would fit into one boot", "a jar of honey", "a coil of rope", "a cheese as big as a wheel"}},
        {"a gift", {"a cup of water", "your oldest secret", "half of your bread", "{a thing}", "the time of day", "a song", "your left boot", "nothing but the truth", "a place by the fire", "one wish"}},
        {"wonder", {"the door that opens only once", "a fish that could read", "the place where the echoes sleep", "a tree that bore {colour} bells", "the clock that knows the hour of every meeting", "a bridge made of frost", "the library under the lake", "a {other animal} that played the {instrument}", "the {colour} light on the marsh", "a town that is there only on Sundays", "the river running uphill"}},
        {"instrument", {"violin", "flute", "drum", "organ", "accordion", "harp"}},
        {"question", {"Who pays the ferryman on the other side", "Where does the light go when the lamp is out", "What is worth more than a {quality} {object}", "How do you weigh a promise", "Which of us is dreaming", "What does the {animal} know", "Why is the road home always shorter", "Who rang the {bell}"}},
        {"advice", {"Never buy {a thing} by candlelight", "Ask the {animal}", "Go back the way you came", "Count the spoons", "Say it again, and slower", "Leave the door open", "Wait for the second thaw", "Keep the {object} and give back the {object}", "Trust the river, not the bridge"}},
        {"proverb", {"a borrowed {object} is never lost", "the slow goose sees the fox", "bread remembers the hand that kneads it", "every key is looking for its door", "a promise weighs more than a {object}", "the river does not ask the way", "two fools can share one umbrella", "even the {official} was once a child", "who counts the stars gets cold feet", "there is always one more stair", "an honest mirror has few friends", "the last apple is the sweetest", "you cannot tie a knot in the wind", "silence is the cheapest wine"}},
        {"insight", {"it had been in the pocket all along", "the door had never been locked", "the {animal} had known it from the beginning", "some debts cannot be paid in coins", "nobody had ever asked", "the map had been upside down", "the way home begins at the end of the road", "there had never been a {thing} at all", "it was not the {thing} that mattered", "the {official} was only lonely"}},
        {"small act", {"lit the lamp", "put on a coat", "sat down on the steps", "opened the window", "fed the {animal}", "swept the floor", "looked for the {thing}", "wrote a letter", "climbed the tower", "went down to the water", "whistled for the {animal}", "baked a loaf", "hid behind the {building}", "turned the {thing} over", "listened at the door", "waited"}},
        {"evening act", {"read the same book again", "played the {instrument} for the {animal}", "sat by the fire and mended nets", "watched the road", "wrote down what the {animal} had not said", "counted the stars", "talked with {relative} about {quarrel}", "sang to the {animal}"}},
        {"worked", {"worked in the {building}", "carried water for the {official}", "slept in the {building}", "learned to play the {instrument}", "followed the {path}", "dug for the {thing}", "said not a word", "lived on {food} and {drink}"}},
        {"helped", {"lent a ladder", "brought {food}", "held the lantern", "looked after the {animal}", "told a lie to the {official}", "shut the door and said nothing", "gave back the {object}"}},
        {"argued", {"quarrelled", "argued", "disagreed", "kept silent", "made up songs"}},
        {"quarrel", {"the price of salt", "whose turn it was", "the meaning of the {thing}", "the best way to {far place}", "the weather", "a dream of the {official}", "whether fish can hear"}},
        {"crowd act", {"everybody ran to the square", "people closed their shutters", "the children were let out of school", "there was dancing until {time of day}", "nobody dared to laugh", "they all wanted to see the {thing}", "the {official} called for order", "half of them laughed and half of them wept"}},
        {"reaction", {"sat down on the ground", "forgot to breathe", "laughed out loud", "took off the {colour} hat", "dropped the {thing}", "said only: \"Well.\"", "began to hum", "went home by the other road"}},
        {"reaction of crowd", {"nobody believed a word", "they gave the {animal} a bowl of milk", "the fire burned low", "somebody began to sing", "the {official} wept into the soup", "they asked for another"}},
        {"refused", {"shook hands on it", "said no three times", "asked for time to think", "gave it away for nothing", "laughed", "closed the {container}"}},
        {"honest", {"honest", "patient", "kind to my {other animal}", "slower than the others", "brave enough to ask", "generous with your bread"}},
        {"reward", {"the {thing} is yours", "you may ask me one question", "your road will be short", "no door will be closed to you", "I will tell you my name", "it will not rain on you for a year"}},
        {"made peace", {"made peace", "shook hands", "forgot their quarrel", "signed a treaty", "found that they were cousins"}},
        {"custom", {"leaves a lamp in the window", "greets the {animal} first", "carries a {quality} {object} on {market day}", "tells the truth on {market day}", "rings the {bell} when it snows", "keeps one chair empty at the table"}},
        {"was closed", {"was closed until spring", "lay under three feet of water", "was nowhere to be seen", "was watched by soldiers", "ended at a wall"}},
        {"secret", {"could speak on the night of {market day}", "had belonged to the {official} once", "was not {colour} at all", "opened the door of the {building}", "had a twin in {far place}", "was hollow, and full of {collection}", "pointed always to {far place}", "stopped when anybody lied"}},
        {"price", {"three coins", "a year's wages", "one {quality} {object}", "a dozen eggs", "a kiss", "two geese and a promise", "exactly nothing", "seven loaves of bread"}},
        {"measure", {"more", "much more", "a little more", "less"}},
        {"food", {"bread and cheese", "a bowl of barley soup", "plum cake", "smoked fish", "roast chestnuts", "onion pie", "an egg", "pancakes", "stewed pears"}},
        {"drink", {"cider", "black tea", "a jug of milk", "warm beer", "cold water", "elderberry wine", "coffee"}},
        {"feeling", {"cold hands", "an idea", "a song on the lips", "a heavy heart", "flour in both shoes", "no fear at all"}},
        {"a book", {"a {colour} book", "the book of the {settlement}", "a very small book", "the book of debts"}},
        {"animal act", {"looked at the moon", "turned around three times and slept", "ate the letter", "walked home alone", "sat down on the {object}", "led the way", "blinked", "stole a pancake", "waited at the {path}", "would not leave the {building}"}},
    };
    // clang-format on
    return rules;
}

/// Which of several, each as likely as the others: riffle's own draws, so that every machine tells the same tales.
class chance {
public:
    std::size_t one_of(std::size_t count) {
        equal_.assign(count, 0.0f);
        return static_cast<std::size_t>(draws_.sample(equal_));
    }

private:
    decltype(riffle::chain(riffle::dist{})) draws_ = riffle::chain(riffle::dist{.seed = 1});
    std::vector<float> equal_;
};

/// Fills the places of a tale. Who it is about stays the same from its beginning to its end.
class teller {
public:
    teller() {
        for (const rule& each : rules_of_tales()) phrases_[each.name] = &each.phrases;
    }

    std::string tale() {
        the_["hero"] = told("{the names}");
        the_["the trade"] = told("{the trades}");
        the_["the animal"] = told("{the animals}");
        the_["the place"] = told("{the places}");
        the_["the thing"] = told("{object}");
        std::string all = sentence("{opening}");
        for (std::size_t more = 3 + chance_.one_of(4); more > 0; --more) all += " " + sentence("{middle}");
        all += " " + sentence("{turn}");
        if (chance_.one_of(2) == 0) all += " " + sentence("{middle}");
        return all += " " + sentence("{ending}");
    }

private:
    /// With a capital at its beginning.
    std::string sentence(std::string_view pattern) {
        std::string words = told(pattern);
        const std::size_t first = words[0] == '"' ? 1 : 0;
        if (words[first] >= 'a' && words[first] <= 'z') words[first] = static_cast<char>(words[first] - 'a' + 'A');
        return words;
    }
    /// A pattern with its names replaced. "a" before a vowel becomes "an".
    std::string told(std::string_view pattern) {
        std::string words;
        while (!pattern.empty()) {
            const std::size_t open = pattern.find('{');
            words += pattern.substr(0, open);
            if (open == pattern.npos) break;
            const std::size_t close = pattern.find('}', open);
            append(words, phrase_for(pattern.substr(open + 1, close - open - 1)));
            pattern.remove_prefix(close + 1);
        }
        return words;
    }
    std::string phrase_for(std::string_view name) {
        if (const auto known = the_.find(name); known != the_.end()) return known->second;
        const std::vector<std::string_view>& phrases = *phrases_.at(name);
        return told(phrases[chance_.one_of(phrases.size())]);
    }
    static void append(std::string& words, std::string_view phrase) {
        const bool behind_a = words == "a " || words == "A " || words.ends_with(" a ") || words.ends_with(" A ");
        if (behind_a && std::string_view("aeiou").find(phrase[0]) != std::string_view::npos)
            words.back() = 'n', words += ' ';
        words += phrase;
    }

    std::map<std::string_view, const std::vector<std::string_view>*> phrases_;
    std::map<std::string, std::string, std::less<>> the_;
    chance chance_;
};

}  // namespace

std::string sample_text() {
    teller tells;
    std::string book;
    for (std::size_t i = 0; i < tales; ++i) book += tells.tale() + "\n\n";
    return book;
}

}  // namespace quickstart
