import { PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createPlainTerminal } from "../../../src/cli/repl/plain-terminal.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { settled } from "../../support/fake-clock.ts";
import { FakeIO } from "../fake-io.ts";
import { summary } from "../fake-session.ts";
import { noAgents } from "./fake-terminal.ts";

test("a terminal that only prints shows its own turns as a whole, and answers to the user piece by piece", async () => {
  const io = new FakeIO({ stdin: new PassThrough(), stdoutIsTTY: true, env: { TERM: "dumb" } });
  const terminal = createPlainTerminal(io, {
    onLine() {},
    onInterrupt() {},
    onEscape: () => false,
    onNextMode() {},
    agents: noAgents,
    onEnd() {},
  });
  onTestFinished(() => terminal.close());
  terminal.idle();
  const result = { id: MAIN, type: "main", description: "", summary: summary("done", "x"), durationMs: 1 };
  terminal.onEvent({ type: "woken", because: "look around" });
  terminal.onEvent({ type: "text", actor: MAIN, text: "It has ", turn: 1 });
  terminal.print("The mode is default.");
  terminal.onEvent({ type: "text", actor: MAIN, text: "found it.", turn: 1 });
  expect(io.out.text).toBe("> \nThe mode is default.\n");
  terminal.onEvent({ type: "answered", result });
  await settled();
  expect(io.out.text).toBe("> \nThe mode is default.\n\nIt has found it.");
  terminal.onEvent({ type: "text", actor: MAIN, text: "At once.", turn: 2 });
  expect(io.out.text.endsWith("found it.\n\nAt once.")).toBe(true);
  terminal.onEvent({ type: "thinking", actor: MAIN, text: "Hm.", turn: 3 });
  terminal.onEvent({ type: "thinking", actor: MAIN, text: "It builds.", turn: 3, forUser: true });
  expect(io.out.text.endsWith("At once.\n\nIt builds.")).toBe(true);
});
