import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendLine } from "../../../src/cli/repl/remember.ts";
import { runSlashCommand } from "../../../src/cli/repl/slash-commands.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { textsOf } from "../../support/texts-of.ts";
import { ownFiles, slashContext } from "./slash-ground.ts";

/** A home, and in it a project of which one package is worked in. */
function world(files: Readonly<Record<string, string>> = {}) {
  const top = temporaryFolder();
  const homedir = join(top, "home");
  const project = join(homedir, "project");
  const cwd = join(project, "packages", "one");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(cwd, { recursive: true });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), text);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const own = ownFiles({ cwd, homedir, managed: join(top, "etc", "managed-settings.json") });
  return {
    ...{ top, cwd, homedir, put },
    type: (line: string) => runSlashCommand(line, slashContext(own)),
    text: (path: string) => readFileSync(join(top, path), "utf8"),
  };
}

const PACKAGE = "home/project/packages/one";

describe("/remember (A18.6, A21.3)", () => {
  test("adds a line to the chosen file, makes it where it is missing, and says which it was", async () => {
    const { type, text, top } = world();
    expect(await type("/remember use pnpm here")).toBe(
      `Kept in the new file ${join(top, PACKAGE, "CLAUDE.md")}; the next request knows it.\n--user keeps it for all your projects, --local for you in this one.`,
    );
    expect(await type("/remember - tests: `pnpm t`")).toContain("Added to ");
    expect(text(`${PACKAGE}/CLAUDE.md`)).toBe("- use pnpm here\n- tests: `pnpm t`\n");
    expect(await type("/remember --user short answers")).toContain(join(top, "home/.claude/CLAUDE.md"));
    expect(text("home/.claude/CLAUDE.md")).toBe("- short answers\n");
    expect(await type("/remember --scope local my port is 4001")).toContain("CLAUDE.local.md");
    expect(text(`${PACKAGE}/CLAUDE.local.md`)).toBe("- my port is 4001\n");
  });

  test.each([
    [["home/project/CLAUDE.md"], "home/project/CLAUDE.md"],
    [["home/project/CLAUDE.md", `${PACKAGE}/AGENTS.md`], `${PACKAGE}/AGENTS.md`],
    [[`${PACKAGE}/.claude/CLAUDE.md`, `${PACKAGE}/AGENTS.md`], `${PACKAGE}/.claude/CLAUDE.md`],
    // Not the project's: it lies above it.
    [["home/CLAUDE.md"], `${PACKAGE}/CLAUDE.md`],
  ])("of %j it is %s", async (there, chosen) => {
    const { type, text } = world(Object.fromEntries(there.map((path) => [path, "There."])));
    await type("/remember x");
    expect(text(chosen)).toMatch(/(^|There\.\n)- x\n$/);
  });

  test("a file keeps its line ends, and several lines are one item", async () => {
    const { type, text } = world({ [`${PACKAGE}/CLAUDE.md`]: "# Rules\r\n" });
    await type("/remember first\nsecond\u001b[2J\u0007");
    expect(text(`${PACKAGE}/CLAUDE.md`)).toBe("# Rules\r\n- first\r\n  second[2J\r\n");
  });

  test.each([["/remember"], ["/remember --user"], ["/remember   \n "]])(
    "%j is asked for its text",
    async (line) => {
      expect(await world().type(line)).toMatch(/^Say what to remember: \/remember TEXT/);
    },
  );

  test("--everyone names no file", async () => {
    expect(await world().type("/remember --everyone x")).toBe(
      'There is no "--everyone" here; say one of --project, --user, --local.',
    );
  });

  test("leaves alone what is not a file or is outside the project", async () => {
    const { type, put, text, cwd, top } = world();
    put("outside.md", "Mine.");
    symlinkSync(join(top, "outside.md"), join(cwd, "CLAUDE.md"));
    expect(await type("/remember x")).toMatch(
      /CLAUDE\.md leads out of .* through a link, so nothing was added to it\.$/,
    );
    expect(text("outside.md")).toBe("Mine.");
    mkdirSync(join(cwd, "CLAUDE.local.md"));
    expect(await type("/remember --local x")).toMatch(/could not be written \(EISDIR/);
    // The person's own may be kept elsewhere.
    mkdirSync(join(top, "home/.claude"));
    symlinkSync(join(top, "outside.md"), join(top, "home/.claude/CLAUDE.md"));
    await type("/remember --user x");
    expect(text("outside.md")).toBe("Mine.\n- x\n");
  });

  test("does not wait for a pipe in its place", async () => {
    const { type, cwd } = world();
    execFileSync("mkfifo", [join(cwd, "CLAUDE.md")]);
    expect(await type("/remember x")).toMatch(/is not a regular file, so nothing was added to it\.$/);
  });

  test("says that a file is longer than what the model is shown", async () => {
    const { type } = world({ [`${PACKAGE}/CLAUDE.md`]: `${"x".repeat(65_535)}\n` });
    expect(await type("/remember x")).toContain("longer than the 64 KB that agents get of it");
  });

  test("keeps many lines that are added together", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "CLAUDE.md");
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    await Promise.all(
      numbers.map(async (n) => {
        expect(await appendLine({ path, reach: folder }, `- ${n}`)).toMatchObject({ type: "appended" });
      }),
    );
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.toSorted()).toEqual(numbers.map((n) => `- ${n}`).toSorted());
  });

  test("the next request shows it (A18.6)", async () => {
    const homedir = temporaryFolder();
    const managed = join(homedir, "none", "managed-settings.json");
    const { supervisor, model, cwd } = supervised("in-thread", [{ text: "One." }, { text: "Two." }], {
      context: {
        memory: {
          ...userPlaces({}, homedir),
          home: join(homedir, ".troupe"),
          managed: dirname(managed),
          trusted: () => false,
        },
        surroundings: false,
      },
    });
    await supervisor.prompt("hello");
    await runSlashCommand("/remember the port is 4001", slashContext(ownFiles({ cwd, homedir, managed })));
    await supervisor.prompt("again");
    const [first, second] = model.requests.map(textsOf);
    expect(first).not.toContain("4001");
    expect(second).toContain("- the port is 4001");
  });
});
