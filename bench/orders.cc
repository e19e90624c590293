// retrial_orders EXCHANGES: what `predict` makes of a suite of so many requests: a hundred workers that put down and
// read parts, and wait for each other's; one of them dies, and another takes its work up. Prints for each analysis its
// name, seconds of processor time, and the MiB that it takes at most beside the trace; before them those of the trace
// itself.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>

#include "predict/death.h"
#include "predict/near_misses.h"
#include "predict/time_of_fault.h"
#include "trace/fault_name.h"

using namespace retrial;
using trace::Exchange;

namespace {

constexpr int kWorkers = 100, kSuccessor = kWorkers + 1;
constexpr Nanos kApart = 50'000;  // 20,000 requests a second

Exchange request(std::uint64_t id, int worker, const char* method, const std::string& target, int status) {
  Exchange e{.id = id, .connection = static_cast<std::uint64_t>(worker), .pid = worker, .service = "127.0.0.1:8080"};
  e.host = "parts.example";
  e.method = method;
  e.target = target;
  e.operation = e.method + " /parts/{id}";
  e.profile = "http";
  e.request_headers = {
      {"Host", e.host}, {"User-Agent", "client/1.4 (linux)"}, {"Accept", "application/json"}, {"Content-Length", "40"}};
  e.tag.site = trace::CallSite{"worker.py", *method == 'P' ? 31 : 44, "work"};
  e.tag.test = "command";
  e.request_sample = *method == 'P' ? R"({"done": true, "by": "a worker of many"})" : "";
  e.response_headers = {{"Content-Type", "application/json"}, {"Content-Length", "180"}, {"Server", "parts/2.0"}};
  e.response_sample = R"({"part": ")" + target + R"(", "name": ")" + std::string(150, 'x') + "\"}";
  e.begun = e.request_read = static_cast<Nanos>(id) * kApart;
  e.answered = e.service_done = e.told = e.begun + kMillisecond;
  e.ending = trace::Ending::answered;
  e.service_status = e.client_status = status;
  return e;
}

// Each worker in turn: it puts a part down, and reads what its neighbour has put down lately, or will.
trace::Run suite(std::size_t count) {
  trace::Run run{.id = 1};
  run.exchanges.reserve(count + count / kWorkers);
  for (std::uint64_t id = 1; id <= count; id++) {
    int worker = static_cast<int>(id / 2 % kWorkers) + 1;
    auto part = id / 2 / kWorkers * kWorkers + static_cast<std::uint64_t>(id % 2 ? worker : (worker + 1) % kWorkers);
    auto target = "/parts/" + std::to_string(part);
    run.exchanges.push_back(request(id, worker, id % 2 ? "PUT" : "GET", target, id % 2 ? 201 : 200));
  }
  return run;
}

// In the middle of it one worker dies; its successor reads what it had done.
trace::Run with_death(std::size_t count) {
  auto run = suite(count);
  auto& all = run.exchanges;
  for (std::size_t i = 0, died = 0; i < all.size(); i++) {
    if (all[i].pid != 1) continue;
    if (died) {
      all[i].pid = kSuccessor;
    } else if (i > all.size() / 2 && all[i].method == "PUT") {
      died = i;
      all[i].fired = true;
      all[i].fault = {.name = trace::FaultName::crash, .point = trace::Point::executed};
      all[i].fired_at = all[i].answered;
      all[i].client_status = 0;
      all[i].ending = trace::Ending::reset;
    }
  }
  return run;
}

double mib_of(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(what)) return std::strtod(line.c_str() + line.find(':') + 1, nullptr) / 1024;
  return 0;
}

void measure(const char* name, const std::function<std::size_t()>& what) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // VmHWM begins anew: proc(5)
  auto before = mib_of("VmRSS");
  auto began = std::clock();
  auto found = what();
  auto took = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  std::printf("%s %.1f %.0f %zu\n", name, took, mib_of("VmHWM") - before, found);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  auto count = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (!count) return std::fprintf(stderr, "retrial_orders: EXCHANGES\n"), 2;
  trace::Run run, died;
  measure("trace", [&] { return (run = suite(count)).exchanges.size(); });
  died = with_death(count);
  measure("near-misses", [&] { return predict::near_misses(run).size(); });
  measure("further-apart", [&] { return predict::further_apart(run); });
  measure("waits", [&] { return predict::waits_of(run).size(); });
  measure("moments", [&] { return predict::moments(run).size(); });
  measure("recovery", [&] {
    std::vector<predict::Borne> borne{&died};
    return predict::falls_of(run, borne).size();
  });
}
