import {
  recoveryFailure,
  type Message,
  type Recovered,
  type RecoveryFailure,
  type ResumePosition,
} from '@carillon/protocol';
import { PendingFrames } from '../channels/pending-frames.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { AppendWays } from '../appends/append-throttle.js';
import { pastWholes } from '../appends/past-wholes.js';
import type { Codec, Frames } from '../codec.js';
import type { AppHub } from '../apps/app-hub.js';
import { inTurn, type Work } from '../subscriber/in-turn.js';
import type { Subscriber } from '../subscriber/subscriber.js';
import { Awaited, type Outcome, outcomesOf } from './awaited.js';
import { Parking } from './parking.js';
import type { Replay, Replays } from './replays.js';
import type { ReplaySlots } from './replay-slots.js';
import { tellPast, type TellingParts } from './telling.js';

export interface ResumesParts extends TellingParts {
  readonly replays: Replays;
  readonly slots: ReplaySlots;
  /** Returns the stored text of a message; null if there is none. */
  readonly textOf: AppendWays['text'];
  /** Whether a channel of this name can have a position. */
  readonly canBePlaced: (hub: AppHub, channel: string) => boolean;
  readonly recovered: (hub: AppHub, source: Recovered['source']) => void;
  readonly failed: (hub: AppHub, failure: RecoveryFailure) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Position from which a subscription resumes. */
export interface Recovery {
  readonly position: ResumePosition;
  /** Why the position cannot be used; null: it can. */
  readonly unusable: RecoveryFailure['reason'] | null;
}

/** A channel of a resume, held until all channels of the resume are answered. */
interface Held {
  readonly channel: LocalChannel;
  readonly position: ResumePosition;
  readonly gate: PendingFrames;
  readonly codec: Codec;
}

/** Replays of one request held in memory: one is sent while the next ones are read. */
const IN_MEMORY = 3;

/**
 * Resumes connections from their positions. The messages missed of a channel are replayed completely or not at all,
 * before any live event, and the client is notified which. Positions of channels that are not subscribed yet wait for
 * their subscriptions.
 */
export class Resumes {
  readonly #parking: Parking;

