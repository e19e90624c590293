"""PHP's agent, in processes of their own against a real service: whence each request comes, and what PHPUnit's hook tells."""
import json
import os
import pathlib
import shutil
import subprocess
import textwrap

import pytest

import statements

AGENTS = pathlib.Path(__file__).resolve().parents[3] / "integration/agents"
phpunit = pytest.mark.skipif(not shutil.which("phpunit"), reason="there is no phpunit here")
curl = pytest.mark.skipif(b"curl" not in subprocess.run(["php", "-m"], capture_output=True).stdout, reason="PHP has no curl here")


@pytest.fixture(scope="session")
def loaded(tmp_path_factory):
    """The variables by which it is loaded."""
    folder = tmp_path_factory.mktemp("loaded")
    native = AGENTS / "native"
    subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-include", native / "old_glibc.h", "-o", folder / "hooks.so",
                    *native.glob("runners/*.c"), "-Wl,--no-as-needed", "-l:libdl.so.2", "-l:libpthread.so.0"], check=True)
    (folder / "ini").mkdir()
    (folder / "ini/retrial.ini").write_text(f'auto_prepend_file="{AGENTS}/php/prepend.php"\n')
    return {"LD_PRELOAD": str(folder / "hooks.so"), "PHP_INI_SCAN_DIR": f":{folder}/ini"}


