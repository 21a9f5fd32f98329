import { Emitter } from '../emitter.js';

/** Someone in a presence channel. */
export interface Member<Info = unknown> {
  readonly id: string;
  readonly info: Info;
}

/** What a presence channel tells of its members. */
export interface PresenceEvents<Info> {
  readonly enter: Member<Info>;
  readonly leave: Member<Info>;
  readonly update: Member<Info>;
  /** Whenever the set has changed in any way: all members, in order of their first coming. */
  readonly change: readonly Member<Info>[];
}

/** The members of a snapshot as the service sends it. */
interface Snapshot<Info> {
  readonly ids: readonly string[];
  readonly hash: Readonly<Record<string, Info>>;
}

/** Who is in a channel. After a lost connection, who came and went meanwhile is told like everybody else. */
export class Presence<Info = unknown> extends Emitter<PresenceEvents<Info>> {
  #members = new Map<string, Member<Info>>();
  /** What this client said of itself last; null: nothing. */
  #own: { readonly info: Info } | null = null;
  #list: readonly Member<Info>[] = [];

  constructor(private readonly parts: { readonly update: (info: Info) => void }) {
    super();
  }

  /** The same list until somebody comes, goes or changes. */
  get members(): readonly Member<Info>[] {
    return this.#list;
  }

  get(id: string): Member<Info> | undefined {
    return this.#members.get(id);
  }

  /**
   * Says something else of oneself to everybody, as soon as the channel is subscribed and again on every connection; throws
   * where it is not wanted.
   */
  update(info: Info): void {
    this.parts.update(info);
    this.#own = { info };
  }

  /** The service knows of this client what the app's own server said when it was let in. */
  entered(): void {
    if (this.#own !== null) this.parts.update(this.#own.info);
  }

  /** It is there no more, and forgets what it said. */
  left(): void {
    this.#own = null;
    this.reset({ ids: [], hash: {} });
  }

  /** Everybody, as told with the subscription. */
  reset({ ids, hash }: Snapshot<Info>): void {
    const before = this.#members;
    this.#members = new Map(ids.map((id) => [id, { id, info: hash[id] as Info }]));
    this.#changed();
    for (const [id, member] of before) if (!this.#members.has(id)) this.emit('leave', member);
    for (const [id, member] of this.#members) {
      const known = before.get(id);
      if (known === undefined) this.emit('enter', member);
      else if (JSON.stringify(known.info) !== JSON.stringify(member.info)) this.emit('update', member);
    }
  }

  put(id: string, info: Info): void {
    const event = this.#members.has(id) ? 'update' : 'enter';
    const member = { id, info };
    this.#members.set(id, member);
    this.#changed();
    this.emit(event, member);
  }

  remove(id: string): void {
    const member = this.#members.get(id);
    if (member === undefined) return;
    this.#members.delete(id);
    this.#changed();
    this.emit('leave', member);
  }

  #changed(): void {
    this.#list = [...this.#members.values()];
    this.emit('change', this.#list);
  }
}
