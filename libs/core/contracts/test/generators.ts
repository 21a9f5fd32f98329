import * as fc from 'fast-check';

/** Short enough for the tightest bound. */
export const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .filter((text) => Buffer.byteLength(text) <= 64);
export const app = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
export const node = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
export const count = fc.nat();
export const socket = fc.tuple(fc.nat(), fc.nat()).map(([left, right]) => `${left}.${right}`);
export const uuid = fc.uuid();
export const any = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
export const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 4 });
export const byName = <T>(one: fc.Arbitrary<T>) =>
  fc.dictionary(name, one, { maxKeys: 4, noNullPrototype: true });
export const members = <T extends object>(
  all: { [K in keyof T]: fc.Arbitrary<T[K]> },
  ...required: (keyof T)[]
) => fc.record(all, { requiredKeys: required, noNullPrototype: true });
export const whole = <T extends object>(all: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(all, { noNullPrototype: true });
