import { fork } from "node:child_process";

/**
 * Runs a file of `inside/` in a process of its own and answers with the one value it sends, so that every
 * measurement starts from nothing. `args` must be plain data.
 */
export function inOwnProcess<T>(
  file: URL,
  args: unknown,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const child = fork(file, [JSON.stringify(args)], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("message", (value) => resolve(value as T));
    child.once("exit", (code) =>
      reject(new Error(`${file.pathname} ended with ${code} before it answered.`)),
    );
  });
}

/** The other side's ends: what it was given, and how it answers. */
export function given<T>(): T {
  return JSON.parse(process.argv[2] ?? "null") as T;
}

export function answer(value: unknown): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(value, undefined, undefined, () => resolve());
  });
}
