import { Emitter } from '../emitter.js';

/** Someone in a presence channel. */
export interface Member<Info = unknown> {
  readonly id: string;
  readonly info: Info;
}

/** Events about the members of a presence channel. */
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

/**
 * The members of a channel. After a lost connection, members that joined or left in the meantime are reported as
 * usual.
 */
export class Presence<Info = unknown> extends Emitter<PresenceEvents<Info>> {
  #members = new Map<string, Member<Info>>();
  /** The last data this client published about itself; null if none. */
  #own: { readonly info: Info } | null = null;
  #list: readonly Member<Info>[] = [];

  constructor(private readonly parts: { readonly update: (info: Info) => void }) {
    super();
  }

  /** Returns the same array until a member joins, leaves or changes. */
  get members(): readonly Member<Info>[] {
    return this.#list;
  }

  get(id: string): Member<Info> | undefined {
    return this.#members.get(id);
  }

  /**
   * Updates this client's member data, as soon as the channel is subscribed and again on every connection. Throws if
   * the channel is not wanted.
   */
  update(info: Info): void {
    this.parts.update(info);
    this.#own = { info };
  }

  /** The service knows this client by the data that the app's own server signed; resends later updates. */
  entered(): void {
    if (this.#own !== null) this.parts.update(this.#own.info);
  }

  /** This client left; forgets its data. */
  left(): void {
    this.#own = null;
    this.reset({ ids: [], hash: {} });
  }

  /** Replaces the members with those of the subscription's snapshot. */
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
