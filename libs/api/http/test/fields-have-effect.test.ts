import { DESCRIPTIONS, type Description } from '@carillon/api-operations';
import { describe, expect, it } from 'vitest';
import { type Asking, DEMONSTRATIONS } from './demonstrations.js';
import { openEffectScene, seenOf } from './effects.js';

/** `extras.push` needs push targets; `libs/push/api` and the acceptance tests of push show its effect. */
const SHOWN_ELSEWHERE = new Set(['extras.push', 'batch.extras.push']);

type Schema = Readonly<Record<string, unknown>>;

/** Names of the members of a body, those of nested objects and of list items below their own. */
function* membersOf(schema: Schema, prefix = ''): Generator<string> {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  for (const [name, one] of Object.entries(properties)) {
    yield `${prefix}${name}`;
    yield* membersOf((one['items'] as Schema | undefined) ?? one, `${prefix}${name}.`);
  }
}

const documented = ({ options, body, takesRequestKey }: Description): string[] => [
  ...options.map(({ name }) => name),
  ...membersOf(body ?? {}),
  ...(takesRequestKey ? ['X-Idempotency-Key'] : []),
];

async function seen(asking: Asking): Promise<string> {
  const scene = await openEffectScene();
  return seenOf(scene, typeof asking === 'function' ? await asking(scene) : asking);
}

const known = new Map<Asking, Promise<string>>();

/** Effects of the request without the field, which must not vary. Fields share such requests. */
function seenWithout(asking: Asking): Promise<string> {
  let result = known.get(asking);
  if (result === undefined) {
    result = (async () => {
      const [one, other] = [await seen(asking), await seen(asking)];
      expect(other).toBe(one);
      return one;
    })();
    known.set(asking, result);
  }
  return result;
}

describe.each(Object.entries<Description>(DESCRIPTIONS))('%s', (operation, description) => {
  const shown = DEMONSTRATIONS[operation as keyof typeof DESCRIPTIONS];

  it('has a demonstration of every documented field', () => {
    const expected = documented(description).filter((name) => !SHOWN_ELSEWHERE.has(name));
    expect(Object.keys(shown).sort()).toEqual(expected.sort());
  });

  it.each(Object.entries(shown))('behaves differently when %s is given', async (_, demonstration) => {
    const without = await seenWithout(demonstration.without);
    expect(await seen(demonstration.with)).not.toBe(without);
  });
});
