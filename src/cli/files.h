// Files that commands write. Their paths are tried before the work starts, and
// a file is written whole or stays as it was.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright::cli {

struct OutputOptions;

// Whether a file can be written there; false after a complaint. Nothing is left
// behind, and what stands there stays as it is. An empty path was not given.
bool try_file(const std::filesystem::path& path);
// The same of a folder that is to hold files and may have to be made.
bool try_folder(const std::filesystem::path& folder);
bool try_optional_folder(const std::string& folder);  // an empty one was not given

// Writes a whole file, by way of another one in the same folder; false after a
// complaint.
bool write_file(const std::filesystem::path& path, const std::string& text);
// --csv: a file, or - for standard output in place of the table that stands there
// otherwise.
bool csv_on_output(const std::string& csv);
// Tries the path; false after a complaint, also where something else is asked for
// that goes to standard output.
bool try_csv(const OutputOptions& output);
bool write_csv(const std::string& csv, const std::string& text);

// Makes a folder unless there is one; false after a complaint.
bool make_folder(const std::filesystem::path& folder);

}  // namespace tilewright::cli
