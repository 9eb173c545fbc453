import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { shippedHosts, supervised } from "../support/supervised.ts";
import { textsOf } from "../support/texts-of.ts";

describe.each(shippedHosts)("calls that are repeated, %s", (host) => {
  test("points the same call with the same result out, then ends the run and names the call", async () => {
    const { supervisor, model, cwd } = supervised(
      host,
      (request) =>
        request.withoutTools
          ? { text: "I found nothing." }
          : { calls: [{ name: "Read", input: { file_path: join(cwd, "a") } }] },
      { files: { a: "one" } },
    );
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "partial", text: "I found nothing." });
    expect(summary.reason).toContain(`Read {"file_path":"${join(cwd, "a")}"}`);
    expect(model.requests).toHaveLength(10);
    const told = model.requests.map((request) => textsOf(request).includes("only repeated calls"));
    expect(told.indexOf(true)).toBe(4);
  });

  test("two calls in turn are a circle, too", { tags: ["long"] }, async () => {
    let at = 0;
    const { supervisor, model } = supervised(
      host,
      (request) => {
        at += 1;
        const path = at % 2 === 0 ? "a" : "b";
        return request.withoutTools
          ? { text: "stuck" }
          : { calls: [{ name: "Glob", input: { pattern: `${path}*` } }] };
      },
      { files: { a: "one", b: "two" } },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("partial");
    expect(model.requests).toHaveLength(11);
  });

  test("a new prompt may need the same calls again", async () => {
    let at = 0;
    const { supervisor, model, cwd } = supervised(
      host,
      () => {
        at += 1;
        if (at % 7 === 0) return { text: "done" };
        return { calls: [{ name: "Read", input: { file_path: join(cwd, "a") } }] };
      },
      { files: { a: "one" } },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    expect((await supervisor.prompt("again")).summary.status).toBe("done");
    expect(model.requests).toHaveLength(14);
  });
});
