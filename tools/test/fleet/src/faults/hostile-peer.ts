import {
  BROADCAST,
  encode,
  HEARTBEAT,
  type MessageDefinition,
  NODE_DEAD,
  NODE_LEAVING,
  REQUEST,
  ROLL_CALL,
} from '@carillon/contracts';
import { EVENT } from '../clients/backend.js';
import type { Publication } from '../model/records.js';
import { namesOf, openPeer } from '../peer/peer.js';
import { type Peer } from '../peer/port.js';
import type { Random } from '../random.js';
import { APP_ID } from '../tenant.js';
import { now, sleep } from '../wait.js';
import type { Fault, Scene } from './fault.js';

const MAX_BYTES = 1_000_000;
const ME = 'hostile-peer-00000000';
const ROUNDS = 12;
/** Copies of what others sent that are kept to be sent again. */
const MEMORY = 500;
/**
 * So old is what is sent again: every node has the original by then. A copy that comes first cannot be told from it, and
 * over a cluster of brokers it may, by a shorter way.
 */
const OLD_MS = 500;

/** Messages that no node may act upon, and none may fall over. */
const GARBAGE = [
  '',
  'null',
  '[]',
  '"text"',
  '{',
  '{"v":1}',
  '{"v":2,"kind":"broadcast"}',
  '{"v":1,"kind":"broadcast","__proto__":{"app_id":"fleet"}}',
  '{"v":1,"kind":"heartbeat","node_id":"../../etc"}',
  '{"v":1,"kind":"unheard_of","node_id":"x-00000000"}',
  '{"v":1,"kind":"response","request_id":"r-1","node_id":"x-00000000","app_id":"fleet","sockets_count":-1}',
  '['.repeat(20_000),
  '\u0000\u0001\uFFFD',
];

function textOf<Body>(definition: MessageDefinition<string, Body>, body: Body): string {
  const encoded = encode(definition, body, MAX_BYTES);
  if (!encoded.ok) throw new Error(encoded.detail);
  return encoded.text;
}

/**
 * A peer that is out of its mind: sends what others sent again and in another order, its own events twice, garbage on
 * every address, and lies about who lives.
 */
export const hostilePeer: Fault = {
  name: 'hostile-peer',
  drivers: ['nats', 'redis', 'redis-cluster'],
  closeCodes: [],
  strike: async (scene) => {
    const peer = await openPeer(scene.fleet.broker);
    try {
      await new Rampage(peer, scene).run();
    } finally {
      peer.close();
    }
  },
};

class Rampage {
  readonly #copies: { readonly address: string; readonly text: string; readonly heardAtMs: number }[] = [];
  readonly #nodeIds = new Set<string>();
  readonly #names;
  readonly #random: Random;
  #number = 0;

  constructor(
    private readonly peer: Peer,
    private readonly scene: Scene,
  ) {
    this.#names = namesOf(scene.fleet.broker);
    this.#random = scene.random;
  }

  async run(): Promise<void> {
    const { control } = this.#names;
    const channels = this.scene.channels.map((channel) => this.#names.channel(APP_ID, channel));
    await this.peer.hear([control, ...channels], (address, text) => this.#heard(address, text));
    // Everybody answers with who it is, though not here; heartbeats follow on the shared address within a second.
    await this.peer.send(control, textOf(ROLL_CALL, { node_id: ME }));
    for (let round = 0; round < ROUNDS; round += 1) {
      await this.#repeat();
      await this.#twice();
      await this.#garbage();
      await this.#lie();
      await sleep(this.#random.between(50, 200));
    }
  }

  #heard(address: string, text: string): void {
    const nodeId = /"node_id":"([\w.-]+)"/.exec(text)?.[1];
    // Its own messages and garbage come back to it, and would soon be all that it remembers.
    if (nodeId === undefined || nodeId === ME || GARBAGE.includes(text)) return;
    if (address === this.#names.control) this.#nodeIds.add(nodeId);
    this.#copies.push({ address, text, heardAtMs: now() });
    if (this.#copies.length > MEMORY) this.#copies.shift();
  }

  /** The latest first. */
  async #repeat(): Promise<void> {
    const old = this.#copies.filter(({ heardAtMs }) => heardAtMs <= now() - OLD_MS);
    for (const { address, text } of old.slice(-20).reverse()) await this.peer.send(address, text);
  }

  /** Two events of its own, then copies of both in the wrong order. */
  async #twice(): Promise<void> {
    const channel = this.#random.pick(this.scene.channels);
    const address = this.#names.channel(APP_ID, channel);
    const texts: string[] = [];
    for (const number of [this.#number + 1, this.#number + 2]) {
      const publication: Publication = {
        publisher: `peer on ${channel}`,
        channel,
        number: this.#numberOn(channel),
        beganAtMs: now(),
        acceptedAtMs: null,
      };
      this.scene.record(publication);
      const data = JSON.stringify({ publisher: publication.publisher, number: publication.number });
      const text = textOf(BROADCAST, {
        message_id: `${ME}-${channel}-${number}`,
        node_id: ME,
        app_id: APP_ID,
        channel,
        message: JSON.stringify({ event: EVENT, channel, data }),
        timestamp_ms: Date.now(),
      });
      await this.peer.send(address, text);
      publication.acceptedAtMs = now();
      texts.push(text);
    }
    this.#number += 2;
    for (const text of [...texts, ...texts.reverse()]) await this.peer.send(address, text);
  }

  readonly #numbers = new Map<string, number>();

  #numberOn(channel: string): number {
    const number = (this.#numbers.get(channel) ?? 0) + 1;
    this.#numbers.set(channel, number);
    return number;
  }

  async #garbage(): Promise<void> {
    const { control, requests, broadcast } = this.#names;
    const addresses = [
      control,
      requests,
      broadcast,
      ...this.scene.channels.map((c) => this.#names.channel(APP_ID, c)),
    ];
    for (const text of GARBAGE) await this.peer.send(this.#random.pick(addresses), text);
    // A right message under the address of another channel.
    const stray = { message_id: `${ME}-stray-${this.#number}`, node_id: ME, app_id: APP_ID, message: '{}' };
    const [first = ''] = this.scene.channels;
    const text = textOf(BROADCAST, { ...stray, channel: `${first}-other` });
    await this.peer.send(this.#names.channel(APP_ID, first), text);
  }

  async #lie(): Promise<void> {
    const { control, requests } = this.#names;
    const ghost = `ghost-${this.#random.between(1, 5)}-00000000`;
    const heartbeat = { node_id: ghost, role: 'default', routing: 'interest', seq: 1 } as const;
    await this.peer.send(control, textOf(HEARTBEAT, heartbeat));
    const request = { request_id: `r-${this.#number}`, node_id: ME, app_id: APP_ID, timestamp: 0 };
    const asked = { ...request, request_type: 'sockets_count', reply_to: control } as const;
    await this.peer.send(requests, textOf(REQUEST, asked));
    if (this.#nodeIds.size === 0) return;
    const victim = this.#random.pick([...this.#nodeIds]);
    const lie = this.#random.pick(['is dead', 'is leaving', 'is well', 'is well']);
    if (lie === 'is dead') {
      await this.peer.send(control, textOf(NODE_DEAD, { node_id: ME, dead_node_id: victim }));
    } else if (lie === 'is leaving') {
      await this.peer.send(control, textOf(NODE_LEAVING, { node_id: victim, pending_leases: [] }));
    }
  }
}
