import { type Answer as CloudAnswer, rejected, retryable, accepted } from '@carillon/push-providers';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { fcmDevice, type Scene } from '../scene.js';

const ACCEPT: CloudAnswer = () => accepted('m-1');
const hasState =
  (...states: string[]) =>
  ({ state }: Readonly<Record<string, unknown>>) =>
    states.includes(String(state));

const to = (...tokens: string[]) =>
  tokens.map((registrationToken) => ({
    type: 'recipient',
    recipient: { transportType: 'gcm', registrationToken },
  }));

/** Outcomes of publishes. */
export function deliveries(open: () => Scene): void {
  let scene: Scene;
  let sent: Scene['send'];
  beforeAll(() => {
    scene = open();
    sent = scene.send;
  });
  beforeEach(() => scene.clouds.answer(ACCEPT));

  const register = async (id: string, channel?: string, more = {}) => {
    const answer = await sent('POST', '/deviceRegistrations', fcmDevice(id, more));
    expect(answer.status).toBe(201);
    if (channel !== undefined) await sent('POST', '/channelSubscriptions', { channel, deviceId: id });
    return answer.body;
  };
  const tokensOf = (prefix: string): string[] =>
    scene.clouds.arrivals
      .map(({ target }) =>
        target.kind === 'recipient' && 'registrationToken' in target.recipient
          ? target.recipient.registrationToken
          : '',
      )
      .filter((token) => token.startsWith(`secret-token-of-${prefix}`))
      .toSorted();
  const publish = (publishId: string, recipients: readonly object[], more = {}) =>
    sent('POST', '/publish', { publishId, recipients, payload: { title: 'Hi', body: 'There' }, ...more });

  it('delivers a publish to a channel, and says so (28)', async () => {
    await register('a28', 'c28');
    const answer = await publish('p28', [{ type: 'channel', channel: 'c28' }]);
    expect(answer).toMatchObject({
      status: 202,
      body: { publishId: 'p28', status: 'accepted', expectedRecipients: 1, fanoutRegime: 'fastPath' },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body['renderedPayloads']).toHaveLength(5);
    const status = await scene.until('p28', hasState('succeeded'));
    expect(status['counters']).toMatchObject({ planned: 1, dispatched: 1, succeeded: 1, failed: 0 });
    expect(tokensOf('a28')).toHaveLength(1);
  });

  it('publishes the same publish once (30)', async () => {
    await register('a30');
    const target = [{ type: 'device', device_id: 'a30' }];
    expect((await publish('p30', target)).body).not.toHaveProperty('duplicate');
    const again = await publish('p30', target, { payload: { title: 'Other' } });
    expect(again).toMatchObject({ status: 202, body: { publishId: 'p30', duplicate: true } });
    const keyed = { recipients: target, payload: { title: 'Keyed' }, idempotency_key: 'k30' };
    const [first, second] = [await sent('POST', '/publish', keyed), await sent('POST', '/publish', keyed)];
    expect(second.body['publishId']).toBe(first.body['publishId']);
    const other = await sent('POST', '/publish', { ...keyed, payload: { title: 'Else' } });
    expect(other).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await scene.until(String(first.body['publishId']), hasState('succeeded'));
    await scene.until('p30', hasState('succeeded'));
    expect(tokensOf('a30')).toHaveLength(2);
  });

  it('reaches a device once that two targets reach (31)', async () => {
    await register('a31', 'c31', { clientId: 'u31' });
    await publish('p31', [
      { type: 'channel', channel: 'c31' },
      { type: 'client', client_id: 'u31' },
    ]);
    const { counters } = await scene.until('p31', hasState('succeeded'));
    expect(counters).toMatchObject({ planned: 1, succeeded: 1 });
    expect(tokensOf('a31')).toHaveLength(1);
  });

  it('is done at once where there is nobody (32, 33)', async () => {
    await publish('p32', [
      { type: 'channel', channel: 'c32' },
      { type: 'device', deviceId: 'nobody' },
    ]);
    const status = await scene.until('p32', hasState('succeeded'));
    expect(status['counters']).toMatchObject({ planned: 0 });
  });

  it('removes a device whose token is dead, and keeps one that is not to blame (45)', async () => {
    await register('a45', 'c45');
    await register('b45', 'c45');
    scene.clouds.answer(({ target }) =>
      target.kind === 'recipient' &&
      'registrationToken' in target.recipient &&
      target.recipient.registrationToken.endsWith('a45')
        ? rejected('invalid_token', 'device_terminal', 'UNREGISTERED')
        : rejected('project_mismatch', 'credential_auth', 'sender_id_mismatch'),
    );
    await publish('p45', [{ type: 'channel', channel: 'c45' }]);
    const { counters } = await scene.until('p45', hasState('failed'));
    expect(counters).toMatchObject({ planned: 2, failed: 2, dispatched: 2 });
    await expect.poll(async () => (await sent('GET', '/deviceRegistrations/a45')).status).toBe(404);
    expect((await sent('GET', '/deviceRegistrations/b45')).status).toBe(200);
    const { items } = (await sent('GET', '/channelSubscriptions?channel=c45')).body;
    expect(items.map(({ deviceId }) => deviceId)).toEqual(['b45']);
  });

  it('tries again what may succeed later, when the provider says (46)', async () => {
    await register('a46');
    const at: number[] = [];
    scene.clouds.answer(({ earlier }) => {
      at.push(Date.now());
      return earlier === 0
        ? retryable('quota', 'provider_quota', 'quota', { retryAtMs: Date.now() + 300, deviceOnly: true })
        : accepted('m');
    });
    await publish('p46', [{ type: 'device', deviceId: 'a46' }]);
    const { counters } = await scene.until('p46', hasState('succeeded'));
    expect(counters).toMatchObject({ dispatched: 1, succeeded: 1, retryScheduled: 1, retryAttempted: 1 });
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(295);
  });

  it('gives up after the last attempt, and delivers when it is replayed (47, 48)', async () => {
    await register('a47');
    // Another's failures must not hold this one up: each is of its device alone.
    scene.clouds.answer(() =>
      retryable('unavailable', 'provider_transient', 'unavailable', { deviceOnly: true }),
    );
    await publish('p47', [{ type: 'device', deviceId: 'a47' }]);
    const dead = await scene.until('p47', hasState('dead_lettered'));
    expect(dead['counters']).toMatchObject({ deadLettered: 1, retryScheduled: 5, retryAttempted: 4 });
    expect(tokensOf('a47')).toHaveLength(5);
    const { items } = (await sent('GET', '/deadLetters?provider=fcm&limit=1000')).body;
    const letter = items.find(({ publishId }) => publishId === 'p47');
    expect(letter).toMatchObject({
      reason: 'retry attempts exhausted',
      replayable: true,
      stage: 'retry_schedule',
    });
    const path = `/deadLetters/${String(letter?.['deadLetterId'])}/replay`;
    scene.clouds.answer(ACCEPT);
    expect(await sent('POST', path)).toMatchObject({ status: 202, body: { replayed: true } });
    await scene.until('p47', hasState('succeeded'));
    expect((await sent('POST', path)).status).toBe(400);
    expect((await sent('POST', '/deadLetters/none/replay')).status).toBe(404);
  });

  it('waits until a publish is due, and cancels one that is not (43, 44)', async () => {
    await register('a43');
    const target = [{ type: 'device', deviceId: 'a43' }];
    await publish('p43', target, { notBeforeMs: Date.now() + 60_000 });
    expect((await sent('DELETE', '/scheduled/p43')).status).toBe(204);
    expect((await sent('DELETE', '/scheduled/p43')).status).toBe(204);
    expect((await sent('DELETE', '/scheduled/nothing')).status).toBe(204);
    expect((await sent('GET', '/publish/p43/status')).body['state']).toBe('cancelled');
    await publish('p44', target, { notBeforeMs: Date.now() + 200 });
    await scene.until('p44', hasState('succeeded'));
    expect((await sent('DELETE', '/scheduled/p44')).status).toBe(409);
    expect(tokensOf('a43')).toHaveLength(1);
    const late = await publish('p44x', target, { expiresAtMs: Date.now() - 1 });
    expect(late.body['status']).toBe('expired');
  });

  it('takes in what others found out, once (53)', async () => {
    await register('a53');
    await publish('p53', [{ type: 'device', deviceId: 'a53' }]);
    await scene.until('p53', hasState('succeeded'));
    const event = {
      publishId: 'p53',
      eventId: 'e53',
      occurredAtMs: Date.now(),
      result: {
        provider: 'fcm',
        outcome: 'rejected',
        attempt: 1,
        deviceId: 'a53',
        error: { class: 'invalid_token', reason: 'UNREGISTERED' },
      },
    };
    const answer = await sent('POST', '/deliveryStatus', event);
    expect(answer).toMatchObject({ status: 202, body: { appId: 'shop', eventId: 'e53' } });
    await expect.poll(async () => (await sent('GET', '/deviceRegistrations/a53')).status).toBe(404);
    expect((await sent('GET', '/publish/p53/status')).body['state']).toBe('succeeded');
    await register('a53');
    await sent('POST', '/deliveryStatus', event);
    expect((await sent('GET', '/deviceRegistrations/a53')).status).toBe(200);
    expect((await sent('POST', '/deliveryStatus', { ...event, eventId: undefined })).status).toBe(400);
  });

  it('takes in what became of a delivery to nobody’s device, where it is clear which is meant (53)', async () => {
    const tell = (publishId: string, eventId: string, more: object = {}) =>
      sent('POST', '/deliveryStatus', {
        publishId,
        eventId,
        occurredAtMs: Date.now(),
        result: { provider: 'fcm', outcome: 'accepted', attempt: 1, ...more },
      });
    const never = { notBeforeMs: Date.now() + 60_000 };
    expect((await tell('nothing', 'e')).status).toBe(202);
    scene.clouds.answer(() =>
      retryable('quota', 'provider_quota', 'quota', { retryAtMs: Date.now() + 600_000, deviceOnly: true }),
    );
    await publish('p53-one', to('told-1'));
    await scene.until(
      'p53-one',
      ({ counters }) => (counters as Record<string, number>)['retryScheduled'] === 1,
    );
    expect((await tell('p53-one', 'e', { batchId: 'another-batch' })).status).toBe(202);
    expect((await tell('p53-one', 'e2')).status).toBe(202);
    expect((await scene.until('p53-one', hasState('succeeded')))['counters']).toMatchObject({ succeeded: 1 });
    await publish('p53-two', to('told-2', 'told-3'));
    await scene.until(
      'p53-two',
      ({ counters }) => (counters as Record<string, number>)['retryScheduled'] === 2,
    );
    await tell('p53-two', 'e');
    expect((await scene.store.openClaims('shop', 'p53-two', null, 10)).map(({ state }) => state)).toEqual([
      'retry',
      'retry',
    ]);
    await publish('p53-later', to('told-4'), never);
    await tell('p53-later', 'e');
    expect((await sent('GET', '/publish/p53-later/status')).body['state']).toBe('queued');
  });
}
