import type { Problem } from '../problem.js';
import type { Config } from '../schema/index.js';
import { clustered, duplicates, rule, type Rule } from './rule.js';

type Source = Config['ingest']['sources'][number];

const DEAD_LETTER = { kafka: 'topic', nats: 'subject', redis: 'stream', rabbitmq: 'exchange' } as const;

/** Settings that a type needs, by path within the source. */
function missing(source: Source): readonly string[] {
  const { type, format, map } = source;
  const absent: readonly (readonly [string, boolean])[] = [
    ['url', source.url === null && (type === 'postgres' || type === 'redis' || type === 'rabbitmq')],
    ['queue', type === 'rabbitmq' && source.queue === null],
    ['brokers', type === 'kafka' && source.brokers.length === 0],
    ['topics', type === 'kafka' && source.topics.length === 0],
    ['servers', type === 'nats' && source.servers.length === 0],
    ['stream', (type === 'nats' || type === 'redis') && source.stream === null],
    [
      'map.channel',
      type !== 'postgres' && format === 'template' && map.op !== 'push' && map.channel === null,
    ],
    [
      'map.event',
      type !== 'postgres' &&
        format === 'template' &&
        (map.op ?? 'publish') === 'publish' &&
        map.event === null,
    ],
  ];
  return absent.filter(([, isAbsent]) => isAbsent).map(([path]) => path);
}

function problemsOf(source: Source, index: number): readonly Problem[] {
  const at = (path: string): string => `ingest.sources[${index}].${path}`;
  const found = missing(source).map((path) => ({ path: at(path), message: 'must not be empty' }));
  const { type, on_bad, dead_letter } = source;
  const lacksDeadLetter = type !== 'postgres' && on_bad !== 'drop' && dead_letter[DEAD_LETTER[type]] === null;
  if (lacksDeadLetter)
    found.push({ path: at(`dead_letter.${DEAD_LETTER[type]}`), message: 'required when on_bad is not drop' });
  if (source.retry_base_ms > source.retry_max_ms)
    found.push({ path: at('retry_base_ms'), message: 'must be at most retry_max_ms' });
  return found;
}

const sources: Rule = {
  id: 'ingest-sources',
  severity: 'error',
  check: ({ config }) => {
    const { sources: all } = config.ingest;
    const twice = duplicates(all.map(({ name }) => name).filter((name) => name !== ''));
    return [
      ...all.flatMap(problemsOf),
      ...twice.map((name) => ({ path: 'ingest.sources', message: `duplicate source name "${name}"` })),
    ];
  },
};

/** Rules between sources, and between sources and the process. */
export const ingestRules: readonly Rule[] = [
  sources,
  rule(
    'ingest-empty',
    'ingest.sources',
    'must not be empty',
    (config, { process }) => process === 'ingest' && config.ingest.sources.length === 0,
  ),
  rule(
    'X18',
    '',
    'ingest requires a horizontal adapter',
    (config, { process }) => process === 'ingest' && !clustered(config),
  ),
];
