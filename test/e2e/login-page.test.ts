import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { server } from "../mcp/opened-mcp.ts";
import { SEED_BROWSER_TOOLS } from "../mcp/servers/seed-browser-tools.ts";
import { installedChromium } from "../support/chromium.ts";
import { type Ended, troupe } from "../support/cli-process.ts";
import { processesWith } from "../support/left-behind.ts";
import {
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** The seed's own example, "test the login page": the real program, and a model that follows a script. */

interface Place {
  /** All that a run leaves lies in here, and its processes are known by it. */
  readonly base: string;
  readonly cwd: string;
  readonly home: string;
  /** For what the browser keeps while it runs. */
  readonly temporary: string;
}

function placed(): Place {
  const base = temporaryFolder();
  const place = {
    ...{ base, cwd: join(base, "project"), home: join(base, "home"), temporary: join(base, "tmp") },
  };
  for (const folder of [place.cwd, place.home, place.temporary]) mkdirSync(folder);
  return place;
}

interface Conversation {
  readonly ended: Ended;
  readonly requests: readonly RecordedRequest[];
}

/** The calls one after the other, a reply each, and then what the model makes of the last result. */
async function conversed(
  { cwd, home, temporary }: Place,
  mcpServer: object,
  calls: readonly { readonly name: string; readonly input: object }[],
): Promise<Conversation> {
  const messages: MessagesServer = await startMessagesServer(({ body }): ServedReply => {
    const results = resultsIn(body.messages);
    const call = calls[results.length];
    if (call !== undefined) return { calls: [call] };
    const [, title = "nothing"] = /Page title: (.*)/i.exec(textOf(results.at(-1))) ?? [];
    return { text: `The login works; then the page says: ${title}`, stopReason: "end_turn" };
  });
  onTestFinished(() => messages.close());
  const ended = await troupe(
    [
      ...["-p", "Test the login page.", "--output-format", "json", "--trust"],
      ...["--mcp-config", JSON.stringify({ mcpServers: { playwright: mcpServer } })],
      ...["--allowed-tools", "mcp__playwright"],
    ],
    {
      ...{ cwd, home, url: messages.url, env: { TMPDIR: temporary } },
      // However busy the machine is, the tools are in the first request.
      settings: { mcpStartMs: 120_000 },
    },
  );
  return { ended, requests: messages.requests };
}

interface Block {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Every result so far, in the order of the calls. */
function resultsIn(messages: RecordedRequest["body"]["messages"]): readonly Block[] {
  return messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result");
}

function textOf(result: Block | undefined): string {
  const content = result?.["content"];
  if (!Array.isArray(content)) return String(content);
  return content.map((block: Block) => (block.type === "text" ? String(block["text"]) : "")).join("\n");
}

/** The picture in a result, as bytes. */
function pictureIn(result: Block | undefined): Buffer {
  const content = result?.["content"];
  const image = Array.isArray(content) && content.find(({ type }: Block) => type === "image");
  expect(image, JSON.stringify(result).slice(0, 500)).toMatchObject({
    source: { type: "base64", media_type: "image/png" },
  });
  return Buffer.from(image.source.data, "base64");
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const skill = { name: "Skill", input: { skill: "playwright-cli" } };

/** What holds of every such conversation; its results. */
function expectToHold(
  { ended, requests }: Conversation,
  calls: readonly { readonly name: string }[],
): readonly Block[] {
  expect(ended.code, ended.err).toBe(0);
  expect(ended.err).toBe("");
  expect(ended.json()).toMatchObject({ status: "done", permission_denials: [] });
  expect(requests).toHaveLength(calls.length + 1);
  const last = requests.at(-1)?.body.messages ?? [];
  const called = last
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_use");
  expect(called.map(({ name }) => name)).toEqual(calls.map(({ name }) => name));
  const results = resultsIn(last);
  // One result per call, in the order of the calls, and none of them an error.
  expect(results.map((result) => result["tool_use_id"])).toEqual(called.map((call) => call["id"]));
  for (const result of results) expect(result["is_error"] ?? false, textOf(result)).toBe(false);
  // The skill is loaded between the first and the second request.
  expect(JSON.stringify(requests[0]?.body)).not.toContain("Work in a browser");
  expect(JSON.stringify(requests[1]?.body)).toContain("Work in a browser");
  const [first] = requests;
  for (const { body } of requests) expect(body.tools).toEqual(first?.body.tools);
  return results;
}

describe("the login page is tested", { timeout: 120_000 }, () => {
  test("A17.3, A17.4: with the seed's four tools as they were registered, in its order", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    const file = join(place.base, "calls");
    const calls = [
      { name: "navigate", input: { url: "https://example.com/login" } },
      { name: "screenshot", input: { name: "login", fullPage: true } },
      { name: "fill", input: { element: "the user's name", ref: "e1", text: "ada" } },
      { name: "click", input: { element: "the button", ref: "e2" } },
    ];
    const named = [skill, ...calls.map(({ name, input }) => ({ name: `mcp__playwright__${name}`, input }))];
    const talk = await conversed(place, server("seed-browser.ts", file), named);
    const results = expectToHold(talk, named);
    const offered = (talk.requests[0]?.body.tools ?? []).filter(({ name }) => name.startsWith("mcp__"));
    expect(offered).toHaveLength(SEED_BROWSER_TOOLS.length);
    for (const { name, description, inputSchema } of SEED_BROWSER_TOOLS)
      expect(offered).toContainEqual(
        expect.objectContaining({ name: `mcp__playwright__${name}`, description, input_schema: inputSchema }),
      );
    const received = readFileSync(file, "utf8").trim().split("\n");
    expect(received.map((line): unknown => JSON.parse(line))).toEqual(
      calls.map(({ name, input }) => ({ name, given: input })),
    );
    expect(pictureIn(results[2]).subarray(0, 8)).toEqual(PNG);
    expect(talk.ended.json()["result"]).toBe("The login works; then the page says: Welcome, ada");
    await expectNothingLeft(place);
  });

  const chromium = installedChromium();
  const why = chromium === null ? "there is no Chromium (apt install chromium)" : null;

  test("A17.4: with @playwright/mcp and a real browser", { ...unless(why), tags: ["long"] }, async () => {
    const place = placed();
    const page = await servedPage();
    const named = [
      skill,
      ...[
        { name: "browser_navigate", input: { url: `${page.url}/login` } },
        { name: "browser_take_screenshot", input: {} },
        {
          name: "browser_fill_form",
          input: {
            fields: [
              { name: "User", type: "textbox", target: "getByLabel('User')", value: "ada" },
              { name: "Password", type: "textbox", target: "getByLabel('Password')", value: "engine no. 1" },
            ],
          },
        },
        { name: "browser_click", input: { element: "Log in", target: "getByRole('button')" } },
      ].map(({ name, input }) => ({ name: `mcp__playwright__${name}`, input })),
    ];
    const talk = await conversed(place, playwright(place, chromium ?? ""), named);
    const results = expectToHold(talk, named);
    // The skill names tools that are there.
    const offered = (talk.requests[0]?.body.tools ?? []).map(({ name }) => name);
    const taught = JSON.stringify(talk.requests[1]?.body.messages).match(/\bbrowser_[a-z_]+/g) ?? [];
    expect(taught.length).toBeGreaterThan(10);
    expect(offered).toEqual(expect.arrayContaining(taught.map((name) => `mcp__playwright__${name}`)));
    const picture = pictureIn(results[2]);
    expect(picture.subarray(0, 8)).toEqual(PNG);
    // Width and height: what a person would see, and no placeholder.
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([800, 600]);
    expect(page.forms).toEqual([{ user: "ada", password: "engine no. 1" }]);
    expect(talk.ended.json()["result"]).toBe(
      `The login works; then the page says: Welcome, ada, visitor ${page.visitor}`,
    );
    await expectNothingLeft(place);
  });
});

/** Of the program, its servers and the browser; the browser is no child of ours, so it can only be looked at. */
async function expectNothingLeft({ base }: Place): Promise<void> {
  await expect.poll(() => processesWith(base), { timeout: 30_000 }).toEqual([]);
}

interface LoginPage {
  readonly url: string;
  /** What was sent to it. */
  readonly forms: readonly object[];
  /** What only the page behind the login says. */
  readonly visitor: string;
}

async function servedPage(): Promise<LoginPage> {
  const forms: object[] = [];
  const visitor = "4711";
  const html = (title: string, body: string) =>
    `<!doctype html><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${body}`;
  const web = createServer((request, response) => {
    let sent = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      sent += piece;
    });
    request.on("end", () => {
      response.setHeader("content-type", "text/html");
      if (request.method !== "POST") {
        response.end(html("Log in", FORM));
        return;
      }
      const form = Object.fromEntries(new URLSearchParams(sent));
      forms.push(form);
      response.end(html(`Welcome, ${form["user"]}, visitor ${visitor}`, ""));
    });
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        web.close(() => resolve());
        web.closeAllConnections();
      }),
  );
  const { port } = web.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, forms, visitor };
}

