import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../src/api.js';
import { CarillonError } from '../src/error.js';
import { handlePush, PUSH_CHANGED, PUSH_MESSAGE, PushDevice } from '../src/push/index.js';

/** A browser storage for the duration of the test. */
function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
}

/** The push routes, as far as one device sees them. */
function service() {
  const devices = new Map<string, string>();
  const asked: ApiRequest[] = [];
  const api = async (request: ApiRequest): Promise<unknown> => {
    asked.push(request);
    const { body, headers = {} } = request;
    const id = String((body as { id?: string } | undefined)?.id ?? request.path.split('/').at(-1));
    const token = headers['x-service-device-identity-token'];
    if (request.method === 'DELETE' && request.path.includes('Registrations')) devices.delete(id);
    if (request.path !== '/push/deviceRegistrations') return null;
    if (token === undefined) devices.set(id, `token of ${id}`);
    else if (devices.get(id) !== token) throw new CarillonError('unknown', { status: 403 });
    return token === undefined ? { deviceIdentityToken: `token of ${id}` } : {};
  };
  return { devices, asked, api };
}

const recipient = { transportType: 'gcm', registrationToken: 't' } as const;
const details = { platform: 'android', formFactor: 'phone', clientId: 'ada' } as const;

describe('a device', () => {
  it('stays the same from one start to the next, and speaks for itself', async () => {
    const { api, asked, devices } = service();
    const kept = storage();
    const id = await new PushDevice({ api, storage: kept }).register(recipient, details);
    const device = new PushDevice({ api, storage: kept });
    expect(await device.register(recipient, details)).toBe(id);
    expect(devices.size).toBe(1);
    await device.subscribe('orders');
    await device.unsubscribe('orders');
    const headers = {
      'x-service-push-capability': 'push-subscribe',
      'x-service-device-identity-token': `token of ${id}`,
    };
    expect(asked.slice(1)).toMatchObject([
      { method: 'POST', headers },
      {
        method: 'POST',
        path: '/push/channelSubscriptions',
        body: { channel: 'orders', deviceId: id },
        headers,
      },
      { method: 'DELETE', query: { channel: 'orders', deviceId: id }, headers },
    ]);
    expect(asked[0]).toMatchObject({
      headers: {},
      body: { id, ...details, push: { recipient }, timezone: expect.any(String) as unknown },
    });
  });

  it('is registered anew when the service has forgotten it', async () => {
    const { api, devices } = service();
    const device = new PushDevice({ api, storage: storage() });
    const first = await device.register(recipient, details);
    devices.clear();
    const second = await device.register(recipient, details);
    expect(second).not.toBe(first);
    expect([...devices.keys()]).toEqual([second]);
    await device.unregister();
    expect(devices.size).toBe(0);
    await expect(device.subscribe('orders')).rejects.toThrow('not registered');
  });
});

describe('a service worker', () => {
  it('shows what is pushed, tells pages, and opens the app on a click', async () => {
    const listeners = new Map<string, (event: never) => void>();
    const done: unknown[] = [];
    const page = {
      postMessage: (message: unknown) => done.push(['told', message]),
      focus: async () => done.push(['focused']),
    };
    let pages = [page];
    handlePush({
      registration: { showNotification: async (...shown) => void done.push(['shown', ...shown]) },
      clients: {
        matchAll: async () => pages,
        openWindow: async (url) => done.push(['opened', url]),
      },
      addEventListener: (type, listener) => void listeners.set(type, listener),
    });
    const happen = async (type: string, event: object): Promise<void> => {
      const work: Promise<unknown>[] = [];
      const waitUntil = (one: Promise<unknown>) => void work.push(one);
      listeners.get(type)?.({ ...event, waitUntil } as never);
      await Promise.all(work);
    };
    const payload = { notification: { title: 'Order', body: 'is ready' }, data: { url: '/orders/1' } };
    await happen('push', { data: { json: () => payload } });
    expect(done.splice(0)).toEqual([
      ['told', { type: PUSH_MESSAGE, ...payload }],
      ['shown', 'Order', { data: payload.data, body: 'is ready' }],
    ]);
    await happen('pushsubscriptionchange', {});
    expect(done.splice(0)).toEqual([['told', { type: PUSH_CHANGED }]]);
    const notification = { data: payload.data, close: () => done.push(['closed']) };
    await happen('notificationclick', { notification });
    pages = [];
    await happen('notificationclick', { notification });
    expect(done).toEqual([['closed'], ['focused'], ['closed'], ['opened', '/orders/1']]);
  });
});
