import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { KEYS } from "../../src/cli/repl/help.ts";
import { commandSummaries } from "../../src/cli/repl/slash-commands.ts";
import { BIN } from "../support/built.ts";
import { type Handler, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`Commands and keys are not tested in a terminal here: ${why}.`);

const ESC = "\u001b";
const DOWN = `${ESC}[B`;
const RIGHT = `${ESC}[C`;
const UP = `${ESC}[A`;
const SHIFT_TAB = `${ESC}[Z`;
const ctrl = (letter: string) => String.fromCharCode(letter.toUpperCase().charCodeAt(0) & 31);

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 20, rows: 10 },
  { columns: 300, rows: 80 },
] as const;
type Size = (typeof SIZES)[number];

/** Words that a narrow terminal breaks anywhere between them. */
const words = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" ", "\\s+");
const said = (text: string) => new RegExp(words(text));
const PROMPT = "\\n› *$";

/** A shell in a terminal, with the conversation in its foreground. */
async function talk(handler: Handler, size: Size, args: readonly string[] = []): Promise<PseudoTerminal> {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  const [cwd, home] = [temporaryFolder(), temporaryFolder("troupe-home-")];
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, "src/parser.txt"), "\n");
  const env = {
    ...{
      HOME: home,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "sk-test-secret",
      PS1: "$ ",
      ENV: "",
    },
    ...{ VISUAL: "sed -i.old s/two/three/", PAGER: "sed -n 1s/.*/paged/p", RUN: process.execPath, BIN },
  };
  const terminal = inTerminal(["/bin/sh", "-i"], { cwd, env, ...size });
  await terminal.shows(/\$ *$/);
  terminal.type(`clear; "$RUN" "$BIN" ${args.join(" ")}\r`);
  await terminal.shows(new RegExp(PROMPT));
  return terminal;
}

/** The conversation is over, and the terminal is the shell's as it was. */
async function assertRestored(terminal: PseudoTerminal): Promise<void> {
  await terminal.shows(/\n\$ *$/);
  terminal.type("stty -a; echo ended\r");
  await terminal.shows(/\nended\n\$ *$/);
  const shown = terminal.screen.lines().join("\n").replaceAll("\n", " ");
  expect(shown).toMatch(/\sicanon/);
  expect(shown).toMatch(/\sicrnl/);
  const written = terminal.written();
  for (const [on, off] of [
    [`${ESC}[?2004h`, `${ESC}[?2004l`],
    [`${ESC}[?7l`, `${ESC}[?7h`],
    [`${ESC}[?2026h`, `${ESC}[?2026l`],
    [`${ESC}[?25l`, `${ESC}[?25h`],
  ] as const)
    expect(written.lastIndexOf(off)).toBeGreaterThanOrEqual(written.lastIndexOf(on));
  expect(written).not.toContain(`${ESC}[?1049h`);
}

/** Nothing that was painted has stayed, and no row was broken by the terminal. */
function assertWhole(terminal: PseudoTerminal, { columns }: Size): void {
  const lines = terminal.screen.lines();
  // The shell writes its own rows.
  const ours = lines.filter((line) => !/RUN|BIN/.test(line));
  expect(ours.filter((line) => line.length >= columns)).toEqual([]);
  const prompts = lines.filter((line) => line === "›");
  expect(prompts.length).toBeLessThanOrEqual(1);
  expect(
    lines.filter((line) => / {2}(?:\S.* · )?(?:default|acceptEdits|plan)$/.test(line)).length,
  ).toBeLessThan(2);
}

const isResult = (body: string) => body.includes('"type":"tool_result"');

