import { spawn } from "node:child_process";
import type { Question } from "./questions.ts";

export interface Asked {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

export interface Judged {
  /** What is wrong with the answer; empty: it is good. */
  readonly problems: readonly string[];
  /** It says something false or passes for done although it is not. */
  readonly misleads: boolean;
}

/** Puts one question to the built program in a directory, with a home of its own and without a key. */
export function ask(
  { prompt, stdin }: Question,
  program: string,
  cwd: string,
  home: string,
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, "-p", prompt, "--offline"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (text) => {
      out += String(text);
    });
    child.stderr.on("data", (text) => {
      err += String(text);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ out, err, code }));
    child.stdin.end(stdin ?? "");
  });
}

export function judge({ contains, never = [], status = "done" }: Question, asked: Asked, head: string): Judged {
  const pattern = (text: string) => new RegExp(text.replace("{HEAD}", head), "s");
  const lacking = contains.filter((text) => !pattern(text).test(asked.out)).map((text) => `lacks /${text}/`);
  const wrong = never.filter((text) => pattern(text).test(asked.out)).map((text) => `has /${text}/`);
  const expected = status === "done" ? 0 : 1;
  const ended = asked.code === expected ? [] : [`ended with exit code ${asked.code}, not ${expected}`];
  return {
    problems: [...lacking, ...wrong, ...ended],
    misleads: wrong.length > 0 || (expected === 1 && asked.code === 0),
  };
}
