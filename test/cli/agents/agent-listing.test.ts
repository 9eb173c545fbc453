import { expect, test } from "vitest";
import { agentListing } from "../../../src/cli/agents/agent-listing.ts";

const VARIABLE = "CLAUDE_CODE_AGENT_LIST_IN_MESSAGES";

test("where the list of agents stands: the environment says it, else settings, else it is inline (A4.17)", () => {
  for (const yes of ["1", "true", "YES", " on "]) {
    expect(agentListing({ [VARIABLE]: yes }, undefined)).toBe("attached");
    expect(agentListing({ [VARIABLE]: yes }, "inline")).toBe("attached");
  }
  for (const no of ["0", "false", "No", "off"])
    expect(agentListing({ [VARIABLE]: no }, "attached")).toBe("inline");
  for (const nothing of [{}, { [VARIABLE]: "" }, { [VARIABLE]: "perhaps" }]) {
    expect(agentListing(nothing, undefined)).toBe("inline");
    expect(agentListing(nothing, "attached")).toBe("attached");
    expect(agentListing(nothing, "inline")).toBe("inline");
  }
});
