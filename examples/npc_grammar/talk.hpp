#pragma once
#include <string_view>

/// What an NPC could have heard in a village.
inline constexpr std::string_view village_talk =
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
