import { expect, test } from "vitest";
import { type NotificationWay, notificationText } from "../../src/terminal/notification.ts";

const BELL = "\u0007";
const as9 = `${BELL}\u001b]9;a; b\u001b\\`;

test.each<[NotificationWay, Record<string, string>, string]>([
  ["off", { TERM_PROGRAM: "iTerm.app" }, ""],
  ["bell", { TERM_PROGRAM: "iTerm.app" }, BELL],
  ["desktop", { TERM_PROGRAM: "iTerm.app" }, as9],
  ["desktop", { TERM: "xterm-kitty" }, as9],
  ["desktop", { TERM: "foot" }, `${BELL}\u001b]777;notify;Troupe;a, b\u001b\\`],
  ["desktop", { TERM: "xterm-256color" }, BELL],
  ["desktop", { TERM_PROGRAM: "WezTerm", TMUX: "/tmp/s" }, BELL],
  ["desktop", { TERM: "screen.xterm-kitty", TERM_PROGRAM: "iTerm.app" }, BELL],
])("%s with %j notifies by %j (issue 21, 6)", (way, env, expected) => {
  expect(notificationText(way, "a;\n \u001b]0;x\u0007b", env)).toBe(expected);
});