describe.each(SIZES)("a conversation in $columns x $rows", { ...unless(why), timeout: 120_000 }, (size) => {
  test("answers every slash command with whole rows, and is ready again", { tags: ["long"] }, async () => {
    const terminal = await talk(() => ({ text: "Read." }), size);
    const last = ["clear", "exit"];
    const names = Object.keys(commandSummaries).filter((name) => !last.includes(name));
    for (const name of [...names, "clear"]) {
      // In one piece: no menu opens in between, whose entry Enter would choose.
      terminal.type(`/${name}\r`);
      await terminal.shows(new RegExp(`\\n› /${name}\\n\\n(?:.*\\S.*\\n[\\s\\S]*)${PROMPT}`));
    }
    await terminal.shows(said("A new conversation begins"));
    const lines = terminal.screen.lines();
    expect(lines.filter((line) => /^› \/\w+$/.test(line))).toEqual(
      [...names, "clear"].map((name) => `› /${name}`),
    );
    assertWhole(terminal, size);
    terminal.type("/exit\r");
    await assertRestored(terminal);
  });

  test("does what the help says of every key", { tags: ["long"] }, async () => {
    const terminal = await talk(({ n }) => {
      if (n === 0)
        return {
          text: "I list.",
          calls: [
            {
              name: "TodoWrite",
              input: { todos: [{ content: "Find", activeForm: "Finding", status: "pending" }] },
            },
          ],
        };
      if (n === 1) return { text: "Done: one two." };
      return { text: "Endless", upTo: "event: content_block_stop", ending: "pings" };
    }, size);
    const press = async (keys: string, shows: string | RegExp) => {
      terminal.type(keys);
      await terminal.shows(shows);
    };
    const line = (text: string) => new RegExp(`\\n› ${text}$`);
    const empty = new RegExp(PROMPT);
    await press("first of all\r", new RegExp(`✓ ${words("done · 2 turns")}[\\s\\S]*${PROMPT}`));
    const what: Readonly<Record<string, () => Promise<void>>> = {
      "Shift-Enter": async () => {
        await press(`a${ESC}[13;2ub`, line("a\\n {2}b"));
        await press("\\\rb2", /\n {2}b2$/);
        await press(`${ESC}\rc`, /\n {2}c$/);
        await press("\nd", /\n {2}d$/);
        await press(ctrl("c"), empty);
      },
      "/ and @": async () => {
        await press("/mod", /› \/mod\n[\s\S]*\/mode/);
        await press(ESC, line("/mod"));
        await press(ctrl("c"), empty);
        await press("@pars\t", /› @src\/parser\.txt *$/);
        await press(ctrl("c"), empty);
      },
      "! COMMAND": () => press("!echo 4$((1+1))\r", new RegExp(`\\n42\\n${PROMPT}`)),
      "↑ ↓, Ctrl-R": async () => {
        await press(UP, line("!echo 4.*"));
        await press(UP, line("first of all"));
        await press(ctrl("c"), empty);
        await press(`${ctrl("r")}of`, new RegExp(`${words("history, with of:")}\\s+first of`));
        await press("\r", line("first of all"));
        await press(ctrl("c"), empty);
      },
      "Ctrl-G": async () => {
        await press(`one two${ctrl("g")}`, line("one three"));
        await press(ctrl("c"), empty);
      },
      "Ctrl-O": () => press(ctrl("o"), new RegExp(`paged\\n${PROMPT.slice(2)}`)),
      "Ctrl-V": () => press(ctrl("v"), /[Ii]mage[\s\S]*\n› *$/),
      "Ctrl-S": async () => {
        await press("later", line("later"));
        await press(ctrl("s"), empty);
        await press(ctrl("s"), line("later"));
        await press(ctrl("c"), empty);
      },
      "Ctrl-_": async () => {
        await press("word", line("word"));
        await press("\u001f", empty);
      },
      "↓": async () => {
        await press("x", line("x"));
        await press(DOWN, line("x"));
        await press(ctrl("c"), empty);
      },
      "Ctrl-B": () => press(ctrl("b"), said("Nothing runs in the foreground")),
      "Ctrl-T": async () => {
        await press(ctrl("t"), new RegExp(`Todos: 0 of 1 .*\\n○ Find${PROMPT}`));
        terminal.type(ctrl("t"));
        await press("y", /[^d]\n› y$/);
        await press(ctrl("c"), empty);
      },
      "Shift-Tab": () => press(SHIFT_TAB, said("The mode is acceptEdits from now on.")),
      "Ctrl-Z": async () => {
        await press(ctrl("z"), /\n\$ *$/);
        await press("fg\r", new RegExp(`\\$ fg\\n[\\s\\S]*${PROMPT}`));
      },
      "Esc, Ctrl-C": async () => {
        await press("go\r", "Endless");
        await press(ESC, new RegExp(`⊘ cancelled[\\s\\S]*${PROMPT}`));
        await press("again\r", /› again[\s\S]*Endless/);
        await press(ctrl("c"), new RegExp(`› again[\\s\\S]*⊘ cancelled[\\s\\S]*${PROMPT}`));
      },
      "Esc Esc": async () => {
        await press(`${ESC}${ESC}`, /rewind › *$/);
        await press(ESC, new RegExp(`rewind › *\\n[\\s\\S]*${PROMPT}`));
        await press(`${ESC}${ESC}`, /rewind › *\n[\s\S]*rewind › *$/);
        await press(ctrl("c"), new RegExp(`${words("Ctrl-C again leaves.")}[\\s\\S]*${PROMPT}`));
      },
    };
    expect(Object.keys(what)).toEqual(KEYS.map(([name]) => name));
    for (const [name, pressed] of Object.entries(what))
      await pressed().catch((error: Error) => expect.fail(`${name}: ${error.message}`));
    await press(ctrl("l"), new RegExp(PROMPT));
    assertWhole(terminal, size);
    terminal.type(ctrl("d"));
    await assertRestored(terminal);
    await terminal.shows(/--resume/);
  });

  test("opens, tells and stops agents, and moves one to the background", {
    tags: ["long"],
  }, async () => {
    const told = Promise.withResolvers<void>();
    const deepest = Promise.withResolvers<void>();
    const agents = (...parts: readonly number[]): ServedReply => ({
      calls: parts.map((n) => ({
        name: "Agent",
        input: { description: `part ${n}`, prompt: `Look at part ${n}.`, subagent_type: "general-purpose" },
      })),
    });
    const terminal = await talk(
      async ({ rawBody }) => {
        if (rawBody.includes("Fan out")) {
          if (rawBody.includes("It heard the user")) return { text: "Part 1 is in." };
          return isResult(rawBody) ? { text: "I continue." } : { ...agents(1, 2, 3), text: "I start them." };
        }
        if (rawBody.includes("Hear me")) return { text: "It heard the user." };
        if (rawBody.includes("Look at part 4")) deepest.resolve();
        if (rawBody.includes("Look at part 3") && !rawBody.includes("Look at part 4.")) return agents(4);
        if (!rawBody.includes("Look at part 1"))
          return { text: "Endless", upTo: "event: content_block_stop", ending: "pings" };
        await told.promise;
        return { text: "I look.", calls: [{ name: "Bash", input: { command: "true" } }] };
      },
      size,
      ["--permission-mode", "acceptEdits"],
    );
    const press = async (keys: string, shows: string | RegExp) => {
      terminal.type(keys);
      await terminal.shows(shows);
    };
    await press("Fan out.\r", "I start them.");
    await deepest.promise;
    await press(DOWN, /\n› . .*part 1[\s\S]*part 2[\s\S]*part 3[\s\S]*part 4[^\n]*\n.*Enter/);
    await press("\r", /\n. .*part 1.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press("m", /\n(?:.*part 1 )?› *$/);
    await press("Hear me now", /› Hear me\s+now$/);
    await press("\r", /\n. .*part 1.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press(RIGHT, /\n. .*part 2.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press("x", /\n⊘ .*part 2.*\n(?:[\s\S]*\n)?⊘ .*part 2.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press(RIGHT, /\n. .*part 3.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press("X", /\n⊘ .*part 4.*\n(?:[\s\S]*\n)?⊘ .*part 3.*\n[\s\S]*\n(?!.*Enter).*\bm .*Esc.*$/);
    await press(ESC, /\n› ⊘ .*part 3.*\n.*Enter.*$/);
    await press(ESC, new RegExp(PROMPT));
    await press(
      ctrl("b"),
      new RegExp(`${words("Moved to the background: 1")}[\\s\\S]*${words("I continue.")}[\\s\\S]*✓ done`),
    );
    told.resolve();
    await terminal.shows(
      new RegExp(
        `${words("From the background:")}[\\s\\S]*${words("Part 1 is in.")}[\\s\\S]*✓ done[\\s\\S]*${PROMPT}`,
      ),
    );
    assertWhole(terminal, size);
    terminal.type("/exit\r");
    await assertRestored(terminal);
  });
});
