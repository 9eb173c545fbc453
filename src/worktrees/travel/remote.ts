import { hostname } from "node:os";
import { commandsOwn } from "../../processes/environment.ts";
import { runUnattended, type UnattendedEnd, type UnattendedRun } from "../../processes/unattended.ts";
import type { GitEnvironment } from "../environment.ts";
import type { GitRequest, SuccessOf, TravelRemote } from "../protocol.ts";
import { RemoteRefusal, refuseRequest } from "../refusal.ts";
import { repositoryAt } from "../repository.ts";
import { bareGit, inBorrowing } from "./bare-repository.ts";
import { IS_COMMIT } from "./bundle.ts";

export interface RemoteAccess {
  /** The bare repository that git runs in; its settings are Troupe's. */
  readonly path: string;
  /** The environment of the user whose credentials git finds. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly findProblem?: NonNullable<UnattendedRun["findProblem"]>;
  readonly quietMs?: number;
}

/** Git shows its progress, so that silence means that nothing happens. */
const QUIET_MS = 4 * 60_000;
/** The end of a session waits for it. */
const DROP_MS = 20_000;
/** Less than the time after which a git worker hangs. */
const MOST_MS = 14 * 60_000;
/** Whatever the user's settings say: `ext::` would run any program, `http` and `git` do not authenticate the server. */
const PROTOCOLS = "https:ssh:file";
const SETTINGS = [
  ...["core.hooksPath=/dev/null", "gc.auto=0", "maintenance.auto=false", "credential.interactive=false"],
  ...["push.gpgSign=false", "push.followTags=false", "fetch.prune=false", "fetch.writeCommitGraph=false"],
  // Whatever comes is a pack, which is checked and measured.
  ...["fetch.unpackLimit=1", "transfer.unpackLimit=1"],
].flatMap((one) => ["-c", one]);
const PLAIN = ["--progress", "--no-recurse-submodules"];

/** Pushes a commit to its own ref in the remote: nothing there is replaced. */
export async function pushCommit(remote: TravelRemote, commit: string, access: RemoteAccess): Promise<void> {
  const push = ["push", ...PLAIN, "--", remote.url, `${commit}:${refOf(remote, commit)}`];
  const done = await runRemoteGit(push, access);
  assertDone(done, "could not be pushed to", remote, "may push refs below refs/troupe/ there");
}

/** Fetches exactly this commit from its ref in the remote into a ref here. Refuses what is another one. */
export async function fetchCommit(
  remote: TravelRemote,
  commit: string,
  into: string,
  access: RemoteAccess,
): Promise<void> {
  const ref = refOf(remote, commit);
  const fetch = ["fetch", ...PLAIN, "--no-tags", "--no-write-fetch-head"];
  const done = await runRemoteGit([...fetch, "--", remote.url, `+${ref}:${into}`], access);
  assertDone(done, "could not be fetched from", remote, "may fetch from there");
  const git = bareGit(access.path, access);
  const { out } = await git.run(["rev-parse", "-q", "--verify", into]);
  if (out.trim() === commit) return;
  await git.run(["update-ref", "-d", into]);
  throw new RemoteRefusal(
    `The files of the agent were not taken: ${ref} of ${remote.url} is ${out.trim() || "no commit"}, and not the commit that was announced.`,
  );
}

/** Deletes the refs of an agent's attempts, up to this one: also those that a killed session has left. */
export async function dropRemoteRefs(
  { folder, url, agent, attempt }: GitRequest<"dropRemoteRefs">,
  ground: GitEnvironment,
): Promise<SuccessOf<"dropRemoteRefs">> {
  const { head, common } = await repositoryAt(folder, ground);
  const like = head ?? "0".repeat(40);
  await inBorrowing(common, { like }, ground, async (_, path) => {
    const access = { path, env: ground.env, signal: ground.signal, quietMs: DROP_MS };
    const what = { url, refs: agent };
    const listed = await runRemoteGit(["ls-remote", "--", url, `${agent}/*`], access);
    assertDone(listed, "could not be listed in", what, "may fetch from there");
    const refs = listed.out.split("\n").flatMap((line) => {
      const [, ref = ""] = line.split("\t");
      const [number = ""] = ref.startsWith(`${agent}/`) ? ref.slice(agent.length + 1).split("/") : [];
      return number !== "" && Number(number) <= attempt ? [ref] : [];
    });
    if (refs.length === 0) return;
    const push = ["push", ...PLAIN, "--", url, ...refs.map((ref) => `:${ref}`)];
    assertDone(await runRemoteGit(push, access), "could not be deleted from", what, "may delete refs there");
  });
  return { type: "done" };
}

function refOf({ refs }: TravelRemote, commit: string): string {
  if (!IS_COMMIT.test(commit)) refuseRequest(`${JSON.stringify(commit)} is not the ID of a commit.`);
  return `${refs}/${commit}`;
}

/** With the user's own settings and credentials, and without anyone to ask. */
function runRemoteGit(
  args: readonly string[],
  { path, env, signal, findProblem, quietMs = QUIET_MS }: RemoteAccess,
): Promise<UnattendedEnd> {
  return runUnattended({
    ...{ command: "git", args: [...SETTINGS, ...args], cwd: path, signal },
    env: {
      // Its own ways to reach a server stay, and nothing that names another repository.
      ...commandsOwn(env),
      ...{ GIT_DIR: path, GIT_ALLOW_PROTOCOL: PROTOCOLS, LC_ALL: "C" },
      // An empty program is none: not even the one of the user's settings.
      ...{
        GIT_TERMINAL_PROMPT: "0",
        GIT_ASKPASS: "",
        SSH_ASKPASS_REQUIRE: "never",
        GCM_INTERACTIVE: "never",
      },
    },
    ...{ quietMs, mostMs: MOST_MS },
    ...(findProblem === undefined ? {} : { findProblem }),
  });
}

/** One sentence that says what to do, and on which machine. */
function assertDone(
  { code, err, problem }: UnattendedEnd,
  what: string,
  { url }: TravelRemote,
  may: string,
): void {
  if (code === 0 && problem === null) return;
  const said =
    problem ?? `git says: ${gitsReason(err) || (code === null ? "it was killed" : `exit code ${code}`)}`;
  throw new RemoteRefusal(
    `The files of the agent ${what} ${url} (troupe.runners.remote) on ${hostname()}: ${said}. Check that git on ${hostname()} ${may} without a question (git ls-remote ${url}), then try again.`,
  );
}

const SAYS_NOTHING =
  /^(?:error: failed to push|fatal: Could not read from remote|Please make sure you have|and the repository exists)/;

/** What the server says comes before git's own summary of it. */
function gitsReason(err: string): string {
  const lines = err
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !SAYS_NOTHING.test(line));
  const rejected = lines.flatMap((line) => /^! .*\((.+)\)$/.exec(line)?.[1] ?? []);
  const failed = lines.filter((line) => /^(?:fatal|error): /.test(line));
  const [reason = failed.at(-1) ?? lines.at(-1) ?? ""] = rejected;
  return reason
    .replace(/^(?:fatal|error): /, "")
    .replace(/\.$/, "")
    .slice(0, 300);
}
