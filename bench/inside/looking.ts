import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { agentLibrary } from "../../src/context/agents/load.ts";
import { diskFiles } from "../../src/context/files.ts";
import { skillLibrary } from "../../src/context/skills/library.ts";
import { skillsBlocks } from "../../src/context/skills/listing.ts";
import { userPlaces } from "../../src/settings/paths.ts";
import { answer, given } from "../own-process.ts";

/** All skills and agents of a folder looked at by a process that has just begun. */
export interface LookingTask {
  readonly cwd: string;
  readonly home: string;
}

export interface LookingRun {
  /** Processor time, in milliseconds: other programs do not count. */
  readonly look: number;
  /** The same processes's next look, where nothing has changed. */
  readonly again: number;
  /** Once for each file, in the same process: nobody can know of a change without it. */
  readonly stats: number;
}

const { cwd, home } = given<LookingTask>();
const where = { cwd, ...userPlaces({}, home), home, managed: join(home, "none") };
const trust = { trusted: () => false, agreed: () => false, denied: () => false };
const skills = skillLibrary({ ...where, ...trust }, diskFiles);
const blockOf = skillsBlocks();
const agents = agentLibrary({ ...where, ...trust }, diskFiles);

await quiet();
const look = await costOf(listed);
const again = await costOf(listed);
const files = [...skills.now.all.map(({ path }) => path), ...agentFiles(await agents.look())];
const stats = await costOf(async () => files.map((path) => statSync(path)));
await answer({ look, again, stats } satisfies LookingRun);

async function listed(): Promise<void> {
  blockOf((await skills.look()).all, 200_000);
  await agents.look();
}

function agentFiles({ agents: all }: Awaited<ReturnType<typeof agents.look>>): string[] {
  return all.flatMap(({ source }) => (source !== undefined && "file" in source ? [source.file] : []));
}

/**
 * What takes the types off our sources is compiled on in threads of its own for a while, and their time counts as this
 * process's. A build has no such thing.
 */
async function quiet(): Promise<void> {
  for (let round = 0; round < 50; round++) if ((await costOf(() => pause(40))) < 1) return;
}

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
