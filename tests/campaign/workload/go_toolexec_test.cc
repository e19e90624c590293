// integration/agents/go/toolexec.sh, as `go` calls it by -toolexec.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "campaign/workload/agents/files.h"
#include "tests/support/folder.h"

namespace retrial::campaign {
namespace {
namespace fs = std::filesystem;

// A linker that writes "linked" and counts its runs, a compiler that gives its version or all that it is to compile,
// and any other tool, which gives its arguments.
class GoToolexec : public testing::Test {
 protected:
  GoToolexec() {
    EXPECT_TRUE(unpack_agents(folder_.path()));
    tool("link", "echo x >>'" + runs_ + "'\nshift; echo linked >\"$1\"\n");
    tool("fails", "exit 3\n");
    tool("vet", "echo \"$@\"\n");
    tool("compile",
         "[ \"$1\" != -V=full ] || { echo 'compile version go1.26.8'; exit; }\n"
         "for word; do case $word in *.go) cat \"$word\" || exit ;; esac; done\n");
  }
  void tool(const std::string& name, const std::string& script) {
    auto file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
  }
  int run(const std::string& tool, const std::string& arguments) {
    auto line = "'" + (folder_.path() / "go/toolexec.sh").string() + "' '" + (folder_.path() / tool).string() + "' " +
                arguments + " >'" + said_ + "'";
    return WEXITSTATUS(std::system(line.c_str()));
  }
  std::string link(const std::string& out, const std::string& id) {
    auto file = (folder_.path() / out).string();
    EXPECT_EQ(run("link", "-o '" + file + "' -importcfg i -buildid=" + id + " -extldflags=-buildid=a/b main.a"), 0);
    return test::contents(file);
  }
  auto linked() const { return fs::exists(runs_) ? test::contents(runs_).size() / 2 : 0; }

  // As the overlay leaves a file where it fits.
  void edited_net_http() { write("go/net.http.transport.go.txt", ""); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.path() / name) << text; }
  // What is compiled of a grpc-go with that in its dialoptions.go, with a `net/http` that has `symbol`.
  std::string compiled(const std::string& options, const std::string& symbol,
                       const std::string& package = "google.golang.org/grpc") {
    auto below = [&](const std::string& name) { return "'" + (folder_.path() / "of grpc" / name).string() + "' "; };
    fs::create_directories(folder_.path() / "of grpc/work");
    write("of grpc/call.go", kInvoke + "\n}\n");
    write("of grpc/stream.go", kNewStream + "\n}\n");
    write("of grpc/dialoptions.go", options);
    write("of grpc/http.a", symbol);
    write("of grpc/importcfg", "packagefile net/http=" + (folder_.path() / "of grpc/http.a").string() + "\n");
    setenv("TOOLEXEC_IMPORTPATH", package.c_str(), 1);
    auto arguments = "-o " + below("work/_pkg_.a") + "-p google.golang.org/grpc -importcfg " + below("importcfg") +
                     "-pack " + below("call.go") + below("stream.go") + below("dialoptions.go");
    EXPECT_EQ(run("compile", arguments), 0);
    unsetenv("TOOLEXEC_IMPORTPATH");
    return test::contents(said_);
  }
  const std::string kOptions = "var globalDialOptions []DialOption\n", kSymbol = "net/http.retrialRPC";
  const std::string kInvoke =
      "func (cc *ClientConn) Invoke(ctx context.Context, method string, args, reply any, opts ...CallOption) error {";
  const std::string kNewStream =
      "func (cc *ClientConn) NewStream(ctx context.Context, desc *StreamDesc, method string, opts ...CallOption) "
      "(ClientStream, error) {";

  test::Folder folder_;
  std::string runs_ = (folder_.path() / "runs").string(), said_ = (folder_.path() / "said").string();
};

TEST_F(GoToolexec, what_was_linked_once_is_copied_from_then_on) {
  EXPECT_EQ(link("1", "act/main/content/act"), "linked\n");
  std::ofstream(folder_.path() / "1") << "go has written its id here";
  EXPECT_EQ(link("2", "act/main/content/act"), "linked\n");
  EXPECT_EQ(linked(), 1u);
  EXPECT_EQ(link("3", "other/main/content/other"), "linked\n");
  EXPECT_EQ(linked(), 2u);
}

TEST_F(GoToolexec, a_link_that_fails_or_has_no_name_is_not_kept) {
  fs::rename(folder_.path() / "fails", folder_.path() / "link");
  EXPECT_EQ(run("link", "-o x -buildid=act/main/content/act main.a"), 3);
  EXPECT_EQ(run("link", "-V=full"), 3);
  EXPECT_FALSE(fs::exists(folder_.path() / "go/cache"));
}

TEST_F(GoToolexec, other_tools_are_run_as_they_are) {
  EXPECT_EQ(run("vet", "-V=full 'a  b'"), 0);
  EXPECT_EQ(test::contents(said_), "-V=full a  b\n");
}

TEST_F(GoToolexec, grpc_is_compiled_with_ours_and_names_its_own_files) {
  edited_net_http();
  auto all = compiled(kOptions, kSymbol);
  auto folder = (folder_.path() / "of grpc").string();
  const std::string enter = " defer retrialLeave(retrialEnter()); ctx = retrialFrom(ctx)\n}\n";
  EXPECT_TRUE(all.starts_with("//line " + folder + "/call.go:1\n" + kInvoke + enter)) << all;
  EXPECT_TRUE(all.contains("//line " + folder + "/stream.go:1\n" + kNewStream + enter + kOptions)) << all;
  EXPECT_TRUE(all.contains("//line " + folder + "/retrial_grpc.go:1\n")) << all;
  EXPECT_TRUE(all.contains("func retrialFrom(")) << all;
  EXPECT_EQ(compiled(kOptions, kSymbol, "google.golang.org/grpc [example.com/main]"), all) << "built for a profile";
}

TEST_F(GoToolexec, grpc_that_has_no_place_for_ours_is_compiled_as_it_is) {
  const auto plain = kInvoke + "\n}\n" + kNewStream + "\n}\n";
  EXPECT_EQ(compiled(kOptions, kSymbol), plain + kOptions) << "net/http was not edited";
  edited_net_http();
  EXPECT_EQ(compiled("// 1.50\n", kSymbol), plain + "// 1.50\n");
  EXPECT_EQ(compiled(kOptions, "an overlay of the user's"), plain + kOptions);
  EXPECT_EQ(compiled(kOptions, kSymbol, "google.golang.org/grpc/peer"), plain + kOptions);
  tool("compile", "case $* in *retrial_*) echo does not compile; exit 1 ;; esac\necho compiled\n");
  EXPECT_EQ(compiled(kOptions, kSymbol), "compiled\n");
}

TEST_F(GoToolexec, the_compiler_has_another_version_where_it_adds_ours_and_another_with_each_of_ours) {
  auto version = [&] {
    EXPECT_EQ(run("compile", "-V=full"), 0);
    return test::contents(said_);
  };
  EXPECT_EQ(version(), "compile version go1.26.8\n");
  edited_net_http();
  auto ours = version();
  EXPECT_TRUE(ours.starts_with("compile version go1.26.8-retrial") && ours.find('\n') == ours.size() - 1) << ours;
  EXPECT_EQ(version(), ours);
  write("go/retrial_grpc.go.txt", "package grpc\n");
  EXPECT_NE(version(), ours);
  tool("compile", "exit 3\n");
  EXPECT_EQ(run("compile", "-V=full"), 3);
}

}  // namespace
}  // namespace retrial::campaign
