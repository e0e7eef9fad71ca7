#pragma once

#include <string_view>

namespace quickstart {

/// How far a long job is, for whoever wants to know. This one tells nobody.
class progress {
public:
    progress() = default;
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    virtual ~progress() = default;

    /// `share`: 0 at the start of the job, 1 at its end.
    virtual void update(std::string_view /*job*/, double /*share*/) {}
};

/// On standard error: a line rewritten in place on a terminal, a line every quarter elsewhere.
class progress_line : public progress {
public:
    /// Quiet unless `shown`.
    explicit progress_line(bool shown);
    ~progress_line() override { finish(); }

    void update(std::string_view job, double share) override;

    /// Clears the line; nothing is shown from here on.
    void finish();

private:
    bool shown_;
    bool terminal_;
    std::string_view job_;
    int last_ = -1;
};

}  // namespace quickstart
