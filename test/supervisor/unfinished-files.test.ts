import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { cutAfter, recorded, recordsOf, repliesIn, takenUp, textsOf, world } from "./resume-world.ts";

const UUID = "4ce79caa-3777-4e3e-bd82-8522d41dc88b";

test("resuming removes the temporary file of a Write that was killed, and no other (D1, issue 15, 28)", async () => {
  let cwd = "";
  const script = (request: ModelRequest): ScriptedTurn => {
    if (repliesIn(request) > 0)
      return { text: textsOf(request).includes("Result unknown") ? "Unknown." : "Written." };
    return { calls: [{ name: "Write", input: { file_path: join(cwd, "new.txt"), content: "new\n" } }] };
  };
  const first = world("in-thread", script);
  cwd = first.cwd;
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  const began = recordsOf(whole.lines).findIndex(({ event }) => event.type === "before");
  const event = recordsOf(whole.lines)[began]?.event;
  const call = event?.type === "before" ? event.call : "";
  rmSync(join(cwd, "new.txt"));
  const others = [
    `.troupe-otheractor.1.0-${UUID}.tmp`,
    `.troupe-${call}1-${UUID}.tmp`,
    `.troupe-${call}-notes.txt`,
  ];
  for (const name of [`.troupe-${call}-${UUID}.tmp`, ...others]) writeFileSync(join(cwd, name), "ne");
  const again = await takenUp("in-thread", script, { id: whole.id, home: cutAfter(whole, began + 1) });
  expect(await again.supervisor.resumeUnfinished()).toMatchObject({
    summary: { status: "done", text: "Unknown." },
  });
  expect(readdirSync(cwd).sort()).toEqual(others.toSorted());
});
