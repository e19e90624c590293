#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/exchange.h"

namespace retrial::trace {

// An answer in the service's own shape. Header names and the body are exact bytes; Content-Length is added by whoever
// sends it.
struct Answer {
  int status = 0;
  std::string reason;
  std::vector<Header> headers;
  std::string body;
  bool closes = false;  // HTTP/1: the connection ends with it, as with the service's own
};

// May this operation be repeated, going by what is known of the service?
enum class Repeat : std::uint8_t {
  safe,        // no effect (RFC 9110 9.2.1), or none that a caller could miss
  idempotent,  // a second execution changes nothing more (9.2.2)
  guarded,     // an idempotency key, dedup token or condition in this very request makes a second execution harmless or
               // refused
  effect,      // each execution has its own effect
  unknown,     // by method neither safe nor idempotent (POST, PATCH), and nothing is known of the service
};

// What is known of one service family. Stateless; one file a family.
class Profile {
 public:
  virtual ~Profile() = default;
  virtual std::string_view name() const = 0;  // "azure-storage"

  // Is this exchange one of the family's? Judged from the head of the request and, once known, of the response.
  virtual bool recognises(const Exchange& exchange) const = 0;

  // Request headers whose value stays the same over the attempts of one call (where the client keeps it), in lower
  // case.
  virtual std::span<const std::string_view> id_headers() const = 0;

  // Those that make a request guarded, beside message::key_headers(); in lower case.
  virtual std::span<const std::string_view> key_headers() const { return {}; }

  // Path template with the data taken out, action included: what stands after the method in an operation's name, or
  // the whole name where the method says nothing.
  virtual std::string operation(const Exchange& exchange) const = 0;

  // May the operation stand in the body? Judged from a request's head, which is kept back until the body's beginning
  // has come: by then the sample is there for all that is asked above and below.
  virtual bool names_in_body(const Exchange&) const { return false; }

  // Does the method say what a request does (RFC 9110 9.2)? Not of remote procedure calls, which are all POST.
  virtual bool method_tells() const { return true; }

  // Is it a way of speaking, of which services of all kinds make use? Then nothing is known of what theirs mean.
  virtual bool is_protocol() const { return false; }

  virtual Repeat repeat(const Exchange& exchange) const = 0;

  // Does the service mean, by this status and body sample, "try again"? Else an error is permanent.
  virtual bool transient(int status, std::string_view body) const = 0;

  // Does what the client was told of this exchange mean that? More may say so than status and body.
  virtual bool asks_again(const Exchange& exchange) const {
    return transient(exchange.client_status, exchange.response_sample);
  }

  // Does the body of the service's good answer (2xx) tell that it did not do what was asked?
  virtual bool fails(const Exchange& exchange) const {
    return transient(exchange.service_status, exchange.response_sample);
  }

  // The first transient code for this operation (503 where nothing better is known).
  virtual int transient_status(const Exchange& exchange) const = 0;

  // Does the service tell by this status (408, 504) of a time-out of its own, after which the request may be executed
  // all the same? Else 504 is a gateway's.
  virtual bool times_out(int) const { return false; }

  // An error with that status, in the shape the service itself gives for this request. `marker`, "retrial-<fault id>",
  // stands in body and headers; HEAD gets no body. Content-Length and Date are left to whoever sends it.
  virtual Answer error(const Exchange& exchange, int status, std::string_view marker) const = 0;

  // Things that a successful answer created (ids, Location, receipt handles): two answers of one call that differ here
  // show two effects. Empty: none can be told.
  virtual std::string effect(const Exchange& exchange) const = 0;
};

// The name of the one that recognises everything.
inline constexpr std::string_view kGeneric = "generic";
// All profiles (registry.h), the generic one last; they live as long as the process.
std::span<const Profile* const> profiles();
// Those that are built in. Theirs are names that no other may have.
std::span<const Profile* const> builtin_profiles();
// From now on these are among profiles(), before all that are built in but gRPC. Before any thread reads one; once.
void add_profiles(std::vector<std::shared_ptr<const Profile>> own);
// The first that recognises it (the generic one recognises everything).
const Profile& profile_for(const Exchange& exchange);
// By name, or null.
const Profile* profile_named(std::string_view name);
// The profile that the exchange names, else the first that recognises it.
const Profile& profile_of(const Exchange& exchange);
// Of the profiles of protocols the one that this request speaks; the generic one where it speaks none.
const Profile& protocol_of(const Exchange& exchange);
// told_failure or unreadable (exchange.h), or a 2xx whose body its profile reads as an error.
bool told_failed(const Exchange& exchange);
// Executed with a 2xx whose body its profile does not read as an error, whether the client saw it or not.
bool carried_out(const Exchange& exchange);

}  // namespace retrial::trace
