import type { CommitResult } from '@carillon/contracts';
import type { DurableStore } from '@carillon/history-store';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { LivingChannel } from './living.js';
import { openMemory, type Opened } from './stores.js';

const TYPES = ['x:unique.v1', 'x:multiple.v1', 'x:flag.v1'] as const;

/** Limits so narrow that acceptance depends on the order. */
const AI = {
  max_accumulated_message_bytes: 12,
  max_appends_per_message: 5,
  max_open_streaming_messages: 1,
} as const;
const extrasOf = (status: string) => ({ ai: { transport: { status } } });

const step = fc.record({
  kind: fc.constantFrom('append', 'update', 'delete', 'annotate', 'unannotate' as const),
  message: fc.nat(1),
  text: fc.constantFrom('', 'a', 'ü', '"\\'),
  client: fc.constantFrom('u1', 'u2'),
  type: fc.constantFrom(...TYPES),
  /** Stream status set by a change; null: none. */
  status: fc.constantFrom('streaming', 'complete', null, null),
});
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

/** A channel with two messages, each with a deletable annotation; the second is an AI stream. */
class Scene {
  readonly #serials: string[] = [];
  readonly #annotations: string[] = [];

  constructor(private readonly channel: LivingChannel) {}

  /** The same channel as another process writes to it. */
  through(store: DurableStore): Scene {
    const channel = new LivingChannel(store, this.channel.name);
    channel.policy = this.channel.policy;
    const scene = new Scene(channel);
    scene.#serials.push(...this.#serials);
    scene.#annotations.push(...this.#annotations);
    return scene;
  }

  async begin(): Promise<void> {
    this.channel.policy = { ...this.channel.policy, ai: AI };
    for (const [text, extras] of [['x'], ['y', extrasOf('streaming')]] as const) {
      const serial = await this.channel.made(text, extras === undefined ? {} : { extras });
      this.#serials.push(serial);
      const annotate = this.channel.annotate(serial, TYPES[0], { name: 'first', client_id: 'u1' });
      this.#annotations.push((await this.channel.one(annotate)).annotation_serial ?? '');
    }
  }

  /** Writes the steps of one batch. */
  write(steps: readonly Step[]): Promise<readonly CommitResult[]> {
    return this.channel.write(...steps.map((one) => this.#recordOf(one)));
  }

  #recordOf({ kind, message, text, client, type, status }: Step) {
    const { channel } = this;
    const serial = this.#serials[message] ?? '';
    const said = status === null ? {} : { extras: JSON.stringify(extrasOf(status)) };
    if (kind === 'append') return channel.append(serial, text, said);
    if (kind === 'update') return channel.update(serial, { data: JSON.stringify(text), ...said });
    if (kind === 'delete') return channel.remove(serial, { clear_fields: ['data'] });
    if (kind === 'unannotate') return channel.unannotate(serial, this.#annotations[message] ?? '');
    return channel.annotate(serial, type, { name: text || 'n', client_id: client });
  }

  /** Returns everything readable except serials and times. */
  async state(): Promise<unknown> {
    const { channel } = this;
    const { nextDeliverySerial, nextHistorySerial, nextAnnotationNo, retainedMessages, openStreams } =
      await channel.stream();
    const messages = await Promise.all(
      this.#serials.map(async (serial) => {
        const message = await channel.message(serial);
        const versions = await channel.versions(serial);
        return {
          action: message?.action,
          data: message?.data,
          dataBytes: message?.dataBytes,
          appends: message?.appends,
          extras: message?.extras,
          isOpen: message?.isOpen,
          versions: versions.map(({ action, deliverySerial }) => [action, deliverySerial]),
          summaries: await this.#summariesOf(serial),
        };
      }),
    );
    return {
      nextDeliverySerial,
      nextHistorySerial,
      nextAnnotationNo,
      retainedMessages,
      openStreams,
      messages,
    };
  }

  async #summariesOf(serial: string): Promise<unknown> {
    const { channel } = this;
    const query = { nowMs: channel.nowMs, belowNo: null, limit: 100 };
    const all = await channel.store.summaries({ ...(await channel.stream()), ...query });
    const mine = all.filter(({ messageSerial }) => messageSerial === serial);
    return Object.fromEntries(mine.map(({ type, summary }) => [type, JSON.parse(summary)]));
  }
}

interface Accepted {
  readonly step: Step;
  readonly result: CommitResult;
}

/** In the order they were committed in; annotations have an order of their own. */
function ordered(accepted: readonly Accepted[]): Step[] {
  const changes = accepted.filter(({ step: { kind } }) => !kind.endsWith('annotate'));
  const annotations = accepted.filter(({ step: { kind } }) => kind.endsWith('annotate'));
  changes.sort((one, other) => (one.result.delivery_serial ?? 0) - (other.result.delivery_serial ?? 0));
  const numberOf = ({ result }: Accepted) => Number(result.annotation_serial?.slice(-20));
  annotations.sort((one, other) => numberOf(one) - numberOf(other));
  return [...changes, ...annotations].map(({ step: one }) => one);
}

/**
 * Checks that concurrent commits of several writers equal their sequential execution in commit order; writers
 * alternate between this process and another, if the store has one.
 */
export async function provesOneOrder(
  { store, beside }: Pick<Opened, 'beside' | 'store'>,
  numRuns: number,
): Promise<void> {
  let run = 0;
  const batch = fc.array(step, { minLength: 1, maxLength: 6 });
  const writers = fc.array(fc.array(batch, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(writers, async (all) => {
      run += 1;
      const together = new Scene(new LivingChannel(store, `orders-${run}`));
      await together.begin();
      const written = await Promise.all(
        all.map(async (batches, index) => {
          const scene = index % 2 === 1 && beside !== null ? together.through(beside) : together;
          const accepted: Accepted[] = [];
          for (const steps of batches) accepted.push(...(await acceptedOf(scene, steps)));
          return accepted;
        }),
      );
      const alone = await openMemory();
      const inTurn = new Scene(new LivingChannel(alone.store, 'orders'));
      await inTurn.begin();
      for (const one of ordered(written.flat()))
        expect(await inTurn.write([one])).toMatchObject([{ status: 'applied' }]);
      expect(await together.state()).toEqual(await inTurn.state());
    }),
    { numRuns },
  );
}

/** Returns the accepted steps of a batch. */
async function acceptedOf(scene: Scene, steps: readonly Step[]): Promise<Accepted[]> {
  const results = await scene.write(steps);
  return results.flatMap((result, index) => {
    const one = steps[index];
    return one === undefined || result.status !== 'applied' ? [] : [{ step: one, result }];
  });
}
