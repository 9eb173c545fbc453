// @module-tag long
import { existsSync, linkSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { unless } from "../../support/needs.ts";
import { opened, whyNoBubblewrap, whyNoSocat } from "./opened.ts";

/** What the tests rely on; `git init` itself would need a configuration that may be written. */
const repository = {
  "workspace/.git/HEAD": "ref: refs/heads/main\n",
  "workspace/.git/config": "[core]\n\trepositoryformatversion = 0\n",
  "workspace/.git/objects/info/x": "",
  "workspace/.git/info/exclude": "",
  "workspace/.git/refs/heads/x": "",
};

const filesIn = (directory: string) => readdirSync(directory, { recursive: true, encoding: "utf8" }).sort();

describe("a command in the sandbox", unless(whyNoBubblewrap), () => {
  test("the probe finds that all of it holds (section 5)", async () => {
    expect(await opened().sandbox.ready).toEqual({ state: "enforced", reason: "" });
  });

  test.each([
    ["a file of the system", "echo x > /etc/troupe-was-here", "/etc/troupe-was-here"],
    ["a start-up file of the home", 'echo x >> "$HOME/.bashrc"', "home/.bashrc"],
    ["a folder beside the workspace", 'echo x > "$PWD/../beside"', "beside"],
    ["the machine's folder for temporary files", "echo x > /tmp/troupe-was-here", "/tmp/troupe-was-here"],
    ["a hook of the repository", "echo x > .git/hooks/pre-commit", "workspace/.git/hooks/pre-commit"],
    ["hooks by another name", "mv .git/hooks .git/h; mkdir .git/hooks", "workspace/.git/h"],
    ["the repository itself by another name", "mv .git .g && mkdir -p .git/hooks", "workspace/.g"],
    [
      "through a new link out of the workspace",
      "ln -s /etc out; echo x > out/troupe-was-here",
      "/etc/troupe-was-here",
    ],
    ["over a mount", "mount -t tmpfs x /mnt && touch /mnt/troupe-was-here", "/mnt/troupe-was-here"],
    [
      "over a mount in a namespace of its own",
      "unshare -rm mount -t tmpfs x /mnt && echo x > /etc/troupe-was-here",
      "/etc/troupe-was-here",
    ],
  ])("does not write %s", async (_what, command, path) => {
    const { run, folder } = opened({ ...repository, "workspace/.git/hooks/sample": "" });
    const result = await run(command);
    expect(result).toMatchObject({ outcome: "exited", exitCode: expect.not.toSatisfy((code) => code === 0) });
    expect(existsSync(path.startsWith("/") ? path : join(folder, path))).toBe(false);
  });

  test.each([
    ["our settings", "workspace/.claude/settings.json"],
    ["the repository's configuration", "workspace/.git/config"],
    ["a nested repository's hook", "workspace/packages/a/.git/hooks/pre-push"],
    ["a nested editor's tasks", "workspace/packages/a/.vscode/tasks.json"],
    ["where a worktree's repository lies", "workspace/tree/.git"],
  ])("does not change what is there: %s", async (_what, path) => {
    const { run, folder } = opened({ ...repository, [path]: "before" });
    const file = join(folder, path);
    const result = await run(`echo after > '${file}' || rm -f '${file}' || mv '${file}' '${file}.old'`);
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(file, "utf8")).toBe("before");
  });

  test.each([
    ["a key of the home", 'cat "$HOME/.ssh/id"', {}],
    ["one of its files", 'cat "$HOME/.npmrc"', {}],
    ["what the person has added", 'cat "$HOME/diary"', { denyRead: ["~/diary"] }],
    ["by a link", 'ln -s "$HOME/.ssh" keys; cat keys/id', {}],
    ["our journals", 'cat "$PWD/../troupe/journal"', {}],
  ] as const)("does not read %s", async (_what, command, settings) => {
    const text = "not to be read";
    const secrets = { "home/.ssh/id": text, "home/.npmrc": text, "home/diary": text, "troupe/journal": text };
    const { output } = await opened(secrets, settings).run(command);
    expect(output.head).not.toContain(text);
  });

  test("runs if a hidden directory has a file that is hidden as well", async () => {
    const { run } = opened({ "home/.ssh/id": "secret" }, { denyRead: ["~/.ssh/id"] });
    expect((await run('cat "$HOME/.ssh/id"; echo ran')).output.head).toMatch(/ran\n$/);
  });

  test("does not write what settings keep: a file, what is in a directory, and what is not there yet", async () => {
    const denyWrite = ["kept", "dir", "absent"].map((name) => `~/../workspace/${name}`);
    const files = { "workspace/kept": "before", "workspace/dir/in": "before", "workspace/other": "before" };
    const { run, folder } = opened(files, { denyWrite });
    await run("for f in kept dir/in other absent; do echo after > $f; done; rm -rf dir; true");
    const read = (name: string) => readFileSync(join(folder, "workspace", name), "utf8");
    expect(["kept", "dir/in", "other"].map(read)).toEqual(["before", "before", "after\n"]);
    expect(existsSync(join(folder, "workspace/absent"))).toBe(false);
  });

  /** The workspace is beside the home of these tests. */
  const inWorkspace = (pattern: string) => `~/../workspace/${pattern}`;
  const SECRET = "not to be read";

  test.each([
    ["a file that matches", "cat a.pem", "*.pem"],
    ["at any depth", "cat deep/er/b.pem", "**/*.pem"],
    ["by a link that is there", "cat link", "*.pem"],
    ["by a new link", "ln -s a.pem new; cat new", "*.pem"],
    ["by another name of the file that is there", "cat other-name", "*.pem"],
    ["by a new name of the file", "ln a.pem new; cat new", "*.pem"],
    ["after a rename", "mv a.pem new; cat new", "*.pem"],
    ["after a rename of its directory", "mv deep shallow; cat shallow/er/b.pem", "**/er/*.pem"],
    ["what is in a directory that matches", "cat deep/er/b.pem", "d*p"],
    ["of two alternatives", "cat a.pem", "*.{key,pem}"],
    ["in a directory that leads elsewhere", "cat through/b.pem", "through/*.pem"],
    ["with a program of its own", "python3 -c 'print(open(\"a.pem\").read())' || grep . a.pem", "a.p?m"],
    ["as an archive", "tar cf - . | cat", "**/*.pem"],
  ])("does not read what a pattern forbids: %s", async (_what, command, pattern) => {
    const files = { "workspace/a.pem": SECRET, "workspace/deep/er/b.pem": SECRET, "workspace/free": "free" };
    const { run, workspace } = opened(files, { denyRead: [inWorkspace(pattern)] });
    symlinkSync("a.pem", join(workspace, "link"));
    symlinkSync("deep/er", join(workspace, "through"));
    linkSync(join(workspace, "a.pem"), join(workspace, "other-name"));
    const { output } = await run(`${command}; cat free`);
    expect(output.head).not.toContain(SECRET);
    expect(output.head).toContain("free");
  });

  test("hides a file that came after the start, also from the command after one that renamed its directory", async () => {
    const { run, workspace } = opened({ "workspace/keys/x": "x" }, { denyRead: [inWorkspace("keys/*.pem")] });
    await run("true");
    writeFileSync(join(workspace, "keys/late.pem"), SECRET);
    await run("mv keys moved");
    expect((await run("cat keys/late.pem moved/late.pem")).output.head).not.toContain(SECRET);
  });

  test("reads another case of a pattern only where that is another file", async () => {
    const { run } = opened({ "workspace/A.PEM": "free" }, { denyRead: [inWorkspace("*.pem")] });
    expect((await run("cat A.PEM")).output.head).toBe(process.platform === "darwin" ? "" : "free");
  });

  test.each([
    ["a file that matches", "echo after > a.lock"],
    ["a file below", "echo after > deep/b.lock"],
    ["by removing it", "rm -f a.lock deep/b.lock"],
    ["by another name", "mv a.lock c; mv deep d; echo after > c; echo after > d/b.lock"],
    ["by a link", "ln -s a.lock l; echo after > l"],
  ])("does not write what a pattern keeps: %s", async (_what, command) => {
    const files = { "workspace/a.lock": "before", "workspace/deep/b.lock": "before" };
    const { run, workspace } = opened(files, { denyWrite: [inWorkspace("**/*.lock")] });
    await run(command);
    const read = (name: string) => readFileSync(join(workspace, name), "utf8");
    expect(["a.lock", "deep/b.lock"].map(read)).toEqual(["before", "before"]);
  });

  test("moves away what a command has made and a pattern of denyWrite matches, and says so", async () => {
    const { run, workspace } = opened({}, { denyWrite: [inWorkspace("**/*.lock")] });
    const { reason } = await run("mkdir d; echo x > d/new.lock; echo y > free");
    expect(filesIn(workspace)).toEqual(["d", "free"]);
    expect(reason).toContain("does not let a command make new.lock");
  });

  test.each([
    ["**/*.pem", "//**/*.pem", "the whole disk"],
    ["too many files", inWorkspace("many/*"), "make them narrower"],
    ["the workspace itself", "~/../work*", "make them narrower"],
  ])("runs no command if a pattern cannot hold: %s", async (_what, pattern, why) => {
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`workspace/many/${i}`, ""]));
    const { run } = opened(many, { denyRead: [pattern] });
    expect(await run("echo ran")).toMatchObject({
      outcome: "not-started",
      reason: expect.stringContaining(why),
    });
  });

  test("reads no password of the system, even where its user may (section 5)", async () => {
    const { output } = await opened().run("cat /etc/shadow");
    expect(output.head).not.toContain("root:");
  });

  test("has no network: neither a connection nor a name", async () => {
    let connections = 0;
    const server = createServer(() => connections++).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { output } = await opened().run(
      `(echo x > /dev/tcp/127.0.0.1/${port}) && echo through; (echo x > /dev/tcp/169.254.169.254/80) && echo through; getent hosts example.org && echo through; true`,
    );
    expect(output.head).not.toContain("through\n");
    expect(connections).toBe(0);
  });

  test("opens no Unix socket", async () => {
    const script = 'require("net").createServer().on("error", (e) => console.log(e.code)).listen("s")';
    const { output } = await opened().run(`'${process.execPath}' -e '${script}'`);
    expect(output.head).toMatch(/EPERM|EACCES/);
  });

  test("neither sees nor signals the processes outside", async () => {
    const { output } = await opened().run(
      `kill -0 ${process.pid} && echo through; ls -d /proc/[0-9]* | wc -l`,
    );
    expect(output.head).not.toContain("through");
    expect(Number(output.head.trim().split("\n").at(-1))).toBeLessThan(10);
  });

  test("has no rights of root, even if root runs it (section 5)", async () => {
    const { output } = await opened().run("grep CapEff /proc/self/status");
    expect(output.head).toBe("CapEff:\t0000000000000000\n");
  });

  test("does its work: writes in the workspace and in $TMPDIR, runs programs and git, and says where it stands", async () => {
    const { run, workspace } = opened({ ...repository, "workspace/sub/a.txt": "a" });
    const lines = [
      "cd sub",
      "echo b > b.txt",
      'echo t > "$TMPDIR/t" && cat "$TMPDIR/t"',
      `'${process.execPath}' -p '6 * 7'`,
      "git status --short",
      "git -c user.name=n -c user.email=e commit -qm one --allow-empty && git log --format=%s",
    ];
    const result = await run(lines.join(" && "));
    expect(result.output.head).toBe("t\n42\n?? ./\none\n");
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0, cwd: join(workspace, "sub") });
    expect(readFileSync(join(workspace, "sub/b.txt"), "utf8")).toBe("b\n");
  });

  test("keeps its exit code, its signal's number and all it wrote", async () => {
    const { run } = opened();
    expect(await run("echo out; echo err >&2; exit 7")).toMatchObject({
      exitCode: 7,
      output: { head: "out\nerr\n" },
    });
    const long = await run("seq 1 100000");
    expect(long.output.bytes).toBe(588_895);
    expect(readFileSync(String(long.output.path), "utf8")).toMatch(/^1\n2\n.*\n100000\n$/s);
  });

  test("reads what an earlier one wrote, which is kept where it may write nothing", async () => {
    const { run } = opened();
    const { output } = await run("seq 1 100000");
    const again = await run(`tail -1 '${output.path}'; echo x >> '${output.path}'`);
    expect(again.output.head).toContain("100000\n");
    expect(again.exitCode).not.toBe(0);
  });

  test.each([
    ["settings (CVE-2026-25725)", "mkdir .claude && echo {} > .claude/settings.json", ".claude"],
    ["MCP servers", "echo {} > .mcp.json", ".mcp.json"],
    ["a start-up file", "echo x > .bashrc", ".bashrc"],
    ["a configuration of git", "echo '* diff=x' > .git/info/attributes", "attributes"],
    ["another repository's objects", "echo / > .git/objects/info/alternates", "alternates"],
    ["another common directory", "echo .. > .git/commondir", "commondir"],
    ["a nested repository's hooks", "mkdir packages/a/.git/hooks", "hooks"],
  ])("moves away what did not exist before: %s", async (_what, command, name) => {
    const nested = { "workspace/packages/a/.git/HEAD": "ref: refs/heads/main\n" };
    const { run, workspace, troupeHome } = opened({ ...repository, ...nested });
    const before = filesIn(workspace);
    const result = await run(command);
    expect(result.reason).toContain(`does not let a command make ${name}`);
    expect(filesIn(workspace)).toEqual(before);
    expect(filesIn(join(troupeHome, "sandbox", "moved")).join()).toContain(name);
  });

  test("keeps a directory's name if something in it is protected", async () => {
    const file = "workspace/packages/a/.vscode/tasks.json";
    const { run, folder } = opened({ [file]: "before" });
    const result = await run("mv packages p || mv packages/a b");
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(join(folder, file), "utf8")).toBe("before");
  });

  test("leaves nothing in the work tree, and has nothing in it while commands run", {
    tags: ["long"],
  }, async () => {
    const { run, workspace } = opened();
    const seen = await Promise.all([run("sleep 0.1; ls -A"), run("ls -A"), run("sleep 0.2; ls -A")]);
    expect(seen.map(({ output }) => output.head)).toEqual(["", "", ""]);
    expect(readdirSync(workspace)).toEqual([]);
  });

  test("a workspace that is reached by a link is written where it really is", async () => {
    const { sandbox, workspace, folder, processes, place } = opened();
    const link = join(folder, "link");
    symlinkSync(workspace, link);
    const prepared = await sandbox.prepare({ ...place, writable: [link] });
    if (typeof prepared === "string") throw new Error(prepared);
    const { confined, env, finish } = prepared;
    await processes.run({
      ...{ id: "l", owner: MAIN, file: "/bin/sh", args: ["-c", "echo x > a"], env: { ...env } },
      ...{ cwd: link, timeoutMs: null, maxOutputBytes: 1_000, confined },
    });
    expect(await finish()).toBeNull();
    expect(readFileSync(join(workspace, "a"), "utf8")).toBe("x\n");
  });

  test("a workspace that holds the whole home is no sandbox, and nothing runs", async () => {
    const { sandbox, folder } = opened();
    expect(await sandbox.prepare({ writable: [folder], readable: [] })).toContain("the whole home");
  });
});