class Project:
    def __init__(self, folder, url, loaded):
        self.folder, self.url, self.loaded, self.variables = folder, url, loaded, {}

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return self

    def run(self, *words, agent=True, check=True):
        loaded = {"RETRIAL_EVENTS": str(self.folder / "events"), **self.loaded} if agent else {}
        done = subprocess.run(words, cwd=self.folder, env={**os.environ, "URL": self.url, **loaded, **self.variables}, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    @property
    def events(self):
        file = self.folder / "events"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def of(self, kind):
        return [event for event in self.events if event["ev"] == kind]


@pytest.fixture
def project(tmp_path, server, loaded):
    return Project(tmp_path, server.url, loaded)


BASE = """\
    <?php
    namespace App;
    final class Base
    {
        public static function ask(string $path = '/') { return file_get_contents(getenv('URL') . $path, false, stream_context_create(['http' => ['protocol_version' => 1.0]])); }
        public static function curl() {
            $curl = curl_init(getenv('URL') . '/');
            curl_setopt($curl, CURLOPT_RETURNTRANSFER, true);
            return curl_exec($curl);
        }
    }
    """


@curl
def test_a_chain_is_the_applications_functions_in_streams_and_in_curl(project, server):
    project.write("Base.php", BASE).write("main.php", """\
        <?php
        require 'Base.php';
        function track() { return array_map(function () { return App\\Base::ask(); }, [1]); }
        function twice() {
            App\\Base::curl();
            return App\\Base::curl();
        }
        track();
        twice();
        """)
    project.run("php", "main.php")
    assert [tag["site"] for tag in server.tags] == ["Base.php:5:Base::ask", "Base.php:9:Base::curl", "Base.php:9:Base::curl"]
    assert [tag["callers"] for tag in server.tags] == ["main.php:3:<anonymous>,main.php:3:track,main.php:8:<main>"] + [
        f"main.php:{line}:twice,main.php:9:<main>" for line in (5, 6)]
    assert [e["language"] for e in project.of("agent")] == ["php"]


@pytest.mark.parametrize("loop, goes_on", [
    ("while (true) {\n  if (App\\Base::ask() === '') break;\n}", True),
    ("do\n App\\Base::ask();\nwhile (false);", True),
    ("for ($i = 0; $i < 1; $i++) App\\Base::ask();", True),
    ("foreach ([\"{$_SERVER['argv'][0]}\"] as $one) {\n  App\\Base::ask();\n}", True),
    ("foreach ([1] as $one) { $one++; }\nApp\\Base::ask();", False),
    ("if (true) {\n App\\Base::ask();\n}", False)])
def test_a_function_that_calls_from_within_a_loop_is_the_one_that_goes_on(loop, goes_on, project, server):
    project.write("Base.php", BASE).write("main.php", "<?php\nrequire 'Base.php';\nfunction outer() {\n" + loop + "\n}\nouter();\n")
    project.run("php", "main.php")
    assert {tag["callers"].split(",")[1] == "" for tag in server.tags} == {goes_on}, server.tags


def test_whoever_writes_a_head_to_a_socket_is_tagged_and_told_what_it_has_written(project, server):
    project.write("main.php", """\
        <?php
        foreach (["GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n", "GET / HTTP/1.0\\r\\nX-Retrial-Site: no\\r\\nx-retrial-site: mine\\r\\n\\r\\n"] as $head) {
            $socket = stream_socket_client(str_replace('http', 'tcp', getenv('URL')));
            echo fwrite($socket, $head) - strlen($head), "\\n";
            stream_get_contents($socket);
        }
        """)
    assert project.run("php", "main.php").stdout.split() == ["0", "0"]
    assert [tag.get("site") for tag in server.tags] == ["main.php:4:<main>", "mine"]


def test_what_ends_a_program_is_told_with_its_causes(project, server):
    project.write("Base.php", BASE).write("main.php", """\
        <?php
        require 'Base.php';
        App\\Base::ask();
        try {
            throw new LogicException("lost: it\\nis gone", 7);
        } catch (LogicException $lost) {
            throw new RuntimeException('no "answer"', 0, $lost);
        }
        """)
    assert project.run("php", "main.php", check=False).returncode == 255
    outer, inner = project.of("uncaught")[0]["chain"]
    assert (outer["type"], outer["msg"], outer["link"], outer["file"], outer["line"]) == ("RuntimeException", 'no "answer"', "raised", "main.php", 7)
    assert (inner["type"], inner["msg"], inner["link"]) == ("LogicException", "lost: it\nis gone", "cause")


def test_a_program_that_sends_nothing_says_nothing_and_is_as_it_was_without_us(project):
    project.write("main.php", "<?php var_dump(array_keys($GLOBALS), $argv, spl_autoload_functions());")
    assert project.run("php", "main.php", "a").stdout == project.run("php", "main.php", "a", agent=False).stdout
    assert not project.events


def test_the_file_that_the_user_has_php_load_before_is_loaded_too(project):
    (project.folder / "mine").mkdir()
    project.write("mine/a.ini", f"auto_prepend_file={project.folder}/before.php\n").write("before.php", "<?php echo 'before ';").write("main.php", "<?php echo 'main';")
    project.loaded = {**project.loaded, "PHP_INI_SCAN_DIR": f":{project.folder}/mine" + project.loaded["PHP_INI_SCAN_DIR"]}
    assert project.run("php", "main.php").stdout == "before main"


SUITE = """\
    <?php
    namespace App\\Tests;
    use PHPUnit\\Framework\\TestCase;
    final class ATest extends TestCase
    {
        public static function setUpBeforeClass(): void { self::ask(); }
        protected function setUp(): void { if ($this->getName() === 'testPasses') self::ask(); }
        static function ask() { return file_get_contents(getenv('URL'), false, stream_context_create(['http' => ['protocol_version' => 1.0]])); }
        function testPasses() { self::ask(); $this->assertTrue(true); }
        /** @depends testPasses */
        function testDepends() { $this->assertTrue(true); }
        static function sets() { return [['x'], 'odd (na)me' => ['y']]; }
        /** @dataProvider sets */
        function testSets($one) { self::ask(); $this->assertNotSame('', $one); }
        function testIsLeftOut() { $this->markTestSkipped('why'); }
        function testFails() {
            try {
                throw new \\LogicException('lost', 7);
            } catch (\\LogicException $lost) {
                throw new \\RuntimeException('not loaded', 0, $lost);
            }
        }
        function testAsserts() {
            $this->assertSame(1, 2);
        }
    }
    """


@phpunit
def test_phpunit_tells_of_its_tests_and_of_what_each_sends(project, server):
    project.write("tests/ATest.php", SUITE)
    assert project.run("phpunit", "tests", check=False).returncode == 2
    own = "App\\Tests\\ATest::"
    results = {e["id"].removeprefix(own): e for e in project.of("result")}
    assert {id: e["outcome"] for id, e in results.items()} == {
        "testPasses": "passed", "testDepends": "passed", "testSets with data set #0": "passed", 'testSets with data set "odd (na)me"': "passed",
        "testIsLeftOut": "skipped", "testFails": "failed", "testAsserts": "failed"}
    assert [(one["type"], one["msg"], one.get("code"), one["link"]) for one in results["testFails"]["chain"]] == [
        ("RuntimeException", "not loaded", None, "raised"), ("LogicException", "lost", "7", "cause")]
    [asserted] = results["testAsserts"]["chain"]
    assert asserted["in_test"] and (asserted["file"], asserted["line"]) == ("tests/ATest.php", 24)
    assert [(tag.get("test", "").replace("%20", " ").removeprefix(own), tag["phase"]) for tag in server.tags] == [
        ("", "shared"), ("testPasses", "test"), ("testPasses", "test"), ("testSets with data set #0", "test"), ('testSets with data set "odd (na)me"', "test")]
    assert [e["runner"] for e in project.of("agent")] == ["PHPUnit"]


STATEMENTS = """\
    <?php
    use PHPUnit\\Framework\\TestCase;
    require_once __DIR__ . '/../Base.php';
    abstract class Wrapped extends TestCase
    {
        protected function runTest() { return parent::runTest(); }
        protected function setUp(): void { App\\Base::ask('/setup'); }
        public static function setUpBeforeClass(): void { App\\Base::ask('/shared'); }
    }
    final class ATest extends Wrapped
    {
        private function helper() {
            App\\Base::ask('/helper');
        }
        function testAsks() {
            App\\Base::ask('/one');
            App\\Base::ask('/two');
            foreach ([1, 2] as $one) App\\Base::ask('/loop');
            $this->helper();
            $this->helper();
            array_map(function ($path) { App\\Base::ask($path); }, ['/closure']);
            $this->assertTrue(true);
        }
    }
    """


@phpunit
def test_a_request_says_which_statement_of_the_test_it_comes_from(project, server):
    project.write("Base.php", BASE).write("tests/ATest.php", STATEMENTS)
    runs = []
    for _ in range(2):
        server.tags.clear()
        project.run("phpunit", "tests/ATest.php")
        runs.append(statements.by_path(server.tags))
    lines = {line: statements.at("tests/ATest.php", line, "ATest::testAsks") for line in (16, 17, 18, 19, 20, 21)}
    assert runs[0] == runs[1] == {
        "/shared": [None], "/setup": [statements.at("tests/ATest.php", 7, "Wrapped::setUp")], "/one": [lines[16]], "/two": [lines[17]], "/loop": [lines[18]] * 2,
        "/helper": [lines[19], lines[20]], "/closure": [lines[21]]}


def test_where_no_test_is_known_to_run_there_is_no_statement(project, server):
    project.write("Base.php", BASE).write("tests/ATest.php", "<?php\nrequire __DIR__ . '/../Base.php';\nApp\\Base::ask();\n")
    project.run("php", "tests/ATest.php")
    assert ["statement" in tag for tag in server.tags] == [False]


@phpunit
def test_phpunit_runs_the_chosen_tests_what_they_depend_on_and_no_other(project, server):
    project.write("tests/ATest.php", SUITE)
    (project.folder / "only").write_text('App\\Tests\\ATest::testFails\nApp\\Tests\\ATest::testDepends\nApp\\Tests\\ATest::testSets with data set "odd (na)me"\n')
    project.variables["RETRIAL_ONLY"] = str(project.folder / "only")
    project.run("phpunit", "--stop-on-error", "--order-by", "reverse", "tests", check=False)
    assert sorted(e["id"].split("::")[1] for e in project.of("result")) == ["testDepends", "testFails", "testPasses", 'testSets with data set "odd (na)me"']
