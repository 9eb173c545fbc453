import { execFileSync } from "node:child_process";
import { chownSync, lstatSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentTools } from "../../src/tools/index.ts";
import { noSession, sessionTools } from "../../src/tools/session-tools.ts";
import { onLinux, unless } from "../support/needs.ts";
import { smallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { toolNamed, type Workbench, workbenches } from "./workbench.ts";

const workbench = workbenches();

const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: {},
  cells: [{ cell_type: "markdown", id: "a", metadata: {}, source: ["one"] }],
});

/** A correct call of each tool on a path; `write`: it would change what is there. */
const ON_A_PATH = {
  Read: (path: string) => ({ file_path: path }),
  Write: (path: string) => ({ file_path: path, content: "new" }),
  Edit: (path: string) => ({ file_path: path, old_string: "one", new_string: "uno" }),
  NotebookEdit: (path: string) => ({ notebook_path: path, cell_id: "a", new_source: "uno" }),
  Glob: (path: string) => ({ pattern: "*", path }),
  Grep: (path: string) => ({ pattern: "one", path }),
} as const;
type OnAPath = keyof typeof ON_A_PATH;
const tools = Object.keys(ON_A_PATH) as OnAPath[];

/** What a message must have besides the cause: a way to go on. */
const WHAT_NEXT =
  /(?:Name|Give|Write|Continue|Look|Did you mean|List|look there|Create|You probably mean|Read it|Free|such as|Search|Grep|write out the home|ame the file)/;

const ours = [...agentTools, ...sessionTools(noSession)];

describe("nothing but an object of the fields there are (A3.1 to A3.6, A3.13 to A3.18, A3.25, A3.29, A3.30)", () => {
  test.each(ours.map((tool) => [tool.name, tool] as const))("%s", { tags: ["long"] }, (_name, tool) => {
    const message = (input: unknown) => {
      const call = tool.prepare(input);
      return call.type === "invalid" ? call.message : "taken";
    };
    expect(message({ replaceAll: true })).toMatch(/has no field "replaceAll"[\s\S]*call \w+ again\.$/);
    expect(message(null)).toContain("- input: expected object, got null");
    expect(message([])).toContain("- input: expected object, got array");
    expect(message("text")).toContain("- input: expected object, got string");
  });

  test("a field that is null, or a list, is named as what it is", () => {
    const call = toolNamed("Read").prepare({ file_path: null, pages: [] });
    expect(call).toMatchObject({
      message: expect.stringMatching(/file_path: expected string, got null\n- pages: .* got array/),
    });
  });
});

/** NotebookEdit looks at the end of a name first, and Edit sends notebooks away. */
const named = (tool: OnAPath) => (tool === "NotebookEdit" ? "b.ipynb" : "b.txt");

/** Where no ordinary file is, and what is said of it. */
const PLACES: [string, (bench: Workbench, name: string) => string, RegExp][] = [
  ["a relative path", (_bench, name) => `a/${name}`, /must be absolute|does not exist/],
  ["a home that only a shell knows", (_bench, name) => `~/${name}`, /~ is not expanded|does not exist/],
  [
    "a file as a folder",
    (bench, name) => bench.path("a.txt", name),
    /a part of it is a file|a part of the path is a file/,
  ],
  ["a pipe", (bench, name) => pipe(bench.path(name)), /named pipe|neither a file nor a directory|is a file/],
  ["a socket", (bench, name) => socket(bench.path(name)), /socket|neither a file nor a directory|is a file/],
  [
    "a device behind a link",
    (bench, name) => link(bench.path(name), "/dev/zero"),
    /is a device|neither a file nor a directory|is a file|leads out of the workspace/,
  ],
  ["a circle of links", (bench, name) => circle(bench.path(name)), /circle|leads nowhere/],
  [
    "a link to nothing",
    (bench, name) => link(bench.path(name), bench.path("nothing")),
    /is a symbolic link to .*, which does not exist|leads nowhere/,
  ],
  ["a name that is too long", (bench, name) => bench.path(`${"x".repeat(300)}${name}`), /name is too long/],
  ["a NUL", (bench, name) => bench.path(`a\0${name}`), /cannot contain a NUL/],
];

