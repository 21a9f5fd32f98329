import { Capability, type CompatCore } from '@carillon/ably-core';
import type { Metrics } from '@carillon/runtime';
import type { Hub, JoinRequest, Showing } from '@carillon/realtime';
import { Attach } from '../src/attach.js';
import { Codecs } from '../src/codecs.js';
import { type Attachment, CompatConnection } from '../src/connection.js';
import type { Counted } from '../src/counted.js';
import type { Continuity } from '../src/continuity.js';
import { Deltas } from '../src/delta/deltas.js';
import type { DerivedHolds } from '../src/derived-holds.js';
import type { FrameWriter } from '../src/frame-writer.js';
import type { Syncing } from '../src/syncing.js';

/** The granted modes. */
export const MODES = 131_072;

/** A connection that attaches with every backend request stalled until it is released. */
export function scene() {
  const said: unknown[] = [];
  const left: unknown[] = [];
  const requests: JoinRequest[] = [];
  const goOn: (() => void)[] = [];
  const subscription = {};
  const connection = {
    hub: { app: {}, appId: 'shop', tap: null },
    manner: { format: 'json' },
    principal: { capability: Capability.parse('{"*":["publish"]}') },
    attachments: new Map<string, Attachment>(),
    modesOn: CompatConnection.prototype.modesOn,
    subscriptions: { get: () => subscription },
  } as unknown as CompatConnection;
  const join = async (request: JoinRequest): Promise<void> => {
    requests.push(request);
    await new Promise<void>((go) => void goOn.push(go));
    if (request.isWanted?.() === true) await request.show?.(showing);
  };
  const showing = {
    of: () => [],
    tell: async () => undefined,
    members: async () => ({ members: [{}], serial: 1 }),
    attach: { standing: { streamId: 's', serial: 7 } },
  } as unknown as Showing;
  const missed = { position: { streamId: 's', serial: 1 }, isProven: false, past: [], error: null };
  const counted = {
    attached: () => undefined,
    detached: () => undefined,
    refused: () => undefined,
  } as unknown as Counted;
  const attach = new Attach({
    core: { channel: () => ({}) } as unknown as CompatCore,
    hub: {
      joins: { join },
      leaving: { view: async (_: unknown, one: unknown) => void left.push(one) },
      onTrouble: () => undefined,
    } as unknown as Hub,
    continuity: { since: async () => missed } as unknown as Continuity,
    codecs: new Codecs(counted),
    counted,
    deltas: new Deltas({} as Metrics),
    derivedHolds: { hold: () => undefined, release: () => undefined } as unknown as DerivedHolds,
    said: {
      say: (_: unknown, frame: object) => void said.push(frame),
      membersSettle: async () => undefined,
    } as unknown as FrameWriter,
    syncing: { show: () => void said.push('synced') } as unknown as Syncing,
    withinMs: 50,
  });
  const handle = (): Promise<void> => attach.handle(connection, { action: 10, channel: 'c' });
  const again = (): Promise<void> => attach.again(connection, '[?rewind=3]history');
  return { handle, again, said, left, requests, goOn, connection };
}
