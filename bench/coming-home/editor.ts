import { fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { lines } from "./scene.ts";

/**
 * Starts a program that adds lines to the end of a file every few milliseconds, as a log or a formatter does. It is
 * writing when this resolves.
 */
export async function startEditor(file: string, path: string, agents: Readonly<Record<number, string>>) {
  const child = fork(join(import.meta.dirname, "appending-program.ts"), [file], { stdio: "inherit" });
  await once(child, "message");
  const mode = statSync(file).mode.toString(8);
  return {
    async stop() {
      const exited = once(child, "exit");
      const said = once(child, "message");
      child.send("stop");
      const [count] = await said;
      await exited;
      const saved = Array.from({ length: Number(count) }, (_, at) => `saved ${at}\n`).join("");
      const [without, merged] = [lines(), lines(agents)].map((text) => `${mode}  ${text}${saved}`);
      return { path, without: without ?? "", merged: merged ?? "" };
    },
  };
}
