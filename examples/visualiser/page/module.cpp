/// What stands behind the page, as WebAssembly: the page writes a request into this memory and reads the answer there.
#include <cstddef>
#include <string>

#include "../session.hpp"

namespace {

visualiser::session& session() {
    static visualiser::session only;
    return only;
}
std::string request, answer;

}  // namespace

extern "C" {

/// Where the page writes the `size` bytes of a request.
[[clang::export_name("request")]] char* page_request(std::size_t size) {
    request.resize(size);
    return request.data();
}
/// Answers it; the bytes stand at answer_bytes.
[[clang::export_name("answer")]] std::size_t page_answer() {
    answer = session().answer_to(request);
    return answer.size();
}
[[clang::export_name("answer_bytes")]] const char* page_answer_bytes() { return answer.data(); }

}  // extern "C"
