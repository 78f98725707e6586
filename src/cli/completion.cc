// Scripts for the completion of command lines, made from the options of the
// parser. Names of built-in architectures and networks are written into them.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "cli/command_tree.h"
#include "tilewright/io.h"

namespace tilewright::cli {
namespace {

// What may stand for a value: words, and maybe files.
struct Offer {
  std::vector<std::string> words;
  bool files = false;
};

Offer offer(const OptionEntry& option) {
  if (!option.choices.empty()) return {option.choices, false};
  if (option.value == "ARCH") return {names_of(io::builtin_architectures()), true};
  if (option.value == "NETWORK") return {names_of(io::builtin_networks()), true};
  return {{}, option.value == "FILE" || option.value == "PATH" || option.value == "WORKLOAD"};
}

// "flex measure" of "tilewright flex measure"; empty for the tool itself.
std::string path(const CommandEntry& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? "" : command.name.substr(space + 1);
}

std::string last_word(const CommandEntry& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

using Visit = std::function<void(const CommandEntry&)>;

void for_each(const CommandEntry& command, const Visit& visit) {
  visit(command);
  for (const CommandEntry& inner : command.commands) for_each(inner, visit);
}

// --- bash --------------------------------------------------------------------

constexpr const char* kBash =
    R"(# Completion of tilewright in bash, made by `tilewright completion bash`.
_tilewright() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  if [[ $current == '=' ]]; then
    current=
  elif [[ $previous == '=' ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  local command= word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$command $word" in
      {steps}) command="${{command:+$command }}$word" ;;
    esac
  done
  local words= options= files=no
  case "$command" in
{commands}  esac
  case "$command $previous" in
{values}  esac
  [[ $current == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $files == yes ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _tilewright tilewright
)";

std::string bash_settings(const Offer& offered) {
  return fmt::format("words='{}' files={}", fmt::join(offered.words, " "),
                     offered.files ? "yes" : "no");
}

// What stands after a command: its commands, options and arguments.
std::string bash_command(const CommandEntry& command) {
  Offer offered;
  std::vector<std::string> options;
  for (const CommandEntry& inner : command.commands) offered.words.push_back(last_word(inner));
  for (const OptionEntry& option : command.options) {
    append(options, option.names);
    if (option.position.empty()) continue;
    const Offer more = offer(option);
    append(offered.words, more.words);
    offered.files = offered.files || more.files;
  }
  return fmt::format("    '{}') {} options='{}' ;;\n", path(command), bash_settings(offered),
                     fmt::join(options, " "));
}

// What stands after an option that takes a value.
std::string bash_values(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.options) {
    if (option.value.empty() || option.names.empty()) continue;
    std::string patterns;
    for (const std::string& name : option.names) {
      patterns += fmt::format("{}'{} {}'", patterns.empty() ? "" : " | ", path(command), name);
    }
    text += fmt::format("    {}) {} options= ;;\n", patterns, bash_settings(offer(option)));
  }
  return text;
}

std::string bash(const CommandEntry& tool) {
  std::string steps, commands, values;
  for_each(tool, [&](const CommandEntry& command) {
    for (const CommandEntry& inner : command.commands) {
      steps +=
          fmt::format("{}'{} {}'", steps.empty() ? "" : " | ", path(command), last_word(inner));
    }
    commands += bash_command(command);
    values += bash_values(command);
  });
  return fmt::format(kBash, fmt::arg("steps", steps), fmt::arg("commands", commands),
                     fmt::arg("values", values));
}

// --- zsh ---------------------------------------------------------------------

// Inside single quotes; colons and brackets end parts of a specification.
std::string for_zsh(const std::string& text) {
  std::string result;
  for (const char sign : text) {
    if (sign == '\'') {
      result += "'\\''";
    } else {
      if (sign == ':' || sign == '[' || sign == ']' || sign == '\\') result += '\\';
      result += sign;
    }
  }
  return result;
}

// Names and files together take a function of their own, `_tilewright_ARCH_values`.
std::string zsh_action(const OptionEntry& option) {
  const Offer offered = offer(option);
  if (!offered.files) return fmt::format("({})", fmt::join(offered.words, " "));
  return offered.words.empty() ? "_files" : fmt::format("_tilewright_{}_values", option.value);
}

std::string zsh_values(const std::string& value) {
  OptionEntry option;
  option.value = value;
  return fmt::format("{}() {{\n  _alternative 'names:name:({})' 'files:file:_files'\n}}\n",
                     zsh_action(option), fmt::join(offer(option).words, " "));
}

std::string zsh_option(const OptionEntry& option) {
  std::string text;
  const std::string value =
      option.value.empty() ? "" : fmt::format(":{}:{}", option.value, zsh_action(option));
  for (const std::string& name : option.names) {
    text += fmt::format(" \\\n    '{}{}[{}]{}'", option.repeated ? "*" : "", name,
                        for_zsh(option.help), value);
  }
  if (!option.position.empty()) {
    text += fmt::format(" \\\n    '{}:{}:{}'", option.repeated ? "*" : "", option.position,
                        zsh_action(option));
  }
  return text;
}

std::string zsh_function(const CommandEntry& command) {
  std::string name = command.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return "_" + name;
}

std::string zsh_command(const CommandEntry& command) {
  std::string text = fmt::format("{}() {{\n  local state\n  _arguments -C", zsh_function(command));
  for (const OptionEntry& option : command.options) text += zsh_option(option);
  if (command.commands.empty()) return text + "\n}\n";
  text +=
      " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n"
      "      local -a commands=(";
  for (const CommandEntry& inner : command.commands) {
    text += fmt::format("\n        '{}:{}'", last_word(inner), for_zsh(inner.help));
  }
  text += ")\n      _describe command commands ;;\n    rest)\n      case $words[1] in\n";
  for (const CommandEntry& inner : command.commands) {
    text += fmt::format("        {}) {} ;;\n", last_word(inner), zsh_function(inner));
  }
  return text + "      esac ;;\n  esac\n}\n";
}

std::string zsh(const CommandEntry& tool) {
  std::string text =
      "#compdef tilewright\n# Completion of tilewright in zsh, made by `tilewright completion "
      "zsh`.\n";
  for (const char* value : {"ARCH", "NETWORK"}) text += zsh_values(value);
  for_each(tool, [&](const CommandEntry& command) { text += zsh_command(command); });
  return text + "_tilewright \"$@\"\n";
}

// --- fish --------------------------------------------------------------------

std::string for_fish(const std::string& text) {
  std::string result;
  for (const char sign : text) {
    if (sign == '\'' || sign == '\\') result += '\\';
    result += sign;
  }
  return result;
}

// True where the words of the path stand on the command line.
std::string fish_condition(const CommandEntry& command) {
  const std::string words = path(command);
  if (words.empty()) return "__fish_use_subcommand";
  return fmt::format("__fish_seen_subcommand_from {}",
                     fmt::join(split(words, ' '), "; and __fish_seen_subcommand_from "));
}

std::string fish_option(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const Offer offered = offer(option);
  if (!option.value.empty()) text += offered.files ? " -r -F" : " -x";
  if (!offered.words.empty()) text += fmt::format(" -a '{}'", fmt::join(offered.words, " "));
  return text + fmt::format(" -d '{}'", for_fish(option.help));
}

std::string fish(const CommandEntry& tool) {
  std::string text =
      "# Completion of tilewright in fish, made by `tilewright completion fish`.\n"
      "complete -c tilewright -f\n";
  for_each(tool, [&](const CommandEntry& command) {
    const std::string start =
        fmt::format("complete -c tilewright -n '{}'", fish_condition(command));
    for (const CommandEntry& inner : command.commands) {
      text += fmt::format("{} -a {} -d '{}'\n", start, last_word(inner), for_fish(inner.help));
    }
    for (const OptionEntry& option : command.options) text += start + fish_option(option) + "\n";
  });
  return text;
}

struct Shell {
  const char* name;
  std::string (*script)(const CommandEntry&);
};
constexpr Shell kShells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

}  // namespace

std::vector<std::string> completed_shells() {
  std::vector<std::string> names;
  for (const Shell& shell : kShells) names.emplace_back(shell.name);
  return names;
}

std::string completion_script(const CommandEntry& tool, const std::string& name) {
  for (const Shell& shell : kShells) {
    if (name == shell.name) return shell.script(tool);
  }
  return "";
}

}  // namespace tilewright::cli
