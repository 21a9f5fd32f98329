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

/** The fields of a hash: in turn, as scripts answer them, or as the client library makes an object of them. */
export function pairs(reply: unknown): [name: string, value: string][] {
  if (!Array.isArray(reply)) {
    if (typeof reply !== 'object' || reply === null) throw strange();
    return Object.entries(reply).map(([name, value]) => [name, text(value)]);
  }
  const found: [string, string][] = [];
  for (let at = 0; at < reply.length; at += 2) found.push([text(reply[at]), text(reply[at + 1])]);
  return found;
}
