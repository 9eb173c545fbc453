import { expect, test } from "vitest";
import { listSessions } from "../../src/journal/sessions.ts";
import { supervised } from "../support/supervised.ts";

async function titleAfter(title: string | undefined, ...prompts: string[]): Promise<string | undefined> {
  const { supervisor, home } = supervised("in-thread", () => ({ text: "ok" }), {
    ...(title === undefined ? {} : { title }),
  });
  const listed = async () => (await listSessions(home)).sessions[0]?.title;
  const [first, ...others] = prompts;
  if (first !== undefined) await supervisor.prompt(first);
  const whileOpen = await listed();
  for (const prompt of others) await supervisor.prompt(prompt);
  await supervisor.close();
  if (first !== undefined) expect(await listed()).toBe(whileOpen);
  return listed();
}

test("a session is listed by its title, else from its first prompt on by that, never by half a word of it", {
  tags: ["long"],
}, async () => {
  expect(await titleAfter("mine", "one")).toBe("mine");
  expect(await titleAfter(undefined, " where is\nit? ", "and then?")).toBe("where is it?");
  expect(await titleAfter(undefined, `${"word ".repeat(18)}sk-${"x".repeat(40)} and more`)).toBe(
    `${"word ".repeat(18)}…`,
  );
  expect(await titleAfter(undefined)).toBe("");
});
