/**
 * The painted terminal of a conversation with agents at work, as a program to type at: what it is told is made here, at the
 * highest rates that the runtime sends. `echo`: only echoes keys, which is the floor.
 */
import { processIO } from "../../src/cli/process-io.ts";
import { createPaintedTerminal } from "../../src/cli/repl/painted-terminal.ts";
import type { AgentView } from "../../src/events/event.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN } from "../../src/mailbox/ids.ts";
import { ordinaryKeys } from "../../src/terminal/input/keymap.ts";

/** Of each agent and second. */
const STATES_A_SECOND = 20;
/** Of the reply, and of calls that end. */
const PIECES_A_SECOND = 40;
const CALLS_A_SECOND = 2;
const TICK_MS = 25;

const agents = Number(process.argv[2]);
if (process.argv[3] === "echo") {
  process.stdin.setRawMode(true);
  process.stdout.write("› ");
  // Ctrl-U clears the line.
  process.stdin.on("data", (keys) => process.stdout.write(keys.includes("\u0015") ? "\r\u001b[K› " : keys));
} else {
  const io = processIO(process.cwd());
  const terminal = createPaintedTerminal(io, {
    history: [],
    keymap: ordinaryKeys,
    images: { dropped: () => null, fromClipboard: async () => "", of: () => [] },
    completer: { commands: () => [], files: async () => [] },
    onLine() {},
    onInterrupt: () => process.exit(0),
    onEscape: () => false,
    onNextMode() {},
    agents: { views: () => [], todos: () => [], toBackground: () => 0, watch() {}, message() {}, stop() {} },
    onEnd: () => process.exit(0),
    editOutside: async (text) => text,
    pageOutside: async () => {},
    suspend: async () => {},
  });
  terminal.working();
  const startedAt = io.clock.now();
  let sent = 0;
  let turn = 0;
  setInterval(() => {
    sent += 1;
    for (let n = 0; n < agents; n++) {
      if ((sent + n) % Math.round(1000 / TICK_MS / STATES_A_SECOND) !== 0) continue;
      terminal.onEvent({ type: "agent", view: viewOf(n, sent, startedAt) });
    }
    if (sent % Math.round(1000 / TICK_MS / PIECES_A_SECOND) === 0)
      terminal.onEvent({ type: "text", actor: MAIN, turn, text: pieceOf(sent) });
    if (sent % Math.round(1000 / TICK_MS / CALLS_A_SECOND) === 0) {
      turn += 1;
      call(sent, turn);
    }
  }, TICK_MS);

  function call(n: number, turn: number): void {
    const of = { actor: MAIN, call: `call-${n}` as CallId, toolUse: `use-${n}`, tool: "Bash" };
    const input = { command: `npm test -- part-${n}` };
    terminal.onEvent({ type: "call-begin", ...of, turn, input, title: input.command });
    const head = `part ${n} passed`;
    terminal.onEvent({
      ...{ type: "call-end", ...of, outcome: "ok", head, lines: 1, characters: head.length },
      ...{ exitCode: 0, durationMs: 100 },
    });
  }
}

function viewOf(n: number, step: number, startedAt: number): AgentView {
  const turns = Math.floor(step / 100) + 1;
  return {
    ...{ id: `agent-${n}` as ActorId, parent: MAIN, depth: 1, type: "Explore", description: `question ${n}` },
    ...{
      call: null,
      state: "running",
      doing: null,
      model: "sonnet",
      turns,
      background: false,
      hasLoop: true,
    },
    activity: { type: "tool", tool: "Read", title: `src/part-${(n * 7 + step) % 97}.ts` },
    usage: { ...noUsage, input_tokens: step * 10, output_tokens: step },
    ...{ costUsd: step / 10_000, lastSignAt: startedAt + step * TICK_MS, trouble: null, overlap: null },
    ...{ createdAt: startedAt, startedAt, endedAt: null, summary: null },
  };
}

function pieceOf(n: number): string {
  return n % 24 === 0 ? `words.\n\nParagraph ${n}: ` : "some words of the reply ";
}