  constructor(private readonly parts: ResumesParts) {
    this.#parking = new Parking((subscriber, parked) => {
      for (const [channel, position] of parked) this.#fail(subscriber, channel, position, 'not_subscribed');
    });
  }

  /** Resolves when all channels are answered; never rejects. */
  async resume(subscriber: Subscriber, positions: ReadonlyMap<string, ResumePosition>): Promise<void> {
    const outcomes: Outcome[] = [];
    const held: Held[] = [];
    let answered = NOTHING;
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const behind: Awaited[] = [];
    for (const [name, position] of positions) {
      const one = this.#begin(subscriber, name, position, isAnswered);
      if (one instanceof Awaited) behind.push(one);
      else if (one !== null && 'gate' in one) held.push(one);
      else if (one !== null) outcomes.push({ kind: 'failed', failure: one });
    }
    try {
      for await (const { one, replay } of this.#replaysOf(held))
        outcomes.push(await this.#tell(subscriber, one, replay));
      if (behind.length > 0) outcomes.push(...(await outcomesOf(behind)));
      if (subscriber.isOpen) this.#conclude(subscriber, outcomes);
    } catch (error) {
      this.parts.onTrouble('resume', error);
    } finally {
      for (const { channel, gate } of held) await channel.release(gate);
      answered();
    }
  }

  /**
   * Part of a subscribe: recovers a position that waited for it, while the gate holds live events. The subscriber is
   * already counted in the channel. Returns the ids of the sent messages.
   */
  async subscribed(
    subscriber: Subscriber,
    channel: LocalChannel,
    gate: PendingFrames,
    codec: Codec,
  ): Promise<ReadonlySet<string>> {
    const parked = this.#parking.take(subscriber, channel.name);
    if (parked === null || !subscriber.isOpen) return NOTHING_TOLD;
    const { position, awaited } = parked;
    const { replay, outcome } = await this.parts.slots.run(subscriber, async () => {
      const found = await this.parts.replays.since(channel, position);
      return {
        replay: found,
        outcome: await this.#tell(subscriber, { channel, position, gate, codec }, found),
      };
    });
    if (awaited?.settle(outcome) === true) await awaited.isAnswered;
    else this.#conclude(subscriber, [outcome]);
    if (replay.kind === 'failed') return NOTHING_TOLD;
    return new Set(replay.missed.flatMap(({ frames }) => (frames === null ? [] : [idOf(frames)])));
  }

  /**
   * Recovers the subscription behind the gate and reports the result. Returns whether the subscriber received
   * everything from the position on.
   */
  async recover(
    subscriber: Subscriber,
    channel: LocalChannel,
    gate: PendingFrames,
    codec: Codec,
    { position, unusable }: Recovery,
  ): Promise<boolean> {
    if (!subscriber.isOpen) return false;
    if (unusable !== null) {
      const head = await this.parts.replays.standing(channel);
      const failure = recoveryFailure(
        channel.name,
        unusable,
        position,
        head === null ? null : { ...head, oldestSerial: null },
      );
      this.#failed(subscriber, failure);
      return false;
    }
    const outcome = await this.parts.slots.run(subscriber, async () => {
      const replay = await this.parts.replays.since(channel, position);
      return this.#tell(subscriber, { channel, position, gate, codec }, replay);
    });
    if (outcome.kind === 'failed') return false;
    this.#conclude(subscriber, [outcome]);
    return true;
  }

  /** Recovers a position that waited for another request about its channel. */
  #afterwards(subscriber: Subscriber, name: string): Promise<void> | undefined {
    const subscription = subscriber.subscriptions.get(name);
    if (subscription === undefined) return undefined;
    const { channel, audience } = subscription;
    const gate = new PendingFrames(subscriber, this.parts.outlet, audience.codec);
    channel.hold(gate);
    return this.#behindGate(subscriber, channel, gate, audience.codec);
  }

  async #behindGate(
    subscriber: Subscriber,
    channel: LocalChannel,
    gate: PendingFrames,
    codec: Codec,
  ): Promise<void> {
    try {
      await this.subscribed(subscriber, channel, gate, codec);
    } finally {
      await channel.release(gate);
    }
  }

  /**
   * Another request about the channel is running: it may be the preceding subscribe, which recovers the position at
   * its end; otherwise it is recovered afterwards.
   */
  #behind(subscriber: Subscriber, name: string, awaited: Awaited): void {
    const over = (): void => void awaited.settle(null);
    const work: Work = () => {
      const taken = this.#afterwards(subscriber, name);
      if (taken === undefined) over();
      return taken?.finally(over);
    };
    if (!inTurn(subscriber, name, work, this.parts.onTrouble, over)) over();
  }

  /** Null: the position waits for its subscription. */
  #begin(
    subscriber: Subscriber,
    name: string,
    position: ResumePosition,
    isAnswered: Promise<void>,
  ): Held | Awaited | RecoveryFailure | null {
    const { outlet, canBePlaced, onTrouble } = this.parts;
    if (!canBePlaced(subscriber.hub, name))
      return this.#fail(subscriber, name, position, 'durable_stream_head_unavailable');
    const subscription = subscriber.subscriptions.get(name);
    const isBusy = subscriber.openings?.has(name) === true;
    if (subscription === undefined || isBusy) {
      const awaited = isBusy ? new Awaited(isAnswered) : null;
      if (!this.#parking.park(subscriber, name, position, awaited))
        return this.#fail(subscriber, name, position, 'not_subscribed');
      if (awaited !== null) this.#behind(subscriber, name, awaited);
      return awaited;
    }
    const { channel, audience } = subscription;
    const { codec } = audience;
    // Until it is answered, all other requests about the subscription wait.
    if (!inTurn(subscriber, name, () => isAnswered, onTrouble))
      return this.#fail(subscriber, name, position, 'failed_to_deliver_recovery_payload');
    const gate = new PendingFrames(subscriber, outlet, codec);
    channel.hold(gate);
    return { channel, position, gate, codec };
  }

  /** Yields the replays of these channels in order. Only a few are read ahead. */
  async *#replaysOf(held: readonly Held[]): AsyncGenerator<{ readonly one: Held; readonly replay: Replay }> {
    const { replays, share } = this.parts;
    const ahead: Promise<Replay>[] = [];
    let next = 0;
    for (const one of held) {
      for (; next < held.length && ahead.length < IN_MEMORY; next += 1) {
        const { channel, position } = held[next] ?? one;
        ahead.push(replays.since(channel, position));
      }
      await share.turn(one.channel.hub.appId);
      const replay = await ahead.shift();
      if (replay !== undefined) yield { one, replay };
    }
  }

  async #tell(
    subscriber: Subscriber,
    { channel, position, gate, codec }: Held,
    replay: Replay,
  ): Promise<Outcome> {
    const { outlet, recovered, failed, textOf, onTrouble } = this.parts;
    const { hub } = subscriber;
    if (replay.kind === 'failed') {
      outlet.send(subscriber, { kind: 'resume_failed', failure: replay.failure });
      failed(hub, replay.failure);
      return replay;
    }
    const { missed, source, streamId, serial } = replay;
    const { lastMessageId } = position;
    const shown = missed.flatMap(({ frames }) =>
      frames === null || idOf(frames) === lastMessageId ? [] : [frames],
    );
    let past: readonly Frames[] = shown;
    if (codec.appends?.wholes === true) {
      try {
        past = await pastWholes(shown, async (message, at) => {
          const text = await textOf(hub.appId, channel.name, message, at - 1);
          return text?.inner ?? null;
        });
      } catch (error) {
        onTrouble('the text of a message', error);
        const failure = this.#fail(subscriber, channel.name, position, 'failed_to_deliver_recovery_payload');
        return { kind: 'failed', failure };
      }
    }
    const replayed = await tellPast(this.parts, subscriber, codec, past);
    gate.covered({ streamId, serial });
    recovered(hub, source);
    const last = missed.at(-1)?.frames?.fact as Message | undefined;
    return {
      kind: 'recovered',
      recovered: {
        channel: channel.name,
        source,
        replayed,
        position: {
          streamId,
          serial,
          lastMessageId: missed.length === 0 ? lastMessageId : (last?.messageId ?? null),
        },
      },
    };
  }

  #conclude(subscriber: Subscriber, outcomes: readonly Outcome[]): void {
    this.parts.outlet.send(subscriber, {
      kind: 'resumed',
      recovered: outcomes.flatMap((one) => (one.kind === 'recovered' ? [one.recovered] : [])),
      failed: outcomes.flatMap((one) => (one.kind === 'failed' ? [one.failure] : [])),
    });
  }

  #fail(
    subscriber: Subscriber,
    channel: string,
    position: ResumePosition,
    reason: RecoveryFailure['reason'],
  ): RecoveryFailure {
    const failure = recoveryFailure(channel, reason, position, null);
    this.#failed(subscriber, failure);
    return failure;
  }

  #failed(subscriber: Subscriber, failure: RecoveryFailure): void {
    this.parts.outlet.send(subscriber, { kind: 'resume_failed', failure });
    this.parts.failed(subscriber.hub, failure);
  }
}

const NOTHING = (): void => undefined;
const NOTHING_TOLD: ReadonlySet<string> = new Set();

const idOf = ({ fact }: Frames): string => (fact as Message).messageId;
