#pragma once
#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/config/config.h"

namespace retrial::campaign {

// What is there for a run besides itself: the services of retrial.toml, kept by a process of ours that ends them when
// it is told to, and when we die. Apart, run and services have namespaces of their own (namespaces.h), so that what
// listens at a fixed port is each slot's own; else they share this machine's. We ask it, and so do the processes of
// runs that were forked from us; one is answered after the other.
class Slot {
 public:
  struct Where {
    std::filesystem::path logs;  // folder for the services' output
    int number = 0;              // 1 and on: apart; 0: this machine as it is
    // Apart: an empty folder for what is written to the working directory (private_writes.h), but to the campaign's
    // folder, which is the logs' parent. Empty: nothing is kept apart.
    std::filesystem::path layer = {};
  };
  // An error where it cannot be apart.
  static Result<std::unique_ptr<Slot>> open(const std::vector<Service>& services, Where where);
  ~Slot();          // ends its services, and waits for that
  void end_soon();  // asks for that, so that several end at the same time
  Slot(const Slot&) = delete;

  bool apart() const { return where_.number > 0; }
  // The process of a run goes there. Its PR_SET_PDEATHSIG is lost.
  Result<void> enter() const;
  // As Services::prepare. An error also where a signal came meanwhile: kInterrupted.
  static constexpr auto kInterrupted = "interrupted";
  Result<void> prepare();
  // As Services::lost, in one line: why the run says nothing; empty: none has ended.
  Result<std::string> lost();
  // As Services::strangers.
  Result<std::vector<std::string>> strangers(const std::set<std::string>& addresses);
  // As Services::written.
  Result<std::vector<std::string>> written(const std::set<std::string>& apart);
  // As Services::end.
  Result<void> end();
  // For the reader, since the services were started.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  Slot(Where where, pid_t keeper, int channel) : where_(std::move(where)), keeper_(keeper), channel_(channel) {}
  Result<std::vector<std::string>> ask(const std::string& what, const std::set<std::string>& of = {});

  Where where_;
  pid_t keeper_;
  int channel_;
  std::vector<std::string> remarks_;
};

// The slots of a campaign: at first number 0 for all runs, which then may share what they share without us; apart, one
// for each run that is under way.
class Slots {
 public:
  // `services` must outlive it.
  Slots(const std::vector<Service>& services, std::filesystem::path logs);
  ~Slots();
  // Ends all services. What went wrong is in remarks().
  void end();

  Result<void> start();  // the services of slot 0: errors in them are known before anything is run
  // From now on, or no longer, slots are apart. Each change ends the services of those before. An error says why they
  // cannot be: the machine allows none, at one of `reached` (loopback, where runs have met services) somebody answers
  // now who would not be there, or a service writes to files that each start of it would write to.
  Result<void> go_apart(const std::set<std::string>& reached);
  void come_back();
  bool apart() const { return apart_; }
  // For the n-th of the runs that are under way, from 0. It is made where it is not there yet.
  Result<Slot*> at(int n);

  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  const std::vector<Service>& services_;
  std::filesystem::path logs_;
  bool apart_ = false;
  bool starts_services() const;
  void make_layers();
  void remove_layers();
  Slot::Where place(int number) const;
  std::filesystem::path layers_;              // a folder that has each slot's layer; empty: they have none
  bool lost_data_ = false;                    // a folder could not be put back: its copy is all that there is
  std::vector<std::unique_ptr<Slot>> slots_;  // apart: of numbers from 1 on
  std::vector<std::string> remarks_;
};

}  // namespace retrial::campaign
