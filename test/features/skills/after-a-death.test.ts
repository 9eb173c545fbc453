import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import type { JournalRecord } from "../../../src/journal/session-events.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { load, skillFile, skillsIn, withSkills } from "./with-skills.ts";

const greet = skillFile({ description: "Say hello" }, "Say ahoy.");
const files = { ".claude/skills/greet/SKILL.md": greet };
const done = { text: "Done." };

/** The records of a session up to the first that this is true of, as they are after the program died there. */
async function cutBefore(folder: string, isCut: (record: JournalRecord) => boolean): Promise<number> {
  const reading = await readJournal(journalFile(folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  const kept = reading.records.findIndex(isCut);
  const lines = readFileSync(journalFile(folder), "utf8").split("\n");
  writeFileSync(
    journalFile(folder),
    lines
      .slice(0, kept)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return kept;
}

test.each([
  ["before the turn that loaded it was recorded", 1],
  ["before the turn that heard it was recorded", 2],
])("a skill that was loaded when the program died %s is there once when it goes on", async (_, turn) => {
  const homedir = temporaryFolder();
  const { supervisor, home, cwd } = withSkills([load("greet"), done], { files, skills: { homedir } });
  await supervisor.prompt("greet");
  await supervisor.close();
  await cutBefore(supervisor.folder, ({ event }) => event.type === "turn" && event.turn.turn === turn);

  const restoring = await resumeSession({ home, cwd, session: { id: supervisor.session } });
  if (restoring.type !== "restored") throw new Error(JSON.stringify(restoring));
  const again = supervised("in-thread", () => done, {
    cwd,
    home,
    skills: skillsIn(homedir),
    resume: restoring.session,
  });
  const result = await again.supervisor.resumeUnfinished();
  expect(result?.summary.status).toBe("done");
  const text = JSON.stringify(again.model.requests.at(-1)?.messages);
  expect(text.split("Say ahoy.")).toHaveLength(2);
  await again.supervisor.close();
  const reading = await readJournal(journalFile(again.supervisor.folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  expect(sessionStateOf(reading.records).actors.get(MAIN)?.unheard).toEqual([]);
});
