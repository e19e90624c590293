#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>

#include "tests/support/folder.h"

namespace retrial {
namespace {

std::string output_of(const std::string& command) {
  auto* pipe = popen(command.c_str(), "r");
  std::string said;
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) said.append(buffer, got);
  pclose(pipe);
  return said;
}

TEST(DescriptorLimitOfCommands, observe_takes_the_hard_limit_and_its_command_finds_the_soft_one) {
  test::Folder folder;
  // The parent of the command is the process that keeps watch over it, and that one's parent is `observe`.
  auto script = folder.write("limits.sh",
                             "ulimit -Sn\n"
                             "observe=$(awk '/^PPid/ {print $2}' /proc/$PPID/status)\n"
                             "awk '/^Max open files/ {print $4, $5}' /proc/$observe/limits\n");
  auto said = output_of("ulimit -Sn 200; '" RETRIAL_BINARY "' observe --capture forward --out '" +
                        (folder.path() / "out").string() + "' -- sh '" + script.string() + "' 2>/dev/null");
  rlimit now{};
  getrlimit(RLIMIT_NOFILE, &now);
  auto hard = std::to_string(now.rlim_max);
  EXPECT_EQ(said, "200\n" + hard + " " + hard + "\n");
}

}  // namespace
}  // namespace retrial
