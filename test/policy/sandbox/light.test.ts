// @module-tag long
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { backgroundCommands } from "../../../src/features/background/commands.ts";
import { outputsIn } from "../../../src/journal/outputs.ts";
import { callId, MAIN, randomIds } from "../../../src/mailbox/ids.ts";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import { type LightOptions, lightConfinement } from "../../../src/policy/sandbox/light.ts";
import { startProcesses } from "../../../src/processes/client.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { unless } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { runWith } from "./ground.ts";
import { whyNoBubblewrap } from "./opened.ts";

/** Commands in a light confinement; the workspace is below the home or beside it, and all of it is below /tmp. */
interface Follower {
  readonly signal?: AbortSignal;
  readonly onLines?: (lines: readonly string[]) => void;
}

function confinedIn(
  workspace: "home/work" | "beside" | "in shared memory",
  files: Readonly<Record<string, string>> = {},
  options: { deny?: string[]; ask?: string[]; allow?: string[]; env?: Record<string, string> } & Partial<
    Pick<LightOptions, "settings">
  > = {},
) {
  const directory = temporaryFolder(
    "troupe-confined-",
    workspace === "in shared memory" ? "/dev/shm" : undefined,
  );
  const at = (name: string) => join(directory, name);
  for (const made of ["home", workspace]) mkdirSync(at(made), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  const { deny = [], ask = [], allow = [], settings = { readOnly: true, denyRead: [] } } = options;
  const env = { ...process.env, HOME: at("home"), ...options.env };
  const processes = startProcesses({ env, commandEnv: Object.keys(options.env ?? {}) });
  onTestFinished(() => processes.close());
  const light = lightConfinement({
    ...{ settings, platform: process.platform, kernel: release(), env, home: at("home") },
    ...{ troupeHome: at("home/.troupe"), directories: [at(workspace)], run: runWith(processes) },
  });
  const rules = Object.entries({ deny, ask, allow }).flatMap(([behaviour, texts]) =>
    texts.map((text): Rule => ({ text, behaviour: behaviour as Rule["behaviour"], scope: "project" })),
  );
  const root = at(workspace);
  const engine = engineOf(rules, { projectRoot: root, home: at("home"), platform: process.platform });
  const outputs = outputsIn(at("home/.troupe"), at("home/.troupe/session"), randomIds());
  const prepare = (type: "read" | "write") =>
    light.prepare(type, {
      // This Node may lie below /tmp, with the checkout.
      readable: [outputs.folder, dirname(process.execPath)],
      ...{ roots: [root], rules, hides: engine.hides(root, "asks-too") },
    });
  const commands = backgroundCommands(processes, outputs, platformShell(process.platform, process.env));
  const run = async (
    command: string,
    type: "read" | "write" = "read",
    { signal = new AbortController().signal, onLines = () => {} }: Follower = {},
  ) => {
    const prepared = await prepare(type);
    if (prepared === null) throw new Error("it cannot be confined");
    const request = { call: callId(MAIN, 1, 0), command, cwd: root, timeoutMs: 60_000 };
    return commands.run(MAIN, request, signal, { outside: false, light: prepared }, onLines);
  };
  return { at, root, run, prepare, light };
}

const git = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "",
  ".git/objects/x": "",
  ".git/refs/x": "",
};
const repository = (root: string) =>
  Object.fromEntries(Object.entries(git).map(([path, text]) => [`${root}/${path}`, text]));
const SECRET = "not to be read";

