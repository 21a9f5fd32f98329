import { ServiceError, type FieldProblem } from '@carillon/errors';

/** Problems named in one answer; of more only the number is told. */
const MAX_FIELDS = 100;

/** The 400 that names every problem of a request. `problems` is not empty. */
export function invalidFields(problems: readonly FieldProblem[]): ServiceError {
  const text = problems.length === 1 ? '1 field is invalid' : `${problems.length} fields are invalid`;
  return new ServiceError('invalid_input', { text, fields: problems.slice(0, MAX_FIELDS) });
}

export const invalidField = (path: string, message: string): ServiceError =>
  invalidFields([{ path, message }]);

export const conflict = (text: string, members: Readonly<Record<string, unknown>> = {}): ServiceError =>
  new ServiceError('conflict', { text, members });
