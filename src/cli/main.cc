#include "cli/command_line.h"
#include "cli/process.h"

int main(int argc, char** argv) {
  return tilewright::cli::run_program(tilewright::cli::run, argc, argv);
}
