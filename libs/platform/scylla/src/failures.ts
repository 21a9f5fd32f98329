import { errors, types } from 'cassandra-driver';
import type { ScyllaSettings } from './settings.js';

/** No node answers in time, or too few replicas do. A write that was rejected that way may have happened. */
export class ScyllaUnavailable extends Error {
  override readonly name = 'ScyllaUnavailable';
}

/** The server answers and refuses: credentials, permissions, or a statement that does not fit the schema. */
export class ScyllaRejected extends Error {
  override readonly name = 'ScyllaRejected';
}

const { responseErrorCodes: CODES } = types;

/** Answers of a server that refuses the statement itself; it refuses it again when it is repeated. */
const REFUSALS: ReadonlySet<number> = new Set([
  CODES.protocolError,
  CODES.syntaxError,
  CODES.unauthorized,
  CODES.invalid,
  CODES.configError,
  CODES.alreadyExists,
]);

const SCHEMA_CODES: ReadonlySet<number> = new Set([CODES.invalid, CODES.configError, CODES.alreadyExists]);

/** Translates an error of the client library. Errors of other origin are returned as they are. */
export function explainFailure(thrown: unknown, settings: ScyllaSettings): unknown {
  if (thrown instanceof ScyllaUnavailable || thrown instanceof ScyllaRejected) return thrown;
  const cause = thrown instanceof errors.NoHostAvailableError ? (innerError(thrown) ?? thrown) : thrown;
  if (isAuthentication(cause)) return new ScyllaRejected(credentialsText(settings), { cause });
  if (cause instanceof errors.ResponseError && REFUSALS.has(cause.code)) {
    return new ScyllaRejected(`${nodesText(settings)} refuse the statement: ${cause.message}`, { cause });
  }
  if (!isUnavailable(thrown)) return thrown;
  return new ScyllaUnavailable(`${nodesText(settings)} do not answer: ${textOf(cause)}`, { cause: thrown });
}

/** True if the user has no permission for a statement. */
export const isForbidden = (thrown: unknown): boolean =>
  thrown instanceof ScyllaRejected && codeOf(thrown.cause) === CODES.unauthorized;

/** True if a statement does not fit the schema as the node knows it. */
export const isSchemaRefusal = (thrown: unknown): boolean =>
  thrown instanceof ScyllaRejected && SCHEMA_CODES.has(codeOf(thrown.cause) ?? -1);

const nodesText = ({ nodes }: ScyllaSettings): string =>
  `the nodes of database.scylladb.nodes (${nodes.join(', ')})`;

function credentialsText({ username }: ScyllaSettings): string {
  if (username === null) {
    return 'the server requires credentials; set database.scylladb.username and database.scylladb.password';
  }
  return `the server rejects database.scylladb.username "${username}" and database.scylladb.password`;
}

/** An authentication failure takes precedence over failures of other nodes. */
function innerError({ innerErrors }: errors.NoHostAvailableError): unknown {
  const inner: unknown[] = Object.values((innerErrors as object | null) ?? {});
  return inner.find(isAuthentication) ?? inner[0];
}

const isAuthentication = (thrown: unknown): boolean =>
  thrown instanceof errors.AuthenticationError || codeOf(thrown) === CODES.badCredentials;

/** The library and the network throw errors of many classes; mistakes in parameters have classes of their own. */
const isUnavailable = (thrown: unknown): boolean =>
  thrown instanceof Error && !MISTAKES.some((mistake) => thrown instanceof mistake);

const MISTAKES = [TypeError, RangeError, errors.ArgumentError];

const codeOf = (thrown: unknown): number | null =>
  thrown instanceof errors.ResponseError ? thrown.code : null;

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
