import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod/mini";
import { runnerCommand } from "../../src/cli/commands/runners.ts";

const root = join(import.meta.dirname, "../..");
const example = (name: string) => readFileSync(join(root, "examples/runners", name), "utf8");

const Service = z.object({
  command: z.array(z.string()),
  environment: z._default(z.record(z.string(), z.string()), {}),
  secrets: z.optional(z.array(z.string())),
  ports: z.optional(z.array(z.string())),
  network_mode: z.optional(z.string()),
});
const compose = z
  .object({
    services: z.record(z.string(), Service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(example("compose.yaml"), { merge: true }));
const { network, engine, ...runners } = compose.services;
const lines = (name: string) => example(name).split("\n").filter(Boolean);

/** Sources that read a variable of the environment. */
const READERS = ["src/cli/commands/runners.ts", "src/cli/runners/fleet.ts", "src/model/base-url.ts"];

test("examples/runners has Redis, which drops and loses nothing, and three runners with the secret", () => {
  const line = engine?.command.join(" ");
  for (const flag of ["--appendonly yes", "--maxmemory-policy noeviction", "--requirepass"])
    expect(line).toContain(flag);
  expect(Object.keys(runners)).toEqual(["runner-1", "runner-2", "runner-3"]);
  for (const { secrets, network_mode } of Object.values(runners)) {
    expect(secrets).toEqual(Object.keys(compose.secrets));
    expect(network_mode).toBe("service:network");
  }
});

test("no restart of its engine cuts off its runners: the network belongs to a container that does nothing else", () => {
  expect(network).toMatchObject({ command: ["tail", "-f", "/dev/null"], ports: ["127.0.0.1:6379:6379"] });
  expect(network?.network_mode).toBeUndefined();
  expect(engine?.network_mode).toBe("service:network");
});

test("no secret of it gets into a repository, a package or an image", () => {
  const files = Object.values(compose.secrets).map(({ file }) => file.replace(/^\./, ""));
  expect(lines(".gitignore")).toEqual(expect.arrayContaining(["/.env", ...files]));
  expect(lines(".dockerignore")).toEqual(["*", "!start.sh", "!troupe-*.tgz"]);
});

test("its runners are started by flags that exist, each with a name of its own", () => {
  const known = new Set(runnerCommand.options?.map(({ name }) => `--${name}`));
  for (const [name, { command }] of Object.entries(runners)) {
    expect(command[0]).toBe(runnerCommand.name);
    expect(command.filter((word) => word.startsWith("--") && !known.has(word))).toEqual([]);
    expect(command).toContain(name);
  }
});

test("each variable that it sets is one that Troupe reads, and .env.example has all that must be given", () => {
  const text = READERS.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const set = Object.values(runners).flatMap(({ environment }) => Object.keys(environment));
  for (const name of new Set(set)) expect(text).toContain(name);
  const asked = new Set([...example("compose.yaml").matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name));
  const offered = [...example(".env.example").matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  expect([...asked].sort()).toEqual(offered.sort());
});

test("its image has Troupe as packed, and the packages of its engine in the versions that Troupe takes", () => {
  const install = /npm install -g (.*)/.exec(example("Dockerfile"))?.[1]?.split(" ");
  const { peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(install).toEqual(["/tmp/troupe-*.tgz", "bullmq@6.7", "ioredis@6"]);
  expect(example("Dockerfile")).toContain("\nCOPY troupe-*.tgz /tmp/\n");
  expect(peerDependencies).toMatchObject({ bullmq: "~6.7.0", ioredis: expect.stringMatching(/^\^6\./) });
});
