#pragma once
#include <algorithm>
#include <functional>
#include <random>

// How made-up clients wait before their retries.
namespace retrial::oracles {

using Draw = std::minstd_rand;
inline double between(Draw& draw, double least, double most) {
  return std::uniform_real_distribution(least, most)(draw);
}

// What one client waits before its n-th retry (from 0), in seconds; `base` and `cap` are its own.
struct Schedule {
  const char* name;
  std::function<double(Draw&, int n, double base, double cap, double before)> wait;
};
inline double grown(int n, double base, double cap) {
  return std::min(cap, base * static_cast<double>(1ull << std::min(n, 40)));
}

inline const Schedule kGrowing[] = {
    {"exponential", [](auto&, int n, double base, double cap, double) { return grown(n, base, cap); }},
    {"exponential, jitter of a fifth",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0.8, 1.2); }},
    {"exponential, equal jitter",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0.5, 1); }},
    {"exponential, full jitter",
     [](auto& d, int n, double base, double cap, double) { return grown(n, base, cap) * between(d, 0, 1); }},
    {"decorrelated jitter", [](auto& d, int, double base, double cap,
                               double before) { return std::min(cap, between(d, base, std::max(base, 3 * before))); }},
    {"linear", [](auto&, int n, double base, double cap, double) { return std::min(cap, base * (n + 1)); }},
};
inline const Schedule kConstant[] = {
    {"the same", [](auto&, int, double base, double, double) { return base; }},
    {"the same, jitter of a fifth",
     [](auto& d, int, double base, double, double) { return base * between(d, 0.8, 1.2); }},
    {"once to twice", [](auto& d, int, double base, double, double) { return base * between(d, 1, 2); }},
};

}  // namespace retrial::oracles
