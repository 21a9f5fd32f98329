import { encode, HEARTBEAT, NODE_DEAD } from '@carillon/contracts';
import { describe, expect, it, vi } from 'vitest';
import { known } from './cluster.js';
import { CAP, fence, installation, SOON, stranger, written, type SharedBroker } from './installation.js';
import { event, message } from './samples.js';
import { severable } from './severable-wire.js';

/** Nodes that are waited for as long as it takes. */
const PATIENT = { nodeTimeoutMs: 60_000, requestTimeoutMs: 60_000, quickTimeoutMinMs: 60_000 };

/** Requirements of brokers with several nodes beyond the port, and faults that nodes must tolerate. */
export function brokerConformance(name: string, open: () => Promise<SharedBroker>): void {
  describe(`broker ${name}`, () => {
    it('delivers a copy of an event once', async () => {
      const { broker, second } = await installation(await open(), 2);
      const { session, wire } = await stranger(broker);
      await second.broker.subscribe('shop', 'orders');
      const events = [event('orders'), event('orders')];
      for (const one of [...events, ...events]) {
        await session.publish(wire.names.channel('shop', 'orders'), written(one, 'stranger'));
      }
      await vi.waitFor(() => expect(second.counts.received).toBe(4), SOON);
      expect(second.gateway.received).toEqual(events);
    });

    it('drops and counts what is too large, malformed or under a false address, and goes on', async () => {
      const { broker, first, second } = await installation(await open(), 2);
      const { session, wire } = await stranger(broker);
      await second.broker.subscribe('shop', 'orders');
      const address = wire.names.channel('shop', 'orders');
      const hostile = [
        '',
        'no JSON',
        '[]',
        'null',
        '{"v":1}',
        '{"v":1,"kind":"broadcast"}',
        '{"v":99,"kind":"broadcast"}',
        `{"v":1,"kind":"response","request_id":"${'x'.repeat(1000)}"}`,
        '{"v":1,"kind":"broadcast","__proto__":{"x":1}}',
        JSON.stringify({ v: 1, kind: 'roll_call', node_id: 'x\r\nPUB a 1\r\nb' }),
        JSON.stringify({ v: 1, kind: 'roll_call', node_id: '*' }),
        JSON.stringify({ v: 1, kind: 'broadcast', x: 'y'.repeat(CAP) }),
      ];
      for (const one of hostile) await session.publish(address, one);
      await session.publish(address, '{"v":1,"kind":"of the future"}');
      await vi.waitFor(() => expect(second.counts.dropped).toBe(hostile.length), SOON);
      await fence(first, second);
      expect(second.gateway.received.map(({ channel }) => channel)).toEqual(['fence']);
      expect(second.counts.dropped).toBe(hostile.length);
      expect(await second.broker.health()).toBeNull();
    });

    it('refuses to publish what others would drop', async () => {
      const { first } = await installation(await open(), 2);
      const large = event('orders', { fact: message({ dataText: JSON.stringify('x'.repeat(CAP)) }) });
      await expect(first.broker.publish(large)).rejects.toThrow(`message not sent: over ${CAP} bytes`);
      expect(first.counts.dropped).toBe(1);
    });

    it('ignores answers that nobody awaits, and those of strangers do not end a question', async () => {
      const { broker, first, second } = await installation(await open(), 2);
      const { session, wire } = await stranger(broker);
      first.gateway.answers = { ...first.gateway.answers, sockets_count: 2 };
      second.gateway.answers = { ...second.gateway.answers, sockets_count: 3 };
      const answer = {
        v: 1,
        kind: 'response',
        request_id: 'r',
        node_id: 'x',
        app_id: 'shop',
        sockets_count: 9,
      };
      await session.publish(wire.names.reply(first.broker.nodeId), JSON.stringify(answer));
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 5, complete: true });
      expect(first.counts).toMatchObject({ asked: 1, resolved: 1, responseReceived: 1 });
      expect(second.counts).toMatchObject({ requestReceived: 1 });
    });

    it('brings an answer that is too large for one message in parts', async () => {
      // Writing and reading this many messages takes as long as the machine allows.
      const { first, second } = await installation(await open(), 2, PATIENT);
      const channels = Array.from({ length: 20_000 }, (_, at) => [`presence-${at}-é"`, at + 1] as const);
      const counts = new Map(channels);
      second.gateway.answers = { ...second.gateway.answers, channels_with_sockets_count: counts };
      const gathered = await first.broker.ask('channels_with_sockets_count', 'shop', { prefix: 'presence-' });
      expect(gathered.complete).toBe(true);
      expect(gathered.answer).toEqual(counts);
      expect(first.counts.responseReceived).toBeGreaterThan(1);
    });

    it('says that an answer is incomplete while a dead node is awaited, and is complete once it is given up', async () => {
      const { broker, member, nodes, first } = await installation(await open(), 2);
      const doomed = severable(await broker.wire());
      const victim = member(doomed.wire);
      await known([...nodes, victim], 2);
      for (const { gateway } of [...nodes, victim])
        gateway.answers = { ...gateway.answers, sockets_count: 1 };
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 3, complete: true });
      doomed.sever();
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 2, complete: false });
      await known(nodes, 1);
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 2, complete: true });
      for (const node of nodes) expect(node.counts.nodeDead).toBe(1);
      expect(nodes.filter((node) => node.readings().isLeader)).toHaveLength(1);
    });

    it('keeps nobody waiting who only looks because one node is silent, and waits for what is to be done everywhere', async () => {
      const { first, second } = await installation(await open(), 3, {
        nodeTimeoutMs: 60_000,
        requestTimeoutMs: 60_000,
        quickTimeoutMinMs: 200,
      });
      second.gateway.before = () => {
        throw new Error('no answer of this one');
      };
      const looks = [
        first.broker.ask('batch_channel_sockets_count', 'shop', { channels: ['a'] }),
        first.broker.ask('channels_with_sockets_count', 'shop', { prefix: '' }),
        first.broker.ask('sockets_count', 'shop', null),
      ];
      for (const { complete } of await Promise.all(looks)) expect(complete).toBe(false);
      const done = first.broker.ask('terminate_user', 'shop', { userId: 'u' });
      await vi.waitFor(() => expect(second.counts.requestReceived).toBe(4), SOON);
      await second.broker.close();
      expect((await done).complete).toBe(true);
    });

    it('ends the wait for a node that leaves', async () => {
      const { nodes, first, second } = await installation(await open(), 3, PATIENT);
      second.gateway.before = () => {
        throw new Error('no answer of this one');
      };
      const asked = first.broker.ask('batch_channel_sockets_count', 'shop', { channels: ['a'] });
      await vi.waitFor(() => expect(second.counts.requestReceived).toBe(1), SOON);
      await second.broker.close();
      expect(await asked).toEqual({ answer: new Map(), complete: true });
      await known(
        nodes.filter((node) => node !== second),
        1,
      );
      expect(first.counts.nodeDead).toBe(0);
    });

    it('joins anew under another name when it has been taken for dead', async () => {
      const { broker, first, second } = await installation(await open(), 2);
      const { session, wire } = await stranger(broker);
      const before = first.broker.nodeId;
      const encoded = encode(NODE_DEAD, { node_id: 'stranger', dead_node_id: before }, CAP);
      if (encoded.ok) await session.publish(wire.names.control, encoded.text);
      await vi.waitFor(() => expect(first.broker.nodeId).not.toBe(before), SOON);
      await vi.waitFor(() => expect(second.broker.peers).toEqual([first.broker.nodeId]), SOON);
      second.gateway.answers = { ...second.gateway.answers, sockets_count: 4 };
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 4, complete: true });
      expect(await second.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 4, complete: true });
    });

    it('takes its old name down with it when it joins under another one', async () => {
      const { broker, first, second } = await installation(await open(), 2, { nodeTimeoutMs: 60_000 });
      const { session, wire } = await stranger(broker);
      const before = first.broker.nodeId;
      const encoded = encode(NODE_DEAD, { node_id: 'stranger', dead_node_id: before }, CAP);
      // With an address per node, no other node receives it.
      if (encoded.ok) await session.publish(wire.names.node(before), encoded.text);
      await vi.waitFor(() => expect(first.broker.nodeId).not.toBe(before), SOON);
      await vi.waitFor(() => expect(second.broker.peers).toEqual([first.broker.nodeId]), SOON);
    });

    // The emulator of Google Pub/Sub takes its time for 1,100 ordered messages beside other work.
    it('does not believe in more nodes than there can be', { timeout: 90_000 }, async () => {
      const { broker, first } = await installation(await open(), 2, { cleanupIntervalMs: 60_000 });
      const { session, wire } = await stranger(broker);
      const sent = Array.from({ length: 1100 }, (_, at) => {
        const body = { node_id: `false-${at}`, role: 'default', routing: 'interest', seq: at } as const;
        const encoded = encode(HEARTBEAT, body, CAP);
        return encoded.ok ? session.publish(wire.names.control, encoded.text) : expect.unreachable();
      });
      await Promise.all(sent);
      await vi.waitFor(() => expect(first.counts.dropped).toBe(77), { ...SOON, timeout: 60_000 });
      expect(first.broker.peers).toHaveLength(1024);
    });
  });
}
