import { spawnSync } from "node:child_process";
import { type Seeded, seededBy } from "../../faults/seeded.ts";
import type { TestRepository } from "../../support/git-repository.ts";

interface Blob {
  readonly mode: "100644" | "100755" | "120000";
  readonly data: Buffer;
}
type Files = Map<string, Blob>;

/**
 * A history of so many merges, each of two sides that change the same few files in every way git knows: edits, renames
 * of files and folders, deletions, rights, links, line ends, binary files, names in another case, empty files, folders
 * where files were and files where folders were. Where both changed a file the merge has one of the two.
 */
export function writeRandomHistory({ folder, env }: TestRepository, merges: number, seed: number): void {
  const random = seededBy(seed);
  const stream = new Stream();
  for (let at = 0; at < merges; at += 1) {
    const base = someFiles(random);
    const [ours, theirs] = [changed(base, random, "ours"), changed(base, random, "theirs")];
    const from = stream.commit("base", base, at === 0 ? [] : [stream.last]);
    const one = stream.commit("ours", ours, [from]);
    const two = stream.commit("theirs", theirs, [from]);
    stream.commit("merge", mixed(base, ours, theirs, random), [one, two]);
  }
  const { status, stderr } = spawnSync("git", ["fast-import", "--quiet"], {
    cwd: folder,
    env: { ...env },
    input: stream.bytes(),
  });
  if (status !== 0) throw new Error(`git fast-import: ${stderr}`);
}

/** What `git fast-import` reads. */
class Stream {
  readonly #parts: Buffer[] = [];
  last = 0;

  commit(message: string, files: Files, parents: readonly number[]): number {
    this.last += 1;
    const [first, ...others] = parents;
    this.#text(`commit refs/heads/main\nmark :${this.last}\n`);
    this.#text(`committer A Person <person@example.org> ${this.last} +0000\n`);
    this.#data(Buffer.from(message));
    if (first !== undefined) this.#text(`from :${first}\n`);
    for (const parent of others) this.#text(`merge :${parent}\n`);
    this.#text("deleteall\n");
    for (const [path, { mode, data }] of files) {
      this.#text(`M ${mode} inline ${JSON.stringify(path)}\n`);
      this.#data(data);
    }
    return this.last;
  }

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #text(text: string): void {
    this.#parts.push(Buffer.from(text));
  }

  #data(data: Buffer): void {
    this.#parts.push(Buffer.from(`data ${data.length}\n`), data, Buffer.from("\n"));
  }
}

const FOLDERS = ["", "src/", "src/deep/", "docs/", "lib/"];
const KINDS = [".txt", ".bat", ".crlf", ".bin", ".sh", "", ".md"];
const ATTRIBUTES = "*.bat text eol=crlf\n*.txt text=auto\n*.crlf -text\n";

function someFiles(random: Seeded): Files {
  const files: Files = new Map([[".gitattributes", file(ATTRIBUTES)]]);
  for (let at = 0; at < 14; at += 1) add(files, `${random.pick(FOLDERS)}f${at}${random.pick(KINDS)}`, random);
  set(files, "link", { mode: "120000", data: Buffer.from("src/f1") });
  set(files, "empty", file(""));
  return files;
}

function add(files: Files, path: string, random: Seeded): void {
  const end = path.endsWith(".crlf") ? "\r\n" : "\n";
  const lines = Array.from({ length: 14 }, (_, at) => `${path} has line ${at}${end}`).join("");
  const data = path.endsWith(".bin") ? bytes(random) : Buffer.from(lines);
  set(files, path, { mode: path.endsWith(".sh") ? "100755" : "100644", data });
}

type Change = (files: Files, path: string, random: Seeded, side: string) => void;

