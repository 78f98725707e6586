#include "support/file_text.h"

#include <fstream>
#include <sstream>

namespace tilewright {

// The library of the compiler copies blocks; iterators of characters, which tests would compile
// without optimisation, take a twentieth of the time of all tests.
std::string file_text(const std::filesystem::path& path) {
  const std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace tilewright
