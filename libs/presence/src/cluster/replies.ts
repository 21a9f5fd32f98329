/** An answer that is not what the script gives: somebody else's data, or another version's. */
const strange = () => new Error('the answer of the store cannot be read');

export function list(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw strange();
  return reply;
}

export function text(reply: unknown): string {
  if (typeof reply !== 'string') throw strange();
  return reply;
}

export function whole(reply: unknown): number {
  const value = typeof reply === 'string' ? Number(reply) : reply;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw strange();
  return value;
}

export function oneOf<const Words extends readonly string[]>(reply: unknown, words: Words): Words[number] {
  const found = words.find((word) => word === reply);
  if (found === undefined) throw strange();
  return found;
}
