import { appendFileSync } from "node:fs";

/** Adds a line to a file every few milliseconds, for a second; says when it has started, and at the end how many. */
const MOST = 300;
const file = process.argv[2] ?? "";
let count = 0;

const timer = setInterval(save, 3);
save();
process.send?.("started");
process.on("message", () => {
  clearInterval(timer);
  process.send?.(count, () => process.disconnect());
});

function save(): void {
  appendFileSync(file, `saved ${count}\n`);
  count += 1;
  if (count === MOST) clearInterval(timer);
}
