import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { long } from "../support/long.ts";
import { apiError, type RequestBody, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const AGENTS = long(40, 10);
/** Ten lines that a user writes in the evening. */
const SCRIPT = `
const numbers = Array.from({ length: ${AGENTS} }, (_, n) => n);
const done = await parallel(numbers.map((n) => () =>
  agent("Do task " + n + ".", { label: "task " + n, isolation: "worktree", accept: { run: "grep -q right task" + n + ".txt" } })));
return done.map((text, n) => (text === null ? "rejected " : "accepted ") + n);`;

/** Every fifth agent lies about its work, whatever it is told. */
const lies = (n: number) => n % 5 === 0;

test(`${AGENTS} agents over night: a limit, a kill and a sleep, and in the morning it is known what was accepted (issue 19)`, {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const repository = await repositoryWith({ "a.txt": "one\n" });
  const home = temporaryFolder("troupe-home-");
  mkdirSync(join(repository.folder, ".claude/workflows"), { recursive: true });
  writeFileSync(join(repository.folder, ".claude/workflows/night.js"), SCRIPT);
  let limitUntil = 0;
  let limited = 0;
  const finished = new Map<number, number>();
  const server = await startMessagesServer(({ body, n }) => {
    if (n === AGENTS) limitUntil = Date.now() + 6_000;
    if (Date.now() < limitUntil) {
      limited += 1;
      return {
        ...apiError(429, "rate_limit_error", "usage limit reached"),
        headers: { "retry-after-ms": String(limitUntil - Date.now()) },
      };
    }
    return work(body, finished);
  });
  onTestFinished(() => server.close());
  const options = { home, cwd: repository.folder, url: server.url };
  const flags = ["--permission-mode", "acceptEdits", "--allowed-tools", "Bash(grep:*)", "--concurrency", "8"];
  const night = [...flags, "--limit-patience", "8h", "--max-budget-usd", "5"];
  const settings = { patienceMs: 1_000, sameFailures: 0 };

  // At two o'clock the limit is reached; a little later the machine goes down.
  const killed = await troupe(["run", "night", ...night], {
    ...{ ...options, settings },
    onStart(child) {
      let seen = "";
      child.stderr?.on("data", (text) => {
        seen += text;
        if (/is paused until/.test(seen)) setTimeout(() => child.kill("SIGKILL"), 500);
      });
    },
  });
  expect(killed.signal).toBe("SIGKILL");
  const before = new Map(finished);
  const sessions = join(home, ".troupe/projects", readdirSync(join(home, ".troupe/projects"))[0] ?? "");
  const id = readdirSync(sessions)[0] ?? "";

  // It comes up again, and the laptop is closed for a while.
  const { code, out, err } = await troupe(["run", "--resume", id, ...night, "--json"], {
    ...options,
    onStart(child) {
      setTimeout(() => child.kill("SIGSTOP"), 2_500);
      setTimeout(() => child.kill("SIGCONT"), 9_000);
    },
  });
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  const { value, costUsd } = JSON.parse(out);
  expect(value).toEqual(
    Array.from({ length: AGENTS }, (_, n) => `${lies(n) ? "rejected" : "accepted"} ${n}`),
  );
  expect(costUsd).toBeGreaterThan(0);
  expect(costUsd).toBeLessThan(5);
  for (let n = 0; n < AGENTS; n += 1)
    expect([n, existsSync(join(repository.folder, `task${n}.txt`))]).toEqual([n, !lies(n)]);
  // Nothing ran twice: one that works reports once, and one that lies once for each of its three checks.
  for (let n = 0; n < AGENTS; n += 1) {
    const most = (lies(n) ? 3 : 1) + (before.has(n) ? 1 : 0);
    expect([n, (finished.get(n) ?? 0) <= most]).toEqual([n, true]);
  }
  expect(limited).toBeLessThan(20);
  const inbox = await troupe(["inbox"], options);
  expect(inbox.out.match(/rejected, 1 file not merged/g)).toHaveLength(AGENTS / 5);
  expect(inbox.out).toContain("The check `grep -q right task0.txt` ended with exit code 1");
  expect((await troupe(["sessions", "list"], options)).out).toMatch(/ {2}done {2}.*\$\d/);
});

/** Writes the file of its task, then says that it is done; counts what it has said of each task. */
function work(body: RequestBody, finished: Map<number, number>) {
  const first = JSON.stringify(body.messages[0]?.content);
  const n = Number(/Do task (\d+)\./.exec(first)?.[1] ?? -1);
  const root = /Working directory: (.+?)(?:\\n|\n)/.exec(JSON.stringify(body.system))?.[1] ?? "";
  if (!body.messages.some(({ role }) => role === "assistant")) {
    const input = { file_path: join(root, `task${n}.txt`), content: lies(n) ? "wrong\n" : "right\n" };
    return { calls: [{ name: "Write", input }] };
  }
  finished.set(n, (finished.get(n) ?? 0) + 1);
  return { text: `Task ${n} is done, all tests pass.` };
}
