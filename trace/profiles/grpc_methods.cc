#include "trace/profiles/grpc_methods.h"

#include <algorithm>
#include <array>

#include "trace/profiles/grpc_message.h"
#include "trace/profiles/message.h"

namespace retrial::trace {
namespace {

struct Method {
  std::string_view path;
  Repeat repeat;
};
// A prefix of a path ends with '/'.
constexpr std::array kMethods = {
    Method{"/grpc.health.v1.Health/", Repeat::safe},
    Method{"/grpc.reflection.v1.ServerReflection/", Repeat::safe},
    Method{"/grpc.reflection.v1alpha.ServerReflection/", Repeat::safe},
    Method{"/grpc.channelz.v1.Channelz/", Repeat::safe},
    Method{"/etcdserverpb.KV/Range", Repeat::safe},
    // A second one makes another revision of the same value: who compares revisions is told, the state is the same.
    Method{"/etcdserverpb.KV/Put", Repeat::idempotent},
    Method{"/etcdserverpb.KV/DeleteRange", Repeat::idempotent},
    Method{"/etcdserverpb.KV/Compact", Repeat::idempotent},
    Method{"/etcdserverpb.Watch/Watch", Repeat::safe},
    Method{"/etcdserverpb.Lease/LeaseRevoke", Repeat::idempotent},
    Method{"/etcdserverpb.Lease/LeaseKeepAlive", Repeat::idempotent},
    Method{"/etcdserverpb.Lease/LeaseTimeToLive", Repeat::safe},
    Method{"/etcdserverpb.Lease/LeaseLeases", Repeat::safe},
    Method{"/etcdserverpb.Cluster/MemberList", Repeat::safe},
    Method{"/etcdserverpb.Cluster/MemberAdd", Repeat::guarded},  // its addresses are taken then
    Method{"/etcdserverpb.Cluster/MemberRemove", Repeat::idempotent},
    Method{"/etcdserverpb.Cluster/MemberUpdate", Repeat::idempotent},
    Method{"/etcdserverpb.Cluster/MemberPromote", Repeat::idempotent},
    Method{"/etcdserverpb.Maintenance/Status", Repeat::safe},
    Method{"/etcdserverpb.Maintenance/Hash", Repeat::safe},
    Method{"/etcdserverpb.Maintenance/HashKV", Repeat::safe},
    Method{"/etcdserverpb.Maintenance/Snapshot", Repeat::safe},
    Method{"/etcdserverpb.Maintenance/Defragment", Repeat::idempotent},
    Method{"/etcdserverpb.Maintenance/MoveLeader", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/AuthEnable", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/AuthDisable", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/AuthStatus", Repeat::safe},
    Method{"/etcdserverpb.Auth/Authenticate", Repeat::safe},  // a token more
    Method{"/etcdserverpb.Auth/UserAdd", Repeat::guarded},
    Method{"/etcdserverpb.Auth/UserGet", Repeat::safe},
    Method{"/etcdserverpb.Auth/UserList", Repeat::safe},
    Method{"/etcdserverpb.Auth/UserDelete", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/UserChangePassword", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/UserGrantRole", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/UserRevokeRole", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/RoleAdd", Repeat::guarded},
    Method{"/etcdserverpb.Auth/RoleGet", Repeat::safe},
    Method{"/etcdserverpb.Auth/RoleList", Repeat::safe},
    Method{"/etcdserverpb.Auth/RoleDelete", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/RoleGrantPermission", Repeat::idempotent},
    Method{"/etcdserverpb.Auth/RoleRevokePermission", Repeat::idempotent},
};
constexpr std::string_view kLeaseGrant = "/etcdserverpb.Lease/LeaseGrant";
constexpr std::string_view kTxn = "/etcdserverpb.KV/Txn";

// A field of the outermost message: its number if it is one, else whether it is there. Fields stand in the order of
// their numbers, as every known encoder writes them.
struct Field {
  bool has = false;
  std::uint64_t number = 0;
};
Field field(std::string_view message, std::uint64_t wanted) {
  while (!message.empty()) {
    auto tag = take_varint(message);
    if (!tag) break;
    Field found{.has = *tag >> 3 == wanted};
    std::optional<std::uint64_t> length = 0;
    switch (*tag & 7) {
      case 0: {
        auto value = take_varint(message);
        if (!value) return found;
        found.number = *value;
        break;
      }
      case 1:
        length = 8;
        break;
      case 2:
        length = take_varint(message);
        break;
      case 5:
        length = 4;
        break;
      default:
        return {};
    }
    if (found.has || !length) return found;
    message.remove_prefix(std::min<std::uint64_t>(*length, message.size()));
  }
  return {};
}

}  // namespace

Repeat repeat_of_method(const Exchange& e) {
  auto path = message::path_of(e.target);
  for (auto& m : kMethods)
    if (m.path.ends_with('/') ? path.starts_with(m.path) : path == m.path) return m.repeat;
  auto said = first_message(e, e.request_sample);
  if (!said) return Repeat::unknown;
  // Without `compare` (1) it is the puts and deletes within it: what each of them alone would be.
  if (path == kTxn) return field(*said, 1).has ? Repeat::guarded : Repeat::idempotent;
  // With an `ID` (2) of the client's a second one is refused; without, etcd gives it one of its own each time.
  if (path == kLeaseGrant) return field(*said, 2).number ? Repeat::guarded : Repeat::effect;
  return Repeat::unknown;
}

std::string effect_of_method(const Exchange& e) {
  if (message::path_of(e.target) != kLeaseGrant || !message::succeeded(e)) return {};
  auto said = first_message(e, e.response_sample);
  auto id = said ? field(*said, 2).number : 0;
  return id ? std::to_string(id) : std::string();
}

}  // namespace retrial::trace
