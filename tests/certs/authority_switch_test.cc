// An authority is made or replaced at once: nobody ever meets a half.
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <set>
#include <thread>

#include "certs/authority.h"
#include "tests/support/folder.h"

namespace retrial::certs {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::Folder;

Authority made() {
  static const ManualClock clock;
  return Authority::make(clock).value();
}

// As authorities were kept before, and as those of others are: two plain files.
void keep_plainly(const Authority& authority, const fs::path& folder) {
  fs::create_directories(folder);
  std::ofstream(folder / "ca.pem") << authority.pem();
  auto* key = fopen((folder / "ca.key").c_str(), "w");
  PEM_write_PrivateKey(key, authority.credential().key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  fclose(key);
  chmod((folder / "ca.key").c_str(), 0600);
}

// Loads it again and again while `change` is under way, and says what went wrong, if anything did.
template <class Change>
std::string said_while(const fs::path& folder, Change change) {
  std::atomic<bool> over{false};
  std::string wrong;
  std::thread reader([&] {
    do {
      auto loaded = Authority::load(folder);
      if (!loaded) wrong = loaded.error().line();
    } while (!over && wrong.empty());
  });
  change();
  over = true;
  reader.join();
  return wrong;
}

TEST(AuthoritySwitch, who_reads_meanwhile_never_meets_the_key_of_another) {
  Folder folder;
  ASSERT_TRUE(made().save(folder.path()));
  std::vector<Authority> all;
  for (int i = 0; i < 30; i++) all.push_back(made());
  EXPECT_EQ(said_while(folder.path(),
                       [&] {
                         for (auto& authority : all) EXPECT_TRUE(authority.save(folder.path(), true));
                       }),
            "");
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), all.back().fingerprint());
}

TEST(AuthoritySwitch, nor_where_plain_files_are_replaced) {
  Folder folder;
  auto old = made(), fresh = made();
  for (int i = 0; i < 30; i++) {
    auto at = folder.path() / std::to_string(i);
    keep_plainly(old, at);
    EXPECT_EQ(said_while(at, [&] { EXPECT_TRUE(fresh.save(at, true)); }), "");
    EXPECT_EQ(Authority::load(at)->fingerprint(), fresh.fingerprint());
    EXPECT_EQ(Authority::load(at / old.folder_name())->fingerprint(), old.fingerprint()) << "it is kept";
  }
}

constexpr int kUntraceable = 77;

// Runs `what` in a child that is killed as it enters its nth system call. True: it came to its end before.
bool done_before_call(int n, const std::function<bool()>& what) {
  auto child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kUntraceable);
    raise(SIGSTOP);
    _exit(what() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int stops = 0; WIFSTOPPED(status) && stops < 2 * n - 1;
       stops++) {  // each call stops twice: as it begins and ends
    ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
  }
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == kUntraceable) << "no child can be traced here";
  if (WIFEXITED(status)) return WEXITSTATUS(status) != 1;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return false;
}

TEST(AuthoritySwitch, killed_at_any_step_it_is_the_old_one_or_the_new_one) {
  Folder folder;
  auto old = made(), fresh = made(), third = made();
  bool done = false;
  int n = 0;
  for (; !done && n < 1000; n++) {
    auto at = folder.path() / std::to_string(n);
    keep_plainly(old, at);
    done = done_before_call(n + 1, [&] { return bool(fresh.save(at, true)); });
    auto loaded = Authority::load(at);
    ASSERT_TRUE(loaded) << loaded.error().line() << " after call " << n;
    EXPECT_TRUE(loaded->fingerprint() == old.fingerprint() || loaded->fingerprint() == fresh.fingerprint()) << n;
    ASSERT_TRUE(third.save(at, true)) << "what was left is not in the next one's way";
    EXPECT_EQ(Authority::load(at)->fingerprint(), third.fingerprint());
  }
  EXPECT_TRUE(done);
  EXPECT_GT(n, 10) << "it takes that many calls at least";
}

