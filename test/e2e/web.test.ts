import { expect, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { article, html, servePages } from "../web/pages-server.ts";

const asked = (url: string) => `call WebFetch {"url": "${url}", "prompt": "How much is a bulb?"}`;

test("an offline agent fetches a local page through the program, by a rule that names the host (A13.1)", {
  tags: ["long"],
}, async () => {
  const { url, asked: paths } = await servePages((_, response) =>
    html(response, article("Lamps", "A bulb costs 4 dollars.")),
  );
  const args = ["-p", asked(`${url}/lamps`), "--offline", "--allowedTools", "WebFetch(domain:127.0.0.1)"];
  const { code, out, err } = await troupe(args);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toContain("A bulb costs 4 dollars.");
  expect(paths).toEqual(["/lamps"]);
  const refused = await troupe(["-p", asked(`${url}/lamps`), "--offline", "--allowedTools", "WebFetch"]);
  expect(refused.out).not.toContain("4 dollars");
  expect(paths).toEqual(["/lamps"]);
});

test("troupe context says why a tool is not offered, and offers WebSearch with a provider", async () => {
  const without = await troupe(["context", "--offline", "--sizes"]);
  expect(without.out).toContain("WebSearch is not offered: No search provider is set");
  const settings = { webSearch: { url: "http://127.0.0.1:1/" } };
  const withOne = await troupe(["context", "--offline", "--json"], { settings });
  // It is about a conversation, so timers are offered.
  expect(withOne.json()).toMatchObject({ notOffered: [{ tool: "LSP" }] });
  expect(withOne.out).toContain('"name": "WebSearch"');
});
