import { RawConnection } from '@carillon/testing';
import type { Peer } from './port.js';

const CRLF = '\r\n';
const FOREVER_MS = 2 ** 31 - 1;

/** Bulk texts and numbers, in lists or alone: all that pub/sub answers with. */
type Answer = string | number | readonly Answer[];

function command(...words: readonly string[]): Buffer {
  const parts = words.map((word) => {
    const bytes = Buffer.from(word);
    return Buffer.concat([Buffer.from(`$${bytes.length}${CRLF}`), bytes, Buffer.from(CRLF)]);
  });
  return Buffer.concat([Buffer.from(`*${words.length}${CRLF}`), ...parts]);
}

async function readAnswer(connection: RawConnection): Promise<Answer> {
  const received = await connection.until((bytes) => bytes.includes(CRLF), FOREVER_MS);
  const line = (await connection.take(received.indexOf(CRLF) + 2)).toString().trimEnd();
  const [kind, rest] = [line[0], line.slice(1)];
  if (kind === '-') throw new Error(rest);
  if (kind === '+') return rest;
  if (kind === ':') return Number(rest);
  if (kind === '$') return (await connection.take(Number(rest) + 2, FOREVER_MS)).subarray(0, -2).toString();
  const items: Answer[] = [];
  for (let index = 0; index < Number(rest); index += 1) items.push(await readAnswer(connection));
  return items;
}

/** The few words of Redis that a peer needs: one connection speaks, the other listens. */
export class RedisPeer implements Peer {
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly speaking: RawConnection,
    private readonly listening: RawConnection,
  ) {}

  static async open(port: number): Promise<RedisPeer> {
    return new RedisPeer(await RawConnection.open(port), await RawConnection.open(port));
  }

  async hear(addresses: readonly string[], heard: (address: string, text: string) => void): Promise<void> {
    this.listening.write(command('SUBSCRIBE', ...addresses));
    for (const _ of addresses) await readAnswer(this.listening);
    void this.#listen(heard).catch(() => this.listening.destroy());
  }

  async send(address: string, text: string): Promise<void> {
    await this.ask('PUBLISH', address, text);
  }

  /** One command that is answered with a text, a number or a list. */
  async ask(...words: readonly string[]): Promise<Answer> {
    const before = this.#turn;
    const answer = (async () => {
      await before.catch(() => undefined);
      this.speaking.write(command(...words));
      return readAnswer(this.speaking);
    })();
    this.#turn = answer;
    return answer;
  }

  close(): void {
    this.speaking.destroy();
    this.listening.destroy();
  }

  async #listen(heard: (address: string, text: string) => void): Promise<void> {
    for (;;) {
      const answer = await readAnswer(this.listening);
      if (!Array.isArray(answer)) continue;
      const [, address, text] = answer as readonly unknown[];
      heard(String(address), String(text));
    }
  }
}
