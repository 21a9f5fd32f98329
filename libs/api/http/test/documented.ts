import { DESCRIPTIONS } from '@carillon/api-operations';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiText } from '../src/document/openapi.js';
import { routesOf } from '../src/routes.js';

type Content = { readonly 'application/json': { readonly schema: object } };

interface Operation {
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** The document of a process that has every route. */
export const DOCUMENT = JSON.parse(openApiText(routesOf(DESCRIPTIONS))) as Document;

/** A call and its answer, as far as the document speaks of them. */
export interface Exchanged {
  readonly method: string;
  /** Below the app, without the query. */
  readonly path: string;
  readonly sent: unknown;
  readonly status: number;
  readonly body: unknown;
}

const ajv = new Ajv2020({ strict: false });
const compiled = new Map<string, ValidateFunction>();

/**
 * Returns the undocumented parts of an exchange: operation, status, members of the answer. An accepted request must
 * conform too, since the document is never stricter than the service; refused requests are not checked.
 */
/** Stands for a missing body. */
export const NO_BODY = Symbol('no body');

export function undocumented({ method, path, sent, status, body }: Exchanged): string[] {
  const found = Object.entries(DOCUMENT.paths).find(([template]) => pattern(template).test(path));
  const operation = found?.[1][method.toLowerCase()];
  if (found === undefined || operation === undefined) return [`no operation ${method} ${path}`];
  const name = `${method} ${found[0]}`;
  const response = operation.responses[String(status)];
  if (response === undefined) return [`${name} does not answer ${status}`];
  const ofAnswer = misfits(`${name} ${status}`, response.content, body, closed);
  if (status !== 200 || operation.requestBody === undefined) return ofAnswer;
  if (!operation.requestBody.required && sent === NO_BODY) return ofAnswer;
  return [...ofAnswer, ...misfits(`${name} request`, operation.requestBody.content, sent, (same) => same)];
}

const pattern = (template: string): RegExp =>
  new RegExp(`^${template.replace('/apps/{appId}', '').replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function misfits(name: string, content: Content, value: unknown, view: (schema: object) => object): string[] {
  let validate = compiled.get(name);
  if (validate === undefined) {
    const { schema } = content['application/json'];
    validate = ajv.compile(view({ ...schema, components: DOCUMENT.components }));
    compiled.set(name, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${name}${instancePath} ${message}`);
}

/** The same, but that objects have no members beyond those it names. */
function closed(schema: object): object {
  if (Array.isArray(schema)) return schema.map((item: unknown) => closedValue(item));
  const members = Object.entries(schema).map(([key, value]: [string, unknown]) => [key, closedValue(value)]);
  const copy = Object.fromEntries(members) as object;
  return 'properties' in schema && 'type' in schema ? { ...copy, additionalProperties: false } : copy;
}

const closedValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? closed(value) : value;
