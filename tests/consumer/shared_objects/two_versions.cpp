#include <cstdio>

extern "C" int sample_of_this();
extern "C" int sample_of_the_other();

int main() {
    std::printf("%d %d\n", sample_of_this(), sample_of_the_other());
    return !(sample_of_this() == -1 && sample_of_the_other() == -2);
}
