import { DRIVER_FACTS, QUEUE_FACTS } from './driver-facts.js';

const TITLES: Readonly<Record<string, string>> = {
  'adapter.driver': 'Broker: live messages, requests and membership between processes',
  'queue.driver': 'Queue: webhooks and push (`push.queue_driver` has the same drivers, except `none`)',
  'app_manager.driver': 'App registry',
  'history.backend': 'Histories, versions and annotations',
  'push.storage_driver': 'Push: devices, subscriptions and publishes',
};

const yes = (is: boolean): string => (is ? 'yes' : 'no');

function serversTable(setting: string): readonly string[] {
  const rows = Object.entries(DRIVER_FACTS[setting] ?? {}).map(
    ([driver, { library, isOptional, backend, notProven }]) => {
      const from = library === null ? '–' : `\`${library}\`${isOptional === true ? ' (optional)' : ''}`;
      return `| \`${driver}\` | ${from} | ${backend} | ${notProven ?? '–'} |`;
    },
  );
  return ['| driver | client library | tested against | not proven |', '|---|---|---|---|', ...rows];
}

function queueTable(): readonly string[] {
  const rows = Object.entries(QUEUE_FACTS).map(([driver, facts]) => {
    const { delayedDelivery, deduplication, deadLetter, observableLag, fairOwners } = facts;
    const cells = [delayedDelivery, deduplication, deadLetter, observableLag, fairOwners].map(yes);
    return `| \`${driver}\` | ${cells.join(' | ')} |`;
  });
  return [
    '',
    '| driver | delayed jobs | deduplication | dead letters | reports its depth | apps in turn over the whole queue |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    'A job that needs more than its driver can do is refused when it is enqueued. With `queue.sqs.fifo`, SQS deduplicates and',
    'does not delay.',
  ];
}

/** Returns the page with every driver: client library, test backend, and unproven behaviour. */
export function driversPage(): string {
  return [
    '# Drivers',
    '',
    'Generated from `libs/config/src/pages/driver-facts.ts`; do not edit.',
    '',
    'All drivers of one setting pass the same conformance suite. A client library is loaded when its driver is configured. An',
    'optional library is an optional peer dependency: images built with `DRIVERS=common` do not contain it, and a start that',
    'needs it names the package to install. `--check-config` checks the settings of a driver without a connection.',
    ...Object.entries(TITLES).flatMap(([setting, title]) => [
      '',
      `## \`${setting}\``,
      '',
      `${title}.`,
      '',
      ...serversTable(setting),
      ...(setting === 'queue.driver' ? queueTable() : []),
    ]),
    '',
  ].join('\n');
}
