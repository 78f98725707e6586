#include "cli/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "cli/commands.h"
#include "cli/output.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;

// Says why the last system call failed; false, for those who pass it on.
bool complain_about(const fs::path& path, const char* what, int error) {
  complain(fmt::format("{}: {}: {}", path.string(), what, std::generic_category().message(error)));
  return false;
}

constexpr const char* kNotWritten = "the file cannot be written";
constexpr const char* kNotMade = "the folder cannot be made";

// A device or a pipe is written as it is: no file could take its place.
bool is_device(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// What a link points to, so that the link stays one.
fs::path behind_links(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

// In the same folder: a file cannot be renamed from one disk to another.
fs::path temporary_beside(const fs::path& path) {
  return path.parent_path() / fmt::format(".tilewright-{}.tmp", getpid());
}

// Makes an empty file that did not exist and takes it away again.
bool can_create(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (descriptor < 0) return false;
  close(descriptor);
  return unlink(path.c_str()) == 0;
}

// Leaves the reason in errno if it fails.
bool write_directly(const fs::path& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int error = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = error;
  return written && closed;
}

}  // namespace

bool try_file(const fs::path& given) {
  if (given.empty()) return true;
  std::error_code error;
  const fs::path path = behind_links(given);
  if (fs::is_directory(path, error)) {
    complain(fmt::format("{}: this is a folder, not a file", given.string()));
    return false;
  }
  const bool exists = fs::exists(path, error);
  const bool good = exists ? access(path.c_str(), W_OK) == 0 &&
                                 (is_device(path) || can_create(temporary_beside(path)))
                           : can_create(path);
  return good || complain_about(given, kNotWritten, errno);
}

bool try_folder(const fs::path& folder) {
  std::vector<fs::path> missing;  // innermost first
  std::error_code error;
  for (fs::path path = fs::absolute(folder).lexically_normal(); !fs::exists(path, error);
       path = path.parent_path()) {
    if (!path.filename().empty()) missing.push_back(path);
    if (path == path.parent_path()) break;
  }
  if (!make_folder(folder)) return false;
  const bool good = can_create(temporary_beside(folder / "any"));
  const int reason = errno;
  for (const fs::path& made : missing) fs::remove(made, error);
  return good || complain_about(folder, "no file can be written to the folder", reason);
}

bool try_optional_folder(const std::string& folder) { return folder.empty() || try_folder(folder); }

bool write_file(const fs::path& given, const std::string& text) {
  const fs::path path = behind_links(given);
  if (is_device(path)) {
    return write_directly(path, text) || complain_about(given, kNotWritten, errno);
  }
  const fs::path temporary = temporary_beside(path);
  std::error_code error;
  if (!write_directly(temporary, text)) {
    const int reason = errno;
    fs::remove(temporary, error);
    return complain_about(given, kNotWritten, reason);
  }
  const fs::file_status old = fs::status(path, error);
  if (fs::exists(old)) fs::permissions(temporary, old.permissions(), error);
  fs::rename(temporary, path, error);
  if (!error) return true;
  const int reason = error.value();
  fs::remove(temporary, error);
  return complain_about(given, kNotWritten, reason);
}

bool csv_on_output(const std::string& csv) { return csv == "-"; }

bool try_csv(const OutputOptions& output) {
  if (!csv_on_output(output.csv)) return try_file(output.csv);
  if (!output.json && !output.explain) return true;
  complain(
      fmt::format("--csv - and {} both write to standard output; name a file, or leave one out",
                  output.json ? "--json" : "--explain"));
  return false;
}

bool write_csv(const std::string& csv, const std::string& text) {
  if (csv.empty()) return true;
  if (!csv_on_output(csv)) return write_file(csv, text);
  print(text);
  return true;
}

bool make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder, error)) error.assign(ENOTDIR, std::generic_category());
  return !error || complain_about(folder, kNotMade, error.value());
}

}  // namespace tilewright::cli
