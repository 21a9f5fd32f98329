import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as contract from '../src/index.js';
import { decoder, encode, type MessageDefinition } from '../src/index.js';
import { REQUIRED, SAMPLES } from './samples.js';

const CAP = 1_000_000;

function isDefinition(one: unknown): one is MessageDefinition<string, object> {
  return typeof one === 'object' && one !== null && 'kind' in one && 'body' in one;
}

const definitions = Object.values<unknown>(contract).filter(isDefinition);

function written(definition: MessageDefinition<string, object>, body: object): string {
  const encoded = encode(definition, body, CAP);
  if (!encoded.ok) throw new Error(encoded.detail);
  return encoded.text;
}

it('there is a sample for every kind, and every kind is a name of its own', () => {
  expect(definitions.map(({ kind }) => kind).sort()).toEqual(Object.keys(SAMPLES).sort());
});

describe.each(definitions.map((definition) => [definition.kind, definition] as const))(
  '%s',
  (kind, definition) => {
    const decode = decoder(definition);
    const sample = SAMPLES[kind] ?? fc.constant({});

    it('comes out as it went in, as text and as bytes', () => {
      fc.assert(
        fc.property(sample, (body) => {
          const text = written(definition, body);
          expect(text.startsWith(`{"v":1,"kind":"${kind}"`)).toBe(true);
          const expected = { ok: true, message: { v: 1, kind, ...JSON.parse(JSON.stringify(body)) } };
          expect(decode(text, CAP)).toEqual(expected);
          expect(decode(Buffer.from(text), CAP)).toEqual(expected);
        }),
      );
    });

    it('ignores members nobody declared', () => {
      fc.assert(
        fc.property(sample, fc.jsonValue(), (body, more) => {
          const text = written(definition, { ...body, zz_new: more });
          expect(decode(text, CAP)).toMatchObject({ ok: true, message: { kind } });
        }),
        { numRuns: 20 },
      );
    });

    it('in another version is told apart from a malformed one', () => {
      fc.assert(
        fc.property(sample, (body) => {
          const text = written(definition, body).replace('"v":1', '"v":2');
          expect(decode(text, CAP)).toMatchObject({ ok: false, reason: 'unsupported-version', kind });
          const broken = text.replace('"v":2', '"v":"1"');
          expect(decode(broken, CAP)).toMatchObject({ ok: false, reason: 'malformed' });
        }),
        { numRuns: 5 },
      );
    });

    it('needs its required members, and no others', () => {
      const required = (REQUIRED[kind] ?? '').split(' ');
      fc.assert(
        fc.property(sample, (body) => {
          for (const name of Object.keys(body)) {
            const { [name as keyof typeof body]: _, ...rest } = body;
            expect(decode(JSON.stringify({ v: 1, kind, ...rest }), CAP).ok).toBe(!required.includes(name));
          }
        }),
        { numRuns: 20 },
      );
    });

    it('with anything in a member is decided without throwing', () => {
      fc.assert(
        fc.property(sample, fc.jsonValue(), fc.nat(), (body, value, at) => {
          const names = Object.keys(body);
          const changed = { v: 1, kind, ...body, [names[at % names.length] ?? 'x']: value };
          const verdict = decode(JSON.stringify(changed), CAP);
          expect(verdict.ok || verdict.reason === 'malformed').toBe(true);
        }),
      );
    });
  },
);
