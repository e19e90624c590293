#pragma once
#include <cstdint>
#include <string_view>

namespace retrial::trace {

// What stands in a SOAP message, of which a body's sample holds the beginning. By local names: prefixes are free.
bool is_soap(std::string_view body);                   // its outermost element is an Envelope of SOAP 1.1 or 1.2
std::string_view soap_request(std::string_view body);  // the name of the first element of its Body; empty: none
enum class SoapFault : std::uint8_t { none, of_service, of_client };
SoapFault soap_fault(std::string_view body);  // by its code: whose turn it is

}  // namespace retrial::trace
