// @module-tag long
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyRepository } from "../../support/git-repository.ts";
import { agentIn, type Files, picture, put, undo } from "./scene.ts";

const lines = (change: string, end: string) =>
  Array.from({ length: 12 }, (_, at) => `${at === 9 ? change : `line ${at}`}${end}`).join("");
const [LF, CRLF] = ["\n", "\r\n"] as const;

/** `mine`: what the user has changed since; `ends`: of the agent's copy, and of the merged file. */
const cases: Record<
  string,
  {
    base: Files;
    config?: Readonly<Record<string, string>>;
    mine: Files;
    ends: { agent: string; merged: string };
  }
> = {
  "CRLF that git would write as LF": {
    base: { ".gitattributes": "*.txt text=auto\n", "a.txt": lines("line 9", LF) },
    mine: { "a.txt": lines("line 9", CRLF) },
    ends: { agent: LF, merged: CRLF },
  },
  "LF that git would write as CRLF": {
    base: { "a.txt": lines("line 9", LF) },
    config: { "core.autocrlf": "true" },
    mine: { "a.txt": lines("line 9", LF) },
    ends: { agent: CRLF, merged: LF },
  },
  "CRLF that git keeps": {
    base: { "a.txt": lines("line 9", CRLF) },
    mine: {},
    ends: { agent: CRLF, merged: CRLF },
  },
};

describe("a file that the agent edited keeps the user's line ends: it has", () => {
  it.each(Object.entries(cases))("%s", async (_, { base, config = {}, mine, ends }) => {
    const repository = await emptyRepository();
    for (const [key, value] of Object.entries(config)) await repository.must(["config", key, value]);
    put(repository.folder, base);
    await repository.commit("base");
    put(repository.folder, mine);
    const before = picture(repository.folder);
    const agent = await agentIn(repository);
    agent.write({ "a.txt": lines("agent", ends.agent) });
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 1, insertions: 1, deletions: 1 });
    expect(readFileSync(join(repository.folder, "a.txt"), "latin1")).toBe(lines("agent", ends.merged));
    expect(await repository.must(["diff", "--numstat"])).toBe("1\t1\ta.txt\n");
    expect(await undo(repository)).toMatchObject({ type: "undone", notes: [] });
    expect(picture(repository.folder)).toEqual(before);
  });

  it("others if the agent asks for others in .gitattributes, or changes them itself", async () => {
    const repository = await emptyRepository();
    put(repository.folder, { "a.sh": lines("line 9", CRLF), "b.raw": lines("line 9", CRLF) });
    await repository.commit("base");
    const agent = await agentIn(repository);
    agent.write({
      ".gitattributes": "*.sh text eol=lf\n",
      "a.sh": lines("agent", LF),
      "b.raw": lines("agent", LF),
    });
    expect(await agent.apply()).toMatchObject({ type: "merged", files: 3 });
    for (const path of ["a.sh", "b.raw"])
      expect(readFileSync(join(repository.folder, path), "latin1")).toBe(lines("agent", LF));
  });
});