describe("a command that only reads", unless(whyNoBubblewrap), () => {
  test("is not confined where a denied file lies too deep for a mask", { tags: ["long"] }, async () => {
    const { root, prepare } = confinedIn("beside", {}, { deny: ["Read(.env)"] });
    const name = "d".repeat(200);
    onTestFinished(() => void execFileSync("rm", ["-rf", join(root, name)]));
    execFileSync("bash", ["-c", `for i in {1..25}; do mkdir ${name} && cd ${name}; done; echo x > .env`], {
      cwd: root,
    });
    expect(await prepare("read")).toBeNull();
    expect(await prepare("write")).toBeNull();
  });

  test("the probe finds that all of it holds", async () => {
    expect(await confinedIn("beside").light.report()).toEqual({ state: "enforced", reason: "" });
  });

  test.each(["home/work", "beside", "in shared memory"] as const)(
    "reads the workspace in %s, and runs git and programs in it",
    async (where) => {
      const { run } = confinedIn(where, {
        ...repository(where),
        [`${where}/a.txt`]: "text\n",
        "home/.gitconfig": "[user]\n\tname = Me\n",
      });
      const { output, exitCode } = await run(
        "cat a.txt; git status --short; git config user.name; echo ~+ > /dev/null; ls",
      );
      expect([output.head, exitCode]).toEqual(["text\n?? a.txt\nMe\na.txt\n", 0]);
    },
  );

  test.each([
    ["in the workspace", "echo x > new"],
    ["a file that exists", "echo x >> a.txt"],
    ["in the home", 'echo x > "$HOME/new"'],
    ["in the system", "echo x > /etc/troupe-was-here"],
    ["by another name", "mv a.txt b.txt"],
    ["over a mount", "unshare -rm mount -t tmpfs x /mnt"],
    [
      "over a mount in a namespace that is as it was",
      "unshare -rm --propagation unchanged mount -t tmpfs x /mnt",
    ],
    ["by a new permission", "chmod 777 a.txt"],
  ])(
    "does not write %s, and its result says that it ran read-only",
    { tags: ["long"] },
    async (_what, command) => {
      const { run, root, at } = confinedIn("home/work", { "home/work/a.txt": "before" });
      const result = await run(command);
      expect(result.exitCode).not.toBe(0);
      expect(result.reason).toBe("It ran read-only, without network.");
      expect(readdirSync(root)).toEqual(["a.txt"]);
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("before");
      expect(existsSync("/etc/troupe-was-here") || existsSync(at("home/new"))).toBe(false);
    },
  );

  test("has a private directory for temporary files, which is empty again for the next one", async () => {
    const { run } = confinedIn("beside");
    expect((await run("echo x > $TMPDIR/t && cat /tmp/t")).output.head).toBe("x\n");
    expect((await run("cat /tmp/t 2>/dev/null; ls /run /var/tmp")).output.head).not.toContain("x\n");
  });

  test.each([
    ["a key", "home/.ssh/id", 'cat "$HOME/.ssh/id"'],
    ["any other file of the home", "home/Documents/diary", 'cat "$HOME/Documents/diary"'],
    ["our journals", "home/.troupe/journal", 'cat "$HOME/.troupe/journal"'],
    ["git's credentials", "home/.config/git/credentials", 'cat "$HOME/.config/git/credentials"'],
    ["credentials beside programs", "home/.cargo/credentials.toml", 'cat "$HOME/.cargo/credentials.toml"'],
    ["by a link", "home/.ssh/id", "cat link"],
  ])("does not read %s", { tags: ["long"] }, async (_what, path, command) => {
    const { run, at, root } = confinedIn("home/work", { [path]: SECRET, "home/.cargo/bin/x": "" }, {});
    symlinkSync(at("home/.ssh/id"), join(root, "link"));
    const { output, exitCode } = await run(command);
    expect(output.head).not.toContain(SECRET);
    expect(exitCode).not.toBe(0);
  });

  test("does not read credentials in a home that is the workspace", async () => {
    const { run, prepare } = confinedIn("home/work", { "home/.ssh/id": SECRET });
    expect(await prepare("read")).not.toBeNull();
    const { output } = await run('cat "$HOME/.ssh/id"');
    expect(output.head).not.toContain(SECRET);
  });

  test("sees what a Read rule allows of the home, and programs on PATH", async () => {
    const directory = temporaryFolder("troupe-programs-");
    const { run, at } = confinedIn(
      "home/work",
      {
        "home/notes/a": "noted\n",
        "home/.tool/bin/mine": "#!/bin/sh\ncat ~/.tool/lib/text\n",
        "home/.tool/lib/text": "ran\n",
      },
      { allow: ["Read(~/notes/**)"] },
    );
    chmodSync(at("home/.tool/bin/mine"), 0o755);
    expect((await run("cat ~/notes/a")).output.head).toBe("noted\n");
    expect(directory).toMatch(/./);
  });

  test.each([
    ["a name at any depth", ["Read(.env)"], "deep/er/.env"],
    ["a directory", ["Read(secrets/**)"], "a/secrets/b"],
    ["a pattern", ["Read(config/*.{pem,key})"], "config/x.key"],
    ["what lies in a directory, but not that", ["Read(conf/*)"], "conf/x"],
  ])("does not read what a rule denies: %s", async (_what, deny, path) => {
    const { run } = confinedIn("beside", { [`beside/${path}`]: SECRET, "beside/open": "open\n" }, { deny });
    const { output } = await run(`cat '${path}'; grep -rn read .; cat open; stat '${path}'`);
    expect(output.head).not.toContain(SECRET);
    expect(output.head).toContain("open\n");
  });

  test("does not read what a rule asks about, nor what a denied link leads to", async () => {
    const { run, root } = confinedIn(
      "beside",
      { "beside/asked": SECRET, "beside/shared.txt": SECRET },
      { ask: ["Read(asked)"], deny: ["Read(.env)"] },
    );
    symlinkSync("shared.txt", join(root, ".env"));
    const { output } = await run("cat asked; cat .env; cat shared.txt");
    expect(output.head).not.toContain(SECRET);
  });

  test("is not confined if not all can be hidden: then it is judged without", {
    tags: ["long"],
  }, async () => {
    const many = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`beside/${i}.pem`, ""]));
    expect(await confinedIn("beside", many, { deny: ["Read(*.pem)"] }).prepare("read")).toBeNull();
    expect(await confinedIn("beside", {}, { deny: ["Read"] }).prepare("read")).toBeNull();
    expect(await confinedIn("beside", {}, { deny: ["Read(**)"] }).prepare("read")).toBeNull();
  });

  test("is not confined if the user has switched that off", async () => {
    const { prepare, light } = confinedIn("beside", {}, { settings: { readOnly: false, denyRead: [] } });
    expect(await prepare("read")).toBeNull();
    expect((await light.report()).reason).toContain("troupe.sandbox.readOnly");
  });

  test("reaches no port and no socket, and none of its programs can make one", async () => {
    const { run, at } = confinedIn("beside");
    let connections = 0;
    const path = at("beside/socket");
    const servers = [
      createServer(() => connections++).listen(0, "127.0.0.1"),
      createServer(() => connections++).listen(path),
    ];
    onTestFinished(() => servers.forEach((server) => void server.close()));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.once("listening", resolve))));
    const address = servers[0]?.address();
    const port = typeof address === "object" ? address?.port : 0;
    const script = `require("net").connect("${path}").on("error", (e) => console.log(e.code))`;
    const { output } = await run(
      `(echo x > /dev/tcp/127.0.0.1/${port}) && echo through; '${process.execPath}' -e '${script}'`,
    );
    expect(output.head).toMatch(/EPERM/);
    expect(output.head).not.toContain("through\n");
    expect(connections).toBe(0);
  });

  test("neither sees nor signals other processes, and has no rights", async () => {
    const { output } = await confinedIn("beside").run(
      `kill -0 ${process.pid} && echo through; ls -d /proc/[0-9]* | wc -l; grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status`,
    );
    expect(output.head).not.toContain("through");
    expect(output.head).toMatch(/^\d\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n$/m);
  });

  test("has no credentials in its environment", async () => {
    const env = {
      MY_TOKEN: SECRET,
      DB_PASSWORD: SECRET,
      HTTPS_PROXY: `http://me:${SECRET}@proxy`,
      PLAIN: "seen",
    };
    const { output } = await confinedIn("beside", {}, { env }).run("env; tr '\\0' '\\n' < /proc/1/environ");
    expect(output.head).not.toContain(SECRET);
    expect(output.head).toContain("PLAIN=seen");
  });

  test("shows what it prints while it runs (issue 21, 3)", async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const ended = await confinedIn("beside").run("echo working; sleep 600", "read", {
      signal: stop.signal,
      onLines(lines) {
        seen.push(...lines);
        stop.abort();
      },
    });
    expect([seen, ended.outcome]).toEqual([["working"], "cancelled"]);
  });

  test("keeps its exit code and its directory, and says nothing if something else explains the code", async () => {
    const { run, root } = confinedIn("home/work", { "home/work/sub/a": "text" });
    expect(await run("cd sub; echo found; exit 3")).toMatchObject({ exitCode: 3, cwd: join(root, "sub") });
    expect((await run("echo found; exit 3")).reason).toBeUndefined();
  });

  test("leaves neither output nor a writing process to the next command", {
    tags: ["long"],
  }, async () => {
    const { run } = confinedIn("beside");
    const rest =
      "setsid bash -c 'while :; do echo stray; echo stray >&97; done' & until [ -s /dev/stdout ]; do :; done";
    for (const first of ["echo first; cd /", "chmod 0 /proc/self/fd/1", rest, "head -c 2000000 /dev/zero"]) {
      await run(first);
      const { output, exitCode, cwd } = await run(
        "cat /proc/self/fd/1; cat <&97; echo mine > /dev/stdout; cd /usr",
      );
      expect([output.head, exitCode, cwd]).toEqual(["mine\n", 0, "/usr"]);
    }
  });

  test("keeps long output in its file, whole and for this user only; parallel ones do not mix", async () => {
    const { run } = confinedIn("beside");
    const results = await Promise.all(
      ["a", "b", "c", "d", "e"].map((text) => run(`yes ${text} | head -n 40000; printf '\\0\\377' >&2`)),
    );
    for (const [at, { output }] of results.entries()) {
      const text = `${"abcde"[at]}\n`.repeat(40_000);
      expect(output.bytes).toBe(text.length + 2);
      expect(readFileSync(output.path ?? "", "latin1")).toBe(`${text}\0\xff`);
      expect(statSync(output.path ?? "").mode & 0o777).toBe(0o600);
    }
    expect((await run("echo short")).output).toEqual({ bytes: 6, head: "short\n", tail: null, path: null });
  });

  test("sees what earlier ones printed, and git's file as it is now", async () => {
    const { run, at } = confinedIn("home/work", { "home/.gitconfig": "[user]\n\tname = Me\n" });
    const { output } = await run("yes printed | head -n 9000");
    expect((await run(`head -n 1 '${output.path}'`)).output.head).toBe("printed\n");
    writeFileSync(at("home/.gitconfig"), "[user]\n\tname = You\n");
    const command = "git config user.name; echo x >> ~/.gitconfig || ls -ld ~/.gitconfig";
    expect((await run(command)).output.head).toMatch(/^You\n.*ead-only.*\n-r/);
    expect(readFileSync(at("home/.gitconfig"), "utf8")).toBe("[user]\n\tname = You\n");
    const large = `[user]\n\tname = Large\n${"#".repeat(70_000)}\n`;
    writeFileSync(at("home/.gitconfig"), large);
    expect((await run("git config user.name; wc -c < ~/.gitconfig")).output.head).toBe(
      `Large\n${large.length}\n`,
    );
  });

  test("is not run at all if its confinement cannot be built", { tags: ["long"] }, async () => {
    const { prepare, root } = confinedIn("beside", { "beside/.env": "" }, { deny: ["Read(.env)"] });
    const prepared = await prepare("read");
    if (prepared === null) throw new Error("it cannot be confined");
    const gone = { as: "no-file" as const, path: join(root, "gone") };
    const light = {
      ...prepared,
      confined: { ...prepared.confined, seen: [...prepared.confined.seen, gone] },
    };
    const processes = startProcesses({ env: process.env });
    onTestFinished(() => processes.close());
    const result = await processes.run({
      ...{ id: "x", owner: MAIN, file: "/bin/sh", args: ["-c", "echo ran > /tmp/x; echo ran"], cwd: root },
      ...{ timeoutMs: null, maxOutputBytes: 1_000, confined: light.confined },
    });
    expect(result).toMatchObject({ outcome: "not-started", stdout: "" });
    expect(result.reason).toContain("nothing was run");
  });
});

