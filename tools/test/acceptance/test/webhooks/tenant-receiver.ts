import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { openTenant, type Tenant } from '../harness/tenant.js';
import { type HookEvent, Receiver } from './receiver.js';

/** The receiver of a tenant's webhooks for the tests of a file, and that tenant once the receiver is open. */
export interface TenantReceiver {
  readonly receiver: Receiver;
  readonly tenants: () => readonly Tenant[];
}

/** Opens a receiver for the tests of a file; each test starts without events, and none may have been forged. */
export function useTenantReceiver(eventTypes: readonly string[]): TenantReceiver {
  const receiver = new Receiver();
  beforeAll(async () => void (await receiver.open()));
  afterAll(() => {
    expect(receiver.forged).toEqual([]);
    receiver.close();
  });
  beforeEach(() => void receiver.events.splice(0));
  const tenants = () => {
    const shop = openTenant('shop', { webhooks: [{ url: receiver.url, event_types: eventTypes }] });
    receiver.belongsTo(shop);
    return [shop];
  };
  return { receiver, tenants };
}

/** Returns the name of an event, its channel and its user as one line. */
export const eventLine = ({ name, channel, user_id: user }: HookEvent): string =>
  typeof user === 'string' ? `${name} ${String(channel)} ${user}` : `${name} ${String(channel)}`;
