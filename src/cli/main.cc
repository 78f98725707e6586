#include "cli/command_line.h"
#include "cli/process.h"

int main(int argc, char** argv) {
  using namespace tilewright;
  return cli::run_program([](int count, char** words) { return cli::run(count, words, mappers()); },
                          argc, argv);
}
