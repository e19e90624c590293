#include "proxy/capture/filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace retrial::proxy::capture {
namespace {
#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
#error "capture knows x86-64 and arm64"
#endif
constexpr std::uint64_t kTick = 0x7265747269616cull;  // "retrial": no address of user space
}  // namespace

Filter install_filter() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_connect, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpeername, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 2, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };
  sock_fprog program{sizeof code / sizeof *code, code};
  // Without SPEC_ALLOW kernels before 5.16 slow the whole tree down (speculative store bypass).
  unsigned long flags =
      SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_SPEC_ALLOW | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
  for (int round = 0; round < 3; ++round) {
    const long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
    if (listener >= 0) return {static_cast<int>(listener), 0, (flags & SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV) != 0};
    if (errno == EINVAL && (flags & SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV))
      flags &= ~SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    else if (errno != EACCES || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      break;
  }
  return {-1, errno, false};
}

void tick() { syscall(SYS_getpeername, -1, kTick, kTick); }

bool is_tick(int system_call, const __u64* arguments) {
  return system_call == SYS_getpeername && static_cast<int>(arguments[0]) == -1 && arguments[1] == kTick &&
         arguments[2] == kTick;
}

}  // namespace retrial::proxy::capture
