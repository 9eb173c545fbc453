import { gitUses } from "../shell/git-uses.ts";
import type { ReadWords } from "../shell/read-options.ts";

/**
 * Returns why an actor in a worktree may not run git with these words, and what to do instead: they change what all
 * worktrees share, or what is the user's. Null if nothing forbids it. `branch` is the actor's own.
 */
export function sharedByGit(call: ReadWords, branch: string): string | null {
  const [subcommand, ...rest] = call.operands;
  if (subcommand === undefined) return null;
  const given = [...call.valuesFor("c"), ...call.valuesFor("config-env")];
  if (given.some(({ value }) => /^alias\./i.test(value)))
    return "An alias hides what git would do. Write the command itself.";
  if (!subcommand.literal)
    return `What git ${subcommand.raw} would do is not known before it runs. Write the command out.`;
  // Commands that only show something are known; unknown ones are not refused here.
  if (gitUses(call.operands).confined === null) return null;
  const name = subcommand.value;
  const row = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  return (
    row?.(
      rest.map(({ value }) => value),
      branch,
    ) ?? null
  );
}

type Row = (words: readonly string[], branch: string) => string | null;

const HOUSEKEEPING: Row = () =>
  "It tidies the repository that all worktrees and the user share. Leave that to the user; your work does not need it.";
const REWRITES: Row = (_words, branch) =>
  `It writes refs that all worktrees and the user share. Work on your own branch, ${branch}, with ordinary commits.`;
const BRANCHES = (branch: string) =>
  `Branches are shared by all worktrees and the user, and yours is ${branch}. Commit on that one, or make a new branch with git switch -c NAME.`;
const SETTINGS =
  "git's configuration is shared by all worktrees and the user. Give a setting to one command with git -c NAME=VALUE instead.";

const TABLE: Readonly<Record<string, Row>> = {
  stash: ([form]) =>
    ["list", "show", "apply", "create"].includes(form ?? "push")
      ? null
      : "Stashes are shared by all worktrees and the user. Commit on your branch instead: every state that you leave there is kept.",
  config: (words) => (configReads(words) ? null : SETTINGS),
  worktree: ([form]) =>
    form === "list"
      ? null
      : "Worktrees are made and removed by the session, and they are shared with the user. Continue in yours.",
  branch: (words, branch) =>
    words.some(
      (word) =>
        /^-[a-zA-Z]*[dDmMcCfut]/.test(word) || /^--(?:del|mov|cop|forc|unset|edit|set-up|trac)/.test(word),
    )
      ? BRANCHES(branch)
      : null,
  switch: (words, branch) =>
    words.some((word) => /^-[a-zA-Z]*C|^--force-c|^--ignore-other/.test(word)) ? BRANCHES(branch) : null,
  checkout: (words, branch) =>
    words.some((word) => /^-[a-zA-Z]*B|^--ignore-other/.test(word)) ? BRANCHES(branch) : null,
  rebase: (words, branch) => (words.some((word) => word.startsWith("--update-r")) ? BRANCHES(branch) : null),
  "update-ref": (words, branch) => {
    const [ref] = operands(words, /^-m$/);
    const own = ref === `refs/heads/${branch}` || (ref === "HEAD" && !words.includes("--no-deref"));
    return own && !words.includes("-d") && !words.includes("--stdin") ? null : BRANCHES(branch);
  },
  "symbolic-ref": (words, branch) => {
    const [ref, target] = operands(words, /^-m$/);
    const writes = target !== undefined || words.some((word) => /^(?:-d|--del)/.test(word));
    return !writes || (ref === "HEAD" && target !== undefined) ? null : BRANCHES(branch);
  },
  tag: () =>
    "Tags are shared by all worktrees and the user. Name commits by their ids, and say in your report which tag is wanted.",
  remote: ([form]) =>
    ["show", "get-url", "update"].includes(form ?? "show")
      ? null
      : "Remotes are shared by all worktrees and the user. Name an address in the command itself, or say in your report which remote is wanted.",
  fetch: (words, branch) => (movesLocal(words) ? BRANCHES(branch) : null),
  pull: (words, branch) => (movesLocal(words) ? BRANCHES(branch) : null),
  push: (words, branch) => (operands(words, /^(?:-o|--push-option)$/)[0] === "." ? BRANCHES(branch) : null),
  notes: (words, branch) =>
    ["list", "show", "get-ref"].includes(words[0] ?? "list") ? null : REWRITES(words, branch),
  submodule: (words) => {
    const [form] = operands(words, /^$/);
    const writes = ["add", "init", "deinit", "sync", "set-branch", "set-url", "absorbgitdirs"];
    return writes.includes(form ?? "") || words.includes("--init")
      ? `Submodules are entered into git's configuration. ${SETTINGS}`
      : null;
  },
  "sparse-checkout": ([form]) => (form === "list" ? null : SETTINGS),
  lfs: ([form]) => (form === "install" || form === "update" || form === "uninstall" ? SETTINGS : null),
  reflog: (words, branch) =>
    ["expire", "delete", "drop", "write"].includes(words[0] ?? "show") ? HOUSEKEEPING(words, branch) : null,
  maintenance: HOUSEKEEPING,
  gc: HOUSEKEEPING,
  prune: HOUSEKEEPING,
  "prune-packed": HOUSEKEEPING,
  repack: HOUSEKEEPING,
  "pack-refs": HOUSEKEEPING,
  "filter-branch": REWRITES,
  "filter-repo": REWRITES,
  "fast-import": REWRITES,
  replace: REWRITES,
};

/** Returns words without options, up to and after `--`; `valued` options take the next word. */
function operands(words: readonly string[], valued: RegExp): readonly string[] {
  return words.filter((word, at) => !word.startsWith("-") && !(at > 0 && valued.test(words[at - 1] ?? "")));
}

function configReads(words: readonly string[]): boolean {
  const writes =
    /^(?:-e|--(?:add|unset|replace-all|rename-section|remove-section|edit|unset-all|append|comment|fixed-value).*)$/;
  if (words.some((word) => writes.test(word))) return false;
  if (words.some((word) => /^(?:-l|--list|--get(?:-.*)?)$/.test(word))) return true;
  const [first, ...more] = operands(words, /^(?:-f|--file|--blob|--type|--default|-t|--value|--url)$/);
  if (first === "get" || first === "list") return true;
  if (["set", "unset", "rename-section", "remove-section", "edit"].includes(first ?? "")) return false;
  // `git config user.name` reads; with another word it writes.
  return first === undefined || more.length === 0;
}

/** A refspec whose local end is not a remote's branch moves one that others may have checked out. */
function movesLocal(words: readonly string[]): boolean {
  const [, ...refspecs] = operands(
    words,
    /^(?:-j|-o|--(?:depth|deepen|jobs|server-option|upload-pack|strategy))$/,
  );
  return refspecs.some((word) => /:(?!refs\/remotes\/)./.test(word));
}