const CHANGES: readonly Change[] = [
  edit,
  edit,
  edit,
  (files, path, random) => rename(files, path, `${random.pick(FOLDERS)}moved-${path.replaceAll("/", "-")}`),
  (files, path, random, side) => {
    edit(files, path, random, side);
    rename(files, path, `${random.pick(FOLDERS)}${side}-${path.replaceAll("/", "-")}`);
  },
  (files, _, random, side) => renameFolder(files, random.pick(["src/", "docs/", "src/deep/"]), `${side}/`),
  (files, path) => files.delete(path),
  (files, _, random) => deleteFolder(files, random.pick(["docs/", "lib/", "src/deep/"])),
  (files, path) => {
    const found = files.get(path);
    if (found && found.mode !== "120000")
      files.set(path, { ...found, mode: found.mode === "100644" ? "100755" : "100644" });
  },
  (files, path, random) =>
    set(files, path, { mode: "120000", data: Buffer.from(random.pick(["link", "no/where"])) }),
  (files, path, random) => {
    // What is text by its attributes has no line ends of its own.
    if (!path.endsWith(".bat")) set(files, path, { mode: "100644", data: bytes(random) });
  },
  (files, path) =>
    rename(
      files,
      path,
      path.replace(/[^/]+$/, (name) => name.toUpperCase()),
    ),
  (files, _, random) => set(files, `${random.pick(FOLDERS)}new-empty-${random.between(0, 3)}`, file("")),
  (files, path, random) => {
    files.delete(path);
    add(files, `${path}/within.txt`, random);
  },
  (files, _, random) => {
    const folder = random.pick(["docs/", "lib/", "src/deep/"]);
    deleteFolder(files, folder);
    add(files, folder.slice(0, -1), random);
  },
  (files, _, random, side) =>
    add(files, `${random.pick(FOLDERS)}new-${side}-${random.between(0, 9)}.txt`, random),
  (files, _, random) => {
    set(files, ".gitattributes", file(`${ATTRIBUTES}*.win text eol=crlf\n`));
    add(files, `${random.pick(FOLDERS)}new.win`, random);
  },
  // The same by both.
  (files, _, random) => add(files, `${random.pick(FOLDERS)}same.md`, random),
];

function changed(base: Files, random: Seeded, side: string): Files {
  const files: Files = new Map(base);
  for (let left = random.between(1, 5); left > 0; left -= 1) {
    const path = random.pick([...files.keys()]);
    if (path !== ".gitattributes") random.pick(CHANGES)(files, path, random, side);
  }
  return files;
}

function edit(files: Files, path: string, random: Seeded, side: string): void {
  const found = files.get(path);
  if (!found || found.mode === "120000" || found.data.includes(0)) return;
  const lines = found.data.toString("utf8").split("\n");
  const at = random.between(0, Math.max(0, lines.length - 2));
  const end = lines[at]?.endsWith("\r") ? "\r" : "";
  lines[at] = `changed by ${side}${end}`;
  set(files, path, { ...found, data: Buffer.from(lines.join("\n")) });
}

function rename(files: Files, from: string, to: string): void {
  const found = files.get(from);
  if (!found || from === to) return;
  files.delete(from);
  set(files, to, found);
}

function renameFolder(files: Files, from: string, to: string): void {
  for (const path of [...files.keys()])
    if (path.startsWith(from)) rename(files, path, to + path.slice(from.length));
}

function deleteFolder(files: Files, folder: string): void {
  for (const path of [...files.keys()]) if (path.startsWith(folder)) files.delete(path);
}

/** What is in its way goes. */
function set(files: Files, path: string, blob: Blob): void {
  for (const other of [...files.keys()])
    if (other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) files.delete(other);
  files.set(path, blob);
}

/** As somebody may have settled it by hand. */
function mixed(base: Files, ours: Files, theirs: Files, random: Seeded): Files {
  const files: Files = new Map(ours);
  for (const path of new Set([...base.keys(), ...theirs.keys()])) {
    const [was, is] = [base.get(path), theirs.get(path)];
    if (was === is || (ours.get(path) !== was && random.next() < 0.5)) continue;
    if (is === undefined) files.delete(path);
    else set(files, path, is);
  }
  return files;
}

function file(text: string): Blob {
  return { mode: "100644", data: Buffer.from(text) };
}

function bytes(random: Seeded): Buffer {
  return Buffer.from([0, 255, 13, 10, ...Array.from({ length: 40 }, () => random.between(0, 255))]);
}
