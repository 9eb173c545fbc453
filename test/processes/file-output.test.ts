// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startProcesses } from "../../src/processes/client.ts";
import type { Lines, ProcessRequest, ProcessResult } from "../../src/processes/processes.ts";
import { onLinux, unless } from "../support/needs.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { witness } from "./witness.ts";

function start() {
  const processes = startProcesses({ env: { PATH: process.env["PATH"] } });
  onTestFinished(() => processes.close());
  return processes;
}

function commandIn(folder: string) {
  let runs = 0;
  return (
    script: string,
    more: Partial<ProcessRequest> & { keepOverBytes?: number } = {},
  ): ProcessRequest => {
    const { keepOverBytes = -1, ...rest } = more;
    runs += 1;
    return {
      ...{ id: `r${runs}`, owner: MAIN, file: "sh", args: ["-c", script], cwd: folder },
      ...{ timeoutMs: 60_000, maxOutputBytes: 1_000_000_000 },
      output: { path: join(folder, `${runs}.txt`), keepOverBytes, report: true },
      ...rest,
    };
  };
}

const fileOf = (result: ProcessResult) => {
  if (!result.file) throw new Error(`no file: ${result.reason}`);
  return result.file;
};

test("writes both streams in order to a file for this user only, and returns short output whole", async () => {
  const folder = temporaryFolder();
  const result = await start().run(commandIn(folder)("echo a; echo b >&2; echo c; exit 5"));
  expect(result).toMatchObject({ outcome: "exited", exitCode: 5, stdout: "", truncated: false });
  expect(fileOf(result)).toEqual({ bytes: 6, head: "a\nb\nc\n", tail: null, report: "", kept: true });
  expect(readFileSync(join(folder, "1.txt"), "utf8")).toBe("a\nb\nc\n");
  expect(statSync(join(folder, "1.txt")).mode & 0o777).toBe(0o600);
});

test("returns the two ends of long output, cut between characters", async () => {
  const folder = temporaryFolder();
  // 7 bytes a line: no cut of the ends falls on a character of itself.
  const result = await start().run(commandIn(folder)("yes 'äb€' | head -n 100000"));
  const { bytes, head, tail, kept } = fileOf(result);
  expect({ bytes, kept }).toEqual({ bytes: 700_000, kept: true });
  expect(head).toMatch(/^(äb€\n)+(ä|äb|äb€)?$/);
  expect(tail).toMatch(/^(b€\n|€\n|\n)?(äb€\n)+$/);
  expect(`${head}${tail}`).not.toContain("\ufffd");
});

test("removes a file with no more in it than was returned, and the one for the report", async () => {
  const folder = temporaryFolder();
  const processes = start();
  const command = commandIn(folder);
  const short = await processes.run(command("printf abc; printf '\\0/x\\n' >&3", { keepOverBytes: 3 }));
  expect(fileOf(short)).toMatchObject({ head: "abc", kept: false, report: "\0/x\n" });
  expect(readdirSync(folder)).toEqual([]);
  expect(fileOf(await processes.run(command("printf abcd", { keepOverBytes: 3 }))).kept).toBe(true);
  expect(readdirSync(folder)).toEqual(["2.txt"]);
});

test("an existing file, or a link in its place, is never written through", async () => {
  const folder = temporaryFolder();
  const processes = start();
  const command = commandIn(folder);
  writeFileSync(join(folder, "1.txt"), "precious");
  const first = await processes.run(command("echo new"));
  expect(first.outcome).toBe("not-started");
  expect(first.reason).toContain("could not be started");
  expect(readFileSync(join(folder, "1.txt"), "utf8")).toBe("precious");
  writeFileSync(join(folder, "target"), "precious");
  symlinkSync(join(folder, "target"), join(folder, "2.txt"));
  expect((await processes.run(command("echo new"))).outcome).toBe("not-started");
  expect(readFileSync(join(folder, "target"), "utf8")).toBe("precious");
  const gone = await processes.run({ ...command("echo"), cwd: join(folder, "gone") });
  expect(gone.reason).toContain("does not exist");
});

test("ends a flood immediately and cuts it to the limit, so that it cannot fill the disk", async () => {
  const folder = temporaryFolder();
  const request = commandIn(folder)("trap '' TERM; yes", { maxOutputBytes: 1_000_000 });
  const result = await start().run(request);
  expect(result).toMatchObject({ outcome: "signalled", signal: "SIGKILL", truncated: true });
  expect(fileOf(result).bytes).toBe(1_000_000);
  expect(statSync(join(folder, "1.txt")).size).toBe(1_000_000);
});

test("output that was too much before anybody could look is cut as well", async () => {
  const folder = temporaryFolder();
  const result = await start().run(commandIn(folder)("printf 1234567890", { maxOutputBytes: 4 }));
  expect(result).toMatchObject({ outcome: "exited", exitCode: 0, truncated: true });
  expect(fileOf(result)).toMatchObject({ bytes: 4, head: "1234" });
});

