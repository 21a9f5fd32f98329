import * as fc from 'fast-check';
import { WEBHOOK_EVENT_NAMES } from '../../src/index.js';

const u32 = fc.integer({ min: 0, max: 4_294_967_295 });
const positive = fc.integer({ min: 1, max: 1_000_000 });
const text = fc.string({ minLength: 1, maxLength: 20 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const sometimes = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [] });
/** Members no version knows, also under names that objects have by birth. */
const unknown = fc.dictionary(
  fc.constantFrom('x_future', 'x_other', '__proto__', 'constructor', 'extra'),
  fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value))),
  {
    maxKeys: 2,
  },
);
const withUnknown = <T extends object>(known: fc.Arbitrary<T>) =>
  fc.tuple(unknown, known).map(([more, members]) => Object.assign(more, members) as object);

const limits = withUnknown(
  sometimes({
    max_connections: u32,
    max_client_events_per_second: u32,
    max_backend_events_per_second: fc.oneof(u32, fc.constant(null), u32.map(String)),
    max_event_payload_in_kb: u32,
    decay_seconds: positive,
    terminate_on_limit: fc.boolean(),
    message_rate_limit: withUnknown(sometimes({ enabled: fc.boolean(), max_attempts: u32 })),
  }),
);

const namespace = withUnknown(
  fc.record(
    {
      name: fc.constantFrom('chat', 'room', 'n1', 'constructor'),
      channel_name_pattern: fc.constantFrom('^chat:[a-z]+$', '.', 'a|b'),
      allow_publish_for_client: fc.boolean(),
      history: withUnknown(sometimes({ max_messages_per_channel: positive })),
    },
    { requiredKeys: ['name'] },
  ),
);

const channels = withUnknown(
  sometimes({
    allowed_origins: fc.array(
      fc.constantFrom('*', '*.example.com', 'https://*.example.com', 'localhost:3000'),
    ),
    annotations_enabled: fc.boolean(),
    channel_delta_compression: fc.dictionary(
      fc.constantFrom('ticker-*', 'logs', '__proto__'),
      fc.oneof(
        fc.constantFrom('inherit', 'Disabled', 'fossil', 'XDELTA3'),
        withUnknown(sometimes({ algorithm: fc.constantFrom('Fossil', 'Xdelta3'), conflation_key: text })),
      ),
    ),
    channel_namespaces: fc.uniqueArray(namespace, {
      maxLength: 3,
      selector: (one) => (one as { name: string }).name,
    }),
  }),
);

const target = fc.oneof(
  fc.record({ url: fc.webUrl() }),
  fc.record({ lambda_function: text }),
  fc.record({ lambda: withUnknown(fc.record({ function_name: text, region: text })) }),
);

const webhook = fc
  .tuple(
    target,
    withUnknown(
      fc.record(
        {
          event_types: fc.array(fc.constantFrom(...WEBHOOK_EVENT_NAMES, 'x_new'), {
            minLength: 1,
            maxLength: 3,
          }),
          filter: withUnknown(
            sometimes({ channel_prefix: text, channel_pattern: fc.constantFrom('a+', '(') }),
          ),
          headers: fc.dictionary(fc.constantFrom('x-env', 'X-Zone', '__proto__'), fc.constantFrom('', 'eu')),
          retry: withUnknown(sometimes({ enabled: fc.boolean(), max_attempts: positive })),
        },
        { requiredKeys: ['event_types'] },
      ),
    ),
  )
  .map(([target, rest]) => Object.assign(rest, target));

const policy = withUnknown(
  sometimes({
    limits,
    features: withUnknown(sometimes({ enable_client_messages: fc.boolean() })),
    channels,
    webhooks: fc.array(webhook, { maxLength: 3 }),
    idempotency: withUnknown(sometimes({ enabled: fc.boolean(), ttl_seconds: positive })),
    history: withUnknown(sometimes({ enabled: fc.boolean(), retention_window_seconds: positive })),
  }),
);

/** Any valid record in the form with a policy, as stored. */
export const rawRecord: fc.Arbitrary<object> = withUnknown(
  fc.record(
    {
      id: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      key: text,
      secret: text,
      enabled: maybe(fc.boolean()),
      policy,
    },
    { requiredKeys: ['id', 'key', 'secret', 'policy'] },
  ),
);
