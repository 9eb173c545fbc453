import { renameSync, rmSync, writeFileSync } from "node:fs";

/** An editor: saves a file when told, a moment after it has said that it heard. */
process.on(
  "message",
  ({ file, how, text, spin }: { file: string; how: string; text: string; spin: number }) => {
    process.send?.("began", () => {
      const until = process.hrtime.bigint() + BigInt(spin) * 1_000n;
      while (process.hrtime.bigint() < until);
      if (how === "in place") writeFileSync(file, text);
      else if (how === "anew") {
        rmSync(file, { force: true });
        writeFileSync(file, text);
      } else {
        writeFileSync(`${file}.tmp`, text);
        renameSync(`${file}.tmp`, file);
      }
      process.send?.("saved");
    });
  },
);
