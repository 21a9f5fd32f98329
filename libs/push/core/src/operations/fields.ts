/** A part of a body as the document and tools show it. Whatever reads it judges it, also where this says nothing. */
export type Schema = Readonly<Record<string, unknown>>;

export const text = (description: string, maxLength?: number): Schema => ({
  type: 'string',
  minLength: 1,
  ...(maxLength === undefined ? {} : { maxLength }),
  description,
});

export const secret = (description: string): Schema => ({
  type: 'string',
  minLength: 1,
  writeOnly: true,
  description,
});

export const integer = (description: string, minimum = 0): Schema => ({
  type: 'integer',
  minimum,
  description,
});

export const object = (description: string): Schema => ({ type: 'object', description });

export const body = (required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required }),
  properties,
});
