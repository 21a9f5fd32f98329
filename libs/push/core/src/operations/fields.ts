/** Schema of a part of a body for documents and tools. Validation is done by the reader of the field. */
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
