import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Access } from "../../src/mailbox/messages.ts";
import {
  type GatedCall,
  isOfferedInMode,
  judge,
  type PermissionMode,
  type Permissions,
} from "../../src/policy/gate.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-gate-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const inside = join(root, "work");
const outside = join(root, "elsewhere");
for (const folder of [inside, outside, join(inside, "src"), join(inside, ".git", "hooks")])
  mkdirSync(folder, { recursive: true });
writeFileSync(join(outside, "there.txt"), "x");
symlinkSync(outside, join(inside, "link"));
symlinkSync(join(outside, "not-yet.txt"), join(inside, "dangling"));
symlinkSync(join(inside, ".git"), join(inside, "innocent"));
symlinkSync(join(inside, "b"), join(inside, "a"));
symlinkSync(join(inside, "a"), join(inside, "b"));

function inMode(mode: PermissionMode, more: Partial<Permissions> = {}): Permissions {
  return { mode, allowedTools: [], disallowedTools: [], folders: [inside], ...more };
}

function call(name: string, level: GatedCall["level"], ...accesses: Access[]): GatedCall {
  return { names: [name], level, accesses };
}

const write = (...parts: string[]) =>
  call("Write", "write", { kind: "write", target: join(inside, ...parts) });

async function decided(permissions: Permissions, gated: GatedCall): Promise<string> {
  const verdict = await judge(permissions, gated);
  return verdict.type === "go" ? "go" : verdict.reason;
}

describe("which built-in tools a mode offers (issue Hands, 7)", () => {
  test.each<[PermissionMode, boolean]>([
    ["default", false],
    ["plan", false],
    ["dontAsk", false],
    ["acceptEdits", true],
    ["bypassPermissions", true],
  ])("%s: tools that write or run: %s; tools that read: always", (mode, acts) => {
    expect(isOfferedInMode(mode, "write")).toBe(acts);
    expect(isOfferedInMode(mode, "execute")).toBe(acts);
    expect(isOfferedInMode(mode, "read")).toBe(true);
  });
});

describe("acceptEdits", () => {
  const permissions = inMode("acceptEdits");

  test.each([[["new.ts"]], [["src", "a.ts"]], [["deep", "er", "not-there.ts"]], [["src", "..", "b.ts"]]])(
    "writes inside the workspace: %j",
    async (parts) => {
      expect(await decided(permissions, write(...parts))).toBe("go");
    },
  );

  test.each([
    ["..", "elsewhere", "x.ts"],
    ["..", "work-2", "x.ts"],
    ["link", "there.txt"],
    ["link", "new.txt"],
    ["link", "new", "er.txt"],
    ["dangling"],
  ])("does not write outside, whatever the way: %j", async (...parts) => {
    expect(await decided(permissions, write(...parts))).toMatch(/is outside the workspace .*--add-dir/);
  });

  test("a circle of links ends, and is inside: opening it fails by itself", async () => {
    expect(await decided(permissions, write("a"))).toBe("go");
  });

  test.each([
    [".git", "hooks", "pre-commit"],
    ["innocent", "config"],
    ["packages", "x", ".claude", "settings.json"],
    [".CLAUDE", "settings.json"],
    [".git.", "config"],
    [".bashrc"],
    ["src", ".npmrc"],
    [".mcp.json"],
  ])("does not write what runs later: %j", async (...parts) => {
    expect(await decided(permissions, write(...parts))).toMatch(/is protected \(.*only the person/);
  });

  test("protection and containment of writes hold for a tool the person allowed by name, too", async () => {
    const named = inMode("acceptEdits", { allowedTools: ["Write"] });
    expect(await decided(named, write(".git", "config"))).toMatch(/protected/);
    expect(await decided(named, write("..", "x"))).toMatch(/outside/);
    expect(await decided(named, write("x"))).toBe("go");
  });

  test("runs in a folder of the workspace, and nowhere else", async () => {
    const bash = (target: string) => call("Bash", "execute", { kind: "execute", target });
    expect(await decided(permissions, bash(join(inside, "src")))).toBe("go");
    expect(await decided(permissions, bash(outside))).toMatch(/outside/);
    expect(await decided(permissions, bash(join(inside, "link")))).toMatch(/outside/);
  });

  test("a folder that was added belongs to the workspace", async () => {
    const wider = inMode("acceptEdits", { folders: [inside, outside] });
    expect(await decided(wider, write("link", "new.txt"))).toBe("go");
  });

  test("a tool that writes and does not say what is not allowed by the mode", async () => {
    expect(await decided(permissions, call("Hammer", "write"))).toMatch(/needs the person's permission/);
  });

  test("the network is no edit", async () => {
    const fetching = call("Fetch", "network", { kind: "network", target: "http://x.test" });
    expect(await decided(permissions, fetching)).toMatch(/needs the person's permission/);
    expect(await decided(inMode("acceptEdits", { allowedTools: ["Fetch"] }), fetching)).toBe("go");
  });
});

describe("the other modes", () => {
  test.each<PermissionMode>(["default", "plan", "dontAsk"])("%s: what writes is refused", async (mode) => {
    expect(await decided(inMode(mode), write("x.ts"))).toMatch(/needs the person's permission/);
  });

  test("bypassPermissions lets everything go but what is denied by name", async () => {
    expect(await decided(inMode("bypassPermissions"), write("..", "x"))).toBe("go");
    const without = inMode("bypassPermissions", { disallowedTools: ["Write"] });
    expect(await decided(without, write("x"))).toMatch(/rule Write/);
  });

  test("reading inside needs no question, outside it does", async () => {
    const reading = (target: string) => call("Read", "read", { kind: "read", target });
    expect(await decided(inMode("default"), reading(join(inside, "src")))).toBe("go");
    expect(await decided(inMode("default"), reading(join(inside, "link", "there.txt")))).toMatch(/outside/);
  });
});
