import { safeLine } from "./safe-text.ts";

/** How a user who is elsewhere learns that they are asked. */
export type NotificationWay = "bell" | "desktop" | "off";

type Env = Readonly<Record<string, string | undefined>>;

const ESC = "\u001b";
const BELL = "\u0007";

/** Returns what to write to the terminal. Only a terminal that is known to show notifications gets one. */
export function notificationText(way: NotificationWay, message: string, env: Env): string {
  switch (way) {
    case "off":
      return "";
    case "bell":
      return BELL;
    case "desktop": {
      const text = safeLine(message);
      const sequence = sequenceOf(env);
      if (sequence === null) return BELL;
      const sent = sequence === 9 ? `9;${text}` : `777;notify;Troupe;${text.replaceAll(";", ",")}`;
      return `${BELL}${ESC}]${sent}${ESC}\\`;
    }
    default:
      return way satisfies never;
  }
}

const KNOW_9: ReadonlySet<string> = new Set(["iTerm.app", "WezTerm", "ghostty"]);

/** Null if it is not known. tmux and screen hide which terminal is behind them. */
function sequenceOf({
  TMUX: tmux,
  STY: screen,
  TERM: term = "",
  TERM_PROGRAM: program = "",
}: Env): 9 | 777 | null {
  if (tmux || screen || /^(?:tmux|screen)/.test(term)) return null;
  if (KNOW_9.has(program) || term === "xterm-kitty" || term === "xterm-ghostty") return 9;
  return /^(?:foot|rxvt-unicode)/.test(term) ? 777 : null;
}
