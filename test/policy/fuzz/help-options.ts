import { spawnSync } from "node:child_process";

export interface LongOption {
  readonly name: string;
  readonly value: "none" | "optional" | "required";
}

/** What a program's own `--help` lists: an independent source for names of options. */
export interface HelpOptions {
  readonly letters: readonly string[];
  readonly longs: readonly LongOption[];
}

const LONG = /--([a-zA-Z][\w-]*)(\[=[^\]]*\]|[= ][A-Z<][\w<>-]*|=\S+)?/g;

export function readHelp(command: string): HelpOptions {
  const { stdout, stderr } = spawnSync(command, ["--help"], {
    encoding: "utf8",
    timeout: 5_000,
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", COLUMNS: "200" },
  });
  const rows = `${stdout ?? ""}\n${stderr ?? ""}`.split("\n");
  const heads = rows.filter((row) => /^\s*-/.test(row)).map((row) => row.trim().split(/ {2,}|\t/)[0] ?? "");
  const letters = heads.flatMap((head) =>
    [...head.matchAll(/(?:^|[\s,[])-([A-Za-z0-9.])(?![\w-])/g)].map(([, one]) => one ?? ""),
  );
  const longs = heads.flatMap((head) =>
    [...head.matchAll(LONG)].map(([, name = "", value]): LongOption => {
      const kind = value === undefined ? "none" : value.startsWith("[") ? "optional" : "required";
      return { name, value: kind };
    }),
  );
  return { letters: [...new Set(letters)], longs };
}
