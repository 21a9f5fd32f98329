import { decodeWriter, encode, natsNames, WRITER, type Writer } from '@carillon/contracts';
import type { Closing } from '../../broker/door.js';
import { NatsPeer } from '../../peer/nats-peer.js';
import type { Random } from '../../random.js';
import { sleep } from '../../wait.js';
import type { DurableFault } from './fault.js';

const MAX_BYTES = 1_000_000;
/** More often than a writer contradicts. */
const LIE_EVERY_MS = 20;
const SHORTEST_MS = 300;
/** Longer, and a gateway sends its clients away. */
const LONGEST_CUT_MS = 8000;

export const restartBroker: DurableFault = {
  name: 'restart-broker',
  mayRefuse: true,
  mayGiveUp: true,
  mayHangUp: false,
  strike: async ({ installation, random }) => {
    const { engine } = installation.broker;
    await engine.kill();
    await sleep(random.between(0, SHORTEST_MS));
    await engine.restart();
  },
};

/** A gateway hears nothing for a while, and fetches what it missed. */
export const cutGateway: DurableFault = {
  name: 'cut-gateway',
  mayRefuse: false,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    const node = random.pick(installation.gateways);
    node.door?.shut(random.pick<Closing>(['refuses', 'is silent']));
    await sleep(random.between(SHORTEST_MS, Math.min(lastingMs, LONGEST_CUT_MS)));
    node.door?.open();
  },
};

/**
 * Both writers serve the same lanes, each told by a liar on the broker that the other leaves, and every request comes
 * several times, to one or the other.
 */
export const twoOnOneLane: DurableFault = {
  name: 'two-on-one-lane',
  // Both are in each other's way all the time: slower, on a busy machine too slow, and never wrong.
  mayRefuse: true,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    const peer = await NatsPeer.open(installation.broker.engine.port);
    try {
      await new Doubling(peer, installation.broker.prefix, random).run(Math.min(lastingMs, 3000));
    } finally {
      peer.close();
    }
  },
};

class Doubling {
  readonly #names;
  readonly #writers = new Map<string, Writer>();

  constructor(
    private readonly peer: NatsPeer,
    prefix: string,
    private readonly random: Random,
  ) {
    this.#names = natsNames(prefix);
  }

  async run(forMs: number): Promise<void> {
    const { writers } = this.#names;
    const commits = this.#names.commit(0).replace(/0$/, '*');
    await this.peer.hear([writers, commits], (address, text, replyTo) => {
      if (address === writers) this.#met(text);
      else void this.#copy(address, text, replyTo);
    });
    for (let leftMs = forMs; leftMs > 0; leftMs -= LIE_EVERY_MS) {
      for (const writer of this.#writers.values()) await this.#lie(writer);
      await sleep(LIE_EVERY_MS);
    }
  }

  #met(text: string): void {
    const decoded = decodeWriter(Buffer.from(text), MAX_BYTES);
    if (decoded.ok && decoded.message.state === 'live')
      this.#writers.set(decoded.message.writer_id, decoded.message);
  }

  /** A writer knows what it is itself; only the other believes it. */
  async #lie({ writer_id, lanes }: Writer): Promise<void> {
    const encoded = encode(WRITER, { writer_id, lanes, serving: [], state: 'leaving' }, MAX_BYTES);
    if (encoded.ok) await this.peer.send(this.#names.writers, encoded.text);
  }

  /** One copy answers the publisher too, or nobody. */
  async #copy(address: string, text: string, replyTo?: string): Promise<void> {
    await this.peer.send(address, text, replyTo);
    await this.peer.send(address, text);
    if (this.random.chance(0.1)) {
      await sleep(this.random.between(0, 200));
      await this.peer.send(address, text);
    }
  }
}
