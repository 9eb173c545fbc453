import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/mailbox/clock.ts";
import { liveSession } from "../features/live/ground.ts";
import { view } from "../features/live/views.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`troupe top is not tested in a terminal here: ${why}.`);

const PROGRAM = await bundledProgram(join(import.meta.dirname, "top-program.ts"));
const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";

function start(home: string, env: Readonly<Record<string, string>> = {}): PseudoTerminal {
  return inTerminal([process.execPath, PROGRAM], {
    ...{ cwd: temporaryFolder(), columns: 90, rows: 20 },
    env: { TROUPE_HOME: home, ...env },
  });
}

/** Everything that was taken of the terminal was given back, once. */
function expectRestored(terminal: PseudoTerminal): void {
  const written = terminal.written();
  expect(written.split(ENTER)).toHaveLength(2);
  expect(written.split(LEAVE)).toHaveLength(2);
  expect(written.indexOf(LEAVE)).toBeGreaterThan(written.lastIndexOf("\u001b[?7l"));
}

describe("troupe top in a terminal (C20, D13)", unless(why), () => {
  const session = () => liveSession({ clock: systemClock, delayMs: 0 });

  test("shows what agents do as they do it, follows the terminal's size, and leaves with q as it came", {
    tags: ["long"],
  }, async () => {
    const { session: live, home } = await session();
    live.views = [view(1, { activity: { type: "tool", tool: "Read", title: "a.ts" } })];
    const terminal = start(home);
    await terminal.shows("Read a.ts");
    live.views = [view(1, { activity: { type: "tool", tool: "Bash", title: "npm test" } }), view(2)];
    await terminal.shows(/Bash npm test[\s\S]*task 2/);
    await terminal.shows("AGENT");
    terminal.resize(20, 10);
    terminal.signal("SIGWINCH");
    await terminal.shows(/● Explore · task 2…/);
    // Neither an arrow nor what is pasted leaves.
    terminal.type("\u001b[A\u001bOq\u001b[200~quit\u001b[201~");
    terminal.resize(60, 10);
    terminal.signal("SIGWINCH");
    await terminal.shows(/task 2.*asking/);
    terminal.type("\u001b[Bq");
    expect(await terminal.ended).toBe(0);
    expectRestored(terminal);
  });

  test("shows since when a thread that spins has not given a sign", { tags: ["long"] }, async () => {
    const { session: live, home } = await session();
    const lastSignAt = systemClock.now() - 42_000;
    live.views = [
      view(1, {
        lastSignAt,
        trouble: "Its thread has been busy for 42 s",
        activity: { type: "tool", tool: "Grep", title: "(a+)+$" },
      }),
    ];
    const terminal = start(home);
    await terminal.shows(/busy for 42 s.* 4\d s/);
    await terminal.shows(/ 4[4-9] s\s*$/m);
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(0);
    expectRestored(terminal);
  });

  test("keeps the last state on the terminal, with one line, when the session ends", async () => {
    const { session: live, home, live: socket } = await session();
    live.views = [view(1)];
    const terminal = start(home);
    await terminal.shows("task 1");
    live.views = [view(1, { state: "ended", endedAt: 5, turns: 77 })];
    await socket.close();
    expect(await terminal.ended).toBe(0);
    expectRestored(terminal);
    const after = terminal.written().split(LEAVE)[1];
    expect(after).toMatch(
      /task 1.* 77 [\s\S]*The session has ended; troupe sessions show \w+ shows what came of it\.\r?\n$/,
    );
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("gives the terminal back on %s", async (signal, code) => {
    const { session: live, home } = await session();
    live.views = [view(1)];
    const terminal = start(home);
    await terminal.shows("task 1");
    terminal.signal(signal);
    expect(await terminal.ended).toBe(code);
    expectRestored(terminal);
  });

  test("gives the terminal back after a mistake of ours", async () => {
    const { session: live, home } = await session();
    live.views = [view(1)];
    const terminal = start(home);
    await terminal.shows("task 1");
    terminal.signal("SIGUSR2");
    expect(await terminal.ended).toBe(1);
    expectRestored(terminal);
  });
});
