import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Frame, Socket } from '../src/clients/socket.js';
import type { Node } from '../src/nodes/node.js';
import { lastRelease, type Release, whyUnavailable } from '../src/releases/build.js';
import { type Dialect, Rollout } from '../src/releases/rollout.js';
import { call } from '../src/tenant.js';
import { until } from '../src/wait.js';

const CHANNEL = 'orders';
const WITHIN_MS = 60_000;

const reason = whyUnavailable();
// A clone without its history cannot build the release; continuous integration must have it.
if (reason !== null && process.env['CI'] === 'true') throw new Error(reason);
if (reason !== null) process.stderr.write(`the rollout from the last release is not tested: ${reason}\n`);

/** The processes of one build. */
interface Build {
  readonly writer: Node;
  readonly api: Node;
  readonly gateway: Node;
}

const dataOf = (body: string): string[] =>
  (JSON.parse(body) as { items: { message: { data: string } }[] }).items.map(({ message }) => message.data);

/** A rollout of this tree over an installation of the last release, and the way back. */
class Scenario {
  readonly published: string[] = [];

  constructor(
    private readonly rollout: Rollout,
    private readonly release: Release,
  ) {}

  async startOld(): Promise<Build> {
    return this.#start(this.release.tree);
  }

  async startNew(): Promise<Build> {
    return this.#start();
  }

  /** Every process publishes, delivers and reads what all others wrote; devices are registered by each. */
  async expectService(...builds: readonly Build[]): Promise<void> {
    const received = builds.map((): string[] => []);
    const sockets = await Promise.all(
      builds.map(({ gateway }, index) =>
        Socket.open(gateway.port, ({ event, data }: Frame) => {
          if (event === 'placed') received[index]?.push(String(data));
        }),
      ),
    );
    await Promise.all(sockets.map((socket) => socket.subscribe(CHANNEL)));
    const sent: string[] = [];
    for (const { api } of builds) {
      const data = `order ${this.published.length}`;
      const body = JSON.stringify({ name: 'placed', channel: CHANNEL, data });
      await this.#expectSoon(api, 'POST', '/events', 200, { body });
      sent.push(data);
      this.published.push(data);
    }
    expect(await until(() => received.every(({ length }) => length >= sent.length), WITHIN_MS)).toBe(true);
    expect(received).toEqual(builds.map(() => sent));
    for (const { api } of builds) {
      const query = { limit: '100', direction: 'oldest_first' };
      const { body } = await this.#expectSoon(api, 'GET', `/channels/${CHANNEL}/history`, 200, { query });
      expect(dataOf(body)).toEqual(this.published);
      await this.#registerDevice(api);
    }
    for (const socket of sockets) socket.vanish();
  }

  async stop({ writer, api, gateway }: Build): Promise<void> {
    expect(await Promise.all([gateway, api, writer].map((node) => node.stop()))).toEqual([0, 0, 0]);
  }

  /** Starts all processes at the same time: most of a start is waiting when the machine is busy. */
  async #start(tree?: string): Promise<Build> {
    const [writer, api, gateway] = await Promise.all([
      this.rollout.start('history-writer', tree),
      this.rollout.start('api', tree),
      this.rollout.start('gateway', tree),
    ]);
    return { writer, api, gateway };
  }

  async #registerDevice(api: Node): Promise<void> {
    const device = {
      id: `device-${this.published.length}`,
      formFactor: 'phone',
      platform: 'android',
      timezone: 'UTC',
      locale: 'en',
      push: { recipient: { transportType: 'gcm', registrationToken: 'token' } },
    };
    await this.#expectSoon(api, 'POST', '/push/deviceRegistrations', 201, { body: JSON.stringify(device) });
    await this.#expectSoon(api, 'GET', `/push/deviceRegistrations/${device.id}`, 200, {});
  }

  /** Lanes move between writers during a rollout: a refusal with 503 is repeated. */
  async #expectSoon(
    api: Node,
    method: 'GET' | 'POST',
    path: string,
    status: number,
    request: { readonly query?: Record<string, string>; readonly body?: string },
  ) {
    let answer = await call(api.port, method, path, request);
    await until(async () => {
      if (answer.status !== 503) return true;
      answer = await call(api.port, method, path, request);
      return answer.status !== 503;
    }, WITHIN_MS);
    expect([path, answer.status, answer.body]).toEqual([path, status, answer.body]);
    return answer;
  }
}

/** Tests on a database of this dialect that the last release and this tree run side by side, whichever started last. */
export function rollsForwardAndBack(dialect: Dialect): void {
  describe.skipIf(reason !== null)(
    `a rollout over the last release on ${dialect}`,
    { timeout: 600_000 },
    () => {
      let rollout: Rollout;
      let release: Release;
      let scenario: Scenario;
      let old: Build;
      let today: Build;
      beforeAll(async () => {
        [release, rollout] = await Promise.all([lastRelease(), Rollout.begin(dialect)]);
        scenario = new Scenario(rollout, release);
        old = await scenario.startOld();
        await scenario.expectService(old);
      }, 600_000);
      afterAll(async () => {
        await rollout?.release();
        release?.remove();
      });

      it('serves from both builds when processes of this tree start beside older ones', async () => {
        today = await scenario.startNew();
        await scenario.expectService(old, today);
      });

      it('serves from both builds when older processes restart on the migrated tables', async () => {
        await scenario.stop(old);
        await scenario.expectService(today);
        old = await scenario.startOld();
        await scenario.expectService(old, today);
      });

      it('serves from the last release when all processes of this tree are gone', async () => {
        await scenario.stop(today);
        await scenario.expectService(old);
      });
    },
  );
}
