import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeTable } from '../src/kernel/decode-table.js';
import type { Findings, LeafNode } from '../src/kernel/node.js';
import { leavesOf, valueAt, type PlacedLeaf } from '../src/kernel/walk.js';
import { applyEnvironment } from '../src/load/environment.js';
import { unfilled } from '../src/load/settle.js';
import { settingsByVariable } from '../src/pages/entries.js';
import { schema } from '../src/schema/index.js';
import { Secret } from '../src/secret.js';

const LEAVES = leavesOf(schema);

/** Variables that reach several settings on purpose, besides those of brokers shared by adapter and queue. */
const FAN_OUT = new Set([
  'REDIS_URL',
  'REDIS_CLUSTER_NODES',
  'DATABASE_REDIS_CLUSTER_NODES',
  'CACHE_TTL_SECONDS',
  'DATABASE_CONNECTION_POOL_SIZE',
]);
const BROKER = /^(NATS|PULSAR|RABBITMQ|GOOGLE_PUBSUB|KAFKA|IGGY)_|^PUBSUB_EMULATOR_HOST$/;

const noFindings = (): Findings => ({ problems: [], warnings: [], unknownKeys: [], configured: new Set() });

/** Two values of a setting in a file and in a variable, and the values read. */
interface Sample {
  readonly raw: unknown;
  readonly text: string;
  readonly value: unknown;
}

function sample({ type }: LeafNode<unknown>, seed: number): Sample {
  const { jsonSchema, name } = type;
  const words = jsonSchema['enum'] as readonly string[] | undefined;
  const word = words?.[seed % words.length];
  if (word !== undefined) return { raw: word, text: word, value: word === 'human' ? 'text' : word };
  if (name === 'bool') return { raw: seed % 2 === 0, text: String(seed % 2 === 0), value: seed % 2 === 0 };
  if (/^u\d/.test(name)) return { raw: seed, text: String(seed), value: seed };
  if (name === 'f64') return { raw: seed / 8, text: String(seed / 8), value: seed / 8 };
  if (name === 'map of strings') return { raw: { k: `${seed}` }, text: `k=${seed}`, value: { k: `${seed}` } };
  if (name.startsWith('list of secret')) return { raw: [`s${seed}`], text: `s${seed}`, value: [`s${seed}`] };
  if (name.startsWith('list')) return { raw: [`i${seed}`], text: `i${seed}`, value: [`i${seed}`] };
  return { raw: `t${seed}`, text: `t${seed}`, value: `t${seed}` };
}

const revealed = (value: unknown): unknown => {
  if (value instanceof Secret) return value.reveal();
  return Array.isArray(value) ? value.map(revealed) : value;
};

const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function settled(placed: PlacedLeaf, raw: unknown, env: Readonly<Record<string, string>>): unknown {
  const findings = noFindings();
  const tree = decodeTable(schema, raw, '', findings);
  applyEnvironment(tree, env, findings);
  expect(findings.problems).toEqual([]);
  return revealed(valueAt(tree, placed.path));
}

const overridable = LEAVES.filter(({ node }) => node.env.some(({ effect }) => effect === 'value'));

describe('every setting with a variable', () => {
  it('takes the variable over the file and the file over the default', () => {
    for (const placed of overridable) {
      fc.assert(
        fc.property(fc.nat(65_000), fc.nat(65_000), (one, two) => {
          const file = sample(placed.node, one);
          const variable = sample(placed.node, two);
          const names = placed.node.env.filter(({ effect }) => effect === 'value').map(({ name }) => name);
          const raw = nested(placed.path, file.raw);
          expect(settled(placed, {}, {})).toEqual(revealed(placed.node.default));
          expect(settled(placed, raw, {})).toEqual(file.value);
          for (const name of names)
            expect(settled(placed, raw, { [name]: variable.text })).toEqual(variable.value);
        }),
        { numRuns: 1 },
      );
    }
  });

  it('lets the last of several variables win', () => {
    const several = overridable.filter(
      ({ node }) => node.env.length > 1 && node.env.every(({ effect }) => effect === 'value'),
    );
    expect(several.length).toBeGreaterThan(20);
    for (const placed of several) {
      const env = Object.fromEntries(
        placed.node.env.map(({ name }, index) => [name, sample(placed.node, index + 1).text]),
      );
      expect(settled(placed, {}, env)).toEqual(sample(placed.node, placed.node.env.length).value);
    }
  });
});

describe('the schema', () => {
  it('gives a variable several settings only on purpose', () => {
    const shared = [...settingsByVariable()].filter(([, leaves]) => leaves.length > 1).map(([name]) => name);
    expect(shared.filter((name) => !FAN_OUT.has(name) && !BROKER.test(name))).toEqual([]);
    expect(shared.filter((name) => FAN_OUT.has(name))).toHaveLength(FAN_OUT.size);
  });

  it('has no default of null outside optional and derived settings', () => {
    const bare = LEAVES.filter(
      ({ node }) => node.default === null && !node.optional && node.derived === null,
    );
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('fills in every derived setting', () => {
    expect(unfilled()).toEqual([]);
  });

  it('holds every password, token and key as a secret', () => {
    const suspicious =
      /(^|_)(password|passphrase|token|secret|private_key|encryption_key)(_previous)?$|_json$|aws_secret/;
    const open = LEAVES.filter(
      ({ path, node }) => suspicious.test(path.slice(path.lastIndexOf('.') + 1)) && !node.secret,
    );
    expect(open.map(({ path }) => path)).toEqual([]);
  });

  it('says what every setting means', () => {
    expect(LEAVES.filter(({ node }) => node.meaning === '').map(({ path }) => path)).toEqual([]);
  });
});
