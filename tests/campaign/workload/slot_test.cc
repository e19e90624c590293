#include "campaign/workload/slot.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include <fmt/format.h>

#include "campaign/workload/data_folder.h"
#include "campaign/workload/namespaces.h"
#include "campaign/workload/private_writes.h"
#include "campaign/workload/service_names.h"
#include "proxy/net/address.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {

namespace fs = std::filesystem;

constexpr int kRefused = 77;

// In a process and namespaces of its own. What it gives is what was wrong there; empty: nothing.
std::string apart(const std::function<std::string()>& what) {
  int said[2];
  if (pipe(said) != 0) return "pipe";
  auto pid = fork();
  if (pid == 0) {
    if (!leave_namespaces()) _exit(kRefused);
    auto wrong = what();
    _exit(write(said[1], wrong.data(), wrong.size()) == static_cast<ssize_t>(wrong.size()) ? 0 : 1);
  }
  close(said[1]);
  std::string wrong;
  char part[512];
  for (ssize_t n; (n = read(said[0], part, sizeof part)) > 0;) wrong.append(part, static_cast<std::size_t>(n));
  close(said[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  return WEXITSTATUS(status) == kRefused ? "refused" : WEXITSTATUS(status) ? "ended" : wrong;
}

#define EXPECT_APART(...)                                                                \
  do {                                                                                   \
    auto wrong = apart(__VA_ARGS__);                                                     \
    if (wrong == "refused") GTEST_SKIP() << "this machine allows no network namespaces"; \
    EXPECT_EQ(wrong, "");                                                                \
  } while (false)

TEST(Namespaces, have_every_port_to_themselves_on_a_loopback_that_is_up) {
  auto at = proxy::Address::v4(INADDR_LOOPBACK, 0);
  int outside = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(bind(outside, at.get(), at.size()), 0);
  ASSERT_EQ(listen(outside, 1), 0);
  socklen_t size = sizeof at.storage_;
  getsockname(outside, at.get(), &size);
  auto directory = fs::current_path();
  EXPECT_APART([&]() -> std::string {
    int client = socket(AF_INET, SOCK_STREAM, 0), inside = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, at.get(), at.size()) == 0) return "the port outside is there";
    if (bind(inside, at.get(), at.size()) != 0 || listen(inside, 1) != 0) return "the port is taken";
    close(client);
    client = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(client, at.get(), at.size()) != 0) return "loopback is down";
    return fs::current_path() == directory ? "" : "elsewhere";
  });
  close(outside);
}

TEST(PrivateWrites, stay_with_those_who_share_the_mounts_but_in_the_shared_folder) {
  test::Folder project, layer;
  fs::create_directories(project.path() / "ours");
  std::ofstream(project.path() / "kept") << "before";
  EXPECT_APART([&]() -> std::string {
    fs::current_path(project.path());
    if (auto ok = keep_writes(layer.path(), "ours"); !ok)
      return ok.error().line().find("written to apart") != std::string::npos ? "refused" : ok.error().line();
    std::ofstream("kept") << "after";
    std::ofstream("new") << "1";
    std::ofstream("ours/log") << "1";
    std::string is;
    std::ifstream("kept") >> is;
    return is == "after" && fs::exists(project.path() / "new") ? "" : "its own writes are not seen";
  });
  std::string is;
  std::ifstream(project.path() / "kept") >> is;
  EXPECT_EQ(is, "before");
  EXPECT_FALSE(fs::exists(project.path() / "new"));
  EXPECT_TRUE(fs::exists(project.path() / "ours/log"));
}

TEST(PrivateWrites, cannot_lie_below_what_they_are_kept_from) {
  test::Folder project;
  auto directory = fs::current_path();
  fs::current_path(project.path());
  auto kept = keep_writes(fs::current_path() / "layer", project.path() / "ours");
  fs::current_path(directory);
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().line().find("what is written would lie in it"), std::string::npos) << kept.error().line();
}