test("a command that cuts its own file is shown as it left it", async () => {
  const folder = temporaryFolder();
  const result = await start().run(commandIn(folder)("echo first; : > 1.txt; echo second"));
  expect(fileOf(result).head).toBe("second\n");
});

test("without a timeout it runs until it is stopped; what it wrote stays", async () => {
  const folder = temporaryFolder();
  const { path, ready, allGone } = witness();
  const stop = new AbortController();
  const started = Promise.withResolvers<void>();
  const script = `exec 9>"${path}"; echo begun; echo ready >&9; exec sleep 1000`;
  const run = start().run(commandIn(folder)(script, { timeoutMs: null }), stop.signal, {
    started: started.resolve,
  });
  await Promise.all([ready, started.promise]);
  stop.abort();
  const result = await run;
  expect(result).toMatchObject({ outcome: "cancelled" });
  expect(fileOf(result).head).toBe("begun\n");
  await allGone;
});

test("reports lines as they come, from the given position, and the last one before the result", async () => {
  const folder = temporaryFolder();
  const { path, ready } = witness();
  const processes = start();
  const seen: Lines[] = [];
  const first = Promise.withResolvers<void>();
  const script = `printf 'old\\nfirst\\npart'; echo ready > "${path}"; while [ ! -e go ]; do sleep 0.01; done; printf 'ial\\nlast'`;
  const run = processes.run(commandIn(folder)(script), undefined, {
    lines(lines) {
      seen.push(lines);
      first.resolve();
    },
  });
  await ready;
  processes.follow("r1", 4, []);
  await first.promise;
  expect(seen).toEqual([{ lines: ["first"], more: false }]);
  writeFileSync(join(folder, "go"), "");
  await run;
  expect(seen.flatMap(({ lines }) => lines)).toEqual(["first", "partial", "last"]);
});

test("reports only lines with one of the words; a new request replaces the earlier one", async () => {
  const folder = temporaryFolder();
  const { path, ready } = witness();
  const processes = start();
  const seen: string[] = [];
  const heard = Promise.withResolvers<void>();
  const script = `echo ready > "${path}"; echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; echo three; echo four`;
  const run = processes.run(commandIn(folder)(script), undefined, {
    lines({ lines }) {
      seen.push(...lines);
      heard.resolve();
    },
  });
  await ready;
  processes.follow("r1", 0, ["ne"]);
  await heard.promise;
  processes.follow("r1", 0, ["wo", "four"]);
  processes.follow("unknown", 0, []);
  writeFileSync(join(folder, "go"), "");
  await run;
  expect(seen).toEqual(["one", "two", "four"]);
});

/** Goes on when the process that left the group is up: before that it would end with the group. */
const strayInto = (path: string) =>
  `setsid sh -c 'exec 9>"${path}"; echo ready >&9; : > "${path}.up"; exec sleep 1000' & while [ ! -e "${path}.up" ]; do sleep 0.01; done`;

test(
  "what left its group ends with its command, which says how many there were; another command's goes on (fault 32)",
  onLinux,
  async () => {
    const folder = temporaryFolder();
    const processes = start();
    const command = commandIn(folder);
    const [mine, inGroup, theirs] = [witness(), witness(), witness()];
    const background = processes.run(
      command(`${strayInto(theirs.path)}; exec sleep 1000`, { timeoutMs: null }),
    );
    await theirs.ready;
    const result = await processes.run(
      command(`${strayInto(mine.path)}; exec 9>"${inGroup.path}"; sleep 1000 & echo out`),
    );
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0 });
    expect(result.reason).toMatch(
      /^It left 2 processes running, which ended with it\. .*run_in_background\.$/,
    );
    await expect.poll(() => [mine.isGone(), inGroup.isGone()]).toEqual([true, true]);
    expect(theirs.isGone()).toBe(false);
    await processes.stopOwner(MAIN);
    await theirs.allGone;
    expect(await background).toMatchObject({ outcome: "cancelled" });
  },
);

test("what left the group of a command in the background ends with that command, and ignoring TERM does not help", {
  ...onLinux,
  tags: ["long"],
}, async () => {
  const { path, allGone } = witness();
  const stubborn = `setsid sh -c 'trap "" TERM; exec 9>"${path}"; : > "${path}.up"; exec sleep 1000' & while [ ! -e "${path}.up" ]; do sleep 0.01; done`;
  const result = await start().run(commandIn(temporaryFolder())(stubborn, { timeoutMs: null }));
  expect(result.reason).toBe(
    "It left 1 process running, which ended with it. Run what must continue in this command itself, without `&` and setsid.",
  );
  await allGone;
});

test("what left the group of a command whose time is up ends with it", {
  ...onLinux,
  tags: ["long"],
}, async () => {
  const { path, allGone } = witness();
  const command = commandIn(temporaryFolder());
  const result = await start().run(command(`${strayInto(path)}; exec sleep 1000`, { timeoutMs: 1_500 }));
  expect(result).toMatchObject({ outcome: "timed-out" });
  await allGone;
});

