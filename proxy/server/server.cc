#include "proxy/server/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "base/descriptor_limit.h"
#include "base/text.h"
#include "proxy/server/listener.h"
#include "proxy/server/rules.h"
#include "proxy/server/trusts.h"
#include "proxy/server/worker.h"
#include "trace/recording/segment_folder.h"

namespace retrial::proxy {
namespace {

// The options of a listener with what must live as long as a client of it.
struct OptionsAndSecurity {
  ListenerOptions options;
  std::vector<std::shared_ptr<TlsToService>> security;
};

ListenMode listen_mode_of(Mode mode) {
  return mode == Mode::reverse   ? ListenMode::reverse
         : mode == Mode::envoy   ? ListenMode::envoy
         : mode == Mode::forward ? ListenMode::forward
                                 : ListenMode::transparent;
}

// A listening socket by what it cannot change.
std::string key_of(const Address& at, Mode mode) { return at.show() + (mode == Mode::tproxy ? " transparent" : ""); }

Result<void> enough_kept(const ServerSettings& settings, int loops) {
  if (!settings.recording) return {};
  auto least = least_keep(loops, settings.options.head_limit);
  if (settings.recording->keep >= least) return {};
  return fail(fmt::format("expected at least \"{}\" with {} loop{}: 64KiB for each, and four times head_size",
                          show_size(least), loops, loops == 1 ? "" : "s"),
              fmt::format("keep = \"{}\"", show_size(settings.recording->keep)), Blame::user);
}

// Clients have half of the descriptors that are left once we have ours; the other half is for connections to services.
Result<std::size_t> most_connections(const ServerSettings& settings, int loops) {
  auto ours = 64 + 32 * static_cast<std::size_t>(loops) + settings.listeners.size() * static_cast<std::size_t>(loops);
  auto descriptors = descriptor_limit();
  auto most = descriptors > ours ? (descriptors - ours) / 2 : 0;
  if (most < static_cast<std::size_t>(loops))
    return fail(fmt::format("expected at least {} open files, for {} of our own",
                            ours + 2 * static_cast<std::size_t>(loops), ours),
                fmt::format("the limit on open files is {}", descriptors), Blame::user);
  if (settings.most_connections > most)
    return fail(fmt::format("expected at most {}: the limit on open files is {}, and a client may need two of them",
                            most, descriptors),
                fmt::format("max_connections = {}", settings.most_connections), Blame::user);
  return settings.most_connections ? settings.most_connections : most;
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

struct Server::Impl {
  const Clock& clock;
  QuietLog log;
  Trusts trusts;
  SharedCalls calls;
  std::unique_ptr<Safety> safety;
  std::unique_ptr<Meters> meters;  // null: nothing is counted
  // In force, and before them: who was last to hold rules frees them, and that takes a moment where there are many.
  std::shared_ptr<const Rules> rules, rules_before;
  Incomplete incomplete;
  std::unique_ptr<certs::LeafStore> leaves;
  std::unique_ptr<TlsToClients> to_clients;
  std::shared_ptr<TlsToService> to_services;
  int loops = 1;
  trace::Run run;
  std::shared_ptr<MemoryBudget> memory;
  std::size_t most_connections = 0;
  struct Place {
    std::string key;
    Address asked;  // as the settings have it
    Address at;
  };
  std::vector<Place> places;
  std::vector<std::unique_ptr<Worker>> workers;
  std::atomic<std::size_t> undrained{0};

  Impl(const Clock& c, Log& l) : clock(c), log(l, c) {}
  ~Impl() {
    for (auto& w : workers) w->stop();
    for (auto& w : workers) w->join();
    // Where a loop fails only here, those that ended before it say so too.
    std::string known;
    do {
      known = incomplete.why();
      for (auto& w : workers) w->end_trace();
    } while (known != incomplete.why());
  }

  Result<std::shared_ptr<const ListenerOptions>> options_of(const ListenerSettings& l,
                                                            const std::vector<ServiceSettings>& services) {
    auto made = std::make_shared<OptionsAndSecurity>();
    auto route_to = [&](const ServiceSettings& service) -> Result<Route> {
      auto security = trusts.of(service.security);
      if (!security) return std::unexpected(security.error());
      made->security.push_back(*security);
      return Route{.host = service.host,
                   .port = service.port,
                   .tls = service.tls,
                   .http2 = service.http2,
                   .server_name = service.server_name,
                   .security = security->get(),
                   .allow = service.allow,
                   .connect_timeout = service.connect_timeout,
                   .resolve_timeout = service.resolve_timeout};
    };
    made->options = {.mode = listen_mode_of(l.mode), .protocol = l.protocol, .to = l.to};
    if (l.mode == Mode::reverse || (l.mode == Mode::envoy && !l.service.host.empty())) {
      auto route = route_to(l.service);
      if (!route) return std::unexpected(route.error());
      made->options.route = std::move(*route);
    } else {
      for (auto& service : services) {
        auto route = route_to(service);
        if (!route) return std::unexpected(route.error());
        made->options.known.push_back(std::move(*route));
      }
    }
    return std::shared_ptr<const ListenerOptions>(made, &made->options);
  }

  // What each worker is to open and to keep. New sockets are open when it returns; after an error none is left.
  Result<std::vector<std::vector<ListenerSocket>>> sockets_for(const ServerSettings& settings,
                                                               std::vector<Place>& now) {
    std::vector<std::vector<ListenerSocket>> all(static_cast<std::size_t>(loops));
    std::vector<int> opened;
    auto give_up = [&](const Error& error) {
      for (auto fd : opened) close(fd);
      return std::unexpected(error);
    };
    for (auto& l : settings.listeners) {
      auto options = options_of(l, settings.services);
      if (!options) return give_up(options.error());
      auto same = [&](auto& p) { return p.asked == l.at && l.at.port() != 0; };
      if (std::any_of(now.begin(), now.end(), same))
        return give_up({"cannot listen: two listeners have this address", l.at.show(), Blame::user});
      auto before = std::find_if(places.begin(), places.end(), [&](auto& p) {
        auto taken = std::any_of(now.begin(), now.end(), [&](auto& n) { return n.key == p.key; });
        return (p.asked == l.at || p.at == l.at) && p.key == key_of(p.at, l.mode) && !taken;
      });
      std::vector<int> fds(static_cast<std::size_t>(loops), -1);
      if (before == places.end()) {
        auto made = open_listeners(l.at, l.mode == Mode::tproxy, loops);
        if (!made) return give_up(made.error());
        fds = *made;
        opened.insert(opened.end(), fds.begin(), fds.end());
        auto at = l.at.port() ? l.at : address_of(fds.front());
        now.push_back({key_of(at, l.mode), l.at, at});
      } else {
        now.push_back(*before);
      }
      for (std::size_t i = 0; i < all.size(); i++) all[i].push_back({now.back().key, fds[i], l.mode, *options});
    }
    return all;
  }

  static Address address_of(int fd) {
    Address at;
    socklen_t size = sizeof at.storage_;
    getsockname(fd, at.get(), &size);
    return at;
  }

  void put_in_force(std::vector<RuleSettings> all, std::map<std::string, std::string> profiles,
                    trace::Descriptions descriptions) {
    auto next = numbered({std::move(all), std::move(profiles), std::move(descriptions)}, rules.get());
    rules_before = std::exchange(rules, std::move(next));
  }

  Result<void> make_workers(const ServerSettings& settings) {
    run.began = clock.now();
    run.wall_began = clock.wall();
    run.id = static_cast<std::uint64_t>(run.wall_began / kMillisecond);  // traces of several starts may share a folder
    std::shared_ptr<trace::SegmentFolder> folder;
    if (auto& r = settings.recording) {
      auto opened = trace::SegmentFolder::open(
          r->folder, {.segment = r->segment_bytes, .keep = r->keep, .writers = loops, .earlier = r->earlier});
      if (!opened) return std::unexpected(opened.error());
      folder = std::move(*opened);
    }
    for (int i = 0; i < loops; i++) {
      Worker::Setting setting{settings.options, {}, rules, nullptr, run};
      auto& o = setting.options;
      o.to_clients = to_clients.get();
      o.to_services = to_services.get();
      o.memory = memory;
      // Each client may need one to a service; those that only wait take a quarter of what is left for them.
      o.most_idle_services =
          std::clamp<std::size_t>(most_connections / 4 / static_cast<std::size_t>(loops), 1, o.most_idle_services);
      o.most_connections = (most_connections + static_cast<std::size_t>(loops) - 1) / static_cast<std::size_t>(loops);
      o.first_id = static_cast<std::uint64_t>(i) + 1;
      o.id_step = static_cast<std::uint64_t>(loops);
      setting.place = {.run = run.id,
                       .seed = settings.seed,
                       .loop = static_cast<std::uint64_t>(i),
                       .loops = static_cast<std::uint64_t>(loops),
                       .began = run.began,
                       .safety = safety.get(),
                       .meters = meters.get()};
      if (meters) setting.meter = &meters->of(static_cast<std::size_t>(i));
      if (folder) {
        auto writer = trace::SegmentWriter::open(folder);
        if (!writer) return std::unexpected(writer.error());
        setting.writer = std::move(*writer);
        if (auto ok = setting.writer->begin(run); !ok) return ok;
      }
      workers.push_back(std::make_unique<Worker>(std::move(setting), calls, incomplete, clock, log));
    }
    return {};
  }

  // `to_services` is for requests that name their service themselves.
  Result<void> secure(const ServerSettings& settings) {
    if (settings.authority) {
      leaves = std::make_unique<certs::LeafStore>(*settings.authority, clock);
      to_clients = std::make_unique<TlsToClients>(*leaves);
    }
    auto security = trusts.of({});
    if (!security) return std::unexpected(security.error());
    to_services = *security;
    return {};
  }
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;
int Server::loops() const { return impl_->loops; }
const trace::Run& Server::run() const { return impl_->run; }

Result<std::unique_ptr<Server>> Server::start(ServerSettings settings, const Clock& clock, Log& log) {
  auto impl = std::make_unique<Impl>(clock, log);
  impl->loops = settings.loops ? settings.loops : cores();
  if (auto ok = enough_kept(settings, impl->loops); !ok) return std::unexpected(ok.error());
  auto most = most_connections(settings, impl->loops);
  if (!most) return std::unexpected(most.error());
  impl->most_connections = *most;
  if (settings.memory != 0)
    impl->memory = std::make_shared<MemoryBudget>(settings.memory, static_cast<std::size_t>(impl->loops));
  if (auto ok = impl->secure(settings); !ok) return std::unexpected(ok.error());
  auto sockets = impl->sockets_for(settings, impl->places);
  if (!sockets) return std::unexpected(sockets.error());
  impl->put_in_force(settings.rules, settings.profiles, settings.descriptions);
  impl->safety = std::make_unique<Safety>(settings.safety, clock);
  if (settings.metered) impl->meters = std::make_unique<Meters>(static_cast<std::size_t>(impl->loops));
  if (auto ok = impl->make_workers(settings); !ok) {
    for (auto& worker : *sockets)
      for (auto& d : worker) close(d.fd);
    return std::unexpected(ok.error());
  }
  for (std::size_t i = 0; i < impl->workers.size(); i++) impl->workers[i]->start(std::move((*sockets)[i]));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::vector<Address> Server::listening() const {
  std::vector<Address> all;
  for (auto& p : impl_->places) all.push_back(p.at);
  return all;
}

Result<void> Server::reload(ServerSettings settings) {
  std::vector<Impl::Place> places;
  auto sockets = impl_->sockets_for(settings, places);
  if (!sockets) return std::unexpected(sockets.error());
  impl_->places = std::move(places);
  impl_->put_in_force(settings.rules, settings.profiles, settings.descriptions);
  impl_->safety->change(settings.safety);
  for (std::size_t i = 0; i < impl_->workers.size(); i++)
    impl_->workers[i]->change(std::move((*sockets)[i]), impl_->rules);
  return {};
}

void Server::follow(std::vector<RuleSettings> rules) {
  impl_->put_in_force(std::move(rules), impl_->rules->profiles, impl_->rules->descriptions);
  for (auto& worker : impl_->workers) worker->follow(impl_->rules);
  for (auto& worker : impl_->workers) worker->ask();
}
std::shared_ptr<const Rules> Server::rules() const { return impl_->rules; }

Safety& Server::safety() { return *impl_->safety; }
void Server::resume(Nanos ttl) { impl_->safety->resume(ttl); }
void Server::halt(const std::string& why) {
  impl_->safety->halt(why);
  for (auto& worker : impl_->workers) worker->let_go();
}
std::optional<std::string> Server::look() {
  auto why = impl_->safety->look(counts());
  if (why)
    for (auto& worker : impl_->workers) worker->let_go();
  return why;
}
std::vector<Meter::OfService> Server::counts() const {
  return impl_->meters ? impl_->meters->read() : std::vector<Meter::OfService>();
}

void Server::drain(std::function<void()> done) {
  impl_->undrained = impl_->workers.size();
  for (auto& w : impl_->workers)
    w->drain([impl = impl_.get(), done] {
      if (--impl->undrained == 0) done();
    });
}

Server::State Server::state() const {
  State all;
  for (auto& w : impl_->workers) {
    auto one = w->ask();
    all.connections += one.connections;
    all.open_exchanges += one.open_exchanges;
    all.unrecorded += one.unrecorded;
    all.counts += one.counts;
  }
  return all;
}

}  // namespace retrial::proxy