TEST(Slot, answers_each_of_several_that_ask_at_the_same_time) {
  test::Folder folder;
  auto slot = Slot::open({}, {folder.path(), 0});
  ASSERT_TRUE(slot) << slot.error().line();
  std::vector<pid_t> askers(4);
  for (auto& asker : askers)
    if ((asker = fork()) == 0) {
      bool well = true;
      for (int i = 0; i < 200 && well; i++) well = (*slot)->prepare() && (*slot)->lost() == "";
      _exit(well ? 0 : 1);
    }
  for (auto asker : askers) {
    int status = -1;
    waitpid(asker, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

// What a start does is done in each slot, and so are its writes.
TEST(Slots, are_not_apart_where_a_service_writes_to_files_that_each_start_of_it_would_write_to) {
  test::Folder folder;
  auto started = [&](const std::string& command, const std::string& data = {}) {
    fs::create_directories(folder.path() / "kept");
    std::vector<Service> services(1);
    services[0].name = "store";
    services[0].start = fmt::format("cd {} && {}", folder.path().string(), command);
    services[0].ready = {Ready::Kind::command, fmt::format("rm {}/ready", folder.path().string())};
    services[0].data = data.empty() ? fs::path() : folder.path() / data;
    Slots slots(services, folder.path() / "run" / "logs");
    fs::create_directories(folder.path() / "run" / "logs");
    EXPECT_TRUE(slots.start());
    auto gone = slots.go_apart({});
    return gone ? std::string() : gone.error().line();
  };
  auto sleeping = "touch ready; read forever < fifo";
  ASSERT_EQ(mkfifo((folder.path() / "fifo").c_str(), 0600), 0);
  auto plain = started(sleeping);
  if (plain.find("namespace") != plain.npos) GTEST_SKIP() << plain;
  EXPECT_EQ(plain, "");
  EXPECT_EQ(started(std::string("exec > output 2>&1; ") + sleeping), "") << "its output may be mixed";
  EXPECT_EQ(started(std::string("exec 3> gone; rm gone; ") + sleeping), "") << "a file without a name";
  EXPECT_EQ(started(std::string("exec 3> kept/db; ") + sleeping, "kept"), "");
  EXPECT_EQ(started(std::string("exec 3> kept/db; ") + sleeping),
            fmt::format("[service.store] {}/kept/db: each start of it would write to this file; `data` gives each a "
                        "folder of its own",
                        folder.path().string()));
}

TEST(Slots, once_apart_leave_the_working_directory_as_it_is) {
  test::Folder project;
  fs::create_directories(project.path() / "run" / "logs");
  auto directory = fs::current_path();
  fs::current_path(project.path());
  std::vector<Service> services(1);
  services[0].name = "store";
  services[0].start = "echo started >> starts; read forever < fifo";
  services[0].ready = {Ready::Kind::command, "test -e starts"};
  ASSERT_EQ(mkfifo("fifo", 0600), 0);
  std::string refused;
  {
    Slots slots(services, project.path() / "run" / "logs");
    EXPECT_TRUE(slots.start());
    if (auto gone = slots.go_apart({}); !gone) refused = gone.error().line();
    for (int n = 0; n < 2 && refused.empty(); n++) {
      auto slot = slots.at(n);
      ASSERT_TRUE(slot) << slot.error().line();
      EXPECT_TRUE((*slot)->apart());
      EXPECT_TRUE((*slot)->prepare());
    }
  }
  fs::current_path(directory);
  if (!refused.empty()) GTEST_SKIP() << refused;
  EXPECT_EQ(test::contents(project.path() / "starts"), "started\n") << "of the one start before they were apart";
}

TEST(ServiceNames, are_what_the_machines_resolver_says) {
  test::Folder folder;
  folder.write("hosts", "10.1.2.3 web\n");
  EXPECT_APART([&]() -> std::string {
    if (mount((folder.path() / "hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) != 0) return "mount";
    std::vector<Service> services(2);
    services[0].name = "web", services[0].address = "web:8080";
    services[1].name = "queue", services[1].address = "queue.invalid:1";
    auto unknown = resolve_names(services);
    if (services[0].address != "10.1.2.3:8080") return services[0].address;
    if (unknown.size() != 1 || !unknown[0].starts_with("[service.queue] address: queue.invalid is not known here ("))
      return "not told";
    return {};
  });
}

TEST(DataFolder, holds_what_it_held_with_its_modes_after_it_was_put_back) {
  test::Folder folder;
  auto data = folder.path() / "data", copy = folder.path() / "copies" / "data";
  folder.write("data/base/1", "one");
  chmod((data / "base" / "1").c_str(), 0640);
  fs::create_symlink("base/1", data / "current");
  ASSERT_TRUE(copy_folder(data, copy));
  folder.write("data/base/1", "two");
  folder.write("data/base/2", "two");
  fs::remove(data / "current");
  ASSERT_TRUE(put_back(data, copy));
  EXPECT_EQ(test::contents(data / "current"), "one");
  EXPECT_FALSE(fs::exists(data / "base" / "2"));
  struct stat about{};
  stat((data / "base" / "1").c_str(), &about);
  EXPECT_EQ(about.st_mode & 07777, 0640u);
}

TEST(DataFolder, that_holds_more_than_a_service_s_own_is_refused) {
  test::Folder folder;
  EXPECT_TRUE(check_data_folder(folder.path(), "/elsewhere"));
  EXPECT_FALSE(check_data_folder(folder.path(), folder.path() / "logs"));
  EXPECT_FALSE(check_data_folder(folder.path() / "nowhere", "/elsewhere"));
  EXPECT_FALSE(check_data_folder(".", "/elsewhere"));
  EXPECT_FALSE(check_data_folder("/", "/elsewhere"));
}

TEST(DataFolder, that_does_not_fit_on_a_full_disk_is_told_in_a_line_that_says_where_the_first_state_is) {
  test::Folder folder;
  EXPECT_APART([&]() -> std::string {
    auto small = folder.path() / "small", kept = folder.path() / "kept";
    fs::create_directories(small);
    folder.write("kept/much", std::string(1 << 20, 'x'));
    if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) return "mount";
    auto back = put_back(small, kept);
    if (back) return "it fits";
    auto line = back.error().line();
    return line.contains("No space left on device") && line.contains("is in " + kept.string()) && !line.contains('\n')
               ? ""
               : line;
  });
}

}  // namespace
}  // namespace retrial::campaign
