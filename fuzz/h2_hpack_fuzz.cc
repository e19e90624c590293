// HPACK, ours and nghttp2's: blocks that are made of the input are read alike by both, or by neither; and what we write
// both read back. The first byte of a step says what is done, the next how many bytes it is done with.
#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "proxy/codec/h2_hpack.h"

using namespace retrial::proxy;

namespace {

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "h2_hpack_fuzz: %s\n", what);
  std::abort();
}
struct Heard {
  bool ok = true;
  std::string fields;
};
void add(Heard& heard, std::string_view name, std::string_view value) {
  heard.fields.append(std::to_string(name.size())).append(name).append("=").append(value).append("\n");
}
Heard ours(HpackReader& reader, std::string_view block) {
  Heard heard;
  HpackField f;
  reader.begin(block);
  for (;;) {
    switch (reader.next(f)) {
      case HpackReader::Step::field:
        add(heard, f.name, f.value);
        if (!f.line.empty() && f.line != std::string(f.name) + ": " + std::string(f.value) + "\r\n") wrong("a line");
        if (auto again = f; judge(again), again.wrong != f.wrong || again.known != f.known)
          wrong("what is known of it");
        break;
      case HpackReader::Step::end:
        return heard;
      case HpackReader::Step::broken:
        heard.ok = false;
        return heard;
    }
  }
}
Heard theirs(nghttp2_hd_inflater* inflater, std::string_view block) {
  Heard heard;
  auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  auto left = block.size();
  for (;;) {
    nghttp2_nv nv;
    int flags = 0;
    auto n = nghttp2_hd_inflate_hd2(inflater, &nv, &flags, at, left, 1);
    if (n < 0) {
      heard.ok = false;
      return heard;
    }
    at += n;
    left -= static_cast<std::size_t>(n);
    if (flags & NGHTTP2_HD_INFLATE_EMIT)
      add(heard, {reinterpret_cast<char*>(nv.name), nv.namelen}, {reinterpret_cast<char*>(nv.value), nv.valuelen});
    if (flags & NGHTTP2_HD_INFLATE_FINAL) break;
  }
  nghttp2_hd_inflate_end_headers(inflater);
  return heard;
}
struct Free {
  void operator()(nghttp2_hd_inflater* i) const { nghttp2_hd_inflate_del(i); }
};
std::unique_ptr<nghttp2_hd_inflater, Free> inflater() {
  nghttp2_hd_inflater* made = nullptr;
  nghttp2_hd_inflate_new(&made);
  return std::unique_ptr<nghttp2_hd_inflater, Free>(made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto other = inflater(), other_of_ours = inflater();
  HpackReader reader, reader_of_ours;
  HpackWriter writer;
  auto* end = data + size;
  auto next = [&]() -> unsigned { return data < end ? *data++ : 0; };
  bool broken = false;
  while (data < end) {
    auto what = next();
    auto n = std::min<std::size_t>(next(), static_cast<std::size_t>(end - data));
    std::string_view bytes(reinterpret_cast<const char*>(data), n);
    switch (what % 4) {
      case 0:
      case 1: {
        data += n;
        if (broken) break;
        auto a = ours(reader, bytes), b = theirs(other.get(), bytes);
        // Where it breaks, it does not matter what was read before.
        if (a.ok != b.ok || (a.ok && a.fields != b.fields)) {
          std::fprintf(stderr, "ours %d\n%s\ntheirs %d\n%s\n", a.ok, a.fields.c_str(), b.ok, b.fields.c_str());
          wrong("nghttp2 reads it otherwise");
        }
        broken = !a.ok;
        break;
      }
      case 2: {
        auto limit = static_cast<std::uint32_t>(n * (what / 4));
        reader.limit(limit);
        reader_of_ours.limit(limit);
        writer.limit(limit);
        for (auto* i : {other.get(), other_of_ours.get()}) nghttp2_hd_inflate_change_table_size(i, limit);
        break;
      }
      default: {
        data += n;
        std::vector<H2Field> fields;
        Heard said;
        while (!bytes.empty() && fields.size() < 20) {
          auto shape = static_cast<unsigned char>(bytes[0]);
          bytes.remove_prefix(1);
          std::string_view name;
          if (shape & 0x80) {
            name = hpack_static_table()[shape % 61].name;
          } else {
            name = bytes.substr(0, shape & 7);
            bytes.remove_prefix(name.size());
          }
          auto value = bytes.substr(0, shape >> 2 & 31);
          bytes.remove_prefix(value.size());
          fields.push_back({name, value, shape % 16 == 7});
          add(said, name, value);
        }
        std::string block(HpackWriter::bound(fields), 0);
        auto* past = writer.write(fields, block.data());
        if (past > block.data() + block.size()) wrong("more was written than there is room");
        block.resize(static_cast<std::size_t>(past - block.data()));
        auto a = ours(reader_of_ours, block), b = theirs(other_of_ours.get(), block);
        if (!a.ok || a.fields != said.fields) wrong("we do not read what we wrote");
        if (!b.ok || b.fields != said.fields) wrong("nghttp2 does not read what we wrote");
      }
    }
  }
  return 0;
}
