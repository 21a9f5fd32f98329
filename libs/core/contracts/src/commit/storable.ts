import type { Json, Shape } from '../codec/shape.js';
import { text } from '../codec/primitives.js';

/** Text the database takes. */
export function storableText(minBytes: number, maxBytes: number): Shape<string> {
  const ofLength = text(minBytes, maxBytes);
  return (value) =>
    ofLength(value) ?? (isStorable(value as string) ? null : 'holds a character that cannot be stored');
}

/** Whether a database takes the text: no U+0000 and no half of a surrogate pair. */
export const isStorable = (value: string): boolean => !value.includes('\0') && value.isWellFormed();

/** JSON text, kept exactly as sent, including escapes and digits; `accepts` restricts its value. */
export const jsonText =
  (maxBytes: number, accepts: (value: unknown) => boolean = () => true): Shape<string> =>
  (value) => {
    const wrong = text(1, maxBytes)(value);
    if (wrong !== null) return wrong;
    if (!isStorable(value as string)) return 'holds a character that cannot be stored';
    try {
      return accepts(JSON.parse(value as string)) ? null : 'holds JSON of another kind';
    } catch {
      return 'must be JSON text';
    }
  };

/** JSON text of an object. */
export const jsonObjectText = (maxBytes: number): Shape<string> =>
  jsonText(maxBytes, (value) => typeof value === 'object' && value !== null && !Array.isArray(value));

/** JSON in which every text, names included, is storable. Walks without recursion, however deep the value is. */
export const storableJson: Shape<Json> = (value) => {
  if (value === undefined) return 'is missing';
  const left: unknown[] = [value];
  while (left.length > 0) {
    const one = left.pop();
    if (typeof one === 'string' && !isStorable(one)) return 'holds a character that cannot be stored';
    if (typeof one !== 'object' || one === null) continue;
    for (const [name, inner] of Object.entries(one)) {
      if (!isStorable(name)) return 'holds a character that cannot be stored';
      left.push(inner);
    }
  }
  return null;
};
