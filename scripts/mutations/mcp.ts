import type { Mutation } from "./mutation.ts";

export const mcp: readonly Mutation[] = [
  {
    name: "C2-state-is-not-compared",
    file: "src/mcp/broker/sign-in.ts",
    from: 'found.get("state") === state ? 200 : 400',
    to: "200",
    tests: ["test/mcp/callback.test.ts"],
    title: "refuses a request with another state",
  },
  {
    name: "C4-any-sign-in-page-is-opened",
    file: "src/mcp/broker/sign-in.ts",
    from: 'if (!["http:", "https:"].includes(page.protocol))',
    to: "if (false)",
    tests: ["test/mcp/sign-in.test.ts"],
    title: "(C4)",
  },
  {
    name: "C5-what-a-server-started-goes-on",
    file: "src/mcp/broker/stdio-transport.ts",
    from: "await group.end();",
    to: "",
    tests: ["test/mcp/sign-in.test.ts"],
    title: "a restart ends what the server itself had started",
  },
];
