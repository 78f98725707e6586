// What the terminal is like: how wide it is, and whether it shows colours.
#pragma once

#include <string>

namespace tilewright::cli {

// The width of tables: COLUMNS, or else that of the terminal that output goes to, 100
// if it does not tell. 0, no limit, for files and pipes: programs read them.
int table_width();
// The width of help texts: the same, and 100 for files and pipes.
int help_width();
// The width of a line on standard error.
int message_width();

// Terminals get colours, unless NO_COLOR is set (no-color.org) or TERM is "dumb".
bool output_has_colours();
bool messages_have_colours();

// A report with headings and the word "proven" in colours. A heading stands above
// a rule of dashes, or is not indented and stands above lines that are.
std::string coloured_report(const std::string& text);
// The first line in the colour of errors.
std::string coloured_complaint(const std::string& text);

// Words broken into lines of this width; lines after the first are indented.
// Line breaks of the text stay.
std::string wrapped(const std::string& text, int width, int indent);

}  // namespace tilewright::cli