describe.each(tools)("%s, without a file it could use", (tool) => {
  test.each(PLACES)("%s", { tags: ["long"] }, async (_label, make, words) => {
    const bench = workbench({ "a.txt": "one" });
    const path = make(bench, named(tool));
    const before = listed(bench.root);
    const message = await bench.failure(tool, ON_A_PATH[tool](path));
    expect(message).toMatch(words);
    expect(message).toMatch(WHAT_NEXT);
    expect(message).not.toMatch(/\/proc\/self\/fd|ERR_|\bat \w+ \(/);
    expect(listed(bench.root)).toEqual(before);
  });
});

test.each(["Read", "Write", "Edit", "NotebookEdit"] as const)(
  "%s: half a character in a name is no other file's name",
  async (tool) => {
    const other = `\ufffd${named(tool).slice(1)}`;
    const bench = workbench({ [other]: NOTEBOOK });
    const path = bench.path(`\ud800${named(tool).slice(1)}`);
    expect(await bench.failure(tool, ON_A_PATH[tool](path))).toContain("lone surrogate");
    expect(readFileSync(bench.path(other), "utf8")).toBe(NOTEBOOK);
  },
);

test.each(tools)("%s: names with line breaks, tabs and every script are names", async (tool) => {
  const name = `línea\n行\t\u2028😀 $(x) ${named(tool)}`;
  const bench = workbench({ [`dir/${name}`]: NOTEBOOK });
  const path = tool === "Glob" ? bench.path("dir") : bench.path("dir", name);
  await bench.call("Read", { file_path: bench.path("dir", name) });
  expect(await bench.call(tool, ON_A_PATH[tool](path))).toMatchObject({ isError: false });
});

test.each(["Read", "Edit", "NotebookEdit"] as const)(
  "%s: what can be opened and not read is a sentence, not an exception",
  onLinux,
  async (tool) => {
    const bench = workbench();
    // A regular file to the system, whose first byte is nobody's.
    const path = link(bench.path(named(tool)), "/proc/self/mem");
    const root = "/";
    await expect(bench.failure(tool, ON_A_PATH[tool](path), { root })).resolves.toMatch(
      /cannot be read: EIO.*Continue without it/,
    );
  },
);

const disk = smallDisk();

describe("a disk with 64 kB", unless(disk.why), () => {
  test.each([
    ["a new file", "b.txt", 100_000],
    ["a new file below folders that have to be made", "new/b.txt", 100_000],
    ["a file that is there", "a.txt", 100_000],
    ["one so large that it is written in the background", "a.txt", 3_000_000],
  ])(
    "Write on a full disk, %s: the old bytes stay, and no temporary file (fault 43)",
    async (_l, name, size) => {
      const bench = workbench();
      const place = disk.mountIn(bench.root);
      bench.write({ "disk/a.txt": "old".repeat(5_000) });
      const input = { file_path: join(place, name), content: "n".repeat(size) };
      expect(await bench.failure("Write", input)).toMatch(/no space left on the disk. Free some/);
      expect(readFileSync(join(place, "a.txt"), "utf8")).toBe("old".repeat(5_000));
      expect(files(place)).toEqual(["a.txt"]);
    },
  );

  test("Edit and NotebookEdit on a full disk leave the old bytes, and work once there is room (fault 43)", async () => {
    const bench = workbench();
    const place = disk.mountIn(bench.root);
    bench.write({ "disk/a.txt": "one", "disk/a.ipynb": NOTEBOOK, "disk/filler": "f".repeat(40_000) });
    const more = "m".repeat(50_000);
    const [text, book] = [join(place, "a.txt"), join(place, "a.ipynb")];
    const calls = [
      ["Edit", { file_path: text, old_string: "one", new_string: more }],
      ["NotebookEdit", { notebook_path: book, cell_id: "a", new_source: more }],
    ] as const;
    for (const file_path of [text, book]) await bench.call("Read", { file_path });
    for (const [tool, input] of calls) expect(await bench.failure(tool, input)).toContain("no space left");
    expect(readFileSync(text, "utf8")).toBe("one");
    expect(readFileSync(book, "utf8")).toBe(NOTEBOOK);
    expect(files(place)).toEqual(["a.ipynb", "a.txt", "filler"]);
    rmSync(join(place, "filler"));
    expect(await bench.call("Edit", calls[0][1])).toMatchObject({ isError: false });
  });

  test("in a read-only directory, every tool that writes says so and where to continue", async () => {
    const bench = workbench();
    const place = disk.mountIn(bench.root);
    bench.write({ "disk/a.txt": "one", "disk/a.ipynb": NOTEBOOK });
    for (const name of ["a.txt", "a.ipynb"]) await bench.call("Read", { file_path: join(place, name) });
    disk.makeReadOnly(place);
    const said = "the file system is read-only. Write elsewhere.";
    for (const name of ["a.txt", "new.txt", "new/deep.txt"])
      expect(await bench.failure("Write", ON_A_PATH.Write(join(place, name)))).toContain(said);
    expect(await bench.failure("Edit", ON_A_PATH.Edit(join(place, "a.txt")))).toContain(said);
    expect(await bench.failure("NotebookEdit", ON_A_PATH.NotebookEdit(join(place, "a.ipynb")))).toContain(
      said,
    );
    expect(readFileSync(join(place, "a.txt"), "utf8")).toBe("one");
    const command = await bench.text("Bash", { command: `echo x > ${join(place, "b")}` });
    expect(command).toMatch(/Read-only file system\n\[Exit code 1\]$/);
  });
});

const AS_ANOTHER_USER = fileURLToPath(new URL("./as-another-user.ts", import.meta.url));
/** An administrator may read everything, so somebody else asks. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const whyNotNobody = whyNotAsked();

test("what is not for this user is said", { ...unless(whyNotNobody), tags: ["long"] }, () => {
  const folder = temporaryFolder();
  if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
  const out = execFileSync(process.execPath, [AS_ANOTHER_USER, folder], {
    ...NOBODY,
    encoding: "utf8",
    env: {},
  });
  const asked: unknown = JSON.parse(out);
  expect(asked).toMatchObject({
    "Read secret": expect.stringMatching(/cannot be read: permission denied\. Continue without it/),
    "Read in a closed folder": expect.stringContaining("permission denied"),
    "Edit secret": expect.stringContaining("permission denied"),
    "Edit read-only": expect.stringMatching(/was not written: permission denied\. Change its permissions/),
    "Edit in a read-only folder": expect.stringContaining("was not written: permission denied"),
    "Write read-only": expect.stringContaining("was not written: permission denied"),
    "Write in a closed folder": expect.stringContaining("was not written: permission denied"),
    "NotebookEdit read-only": expect.stringContaining("was not written: permission denied"),
    Glob: expect.stringContaining("open.txt"),
    Grep: expect.stringMatching(/open\.txt[\s\S]*could not be read, such as .*Permission denied/),
    "Grep secret": expect.stringMatching(/could not be read, such as secret.*Permission denied/),
  });
});

function whyNotAsked(): string | null {
  const look = `require("node:fs").accessSync(${JSON.stringify(AS_ANOTHER_USER)})`;
  try {
    execFileSync(process.execPath, ["-e", look], { ...NOBODY, stdio: "ignore" });
    return null;
  } catch {
    return "another user may not read this checkout, or not run this Node";
  }
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

function listed(folder: string): string[] {
  return readdirSync(folder, { encoding: "utf8" })
    .map((name) => `${name} ${lstatSync(join(folder, name), { throwIfNoEntry: false })?.size}`)
    .sort();
}

function pipe(path: string): string {
  execFileSync("mkfifo", [path]);
  return path;
}

function socket(path: string): string {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  return path;
}

function link(path: string, to: string): string {
  symlinkSync(to, path);
  return path;
}

function circle(path: string): string {
  symlinkSync(`${path}-back`, path);
  symlinkSync(path, `${path}-back`);
  return path;
}
