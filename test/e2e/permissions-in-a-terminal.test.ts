import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { BIN } from "../support/built.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`Questions of the gate are not tested in a terminal here: ${why}.`);

interface Talk extends PseudoTerminal {
  readonly cwd: string;
  /** Replaces the person's settings. */
  set(settings: object): void;
  /** What the model was told of its calls, request by request. */
  told(n: number): Promise<string>;
}

/** A conversation with a model that says this. */
async function talk(
  replies: readonly ServedReply[],
  settings: object = {},
  more: Readonly<Record<string, string>> = {},
): Promise<Talk> {
  const cwd = temporaryFolder();
  const here = (reply: ServedReply): ServedReply => JSON.parse(JSON.stringify(reply).replaceAll("$CWD", cwd));
  const server = await startMessagesServer(({ n }) => here(replies[n] ?? { text: "All done." }));
  onTestFinished(() => server.close());
  const home = temporaryFolder("troupe-home-");
  const set = (value: object) => {
    mkdirSync(join(home, ".claude"), { recursive: true });
    writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(value));
  };
  set(settings);
  const env = { HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret", ...more };
  const terminal = inTerminal([process.execPath, BIN], { cwd, env, columns: 90, rows: 40 });
  await terminal.shows(/\n› *$/);
  const told = async (n: number) => JSON.stringify((await server.request(n)).body.messages.at(-1));
  return Object.assign(terminal, { cwd, set, told });
}

const bash = (command: string, description?: string): ServedReply => ({
  text: `I run ${command}.`,
  calls: [{ name: "Bash", input: { command, ...(description ? { description } : {}) } }],
});

