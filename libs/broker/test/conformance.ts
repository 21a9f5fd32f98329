import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mergeAnswers, type Broker, type LiveEvent } from '../src/index.js';
import {
  anAnswer,
  event,
  Gateway,
  MERGED_KINDS,
  message,
  QUESTIONS,
  STATE_FACTS,
  variedEvents,
} from './samples.js';

/** The nodes of one installation. */
export interface OpenBroker {
  /** One node, or several for drivers that connect processes. No listener is registered yet. */
  readonly nodes: readonly [Broker, ...Broker[]];
  /** Errors thrown by listeners of all nodes. */
  readonly faults: readonly unknown[];
  /** Resolves when every node knows every other that listens. */
  settle(): Promise<void>;
  /** Releases the remaining resources after the nodes are closed. */
  dispose(): Promise<void>;
}

/** Limit of deliveries; reached by failing tests only. */
const ON_ITS_WAY = { timeout: 10_000, interval: 5 };

const idsOf = (events: readonly LiveEvent[]): string[] => events.map(({ eventId }) => eventId);

/** Requirements of every driver, with as many nodes as it supports. */
export function brokerPortConformance(name: string, open: () => Promise<OpenBroker>): void {
  async function installation() {
    const opened = await open();
    onTestFinished(async () => {
      await Promise.all(opened.nodes.map((node) => node.close()));
      await opened.dispose();
    });
    return opened;
  }

  /** Every node with a listener, subscribed to the channels. */
  async function gateways(...channels: readonly string[]) {
    const opened = await installation();
    const listening = opened.nodes.map((node) => new Gateway(node));
    await opened.settle();
    for (const { broker } of listening) {
      for (const channel of channels) await broker.subscribe('shop', channel);
    }
    const [first, ...others] = listening;
    if (first === undefined) throw new Error('an installation has at least one node');
    return { opened, listening, first, others };
  }

  describe(`broker ${name}`, () => {
    it('brings every channel of an app to who wants all of them, once, and no other app', async () => {
      const { first, others } = await gateways('orders');
      for (const { broker } of others) await broker.subscribeAll('shop');
      const published = ['orders', 'news.eu', 'presence-é'].map((channel) => event(channel));
      const foreign = event('news.eu', { appId: 'other' });
      for (const one of [foreign, ...published]) await first.broker.publish(one);
      for (const { broker, received } of others) {
        await vi.waitFor(() => expect(idsOf(received)).toEqual(idsOf(published)), ON_ITS_WAY);
        broker.unsubscribeAll('shop');
      }
    });

    it('is a node of its own, and healthy', async () => {
      const { nodes } = await installation();
      expect(new Set(nodes.map(({ nodeId }) => nodeId)).size).toBe(nodes.length);
      for (const node of nodes) expect(await node.health()).toBeNull();
    });

    it('has one listener a node', async () => {
      const { first } = await gateways();
      expect(() => new Gateway(first.broker)).toThrow('the broker has a listener already');
    });

    it('hands an event to the local listener before publish returns', async () => {
      const { listening } = await gateways();
      for (const { broker, received } of listening) {
        const published = event('orders');
        const sent = broker.publish(published);
        expect(received.filter(({ eventId }) => eventId === published.eventId)).toEqual([published]);
        await sent;
      }
    });

    it('brings an event to every subscribed node exactly as it was published', async () => {
      const long = 'presence-é\u{1F514}'.padEnd(200, 'x');
      const { listening, first } = await gateways('orders', 'a:b.c*>#', long);
      const published = variedEvents(long);
      for (const one of published) await first.broker.publish(one);
      for (const { received } of listening) {
        await vi.waitFor(() => expect(received).toHaveLength(published.length), ON_ITS_WAY);
        const inOrder = published.map(({ channel }) => received.find((one) => one.channel === channel));
        expect(inOrder).toEqual(published);
      }
    });

    it('keeps apps apart that have a channel of one name', async () => {
      const { listening, first } = await gateways('orders');
      for (const { broker } of listening) await broker.subscribe('other', 'orders');
      const published = [event('orders'), event('orders', { appId: 'other' })];
      for (const one of published) await first.broker.publish(one);
      for (const { received } of listening) {
        await vi.waitFor(() => expect(received).toHaveLength(published.length), ON_ITS_WAY);
        expect(received.find(({ appId }) => appId === 'other')).toEqual(published[1]);
      }
    });

    it('brings each event once, those of one publisher and channel in the order published', async () => {
      const channels = ['a', 'b', 'presence-c'];
      const { listening } = await gateways(...channels);
      const published = listening.map(() => new Map(channels.map((channel) => [channel, [] as string[]])));
      const sent: unknown[] = [];
      for (let round = 0; round < 100; round += 1) {
        for (const [at, { broker }] of listening.entries()) {
          const channel = channels[(round * 7 + at) % channels.length] ?? '';
          const eventId = `${at}-${round}`;
          published[at]?.get(channel)?.push(eventId);
          sent.push(broker.publish(event(channel, { eventId })));
        }
      }
      await Promise.all(sent);
      for (const { received } of listening) {
        await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(sent.length), ON_ITS_WAY);
        for (const [at, byChannel] of published.entries()) {
          for (const [channel, ids] of byChannel) {
            const ofOne = received.filter((one) => one.channel === channel);
            expect(idsOf(ofOne).filter((id) => id.startsWith(`${at}-`))).toEqual(ids);
          }
        }
      }
    });

    it('brings a publish that other processes try again once', async () => {
      const { listening } = await gateways('orders');
      const keyed = event('orders', { uniqueForMs: 60_000 });
      // Sent after the last attempt of each process, so that everything before has arrived.
      const ends = listening.map(() => event('orders'));
      for (const { broker } of listening) await broker.publish(keyed);
      for (const [at, end] of ends.entries()) await listening[at]?.broker.publish(end);
      for (const { received } of listening) {
        await vi.waitFor(
          () => expect(idsOf(received)).toEqual(expect.arrayContaining(idsOf(ends))),
          ON_ITS_WAY,
        );
        expect(idsOf(received).filter((id) => id === keyed.eventId)).toHaveLength(1);
        expect(received.find(({ eventId }) => eventId === keyed.eventId)).toEqual(keyed);
      }
    });

    it('brings an event that is not unique any more under its old id', async () => {
      const { listening, first } = await gateways('orders');
      const keyed = event('orders', { uniqueForMs: 1 });
      for (const messageId of ['first', 'second']) {
        await first.broker.publish({ ...keyed, fact: message({ messageId }) });
        for (const { received } of listening) {
          const facts = () => received.map(({ fact }) => fact);
          await vi.waitFor(() => expect(facts()).toContainEqual(message({ messageId })), ON_ITS_WAY);
        }
        await new Promise((later) => void setTimeout(later, 5));
      }
    });

    it('misses nothing that is published after subscribe has settled, the second time too', async () => {
      const { listening } = await gateways();
      for (const subscriber of listening) {
        for (const round of ['first', 'second']) {
          await subscriber.broker.subscribe('shop', 'orders');
          const published = listening.map((_, at) => event('orders', { eventId: `${round} from ${at}` }));
          for (const [at, one] of published.entries()) await listening[at]?.broker.publish(one);
          await vi.waitFor(
            () => expect(idsOf(subscriber.received)).toEqual(expect.arrayContaining(idsOf(published))),
            ON_ITS_WAY,
          );
          subscriber.broker.unsubscribe('shop', 'orders');
        }
        subscriber.received.length = 0;
      }
    });

    it('publishes for a process that has no sockets', async () => {
      const { nodes, settle } = await installation();
      const [api, ...rest] = nodes;
      const listening = rest.map((node) => new Gateway(node));
      await settle();
      for (const { broker } of listening) await broker.subscribe('shop', 'orders');
      const published = event('orders');
      await api.publish(published);
      for (const { received } of listening) {
        await vi.waitFor(() => expect(received).toEqual([published]), ON_ITS_WAY);
      }
    });

    it('keeps what a listener throws from the publisher, tells it, and goes on', async () => {
      const { opened, listening, first } = await gateways('orders');
      const bug = new Error('a bug of the listener');
      for (const one of listening) {
        one.before = () => {
          throw bug;
        };
      }
      await first.broker.publish(event('orders'));
      await vi.waitFor(() => expect(opened.faults).toEqual(listening.map(() => bug)), ON_ITS_WAY);
      for (const one of listening) one.before = () => {};
      const next = event('orders');
      await first.broker.publish(next);
      for (const { received } of listening) {
        await vi.waitFor(() => expect(received).toEqual([next]), ON_ITS_WAY);
      }
    });

    it.each(MERGED_KINDS)('asks every listener about %s and merges the answers', async (kind) => {
      const { listening } = await gateways();
      const samples = fc.sample(anAnswer, listening.length);
      for (const [at, one] of listening.entries()) one.answers = samples[at] ?? one.answers;
      const merged = mergeAnswers(
        kind,
        listening.map(({ answers }) => answers[kind]),
      );
      for (const { broker } of listening) {
        expect(await broker.ask(kind, 'shop', QUESTIONS[kind])).toEqual({ answer: merged, complete: true });
      }
      const question = { kind, appId: 'shop', about: QUESTIONS[kind] };
      for (const { asked } of listening) expect(asked).toEqual(listening.map(() => question));
    });

    it('asks for a process that has no sockets', async () => {
      const { nodes, settle } = await installation();
      const [api, ...rest] = nodes;
      const listening = rest.map((node) => new Gateway(node));
      await settle();
      for (const one of listening) one.answers = { ...one.answers, sockets_count: 3 };
      expect(await api.ask('sockets_count', 'shop', null)).toEqual({
        answer: 3 * listening.length,
        complete: true,
      });
      expect(await api.ask('channels_with_sockets_count', 'shop', { prefix: '' })).toEqual({
        answer: new Map(),
        complete: true,
      });
    });

    it('carries how something is', async () => {
      const { first, others } = await gateways('orders');
      const facts = STATE_FACTS;
      for (const fact of facts) await first.broker.publish(event('orders', { fact }));
      for (const { received } of others) {
        await vi.waitFor(() => expect(received.map(({ fact }) => fact)).toEqual(facts), ON_ITS_WAY);
      }
      expect(first.received.map(({ fact }) => fact)).toEqual(facts);
    });

    it('tells every other listener of a changed app, whoever says it', async () => {
      const { nodes, settle } = await installation();
      const [api, ...rest] = nodes;
      const listening = rest.map((node) => new Gateway(node));
      await settle();
      await api.tellAppChanged('shop');
      for (const { notices } of listening) {
        await vi.waitFor(() => expect(notices).toEqual(['shop changed']), ON_ITS_WAY);
      }
      const [first, ...others] = listening;
      await first?.broker.tellAppChanged('news');
      for (const { notices } of others) {
        await vi.waitFor(() => expect(notices).toEqual(['shop changed', 'news changed']), ON_ITS_WAY);
      }
      if (first !== undefined) expect(first.notices).toEqual(['shop changed']);
    });

    it('tells every other listener of revoked tokens, whoever says it', async () => {
      const { nodes, settle } = await installation();
      const [api, ...rest] = nodes;
      const listening = rest.map((node) => new Gateway(node));
      await settle();
      const about = { jti: 't:1', clientId: 'u:1' };
      const question = { kind: 'token_revoked', appId: 'shop', about };
      await api.tellTokensRevoked('shop', about);
      for (const { asked } of listening) {
        await vi.waitFor(() => expect(asked).toEqual([question]), ON_ITS_WAY);
      }
      const [first, ...others] = listening;
      await first?.broker.tellTokensRevoked('shop', about);
      for (const { asked } of others) {
        await vi.waitFor(() => expect(asked).toEqual([question, question]), ON_ITS_WAY);
      }
      if (first !== undefined) expect(first.asked).toEqual([question]);
    });

    it('says so when an answer cannot be had, keeps the others, and tells what was thrown', async () => {
      const { opened, listening, first, others } = await gateways();
      const bug = new Error('a bug of the listener');
      for (const one of listening) one.answers = { ...one.answers, sockets_count: 3 };
      first.before = () => {
        throw bug;
      };
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({
        answer: 3 * others.length,
        complete: false,
      });
      expect(opened.faults).toEqual([bug]);
    });

    it('delivers and answers nothing after close, and closes twice without harm', async () => {
      const { first, others } = await gateways('orders');
      await Promise.all([first.broker.close(), first.broker.close()]);
      await first.broker.close();
      await Promise.allSettled([first.broker.publish(event('orders'))]);
      await Promise.allSettled([first.broker.subscribe('shop', 'later')]);
      first.broker.unsubscribe('shop', 'later');
      expect(await first.broker.ask('sockets_count', 'shop', null)).toEqual({ answer: 0, complete: false });
      expect(await first.broker.health()).toEqual(expect.any(String));

      const published = event('orders', { eventId: 'after' });
      await others[0]?.broker.publish(published);
      for (const { received } of others) {
        await vi.waitFor(() => expect(idsOf(received)).toContain('after'), ON_ITS_WAY);
      }
      expect([first.received, first.asked]).toEqual([[], []]);
    });

    it('ignores a listener that comes after close', async () => {
      const { nodes } = await installation();
      await nodes[0].close();
      const late = new Gateway(nodes[0]);
      await Promise.allSettled([nodes[0].publish(event('orders'))]);
      await nodes[0].ask('sockets_count', 'shop', null);
      expect([late.received, late.asked]).toEqual([[], []]);
    });
  });
}