describe("a file command of acceptEdits", unless(whyNoBubblewrap), () => {
  test("writes the workspace, and nothing protected in it", async () => {
    const { run, root } = confinedIn("home/work", {
      ...repository("home/work"),
      "home/work/.npmrc": "before",
      "home/work/a": "a",
    });
    const result = await run(
      "mkdir src && mv a src/b && touch c; echo x > .npmrc; echo x > .git/config; rm -rf .git",
      "write",
    );
    expect(result.exitCode).not.toBe(0);
    expect(readFileSync(join(root, "src/b"), "utf8")).toBe("a");
    expect(existsSync(join(root, "c"))).toBe(true);
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toBe("before");
    expect(readFileSync(join(root, ".git/config"), "utf8")).toBe("");
  });

  test("writes nothing outside, reads nothing that is denied, and leaves nothing protected", async () => {
    const { run, at, root } = confinedIn(
      "beside",
      { "beside/.env": SECRET, "other/a": "a" },
      { deny: ["Read(.env)"] },
    );
    const result = await run(
      `cp .env copy; cp new '${at("other/b")}'; echo x > .envrc; echo x > done`,
      "write",
    );
    expect(result.reason).toContain("does not let a command make .envrc");
    expect(existsSync(at("other/b"))).toBe(false);
    expect(readdirSync(root).sort()).toEqual([".env", "done"]);
  });
});
