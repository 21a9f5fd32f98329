import type { JsonBody } from '../json/json-body.js';
import type { AnyInput, Description } from './description.js';
import type { JsonSchema } from './json-schema.js';
import type { OptionForm } from './option.js';

/** Argument name of the idempotency key. */
const REQUEST_KEY = 'idempotency_key';

const SUBJECTS = {
  channel: { type: 'string', minLength: 1, description: 'Name of the channel.' },
  user_id: { type: 'string', minLength: 1, description: 'Id of the user.' },
  message_serial: { type: 'string', minLength: 1, description: 'Serial of the message.' },
  annotation_serial: { type: 'string', minLength: 1, description: 'Serial of the annotation.' },
} as const;

/**
 * Everything that an operation takes as the members of one object, for faces that know nothing of paths, queries and
 * headers. Nested objects are as the operation reads them; unknown members are refused by the schema.
 */
export function argumentsSchema(description: Description): JsonSchema {
  const { subjects, options, takesRequestKey, body = {} } = description;
  const {
    properties,
    required = [],
    ...more
  } = body as {
    properties?: Readonly<Record<string, JsonSchema>>;
    required?: readonly string[];
  };
  const named = subjects.map((name) => [name, SUBJECTS[name]] as const);
  const chosen = options
    .filter(({ isAlias }) => !isAlias)
    .map(({ name, form, description: text }) => [name, { ...formSchema(form), description: text }] as const);
  const key = { type: 'string', minLength: 1, description: 'The request is carried out once for this key.' };
  const always = [...subjects, ...required];
  return {
    ...more,
    type: 'object',
    properties: {
      ...Object.fromEntries([...named, ...chosen]),
      ...(takesRequestKey ? { [REQUEST_KEY]: key } : {}),
      ...properties,
    },
    ...(always.length === 0 ? {} : { required: always }),
    additionalProperties: false,
  };
}

/** Converts such an object into an input. Invalid values are refused by the operation, as for every transport. */
export function inputOfArguments(description: Description, given: JsonBody): AnyInput {
  const { subjects, options, takesRequestKey, body } = description;
  const textOf = (name: string): string | undefined => argumentText(given.object[name]);
  return {
    ...Object.fromEntries(subjects.map((name) => [name, textOf(name) ?? ''])),
    ...Object.fromEntries(options.map(({ name }) => [name, textOf(name)])),
    ...(takesRequestKey ? { requestKey: textOf(REQUEST_KEY) } : {}),
    ...(body === undefined ? {} : { body: given }),
  };
}

function formSchema(form: OptionForm): JsonSchema {
  if (form.kind === 'integer') return { type: 'integer', minimum: 0 };
  if (form.kind === 'text') return { type: 'string' };
  return { type: 'array', items: { enum: form.words }, uniqueItems: true };
}

/** Undefined: absent, which null is too. */
function argumentText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value);
}
