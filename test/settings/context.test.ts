import { describe, expect, test } from "vitest";
import { readIn } from "./folders.ts";

describe("settings of what models are told", () => {
  test("are absent where nobody says anything", async () => {
    expect((await readIn({})).settings.context).toEqual({});
  });

  test("are read together, the last file's counting", async () => {
    const { settings, warnings } = await readIn({
      user: { troupe: { deferTools: "on", deferToolsAbove: 0.3, checkReports: false, forks: false } },
      project: { troupe: { deferTools: "off", deferToolsListing: "inline" } },
    });
    expect(warnings).toEqual([]);
    expect(settings.context).toEqual({
      deferTools: { tools: "off", above: 0.3, names: "inline" },
      checkReports: false,
      forks: false,
    });
  });

  test("a project's settings switch the check of reports on, never off", async () => {
    const off = await readIn({ project: { troupe: { checkReports: false } } });
    expect(off.settings.context).toEqual({});
    const on = await readIn({
      user: { troupe: { checkReports: false } },
      project: { troupe: { checkReports: true } },
    });
    expect(on.settings.context).toEqual({ checkReports: true });
  });

  test.each([
    [{ deferTools: true }, 'troupe.deferTools must be one of "auto", "on", "off"'],
    [{ deferToolsAbove: 10 }, "troupe.deferToolsAbove must be a number from 0 to 1"],
    [{ deferToolsListing: "top" }, 'troupe.deferToolsListing must be one of "attached", "inline"'],
    [{ checkReports: "no" }, "troupe.checkReports must be"],
  ])("what is wrong is named and left out: %j", async (troupe, sentence) => {
    const { settings, warnings } = await readIn({ user: { troupe } });
    expect(warnings.join("\n")).toContain(sentence);
    expect(settings.context).toEqual({});
  });
});
