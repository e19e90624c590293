#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>

#include "base/private_files.h"
#include "campaign/report/format.h"
#include "cli/commands.h"

namespace retrial::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kAll = ".retrial";
constexpr auto kMarker = ".retrial-campaign";  // stands in every folder that we made, and may empty

Result<fs::path> create(const fs::path& folder) {
  if (auto made = private_folder(folder); !made) return std::unexpected(made.error());
  return folder;
}

// A folder is that of one process at a time, for as long as it lives: its lock on the marker goes with it.
Result<void> lock(const fs::path& folder) {
  auto marker = folder / kMarker;
  int descriptor = open(marker.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail("cannot be written", folder.string(), Blame::user);
  struct flock all{};
  all.l_type = F_WRLCK;
  if (fcntl(descriptor, F_SETLK, &all) == 0 || (errno != EACCES && errno != EAGAIN)) return {};
  close(descriptor);
  return fail("another retrial is at work in it: wait for its end, or name another folder", folder.string(),
              Blame::user);
}

// A folder of the user's choice: new, empty, or an earlier campaign's, which is emptied.
Result<fs::path> claim(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / kMarker)) {
    if (auto ok = lock(folder); !ok) return std::unexpected(ok.error());
    for (auto part : {"trace", "logs", "events", "agents", "trust", "campaign.db"})
      fs::remove_all(folder / part, error);
    for (auto& format : campaign::report::formats()) fs::remove_all(folder / format.file, error);
  } else if (fs::exists(folder) && !fs::is_directory(folder)) {
    return fail("is a file: name a folder that is new or empty", folder.string(), Blame::user);
  } else if (fs::exists(folder) && !fs::is_empty(folder, error)) {
    return fail("holds files, and no campaign of ours: name a folder that is new or empty", folder.string(),
                Blame::user);
  }
  auto made = create(folder);
  if (!made) return made;
  if (auto ok = lock(folder); !ok) return std::unexpected(ok.error());
  return made;
}

std::string local_time() {
  auto now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return fmt::format("{:%Y%m%d-%H%M%S}", local);
}

void keep_out_of_git(const fs::path& all) {
  if (!fs::exists(all / ".gitignore")) std::ofstream(all / ".gitignore") << "*\n";
}

// .retrial/<name>, or with -2, -3, … where that is taken.
Result<fs::path> create_new(const std::string& name) {
  fs::path all = kAll;
  if (auto made = create(all); !made) return made;
  keep_out_of_git(all);
  std::error_code error;
  auto folder = all / name;
  for (int n = 2; !fs::create_directory(folder, error) && !error; n++) folder = all / fmt::format("{}-{}", name, n);
  if (error) return fail("cannot be made: " + error.message(), folder.string(), Blame::user);
  return folder;
}

// Killed at any moment, .retrial/latest names this one or the one before.
void name_latest(const fs::path& folder) {
  fs::path all = kAll;
  if (!create(all)) return;
  keep_out_of_git(all);
  std::error_code error;
  auto draft = all / fmt::format("latest.{}", getpid());
  fs::remove(draft, error);
  fs::create_directory_symlink(folder, draft, error);
  fs::rename(draft, all / "latest", error);
}

// `node --test`, which looks for tests in every folder, ends at a link that leads nowhere.
void drop_latest_of_what_is_gone() {
  std::error_code error;
  if (fs::is_symlink(kLatest, error) && !fs::exists(kLatest, error)) fs::remove(kLatest, error);
}

}  // namespace

Result<fs::path> make_folder(const std::string& out, bool latest) {
  drop_latest_of_what_is_gone();
  auto folder = out.empty() ? create_new(local_time()) : fs::path(out);
  auto made = folder ? claim(*folder) : folder;
  if (made && latest) name_latest(out.empty() ? made->filename() : fs::absolute(*made));
  if (made || !out.empty()) return made;
  return fail(made.error().what + "; name another folder with --out", made.error().on, Blame::user);
}

Result<fs::path> make_side_folder(const std::string& out, const std::string& command) {
  drop_latest_of_what_is_gone();
  return out.empty() ? create_new(command + "-" + local_time()) : create(out);
}

Result<fs::path> make_kept_folder(const std::string& name) {
  fs::path all = kAll;
  if (auto made = create(all); !made) return made;
  keep_out_of_git(all);
  return create(all / name);
}

Result<void> check_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return {};
  if (fs::is_symlink(folder, error))
    return fail(fmt::format("names {}, which is not there any more: name another folder",
                            fs::read_symlink(folder, error).string()),
                folder.string(), Blame::user);
  auto what = fs::exists(folder, error) ? "expected a folder"
              : folder == kLatest       ? "no campaign was found here; run `retrial run` first, or name a folder"
                                        : "there is no such folder; expected one that Retrial wrote";
  return fail(what, folder.string(), Blame::user);
}

int complain(const std::string& line, int status) {
  fmt::print(stderr, "retrial: {}\n", line);
  return status;
}

}  // namespace retrial::cli
