// @module-tag long
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { callId } from "../../src/mailbox/ids.ts";
import { ALICE, sessionEvent, spawn, summary } from "../journal/samples.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { sessionOnDisk } from "./open-session.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`troupe top is not tested in a terminal here: ${why}.`);

const PROGRAM = await bundledProgram(join(import.meta.dirname, "top-program.ts"));

function watched() {
  const session = sessionOnDisk();
  const close = session.open();
  session.write(sessionEvent({ id: session.id }), spawn(ALICE, { description: "task 1" }));
  const terminal = inTerminal([process.execPath, PROGRAM], {
    ...{ cwd: temporaryFolder(), columns: 90, rows: 20 },
    env: { TROUPE_HOME: session.home },
  });
  const call = (number: number, tool: string, input: object) =>
    session.write({
      type: "before",
      actor: ALICE,
      call: callId(ALICE, 1, number),
      tool,
      input,
      decision: "go",
    });
  return { session, close, terminal, call };
}

describe("troupe top in a terminal (C20, D13)", unless(why), () => {
  test("shows what agents do as they do it, follows the terminal's size, and leaves with q", async () => {
    const { session, terminal, call } = watched();
    await terminal.shows(/○ Explore · task 1.*queued/);
    session.write({ type: "start", actor: ALICE, attempt: 1 });
    call(0, "Read", { file_path: "/w/a.ts" });
    await terminal.shows("Read a.ts");
    call(1, "Bash", { command: "npm test" });
    await terminal.shows("Bash npm test");
    terminal.resize(20, 10);
    terminal.signal("SIGWINCH");
    await terminal.shows(/● Explore · task…|● Explore · task 1/);
    // Neither an arrow nor what is pasted leaves.
    terminal.type("\u001b[A\u001bOq\u001b[200~quit\u001b[201~");
    terminal.resize(60, 10);
    terminal.signal("SIGWINCH");
    await terminal.shows(/task 1.*Bash/);
    terminal.type("\u001b[Bq");
    expect(await terminal.ended).toBe(0);
  });

  test("keeps the last state on the terminal when the session ends", async () => {
    const { session, close, terminal } = watched();
    await terminal.shows("task 1");
    session.write(
      { type: "start", actor: ALICE, attempt: 1 },
      { type: "summary", actor: ALICE, summary: summary("found", { turns: 77 }), durationMs: 5 },
      { type: "end", status: "done" },
    );
    close();
    expect(await terminal.ended).toBe(0);
    await terminal.shows(/✓ Explore · task 1 .*done .*77 turns/);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("ends with its exit code on %s", async (signal, code) => {
    const { terminal } = watched();
    await terminal.shows("task 1");
    terminal.signal(signal);
    expect(await terminal.ended).toBe(code);
  });
});
