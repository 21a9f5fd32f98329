import { describe, expect, it } from 'vitest';
import {
  accepted,
  type Credential,
  type PushClient,
  rejected,
  retryable,
  type SendOutcome,
  type SendRequest,
} from '../src/index.js';

/** A client and the cloud behind it. */
export interface ClientScene {
  readonly client: PushClient;
  readonly credential: Credential;
  /** A send that the cloud knows. */
  request(name: string): SendRequest;
  /** Sets the response of the cloud to all later sends. */
  answer(outcome: SendOutcome): unknown;
  /** Makes the cloud stop answering. */
  hang(): unknown;
  /** Number of distinguishable sends that arrived. */
  arrived(): number | Promise<number>;
}

const OUTCOMES: readonly SendOutcome[] = [
  accepted('an-id'),
  rejected('invalid_token', 'device_terminal', 'UNREGISTERED'),
  retryable('quota', 'provider_quota', 'quota', { retryAtMs: Date.now() + 60_000 }),
  retryable('unavailable', 'provider_transient', 'unavailable'),
];

/** Requirements of every client. `open` returns a client and cloud of its own, closed after the test. */
export function clientConformance(name: string, open: () => Promise<ClientScene>): void {
  describe(`${name}: what every client of a provider promises`, () => {
    it('is of the provider of its credential', async () => {
      const { client, credential } = await open();
      expect(client.provider).toBe(credential.provider);
    });

    it.each(OUTCOMES)('tells %o', async (outcome) => {
      const { client, request, answer } = await open();
      await answer(outcome);
      const got = await client.send(request('one'), new AbortController().signal);
      expect(got.kind).toBe(outcome.kind);
      if (got.kind !== 'accepted' && outcome.kind !== 'accepted') {
        expect(got.failureClass).toBe(outcome.failureClass);
      }
    });

    it('carries many sends at once, each exactly once', async () => {
      const { client, request, arrived } = await open();
      const { signal } = new AbortController();
      const sends = Array.from({ length: 100 }, (_, index) =>
        client.send(request(`of many ${index}`), signal),
      );
      const outcomes = await Promise.all(sends);
      expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
      expect(await arrived()).toBe(100);
    });

    it('ends a send whose signal is aborted, without an error', async () => {
      const { client, request, hang } = await open();
      await hang();
      const stop = new AbortController();
      const sent = client.send(request('one'), stop.signal);
      stop.abort();
      expect(await sent).toMatchObject({ kind: 'retryable', failureClass: 'network_transport' });
    });

    it('may be closed twice, and sends nothing afterwards', async () => {
      const { client, request, arrived } = await open();
      await client.close();
      await client.close();
      const outcome = await client.send(request('late'), new AbortController().signal);
      expect(outcome).toMatchObject({ kind: 'retryable', failureClass: 'network_transport' });
      expect(await arrived()).toBe(0);
    });
  });
}
