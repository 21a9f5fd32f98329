import { expect, it } from 'vitest';
import { RECIPIENT, TARGET } from '../src/operations/addresses.js';
import { readTargets } from '../src/admission/targets.js';
import { readRecipient, type RecipientRules } from '../src/resources/recipient.js';

const RULES: RecipientRules = {
  deviceUrls: { allowLocal: false, allowedHosts: [], deniedHosts: [], wnsHosts: [] },
  reachesChannels: true,
  checkChannel: (name) => name,
};

/** Sample values by member name. */
const VALUES: Readonly<Record<string, unknown>> = {
  auth: Buffer.alloc(16).toString('base64url'),
  channel: 'news',
  channelUri: 'https://db3.notify.windows.com/?token=x',
  endpoint: 'https://fcm.googleapis.com/fcm/send/x',
  p256dh: Buffer.from([4, ...Buffer.alloc(64)]).toString('base64url'),
  recipient: { transportType: 'gcm', registrationToken: 't' },
  provider: 'fcm',
};

interface Way {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, { readonly const?: string }>>;
}

const ways = ({ oneOf }: Readonly<Record<string, unknown>>): readonly Way[] => oneOf as Way[];

const sample = ({ properties }: Way): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { const: fixed }]) => [name, fixed ?? VALUES[name] ?? 't']),
  );

const reads = (member: string, value: unknown): unknown =>
  member === 'transportType' ? readRecipient(value, RULES) : readTargets([value], RULES);

it.each([
  ['transportType', RECIPIENT],
  ['type', TARGET],
] as const)('what the document says of each %s is what the service takes, and needs', (member, schema) => {
  for (const way of ways(schema)) {
    const whole = sample(way);
    expect(reads(member, whole)).toBeTruthy();
    for (const name of way.required) {
      const { [name]: _missing, ...others } = whole;
      expect(() => reads(member, others)).toThrow(name);
    }
  }
});

it('a channel is an address only where Ably clients are served', () => {
  const here = { ...RULES, reachesChannels: false };
  const address = { transportType: 'realtime', channel: 'news' };
  expect(() => readRecipient(address, here)).toThrow(/gcm, apns, web, hms, wns$/);
  expect(() => readRecipient({ transportType: 'pigeon' }, RULES)).toThrow(/wns, realtime$/);
});
