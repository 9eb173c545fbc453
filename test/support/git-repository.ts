import { mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Git, type GitAnswer, type GitOptions, gitIn } from "../../src/worktrees/git.ts";
import { temporaryFolder } from "./temporary.ts";

/** A repository for tests, in a temporary folder, with the person's own identity and nothing of this machine's settings. */
export interface TestRepository {
  /** Its real path. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly git: Git;
  /** Writes files, by their paths in it; null removes one. */
  write(files: Readonly<Record<string, string | Buffer | null>>): void;
  /** What git answers; throws where it refuses. */
  must(args: readonly string[], options?: GitOptions): Promise<string>;
  commit(message: string): Promise<string>;
}

/** Empty, without a commit, on the branch `main`. */
export async function emptyRepository(name = "repository"): Promise<TestRepository> {
  const folder = join(realpathSync(temporaryFolder()), name);
  mkdirSync(folder);
  const env = {
    ...{ PATH: process.env["PATH"] ?? "", HOME: dirname(folder), GIT_CONFIG_NOSYSTEM: "1" },
    ...{ GIT_AUTHOR_NAME: "A Person", GIT_AUTHOR_EMAIL: "person@example.org" },
    ...{ GIT_COMMITTER_NAME: "A Person", GIT_COMMITTER_EMAIL: "person@example.org" },
  };
  const git = gitIn(folder, env);
  const repository: TestRepository = {
    folder,
    env,
    git,
    write(files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        if (content === null) {
          rmSync(file);
          continue;
        }
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
    },
    async must(args, options) {
      return said(await git.run(args, options), args);
    },
    async commit(message) {
      await repository.must(["add", "-A"]);
      await repository.must(["commit", "-q", "--allow-empty", "-m", message], { identity: "person" });
      return (await repository.must(["rev-parse", "HEAD"])).trim();
    },
  };
  await repository.must(["init", "-q", "-b", "main"]);
  return repository;
}

/** With these files committed. */
export async function repositoryWith(
  files: Readonly<Record<string, string | Buffer>>,
  name?: string,
): Promise<TestRepository> {
  const repository = await emptyRepository(name);
  repository.write(files);
  await repository.commit("The beginning");
  return repository;
}

function said({ code, out, err }: GitAnswer, args: readonly string[]): string {
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${code} ${err}`);
  return out;
}
