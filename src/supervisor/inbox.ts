import type { ActorId } from "../mailbox/ids.ts";
import type { Steer, Turn } from "../mailbox/messages.ts";
import { type DurableNotice, type Notice, noticeText, withNotice } from "./notices.ts";

/** A message to an actor, by the name of its record in the journal. */
export interface QueuedMessage {
  readonly id: string;
  /** Null: the user, or the runtime. */
  readonly from: ActorId | null;
  readonly text: string;
  /** It was sent to an actor that works already: no run depends on it. */
  readonly isSteering?: true;
}

/** What an actor had not read when it ended. */
export interface Undelivered {
  readonly notices: readonly DurableNotice[];
  readonly messages: readonly QueuedMessage[];
}

/**
 * The undelivered input of an actor. Handing it to a loop is not enough: it stays here until a recorded turn has heard
 * it (D1), so a loop that dies in between loses nothing.
 */
export class Inbox {
  #steering: Steer[] = [];
  #notices: Notice[] = [];
  #inFlight: Steer[];
  readonly #durable = new Map<string, DurableNotice>();
  readonly #messages = new Map<string, QueuedMessage>();
  #waiting: (() => void)[] = [];
  #arrivals = 0;

  constructor(inFlight: readonly Steer[] = []) {
    this.#inFlight = [...inFlight];
  }

  /** `message`: if it has a record of its own. */
  pushMessage(text: string, message?: QueuedMessage): void {
    if (message) this.#messages.set(message.id, message);
    this.#steering.push(message ? { text, of: [message.id] } : { text });
    this.#wake();
  }

  /** A durable notice is taken once, however often it is delivered. */
  pushNotice(notice: Notice): void {
    const { durable } = notice;
    if (durable) {
      if (this.#durable.has(durable.id)) return;
      this.#durable.set(durable.id, durable);
    }
    this.#notices = withNotice(this.#notices, notice);
    if (this.hasInput) this.#wake();
  }

  /** The actor knows it already. */
  withdraw(id: string): void {
    this.#notices = this.#notices.filter(({ ids = [] }) => !ids.includes(id));
  }

  /** This was with the loop that died with the program, in a turn that continues. */
  restoreInFlight(steering: readonly Steer[]): void {
    const ids = new Set(steering.flatMap(({ of = [] }) => of));
    this.#steering = this.#steering.filter(({ of = [] }) => !of.some((id) => ids.has(id)));
    this.#notices = this.#notices.filter((notice) => !(notice.ids ?? []).some((id) => ids.has(id)));
    this.#inFlight.push(...steering);
  }

  /** It has something that is worth a turn. */
  get hasInput(): boolean {
    return this.#steering.length > 0 || this.#worthATurn.length > 0;
  }

  /** How often something worth a turn has come. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** It has messages of the user or of another agent, not only notices. */
  get hasMessages(): boolean {
    return this.#steering.length > 0;
  }

  /** What its input is about, for people. */
  get subjects(): string[] {
    const messages = this.hasMessages ? ["a message"] : [];
    return [...messages, ...this.#worthATurn.map(({ title }) => title)];
  }

  get #worthATurn(): readonly Notice[] {
    return this.#notices.filter(({ isQuiet }) => !isQuiet);
  }

  /** Notices that are messages of their own, such as skills that were loaded. */
  get loaded(): Steer[] {
    return this.#notices.flatMap(({ alone, ...notice }): Steer[] => {
      if (alone === undefined) return [];
      const steer = steerOf([notice], notice.text);
      return [alone === "system" ? { ...steer, system: true } : steer];
    });
  }

  /** Resolves when there is input that no loop was given. */
  waitForInput(): Promise<void> {
    if (this.hasInput) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Takes what came since the last time; all notices, with these `more`, are one text. */
  drain(more: readonly Notice[] = []): Steer[] {
    const { loaded } = this;
    const notices = this.#notices.splice(0).filter(({ alone }) => alone === undefined);
    const steering = [...this.#steering.splice(0), ...loaded, ...joined([...notices, ...more])];
    this.#inFlight.push(...steering);
    return steering;
  }

  /** Given to a loop and in no turn yet: the next loop hears it first. */
  get inFlight(): readonly Steer[] {
    return this.#inFlight;
  }

  /** The turn is recorded: what it heard was delivered. */
  acknowledge(turn: Turn): void {
    for (const id of turn.heard.flatMap(({ of = [] }) => of)) {
      this.#durable.delete(id);
      this.#messages.delete(id);
    }
    this.#inFlight = [];
  }

  /** Withdraws the user's messages that no loop was given; oldest first. */
  unsend(): QueuedMessage[] {
    const unread = new Set(this.#steering.flatMap(({ of = [] }) => of));
    const mine = [...this.#messages.values()].filter(
      ({ id, from, isSteering }) => from === null && isSteering && unread.has(id),
    );
    const ids = new Set(mine.map(({ id }) => id));
    for (const id of ids) this.#messages.delete(id);
    this.#steering = this.#steering.filter(({ of = [] }) => !of.some((id) => ids.has(id)));
    return mine;
  }

  /** Takes whatever is left, for another actor. */
  takeUndelivered(): Undelivered {
    const undelivered = { notices: [...this.#durable.values()], messages: [...this.#messages.values()] };
    this.#durable.clear();
    this.#messages.clear();
    this.#steering = [];
    this.#notices = [];
    this.#inFlight = [];
    return undelivered;
  }

  #wake(): void {
    this.#arrivals += 1;
    for (const call of this.#waiting.splice(0)) call();
  }
}

function joined(notices: readonly Notice[]): Steer[] {
  return notices.length === 0 ? [] : [steerOf(notices, noticeText(notices))];
}

function steerOf(notices: readonly Notice[], text: string): Steer {
  const all = <T>(of: (notice: Notice) => readonly T[] | undefined) =>
    notices.flatMap((one) => of(one) ?? []);
  const [ids, reads] = [all(({ ids }) => ids), all(({ reads }) => reads)];
  const [images, tools] = [all(({ images }) => images), all(({ tools }) => tools)];
  return {
    ...{ text, notice: true },
    ...(ids.length === 0 ? {} : { of: ids }),
    ...(reads.length === 0 ? {} : { reads }),
    ...(images.length === 0 ? {} : { pictures: images }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}