test("a killed host leaves not even what left the group of its commands", onLinux, async () => {
  const folder = temporaryFolder();
  const processes = start();
  const { path, ready, allGone } = witness();
  const result = processes.run(commandIn(folder)(`${strayInto(path)}; echo $PPID > host; exec sleep 1000`));
  await ready;
  await expect
    .poll(() => existsSync(join(folder, "host")) && readFileSync(join(folder, "host"), "utf8"))
    .toMatch(/\d\n/);
  process.kill(Number(readFileSync(join(folder, "host"), "utf8")), "SIGKILL");
  await allGone;
  expect(await result).toMatchObject({ outcome: "unknown" });
});

test("a double fork within the group, and 200 parallel processes, end with their command", async () => {
  const folder = temporaryFolder();
  const { path, ready, allGone } = witness();
  const script = `exec 9>"${path}"; (sleep 1000 & (sleep 1000 &) &); i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; echo ready >&9`;
  const result = await start().run(commandIn(folder)(script));
  expect(result).toMatchObject({ outcome: "exited", exitCode: 0 });
  // That they did not go on is said (fault 32).
  expect(result.reason).toMatch(
    /^It left 202 processes running, which ended with it\. .*run_in_background\.$/,
  );
  await ready;
  await allGone;
});

test("a command that removes its own output, or the directory of it, takes nothing else with it", async () => {
  const processes = start();
  const others = temporaryFolder();
  const { path, ready } = witness();
  const other = processes.run(commandIn(others)(`exec 9>"${path}"; echo up >&9; sleep 0.2; echo there`));
  await ready;
  for (const what of ["$f", "$(dirname $f)"]) {
    const script = `f=$(readlink /proc/$$/fd/1); echo before; rm -r "${what}"; echo after`;
    const result = await processes.run(commandIn(temporaryFolder())(script));
    expect(result).toMatchObject({ outcome: "exited", exitCode: 0 });
    expect(fileOf(result)).toMatchObject({ head: "before\nafter\n", kept: false });
  }
  expect(await other).toMatchObject({ outcome: "exited", file: { head: "there\n" } });
});

test("where its output cannot be kept a command is not run, and that is the reason given", async () => {
  const folder = temporaryFolder();
  const output = { path: join(folder, "none", "1.txt"), keepOverBytes: -1, report: true };
  expect(await start().run(commandIn(folder)("echo a", { output }))).toMatchObject({
    outcome: "not-started",
    reason: expect.stringMatching(
      /^sh could not be started, because there is no file for its output: ENOENT/,
    ),
  });
});

test("a command that leaves nothing behind is not spoken of", async () => {
  const folder = temporaryFolder();
  const quiet = "true & wait; echo a | cat; (exit 0)";
  expect(await start().run(commandIn(folder)(quiet))).not.toHaveProperty("reason");
});

const disk = smallDisk();

test("output that did not fit on its disk is said to be missing", unless(disk.why), async () => {
  const folder = temporaryFolder();
  const place = disk.mountIn(folder);
  const result = await start().run(commandIn(place)("head -c 200000 /dev/zero; echo done >&2"));
  expect(result).toMatchObject({
    outcome: "exited",
    reason: expect.stringMatching(/is full.*Free some space/),
  });
  const fine = await start().run(commandIn(temporaryFolder())("echo done"));
  expect(fine).not.toHaveProperty("reason");
});

test(
  "200 MB of output cost neither this process nor its host their memory (A7, fault 29)",
  onLinux,
  async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "out"));
    const program = `
    import { readFileSync } from "node:fs";
    import { startProcesses } from ${JSON.stringify(new URL("../../src/processes/client.ts", import.meta.url))};
    const processes = startProcesses({ env: process.env });
    const run = (n, script) => processes.run({ id: "r" + n, owner: "main", file: "sh", args: ["-c", script], cwd: "/", timeoutMs: 60000,
      maxOutputBytes: 1e9, output: { path: ${JSON.stringify(join(folder, "out"))} + "/" + n, keepOverBytes: -1, report: false } });
    const peak = (pid) => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/" + pid + "/status", "utf8"))?.[1] ?? 0) / 1024;
    const host = Number((await run(1, "echo $PPID")).file.head);
    const before = [peak(process.pid), peak(host)];
    const { file } = await run(2, "head -c 200000000 /dev/zero");
    const after = [peak(process.pid), peak(host)];
    await processes.close();
    console.log(JSON.stringify({ bytes: file.bytes, grown: after.map((mb, at) => mb - before[at]) }));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await once(child, "close");
    const { bytes, grown } = JSON.parse(out);
    expect(bytes).toBe(200_000_000);
    expect(Math.max(...grown)).toBeLessThan(30);
  },
);
