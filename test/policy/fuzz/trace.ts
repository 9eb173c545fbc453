import { join, normalize } from "node:path";

/** What the programs of one line did, as the kernel saw it. Only calls that succeeded. */
export interface Observed {
  /** Files and directories opened for reading, with links resolved, and the program that did. */
  readonly reads: { readonly program: string; readonly path: string }[];
  /** What was made, changed, moved or removed. */
  readonly writes: { readonly program: string; readonly call: string; readonly path: string }[];
  /** Writes that failed because the file system is read-only. */
  readonly refused: { readonly program: string; readonly call: string; readonly path: string }[];
  /** Programs as they were named to the kernel. */
  readonly starts: string[];
  /** Sockets, and what changes other processes or the system. */
  readonly reaches: { readonly program: string; readonly call: string }[];
  output: string;
}

interface Process {
  line: number;
  cwd: string;
  program: string;
}

/** The calls to trace. Looking at metadata (stat, access, readlink) is no reading of contents. */
export const CALLS =
  "openat,open,creat,openat2,execve,execveat,chdir,fchdir,rename,renameat,renameat2,unlink,unlinkat,mkdir," +
  "mkdirat,rmdir,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate," +
  "ftruncate,utimensat,mknod,mknodat,setxattr,lsetxattr,fsetxattr,socket,ptrace,mount";

const CALL = /^(\d+) +(\w+)\((.*)$/s;
const TEXTS = /"((?:[^"\\]|\\.)*)"(?:\.\.\.)?|<((?:[^>\\]|\\.)*)>/gs;

/**
 * Reads strace's file (-f -y) of a driver that opens `IO/<number>.out` first in each line's own process. A process
 * belongs to the line during which it was first seen.
 */
export function readTrace(text: string, io: string, count: number): Observed[] {
  const observed = Array.from(
    { length: count },
    (): Observed => ({ reads: [], writes: [], refused: [], starts: [], reaches: [], output: "" }),
  );
  const processes = new Map<string, Process>();
  const unfinished = new Map<string, string>();
  let current = -1;
  for (const printed of text.split("\n")) {
    const row = finishRow(printed, unfinished);
    if (row === null) continue;
    const ended = /^(\d+) \+\+\+/.exec(row);
    if (ended) processes.delete(ended[1] ?? "");
    const [, pid = "", call = "", rest = ""] = CALL.exec(row) ?? [];
    if (call === "") continue;
    const texts = [...rest.matchAll(TEXTS)].map((found) => ({
      quoted: found[1] === undefined ? null : readEscapes(found[1]),
      path: found[2] === undefined ? null : readEscapes(found[2]),
    }));
    const flags = rest.replace(TEXTS, "");
    // What is refused only because the system is read-only here would have been written elsewhere.
    const isRefused = flags.includes("= -1 EROFS");
    if (!isRefused && / = (?:-1 |\?)/.test(flags)) continue;
    const quoted = texts.flatMap(({ quoted }) => quoted ?? []);
    const opened = quoted[0] ?? "";
    if (call === "openat" && opened.startsWith(`${io}/`)) {
      if (!opened.endsWith(".out")) continue;
      current = Number(opened.slice(io.length + 1, -4));
      processes.set(pid, { line: current, cwd: "", program: "bash" });
      continue;
    }
    // A thread and a child begin as bash: the kernel is not asked whose they are.
    const known = processes.get(pid) ?? { line: current, cwd: "", program: "bash" };
    processes.set(pid, known);
    const into = observed[known.line];
    if (!into) continue;
    const at = /^AT_FDCWD</.test(rest) ? texts[0]?.path : undefined;
    if (at) known.cwd = at;
    if (isRefused)
      into.refused.push({ program: known.program, call, path: names(known.cwd, texts).at(-1) ?? "" });
    else take(call, known, texts, flags, into);
  }
  // `touch -` changes the date of its output.
  const isOurs = ({ path }: { path: string }) => path.startsWith(`${io}/`);
  return observed.map((one) => ({ ...one, writes: one.writes.filter((write) => !isOurs(write)) }));
}

/** Puts together the two halves of a call that another process's call interrupted; null for a first half. */
function finishRow(row: string, unfinished: Map<string, string>): string | null {
  const [, pid = "", half] = /^(\d+) +(.*) <unfinished \.\.\.>/s.exec(row) ?? [];
  if (half !== undefined) {
    unfinished.set(pid, row.slice(0, row.lastIndexOf(" <unfinished")));
    return null;
  }
  const [, of = "", rest] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/s.exec(row) ?? [];
  return rest === undefined ? row : `${unfinished.get(of) ?? ""}${rest}`;
}

type Texts = readonly { readonly quoted: string | null; readonly path: string | null }[];

function take(call: string, by: Process, texts: Texts, flags: string, into: Observed): void {
  const named = names(by.cwd, texts);
  const writes = (paths: readonly string[]) => {
    for (const path of paths) into.writes.push({ program: by.program, call, path });
  };
  switch (call) {
    case "open":
    case "openat":
    case "openat2":
    case "creat": {
      const real = texts.at(-1)?.path ?? named[0] ?? "";
      if (/O_PATH/.test(flags)) return;
      if (call === "creat" || /O_(?:WRONLY|RDWR|CREAT|TRUNC)/.test(flags))
        into.writes.push({
          program: by.program,
          call: /O_RDONLY\|O_CREAT/.test(flags) ? "make" : call,
          path: real,
        });
      // Bash opens directories only to expand a glob; what it finds there, the command opens itself.
      if (/O_WRONLY/.test(flags) || (by.program === "bash" && /O_DIRECTORY/.test(flags))) return;
      into.reads.push({ program: by.program, path: real });
      return;
    }
    case "execve":
    case "execveat": {
      const program = texts.find(({ quoted }) => quoted !== null)?.quoted ?? "";
      into.starts.push(program);
      by.program = program;
      return;
    }
    case "chdir":
      by.cwd = named[0] ?? by.cwd;
      return;
    case "fchdir":
      by.cwd = texts[0]?.path ?? by.cwd;
      return;
    case "socket":
    case "mount":
    case "ptrace":
      into.reaches.push({ program: by.program, call: `${call}(${flags}` });
      return;
    case "symlink":
    case "symlinkat":
      writes(named.slice(1));
      return;
    default:
      // fchmod and the like name no file: their descriptor does.
      writes(named.length > 0 ? named : texts.flatMap(({ path }) => path ?? []).slice(0, 1));
  }
}

/** The absolute names in a call: each is relative to the descriptor before it, or to the working directory. */
function names(cwd: string, texts: Texts): string[] {
  const found: string[] = [];
  let base = cwd;
  for (const { quoted, path } of texts) {
    if (path !== null) base = path;
    if (quoted !== null) {
      found.push(quoted.startsWith("/") ? normalize(quoted) : normalize(join(base || "/?", quoted)));
      base = cwd;
    }
  }
  return found;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", v: "\v", f: "\f" };

function readEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  const bytes = text.replace(/\\([0-7]{1,3}|.)/gs, (_, one: string) =>
    /^[0-7]/.test(one) ? String.fromCharCode(Number.parseInt(one, 8)) : (ESCAPES[one] ?? one),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
