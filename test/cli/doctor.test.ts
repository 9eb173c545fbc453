import { expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { whyNoBubblewrap } from "../policy/sandbox/opened.ts";
import { type Files, foldersWith } from "../settings/folders.ts";
import { unless } from "../support/needs.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

async function doctor(files: Files, ...words: string[]) {
  const { homedir, root, managed } = foldersWith(files);
  const io = Object.assign(new FakeIO({ homedir, cwd: root }), { managedSettings: managed });
  const code = await main(["doctor", ...words], io, new FakeRuntime());
  return { code, out: io.out.text, err: io.err.text };
}

test("says that the confinement holds", unless(whyNoBubblewrap), async () => {
  const { code, out } = await doctor({});
  expect([code, out]).toEqual([0, "confinement  enforced\nsandbox      off\n"]);
});

test("tries the sandbox if settings switch it on", unless(whyNoBubblewrap), async () => {
  const { code, out } = await doctor({ user: { sandbox: { enabled: true } } }, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    checks: [
      { name: "confinement", state: "enforced" },
      { name: "sandbox", state: "enforced" },
    ],
  });
});

test("says what the user has switched off, which no project can", async () => {
  const off = { troupe: { sandbox: { readOnly: false } } };
  expect((await doctor({ user: off })).out).toContain("confinement  off: ");
  const { out, err } = await doctor({ project: off }, "--trust");
  expect(out).not.toContain("confinement  off");
  expect(err).toContain("troupe.sandbox.readOnly does not count there");
});