const FORM = `<form method="post" action="/session">
  <label>User <input name="user"></label>
  <label>Password <input name="password" type="password"></label>
  <button>Log in</button>
</form>`;

const PATIENT_MS = 100_000;

/** Playwright's server with this browser: alone with our page, without a window, and never in a hurry. */
function playwright({ base }: Place, executablePath: string): object {
  const config = join(base, "playwright.json");
  writeFileSync(
    config,
    JSON.stringify({
      browser: {
        browserName: "chromium",
        isolated: true,
        launchOptions: {
          executablePath,
          headless: true,
          // Containers seldom let it make one, and root never may; it sees nothing but the page of this test.
          chromiumSandbox: false,
          timeout: PATIENT_MS,
          args: [
            ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
            ...["--disable-default-apps", "--disable-domain-reliability", "--no-first-run", "--no-pings"],
            // Whatever it would ask besides finds no host.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
          ],
        },
        contextOptions: { viewport: { width: 800, height: 600 } },
      },
      outputDir: join(base, "seen"),
      timeouts: { action: PATIENT_MS, navigation: PATIENT_MS },
    }),
  );
  const program = join(import.meta.dirname, "../../node_modules/@playwright/mcp/cli.js");
  return { command: process.execPath, args: [program, "--config", config] };
}
