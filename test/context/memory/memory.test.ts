import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { diskFiles, type Files } from "../../../src/context/files.ts";
import { MAX_MEMORY_FILE_BYTES, MAX_MEMORY_FILES, memoryReader } from "../../../src/context/memory/memory.ts";
import type { MemorySearch } from "../../../src/context/memory/memory-paths.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { unless } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface World {
  readonly top: string;
  readonly home: string;
  readonly project: string;
  readonly cwd: string;
  put(path: string, text: string): string;
  reader(own?: Partial<MemorySearch>, files?: Files): ReturnType<typeof memoryReader>;
}

/** A home, and in it a project of which one package is worked in. */
function world(): World {
  const top = temporaryFolder();
  const home = join(top, "home");
  const project = join(home, "project");
  const cwd = join(project, "packages", "one");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(project, ".git"));
  return {
    ...{ top, home, project, cwd },
    put(path, text) {
      const file = join(top, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    reader: (own = {}, files = diskFiles) =>
      memoryReader(
        {
          ...{ cwd, ...userPlaces({}, home), home: join(home, ".troupe"), managed: join(top, "managed") },
          ...{ trusted: () => false, denied: () => false },
          ...own,
        },
        files,
      ),
  };
}

const texts = (read: ReturnType<typeof memoryReader>) => read().files.map(({ text }) => text);

test("orders memory: the organization's, the user's, the project's from the outside in, the user's own for it (A18.5)", () => {
  const { put, reader } = world();
  put("home/project/packages/one/CLAUDE.local.md", "local");
  put("home/project/packages/one/AGENTS.md", "package agents");
  put("home/project/packages/one/.claude/CLAUDE.md", "package folder");
  put("home/project/packages/one/CLAUDE.md", "package");
  put("home/project/AGENTS.md", "project agents");
  put("home/project/CLAUDE.md", "project");
  put("home/CLAUDE.md", "above");
  put("home/.troupe/CLAUDE.md", "user troupe");
  put("home/.claude/CLAUDE.md", "user");
  put("managed/CLAUDE.md", "organisation");
  const read = reader();
  expect(texts(read)).toEqual([
    ...["organisation", "user", "user troupe", "above", "project", "project agents"],
    ...["package", "package folder", "package agents", "local"],
  ]);
  expect(read().files.map(({ scope }) => scope)).toEqual([
    ...["enterprise", "user", "user", "project", "project", "project"],
    ...["project", "project", "project", "local"],
  ]);
  expect(read().notes).toEqual([]);
});

test("reads the user's file once, as the user's, in the home directory", () => {
  const { put, reader, home } = world();
  put("home/.claude/CLAUDE.md", "user");
  expect(reader({ cwd: home })().files.map(({ scope, text }) => [scope, text])).toEqual([["user", "user"]]);
});

test("shows AGENTS.md and CLAUDE.md with the same text once: a copy, a link, a hard link, an import", () => {
  for (const how of ["copy", "link", "hard link", "import"] as const) {
    const { put, reader, cwd } = world();
    const agents = put("home/project/packages/one/AGENTS.md", "the same\n");
    const claude = join(cwd, "CLAUDE.md");
    if (how === "copy") writeFileSync(claude, "the same");
    else if (how === "link") symlinkSync("AGENTS.md", claude);
    else if (how === "hard link") linkSync(agents, claude);
    else writeFileSync(claude, "@AGENTS.md");
    const all = texts(reader()).join("\n");
    expect(all.match(/the same/g), how).toHaveLength(1);
  }
});

test("imports follow the file that names them: relative to it, from the home, with a space, at the end of a sentence, with a fragment", () => {
  const { put, reader, cwd } = world();
  put(
    "home/project/packages/one/CLAUDE.md",
    "See @docs/a.md, @./docs/b.md. And (not this) x@docs/no.md\n- @~/.claude/mine.md\n- @docs/with\\ space.md\n@docs/c.md#part\n@missing.md @someone",
  );
  put("home/project/packages/one/docs/a.md", "a, which needs @deeper/d.md");
  put("home/project/packages/one/docs/deeper/d.md", "d");
  put("home/project/packages/one/docs/b.md", "b");
  put("home/project/packages/one/docs/no.md", "no");
  put("home/project/packages/one/docs/c.md", "c");
  put("home/project/packages/one/docs/with space.md", "space");
  put("home/.claude/mine.md", "mine");
  const { files, notes } = reader()();
  expect(files.slice(1).map(({ text }) => text)).toEqual([
    "a, which needs @deeper/d.md",
    ...["d", "b", "mine", "space", "c"],
  ]);
  expect(files[2]).toMatchObject({ importedBy: join(cwd, "docs/a.md") });
  expect(files[0]?.text).toContain("@missing.md @someone");
  expect(notes).toEqual([]);
});

test("nothing in code is an import: fences, spans, indented code", () => {
  const { put, reader } = world();
  for (const name of ["a", "b", "c", "d", "e", "f"])
    put(`home/project/packages/one/${name}.md`, `text of ${name}`);
  put(
    "home/project/packages/one/CLAUDE.md",
    [
      "```sh",
      "@a.md",
      "```",
      "~~~~",
      "```",
      "@b.md",
      "~~~~",
      "",
      "    @c.md",
      "",
      "`@d.md` and ``x ` @d.md``",
      "- a list",
      "    - @e.md",
      "",
      "@f.md",
    ].join("\n"),
  );
  expect(texts(reader()).slice(1)).toEqual(["text of e", "text of f"]);
});

test("ends a loop of imports, shows each file once, and follows a chain five files deep", () => {
  const { put, reader } = world();
  put("home/project/packages/one/CLAUDE.md", "@l1.md\n@c1.md");
  put("home/project/packages/one/l1.md", "l1 @l2.md");
  put("home/project/packages/one/l2.md", "l2 @l1.md @CLAUDE.md");
  for (let n = 1; n <= 7; n++) put(`home/project/packages/one/c${n}.md`, `c${n} @c${n + 1}.md`);
  const { files, notes } = reader()();
  const told = files.map(({ text }) => text.split(" ")[0]);
  expect(told).toEqual(["@l1.md\n@c1.md", "l1", "l2", "c1", "c2", "c3", "c4", "c5"]);
  expect(notes).toEqual([expect.stringMatching(/imports of .*c5\.md are not followed/)]);
});

test("shows the start of a CLAUDE.md of 100 MB, and reports that", () => {
  const { put, reader } = world();
  const file = put("home/project/packages/one/CLAUDE.md", "a rule\n".repeat(20_000));
  truncateSync(file, 140_000);
  const big = reader()();
  expect(big.files[0]?.text.length).toBeLessThanOrEqual(MAX_MEMORY_FILE_BYTES);
  expect(big.files[0]).toMatchObject({ cut: true, bytes: 140_000 });
  expect(big.files[0]?.text.endsWith("a rule")).toBe(true);
  expect(big.notes).toEqual([
    expect.stringMatching(/CLAUDE\.md has 140000 bytes, of which agents see only the first 65536/),
  ]);
  truncateSync(file, 100 * 1024 * 1024);
  const before = process.memoryUsage().rss;
  reader()();
  expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
});

test("names what is not text, not a file, unreadable or a link to itself, and continues", () => {
  const { put, reader, cwd, project } = world();
  put("home/CLAUDE.md", "still read");
  put("home/project/CLAUDE.md", "a\0b");
  mkdirSync(join(project, "AGENTS.md"));
  symlinkSync("CLAUDE.md", join(cwd, "CLAUDE.md"));
  execFileSync("mkfifo", [join(cwd, "AGENTS.md")]);
  symlinkSync("/dev/zero", join(cwd, "CLAUDE.local.md"));
  const closed = put("home/project/.claude/CLAUDE.md", "closed");
  chmodSync(closed, 0o000);
  const { files, notes } = reader()();
  expect(files.map(({ text }) => text).filter((text) => text !== "closed")).toEqual(["still read"]);
  // Whoever is root may read anything.
  const asRoot = process.getuid?.() === 0;
  expect(notes).toHaveLength(asRoot ? 5 : 6);
  expect(notes.join("\n")).toMatch(/CLAUDE\.md is not UTF-8 text/);
  expect(notes.join("\n")).toMatch(/AGENTS\.md is a directory/);
  expect(notes.join("\n")).toMatch(/is a link that leads back to itself/);
  expect(notes.join("\n")).toMatch(/one\/AGENTS\.md is not a regular file/);
});

test("reads nothing from outside of a repository, by import or by link, until it is trusted", () => {
  const { put, reader, cwd } = world();
  put("home/.ssh/id_rsa", "SECRET");
  put("home/.claude/settings.json", "SECRET");
  put("home/.claude/notes.md", "my notes");
  put("home/project/docs/a.md", "of the project");
  put(
    "home/project/packages/one/CLAUDE.md",
    "@~/.ssh/id_rsa @../../../.ssh/id_rsa @~/.claude/settings.json @~/.claude/notes.md @../../docs/a.md",
  );
  symlinkSync(join(cwd, "../../../.ssh/id_rsa"), join(cwd, "AGENTS.md"));
  let trusted = false;
  const read = reader({ trusted: () => trusted });
  expect(texts(read).slice(1)).toEqual(["my notes", "of the project"]);
  expect(read().notes.filter((note) => note.includes("leads out of the project"))).toHaveLength(2);
  trusted = true;
  expect(texts(read).filter((text) => text === "SECRET")).toHaveLength(1);
});

test("a memory file that is itself a link out of the project is left out (X2)", () => {
  const { put, reader, cwd } = world();
  symlinkSync(put("home/.ssh/id_rsa", "SECRET"), join(cwd, "CLAUDE.md"));
  const { files, notes } = reader()();
  expect(files).toEqual([]);
  expect(notes).toEqual([expect.stringContaining("leads out of the project")]);
});

test("a memory file that is itself a link to a file that a rule forbids to read is left out (X4)", () => {
  const { put, reader, cwd } = world();
  symlinkSync(put("home/project/.env", "SECRET=1"), join(cwd, "CLAUDE.md"));
  const { files, notes } = reader({ denied: (path) => path.endsWith(".env") })();
  expect(files).toEqual([]);
  expect(notes).toEqual([expect.stringContaining("a rule forbids reading it")]);
});

test("a file that a rule forbids to read is no memory", () => {
  const { put, reader } = world();
  put("home/project/packages/one/CLAUDE.md", "see @.env");
  put("home/project/packages/one/.env", "SECRET=1");
  const { files, notes } = reader({ denied: (path) => path.endsWith(".env") })();
  expect(files.map(({ text }) => text)).toEqual(["see @.env"]);
  expect(notes).toEqual([expect.stringMatching(/\.env was left out, because a rule forbids/)]);
});

test(
  "another user's file above the project is left out; the project's own counts for any owner",
  unless(process.getuid?.() === 0 ? null : "only root may give files away"),
  () => {
    const { put, reader } = world();
    chownSync(put("home/CLAUDE.md", "planted"), 12345, 12345);
    chownSync(put("home/project/CLAUDE.md", "checked out by another"), 12345, 12345);
    const { files, notes } = reader()();
    expect(files.map(({ text }) => text)).toEqual(["checked out by another"]);
    expect(notes).toEqual([expect.stringMatching(/belongs to another user/)]);
  },
);

test("leaves out and names files above the limit", () => {
  const { put, reader } = world();
  const names = Array.from({ length: 300 }, (_, n) => `f${n}.md`);
  for (const [n, name] of names.entries()) put(`home/project/packages/one/${name}`, `text ${n}`);
  put(
    "home/project/packages/one/CLAUDE.md",
    names
      .slice(0, 99)
      .map((name) => `@${name}`)
      .join("\n"),
  );
  put(
    "home/project/packages/one/AGENTS.md",
    names
      .slice(99, 198)
      .map((name) => `@${name}`)
      .join("\n"),
  );
  put(
    "home/project/packages/one/.claude/CLAUDE.md",
    names
      .slice(198)
      .map((name) => `@../${name}`)
      .join("\n"),
  );
  const { files, notes } = reader()();
  expect(files).toHaveLength(MAX_MEMORY_FILES);
  expect(notes.length).toBeGreaterThan(0);
});

test("files that have not changed are not read again, and what changes is seen at the next look (A2.6)", () => {
  const { put, reader, cwd } = world();
  let reads = 0;
  const counting: Files = { ...diskFiles, read: (path, most) => diskFiles.read(path, ++reads && most) };
  put("home/project/CLAUDE.md", "project");
  put("home/project/packages/one/CLAUDE.md", "one @more.md");
  const read = reader({}, counting);
  const first = read();
  expect(reads).toBe(2);
  expect(read()).toBe(first);
  expect(reads).toBe(2);
  // A name that was no file becomes one.
  put("home/project/packages/one/more.md", "more");
  expect(texts(read)).toEqual(["project", "one @more.md", "more"]);
  expect(reads).toBe(3);
  put("home/project/packages/one/CLAUDE.md", "two");
  expect(texts(read)).toEqual(["project", "two"]);
  rmSync(join(cwd, "CLAUDE.md"));
  expect(texts(read)).toEqual(["project"]);
});

test("warns of invisible characters that a model reads", () => {
  const { put, reader } = world();
  put("home/project/CLAUDE.md", "Use tabs.\u{e0052}\u{e0075}\u{e006e}");
  put("home/project/packages/one/CLAUDE.md", "Für alle: schön, 日本語, 👩‍💻.");
  expect(reader()().notes).toEqual([expect.stringMatching(/project\/CLAUDE\.md has invisible characters/)]);
});

test("warns of a file with too many imports, and of too many in total", () => {
  const { put, reader } = world();
  const named = (count: number, of: string) =>
    Array.from({ length: count }, (_, n) => `@${of}${n}.md`).join(" ");
  put("home/project/CLAUDE.md", named(120, "many"));
  for (let n = 0; n < 120; n++) put(`home/project/many${n}.md`, `MANY${n}`);
  const one = reader()();
  expect(one.files).toHaveLength(101);
  expect(one.notes).toEqual([
    expect.stringMatching(
      /project\/CLAUDE\.md names more than 100 files with an @; the others are not looked for\.$/,
    ),
  ]);
  for (let n = 0; n < 6; n++) put(`home/project/many${n}.md`, `MANY${n} ${named(100, `none${n}`)}`);
  const all = reader()();
  expect(all.notes.slice(1)).toEqual([
    expect.stringMatching(
      /^The memory files name more than 500 others with an @; from .*many\d+\.md on they are not looked for\.$/,
    ),
  ]);
});

test("warns of a file with unreadable letters, with the line", () => {
  const { project, put, reader } = world();
  put("home/project/AGENTS.md", "fine");
  writeFileSync(join(project, "CLAUDE.md"), Buffer.from("One line.\nUse a caf\xe9.\n", "latin1"));
  const { files, notes } = reader()();
  expect(files).toHaveLength(2);
  expect(notes).toEqual([
    expect.stringMatching(/project\/CLAUDE\.md:2 has characters here that cannot be read/),
  ]);
});
