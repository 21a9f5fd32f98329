export { ERRORS, type ErrorCode, type ErrorRow, type HttpErrorCode } from './table.js';
export {
  errorBody,
  ServiceError,
  toServiceError,
  type ErrorBody,
  type FieldProblem,
  type ServiceErrorOptions,
} from './service-error.js';
