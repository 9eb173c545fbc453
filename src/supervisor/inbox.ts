import type { ActorId } from "../mailbox/ids.ts";
import type { Steer, Turn } from "../mailbox/messages.ts";
import {
  type DurableNotice,
  durableName,
  type Notice,
  namesOf,
  noticeId,
  noticeText,
  withNotice,
} from "./notices.ts";

/** Something said to an actor, by the durable name of its record. */
export interface QueuedMessage {
  readonly id: string;
  /** Null: the person, or the runtime. */
  readonly from: ActorId | null;
  readonly text: string;
}

/** What nobody has heard when an actor ends: it is owed to somebody else. */
export interface Unheard {
  readonly notices: readonly DurableNotice[];
  readonly words: readonly QueuedMessage[];
}

/**
 * What an actor is to hear. Handing it to its thread is not enough: it is owed until a turn that heard it is
 * recorded (D1), so a thread that dies in between loses nothing.
 */
export class Inbox {
  #steering: Steer[] = [];
  #notices: Notice[] = [];
  /** With the thread, and in no turn yet. */
  #handed: Steer[];
  readonly #durable = new Map<string, DurableNotice>();
  readonly #words = new Map<string, QueuedMessage>();
  #onNews: Array<() => void> = [];
  #newsSoFar = 0;
  /** Asked each time it is about to hear something: what it should know besides. */
  lookUp: () => Notice | null = () => null;

  constructor(handed: readonly Steer[] = []) {
    this.#handed = [...handed];
  }

  /** `words` where they have a record of their own. */
  pushMessage(text: string, words?: QueuedMessage): void {
    if (words) this.#words.set(words.id, words);
    this.#steering.push(words ? { text, of: [words.id] } : { text });
    this.#wake();
  }

  /** Once per result, however often it is delivered. */
  pushNotice(notice: Notice): void {
    const name = durableName(notice);
    if (name !== null) {
      if (this.#durable.has(name.id)) return;
      this.#durable.set(name.id, name.notice);
    }
    this.#notices = withNotice(this.#notices, notice);
    if (this.hasNews) this.#wake();
  }

  /** It knows of the end of this task already. */
  forget(task: string): void {
    this.#notices = this.#notices.filter((notice) => notice.type !== "ended" || notice.task !== task);
  }

  /** Of what it is to hear, this was with the thread that died with the program, in a turn that goes on. */
  restoreInFlight(steering: readonly Steer[]): void {
    const ids = new Set(steering.flatMap(({ of = [] }) => of));
    this.#steering = this.#steering.filter(({ of = [] }) => !of.some((id) => ids.has(id)));
    this.#notices = this.#notices.filter((notice) => !ids.has(noticeId(notice) ?? ""));
    this.#handed.push(...steering);
  }

  get hasNews(): boolean {
    return this.#steering.length > 0 || this.#worthATurn.length > 0;
  }

  /** How often there was something new for it. */
  get newsSoFar(): number {
    return this.#newsSoFar;
  }

  /** Words of the person or of another agent, not only the runtime's news. */
  get hasMessages(): boolean {
    return this.#steering.length > 0;
  }

  /** What the news are about, in words for a person. */
  get subjects(): string[] {
    const said = this.hasMessages ? ["a message"] : [];
    return [...said, ...this.#worthATurn.map(({ title }) => title)];
  }

  /** The others are heard with whatever it hears next. */
  get #worthATurn(): readonly Notice[] {
    const quiet: readonly Notice["type"][] = ["server", "overlap", "context", "skill"];
    return this.#notices.filter(({ type }) => !quiet.includes(type));
  }

  /** Skills that it has loaded and not been given yet. */
  get loaded(): Steer[] {
    return this.#notices.flatMap((notice): Steer[] => {
      if (notice.type !== "skill") return [];
      const { id, text, reads, system } = notice;
      const shown = reads.length === 0 ? {} : { reads: [...reads] };
      return [{ text, of: [id], notice: true, ...shown, ...(system ? { system } : {}) }];
    });
  }

  /** Resolves when there is something that it has not been given. */
  waitForInput(): Promise<void> {
    if (this.hasNews) return Promise.resolve();
    return new Promise((resolve) => this.#onNews.push(resolve));
  }

  /** What came since, for its thread: all news are one text. */
  drain(): Steer[] {
    const looked = this.lookUp();
    const loaded = this.loaded;
    const others = this.#notices.splice(0).filter(({ type }) => type !== "skill");
    const told = [...others, ...(looked === null ? [] : [looked])];
    const of = told.flatMap(namesOf);
    const shown = told.filter((notice) => notice.type === "context");
    const reads = shown.flatMap((notice) => notice.reads);
    const pictures = shown.flatMap((notice) => notice.pictures);
    const tools = told.flatMap((notice) => (notice.type === "server" ? notice.tools : []));
    const news =
      told.length === 0
        ? []
        : [
            {
              ...{ text: noticeText(told), notice: true as const },
              ...(of.length === 0 ? {} : { of }),
              ...(reads.length === 0 ? {} : { reads }),
              ...(pictures.length === 0 ? {} : { pictures }),
              ...(tools.length === 0 ? {} : { tools }),
            },
          ];
    const steer = [...this.#steering.splice(0), ...loaded, ...news];
    this.#handed.push(...steer);
    return steer;
  }

  /** Given to a thread and in no turn yet: the next thread hears it first. */
  get inFlight(): readonly Steer[] {
    return this.#handed;
  }

  /** The turn is recorded: what it heard was delivered. */
  acknowledge(turn: Turn): void {
    for (const id of turn.heard.flatMap(({ of = [] }) => of)) {
      this.#durable.delete(id);
      this.#words.delete(id);
    }
    this.#handed = [];
  }

  /** Whatever is left goes elsewhere; nothing is owed any more. */
  takeUndelivered(): Unheard {
    const unheard = { notices: [...this.#durable.values()], words: [...this.#words.values()] };
    this.#durable.clear();
    this.#words.clear();
    this.#steering = [];
    this.#notices = [];
    this.#handed = [];
    return unheard;
  }

  #wake(): void {
    this.#newsSoFar += 1;
    for (const call of this.#onNews.splice(0)) call();
  }
}
