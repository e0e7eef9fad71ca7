#include "spirv/interpreted_memory.hpp"

#include <algorithm>

namespace riffle_tests::interpreting {

std::vector<std::string> fault_list::texts() const {
    std::vector<std::string> all;
    for (const auto& [what, before, at] : found_)
        all.push_back(std::string(what) + ", word " + std::to_string(at) + " (instruction " +
                      std::to_string(words_[at] & 0xffff) + ")");
    for (const auto& [what, before, at] : races_)
        all.push_back("race: " + std::string(what) + ", words " + std::to_string(before) + " and " +
                      std::to_string(at));
    return all;
}

void note(cell& c, touch how, const access_by& who, fault_list& faults) {
    const auto against = [&](const accesses& others, const char* what) {
        if (others.has_other(who.interval, who.lane)) faults.race(what, others.place, who.place);
    };
    switch (how) {
    case touch::read:
        against(c.writes, "a read of what another has written");
        against(c.atomics, "a read of what others change");
        return c.reads.note(who.interval, who.lane, who.place);
    case touch::write:
        against(c.writes, "two that write");
        against(c.reads, "a write to what another has read");
        against(c.atomics, "a write to what others change");
        return c.writes.note(who.interval, who.lane, who.place);
    case touch::atomic:
        against(c.writes, "a change of what another has written");
        against(c.reads, "a change of what another has read");
        return c.atomics.note(who.interval, who.lane, who.place);
    }
}

group_clocks::group_clocks(word groups, std::span<const std::span<word>> buffers)
    : groups_(groups), now_(groups, 1), seen_(groups, clock(groups)), acquired_(groups, clock(groups)) {
    if (are_several())
        for (const auto& buffer : buffers) touched_.emplace_back(buffer.size() * groups);
}

void group_clocks::note(word group, word binding, word index, touch how, word place, fault_list& faults) {
    constexpr const char* races[3][3] = {
        {nullptr, "a read of what another group has written", "a read of what other groups change"},
        {"a write to what another group has read", "two groups that write", "a write to what other groups change"},
        {"a change of what another group has read", "a change of what another group has written", nullptr}};
    last_touches* const of_groups = &touched_[binding][std::size_t{index} * groups_];
    for (word other = 0; other < groups_; ++other)
        for (std::size_t before = 0; before < 3 && other != group; ++before) {
            const last_touch& last = of_groups[other][before];
            const char* const race = races[std::size_t(how)][before];
            if (race && !is_over(group, other, last.epoch)) faults.race(race, last.place, place);
        }
    of_groups[group][std::size_t(how)] = {now_[group], place};
}

void group_clocks::join(clock& to, const clock& other) {
    to.resize(other.size());
    std::transform(to.begin(), to.end(), other.begin(), to.begin(), [](word a, word b) { return std::max(a, b); });
}

void group_clocks::release(word group, word binding, word index) {
    clock& given = released_[{binding, index}];
    join(given, seen_[group]);
    given[group] = now_[group] - 1;
}
void group_clocks::acquire(word group, word binding, word index) {
    if (const auto found = released_.find({binding, index}); found != released_.end())
        join(acquired_[group], found->second);
}
void group_clocks::barrier(word group) {
    ++now_[group];
    join(seen_[group], acquired_[group]);
}

}  // namespace riffle_tests::interpreting
