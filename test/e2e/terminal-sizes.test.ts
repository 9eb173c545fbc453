import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN } from "../support/built.ts";
import { type Handler, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`Sizes of terminals are not tested here: ${why}.`);

const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const ESC = "\u001b";

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 20, rows: 10 },
  { columns: 300, rows: 80 },
] as const;

interface Place {
  readonly cwd: string;
  readonly home: string;
}

async function talk(
  handler: Handler,
  size: { readonly columns: number; readonly rows: number },
  { place, args = [] }: { readonly place?: Place; readonly args?: readonly string[] } = {},
): Promise<PseudoTerminal & Place> {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  const { cwd, home } = place ?? { cwd: temporaryFolder(), home: temporaryFolder("troupe-home-") };
  const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" };
  const terminal = inTerminal([process.execPath, BIN, ...args], { cwd, env, ...size });
  await ready(terminal);
  return Object.assign(terminal, { cwd, home });
}

const ready = (terminal: PseudoTerminal) => terminal.shows(/\n› *$/);

const leave = async (terminal: PseudoTerminal) => {
  terminal.type(CTRL_D);
  expect(await terminal.ended).toBe(0);
};

/** The first request of the main conversation has these words, and those after it. */
const isAgent = (body: string) => !body.includes("Fan out");
const isResult = (body: string) => body.includes('"type":"tool_result"');

/** A main conversation that starts so many agents. */
function starting(count: number, background: boolean): ServedReply {
  const calls = Array.from({ length: count }, (_, n) => ({
    name: "Agent",
    input: {
      ...{ description: `part ${n + 1}`, prompt: `Look at part ${n + 1}.`, subagent_type: "general-purpose" },
      run_in_background: background,
    },
  }));
  return { text: "I start them.", calls };
}

describe.each(SIZES)("a terminal of $columns x $rows", { ...unless(why), timeout: 120_000 }, (size) => {
  test("keeps what is typed, pasted and completed readable, with the cursor behind it", {
    tags: ["long"],
  }, async () => {
    const place = { cwd: temporaryFolder(), home: temporaryFolder("troupe-home-") };
    mkdirSync(join(place.cwd, "src"));
    for (const name of ["parse-rules.txt", "parser.txt"]) writeFileSync(join(place.cwd, "src", name), "\n");
    const terminal = await talk(() => ({ text: "Read." }), size, { place });
    const cursorLine = () => terminal.screen.line(terminal.screen.cursor().row);
    terminal.type("wörter 日本 x");
    await terminal.shows(/› wörter 日本 x/);
    expect(terminal.screen.cursor().column).toBe(2 + 13);
    terminal.type(`${CTRL_U}${ESC}[200~${"a pasted line\n".repeat(40)}${ESC}[201~`);
    await terminal.shows(/› \[paste #1 \+4\d/);
    terminal.type(`${CTRL_U}/mod`);
    await terminal.shows(/› \/mod[\s\S]*\/mode/);
    expect(cursorLine()).toMatch(/^› \/mod/);
    terminal.type(`${ESC}`);
    terminal.type(`${CTRL_U}see @pars`);
    await terminal.shows(/parser\.txt/);
    terminal.type("er\t");
    await terminal.shows(/@src\/parser\.txt/);
    terminal.type(CTRL_U);
    await leave(terminal);
  });

  test("loses no line of a reply, and tears none, while 32 agents stream and it is resized", {
    tags: ["long"],
  }, async () => {
    const over = Promise.withResolvers<void>();
    const LINES = 120;
    const words = (n: number) => `L${String(n).padStart(3, "0")} of ${LINES}`;
    const reply = Array.from({ length: LINES }, (_, n) => words(n)).join("\n\n");
    const terminal = await talk(
      async ({ rawBody }) => {
        if (isAgent(rawBody)) return { text: "some words ".repeat(400), chunks: 400, chunkDelayMs: 20 };
        if (!isResult(rawBody)) return starting(32, true);
        return {
          text: reply,
          chunks: LINES * 4,
          chunkDelayMs: 8,
          held: { after: words(LINES - 2), until: over.promise },
        };
      },
      size,
      { args: ["--permission-mode", "acceptEdits"] },
    );
    terminal.type("Fan out.\r");
    await terminal.shows(/answer ›|L00/);
    if (!terminal.written().includes("L00")) terminal.type("1\r");
    for (const [n, at] of [10, 30, 50, 70, 90, 110].entries()) {
      await terminal.shows(words(at));
      terminal.resize(size.columns - (n % 2 === 0 ? 3 : 0), size.rows - (n % 3));
    }
    over.resolve();
    await terminal.shows(words(LINES - 1));
    const numbers = terminal.screen.lines().flatMap((line) => /^L(\d{3}) of 120$/.exec(line)?.[1] ?? []);
    expect(new Set(numbers).size).toBe(LINES);
    // A resize may show the last lines again, but never in another order.
    const first = numbers.filter((number, at) => numbers.indexOf(number) === at);
    expect(first).toEqual(first.toSorted());
    const torn = terminal.screen.lines().filter((line) => /L\d/.test(line) && !/^L\d{3} of 120$/.test(line));
    expect(torn).toEqual([]);
    terminal.signal("SIGTERM");
    await terminal.ended;
  });

  test("asks for three agents, one question after the other, and each gets its answer", {
    tags: ["long"],
  }, async () => {
    const terminal = await talk(({ rawBody }) => {
      if (!isAgent(rawBody)) return isResult(rawBody) ? { text: "All have answered." } : starting(3, false);
      if (isResult(rawBody))
        return { text: /not allow|denied|refus/i.test(rawBody) ? "It was refused." : "It ran." };
      const part = /Look at part (\d)/.exec(rawBody)?.[1];
      return { calls: [{ name: "Bash", input: { command: `touch part-${part}` } }] };
    }, size);
    terminal.type("Fan out.\r");
    for (let n = 0; n < 3; n++) {
      await terminal.shows(new RegExp(`(answer › [yn][\\s\\S]*){${n}}answer › *$`));
      terminal.type(n === 1 ? "n\r" : "y\r");
    }
    await terminal.shows("All have answered.");
    expect(readdirSync(terminal.cwd)).toHaveLength(2);
    await leave(terminal);
  });

  test("goes on after kill -9 with what it was asked", { tags: ["long"] }, async () => {
    let isKilled = false;
    const handler: Handler = ({ rawBody }) => {
      if (!rawBody.includes("Quokka")) return { text: "First words." };
      return isKilled
        ? { text: "Second words." }
        : { text: "Half a", upTo: "event: content_block_stop", ending: "pings" };
    };
    const killed = await talk(handler, size);
    killed.type("First.\r");
    await killed.shows(/First words\.[\s\S]*✓ done/);
    killed.type("Quokka.\r");
    await killed.shows("Half a");
    killed.signal("SIGKILL");
    await killed.ended;
    isKilled = true;
    const again = await talk(handler, size, { place: killed, args: ["--continue"] });
    await again.shows(/› Quokka\.[\s\S]*cut off[\s\S]*Second words\.[\s\S]*✓ done/);
    await leave(again);
  });
});
