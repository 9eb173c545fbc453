import type { RefusedRequest } from "../../../src/worktrees/protocol.ts";

export type Played =
  /** `settled`: the owner of the conflict wrote what the history has, and it came back byte for byte. */
  | { readonly type: "clean" }
  | { readonly type: "conflict"; readonly settled: boolean }
  | { readonly type: "left out"; readonly why: string }
  | { readonly type: "different"; readonly what: readonly string[] };

/** Ends a play; what it found stands in it. */
export class Found extends Error {
  readonly played: Played;
  constructor(played: Played) {
    super(played.type);
    this.played = played;
  }
}

/** Where a folder is in its way git names a file after its side. */
export function unnamed(path: string): string {
  return path.replace(/~(?:[0-9a-f]{40}|troupe_[^/]*)(?:_\d+)?$/, "");
}

export function fine<Answer extends { readonly type: string }>(
  answer: Answer,
  what: string,
): Exclude<Answer, RefusedRequest> {
  if (isOne(answer)) return answer;
  throw different(`${what}: ${"reason" in answer ? String(answer.reason) : ""}`);
}

function isOne<Answer extends { readonly type: string }>(
  answer: Answer,
): answer is Exclude<Answer, RefusedRequest> {
  return answer.type !== "refused";
}

export function different(...what: string[]): Found {
  return new Found({ type: "different", what });
}

export function leftOut(why: string): Found {
  return new Found({ type: "left out", why });
}
