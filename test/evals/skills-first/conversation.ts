import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type MessageParam, type ModelSource, resumeSession } from "../../../src/index.ts";
import { Supervisor } from "../../../src/session/supervisor.ts";
import { userPlaces } from "../../../src/settings/paths.ts";
import { files, skills } from "./cases.ts";

/** Enough to load a skill, look at a file and answer. */
const TURNS = 4;

export interface Asked {
  readonly source: ModelSource;
  readonly model?: string;
}

export interface Conversation {
  readonly messages: readonly MessageParam[];
  /** How often the model answered; an empty reply is no message. */
  readonly replies: number;
  /** Why it did not end done, as a sentence; null: it did. */
  readonly reason: string | null;
}

/**
 * One prompt to a session of its own, in a temporary folder with the skills, and what became of it. Nobody is asked
 * anything, so what needs an answer is refused.
 */
export async function converse(prompt: string, asked: Asked): Promise<Conversation> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "troupe-eval-")));
  try {
    return await conversationIn(place, prompt, asked);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function conversationIn(place: string, prompt: string, asked: Asked): Promise<Conversation> {
  const [cwd, home, homedir] = [join(place, "shop"), join(place, "sessions"), join(place, "person")];
  writeAll(cwd, { ...files, ...skillFiles() });
  mkdirSync(homedir);
  const supervisor = new Supervisor({
    ...{ ...asked, cwd, home },
    limits: { maxTurns: TURNS },
    skills: {
      search: {
        ...{
          ...userPlaces({}, homedir),
          home: join(homedir, ".troupe"),
          managed: join(homedir, "organisation"),
        },
        ...{ trusted: () => false, agreed: () => false },
      },
    },
  });
  const { summary } = await supervisor.prompt(prompt).finally(() => supervisor.close());
  const { status, turns: replies, reason = `It ended ${status}.` } = summary;
  const messages = await messagesOf({ home, cwd, id: supervisor.session });
  return { messages, replies, reason: status === "done" ? null : reason };
}

/** The main conversation, as the session's journal has it. */
async function messagesOf({ home, cwd, id }: { home: string; cwd: string; id: string }) {
  const restoring = await resumeSession({ home, cwd, session: { id } });
  if (restoring.type === "refused") throw new Error(restoring.reason);
  const { state, release } = restoring.session;
  release();
  const main = [...state.actors.values()].find(({ spec }) => spec.depth === 0);
  if (!main) return [];
  return [...main.spec.messages, ...main.turns.flatMap(({ messages }) => messages)];
}

function skillFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(skills).map(([name, { description, text }]) => [
      `.claude/skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: ${description}\n---\n${text}\n`,
    ]),
  );
}

function writeAll(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
