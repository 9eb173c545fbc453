import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { unless } from "../support/needs.ts";
import { never, opened, ready } from "./opened-mcp.ts";

/** Where a package's program is; null where the package is not installed. */
function program(name: string): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(manifest), "dist", "index.js");
  } catch {
    return null;
  }
}

const everything = program("@modelcontextprotocol/server-everything");
const filesystem = program("@modelcontextprotocol/server-filesystem");
const installed = (found: string | null) =>
  unless(found === null ? "an MCP server of package.json is not installed" : null);

describe("@modelcontextprotocol/server-everything", () => {
  test("A17.1: its tools, an image, its progress, its resources, its prompts", {
    ...installed(everything),
    tags: ["long"],
  }, async () => {
    const { mcp, event, warnings, state } = await ready({
      all: { command: process.execPath, args: [everything ?? "", "stdio"] },
    });
    expect(state("all")).toEqual({ type: "connected" });
    expect(warnings).toEqual([]);
    const echo = await mcp.call({ name: "mcp__all__echo", input: { message: "hello" } }, never);
    expect(echo).toEqual({ content: "Echo: hello", isError: false });
    const image = await mcp.call({ name: "mcp__all__get-tiny-image", input: {} }, never);
    expect(image.content).toContainEqual(expect.objectContaining({ type: "image" }));
    const long = { name: "mcp__all__trigger-long-running-operation", input: { duration: 1, steps: 2 } };
    expect(await mcp.call(long, never)).toMatchObject({ isError: false });
    expect(await event(({ type }) => type === "progress")).toMatchObject({ total: 2 });
    const structured = await mcp.call(
      { name: "mcp__all__get-structured-content", input: { location: "New York" } },
      never,
    );
    expect(structured).toMatchObject({ isError: false, content: expect.stringContaining("temperature") });
    const resources = await mcp.listResources("all", never);
    expect(resources.ok && resources.value.length).toBeGreaterThan(0);
    const prompts = await mcp.listPrompts("all", never);
    expect(prompts.ok && prompts.value.length).toBeGreaterThan(0);
  });
});

describe("@modelcontextprotocol/server-filesystem", () => {
  test("A17.1: reads where it may and nowhere else", installed(filesystem), async () => {
    const { mcp, folder, state } = opened({
      fs: { command: process.execPath, args: [filesystem ?? "", "."] },
    });
    writeFileSync(join(folder, "note.txt"), "a note\n");
    await mcp.ready(20_000);
    expect(state("fs")).toEqual({ type: "connected" });
    const read = (path: string) => mcp.call({ name: "mcp__fs__read_text_file", input: { path } }, never);
    expect(await read(join(folder, "note.txt"))).toMatchObject({ isError: false, content: "a note\n" });
    expect(await read("/etc/passwd")).toMatchObject({ isError: true });
  });
});
