import { LocalReads } from '@carillon/history-writer';
import type { FanOutRecordBody } from '@carillon/contracts';
import { StoredOrigin, Streams } from '@carillon/realtime';
import type { Action } from '../../plan/plan.js';
import { APPS } from '../../run/env.js';
import { LanesWorld } from '../lanes/world.js';

interface Place {
  readonly streamId: string;
  readonly serial: number;
}

interface Follower {
  readonly streams: Streams;
  /** Last delivered of each channel. */
  readonly last: Map<string, Place>;
  readonly givenUp: Set<string>;
  /** Channels whose position is known: what was on its way when they were subscribed to has come or does not count. */
  readonly inStep: Set<string>;
}

const nothing = (): void => undefined;

/** Gateways that follow channels of the real writers, with records that get lost, late, doubled or out of order. */
export class GatewayWorld extends LanesWorld {
  readonly #followers = new Map<number, Follower>();

  override started(node: number): void {
    super.started(node);
    const last = new Map<string, Place>();
    const givenUp = new Set<string>();
    const streams = new Streams({
      origin: new StoredOrigin(new LocalReads(this.reach(), () => Date.now())),
      deliver: (record) => this.#deliver(node, record),
      regressed: nothing,
      checked: nothing,
      fetched: nothing,
      givenUp: ({ appId, channel }) => givenUp.add(`${appId}/${channel}`),
      onTrouble: nothing,
    });
    this.#followers.set(node, { streams, last, givenUp, inStep: new Set() });
    for (const app of APPS)
      for (let channel = 0; channel < this.plan.channels; channel += 1) streams.follow(app, `c${channel}`);
  }

  override killed(node: number): void {
    super.killed(node);
    this.#followers.delete(node);
  }

  override act(action: Action): void {
    if (action.name !== 'resubscribe') return super.act(action);
    const [at = 0, app = 0, channel = 0] = action.args;
    const node = at % this.plan.nodes;
    this.env.simulation.deliver(node, 0, action.name, () => {
      const follower = this.#followers.get(node);
      const appId = APPS[app % APPS.length] ?? APPS[0];
      const name = `c${channel % this.plan.channels}`;
      follower?.streams.leave(appId, name);
      follower?.last.delete(`${appId}/${name}`);
      follower?.givenUp.delete(`${appId}/${name}`);
      follower?.inStep.delete(`${appId}/${name}`);
      follower?.streams.follow(appId, name);
    });
  }

  override finish(): void {
    void super.finish();
    for (const [node, { last }] of this.#followers)
      for (const stream of this.#current().values()) {
        const head = stream.records.at(-1);
        const place = last.get(stream.channel);
        const isThere =
          place === undefined || (place.streamId === stream.streamId && place.serial === head?.serial);
        if (!isThere && head !== undefined)
          this.report(
            'gap-closed',
            'G2',
            `${stream.channel} at ${head.serial} of ${stream.streamId} on node ${node}`,
            `${place.serial} of ${place.streamId}`,
          );
      }
  }

  protected override arrived(node: number, record: FanOutRecordBody): void {
    this.#followers.get(node)?.streams.take(record);
  }

  #current(): Map<
    string,
    {
      readonly channel: string;
      readonly streamId: string;
      readonly records: readonly { readonly serial: number }[];
    }
  > {
    return new Map([...this.store.shadows.values()].map((stream) => [stream.channel, stream]));
  }

  #deliver(
    node: number,
    { stream_id: streamId, serial, app_id: app, channel: name, message_id: messageId }: FanOutRecordBody,
  ): void {
    const follower = this.#followers.get(node);
    if (follower === undefined || typeof streamId !== 'string' || typeof serial !== 'number') return;
    const channel = `${app}/${name}`;
    const committed = this.store.shadows.get(streamId)?.records.find((one) => one.serial === serial);
    if (committed === undefined || (typeof messageId === 'string' && committed.messageId !== messageId))
      this.report(
        'delivered-committed',
        'G2',
        `${channel} ${serial} as committed`,
        `${messageId} instead of ${committed?.messageId}`,
      );
    const before = follower.last.get(channel);
    follower.last.set(channel, { streamId, serial });
    const mayJump = follower.givenUp.delete(channel);
    if (!follower.inStep.has(channel)) {
      if (follower.streams.known(app, name)?.serial === serial) follower.inStep.add(channel);
      if (before?.streamId === streamId && serial <= before.serial)
        this.report(
          'delivered-contiguous',
          'G2',
          `${channel} after ${before.serial} at node ${node}`,
          `${serial}`,
        );
      return;
    }
    if (before === undefined) return;
    const generation = (id: string): number => this.store.shadows.get(id)?.generation ?? 0;
    if (before.streamId === streamId) {
      const isNext = serial === before.serial + 1 || (mayJump && serial > before.serial);
      const isPurged = serial > before.serial && this.#arePurged(streamId, before.serial + 1, serial - 1);
      if (!isNext && !isPurged)
        this.report(
          'delivered-contiguous',
          'G2',
          `${channel} ${before.serial + 1} at node ${node}`,
          `${serial}`,
        );
    } else if (generation(streamId) < generation(before.streamId))
      this.report(
        'no-old-stream',
        'G2',
        `${channel} of generation ${generation(before.streamId)} or later`,
        `generation ${generation(streamId)}`,
      );
    else if (serial !== 1 && !mayJump && !this.#arePurged(streamId, 1, serial - 1))
      this.report(
        'delivered-contiguous',
        'G2',
        `${channel} from 1 after a reset at node ${node}`,
        `${serial}`,
      );
  }

  /** Purged records are not delivered any more. */
  #arePurged(streamId: string, from: number, to: number): boolean {
    const purged = this.store.shadows.get(streamId)?.purgedBelow ?? 0;
    return to < purged && from <= to;
  }
}
