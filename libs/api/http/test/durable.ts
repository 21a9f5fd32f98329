import { randomUUID } from 'node:crypto';
import { CommitClient, LocalLanes, systemClock, type LaneEvents } from '@carillon/history-writer';
import type { FanOutRecordBody } from '@carillon/contracts';
import { FaultDesk, HistoryReader, MessageReader, PresenceHistoryReader } from '@carillon/history-reader';
import { MemoryHistoryStore, type DurableStore } from '@carillon/history-store';
import { ChannelPublisher, DurablePublisher, type LivingMessages } from '@carillon/history-publish';
import { openScene, type SceneOptions } from './scene.js';

const LANES = 4;
const NOBODY_HEARS: LaneEvents = {
  arrived() {},
  retried() {},
  recordFailed() {},
  committed() {},
  waited() {},
  answered() {},
  handedOver() {},
  resent() {},
  handOverFailed() {},
};
const FORGETFUL = { keepPositioned: async () => undefined };

export interface DurableOptions extends Omit<SceneOptions, 'history' | 'publisher'> {
  readonly store?: DurableStore;
  readonly queueCapacity?: number;
  /** Absent: no mutable messages. */
  readonly living?: LivingMessages;
}

/** The API over a history in memory, committed in this process. */
export async function openDurable({
  store = new MemoryHistoryStore(),
  queueCapacity = 4096,
  living,
  ...options
}: DurableOptions = {}) {
  /** Records fanned out to gateways, in order. */
  const sent: FanOutRecordBody[] = [];
  const lanes = new LocalLanes(
    {
      store,
      clock: systemClock,
      fanOut: async (records) => void sent.push(...records),
      events: NOBODY_HEARS,
      newStreamId: randomUUID,
    },
    { lanes: LANES, writerId: 'w1', nodeId: 'node-1', queueCapacity },
  );
  const commits = new CommitClient(
    { clock: systemClock, transport: lanes, random: Math.random, resent: () => undefined },
    { lanes: LANES, nodeId: 'node-1', budgetMs: 1000, maxRecordBytes: null },
  );
  const faults = new FaultDesk({
    commits,
    nodeId: 'node-1',
    elapsed: Date.now,
    onClaim: () => undefined,
    onTrouble: () => undefined,
  });
  const reader = new HistoryReader(
    { store, now: Date.now, faults },
    { timeoutMs: 1000, source: 'in_memory', showsLatest: living !== undefined },
  );
  const messages = new MessageReader({ store, now: Date.now }, { timeoutMs: 1000, windowMs: null });
  const presence = new PresenceHistoryReader(
    { store, now: Date.now, faults },
    { timeoutMs: 1000, source: 'in_memory' },
  );
  const scene = await openScene({
    ...options,
    env: { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory', ...options.env },
    history: { reader, presence, commits },
    messages: { reader: messages, commits },
    publisher: (_, live) => {
      const log = { warn: () => undefined };
      return new ChannelPublisher(
        live,
        new DurablePublisher({
          commits,
          log,
          lastEvents: FORGETFUL,
          ...(living === undefined ? {} : { living }),
        }),
      );
    },
  });
  return { ...scene, store, sent, commits };
}