TEST(AuthoritySwitch, two_that_make_one_in_the_same_new_folder_have_the_same) {
  Folder folder;
  for (int round = 0; round < 20; round++) {
    auto at = folder.path() / std::to_string(round) / "ca";
    SystemClock clock;
    std::vector<std::string> fingerprints(4);
    std::atomic<int> making{0}, ready{0};
    std::vector<std::thread> threads;
    for (auto& fingerprint : fingerprints)
      threads.emplace_back([&] {
        ready++;
        while (ready < 4) std::this_thread::yield();
        auto kept = Authority::load_or_make(at, clock);
        ASSERT_TRUE(kept) << kept.error().line();
        making += kept->made;
        fingerprint = kept->authority.fingerprint();
      });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(std::set(fingerprints.begin(), fingerprints.end()).size(), 1u);
    EXPECT_EQ(making, 1);
    EXPECT_EQ(Authority::load(at)->fingerprint(), fingerprints[0]);
    EXPECT_EQ(std::distance(fs::directory_iterator(at), {}), 4) << "the others' are gone";
  }
}

TEST(AuthoritySwitch, plain_files_are_read_as_they_are) {
  Folder folder;
  auto authority = made();
  keep_plainly(authority, folder.path());
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), authority.fingerprint());
  SystemClock clock;
  auto kept = Authority::load_or_make(folder.path(), clock);
  ASSERT_TRUE(kept) << kept.error().line();
  EXPECT_FALSE(kept->made);
  EXPECT_EQ(kept->authority.fingerprint(), authority.fingerprint());
  EXPECT_FALSE(made().save(folder.path()));
}

// What a reader does that knows nothing of our folders.
TEST(AuthoritySwitch, both_files_stand_in_the_folder_under_their_old_names) {
  Folder folder;
  for (int i = 0; i < 2; i++) {
    auto authority = made();
    ASSERT_TRUE(authority.save(folder.path(), i > 0));
    EXPECT_EQ(contents(folder.path() / "ca.pem"), authority.pem());
    EXPECT_NE(contents(folder.path() / "ca.key").find("PRIVATE KEY"), std::string::npos);
  }
}

TEST(AuthoritySwitch, a_making_that_was_broken_off_is_taken_up_again) {
  Folder folder;
  fs::create_symlink("current/ca.pem", folder.path() / "ca.pem");
  EXPECT_FALSE(Authority::stands_in(folder.path()));
  auto authority = made();
  ASSERT_TRUE(authority.save(folder.path()));
  EXPECT_TRUE(Authority::stands_in(folder.path()));
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), authority.fingerprint());
}

// As the message about a key of another certificate advises.
TEST(AuthoritySwitch, who_removes_both_files_gets_a_new_one_and_the_old_folder_stays) {
  Folder folder;
  auto old = made(), fresh = made();
  ASSERT_TRUE(old.save(folder.path()));
  fs::remove(folder.path() / "ca.pem");
  fs::remove(folder.path() / "ca.key");
  ASSERT_TRUE(fresh.save(folder.path()));
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), fresh.fingerprint());
  EXPECT_EQ(Authority::load(folder.path() / old.folder_name())->fingerprint(), old.fingerprint());
  fs::remove_all(folder.path() / fresh.folder_name());
  SystemClock clock;
  auto kept = Authority::load_or_make(folder.path(), clock);
  ASSERT_TRUE(kept) << kept.error().line();
  EXPECT_TRUE(kept->made);
  EXPECT_FALSE(kept->unsaved);
}

// `cp` writes through the links: the folder's name is then that of another.
TEST(AuthoritySwitch, one_that_was_copied_over_the_links_is_kept_under_its_own_name) {
  Folder folder, elsewhere;
  auto first = made(), own = made(), fresh = made();
  ASSERT_TRUE(first.save(folder.path()));
  ASSERT_TRUE(own.save(elsewhere.path()));
  for (auto* name : {"ca.pem", "ca.key"})
    std::ofstream(folder.path() / name, std::ios::trunc) << contents(elsewhere.path() / name);
  ASSERT_EQ(Authority::load(folder.path())->fingerprint(), own.fingerprint());
  ASSERT_TRUE(fresh.save(folder.path(), true));
  EXPECT_EQ(Authority::load(folder.path())->fingerprint(), fresh.fingerprint());
  EXPECT_EQ(Authority::load(folder.path() / own.folder_name())->fingerprint(), own.fingerprint());
}

}  // namespace
}  // namespace retrial::certs
