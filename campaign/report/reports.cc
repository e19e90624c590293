#include "campaign/report/reports.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/private_files.h"
#include "campaign/report/registry.h"

namespace retrial::campaign::report {
namespace {
Result<void> write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail_errno("cannot be written", errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// Under another name first: a reader, or a crash in the middle, finds the old file or the new one.
Result<void> replace(const std::filesystem::path& file, std::string_view text) {
  auto draft = file;
  draft += ".new";
  int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return fail_errno("cannot be written", errno, file.string());
  auto written = write_all(fd, text);
  if (written && ::fsync(fd) != 0) written = fail_errno("cannot be written", errno);
  if (::close(fd) != 0 && written) written = fail_errno("cannot be written", errno);
  if (written && ::rename(draft.c_str(), file.c_str()) != 0) written = fail_errno("cannot be put in place", errno);
  if (!written) {
    written.error().on = file.string();
    ::unlink(draft.c_str());
  }
  return written;
}
}  // namespace

Result<void> renew_findings(const std::filesystem::path& folder, const trace::CampaignRecord& campaign) {
  auto& format = findings_json_format();
  return replace(folder / format.file, format.text({campaign, {}}));
}

Result<void> write_reports(const std::filesystem::path& folder, const trace::CampaignRecord& campaign,
                           const std::vector<trace::Run>& runs, trace::Confidence fail_on) {
  if (std::filesystem::is_directory(folder))
    if (auto ours = private_folder(folder); !ours) return ours;
  for (auto& format : formats())
    if (auto done = replace(folder / format.file, format.text({campaign, runs, fail_on})); !done) return done;
  return {};
}

}  // namespace retrial::campaign::report
