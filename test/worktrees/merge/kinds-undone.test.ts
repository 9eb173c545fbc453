import { expect, test } from "vitest";
import { emptyRepository } from "../../support/git-repository.ts";
import { agentIn, type Files, picture, put, undo } from "./scene.ts";

const KINDS: Record<string, Files[string]> = {
  "a file": "1\n",
  "a link": { link: "elsewhere" },
};

test.each(Object.entries(KINDS))(
  "where %s became a folder it is undone without a question",
  { tags: ["long"] },
  async (_, was) => {
    const repository = await emptyRepository();
    put(repository.folder, { a: was, b: "b\n" });
    await repository.commit("base");
    const before = picture(repository.folder, { times: false });
    const agent = await agentIn(repository);
    agent.write({ a: null, "a/within/it": "2\n" });
    expect(await agent.apply()).toMatchObject({ type: "merged" });
    expect(await undo(repository)).toMatchObject({ type: "undone" });
    expect(picture(repository.folder, { times: false })).toEqual(before);
  },
);

test("where a folder became a file it is undone without a question", { tags: ["long"] }, async () => {
  const repository = await emptyRepository();
  put(repository.folder, { "a/one": "1\n", "a/deep/two": "2\n" });
  await repository.commit("base");
  const before = picture(repository.folder, { times: false });
  const agent = await agentIn(repository);
  agent.write({ a: null });
  agent.write({ a: "file\n" });
  expect(await agent.apply()).toMatchObject({ type: "merged" });
  expect(await undo(repository)).toMatchObject({ type: "undone" });
  expect(picture(repository.folder, { times: false })).toEqual(before);
});
