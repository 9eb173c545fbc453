import { describe, expect, test } from "vitest";
import { decide, type Mode } from "../../../src/policy/index.ts";
import { rulesOf } from "./workspace.ts";

const call = (rules: string, tool: string, input: unknown, mode: Mode = "default") =>
  decide(rulesOf(rules), mode, "/work/proj", tool, input, { home: "/home/me", platform: "linux" });

describe("7 WebFetch", () => {
  test.each([
    ["allow WebFetch(domain:example.com)", "https://example.com/x", "allow"],
    ["allow WebFetch(domain:example.com)", "http://EXAMPLE.com:8080/", "allow"],
    ["allow WebFetch(domain:example.com)", "https://example.com./", "allow"],
    ["allow WebFetch(domain:Example.COM)", "https://example.com/", "allow"],
    ["allow WebFetch(domain:example.com)", "https://www.example.com/", "ask"],
    ["allow WebFetch(domain:example.com)", "https://example.com.evil.org/", "ask"],
    ["allow WebFetch(domain:example.com)", "https://evilexample.com/", "ask"],
    ["allow WebFetch(domain:example.com)", "https://evil.org/?example.com", "ask"],
    ["allow WebFetch(domain:*.rust-lang.org)", "https://doc.rust-lang.org/std", "allow"],
    ["allow WebFetch(domain:*.rust-lang.org)", "https://a.b.rust-lang.org/", "allow"],
    ["allow WebFetch(domain:*.rust-lang.org)", "https://rust-lang.org/", "ask"],
    ["allow WebFetch(domain:*.rust-lang.org)", "https://evilrust-lang.org/", "ask"],
    ["allow WebFetch(domain:api.*.com)", "https://api.x.com/", "allow"],
    ["allow WebFetch(domain:api.*.com)", "https://api.x.y.com/", "ask"],
    ["allow WebFetch(domain:*)", "https://anything.org/", "allow"],
    ["allow WebFetch", "https://anything.org/", "allow"],
    ["allow WebFetch(domain:b\u00fccher.de)", "https://xn--bcher-kva.de/", "allow"],
    ["allow WebFetch(domain:example.com)", "https://ex\u0430mple.com/", "ask"],
    ["allow WebFetch", "ftp://example.com/", "ask"],
    ["allow WebFetch", "file:///etc/passwd", "ask"],
    ["allow WebFetch", "javascript:alert(1)", "ask"],
    ["allow WebFetch", "https://user:pw@example.com/", "ask"],
    ["allow WebFetch", "https://example.com\\@evil.org/", "ask"],
    ["allow WebFetch", "https://example.com/\n", "ask"],
    ["allow WebFetch", "https://exam\tple.com/", "ask"],
    ["allow WebFetch", "not a url", "ask"],
    ["allow WebFetch", "", "ask"],
    ...[
      "http://localhost/",
      "http://LOCALHOST:3000/",
      "http://a.localhost/",
      "http://printer.local/",
      "http://metadata.google.internal/",
      "http://127.0.0.1/",
      "http://127.1/",
      "http://2130706433/",
      "http://0x7f.1/",
      "http://0177.0.0.1/",
      "http://0.0.0.0/",
      "http://10.1.2.3/",
      "http://172.16.0.1/",
      "http://192.168.1.1/",
      "http://169.254.169.254/",
      "http://100.64.0.1/",
      "http://100.100.100.200/",
      "http://224.0.0.1/",
      "http://[::1]/",
      "http://[::]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[::ffff:7f00:1]/",
      "http://[64:ff9b::7f00:1]/",
      "http://[2002:7f00:1::]/",
      "http://[fe80::1]/",
      "http://[fd00::1]/",
      "http://[ff02::1]/",
      "http://localhost./",
    ].flatMap((url) => [
      ["allow WebFetch", url, "ask"],
      ["allow WebFetch(domain:*)", url, "ask"],
    ]),
    ["allow WebFetch(domain:localhost)", "http://localhost:3000/", "allow"],
    ["allow WebFetch(domain:127.0.0.1)", "http://127.1/", "allow"],
    ["allow WebFetch(domain:::1)", "http://[::1]/", "allow"],
    ["allow WebFetch(domain:*.local)", "http://printer.local/", "ask"],
    ["deny WebFetch(domain:evil.org)", "https://evil.org./x", "deny"],
    ["deny WebFetch(domain:evil.org)", "https://user@evil.org/x", "deny"],
    ["deny WebFetch(domain:*) ;; allow WebFetch", "https://example.com", "deny"],
    ["ask WebFetch(domain:*.org) ;; allow WebFetch", "https://a.org", "ask"],
    ["", "https://example.com", "ask"],
    ["allow WebFetch(https://example.com)", "https://example.com", "ask"],
  ])("[%s] %s: %s", (rules, url, expected) => {
    expect(call(rules, "WebFetch", { url, prompt: "x" })).toBe(expected);
  });
});

describe("8 MCP and agents", () => {
  test.each([
    ["allow mcp__db", "mcp__db__select", "allow"],
    ["allow mcp__db__*", "mcp__db__select", "allow"],
    ["allow mcp__db__select", "mcp__db__select", "allow"],
    ["allow mcp__db__select", "mcp__db__select2", "ask"],
    ["allow mcp__db__select_*", "mcp__db__select_all", "allow"],
    ["allow mcp__db__select_*", "mcp__db__drop", "ask"],
    ["allow mcp__git", "mcp__github__x", "ask"],
    ["allow mcp__git__*", "mcp__github__x", "ask"],
    ["allow mcp__*", "mcp__git__x", "ask"],
    ["allow mcp__g*__x", "mcp__git__x", "ask"],
    ["allow MCP__git", "mcp__git__x", "ask"],
    ["deny mcp__git", "mcp__git__x", "deny"],
    ["deny mcp__git", "mcp__github__x", "ask"],
    ["deny mcp__*", "mcp__github__x", "deny"],
    ["deny *__x", "mcp__github__x", "deny"],
  ])("[%s] %s: %s", (rules, tool, expected) => {
    expect(call(rules, tool, {})).toBe(expected);
  });

  test.each([
    ["deny Agent(Explore)", { subagent_type: "Explore" }, "deny"],
    ["deny Agent(Explore)", { subagent_type: "explore" }, "deny"],
    ["deny Agent(Explore)", { subagent_type: "Plan" }, "allow"],
    ["deny Agent(Explore)", {}, "allow"],
    ["deny Task(Explore)", { subagent_type: "Explore" }, "deny"],
    ["ask Agent", {}, "ask"],
  ])("[%s] %j: %s", (rules, input, expected) => {
    expect(call(rules, "Agent", input)).toBe(expected);
  });
});

describe("decide", () => {
  test("answers a plain string and never throws", () => {
    const odd: unknown = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("odd");
        },
      },
    );
    expect(decide({}, "default", "/w", "Read", odd)).toBe("deny");
    expect(decide({ allow: [], ask: [], deny: [] }, "default", "/w", "Bash", { command: "ls" })).toBe(
      "allow",
    );
  });
});
