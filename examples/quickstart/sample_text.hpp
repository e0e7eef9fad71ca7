#pragma once

#include <string>

namespace quickstart {

/// A book of small tales about one valley, for a model to learn from where nobody names a text: some 400,000 bytes,
/// the same on every machine. Each tale is put together from sentences with places to fill, so that a model that looks
/// two tokens back finds much to learn and still has to choose.
std::string sample_text();

}  // namespace quickstart
