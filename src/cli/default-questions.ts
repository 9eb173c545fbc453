import { readFile } from "node:fs/promises";
import { join } from "node:path";

const aboutTroupe = [
  "Where is the wire format of the messages between actors decided?",
  "How does an agent end, and where is its one summary made?",
  "Where are child processes started, and who stops them?",
] as const;

const aboutAnyProject = [
  "What is this project?",
  "How do I build, run and test it?",
  "How is the code laid out?",
] as const;

/** What `troupe start` asks where nothing is asked: about Troupe in its own repository, else about any. */
export async function defaultQuestions(cwd: string): Promise<readonly string[]> {
  return (await isTroupe(cwd)) ? aboutTroupe : aboutAnyProject;
}

async function isTroupe(cwd: string): Promise<boolean> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(cwd, "package.json"), "utf8"));
    return typeof manifest === "object" && manifest !== null && Reflect.get(manifest, "name") === "troupe";
  } catch {
    // No manifest, or not one of ours: the general questions fit any folder.
    return false;
  }
}
