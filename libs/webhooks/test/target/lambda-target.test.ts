import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LambdaTarget } from '../../src/target/lambda-target.js';
import { Receiver } from '../receiver.js';

const body = Buffer.from('{"time_ms":1,"events":[]}');
const place = { function_name: 'notify', region: 'eu-west-1', extra: {} };

/** The cloud's endpoint, and credentials for it, as operators set them. */
function pointTo(receiver: Receiver): LambdaTarget {
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', receiver.url);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'not-a-secret');
  const target = new LambdaTarget();
  onTestFinished(() => target.close());
  return target;
}

const signal = new AbortController().signal;

describe('a function', () => {
  it('is invoked asynchronously with the body, in its region, without a signature of ours', async () => {
    const receiver = await Receiver.open();
    receiver.replies = [202];
    expect(await pointTo(receiver).invoke(place, body, signal)).toEqual({
      kind: 'delivered',
      status: expect.any(Number),
    });
    const [received] = receiver.received;
    expect([received?.method, received?.path]).toEqual(['POST', '/2015-03-31/functions/notify/invocations']);
    expect(received?.headers['x-amz-invocation-type']).toBe('Event');
    expect(received?.headers.authorization).toMatch(
      /Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/lambda\/aws4_request/,
    );
    expect(received?.body).toBe(body.toString());
    expect(received?.headers['x-pusher-signature']).toBe(undefined);
  });

  it('is worth another attempt when it is throttled or the cloud fails, and is asked once an attempt', async () => {
    const receiver = await Receiver.open();
    const target = pointTo(receiver);
    const failing = (status: number, type: string) => {
      receiver.replies = [
        (response) => {
          response.writeHead(status, { 'x-amzn-ErrorType': type, 'Content-Type': 'application/json' });
          response.end(JSON.stringify({ Type: 'x', message: 'x' }));
        },
      ];
      return target.invoke(place, body, signal);
    };
    expect(await failing(429, 'TooManyRequestsException')).toMatchObject({ kind: 'failed' });
    expect(await failing(500, 'ServiceException')).toMatchObject({ kind: 'failed', reason: 'status 500' });
    expect(await failing(404, 'ResourceNotFoundException')).toEqual({
      kind: 'permanent',
      reason: 'status 404',
    });
    expect(await failing(403, 'AccessDeniedException')).toEqual({ kind: 'permanent', reason: 'status 403' });
    expect(receiver.received).toHaveLength(4);
  });

  it('that cannot be reached may be later; given up, it rejects', async () => {
    const receiver = await Receiver.open();
    const target = pointTo(receiver);
    receiver.replies = [(response) => void response.destroy()];
    expect(await target.invoke(place, body, signal)).toMatchObject({ kind: 'failed' });
    receiver.replies = [() => {}];
    await expect(target.invoke(place, body, AbortSignal.timeout(30))).rejects.toThrow('aborted');
  });
});
