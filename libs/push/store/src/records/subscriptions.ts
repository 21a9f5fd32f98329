import type { Row } from '@carillon/records';
import { byColumns } from '../model/compare.js';
import { countByProvider } from '../model/devices.js';
import type { StoredDevice, StoredSubscription, Subscriber } from '../model/resources.js';
import type { ResourceStore, SubscriptionFilter } from '../port/resources.js';
import { deviceOf } from './device-rows.js';
import { RecordDevices } from './devices.js';
import { chunks, groupBy } from './group-by.js';
import { behind, keyOf, partsOf } from './keys.js';
import { CHANNEL_BUCKETS, DEVICES, deviceKey, INDEX, LIST_BUCKETS, subscriptionKey } from './layout.js';
import type { Pointer } from './pointers.js';
import { mergedPages } from './rows.js';

const PAGE = 1000;
/** Channels that a list of all subscriptions reads at a time. */
const CHANNELS_AT_ONCE = 16;

/** A subscription as it was found, with the device it belongs to. */
interface Found {
  readonly row: Row;
  readonly subscription: StoredSubscription;
  readonly device: StoredDevice | null;
}

/** Subscriptions, in the partition of their device, and the channels they belong to. */
export class RecordResources extends RecordDevices implements ResourceStore {
  async putSubscription(row: StoredSubscription): Promise<void> {
    const { appId, channel, deviceId } = row;
    const { partitions, pointers } = this.parts;
    const listed = [channelPointer(row), { partition: INDEX.channels(appId, channel), sort: keyOf(channel) }];
    await pointers.put(listed);
    const { partition, sort } = subscriptionKey(appId, deviceId, channel);
    await partitions.step(partition, async (draft) => {
      await draft.readOne(sort);
      draft.put(sort, JSON.stringify(row));
    });
    await pointers.confirm(listed);
  }

  async removeSubscriptions(appId: string, { channel, deviceId }: SubscriptionFilter): Promise<number> {
    let removed = 0;
    let after: readonly [string, string] | null = null;
    const filter = {
      ...(channel === undefined ? {} : { channel }),
      ...(deviceId === undefined ? {} : { deviceId }),
    };
    for (;;) {
      const page: readonly Found[] = await this.#find(appId, filter, after, PAGE);
      const byPartition = groupBy(page, ({ row }) => row.partition);
      for (const [partition, found] of byPartition) {
        removed += await this.parts.partitions.deleteRows(
          partition,
          found.map(({ row }) => row),
        );
      }
      await this.unlistSubscriptions(
        appId,
        page.map(({ row }) => row),
      );
      const last = page.at(-1)?.subscription;
      if (last === undefined || page.length < PAGE) return removed;
      after = [last.channel, last.deviceId];
    }
  }