describe("a command with some hosts allowed", unless(whyNoSocat), () => {
  /** By the way every program is told of (HTTP_PROXY), also where the program would not take it. */
  const get = (host: string) => {
    const script = `const { hostname, port, username, password } = new URL(process.env.HTTP_PROXY);
      const authorization = "Basic " + Buffer.from(username + ":" + password).toString("base64");
      const headers = { host: "${host}", "proxy-authorization": authorization };
      require("http").get({ hostname, port, path: "http://${host}/", headers }, (r) => { console.log(r.statusCode); process.exit(); });`;
    return `'${process.execPath}' -e '${script}'`;
  };

  test("reaches those and no others: another one is refused by the filter, and so is the direct way", {
    tags: ["long"],
  }, async () => {
    const server = createHttpServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { run } = opened(
      {},
      { allowedDomains: ["localhost", "other.invalid"], deniedDomains: ["*.invalid"] },
    );
    const allowed = await run(get(`localhost:${port}`));
    expect(allowed.output.head).toBe("200\n");
    const other = await run(get("other.invalid"));
    expect(other.output.head).toBe("403\n");
    const direct = await run(`(echo x > /dev/tcp/127.0.0.1/${port}) 2>&1; echo $TMPDIR`);
    expect(direct.output.head).toContain("refused");
    expect(direct.output.head).toMatch(/troupe-sandbox-\w+\/tmp\n$/);
  });
});
