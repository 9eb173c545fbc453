import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { rootDirs } from "../../../src/cli/mcp-serve/client-roots.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { served } from "./served-client.ts";

const uri = (path: string) => pathToFileURL(path).href;

test("the roots of a client are directories of the session that its first call opens", async () => {
  const folder = temporaryFolder();
  const { client, call, runtime, pipes, ended } = await served({ capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: uri(folder) }] }));
  await call("spawn_agent", { prompt: "look" });
  expect(runtime.only.options.additionalDirs).toEqual([folder]);
  pipes.stdin.end();
  expect(await ended).toBe(0);
});

test("roots that change are the session's from then on; a list that fails adds none", async () => {
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  let roots: readonly string[] | null = [first];
  const { client, call, io, runtime, pipes, ended } = await served({
    capabilities: { roots: { listChanged: true } },
  });
  client.setRequestHandler(ListRootsRequestSchema, () => {
    if (roots === null) throw new Error("no project is open");
    return { roots: roots.map((path) => ({ uri: uri(path) })) };
  });
  await call("spawn_agent", { prompt: "look" });
  roots = [second];
  await client.sendRootsListChanged();
  await expect.poll(() => io.err.text).toContain(`The client closed ${first}: `);
  roots = null;
  await client.sendRootsListChanged();
  await expect.poll(() => io.err.text).toContain(`The client closed ${second}: `);
  expect(runtime.only.addedDirs).toEqual([[second], []]);
  expect(io.err.text).toContain(`The client opened ${second}: `);
  pipes.stdin.end();
  expect(await ended).toBe(0);
});

test("a client that cannot list its roots has agents all the same, and one without roots is not asked", async () => {
  const failing = await served({ capabilities: { roots: {} } });
  failing.client.setRequestHandler(ListRootsRequestSchema, () => {
    throw new Error("no project is open");
  });
  expect((await failing.call("spawn_agent", { prompt: "look" })).isError).toBeUndefined();
  expect(failing.io.err.text).toContain("The client has roots, but did not list them: ");
  const without = await served();
  await without.call("spawn_agent", { prompt: "look" });
  expect(without.runtime.only.options.additionalDirs).toEqual([]);
  for (const { pipes, ended } of [failing, without]) {
    pipes.stdin.end();
    expect(await ended).toBe(0);
  }
});

test("a root without a directory here, or with the home of the user in it, is named and not added", async () => {
  const folder = temporaryFolder();
  const [project, homedir, other] = ["project", "home", "other"].map((name) => join(folder, name));
  for (const path of [project, homedir, other]) mkdirSync(path ?? "");
  const notes: string[] = [];
  const roots = [
    uri(join(project ?? "", "src")),
    uri(other ?? ""),
    uri(other ?? ""),
    "untitled:Untitled-1",
    uri(join(folder, "gone")),
    uri(homedir ?? ""),
    uri(dirname(folder)),
  ];
  const dirs = await rootDirs(roots, {
    ...{ dirs: [project ?? ""], homedir: homedir ?? "", note: (line: string) => notes.push(line) },
  });
  expect(dirs).toEqual([other]);
  expect(notes).toEqual([
    'The client\'s root "untitled:Untitled-1" is not added: it is not a path of this machine.',
    expect.stringMatching(/gone" is not added: there is no such directory\.$/),
    expect.stringMatching(
      /home" is not added: your home directory is in it; --add-dir adds it all the same\.$/,
    ),
    expect.stringMatching(/is not added: your home directory is in it/),
  ]);
});
