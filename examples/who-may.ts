/** Rules and a user to ask: `node examples/who-may.ts` allows one command, asks about one, and denies one. */
import { Session } from "troupe";

await using session = new Session({
  cwd: process.cwd(),
  model: { provider: "offline" },
  permissions: {
    allowedTools: ["Bash(node --version)"],
    disallowedTools: ["Bash(git push:*)"],
    // Here a program of yours could ask in a chat, an editor, or by its own rules. One question comes at a time.
    permissionHandler: {
      async ask(request) {
        if (request.type !== "permission")
          return { type: "unavailable", reason: "Only permissions are decided here." };
        console.log(`? ${request.tool}: ${request.title} (${request.reason})`);
        return request.title.includes("npm run")
          ? { type: "allow", span: "once" }
          : { type: "deny", span: "once", message: "Not today." };
      },
    },
  },
});

for (const command of ["node --version", "npm run", "npm publish", "git push"]) {
  const { summary } = await session.prompt(`run "${command}"`);
  console.log(`${summary.text.split("\n").filter(Boolean).slice(0, 2).join(" ")}\n`);
}
