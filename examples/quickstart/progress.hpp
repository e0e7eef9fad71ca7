#pragma once

#include <string_view>

namespace quickstart {

/// How far a long job is, on standard error: a line rewritten in place on a terminal, a line every quarter
/// elsewhere.
class progress {
public:
    /// Quiet unless `shown`.
    explicit progress(bool shown);
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() { finish(); }

    /// `share`: 0 at the start of the job, 1 at its end.
    void update(std::string_view job, double share);

    /// Clears the line; nothing is shown from here on.
    void finish();

private:
    bool shown_;
    bool terminal_;
    std::string_view job_;
    int last_ = -1;
};

}  // namespace quickstart