  async subscriptions(
    appId: string,
    filter: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<StoredSubscription[]> {
    const found = await this.#find(appId, filter, after, limit);
    return found.map(({ subscription }) => subscription);
  }

  async channels(appId: string, after: string | null, limit: number): Promise<string[]> {
    const { rows, pointers } = this.parts;
    const span = { from: after === null ? null : behind(keyOf(after)), to: null };
    const found: string[] = [];
    const pageSize = Math.max(8, Math.ceil(limit / LIST_BUCKETS));
    for await (const page of mergedPages(rows, INDEX.allChannels(appId), span, pageSize)) {
      for (const some of chunks(page, CHANNELS_AT_ONCE)) {
        if (found.length >= limit) break;
        const names = some.map(({ sort }) => partsOf(sort)[0] ?? '');
        const used = await this.#areUsed(appId, names);
        found.push(...names.filter((_, index) => used[index]));
        const stale = some.filter((row, index) => used[index] === false && pointers.isSettled(row));
        await pointers.remove(stale, (gone) => this.#areUsed(appId, gone.map(nameOf)));
      }
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async countChannel(appId: string, channel: string, most: number): Promise<ReadonlyMap<string, number>> {
    const reached = new Map<string, StoredDevice>();
    for await (const page of this.#ofChannel(appId, channel, null, PAGE)) {
      for (const { subscription, device } of page) {
        const own = device === null ? [] : [device];
        const ofClient = isOfClient(subscription)
          ? await this.#reachable(appId, subscription.clientId ?? '', most)
          : [];
        for (const one of [...own, ...ofClient]) if (one.state !== 'FAILED') reached.set(one.deviceId, one);
      }
      if (reached.size >= most) break;
    }
    return countByProvider(reached.values(), most);
  }

  async countClient(appId: string, clientId: string, most: number): Promise<ReadonlyMap<string, number>> {
    return countByProvider(await this.#reachable(appId, clientId, most), most);
  }

  async subscribers(
    appId: string,
    channel: string,
    after: string | null,
    limit: number,
  ): Promise<Subscriber[]> {
    const found = await this.#find(appId, { channel }, after === null ? null : [channel, after], limit);
    return found.map(({ subscription, device }) => ({
      deviceId: subscription.deviceId,
      clientId: subscription.tokenHash === null ? subscription.clientId : null,
      device,
    }));
  }

  /** Devices of a client that have not failed for good, at least `most` of them if there are as many. */
  async #reachable(appId: string, clientId: string, most: number): Promise<StoredDevice[]> {
    const reachable: StoredDevice[] = [];
    let after: string | null = null;
    for (;;) {
      const page: readonly StoredDevice[] = await this.devices(appId, { clientId }, after, PAGE);
      reachable.push(...page.filter(({ state }) => state !== 'FAILED'));
      if (page.length < PAGE || reachable.length >= most) return reachable;
      after = page.at(-1)?.deviceId ?? null;
    }
  }

  async #find(
    appId: string,
    { channel, deviceId }: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<readonly Found[]> {
    if (deviceId !== undefined) return this.#ofDevice(appId, deviceId, channel ?? null, after, limit);
    const found: Found[] = [];
    if (channel !== undefined) {
      if (after !== null && byColumns([after[0]], [channel]) > 0) return [];
      const behindId = after !== null && after[0] === channel ? after[1] : null;
      for await (const page of this.#ofChannel(appId, channel, behindId, limit)) {
        found.push(...page);
        if (found.length >= limit) break;
      }
      return found.slice(0, limit);
    }
    // The rest of the channel of the last position, then the channels behind it.
    if (after !== null) found.push(...(await this.#find(appId, { channel: after[0] }, after, limit)));
    let last = after === null ? null : after[0];
    while (found.length < limit) {
      const names: readonly string[] = await this.channels(appId, last, CHANNELS_AT_ONCE);
      const pages = await Promise.all(names.map((name) => this.#find(appId, { channel: name }, null, limit)));
      found.push(...pages.flat());
      if (names.length < CHANNELS_AT_ONCE) break;
      last = names.at(-1) ?? null;
    }
    return found.slice(0, limit);
  }

  async #ofDevice(
    appId: string,
    deviceId: string,
    channel: string | null,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<readonly Found[]> {
    const { rows } = this.parts;
    const partition = DEVICES.partition(appId, deviceId);
    const span = DEVICES.subscriptions(deviceId);
    // The device is one column of the position, so a channel is behind it only if the pair is.
    const from =
      after === null
        ? span.from
        : byColumns([after[1]], [deviceId]) < 0
          ? DEVICES.subscription(deviceId, after[0])
          : behind(DEVICES.subscription(deviceId, after[0]));
    const found =
      channel === null
        ? await rows.range(partition, { from, to: span.to }, limit)
        : await rows.get([subscriptionKey(appId, deviceId, channel)]);
    const wanted = found.filter(
      ({ sort }) => after === null || byColumns([partsOf(sort)[2] ?? '', deviceId], after) > 0,
    );
    if (wanted.length === 0) return [];
    const device = await this.device(appId, deviceId);
    return wanted.slice(0, limit).map((row) => foundOf(row, device));
  }

  /** Subscriptions of a channel by device, each verified against its row. */
  async *#ofChannel(
    appId: string,
    channel: string,
    after: string | null,
    limit: number,
  ): AsyncGenerator<readonly Found[]> {
    const { rows, pointers } = this.parts;
    const span = { from: after === null ? null : behind(keyOf(after)), to: null };
    const pageSize = Math.max(2, Math.min(PAGE, Math.ceil((limit * 1.2) / CHANNEL_BUCKETS)));
    for await (const page of mergedPages(rows, INDEX.ofChannel(appId, channel), span, pageSize)) {
      const ids = page.map(nameOf);
      const [stored, devices] = await Promise.all([
        rows.all(ids.map((id) => subscriptionKey(appId, id, channel))),
        rows.all(ids.map((id) => deviceKey(appId, id))),
      ]);
      const stale = page.filter((entry, index) => stored[index] === null && pointers.isSettled(entry));
      await this.#unlist(appId, channel, stale);
      yield stored.flatMap((row, index) => {
        const device = devices[index] ?? null;
        return row === null ? [] : [foundOf(row, device === null ? null : deviceOf(device.value))];
      });
    }
  }

  async #areUsed(appId: string, channels: readonly string[]): Promise<boolean[]> {
    return Promise.all(
      channels.map(async (channel) => (await this.#find(appId, { channel }, null, 1)).length > 0),
    );
  }

  protected override async unlistSubscriptions(appId: string, removed: readonly Row[]): Promise<void> {
    const rows = removed.map(({ value }) => JSON.parse(value) as StoredSubscription);
    for (const [channel, some] of groupBy(rows, (row) => row.channel)) {
      await this.#unlist(appId, channel, some.map(channelPointer));
    }
  }

  async #unlist(appId: string, channel: string, stale: readonly Pointer[]): Promise<void> {
    await this.parts.pointers.remove(stale, async (gone) => {
      const keys = gone.map((entry) => subscriptionKey(appId, nameOf(entry), channel));
      return (await this.parts.rows.all(keys)).map((row) => row !== null);
    });
  }
}

const nameOf = ({ sort }: Pick<Row, 'sort'>): string => partsOf(sort)[0] ?? '';

const channelPointer = ({ appId, channel, deviceId }: StoredSubscription): Pointer => ({
  partition: INDEX.channel(appId, channel, deviceId),
  sort: keyOf(deviceId),
});

/** Whether the subscription stands for all devices of a client. */
const isOfClient = ({ tokenHash, clientId }: StoredSubscription): boolean =>
  tokenHash === null && clientId !== null;

/** A subscription has the current provider and token of its device. */
function foundOf(row: Row, device: StoredDevice | null): Found {
  const stored = JSON.parse(row.value) as StoredSubscription;
  const subscription =
    device === null || stored.tokenHash === null
      ? stored
      : { ...stored, provider: device.provider, tokenHash: device.tokenHash };
  return { row, subscription, device };
}