describe("what the gate asks, in a terminal", { ...unless(why), timeout: 60_000 }, () => {
  test("shows an edit before it is made, below its line afterwards, and all of it after Ctrl-O (issue 21, 3)", {
    tags: ["long"],
  }, async () => {
    const file_path = "a.ts";
    const terminal = await talk(
      [
        {
          text: "I write.",
          calls: [{ name: "Write", input: { file_path: "$CWD/a.ts", content: "one\n2\nthree\n" } }],
        },
      ],
      {},
      { PAGER: "sed s/^/paged:/" },
    );
    writeFileSync(join(terminal.cwd, file_path), "one\ntwo\nthree\n");
    terminal.type("go\r");
    await terminal.shows(
      /change {6}\+1 -1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ 2\n {2}3 {3}three\n\nAllow this\?[\s\S]* s {2}yes, for this session[\s\S]*answer › *$/,
    );
    expect(readFileSync(join(terminal.cwd, file_path), "utf8")).toContain("two");
    terminal.type("y\r");
    await terminal.shows(/✓ Write a\.ts {2}\+1 -1\n {2}1 {3}one\n {2}2 - two\n {2}2 \+ 2\n[\s\S]*All done\./);
    terminal.type("\u000f");
    await terminal.shows(/paged: {2}2 - two\npaged: {2}2 \+ 2[\s\S]*› *$/);
    expect(readFileSync(join(terminal.cwd, file_path), "utf8")).toBe("one\n2\nthree\n");
  });

  test("yes runs it once, s for the session, n tells the agent why not, d refuses it from then on (A6.3)", {
    tags: ["long"],
  }, async () => {
    const terminal = await talk([
      bash("touch one", "Be nice"),
      bash("touch two"),
      bash("touch two"),
      bash("touch three"),
      bash("touch four"),
      bash("touch four"),
    ]);
    terminal.type("go\r");
    await terminal.shows(
      /\n {2}Bash {2}touch one\n {2}model says {2}Be nice\n {2}why[\s\S]*Allow this\?\n[\s\S]*answer › *$/,
    );
    expect(existsSync(join(terminal.cwd, "one"))).toBe(false);
    terminal.type("y\r");
    await terminal.shows(/Bash {2}touch two[\s\S]*for this session: Bash\(touch two\)[\s\S]*answer › *$/);
    expect(existsSync(join(terminal.cwd, "one"))).toBe(true);
    terminal.type("s\r");
    await terminal.shows(/Bash {2}touch three[\s\S]*answer › *$/);
    terminal.type("n use another name\r");
    await terminal.shows(/Bash {2}touch four[\s\S]*answer › *$/);
    terminal.type("d\r");
    await terminal.shows(
      /I run touch four\.\n[\s\S]*I run touch four\.\n[\s\S]*All done\.\n\n3 calls not allowed: Bash\./,
    );
    expect(await terminal.told(4)).toContain("use another name");
    expect(await terminal.told(6)).toContain("whole session");
    for (const name of ["three", "four"]) expect(existsSync(join(terminal.cwd, name))).toBe(false);
    terminal.type("/permissions\r");
    await terminal.shows(/The mode is default\.\nallow {2}Bash\(touch two\) {2}session/);
  });

  test("p shows the rule that it writes for the project, and the arrow keys and Esc answer (issue 21, 7)", {
    tags: ["long"],
  }, async () => {
    const terminal = await talk([bash("touch one"), bash("touch one"), bash("touch two")]);
    const file = join(terminal.cwd, ".claude/settings.local.json");
    terminal.type("go\r");
    await terminal.shows(/ 3 p {2}yes, always in this project[\s\S]*answer › *$/);
    terminal.type("p\r");
    await terminal.shows(/allow Bash\(touch one\)\n {2}into[\s\S]*Write this\?[\s\S]*answer › *$/);
    terminal.type("\u001b[B\u001b[B\r");
    await terminal.shows(/answer › n {2}write nothing\n[\s\S]*yes, this once[\s\S]*answer › *$/);
    expect(existsSync(file)).toBe(false);
    terminal.type("p\r");
    await terminal.shows(/Write this\?[\s\S]*Write this\?[\s\S]*answer › *$/);
    terminal.type("\u001b[B\r");
    await terminal.shows(/Written to [\s\S]*Bash {2}touch two[\s\S]*answer › *$/);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ permissions: { allow: ["Bash(touch one)"] } });
    expect(existsSync(join(terminal.cwd, "one"))).toBe(true);
    terminal.type("\u001b");
    await terminal.shows(/Stopping; Ctrl-C again leaves\.[\s\S]*stopped|cancelled/);
    expect(existsSync(join(terminal.cwd, "two"))).toBe(false);
  });

  test("Esc Esc returns to an earlier prompt, with its files, or the files alone (issue 21, 8)", {
    tags: ["long"],
  }, async () => {
    const write = (content: string): ServedReply => ({
      text: "I write.",
      calls: [{ name: "Write", input: { file_path: "$CWD/a.ts", content } }],
    });
    const terminal = await talk(
      [write("one\n"), { text: "Did one." }, write("two\n"), { text: "Did two." }],
      {
        permissions: { defaultMode: "acceptEdits" },
      },
    );
    const file = join(terminal.cwd, "a.ts");
    terminal.type("write one\r");
    await terminal.shows(/Did one\.[\s\S]*✓ done/);
    terminal.type("write two\r");
    await terminal.shows(/Did two\.[\s\S]*✓ done/);
    terminal.type("\u001b[27u\u001b[27u\u001b[27u");
    await terminal.shows(
      / 1 {2}\S+ {2}write two · 1 file changed since\n {2}2 {2}\S+ {2}write one · 1 file[\s\S]*rewind › *$/,
    );
    terminal.type("1\r");
    await terminal.shows(/\n {2}a\.ts\nWhat returns[\s\S]*rewind › *$/);
    terminal.type("b\r");
    await terminal.shows(/Restored: a\.ts\.[\s\S]*\n› write two$/);
    expect(readFileSync(file, "utf8")).toBe("one\n");
    terminal.type(" again\r");
    await terminal.shows(/› write two again[\s\S]*All done\./);
    const last = await terminal.told(4);
    expect(last).toContain("write two again");
    terminal.type("/rewind 2\r");
    await terminal.shows(/What returns[\s\S]*What returns[\s\S]*rewind › *$/);
    terminal.type("f\r");
    await terminal.shows(/Restored: [\s\S]*Restored: /);
    expect(existsSync(file)).toBe(false);
  });

  test("plan mode from the first question to the approval: nothing is written before (A14.4, A14.9)", {
    tags: ["long"],
  }, async () => {
    const write = (file_path: string) => ({ name: "Write", input: { file_path, content: "x\n" } });
    const steps: ServedReply[] = [];
    const terminal = await talk(steps);
    const file = join(terminal.cwd, "b.txt");
    steps.push(
      { text: "I plan first.", calls: [{ name: "EnterPlanMode", input: {} }] },
      { text: "Too early.", calls: [write(file)] },
      { text: "The plan is ready.", calls: [{ name: "ExitPlanMode", input: { plan: "1. Write b.txt" } }] },
      { text: "Better now.", calls: [{ name: "ExitPlanMode", input: { plan: "1. Write b.txt twice" } }] },
      { text: "Writing.", calls: [write(file)] },
    );
    terminal.type("go\r");
    await terminal.shows(/EnterPlanMode[\s\S]*answer › *$/);
    terminal.type("y\r");
    await terminal.shows(/Carry out this plan\?\n\n1\. Write b\.txt\n[\s\S]*answer › *$/);
    expect(existsSync(file)).toBe(false);
    terminal.type("n write it twice\r");
    await terminal.shows(/1\. Write b\.txt twice\n[\s\S]*answer › *$/);
    expect(await terminal.told(3)).toContain("write it twice");
    terminal.type("a\r");
    await terminal.shows(/Writing\.\n[\s\S]*All done\./);
    expect(readFileSync(file, "utf8")).toBe("x\n");
    terminal.type("/mode\r");
    await terminal.shows("The mode is acceptEdits.");
  });

  test("/mode keeps to settings, also to those that change while it runs (fault 60)", {
    tags: ["long"],
  }, async () => {
    const terminal = await talk([], { permissions: { disableBypassPermissionsMode: "disable" } });
    terminal.type("/mode bypass\r");
    await terminal.shows(/bypassPermissions is switched off in your settings/);
    terminal.type("/mode acceptEdits\r");
    await terminal.shows("The mode is acceptEdits from now on.");
    terminal.set({ permissions: { deny: ["Bash(touch:*)"] } });
    await terminal.shows("Settings have changed");
    terminal.type("/permissions\r");
    await terminal.shows(/The mode is acceptEdits\.\ndeny {3}Bash\(touch:\*\) {2}user, /);
  });
});
